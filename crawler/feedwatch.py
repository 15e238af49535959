"""Whether every page that was to be written to a feed has been written to it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.extensions.feedexport import FeedExporter

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.extensions.feedexport import FeedSlot

__all__ = ["FeedWatch"]


class FeedWatch:
    """Counts the items each feed accepts and the items each feed stores.

    Scrapy logs an exporter's error, such as a full disk, and goes on without the item: no figure
    tells of it, and nothing else would notice that the output lacks a page.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._accepted: Counter[str] = Counter()
        self._written: Counter[str] = Counter()

    @classmethod
    def of(cls, crawler: Crawler) -> Self:
        """Watch the feeds of a crawl."""
        watch = cls(crawler)
        crawler.signals.connect(watch.item_scraped, signals.item_scraped)
        crawler.signals.connect(watch.feed_slot_closed, signals.feed_slot_closed)
        return watch

    def item_scraped(self, item: Any) -> None:  # noqa: ANN401 - any item type of Scrapy
        """Note which feeds are to have the item."""
        exporter = self._crawler.get_extension(FeedExporter)
        for uri, accepts in exporter.filters.items() if exporter else ():
            self._accepted[uri] += accepts.accepts(item)

    def feed_slot_closed(self, slot: FeedSlot) -> None:
        """Note how many items a feed, or one batch of it, has taken."""
        self._written[slot.uri_template] += slot.itemcount

    def missing(self) -> int:
        """Return how many items the feeds lack, all feeds together; 0 when all are whole."""
        return (self._accepted - self._written).total()
