"""The scheduler's queue for throttled sites, and middlewares put in the place of Scrapy's own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scrapy import Request
from scrapy.core.downloader import Downloader
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.dupefilters import RFPDupeFilter
from scrapy.pqueues import DownloaderAwarePriorityQueue, DownloaderInterface
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from crawler.middlewares.downloader import SiteDownloader
from crawler.middlewares.dupefilter import ReturningDupeFilter
from crawler.middlewares.responses import LenientMetaRefresh
from crawler.middlewares.robots import RobotsMiddleware
from crawler.middlewares.throttling import ThrottlingMiddleware

_MIDDLEWARES = "DOWNLOADER_MIDDLEWARES"
_QUEUE = "SCHEDULER_PRIORITY_QUEUE"


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


def replace_components(settings: BaseSettings, priority: str) -> None:
    """Put the project's middlewares and queue where Scrapy's are; a project may have others."""
    for name, scrapys, ours in (
        (_QUEUE, DownloaderAwarePriorityQueue, ThrottledQueue),
        ("DUPEFILTER_CLASS", RFPDupeFilter, ReturningDupeFilter),
        ("DOWNLOADER", Downloader, SiteDownloader),
    ):
        if load_object(settings[name]) is scrapys:
            settings.set(name, ours, priority)
    orders = settings.get_component_priority_dict_with_base(_MIDDLEWARES)
    for old, new in (
        (RobotsTxtMiddleware, RobotsMiddleware),
        (MetaRefreshMiddleware, LenientMetaRefresh),
    ):
        order = next((orders[name] for name in orders if load_object(name) is old), None)
        if order is not None:
            settings.set_in_component_priority_dict(_MIDDLEWARES, old, None)
            settings.setdefault_in_component_priority_dict(_MIDDLEWARES, new, order)
