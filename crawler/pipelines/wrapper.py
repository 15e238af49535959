"""The stage of wrapper fields as an item pipeline: the setting ``CORPUS_WRAPPER``.

Page items get the fields from the page that they have with them. The items that other spiders make
themselves get them, too: :class:`~crawler.middlewares.two_pass.TwoPass` has noted from which
response each was made. While a crawl fetches, scripts of the project run in a thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter, is_item
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import DeferredLock
from twisted.internet.threads import deferToThread

from crawler.core.errors import UnreadablePageError
from crawler.core.page.page import Page
from crawler.core.page.parse import ParsedPage, parse
from crawler.items import PageItem, WrappedPage
from crawler.journey.page_time import PageTime
from crawler.journey.stages import WrapperFields
from crawler.middlewares.to_page import page_from
from crawler.pipelines.stages import StagePipeline

if TYPE_CHECKING:
    from crawler.wrapper.running import CrawlWrapper, Wrapped

_NO_PAGE: Final = "corpus/wrapper/no_page"


class ThreadedWrapper:
    """Runs a wrapper project in a thread where it has scripts, so that the crawl goes on.

    Args:
        wrapper: the project.
        seconds: the processor time that the work on one page may take.
    """

    def __init__(self, wrapper: CrawlWrapper, seconds: float) -> None:
        self.wrapper = wrapper
        self._seconds = seconds
        self.has_scripts = bool(wrapper.project.scripts)
        self._lock = DeferredLock()

    async def run(self, page: ParsedPage, more: Sequence[str] = ()) -> Wrapped:
        """Run the project on a page, and note the page; arguments as of ``run_page``.

        Raises:
            PageTimeError: it took more time than a page may.
        """
        run = partial(PageTime(self._seconds).spend, partial(self.wrapper.run_page, page, more))
        if self.has_scripts:
            # One page at a time: pages that wait for their scripts would take all threads of the
            # reactor, and the crawl needs some to resolve host names.
            in_thread = self._lock.run(deferToThread, run)
            wrapped: Wrapped = await maybe_deferred_to_future(in_thread)
        else:
            wrapped = run()
        self.wrapper.note(wrapped)
        return wrapped


class WrapperPipeline(StagePipeline):
    """Adds what a wrapper project finds on an item's page to the item.

    A field that the item has already is left as it is. An item whose page does not fit is passed
    on without the fields.
    """

    stage = WrapperFields

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        assert isinstance(self._stage, WrapperFields)  # noqa: S101 - it is of that class
        self._threaded = ThreadedWrapper(self._stage.wrapper, self.options.page_seconds)
        self._lock = DeferredLock()
        self._results: WeakKeyDictionary[Response, dict[str, Any] | None] = WeakKeyDictionary()

    async def process_item(self, item: Any) -> Any:  # noqa: ANN401 - any item type of Scrapy
        """Add the fields."""
        if isinstance(item, WrappedPage) or not is_item(item):
            return item
        two_pass = self._two_pass
        if isinstance(item, PageItem):
            if item.page is None or two_pass is None:
                return item
            if not (self._threaded.has_scripts and two_pass.session.mode.exports_while_fetching):
                # Nothing is fetched meanwhile, and pages that wait for a thread take memory.
                return super().process_item(item)
            item.fields = {**await self._fields(item.page.document.parsed), **item.fields}
            return item
        response = None if two_pass is None else two_pass.origins.take(item)
        if response is None:
            self.warn_once(
                _NO_PAGE,
                "an item has no page that a wrapper could be run on: it was yielded by start(), or "
                "another pipeline or middleware put it in the place of one that had",
            )
        elif (fields := await self._fields_of(response)) is None:
            why = "%s is no HTML page, so a wrapper cannot be run on it"
            self.warn_once(_NO_PAGE, why, response.url)
        else:
            self._add(item, fields)
        return item

    async def _fields(self, page: ParsedPage) -> dict[str, Any]:
        wrapper = self._threaded.wrapper
        try:
            return wrapper.fields_of(await self._threaded.run(page))
        except Exception as error:  # noqa: BLE001 - the item is whole without the fields
            return wrapper.failed(page.page.url, error)

    async def _fields_of(self, response: Response) -> dict[str, Any] | None:
        """Return the fields of a page; the wrapper is run once for all items of the page."""
        await maybe_deferred_to_future(self._lock.acquire())
        try:
            if response not in self._results:
                self._results[response] = None
                page = page_from(response, "") if isinstance(response, TextResponse) else None
                if page is not None:
                    self._results[response] = await self._fields_of_page(page)
            return self._results[response]
        finally:
            self._lock.release()

    async def _fields_of_page(self, page: Page) -> dict[str, Any] | None:
        try:
            parsed = PageTime(self.options.page_seconds).spend(lambda: parse(page))
        except UnreadablePageError:
            return None
        except Exception as error:  # noqa: BLE001 - as above
            return self._threaded.wrapper.failed(page.url, error)
        return await self._fields(parsed)

    def _add(self, item: Any, fields: dict[str, Any]) -> None:  # noqa: ANN401 - as above
        adapter = ItemAdapter(item)
        for name, value in fields.items():
            if adapter.get(name) is not None:
                why = "items have a field '%s' of their own, which is kept"
                self.warn_once("corpus/wrapper/kept", why, name)
                continue
            try:
                adapter[name] = value
            except (KeyError, AttributeError, TypeError, ValueError) as error:
                # It is not declared, or the class is frozen or looks at what it is given.
                values = type(item).__name__, name, error
                self.warn_once(
                    "corpus/wrapper/undeclared", "%s takes no such field '%s': %s", *values
                )
