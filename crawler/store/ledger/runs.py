"""The runs of a ledger, and the parts of their output.

Pages count as exported when the part that holds them is finished, all at once. A writer works in
this order, so that a kill at any moment neither loses nor doubles a page in the finished parts::

    begin_part      the ledger knows the part's name before there is a file
    mark_exported   for each page that is written, to a file under another name
                    the file is closed, and renamed to the part's name
    finish_part     its pages count as exported

At the next start each unfinished part either exists under its own name, and is then finished; or it
does not, and is then discarded with the file under the other name. Its pages are still to be
exported.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Final

from crawler.core.errors import StoreError
from crawler.store.ledger.database import LedgerDatabase
from crawler.store.ledger.rows import Part, Run, iso_of, part_of, run_of, seconds_of

_TIMES: Final = {
    "runs": ("started", "ended"),
    "pages": ("found_at", "asked_at", "fetched_at", "changed_at"),
}
_PAGES_OF_PART: Final = "FROM part_pages WHERE run = ? AND part = ?"


class LedgerRuns(LedgerDatabase):
    """The runs and parts of an open ledger."""

    def begin_run(self, run: str, at: str) -> None:
        """Note that a run begins at a time, or that the run of that id continues."""
        started = seconds_of(at)
        with self.transaction():
            self._run("INSERT OR IGNORE INTO runs (id, started) VALUES (?, ?)", run, started)
            self._set("runs", {"id": run}, {"ended": None, "reason": None})

    def mend_times(self, now: str) -> bool:
        """Date back to a second ago what is dated later than now, as by a clock that was wrong.

        Otherwise such a page would count as requested by this crawl, or as just found, until that
        time. Reads the whole ledger, but only where a run is dated so. Returns whether there was
        any.
        """
        time = seconds_of(now)
        latest = self._value("SELECT max(max(started), coalesce(max(ended), 0)) FROM runs")
        if latest is None or latest <= time:
            return False
        with self.transaction():
            for table, columns in _TIMES.items():
                earlier = ", ".join(f"{name} = min({name}, ?1)" for name in columns)
                wrong = " OR ".join(f"{name} > ?1" for name in columns)
                statement = f"UPDATE {table} SET {earlier} WHERE {wrong}"  # noqa: S608 - names alone
                self._run(statement, time - 1)
        return True

    def end_run(
        self, run: str, at: str, reason: str, figures: Mapping[str, object] | None = None
    ) -> None:
        """Note when and why a run ended, and its figures.

        Args:
            run: the run's id.
            at: when.
            reason: why.
            figures: any values that JSON holds, by name.
        """
        columns = {"ended": seconds_of(at), "reason": reason, "figures": json.dumps(figures or {})}
        self._set("runs", {"id": run}, columns)

    def runs(self) -> list[Run]:
        """Return all runs, in the order they were begun."""
        statement = "SELECT id, started, ended, reason, figures FROM runs ORDER BY number"
        return list(self._made(run_of, self._rows(statement)))

    def begin_part(self, run: str, name: Callable[[int], str], at: str) -> Part:
        """Begin the next part of a run's output; the first has number 1.

        Args:
            run: the run's id.
            name: makes the name of the file that will hold the part of the part's number.
            at: when.

        Raises:
            StoreError: the run was not begun.
        """
        begun = seconds_of(at)
        statement = """
            SELECT runs.number, 1 + coalesce(max(parts.number), 0)
            FROM runs LEFT JOIN parts ON parts.run = runs.number WHERE runs.id = ?
        """
        with self.transaction():
            # Without such a run its number is NULL, which the table refuses.
            ((number, next_part),) = self._rows(statement, run)
            part = Part(run, next_part, name(next_part), iso_of(begun))
            statement = "INSERT INTO parts (run, number, name, begun) VALUES (?, ?, ?, ?)"
            self._run(statement, number, next_part, part.name, begun)
        return part

    def mark_exported(self, run: str, address: str, name: str, part: int) -> None:
        """Note that a part holds a page as it was fetched last.

        It counts as exported, under that name, once the part is finished.

        Args:
            run: the run's id.
            address: the page's.
            name: what the exported version is called, as a hash of its text:
                :attr:`crawler.store.ledger.rows.Row.exported_hash` from then on.
            part: the part's number.

        Raises:
            StoreError: the address is not in the ledger, or the part is not under way.
        """
        number = self._run_of(run, part)
        statement = """
            INSERT OR REPLACE INTO part_pages (run, part, key, content, exported)
            SELECT ?, ?, key, coalesce(content, ''), ? FROM pages WHERE key = ?
        """
        self._run(statement, number, part, name, self._key(address))

    def finish_part(self, run: str, part: int, at: str) -> None:
        """Count the pages of a part as exported.

        Raises:
            StoreError: the part is not under way.
        """
        time = seconds_of(at)
        with self.transaction():
            number = self._run_of(run, part)
            exported = self._rows(f"SELECT exported, content, key {_PAGES_OF_PART}", number, part)
            self._connection.executemany(
                "UPDATE pages SET exported = ?, owed = owed AND content <> ?, retracted = 0"
                " WHERE key = ?",
                exported,
            )
            self._run(f"DELETE {_PAGES_OF_PART}", number, part)
            columns = {"finished": time, "pages": len(exported)}
            self._set("parts", {"run": number, "number": part}, columns)

    def discard_part(self, run: str, part: int) -> None:
        """Forget a part that never became whole; its pages are still to be exported.

        Raises:
            StoreError: the part is not under way.
        """
        with self.transaction():
            number = self._run_of(run, part)
            self._run(f"DELETE {_PAGES_OF_PART}", number, part)
            self._run("DELETE FROM parts WHERE run = ? AND number = ?", number, part)

    def parts(self, *, unfinished: bool = False) -> list[Part]:
        """Return the parts of all runs, or those that were begun and not finished."""
        statement = """
            SELECT runs.id, parts.number, parts.name, parts.begun, parts.finished,
                CASE WHEN parts.finished IS NULL
                THEN (SELECT count(*) FROM part_pages WHERE run = parts.run AND part = parts.number)
                ELSE parts.pages END
            FROM parts JOIN runs ON runs.number = parts.run
            WHERE parts.finished IS NULL OR NOT ?
            ORDER BY parts.run, parts.number
        """
        return list(self._made(part_of, self._rows(statement, unfinished)))

    def _run_of(self, run: str, part: int) -> int:
        """Return the number of the run of a part that was begun and is not finished."""
        statement = """
            SELECT runs.number FROM runs JOIN parts ON parts.run = runs.number
            WHERE runs.id = ? AND parts.number = ? AND parts.finished IS NULL
        """
        rows = self._rows(statement, run, part)
        if not rows:
            raise StoreError(f"{self.path}: part {part} of run {run} is not under way.")
        return int(rows[0][0])
