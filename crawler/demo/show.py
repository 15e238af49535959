"""The demo itself: serve the site, crawl it, and tell what came of it."""

from __future__ import annotations

import io
import signal
import sys
import tempfile
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES, Settings
from scrapy.utils.conf import feed_process_params_from_cli

from crawler.core.errors import ArgumentError, CorpusError
from crawler.core.methods import get_method
from crawler.demo.pages import answers
from crawler.demo.report import report
from crawler.demo.server import serve
from crawler.exporters.feeds import check_feeds
from crawler.items import FIELD_ORDER, PageItem
from crawler.settings import Options
from crawler.spiders.site import SiteSpider

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from scrapy.settings import BaseSettings

__all__ = ["Outcome", "crawl", "show_demo"]

_COMMAND_LINE: Final = SETTINGS_PRIORITIES["cmdline"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a crawl of the demo site gave: the items in order of export, and Scrapy's stats."""

    items: tuple[PageItem, ...]
    stats: Mapping[str, Any]


def show_demo(args: list[str], opts: argparse.Namespace, given: BaseSettings) -> None:
    """Serve the demo site, crawl it, and print the result.

    Args:
        args: arguments that are no options; there may be none.
        opts: the options ``output`` and ``keep_serving``.
        given: settings of the call; those of the command line are used.

    Raises:
        CorpusError: the call or a setting is wrong, or the pages were not written.
    """
    if args:
        raise ArgumentError(f"there are no arguments, but got: {' '.join(args)}")
    console = _console()
    with tempfile.TemporaryDirectory(prefix="scrapy-corpus-demo-") as folder:
        settings = _settings(given, opts.output, folder)
        with serve(answers()) as base:
            outcome = crawl(base, settings)
            if not outcome.items:
                raise CorpusError(
                    "the crawl exported no page; run it again with -L INFO to see why"
                )
            if not _is_stored(outcome.stats):
                raise CorpusError(
                    f"the pages could not be written to {opts.output}; the log says why; name "
                    "another file after -O"
                )
            report(console, outcome.items, outcome.stats, base=base, output=opts.output)
            if opts.keep_serving:
                _keep_serving(console, base)


def _is_stored(stats: Mapping[str, Any]) -> bool:
    """Whether the only feed was stored."""
    outcomes = [name for name in stats if name.startswith("feedexport/")]
    return any("/success_count/" in name for name in outcomes) and not any(
        "/failed_count/" in name for name in outcomes
    )


def crawl(base: str, settings: Settings) -> Outcome:
    """Crawl the site at ``base`` in this process; a process can do this once.

    Args:
        base: Address of the site without a closing slash.
        settings: Settings of the crawl.

    Returns:
        What was exported, empty when the crawl could not start; the log says why.

    """
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(SiteSpider)
    items: list[PageItem] = []

    def remember(item: PageItem) -> None:
        items.append(item)

    crawler.signals.connect(remember, signal=signals.item_scraped)
    process.crawl(crawler, url=f"{base}/")
    process.start()
    # A crawl that could not start has no stats to ask for.
    return Outcome(items=tuple(items), stats=crawler.stats.get_stats() if items else {})


def _settings(given: BaseSettings, output: str, folder: str) -> Settings:
    """Put the demo's settings together: its own module, this call's paths, the command line's.

    Raises:
        CorpusError: A setting, or the file's name or format, is wrong.
    """
    settings = Settings()
    settings.setmodule("crawler.demo.settings", priority="project")
    settings.set("CORPUS_DIR", folder, priority="project")
    # The report explains each block by the labels on the items; the file is to look as always.
    settings.set("CORPUS_ITEM_BLOCKS", value=True, priority="project")
    settings.set("CORPUS_PROGRESS", "off", priority="project")
    exported = [name for name in FIELD_ORDER if name != "blocks"]
    settings.set("FEED_EXPORT_FIELDS", exported, priority="project")
    for name in given:
        priority = given.getpriority(name)
        if priority is not None and priority >= _COMMAND_LINE:
            settings.set(name, given[name], priority="cmdline")
    if output.partition(":")[0] == "-":
        raise ArgumentError("the results are shown on standard output; name a file after -O")
    try:
        feeds = feed_process_params_from_cli(settings, [], overwrite_output=[output])
    except UsageError as error:
        raise ArgumentError(str(error)) from error
    settings.set("FEEDS", feeds, priority="cmdline")
    # Before the site is served, and where it is a line: the add-on would find it out later.
    get_method(Options.from_settings(settings).text_method)
    check_feeds(settings)
    return settings


def _console() -> Console:
    """Make a console that prints Korean even where the terminal cannot show it."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    return Console(highlight=False)


def _keep_serving(console: Console, base: str) -> None:
    """Wait for Ctrl-C with the server running."""
    try:
        # Scrapy's own handler still stands; it speaks to a reactor that has ended.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        console.print(f"\nServing {base}/ until Ctrl-C.", soft_wrap=True)
        threading.Event().wait()
    except KeyboardInterrupt:
        console.print("\nStopped.")
