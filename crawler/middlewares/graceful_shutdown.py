"""A crawl's end in order within seconds, also where a site does not answer.

When a crawl is told to end, Scrapy waits for every request that is under way, up to
``DOWNLOAD_TIMEOUT`` each, and for the retries after it. Who pressed Ctrl-C waits less long, and a
crawl of a harvest is killed a minute later, of which it needs some to export what it has.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.asyncio import create_looping_call
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from crawler.middlewares.downloader import SiteDownloader
from crawler.middlewares.throttling import SiteLeftAloneError

if TYPE_CHECKING:
    Fetch = Deferred[Response | Request]

SECONDS: Final = 5.0
"""How long a crawl that ends waits for answers."""

_LOOK_SECONDS: Final = 0.5


class CrawlEndedError(SiteLeftAloneError):
    """A page has no answer when its crawl has been told to end."""


class GracefulDownloader(SiteDownloader):
    """The downloader, which gives up the open requests some time after a crawl is to end.

    A paused crawl (``JOBDIR``) and the next incremental one request these pages again.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        # For each result that is promised here: its request, and the one that Scrapy promised.
        self._open: dict[Fetch, tuple[Request, Fetch]] = {}
        self._give_up_at: float | None = None
        self._watch = create_looping_call(self._look)

    def fetch(self, request: Request) -> Fetch:  # type: ignore[override] # Scrapy's second argument is deprecated
        """Fetch, or fail with :class:`CrawlEndedError` where the crawl ends before."""
        given: Fetch = Deferred()
        fetched = super().fetch(request)
        self._open[given] = request, fetched

        def pass_on(result: Response | Request | Failure) -> None:
            # A request that was given up may get its answer later.
            if self._open.pop(given, None) is not None:
                given.callback(result)

        fetched.addBoth(pass_on)
        if not self._watch.running:
            self._watch.start(_LOOK_SECONDS, now=False)
        return given

    def _look(self) -> None:
        # Scrapy has no public name for "the spider is closing".
        slot: Any = getattr(self.crawler.engine, "_slot", None)
        if slot is None or slot.closing is not None:
            self._give_up_at = self._give_up_at or monotonic() + SECONDS
            if monotonic() >= self._give_up_at:
                self._give_up()
        if not self._open:
            self._watch.stop()

    def _give_up(self) -> None:
        while self._open:
            given, (request, fetched) = self._open.popitem()
            if self.crawler.settings["JOBDIR"] and request.callback is not NO_CALLBACK:
                # The engine puts it back into the queue, which is kept.
                given.callback(request.replace(dont_filter=True))
            else:
                words = f"the crawl was told to end, and {request.url} had no answer in time"
                given.errback(CrawlEndedError(words, self.get_slot_key(request)))
            fetched.cancel()
