"""The runs of a ledger, and the parts of their output.

Pages count as exported when the part that holds them is finished, all at once. So a writer works in
this order, and a kill at any moment neither loses nor doubles a page in the finished parts::

    begin_part      the ledger knows the part's name before there is a file
    mark_exported   for each page that is written, to a file aside
                    the file is closed, and renamed to the part's name
    finish_part     its pages count as exported

At the next start each unfinished part is either there under its own name, and then it is finished;
or it is not, and then it is discarded with what lies aside: its pages are owed as before.
"""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING

from crawler.core.errors import StoreError
from crawler.store.ledger import schema as sql
from crawler.store.ledger.file import LedgerFile
from crawler.store.ledger.rows import Part, Run, iso_of, seconds_of
from crawler.store.ledger.versions import sound_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["LedgerRuns"]


class LedgerRuns(LedgerFile):
    """The runs and parts of an open ledger."""

    def begin_run(self, run: str, at: str) -> None:
        """Note that a run begins at a time, or that one goes on that was begun under that id.

        Raises:
            StoreError: the time is none.
        """
        started = seconds_of(at)
        with self.transaction():
            self._run(sql.BEGIN_RUN, (run, started))
            self._run(sql.REOPEN_RUN, (run,))

    def mend_times(self, now: str) -> bool:
        """Date back to a second ago what is dated later than now, as by a clock that was wrong.

        Else no page would be asked for again until that time has come. Reads the whole ledger, and
        that only where a run is dated so.

        Returns:
            Whether there was any.

        Raises:
            StoreError: the time is none.
        """
        time = seconds_of(now)
        (latest,) = self._run(sql.LATEST_RUN).fetchone()
        if latest is None or latest <= time:
            return False
        with self.transaction():
            self._run(sql.CLAMP_RUNS, (time - 1,))
            self._run(sql.CLAMP_PAGES, (time - 1,))
        return True

    def end_run(
        self, run: str, at: str, reason: str, figures: Mapping[str, object] | None = None
    ) -> None:
        """Note when and why a run ended, and its figures.

        Raises:
            StoreError: the run was not begun, the time is none, or a figure is not what JSON holds.
        """
        try:
            written = json.dumps(dict(figures or {}))
        except (TypeError, ValueError, RecursionError) as error:
            raise StoreError(
                f"figures of run {run}: {error}. Give numbers, text, lists and dicts."
            ) from error
        self._run(sql.END_RUN, (seconds_of(at), reason, written, self._run_number(run)))

    def runs(self) -> list[Run]:
        """Return all runs, in the order they were begun."""
        return [
            Run(
                id=run,
                started=iso_of(started),
                ended=iso_of(ended),
                reason=reason or "",
                figures=MappingProxyType(json.loads(figures or "{}")),
            )
            for run, started, ended, reason, figures in self._run(sql.RUNS).fetchall()
        ]

    def begin_part(self, run: str, name: Callable[[int], str], at: str) -> Part:
        """Begin the next part of a run's output; the first has number 1.

        Args:
            run: the run's id.
            name: makes of the part's number the name of the file that will hold it when whole.
            at: when.

        Raises:
            StoreError: the run was not begun, or the time is none.
        """
        begun = seconds_of(at)
        with self.transaction():
            number = self._run_number(run)
            (part,) = self._run(sql.NEXT_PART, (number,)).fetchone()
            self._run(sql.BEGIN_PART, (number, part, written := name(part), begun))
        return Part(run, part, written, iso_of(begun))

    def open_runs(self) -> list[Run]:
        """Return the runs that have not ended: of this process, or killed."""
        return [Run(run, iso_of(started)) for run, started in self._run(sql.OPEN_RUNS).fetchall()]

    def mark_exported(self, run: str, address: str, name: str, part: int) -> None:
        """Note that a part holds a page as it was fetched last.

        It counts as exported, under that name, once the part is finished.

        Args:
            run: the run's id.
            address: the page's.
            name: what the version is called that is exported, as a hash of its text:
                :attr:`crawler.store.ledger.rows.Row.exported_hash` from then on.
            part: the part's number.

        Raises:
            StoreError: the address is not in the ledger, the hash is none, or the part was not
                begun, or is finished.
        """
        number = self._run_number(run)
        finished, _ = self._part(run, number, part)
        if finished is not None:
            raise StoreError(f"part {part} of run {run} is finished. Begin another one.")
        self._run(sql.EXPORT, (number, part, sound_hash(name), self._key(address)))

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
            if finished is None:
                rows = self._run(sql.PART_PAGES, (number, part)).fetchall()
                pages = len(rows)
                for key, content, name in rows:
                    self._connection.execute(sql.EXPORTED, (number, name, content, key))
                self._run(sql.DROP_PAGES, (number, part))
                self._run(sql.FINISH_PART, (time, pages, number, part))
        return int(pages)

    def discard_part(self, run: str, part: int) -> None:
        """Forget a part that never became whole; its pages are owed as before.

        Raises:
            StoreError: the part was not begun, or is finished.
        """
        with self.transaction():
            number = self._run_number(run)
            finished, _ = self._part(run, number, part)
            if finished is not None:
                raise StoreError(f"part {part} of run {run} is finished, and cannot be discarded.")
            self._run(sql.DROP_PAGES, (number, part))
            self._run(sql.DROP_PART, (number, part))

    def parts(self, *, unfinished: bool = False) -> list[Part]:
        """Return the parts of all runs, or those that were begun and not finished."""
        return [
            Part(run, number, name, iso_of(begun), iso_of(finished), pages)
            for run, number, name, begun, finished, pages in self._run(
                sql.PARTS, (unfinished,)
            ).fetchall()
        ]

    def _run_number(self, run: str) -> int:
        row = self._run(sql.RUN_NUMBER, (run,)).fetchone()
        if row is None:
            raise StoreError(f"run {run!r} is not in {self.path}. Begin it with begin_run first.")
        return int(row[0])

    def _part(self, run: str, number: int, part: int) -> tuple[int | None, int]:
        row: tuple[int | None, int] | None = self._run(sql.PART, (number, part)).fetchone()
        if row is None:
            raise StoreError(f"run {run} has no part {part}. Begin it with begin_part first.")
        return row
