"""Whether every page item that was to leave has left: through all pipelines, into all feeds."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Any

from itemadapter import ItemAdapter, is_item
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.extensions.feedexport import FeedExporter, FeedSlot
from scrapy.pipelines import ItemPipelineManager

from crawler.extensions.component import Component
from crawler.extensions.verdict import why_nothing
from crawler.items import PageItem

# Figures of pages that the output lacks, and what they count.
_LACKS = {
    "corpus/parts/failed": "parts of the output that failed",
    "corpus/feeds/missing": "items missing from the feeds",
    "corpus/pages/broken": "pages that a pipeline failed on",
    "corpus/tables/failed": "pages whose tables could not be written",
    "corpus/structure/failed": "pages whose structure could not be written",
}
# Figures of what could not be written, or read.
_UNDONE = (
    *(name for name in _LACKS if name != "corpus/pages/broken"),
    "feedexport/failed_count/",
    "corpus/ledger/failed",
    "corpus/counts/failed",
    "corpus/report/failed",
    "corpus/skipped/not-held",
    # Of an archive, of which the rest was read.
    "corpus/skipped/truncated",
    "corpus/skipped/corrupt",
    "corpus/drain_errors",
)


class RefusedItem(DropItem):
    """A stage found that a page gives no item; the session has counted and logged the reason."""


def is_of_page(item: object) -> bool:
    """Say whether an item is that of a page: a ``PageItem``, or what a pipeline made of one."""
    return isinstance(item, PageItem) or (
        is_item(item) and {"counts_snapshot", "site_pages"} <= ItemAdapter(item).keys()
    )


class OutputGuard(Component):
    """Follows the page items of a crawl to where they go.

    Counts what left through all pipelines (``corpus/pages/exported``), what a project's pipeline
    dropped (``corpus/pages/dropped``) and what a pipeline failed on (``corpus/pages/broken``).
    Counts as well the items each feed accepts and those it stores, since
    Scrapy logs an exporter's error, such as a full disk, and goes on without the item: no figure
    tells of it, and nothing else would notice that the output lacks a page.
    """

    handlers = ("item_scraped", "item_dropped", "item_error", "feed_slot_closed")

    def __init__(self, crawler: Crawler, has_parts: bool = False) -> None:  # noqa: FBT001, FBT002 - from_crawler passes it on
        super().__init__(crawler)
        self._has_parts = has_parts
        self._left = 0
        self._accepted: Counter[str] = Counter()
        self._written: Counter[str] = Counter()

    def item_scraped(self, item: Any) -> None:  # noqa: ANN401 - any item type of Scrapy
        """Note that an item has passed all pipelines, and which feeds are to have it."""
        self._left += 1
        if is_of_page(item) and not self.goes_nowhere:
            self.stats.inc_value("corpus/pages/exported")
        exporter = self.crawler.get_extension(FeedExporter)
        for uri, accepts in exporter.filters.items() if exporter else ():
            self._accepted[uri] += accepts.accepts(item)

    def item_dropped(self, exception: BaseException) -> None:
        """Count what a project's pipeline dropped; what a stage refused is among the skipped."""
        if not isinstance(exception, RefusedItem):
            self.stats.inc_value("corpus/pages/dropped")

    def item_error(self, item: Any) -> None:  # noqa: ANN401 - as above
        """Note that a pipeline failed on an item: it is not in the output."""
        if is_of_page(item):
            self.stats.inc_value("corpus/pages/broken")

    def feed_slot_closed(self, slot: FeedSlot) -> None:
        """Note how many items a feed, or one batch of it, has taken."""
        self._written[slot.uri_template] += slot.itemcount

    @cached_property
    def goes_nowhere(self) -> bool:
        """Whether there is neither a feed nor an item pipeline besides the stages.

        Known once the spider is open.
        """
        if self._has_parts or self.crawler.get_extension(FeedExporter) is not None:
            return False
        assert self.crawler.engine is not None  # noqa: S101 - it opened the spider
        processor: Any = self.crawler.engine.scraper.itemproc
        # A processor of another kind does with the items what it likes.
        return isinstance(processor, ItemPipelineManager) and all(
            getattr(each, "is_stage", False) for each in processor.middlewares
        )

    def record_shortage(self, *, is_remembered: bool) -> bool:
        """Return whether the output lacks something, so that the process is to end with an error.

        Where nothing has left at all, set ``corpus/nothing_because`` to the reason.

        Args:
            is_remembered: whether earlier crawls have exported something: that nothing is new is no
                error, unless no server answered.
        """
        figures = self.stats.get_stats()
        if not self._left and self._has_to_give(is_remembered=is_remembered):
            self.stats.set_value("corpus/nothing_because", why_nothing(figures))
            return True
        return any(value and name.startswith(_UNDONE) for name, value in figures.items())

    def _has_to_give(self, *, is_remembered: bool) -> bool:
        """Say whether a crawl without any item has failed.

        Spiders of other projects may be there for something else than items, as long as a page
        comes.
        """
        count = self.stats.get_value
        gives_pages = getattr(self.crawler.spider, "gives_pages", None)
        if gives_pages is None:
            # The robots.txt is among what was received, and a spider is not shown what is ignored.
            received = count("response_received_count", 0) - count("robotstxt/response_count", 0)
            shown = received - count("httperror/response_ignored_count", 0)
            return bool(count("corpus/pages/fetched")) or shown <= 0
        is_old = count("corpus/pages/fetched") or count("corpus/incremental/not_modified")
        return gives_pages and not (is_remembered and is_old)

    def failure(self) -> str | None:
        """Say why a page may be missing from the output, None if none is. Asked when all is closed.

        How many items the feeds lack, all together, is left in ``corpus/feeds/missing``.
        """
        figures = self.stats.get_stats()
        if missing := (self._accepted - self._written).total():
            self.stats.set_value("corpus/feeds/missing", missing)
        # `scrapy check`, `fetch` and `parse` have no feed either, and no pages.
        if self.goes_nowhere and figures.get("corpus/pages/fetched"):
            return "there is no feed and no item pipeline to take them"
        if any(key.startswith("feedexport/failed_count/") for key in figures):
            return "a feed could not be stored"
        lacking = (
            f"{words}: {figures[name]:,}" for name, words in _LACKS.items() if name in figures
        )
        return next(lacking, None)
