"""How pages are fetched where Scrapy's own way would lose pages or keep a person waiting."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.pqueues import DownloaderAwarePriorityQueue, DownloaderInterface
from scrapy.utils.misc import load_object

from crawler.middlewares.robots import RobotsRules
from crawler.middlewares.throttling import SitePauses

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

__all__ = ["LenientMetaRefresh", "SparingQueue", "replace_middlewares", "replace_queue"]

_MIDDLEWARES = "DOWNLOADER_MIDDLEWARES"
_QUEUE = "SCHEDULER_PRIORITY_QUEUE"


class LenientMetaRefresh(MetaRefreshMiddleware):
    """Follows a page's refresh, and hands over a page whose addresses make no sense as it is."""

    def process_response(
        self,
        request: Request,
        response: Response,
        spider: Spider | None = None,  # noqa: ARG002 - older Scrapy passed it
    ) -> Request | Response:
        """Return where the page sends its reader, else the page."""
        try:
            return super().process_response(request, response)
        except ValueError:
            # Of the page's "base", or of the refresh itself.
            return response


class SparingQueue(DownloaderAwarePriorityQueue):
    """Scheduler queue that hands out requests of a site only as it can be asked.

    A stopped crawl waits for all requests that were handed out. Scrapy's own queue hands out as
    many as ``CONCURRENT_REQUESTS``, however slowly their site is asked: here it is what may be
    under way to a site at once, and one more, so that nothing has to wait for the scheduler. Of a
    site that is paused (:class:`crawler.middlewares.throttling.SitePauses`) it hands out nothing.
    """

    def __init__(self, crawler: Crawler, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as the parent's
        super().__init__(crawler, *args, **kwargs)
        self._pauses = crawler.get_downloader_middleware(SitePauses)
        self._downloader_interface = _WithRoom(crawler, self._pauses)

    def pop(self) -> Request | None:
        """Hand out a request of a site that can be asked now, if there is one."""
        request = super().pop()
        if request is not None and self._pauses is not None:
            self._pauses.handed_out(request)
        return request


class _WithRoom(DownloaderInterface):
    """What the downloader does, as told of sites that can be asked now."""

    def __init__(self, crawler: Crawler, pauses: SitePauses | None) -> None:
        super().__init__(crawler)
        self._pauses = pauses
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
        return self._pauses.most_under_way(slot, usual) if self._pauses else usual


def replace_middlewares(settings: BaseSettings) -> None:
    """Put the project's downloader middlewares where Scrapy's are; a project may do without."""
    _replace(settings, RobotsTxtMiddleware, RobotsRules)
    _replace(settings, MetaRefreshMiddleware, LenientMetaRefresh)


def replace_queue(settings: BaseSettings, priority: str) -> None:
    """Put the project's scheduler queue where Scrapy's own is; a project may have another."""
    if load_object(settings[_QUEUE]) is DownloaderAwarePriorityQueue:
        settings.set(_QUEUE, SparingQueue, priority)


def _replace(settings: BaseSettings, old: type, new: type) -> None:
    if any(load_object(name) is old for name in settings.getdict(_MIDDLEWARES)):
        with suppress(KeyError):  # the project has switched it off
            settings.replace_in_component_priority_dict(_MIDDLEWARES, old, new)
        return
    for name, order in settings.getdict(f"{_MIDDLEWARES}_BASE").items():
        if load_object(name) is old:
            settings.setdefault_in_component_priority_dict(_MIDDLEWARES, old, None)
            settings.setdefault_in_component_priority_dict(_MIDDLEWARES, new, order)
