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
from typing import TYPE_CHECKING, Final

from crawler.core.errors import StoreError
from crawler.store.ledger.database import LedgerDatabase
from crawler.store.ledger.rows import Part, Run, iso_of, seconds_of
from crawler.store.ledger.updates import sound_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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

        Else no page would be requested again until that time. Reads the whole ledger, but only
        where a run is dated so.

        Returns:
            Whether there was any.
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

        Raises:
            StoreError: the run was not begun, the time is none, or a figure is not what JSON holds.
        """
        try:
            written = json.dumps(dict(figures or {}))
        except (TypeError, ValueError, RecursionError) as error:
            raise StoreError(
                f"figures of run {run}: {error}. Give numbers, text, lists and dicts."
            ) from error
        columns = {"ended": seconds_of(at), "reason": reason, "figures": written}
        self._set("runs", {"number": self._run_number(run)}, columns)

    def runs(self) -> list[Run]:
        """Return all runs, in the order they were begun."""
        statement = "SELECT id, started, ended, reason, figures FROM runs ORDER BY number"
        return [
            Run(run, iso_of(started), iso_of(ended), reason or "", json.loads(figures or "{}"))
            for run, started, ended, reason, figures in self._run(statement).fetchall()
        ]

    def open_runs(self) -> list[Run]:
        """Return the runs that have not ended: of this process, or killed."""
        return [run for run in self.runs() if not run.ended]

    def begin_part(self, run: str, name: Callable[[int], str], at: str) -> Part:
        """Begin the next part of a run's output; the first has number 1.

        Args:
            run: the run's id.
            name: makes the name of the file that will hold the part of the part's number.
            at: when.

        Raises:
            StoreError: the run was not begun, or the time is none.
        """
        begun = seconds_of(at)
        with self.transaction():
            number = self._run_number(run)
            last = self._value("SELECT coalesce(max(number), 0) FROM parts WHERE run = ?", number)
            part = Part(run, last + 1, name(last + 1), iso_of(begun))
            statement = "INSERT INTO parts (run, number, name, begun) VALUES (?, ?, ?, ?)"
            self._run(statement, number, part.number, part.name, begun)
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
            StoreError: the address is not in the ledger, the hash is none, or the part was not
                begun, or is finished.
        """
        number = self._unfinished(run, part)
        statement = """
            INSERT OR REPLACE INTO part_pages (run, part, key, content, exported)
            SELECT ?, ?, key, coalesce(content, ''), ? FROM pages WHERE key = ?
        """
        self._run(statement, number, part, sound_hash(name), self._key(address))

    def finish_part(self, run: str, part: int, at: str) -> int:
        """Count the pages of a part as exported; a part that is finished stays as it is.

        Returns:
            How many pages the part holds.

        Raises:
            StoreError: the part was not begun, or the time is none.
        """
        time = seconds_of(at)
        with self.transaction():
            number = self._run_number(run)
            finished, pages = self._part(run, number, part)
            if finished is not None:
                return pages
            rows = self._run(f"SELECT exported, content, key {_PAGES_OF_PART}", number, part)
            exported = rows.fetchall()
            self._connection.executemany(
                "UPDATE pages SET exported = ?, owed = owed AND content <> ?, retracted = 0"
                " WHERE key = ?",
                exported,
            )
            self._run(f"DELETE {_PAGES_OF_PART}", number, part)
            columns = {"finished": time, "pages": len(exported)}
            self._set("parts", {"run": number, "number": part}, columns)
        return len(exported)

    def discard_part(self, run: str, part: int) -> None:
        """Forget a part that never became whole; its pages are still to be exported.

        Raises:
            StoreError: the part was not begun, or is finished.
        """
        with self.transaction():
            number = self._unfinished(run, part)
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
        return [
            Part(run, number, name, iso_of(begun), iso_of(finished), pages)
            for run, number, name, begun, finished, pages in self._run(statement, unfinished)
        ]

    def _run_number(self, run: str) -> int:
        row = self._run("SELECT number FROM runs WHERE id = ?", run).fetchone()
        if row is None:
            raise StoreError(f"run {run!r} is not in {self.path}. Begin it with begin_run first.")
        return int(row[0])

    def _part(self, run: str, number: int, part: int) -> tuple[int | None, int]:
        statement = "SELECT finished, pages FROM parts WHERE run = ? AND number = ?"
        row: tuple[int | None, int] | None = self._run(statement, number, part).fetchone()
        if row is None:
            raise StoreError(f"run {run} has no part {part}. Begin it with begin_part first.")
        return row

    def _unfinished(self, run: str, part: int) -> int:
        """Return the number of the run of a part that is not finished."""
        number = self._run_number(run)
        finished, _ = self._part(run, number, part)
        if finished is not None:
            raise StoreError(f"part {part} of run {run} is finished, and cannot be changed.")
        return number
