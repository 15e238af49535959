"""The fields of a project on the items of any spider: the setting ``CORPUS_WRAPPER``.

Pages that spiders hand over get them when their items are made (:mod:`crawler.journey.stages`);
where the project has scripts and the crawl still fetches, they get them here, in a thread. The
items that other spiders make themselves pass here, too. :class:`~crawler.middlewares.two_pass.Hold`
has noted which page each was made from, and :class:`WrapperPipeline` runs the project on that.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter, is_item
from scrapy.http import TextResponse
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import DeferredLock

from crawler.core.errors import UnreadablePageError
from crawler.core.page.parse import parse
from crawler.items import PageItem, WrappedPage
from crawler.middlewares.two_pass import Hold
from crawler.spiders.to_page import page_from
from crawler.wrapper.threaded import ThreadedWrapper

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from crawler.wrapper.crawl_wrapper import CrawlWrapper
    from crawler.wrapper.running import Wrapped

__all__ = ["WrapperPipeline"]

logger = logging.getLogger(__name__)


class WrapperPipeline:
    """Adds what the rules of a project find on an item's page to the item.

    A field that the item has already is left as it is. An item whose page does not fit is passed
    on without the fields.
    """

    def __init__(self, crawler: Crawler) -> None:
        assert crawler.stats is not None  # noqa: S101 - Scrapy sets it before building components
        self._crawler = crawler
        self._stats = crawler.stats
        self._told: set[str] = set()
        self._in_turn = DeferredLock()
        self._made: WeakKeyDictionary[Response, Wrapped | None] = WeakKeyDictionary()
        self._threaded: ThreadedWrapper | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the pipeline of a crawl."""
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:  # noqa: ANN401 - any item type of Scrapy
        """Add the fields."""
        if isinstance(item, WrappedPage) or not is_item(item):
            return item
        hold = self._crawler.get_spider_middleware(Hold)
        rules = self._in_thread(None if hold is None else hold.journey.rules)
        if isinstance(item, PageItem):
            page = None if hold is None else hold.journey.awaiting(item)
            if rules is not None and page is not None:
                made = await rules.run(page)
                rules.wrapper.note(made)
                item.fields = {**rules.wrapper.fields_of(made), **item.fields}
            return item
        response = None if hold is None else hold.noted.take(item)
        if rules is None or response is None:
            self._count(
                "no_page",
                "an item has no page that rules could be run on: it was yielded by start(), or "
                "another pipeline or middleware put it in the place of one that had",
            )
            return item
        wrapped = await self._wrapped(rules, response)
        if wrapped is None:
            self._count("no_page", f"{response.url} is no HTML page, so rules cannot be run on it")
        else:
            self._add(item, rules.wrapper.fields_of(wrapped))
        return item

    def _in_thread(self, wrapper: CrawlWrapper | None) -> ThreadedWrapper | None:
        if self._threaded is None and wrapper is not None:
            self._threaded = ThreadedWrapper(wrapper)
        return self._threaded

    async def _wrapped(self, rules: ThreadedWrapper, response: Response) -> Wrapped | None:
        """Return what rules make of a page, which they are run on once for all items of it."""
        await maybe_deferred_to_future(self._in_turn.acquire())
        try:
            if response not in self._made:
                self._made[response] = await self._run(rules, response)
            return self._made[response]
        finally:
            self._in_turn.release()

    async def _run(self, rules: ThreadedWrapper, response: Response) -> Wrapped | None:
        page = page_from(response, "") if isinstance(response, TextResponse) else None
        try:
            parsed = None if page is None else parse(page)
        except UnreadablePageError:
            parsed = None
        if parsed is None:
            return None
        wrapped = await rules.run(parsed)
        rules.wrapper.note(wrapped)
        return wrapped

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

    def _count(self, key: str, told: str) -> None:
        self._stats.inc_value(f"corpus/wrapper/{key}")
        if key not in self._told:
            self._told.add(key)
            logger.warning("%s. Further ones are counted in corpus/wrapper/%s.", told, key)
