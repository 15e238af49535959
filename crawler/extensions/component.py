"""What all components of a crawl share: statistics, options, signals, and ways to wait."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from crawler.core.errors import StoreError
from crawler.settings import Options
from crawler.store.files import write_whole

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

_POLL_SECONDS = 0.05


class Component:
    """An extension, middleware or pipeline of a crawl."""

    handlers: ClassVar[tuple[str, ...]] = ()
    """Signals of Scrapy, each of which is received by the method of the same name."""

    def __init__(self, crawler: Crawler) -> None:
        assert crawler.stats is not None  # noqa: S101 - Scrapy sets it before building components
        self.crawler = crawler
        self.stats = crawler.stats
        self.options = Options.from_settings(crawler.settings)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any) -> Self:  # noqa: ANN401 - as the class's
        """Make the component of a crawl, and connect it to its signals."""
        component = cls(crawler, *args)
        connect(component, crawler)
        return component

    def write_report(self, path: Path, text: str) -> bool:
        """Write a file at the end of the crawl, or count and log why it cannot be written."""
        try:
            write_whole(path, [text.encode("utf-8", "replace")])
        except StoreError as error:
            self.stats.inc_value("corpus/report/failed")
            logger.error("%s", error)  # noqa: TRY400 - it says it all
            return False
        return True

    def warn_once(self, key: str, message: str, *values: object) -> None:
        """Count something in a statistic, and log the first of it as a warning."""
        self.stats.inc_value(key)
        if self.stats.get_value(key) == 1:
            logger.warning(f"{message}. Further ones are counted in {key}.", *values)  # noqa: G004 - a constant


def connect(receiver: Any, crawler: Crawler) -> None:  # noqa: ANN401 - a component, or a spider
    """Connect the methods that ``receiver.handlers`` names to Scrapy's signals of these names."""
    for name in receiver.handlers:
        crawler.signals.connect(getattr(receiver, name), getattr(signals, name))


async def pause(seconds: float = 0) -> None:
    """Let others run (signals, timers, downloads), under any reactor or event loop."""
    waited: Deferred[None] = Deferred()
    call_later(seconds, waited.callback, None)
    await maybe_deferred_to_future(waited)


async def unhurried(things: Iterable[_T]) -> AsyncIterator[_T]:
    """Iterate with a pause after each step, so that signals and timers are served meanwhile."""
    for thing in things:
        yield thing
        await pause()


async def until_closed(crawler: Crawler) -> None:
    """Wait until a crawler's spider is closed, pipelines and feeds included.

    A Ctrl-C while the spider is being closed makes Scrapy send ``engine_stopped`` at once. It
    waits for the handlers of that signal, so that one which waits here lets the crawl end whole.
    """
    while crawler.engine.spider is not None:
        await pause(_POLL_SECONDS)
