"""Waiting, under whatever reactor or event loop Scrapy runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_POLL_SECONDS = 0.05


async def pause(seconds: float = 0) -> None:
    """Let others run: signals, timers, downloads."""
    waited: Deferred[None] = Deferred()
    call_later(seconds, waited.callback, None)
    await maybe_deferred_to_future(waited)


async def spider_closed(crawler: Crawler) -> None:
    """Wait until a crawler's spider is closed, pipelines and feeds included.

    A Ctrl-C while the spider is being closed makes Scrapy send ``engine_stopped`` at once. It
    waits for the handlers of that signal, so that one which waits here lets the crawl end whole.
    """
    while crawler.engine.spider is not None:
        await pause(_POLL_SECONDS)
