"""What an earlier crawl that was killed has left: its spool, and a JOBDIR that lacks requests."""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path

from scrapy.crawler import Crawler

from crawler.core.errors import OneLineExit, StoreError
from crawler.extensions.component import Component
from crawler.store.files import system_errors, try_lock
from crawler.store.spool import waiting_spools

logger = logging.getLogger(__name__)

_LOCK = "corpus.lock"
_RUNNING = "corpus.running"


class JobdirExit(OneLineExit, StoreError):  # noqa: N818 - it is an exit, as SystemExit is
    """A JOBDIR cannot be used; Scrapy would show any other exception as a traceback."""


class Leftovers(Component):
    """Says what a killed crawl has left, and keeps a JOBDIR for one process.

    Raises:
        JobdirExit: another crawl uses the JOBDIR, or it cannot be written.
    """

    handlers = ("spider_opened", "engine_stopped")

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        jobdir = crawler.settings.get("JOBDIR")
        self._running = Path(jobdir, _RUNNING) if jobdir else None
        self._lock = None
        if self._running is None:
            return
        advice = "Name another folder, or check its permissions."
        with system_errors(f"JOBDIR {jobdir} cannot be written", advice, JobdirExit):
            self._lock = try_lock(self._running.with_name(_LOCK))
            if self._lock is None:
                raise JobdirExit(f"JOBDIR {jobdir} is in use by another crawl. {advice}")
            if self._running.exists():
                logger.warning(
                    "The crawl of JOBDIR %s was killed. Scrapy has not kept which of its requests "
                    "were under way, so their pages are missing from this crawl. Begin anew with "
                    "another JOBDIR to have them",
                    jobdir,
                )
            self._running.touch()

    def spider_opened(self) -> None:
        """Name the spools that wait to be replayed."""
        if self.options.incremental:
            # Such a crawl takes up what waits for it.
            return
        for path in waiting_spools(self.options.dir / "spool"):
            logger.warning(
                "An earlier crawl left pages that were not exported: 'scrapy replay -O FILE %s' "
                "exports them",
                path,
            )

    def engine_stopped(self) -> None:
        """Note that the requests are whole."""
        if self._running is not None:
            with suppress(OSError):
                self._running.unlink()
        if self._lock is not None:
            self._lock.release()
