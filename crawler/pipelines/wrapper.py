"""The stage of wrapper fields as an item pipeline: the setting ``CORPUS_WRAPPER``.

Page items get the fields from the page that they have with them. The items that other spiders make
themselves get them, too: :class:`~crawler.middlewares.two_pass.TwoPass` has noted from which
response each was made. While a crawl fetches, scripts of the project run in a thread.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, Self
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter, is_item
from scrapy.exceptions import NotConfigured
from scrapy.http import TextResponse
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import DeferredLock
from twisted.internet.threads import deferToThread

from crawler.core.errors import UnreadablePageError
from crawler.core.page.parse import parse
from crawler.items import PageItem, WrappedPage
from crawler.journey.stages import WrapperFields
from crawler.middlewares.to_page import page_from
from crawler.middlewares.two_pass import TwoPass
from crawler.settings import Options
from crawler.wrapper.running import CrawlWrapper

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from crawler.core.page.parse import ParsedPage
    from crawler.wrapper.running import Wrapped

logger = logging.getLogger(__name__)


class ThreadedWrapper:
    """Runs a wrapper project in a thread where it has scripts, so that the crawl goes on."""

    def __init__(self, wrapper: CrawlWrapper) -> None:
        self.wrapper = wrapper
        self.has_scripts = bool(wrapper.project.scripts)
        self._lock = DeferredLock()

    async def run(self, page: ParsedPage, more: Sequence[str] = ()) -> Wrapped:
        """Run the project on a page, and note the page; arguments as of ``run_page``."""
        run = self.wrapper.run_page
        if self.has_scripts:
            # One page at a time: pages that wait for their scripts would take all threads of the
            # reactor, and the crawl needs some to resolve host names.
            in_thread = self._lock.run(deferToThread, run, page, more)
            wrapped: Wrapped = await maybe_deferred_to_future(in_thread)
        else:
            wrapped = run(page, more)
        self.wrapper.note(wrapped)
        return wrapped


class WrapperPipeline:
    """Adds what a wrapper project finds on an item's page to the item.

    A field that the item has already is left as it is. An item whose page does not fit is passed
    on without the fields.
    """

    is_stage: ClassVar = True

    def __init__(self, crawler: Crawler) -> None:
        assert crawler.stats is not None  # noqa: S101 - Scrapy sets it before building components
        wrapper = CrawlWrapper.of(Options.from_settings(crawler.settings), crawler.stats.inc_value)
        if wrapper is None:
            raise NotConfigured
        self._crawler = crawler
        self._stats = crawler.stats
        self._threaded = ThreadedWrapper(wrapper)
        self._stage = WrapperFields(wrapper)
        self._two_pass: TwoPass | None = None
        self._warned: set[str] = set()
        self._lock = DeferredLock()
        self._results: WeakKeyDictionary[Response, dict[str, Any] | None] = WeakKeyDictionary()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the pipeline of a crawl; it takes itself out where no project is set."""
        return cls(crawler)

    def open_spider(self) -> None:
        """Find the middleware that knows where items come from."""
        self._two_pass = self._crawler.get_spider_middleware(TwoPass)

    def close_spider(self) -> None:
        """End the process that runs scripts."""
        self._stage.close()

    async def process_item(self, item: Any) -> Any:  # noqa: ANN401 - any item type of Scrapy
        """Add the fields."""
        if isinstance(item, WrappedPage) or not is_item(item):
            return item
        two_pass = self._two_pass
        if isinstance(item, PageItem):
            if item.page is None or two_pass is None:
                return item
            session = two_pass.session
            if self._threaded.has_scripts and session.mode.exports_while_fetching:
                item.fields = {**await self._fields(item.page.document.parsed), **item.fields}
            else:
                # Nothing is fetched meanwhile, and pages that wait for a thread take memory.
                session.run(self._stage, item)
            return item
        response = None if two_pass is None else two_pass.origins.take(item)
        if response is None:
            self._count(
                "no_page",
                "an item has no page that a wrapper could be run on: it was yielded by start(), or "
                "another pipeline or middleware put it in the place of one that had",
            )
        elif (fields := await self._fields_of(response)) is None:
            why = f"{response.url} is no HTML page, so a wrapper cannot be run on it"
            self._count("no_page", why)
        else:
            self._add(item, fields)
        return item

    async def _fields(self, page: ParsedPage) -> dict[str, Any]:
        return self._threaded.wrapper.fields_of(await self._threaded.run(page))

    async def _fields_of(self, response: Response) -> dict[str, Any] | None:
        """Return the fields of a page; the wrapper is run once for all items of the page."""
        await maybe_deferred_to_future(self._lock.acquire())
        try:
            if response not in self._results:
                self._results[response] = None
                page = page_from(response, "") if isinstance(response, TextResponse) else None
                if page is not None:
                    with suppress(UnreadablePageError):
                        self._results[response] = await self._fields(parse(page))
            return self._results[response]
        finally:
            self._lock.release()

    def _add(self, item: Any, fields: dict[str, Any]) -> None:  # noqa: ANN401 - as above
        adapter = ItemAdapter(item)
        for name, value in fields.items():
            if adapter.get(name) is not None:
                self._count("kept", f"items have a field '{name}' of their own, which is kept")
                continue
            try:
                adapter[name] = value
            except KeyError:
                self._count(
                    "undeclared",
                    f"{type(item).__name__} has no field '{name}'; declare it to have it filled",
                )
            except (AttributeError, TypeError, ValueError) as error:
                # Frozen classes, and those that look at what they are given.
                self._count(
                    "undeclared", f"{type(item).__name__} takes no such field '{name}': {error}"
                )

    def _count(self, key: str, warning: str) -> None:
        self._stats.inc_value(f"corpus/wrapper/{key}")
        if key not in self._warned:
            self._warned.add(key)
            logger.warning("%s. Further ones are counted in corpus/wrapper/%s.", warning, key)
