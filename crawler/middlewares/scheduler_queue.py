"""The scheduler's queue for throttled sites."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.pqueues import DownloaderAwarePriorityQueue, DownloaderInterface

from crawler.middlewares.throttling import ThrottlingMiddleware


class ThrottledQueue(DownloaderAwarePriorityQueue):
    """Scheduler queue that gives out requests of a site only as they can be sent.

    A stopped crawl waits for all requests that were given out. Scrapy's own queue gives out
    ``CONCURRENT_REQUESTS``, however slow their site is; this one as many as may be under way to a
    site at once, and one more, so that none has to wait for the scheduler. Of a site that is paused
    (:class:`crawler.middlewares.throttling.ThrottlingMiddleware`) it gives out none.
    """

    def __init__(self, crawler: Crawler, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as the parent's
        super().__init__(crawler, *args, **kwargs)
        self._throttling = crawler.get_downloader_middleware(ThrottlingMiddleware)
        self._downloader_interface = _WithRoom(crawler, self._throttling)

    def pop(self) -> Request | None:
        """Give out a request that can be sent now, if there is one."""
        request = super().pop()
        if request is not None and self._throttling is not None:
            self._throttling.handed_out(request)
        return request


class _WithRoom(DownloaderInterface):
    """Shows the queue only those slots of the downloader that have room."""

    def __init__(self, crawler: Crawler, throttling: ThrottlingMiddleware | None) -> None:
        super().__init__(crawler)
        self._throttling = throttling
        self._concurrency = crawler.settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN")

    def stats(self, possible_slots: Iterable[str]) -> list[tuple[int, str]]:
        """List slots that have room, with the number of their requests under way."""
        # Requests that wait for a robots.txt count as well; they are in no slot yet.
        under_way = [self.get_slot_key(request) for request in self.downloader.active]
        return [
            (number, slot)
            for slot in possible_slots
            if (number := under_way.count(slot)) < self._most(slot)
        ]

    def _most(self, slot: str) -> int:
        known = self.downloader.slots.get(slot)
        usual = (known.concurrency if known else self._concurrency) + 1
        return self._throttling.most_under_way(slot, usual) if self._throttling else usual
