"""The progress of a crawl: one live line on a terminal, or log lines, and a summary at the end."""

from __future__ import annotations

import atexit
import logging
import os
import sys
import time
from collections import deque
from typing import Any, ClassVar, Final

from itemadapter import ItemAdapter, is_item
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FeedExporter, FeedSlot
from scrapy.http import Response
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.log import get_scrapy_root_handler

from crawler.core.page.addresses import address_site
from crawler.core.wording import counted, fit_width, show_seconds
from crawler.extensions.component import Component, until_closed
from crawler.extensions.summary import summary, unsettled
from crawler.journey.statistics import number, progress_log

_REDRAW_SECONDS: Final = 0.25
# How far back the rate looks, so that it follows the server without jumping.
_RATE_SECONDS: Final = 10.0
_SITE_COLUMNS: Final = 40


class Progress(Component):
    """Scrapy extension that shows how a crawl goes.

    With ``CORPUS_PROGRESS`` on, or on ``auto`` at a terminal, it keeps one line below the log.
    Otherwise it logs that line every ``LOGSTATS_INTERVAL`` seconds. All figures come from the stats
    collector.
    """

    _on_screen: ClassVar[bool] = False
    """Whether a crawl of this process has the live line."""

    handlers = (
        *("spider_opened", "engine_started", "response_received", "item_scraped"),
        "feed_slot_closed",
    )

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._log_seconds = crawler.settings.getfloat("LOGSTATS_INTERVAL")
        self._screen: _Screen | None = None
        self._task: Any = None
        self._site = ""
        self._started = False
        self._reads_back = False
        self._outputs: list[str] = []
        self._rates_items = False
        # Times, and how many pages there were then.
        self._points: deque[tuple[float, int]] = deque()

    def spider_opened(self) -> None:
        """Begin to show the line, or to log it."""
        # Connected here, not with the others: components that were built later complete the stats
        # on this signal, and receivers are called in the order in which they connected.
        self.crawler.signals.connect(self.engine_stopped, signals.engine_stopped)
        self._note_point(0, self._phase(0))
        is_wanted = self.options.progress == "on"
        if self.options.progress == "auto":
            is_wanted = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        if is_wanted and not Progress._on_screen:
            Progress._on_screen = True
            self._screen = _Screen(force=self.options.progress == "on")
            screen = self._screen
            self._task = create_looping_call(lambda: screen.draw(self._line()))
            self._task.start(_REDRAW_SECONDS)
        elif self._log_seconds > 0:
            self._task = create_looping_call(lambda: progress_log.info(self._line()))
            self._task.start(self._log_seconds, now=False)

    def engine_started(self) -> None:
        """Note that an engine that does not run has been told to stop from now on."""
        self._started = True

    def response_received(self, response: Response) -> None:
        """Note which site is being fetched."""
        if response.url.startswith("data:"):
            self._reads_back = True
            self._note_point(number(self.stats.get_stats(), "corpus/pages/exported"), "reading")
        else:
            self._site = address_site(response.url) or self._site

    def item_scraped(self, item: Any) -> None:  # noqa: ANN401 - any item type of Scrapy
        """Note which site is being exported."""
        site = ItemAdapter(item).get("site") if is_item(item) else None
        self._site = str(site) if site else self._site

    def feed_slot_closed(self, slot: FeedSlot) -> None:
        """Note where items were written."""
        written = getattr(slot.exporter, "path", None) or slot.uri
        written = "standard output" if written == "stdout:" else written
        # What a feed of sentences, tables or records has is rows: an item may give many, or none.
        rows = getattr(slot.exporter, "rows_written", None)
        count = counted(slot.itemcount, "item") if rows is None else counted(rows, "row")
        self._outputs.append(f"{written} ({count})")

    async def engine_stopped(self) -> None:
        """Show the summary when all feeds have been stored."""
        await until_closed(self.crawler)
        self.report()

    def report(self) -> None:
        """Replace the line by the summary."""
        if self._task is not None and self._task.running:
            self._task.stop()
        stats = self.stats.get_stats()
        lines = summary(stats, self._outputs or self._unwritten())
        if self._screen is None:
            is_failure = "corpus/nothing_because" in stats
            progress_log.log(logging.ERROR if is_failure else logging.INFO, "\n".join(lines))
            return
        self._screen.close(lines)
        self._screen = None
        Progress._on_screen = False

    def _unwritten(self) -> list[str]:
        """Name the files of feeds that got nothing."""
        exporter = self.crawler.get_extension(FeedExporter)
        slots = exporter.slots if exporter is not None else ()
        return [f"{slot.uri} (nothing was written)" for slot in slots]

    def _line(self) -> str:
        stats = self.stats.get_stats()
        fetched, held, exported = (
            number(stats, f"corpus/pages/{name}") for name in ("fetched", "held", "exported")
        )
        phase = self._phase(exported)
        self._note_point(exported if phase == "reading" else fetched, phase)
        rate = self._rate()
        parts = [f"{fetched:,} pages fetched"]
        # What says nothing new takes no room.
        parts += [f"{held:,} held"] if held not in {0, fetched} else []
        parts += [f"{exported:,} exported"] if exported else []
        waiting = self._waiting(phase)
        parts += [f"{waiting:,} to come"] if waiting else []
        parts.append(f"{rate:.1f} pages/s")
        if waiting and rate:
            # What is fetched may lead to further pages.
            more = "" if phase == "reading" else "over "
            parts.append(f"{more}{show_seconds(waiting / rate)} left")
        if self._site:
            parts.append(fit_width(self._site, _SITE_COLUMNS))
        return f"{phase}: " + " · ".join(parts)

    def _phase(self, exported: int) -> str:
        mode = self.stats.get_value("corpus/mode", "two-pass")
        if mode != "streaming" and (exported or self._reads_back):
            return "reading"
        if self._started and not self.crawler.engine.running:
            return "stopping"
        return {"streaming": "streaming", "archive": "counting"}.get(mode, "fetching")

    def _waiting(self, phase: str) -> int:
        """Count the pages that are still to be fetched, or to be read back.

        0 where the spider cannot tell.
        """
        if phase == "reading":
            return unsettled(self.stats.get_stats())
        to_come = getattr(self.crawler.spider, "to_come", None)
        return to_come() if phase == "fetching" and to_come is not None else 0

    def _note_point(self, count: int, phase: str) -> None:
        """Note how many pages there are now, and drop what lies too far back."""
        now, points = time.monotonic(), self._points
        counts_items = phase == "reading"
        if counts_items != self._rates_items:
            self._rates_items = counts_items
            points.clear()
        points.append((now, count))
        while len(points) > 2 and now - points[1][0] >= _RATE_SECONDS:  # noqa: PLR2004 - two points make a rate
            points.popleft()

    def _rate(self) -> float:
        """Return the pages a second between the first and the last point."""
        (since, earlier), (now, count) = self._points[0], self._points[-1]
        return (count - earlier) / (now - since) if now > since else 0.0


class _Screen:
    """The live line, with the log above it."""

    def __init__(self, *, force: bool) -> None:
        # Loaded here: a crawl that nobody watches does not need it.
        from rich.console import Console  # noqa: PLC0415 - as above
        from rich.file_proxy import FileProxy  # noqa: PLC0415 - as above
        from rich.live import Live  # noqa: PLC0415 - as above
        from rich.text import Text  # noqa: PLC0415 - as above

        self._text = Text
        # The terminal wraps long lines, so that addresses in them stay whole when copied.
        self._console = Console(
            stderr=True, highlight=False, force_terminal=force or None, soft_wrap=True
        )
        self._live = Live(
            console=self._console, auto_refresh=False, transient=True, redirect_stdout=False
        )
        self._live.start()
        # Log lines for the terminal go through the console, which keeps the live line whole.
        handler = get_scrapy_root_handler()
        self._handler: logging.StreamHandler[Any] | None = None
        if isinstance(handler, logging.StreamHandler) and not isinstance(
            handler, logging.FileHandler
        ):
            self._handler = handler
            self._stream = handler.setStream(FileProxy(self._console, self._console.file))
        # A second Ctrl-C ends the process without a signal; the cursor is restored even then.
        atexit.register(self._restore)

    def draw(self, line: str) -> None:
        self._live.update(self._text(line, no_wrap=True, overflow="ellipsis"), refresh=True)

    def close(self, lines: list[str]) -> None:
        """Remove the line and print ``lines`` in its place, the first as a heading."""
        self._restore()
        atexit.unregister(self._restore)
        for place, line in enumerate(lines):
            self._console.print(self._text(line, style="" if place else "bold"))

    def _restore(self) -> None:
        self._live.stop()
        if self._handler is not None:
            self._handler.setStream(self._stream)
            self._handler = None
