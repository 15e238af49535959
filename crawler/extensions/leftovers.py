"""What an earlier crawl that was killed has left: its spool, and a JOBDIR that lacks requests."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import finalize

from scrapy.crawler import Crawler

from crawler.core.errors import OptionError, StoreError
from crawler.extensions.component import Component, until_closed
from crawler.extensions.exits import ending
from crawler.store import seal
from crawler.store.files import local_path, system_errors, try_lock
from crawler.store.spool import waiting_spools

if TYPE_CHECKING:
    from filelock import BaseFileLock

logger = logging.getLogger(__name__)

_LOCK = "corpus.lock"
_RUNNING = "corpus.running"
_LEAST_FREE = 100_000


class Leftovers(Component):
    """Says what a killed crawl has left, and keeps a JOBDIR and the output for one process.

    Raises:
        StoreError: another crawl uses the JOBDIR or writes the output, or the JOBDIR is damaged or
            cannot be written.
    """

    handlers = ("spider_opened", "engine_stopped")

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._locks: list[BaseFileLock] = []
        # Also where a crawl is refused for another reason.
        self._release = finalize(self, _release, self._locks)
        jobdir = crawler.settings.get("JOBDIR")
        self._jobdir = Path(jobdir) if jobdir else None
        folders = filter(None, (self.options.tables_folder, self.options.structure_folder))
        for path in (*folders, *(path for path, _ in self._feeds())):
            # Without a lock where no file can be made beside it.
            with suppress(OSError):
                self._lock(path.with_name(f".{path.name}.lock"), f"{path} is being written")
        if self._jobdir is None:
            return
        advice = "Name another folder, or check its permissions."
        with system_errors(f"JOBDIR {jobdir} cannot be written", advice, _unusable):
            self._lock(self._jobdir / _LOCK, f"JOBDIR {jobdir} is in use")
            running = self._jobdir / _RUNNING
            if running.exists():
                logger.warning(
                    "The crawl of JOBDIR %s was killed. Scrapy has not kept which of its requests "
                    "were under way, so their pages are missing from this crawl. Begin anew with "
                    "another JOBDIR to have them",
                    jobdir,
                )
            if damaged := seal.check(self._jobdir):
                self._release()
                raise _unusable(
                    f"JOBDIR {jobdir} is damaged: {damaged} is not as the crawl left it. Put a "
                    "copy in its place, or begin anew with another JOBDIR."
                )
            if seal.is_there(self._jobdir) or running.exists():
                self._check_replaced(jobdir)
                self.stats.set_value("corpus/resumed", 1)
            # Where the disk is full, Scrapy's own files fail later, and nothing says so in a line.
            room = running.with_name("corpus.room")
            try:
                room.write_bytes(bytes(_LEAST_FREE))
            finally:
                room.unlink(missing_ok=True)
            seal.remove(self._jobdir)
            running.touch()

    def _feeds(self) -> Iterator[tuple[Path, bool]]:
        """Give the files of the crawl's feeds, and whether each replaces one that is there."""
        for uri, feed in self.crawler.settings.getdict("FEEDS").items():
            # A name with a time or number in it is another for each crawl.
            path = None if "%(" in str(uri) else local_path(str(uri))
            if path is not None and (path.is_file() or not path.exists()):
                yield path, bool(feed.get("overwrite"))

    def _lock(self, path: Path, what: str) -> None:
        lock = try_lock(path)
        if lock is None:
            self._release()
            raise _unusable(f"{what} by another crawl. Wait until that has ended, or name another.")
        self._locks.append(lock)

    def _check_replaced(self, jobdir: str) -> None:
        """Refuse to replace the items that the crawl wrote before it was paused."""
        for path, is_replaced in self._feeds():
            if is_replaced and path.is_file():
                self._release()
                why = (
                    f"the crawl of JOBDIR {jobdir} goes on, and would replace what it wrote to "
                    f"{path} before. Name another file, or add to this one (-o in place of -O)."
                )
                raise ending(OptionError(why))

    def spider_opened(self) -> None:
        """Name the spools that wait to be replayed."""
        # An incremental crawl takes up what waits for it.
        paths = [] if self.options.incremental else waiting_spools(self.options.dir / "spool")
        if names := [str(path) for path in paths]:
            logger.warning(
                "Earlier crawls left pages that were not exported. 'scrapy replay -O FILE SPOOL' "
                "exports those of one spool; there %s %s",
                "is" if len(names) == 1 else "are",
                ", ".join(names),
            )

    async def engine_stopped(self) -> None:
        """Note that the requests are whole, and let go of all."""
        await until_closed(self.crawler)
        if self._jobdir is not None:
            seal.seal(self._jobdir)
            with suppress(OSError):
                (self._jobdir / _RUNNING).unlink()
        self._release()


def _unusable(why: str) -> BaseException:
    return ending(StoreError(why))


def _release(locks: list[BaseFileLock]) -> None:
    for lock in locks:
        # Unlinked while it is held: a process that has the file open by now, and locks it later,
        # sees that it has no name (filelock looks at st_nlink) and makes another.
        with suppress(OSError):
            Path(lock.lock_file).unlink()
        lock.release()
