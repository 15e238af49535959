"""Two passes inside one crawl: hold a spider's pages until the site has been seen.

:class:`Hold` is a spider middleware. In the first pass it takes the pages that the spider yields,
counts them and puts them on disk; nothing goes on to the item pipelines. When no request is left
it sends itself one request, ``spool://pages``, whose callback yields the finished items, so that
they pass through everything an item of any spider passes through: spider middlewares, the
project's own pipelines, Scrapy's feeds.

A crawl that is ended early (Ctrl-C, ``CLOSESPIDER_*``) never becomes idle. :class:`DrainingItems`
is the item processor that yields the held pages then: Scrapy closes it after the last response has
been worked on and before any pipeline or feed is closed.
"""

from __future__ import annotations

import asyncio
import logging
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self, TypeVar

from scrapy import Request, signals
from scrapy.exceptions import CloseSpider, DontCloseSpider
from scrapy.http import Response
from scrapy.pipelines import ItemPipelineManager
from scrapy.utils.asyncio import is_asyncio_available

from crawler.core.errors import CorpusError, StoreError
from crawler.feedwatch import FeedWatch
from crawler.handed import page_from
from crawler.items import PageItem
from crawler.journey import Journey
from crawler.options import PREFIX, Options
from crawler.store.spool import Spool
from crawler.waiting import pause, spider_closed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from scrapy.crawler import Crawler

    from crawler.spiders.archive import Archive

__all__ = ["DrainingItems", "Hold", "SpoolDownloadHandler"]

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

# How many items may be in the pipelines at once while an ended crawl drains.
_DRAIN_AT_ONCE = 16


class SpoolDownloadHandler:
    """Answers ``spool://`` requests with an empty response: the pages come from disk."""

    lazy = True

    async def download_request(self, request: Request) -> Response:
        """Return the response that wakes :meth:`Hold.drain`."""
        return Response(request.url)

    async def close(self) -> None:
        """Nothing is held here."""


class Hold:
    """Spider middleware: observe, hold, drain."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.options = Options.from_settings(crawler.settings)
        assert crawler.stats is not None  # noqa: S101 - Scrapy sets it before building components
        self.stats = crawler.stats
        self._started = datetime.now(UTC)
        # A replay goes on with the spool, and under the name, of the crawl that was killed.
        self.spool: Spool | None = getattr(crawler.spider, "spool", None)
        self.crawl = self.spool.info.crawl_id if self.spool else _crawl_name(self._started)
        self.journey = Journey(self.options, self.crawl, self.stats, mode=self.mode)
        self._feeds = FeedWatch.of(crawler)
        self._asked = False
        self._drain: AsyncIterator[PageItem] | None = None
        self._drained = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Connect to the signals that begin and end the second pass."""
        hold = cls(crawler)
        crawler.signals.connect(hold.spider_opened, signals.spider_opened)
        crawler.signals.connect(hold.spider_idle, signals.spider_idle)
        crawler.signals.connect(hold.item_scraped, signals.item_scraped)
        crawler.signals.connect(hold.item_error, signals.item_error)
        crawler.signals.connect(hold.spider_closed, signals.spider_closed)
        crawler.signals.connect(hold.engine_stopped, signals.engine_stopped)
        return hold

    def spider_opened(self) -> None:
        """Say which mode the crawl runs in."""
        self.stats.set_value("corpus/mode", self.mode)

    @property
    def mode(self) -> str:
        """``two-pass``, ``streaming`` or ``archive``."""
        if self._archive is None:
            return self.options.mode
        return "archive" if self.spool is None else "two-pass"

    @property
    def _archive(self) -> Archive | None:
        """What the spider reads in place of fetching, see :class:`ArchiveSpider`."""
        return getattr(self.crawler.spider, "archive", None)

    # First pass

    def process_spider_output(
        self,
        response: Response,  # noqa: ARG002 - the page is what the spider yields, not what it got
        result: Iterable[Any],
    ) -> Iterator[Any]:
        """Take the pages out of what a callback yields; all else goes on."""
        for output in result:
            if (onward := self._take(output)) is not None:
                yield onward

    async def process_spider_output_async(
        self,
        response: Response,  # noqa: ARG002 - as above
        result: AsyncIterator[Any],
    ) -> AsyncIterator[Any]:
        """Do the same for an asynchronous callback."""
        async for output in result:
            if (onward := self._take(output)) is not None:
                yield onward

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Do the same for what a spider starts with."""
        async for output in start:
            if (onward := self._take(output)) is not None:
                yield onward

    def _take(self, output: Any) -> Any:  # noqa: ANN401 - spiders yield what they like
        if isinstance(output, Request | PageItem):
            return output
        page = page_from(output, datetime.now(UTC).isoformat(timespec="seconds"))
        if page is None:
            return output
        self.stats.inc_value("corpus/pages/fetched")
        if self.options.mode == "streaming":
            return self.journey.stream(page)
        try:
            self.journey.hold(page, self._open_spool())
        except StoreError as error:
            # A full disk, or a folder that cannot be written: the next pages would be lost too.
            self.journey.skip(page.url, "not-held", str(error))
            logger.error("The crawl stops, and exports what it holds: %s", error)  # noqa: TRY400 - it says it all
            raise CloseSpider("spool_failed") from error
        return None

    def _open_spool(self) -> Spool:
        if self.spool is None:
            spider = self.crawler.spider
            self.spool = Spool.create(
                self.options.dir / "spool",
                self.crawl,
                started=self._started.isoformat(timespec="seconds"),
                spider=spider.name if spider else "",
                settings=_replayed(self.options),
            )
        return self.spool

    # Second pass

    def spider_idle(self) -> None:
        """When nothing is left to fetch, send the one request that drains what is held."""
        # Asked once only: should anything swallow the request, the pages drain as the crawl ends.
        if self._asked or not self.has_pages:
            return
        self._asked = True
        engine = self.crawler.engine
        assert engine is not None  # noqa: S101 - it is the engine that is idle
        engine.crawl(
            Request(
                "spool://pages",
                callback=self.drain,
                dont_filter=True,
                # Nothing is fetched, so what guards or slows fetching must let it pass.
                meta={
                    "dont_obey_robotstxt": True,
                    "dont_cache": True,
                    "dont_redirect": True,
                    "dont_retry": True,
                    "autothrottle_dont_adjust_delay": True,
                    "download_slot": "spool",
                },
            )
        )
        raise DontCloseSpider

    async def drain(
        self,
        response: Response,  # noqa: ARG002 - it only says that the time has come
    ) -> AsyncIterator[PageItem]:
        """Yield the finished items: the callback of ``spool://pages``."""
        async for item in self.held_items():
            yield item

    def held_items(self) -> AsyncIterator[PageItem]:
        """Return the one stream of finished items; whoever reads on continues where it stands."""
        if self._drain is None:
            self._drain = self._finished()
        return self._drain

    @property
    def has_pages(self) -> bool:
        """Whether there is anything to drain."""
        return self._archive is not None or (self.spool is not None and len(self.spool) > 0)

    async def _finished(self) -> AsyncIterator[PageItem]:
        try:
            async for item in self._items():
                yield item
            self._drained = True
        except CorpusError as error:
            self.stats.inc_value("corpus/drain_errors")
            logger.error("Not all pages are exported: %s", error)  # noqa: TRY400 - it says it all

    async def _items(self) -> AsyncIterator[PageItem]:
        if self._archive is not None:
            async for page in _unhurried(self._archive.pages()):
                self.stats.inc_value("corpus/pages/fetched")
                self.journey.count(page)
            pages = self._archive.pages(quietly=True)
        else:
            pages = self.spool.pages() if self.spool is not None else iter(())
        self.journey.save_counts()
        async for item in _unhurried(self.journey.items(pages)):
            yield item

    # The end

    def item_scraped(self, item: Any) -> None:  # noqa: ANN401
        """Count what left through all pipelines."""
        if isinstance(item, PageItem):
            self.stats.inc_value("corpus/pages/exported")

    def item_error(self, item: Any) -> None:  # noqa: ANN401
        """Count what a pipeline failed on: it is not in the output."""
        if isinstance(item, PageItem):
            self.stats.inc_value("corpus/pages/broken")

    def spider_closed(self) -> None:
        """Give the last figures, and keep what was counted meanwhile."""
        self.stats.set_value("corpus/sites", len(self.journey.sites))
        self.stats.set_value("corpus/top_dropped", self.journey.dropped.most_frequent())
        if self.options.mode == "streaming":
            self.journey.save_counts()

    async def engine_stopped(self) -> None:
        """Let go of the spool, unless a page of it may be missing from the output."""
        await spider_closed(self.crawler)
        if self.spool is None:
            return
        self.spool.close()
        if failure := self._failure():
            logger.error(
                "%s. All %d held pages are kept in %s: run 'scrapy replay' to export them again.",
                failure, len(self.spool), self.spool.path,
            )  # fmt: skip
        elif self.options.keep_spool:
            self.spool.mark_drained()
        else:
            self.spool.delete()
            self.stats.set_value("corpus/spool", None)
            return
        self.stats.set_value("corpus/spool", str(self.spool.path))

    def _failure(self) -> str | None:
        """Say why a page may be missing from the output, None if none is."""
        figures = self.stats.get_stats()
        if any(key.startswith("feedexport/failed_count/") for key in figures):
            return "A feed could not be stored"
        if missing := self._feeds.missing():
            return f"The feeds lack {missing} items"
        if broken := figures.get("corpus/pages/broken", 0):
            return f"A pipeline failed on {broken} pages"
        if not self._drained and self.has_pages:
            return "The crawl ended before its pages were exported"
        return None


class DrainingItems(ItemPipelineManager):
    """Scrapy's item processor, which yields what is still held before it closes."""

    async def close_spider_async(self) -> None:
        """Send the held pages through the pipelines, then close those."""
        crawler = self.crawler
        hold = crawler.get_spider_middleware(Hold) if crawler else None
        if hold is not None and hold.has_pages:
            await _drain(hold)
        await super().close_spider_async()


async def _drain(hold: Hold) -> None:
    """Send what is held through the pipelines of an engine that takes no more requests."""
    scraper = hold.crawler.engine.scraper
    if not is_asyncio_available():
        async for item in hold.held_items():
            await scraper.start_itemproc_async(item, response=None)
        return
    running: set[asyncio.Task[None]] = set()
    async for item in hold.held_items():
        running.add(asyncio.create_task(scraper.start_itemproc_async(item, response=None)))
        if len(running) >= _DRAIN_AT_ONCE:
            _, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
    if running:
        await asyncio.wait(running)


def _crawl_name(started: datetime) -> str:
    """Name a crawl so that names sort by time and two crawls of one second differ."""
    return f"{started:%Y%m%d-%H%M%S}-{started.microsecond:06}-{os.getpid()}"


def _replayed(options: Options) -> dict[str, Any]:
    """Return the settings under which a replay gives the items that this crawl would have."""
    names = ("text_method", "near_duplicate_similarity", "drop_near_duplicates", "item_blocks")
    return {f"{PREFIX}{name.upper()}": getattr(options, name) for name in names}


async def _unhurried(things: Iterable[_T]) -> AsyncIterator[_T]:
    """Iterate with a pause after each step, so that signals and timers are served meanwhile."""
    for thing in things:
        yield thing
        await pause()
