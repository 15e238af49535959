"""The end of a job's crawl: in order, also where a site does not answer.

Scrapy waits for all that is under way when a crawl is told to end, each up to ``DOWNLOAD_TIMEOUT``
and one after the other. A job has less time until it is killed, and needs some of that to export
what it has.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from scrapy.core.downloader import Downloader
from scrapy.utils.asyncio import call_later
from twisted.internet.defer import Deferred

from crawler.middlewares.throttling import SiteLeftAloneError

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

__all__ = ["ENDING_SECONDS", "EndingDownloader"]

ENDING_SECONDS: Final = 15.0
"""So long a crawl that is ending waits for answers; a quarter of a job's grace."""

_LOOK_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True)
class _Fetch:
    """What is fetched, and what Scrapy's downloader promised of it."""

    request: Request
    fetched: Deferred[Response | Request]


class EndingDownloader(Downloader):
    """Scrapy's downloader, which gives up what is under way some time after a crawl is to end.

    Such a page counts as one of a site that was left alone: the next crawl asks for it again.

    Args:
        crawler: whose requests it fetches.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._under_way: dict[Deferred[Response | Request], _Fetch] = {}
        self._give_up_at: float | None = None
        self._is_looking = False

    def fetch(self, request: Request) -> Deferred[Response | Request]:  # type: ignore[override] # Scrapy's second argument is of old
        """Fetch, or fail with :class:`SiteLeftAloneError` where the crawl ends before."""
        given: Deferred[Response | Request] = Deferred()
        fetched = super().fetch(request)
        self._under_way[given] = _Fetch(request, fetched)

        def pass_on(result: Response | Request | Failure) -> None:
            # What was given up may have an answer yet, which nobody waits for.
            if self._under_way.pop(given, None) is not None:
                given.callback(result)

        fetched.addBoth(pass_on)
        self._look_later()
        return given

    def _look_later(self) -> None:
        if self._under_way and not self._is_looking:
            self._is_looking = True
            call_later(_LOOK_SECONDS, self._look)

    def _look(self) -> None:
        self._is_looking = False
        if self._is_closing():
            if self._give_up_at is None:
                self._give_up_at = monotonic() + ENDING_SECONDS
            if monotonic() >= self._give_up_at:
                self._give_up()
        self._look_later()

    def _give_up(self) -> None:
        while self._under_way:
            given, fetch = self._under_way.popitem()
            words = f"the crawl was told to end, and {fetch.request.url} had no answer in time"
            given.errback(SiteLeftAloneError(words, self.get_slot_key(fetch.request)))
            fetch.fetched.cancel()

    def _is_closing(self) -> bool:
        # Scrapy has no public name for "the spider is closing".
        slot: Any = getattr(self.crawler.engine, "_slot", None)
        return slot is None or slot.closing is not None
