"""A crawl that is told to end gives up pages that have no answer, and takes those that have one."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse
from scrapy.settings import Settings
from scrapy.utils.defer import maybe_deferred_to_future

from crawler.middlewares import graceful_shutdown
from crawler.middlewares.graceful_shutdown import GracefulDownloader
from crawler.middlewares.throttling import SiteLeftAloneError

if TYPE_CHECKING:
    import pytest


class Handler:
    """Answers after as many seconds as the path says; for ever is far off."""

    lazy = False

    @classmethod
    def from_crawler(cls, _: Crawler) -> Handler:
        return cls()

    async def download_request(self, request: Request) -> Response:
        await asyncio.sleep(float(request.url.rpartition("/")[2]))
        return TextResponse(request.url)

    async def close(self) -> None:
        """Keep nothing open."""


SETTINGS: dict[str, Any] = {
    "DOWNLOAD_HANDLERS": {"http": Handler, "https": None},
    "DOWNLOADER_MIDDLEWARES_BASE": {},
    "TWISTED_REACTOR_ENABLED": False,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 2,
}


async def fetched(*seconds: float, closing: bool, jobdir: str = "") -> list[str]:
    """Fetch pages that take so long; return what came of each."""
    crawler = Crawler(Spider, Settings({**SETTINGS, "JOBDIR": jobdir}))
    crawler._apply_settings()
    crawler.engine = SimpleNamespace(_slot=SimpleNamespace(closing=closing or None))  # type: ignore[assignment]
    crawler.spider = Spider("slow")
    downloader = GracefulDownloader(crawler)
    requests = [Request(f"http://slow.example/{number}") for number in seconds]
    answers = [maybe_deferred_to_future(downloader.fetch(request)) for request in requests]
    came = []
    for answer in answers:
        try:
            came.append(type(await answer).__name__)
        except SiteLeftAloneError as error:
            came.append(f"{error.site}: {error}")
    downloader.close()
    return came


def test_what_has_no_answer_at_the_end_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graceful_shutdown, "SECONDS", 0.05)
    monkeypatch.setattr(graceful_shutdown, "_LOOK_SECONDS", 0.01)
    words = (
        "slow.example: the crawl was told to end, and http://slow.example/{} had no answer in time"
    )
    # The last one waits for a free place.
    came = asyncio.run(fetched(0.0, 60.0, 61.0, 62.0, closing=True))
    assert came == ["TextResponse", *(words.format(number) for number in (60.0, 61.0, 62.0))]
    assert asyncio.run(fetched(0.0, 0.15, closing=False)) == ["TextResponse", "TextResponse"]
    # A paused crawl asks for it when it goes on.
    came = asyncio.run(fetched(0.0, 60.0, 61.0, closing=True, jobdir="job"))
    assert came == ["TextResponse", "Request", "Request"]
