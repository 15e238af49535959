"""Two passes inside one crawl: a spider's pages are held until the site has been counted.

:class:`TwoPass` is a spider middleware. In the first pass it takes the pages that the spider
yields, counts them and puts them on disk; nothing goes on to the item pipelines. When no request is
left it sends itself one request, ``data:,pages``, whose callback yields the items, each with its
page. They pass through everything an item of any spider passes through: spider middlewares, the
item pipelines (which fill them, :mod:`crawler.pipelines.stages`), Scrapy's feeds.

A crawl that is ended early (Ctrl-C, ``CLOSESPIDER_*``) never becomes idle. :class:`DrainingItems`
is the item processor that yields the held pages then: Scrapy closes it after the last response has
been worked on and before any pipeline or feed is closed.
"""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any
from weakref import WeakSet

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, DontCloseSpider
from scrapy.http import HtmlResponse, Response
from scrapy.pipelines import ItemPipelineManager
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.defer import deferred_from_coro

from crawler.core.errors import CorpusError, StoreError, one_line
from crawler.core.page.page import Page
from crawler.core.page.parse import ParsedPage
from crawler.exporters.part_writer import NumberedParts
from crawler.extensions.component import Component, unhurried, until_closed
from crawler.extensions.exits import ending
from crawler.extensions.output_guard import OutputGuard
from crawler.items import PageItem, WrappedPage
from crawler.journey.crawl_ledgers import CrawlLedgers
from crawler.journey.item_page import Mode
from crawler.journey.page_joiner import Captures
from crawler.journey.parts import crawl_name
from crawler.journey.session import Crawl
from crawler.middlewares.to_page import ItemOrigins, page_from, take_parsed
from crawler.store.archive import FieldsError
from crawler.store.spool import Spool

logger = logging.getLogger(__name__)

# How many items may be in the pipelines at once while an ended crawl drains.
_DRAIN_AT_ONCE = 16
# Figures of a crawl that stand in the ledger.
_KEPT_FIGURES = (
    "corpus/pages/fetched",
    "corpus/pages/exported",
    "corpus/incremental/new",
    "corpus/incremental/changed",
    "corpus/incremental/gone",
    "corpus/incremental/not_modified",
)


class TwoPass(Component, BaseSpiderMiddleware):
    """Spider middleware: counts and holds pages, then yields their items."""

    handlers = (
        *("spider_opened", "spider_idle", "spider_closed", "engine_stopped"),
        *("item_scraped", "item_dropped", "item_error"),
    )

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._started = datetime.now(UTC)
        spider: Any = crawler.spider
        spool = getattr(spider, "spool", None)
        # A spider whose pages lie on disk, to be read in place of fetching.
        self._archive = spider if hasattr(spider, "stored_pages") else None
        # A replay goes on with the spool, and under the name, of the crawl that was killed.
        self.spool = spool if isinstance(spool, Spool) else None
        self._is_replay = self.spool is not None
        self.crawl = self.spool.info.crawl_id if self.spool else crawl_name(self._started)
        self.ledgers = self._open_ledgers(spider) if self.options.incremental else None
        self.session = Crawl(
            self.options, self.crawl, self.stats, mode=self._mode(), ledgers=self.ledgers
        )
        self.origins = ItemOrigins()
        """From which responses items were made that are no pages, for the wrapper pipeline."""
        self._output = OutputGuard.from_crawler(crawler, self.ledgers is not None)
        if self.ledgers is not None:
            save = self.session.evidence.save
            self._parts = NumberedParts.from_crawler(crawler, self.ledgers, save)
        self._any_page = False
        # Responses of which a page has come.
        self._came: WeakSet[Response] = WeakSet()
        self._asked = False
        self._ledger_failed = False
        # One error of the disk is told; further ones are for those who log at DEBUG.
        self._disk_level = logging.ERROR
        self._drain: AsyncIterator[PageItem] | None = None
        self._drained = False

    def _mode(self) -> Mode:
        if self.ledgers is not None:
            return Mode.INCREMENTAL
        if self._archive is None:
            return Mode(self.options.mode)
        return Mode.ARCHIVE if self.spool is None else Mode.TWO_PASS

    def _open_ledgers(self, spider: Any) -> CrawlLedgers | None:  # noqa: ANN401 - any spider
        """Open the ledgers of a spider that can keep its frontier there."""
        if not hasattr(spider, "open_ledgers"):
            logger.warning(
                "CORPUS_INCREMENTAL is for the spider site: %s fetches and exports all there is.",
                getattr(spider, "name", "this one"),
            )
            return None
        ledgers = CrawlLedgers(self.options.dir, self.crawl, count=self.stats.inc_value)
        try:
            spider.open_ledgers(ledgers)
        except StoreError as error:
            raise ending(error) from error.__cause__
        return ledgers

    def spider_opened(self) -> None:
        """Say which mode the crawl runs in."""
        # What is loaded by now stays: the collector need not go over it again with every few pages.
        gc.freeze()
        self.stats.set_value("corpus/mode", self.session.mode.value)

    # First pass

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Give what an earlier crawl held, then what the spider starts with."""
        try:
            async for item in self._take_up():
                yield item
            async for output in super().process_start(start):
                yield output
        except StoreError as error:
            self._end_without_ledger(error)
            raise

    async def _take_up(self) -> AsyncIterator[PageItem]:
        """Hold anew what an earlier crawl held and did not export."""
        if self.ledgers is None:
            return
        number = 0
        async for page in unhurried(self.ledgers.unexported_pages()):
            self._arrived()
            number += 1
            if (item := self._hold(page)) is not None:
                yield item
        self.ledgers.finish_earlier(keep=self.options.keep_spool)
        if number:
            self.stats.set_value("corpus/pages/taken_up", number)
            logger.info("%d pages that an earlier crawl held are held again", number)

    def process_spider_exception(self, response: Response, exception: Exception) -> None:
        """Count a page on which the spider failed; Scrapy logs the error.

        A crawl whose ledger fails ends: what it fetched then would be recorded nowhere.
        """
        if isinstance(exception, StoreError):
            self._end_without_ledger(exception)
        if isinstance(response, HtmlResponse) and response not in self._came:
            self._arrived()
            self.session.count_error(response.url, exception)

    def _end_without_ledger(self, error: StoreError) -> None:
        if self.ledgers is not None:
            self._report_ledger(error)
            raise CloseSpider("ledger_failed") from error

    def end_for_ledger(self, error: StoreError) -> None:
        """End a crawl whose ledger failed while an item was in the pipelines."""
        self._report_ledger(error)
        if self.crawler.engine.spider is not None:
            deferred_from_coro(self.crawler.engine.close_spider_async(reason="ledger_failed"))

    def _report_ledger(self, error: StoreError) -> None:
        if not self._ledger_failed:
            self._ledger_failed = True
            self.stats.inc_value("corpus/ledger/failed")
            logger.error("The crawl stops: %s Run it again then, and it goes on.", error)

    def get_processed_item(self, item: Any, response: Response | None) -> Any:  # noqa: ANN401 - spiders yield what they like
        """Take a page, as an item or a response, out of what a spider yields; all else goes on."""
        if isinstance(item, PageItem | WrappedPage):
            return item
        try:
            # The page is what the spider yields, not what it got.
            page = page_from(item, datetime.now(UTC).isoformat(timespec="seconds"))
        except Exception as flaw:  # noqa: BLE001 - items are of any type, and hold anything
            page = None
            words = "An item with url and html is passed on as it is, for it is no page: %s"
            self.warn_once("corpus/items/flawed", words, one_line(flaw))
        if page is None:
            if self.options.wrapper is not None and response is not None:
                self.origins.add(item, response)
            return item
        self._arrived()
        if response is not None:
            self._came.add(response)
        return self._hold(page, take_parsed(item))

    def _hold(self, page: Page, parsed: ParsedPage | None = None) -> PageItem | None:
        """Hold a page; return its item where it need not be held."""
        try:
            return self.session.take(page, self._open_spool, parsed)
        except FieldsError as error:
            self.session.skip("not-held", str(error))
            return None
        except StoreError as error:
            # A full disk, or a folder that cannot be written: the next pages would be lost too.
            self.session.skip("not-held", f"{page.url}: {error}", logging.DEBUG)
            words = "The crawl stops, and exports what it holds, without %s: %s"
            logger.log(self._disk_level, words, page.url, error)
            self._disk_level = logging.DEBUG
            raise CloseSpider("spool_failed") from error

    def _arrived(self) -> None:
        """Count a page that came; at the first, warn where it will go nowhere."""
        self.stats.inc_value("corpus/pages/fetched")
        if not self._any_page and self._output.goes_nowhere:
            logger.warning(
                "There is no feed and no item pipeline, so the pages go nowhere: "
                "name a file with -O pages.jsonl."
            )
        self._any_page = True

    def _open_spool(self) -> Spool:
        if self.spool is None:
            self.spool = Spool.create(
                self.options.dir / "spool",
                self.crawl,
                started=self._started.isoformat(timespec="seconds"),
                spider=self.crawler.spider.name if self.crawler.spider else "",
                settings=self.options.values("observations", "items"),
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
        # Nothing is fetched, so what guards or slows fetching lets it pass.
        opt_outs = ("obey_robotstxt", "cache", "redirect", "retry")
        meta: dict[str, Any] = {f"dont_{name}": True for name in opt_outs}
        meta |= {"autothrottle_dont_adjust_delay": True, "download_slot": "spool"}
        engine.crawl(Request("data:,pages", callback=self.drain, dont_filter=True, meta=meta))
        raise DontCloseSpider

    async def drain(self, response: Response) -> AsyncIterator[PageItem]:
        """Yield the finished items: the callback of ``data:,pages``."""
        self._uncount(response)
        async for item in self.held_items():
            yield item

    def _uncount(self, response: Response) -> None:
        """Take a response that no server gave out of Scrapy's statistics, where these are kept."""
        for name in ("response_count", f"response_status_count/{response.status}"):
            if self.stats.get_value(f"downloader/{name}"):
                self.stats.inc_value(f"downloader/{name}", -1)

    def held_items(self) -> AsyncIterator[PageItem]:
        """Return the one stream of finished items; whoever reads on continues where it stands."""
        if self._drain is None:
            self._drain = self._items()
        return self._drain

    @property
    def has_pages(self) -> bool:
        """Whether there is anything to drain."""
        return self._archive is not None or (self.spool is not None and len(self.spool) > 0)

    async def _items(self) -> AsyncIterator[PageItem]:
        pages: Iterator[Page] = iter(())
        try:
            if self._archive is not None:
                captures = await self._count_archive(self._archive)
                # What is passed over was told in the first reading.
                pages = captures.wanted(self._archive.stored_pages(lambda _reason, _detail: None))
            elif self.spool is not None:
                pages = self.spool.pages()
            self.session.evidence.save(self._disk_level)
            async for item in unhurried(self.session.items(pages)):
                yield item
            self._drained = True
        except Exception as error:
            self.stats.inc_value("corpus/drain_errors")
            trace = None if isinstance(error, CorpusError) else error
            logger.error("Not all pages are exported: %s", error, exc_info=trace)  # noqa: TRY400 - its own choice

    async def _count_archive(self, archive: Any) -> Captures:  # noqa: ANN401 - any spider
        # A crawl exports what its spider yields, an address twice too, and so does its replay.
        captures = Captures(latest_alone=self.session.mode is Mode.ARCHIVE)
        async for page in unhurried(archive.stored_pages(self._passed_over)):
            self._arrived()
            if not self.session.count(page):
                captures.pass_over()
            elif not captures.add(page):
                self.session.skip("duplicate-address", f"{page.url}: one capture is exported")
        return captures

    def _passed_over(self, reason: str, detail: str) -> None:
        self.stats.inc_value("corpus/pages/fetched")
        self.session.skip(reason, detail)

    def item_scraped(self, item: Any) -> None:  # noqa: ANN401 - any item type of Scrapy
        """Take the page from an item that has left the pipelines: its tree takes much memory."""
        if isinstance(item, PageItem):
            item.page = None

    item_dropped = item_error = item_scraped

    # The end

    def spider_closed(self) -> None:
        """Give the figures that are known at the end, and keep what was counted meanwhile."""
        self.stats.set_value("corpus/sites", len(self.session.evidence.sites))
        if self.session.mode.exports_while_fetching:
            self.session.evidence.save(self._disk_level)
        if self.ledgers is not None:
            self.ledgers.report_postponed()

    async def engine_stopped(self) -> None:
        """Let go of the spool, unless a page of it may be missing from the output."""
        await until_closed(self.crawler)
        failure = self._output.failure()
        if self.spool is not None:
            self._let_go(self.spool, failure)
        is_remembered = self.ledgers is not None and self.ledgers.have_parts
        if self.ledgers is not None:
            figures = {key: self.stats.get_value(key, 0) for key in _KEPT_FIGURES}
            self.ledgers.close(str(self.stats.get_value("finish_reason")), figures)
        if self._output.record_shortage(is_remembered=is_remembered) or failure is not None:
            # Scrapy's commands end with 1 where a crawl has no spider.
            self.crawler.spider = None

    def _let_go(self, spool: Spool, failure: str | None) -> None:
        lost = self.session.lost
        has_left = self._drained or not self.has_pages
        settled = map(self.stats.get_value, ("corpus/pages/exported", "corpus/pages/dropped"))
        gave_nothing = self._is_replay and len(spool) > 0 and not any(settled)
        for flaw, is_there in (
            ("the file is damaged", spool.info.damage),
            (f"{lost} of them could not be made items of; see the errors", lost),
            ("the crawl ended before its pages were exported", not has_left),
            ("other settings may export its pages: none was with these", gave_nothing),
        ):
            failure = failure or (flaw if is_there else None)
        if failure is None:
            try:
                spool.finish(keep=self.options.keep_spool)
            except StoreError as error:
                failure = str(error)
        spool.close()
        if failure is not None:
            self.stats.set_value("corpus/spool_kept_because", failure)
            logger.error(
                "The %d held pages are kept in %s: %s. %s, or delete the file to be done with it.",
                len(spool), spool.path, failure,
                f"Run 'scrapy replay -O FILE {spool.path}' to export them again"
                if self.ledgers is None
                else "Run the same crawl again to export those that were not",
            )  # fmt: skip
        there = spool.path.exists()
        self.stats.set_value("corpus/spool", str(spool.path) if there else None)


class DrainingItems(ItemPipelineManager):
    """Scrapy's item processor, which yields what is still held before it closes."""

    async def close_spider_async(self) -> None:
        """Send the held pages through the pipelines, then close those."""
        crawler = self.crawler
        two_pass = crawler.get_spider_middleware(TwoPass) if crawler else None
        if two_pass is not None and two_pass.has_pages:
            await _drain(two_pass)
        await super().close_spider_async()


async def _drain(two_pass: TwoPass) -> None:
    """Send what is held through the pipelines of an engine that takes no more requests."""
    scraper = two_pass.crawler.engine.scraper
    if not is_asyncio_available():
        async for item in two_pass.held_items():
            await scraper.start_itemproc_async(item, response=None)
        return
    running: set[asyncio.Task[None]] = set()
    async for item in two_pass.held_items():
        running.add(asyncio.create_task(scraper.start_itemproc_async(item, response=None)))
        if len(running) >= _DRAIN_AT_ONCE:
            _, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
    if running:
        await asyncio.wait(running)
