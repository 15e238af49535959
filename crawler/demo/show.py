"""The work of ``scrapy demo``: serve the site, crawl it, and print what was kept and dropped."""

from __future__ import annotations

import argparse
import io
import signal
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.text import Text
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import BaseSettings, Settings
from scrapy.utils.conf import feed_process_params_from_cli

from crawler.addon import CorpusAddon, take_command_line
from crawler.core.errors import ArgumentError, CorpusError
from crawler.core.wording import fit_width
from crawler.demo.pages import MISLABELLED_PATH, answers
from crawler.demo.server import serve
from crawler.exporters.formats import known_formats, without_format
from crawler.extensions.summary import summary
from crawler.items import FIELD_ORDER, PageItem
from crawler.spiders.site import SiteSpider

_SHOWN: Final = {
    "/news/nature/reading-the-tide": "A news article",
    MISLABELLED_PATH: "A blog post laid out with tables, in EUC-KR behind a UTF-8 header",
    "/archive/ink.htm": "A page of font tags and line breaks",
}
# Headers stand at the top and footers at the bottom, so both ends of a page are shown.
_FIRST_LINES: Final = 12
_LAST_LINES: Final = 4
_TEXT_LINES: Final = 4
_LABEL_WIDTH: Final = 22
_SETTINGS: Final = {
    # The loopback server is ours, so nobody has to be spared.
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    # The demo prints its own account at the end.
    "LOG_LEVEL": "WARNING",
    "CORPUS_PROGRESS": "off",
    # It explains each block by the labels on the items; the file does not have them.
    "CORPUS_ITEM_BLOCKS": True,
    "FEED_EXPORT_FIELDS": [name for name in FIELD_ORDER if name != "blocks"],
}


def show_demo(args: list[str], opts: argparse.Namespace, given: BaseSettings) -> None:
    """Serve the demo site, crawl it, and print the result.

    Args:
        args: arguments that are no options; there may be none.
        opts: the options ``output`` and ``keep_serving``.
        given: settings of the command; those of the command line are used.

    Raises:
        CorpusError: the call or a setting is wrong, or the pages were not written.
    """
    if args:
        raise ArgumentError(f"there are no arguments, but got: {' '.join(args)}")
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Korean is printed even where the terminal cannot show it.
        sys.stdout.reconfigure(errors="replace")
    # The terminal wraps long lines, so that addresses in them stay whole when copied.
    console = Console(highlight=False, markup=False, soft_wrap=True)
    with tempfile.TemporaryDirectory(prefix="scrapy-corpus-demo-") as folder:
        settings = _settings(given, opts.output, folder)
        with serve(answers()) as base:
            items, stats = _crawl(base, settings, opts.output)
            output = Path(opts.output).resolve()
            _heading(console, f"A made-up site, served at {base}/ and crawled on this machine")
            for line in summary(stats, [f"{output} ({len(items):,} items)"]):
                console.print(line)
            by_path = {item.url.removeprefix(base): item for item in items}
            for path, what in _SHOWN.items():
                if path in by_path:
                    _page(console, by_path[path], what)
            _next_steps(console, output)
            if opts.keep_serving:
                _keep_serving(console, base)


def _settings(given: BaseSettings, output: str, folder: str) -> Settings:
    """Put the demo's settings together: the package's, its own, the command line's."""
    settings = Settings()
    settings.setmodule("crawler.crawl_settings", "project")
    settings.setdict({**_SETTINGS, "CORPUS_DIR": folder}, "project")
    take_command_line(settings, given)
    if output.partition(":")[0] == "-":
        raise ArgumentError("the results are shown on standard output; name a file after -O")
    if flaw := without_format([output], known_formats(settings)):
        raise ArgumentError(flaw)
    feeds = feed_process_params_from_cli(settings, [], overwrite_output=[output])
    settings.set("FEEDS", feeds, priority="cmdline")
    # Here an error is one line; Scrapy would show a traceback.
    CorpusAddon().update_settings(settings.copy())
    return settings


def _crawl(base: str, settings: Settings, output: str) -> tuple[list[PageItem], Mapping[str, Any]]:
    """Crawl the site in this process, once.

    Raises:
        CorpusError: there is no item, or the output was not written.
    """
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(SiteSpider)
    items: list[PageItem] = []

    def remember(item: PageItem) -> None:
        items.append(item)

    crawler.signals.connect(remember, signal=signals.item_scraped)
    process.crawl(crawler, url=f"{base}/")
    process.start()
    if not items:
        raise CorpusError("the crawl exported no page; run it again with -L INFO to see why")
    stats = crawler.stats.get_stats()
    outcomes = " ".join(name for name in stats if name.startswith("feedexport/"))
    if "/success_count/" not in outcomes or "/failed_count/" in outcomes:
        raise CorpusError(
            f"the pages could not be written to {output}; the log says why; name another file "
            "after -O"
        )
    return items, stats


def _page(console: Console, item: PageItem, what: str) -> None:
    """Print a page before and after: each line with its label, and the exported text."""
    _heading(console, what)
    console.print(f"  {item.url}\n", style="cyan")
    console.print("  Before: each line of the page, with what became of it")
    lines = [_block_line(block, console.width) for block in item.blocks or ()]
    hidden = len(lines) - _FIRST_LINES - _LAST_LINES
    if hidden > 1:
        more = f"    {'':{_LABEL_WIDTH}}  ({hidden} more lines)"
        lines[_FIRST_LINES:-_LAST_LINES] = [(more, "dim")]
    for line, style in lines:
        console.print(line, style=style)
    console.print("\n  After: the text that was exported")
    text = item.text.splitlines()
    for line in text[:_TEXT_LINES]:
        for row in Text(line).wrap(console, max(console.width - 4, _LABEL_WIDTH)):
            row.rstrip()
            console.print("    ", row, sep="")
    if len(text) > _TEXT_LINES:
        console.print(f"    ({len(text) - _TEXT_LINES} more lines)", style="dim")


def _block_line(block: Mapping[str, Any], width: int) -> tuple[str, str]:
    """Return a line of a page with its label, cut at a width, and how it is printed."""
    mark, style, label = "+", "green", "kept"
    if not block["kept"]:
        is_frequent = block["reason"] == "frequent"
        why = f"on {block['frequency']} pages" if is_frequent else block["reason"]
        mark, style, label = "-", "dim", f"dropped, {why}"
    head = f"  {mark} {label:<{_LABEL_WIDTH}}  "
    return f"{head}{fit_width(block['text'], max(width - len(head), _LABEL_WIDTH))}", style


def _next_steps(console: Console, output: Path) -> None:
    _heading(console, "Where it is, and what to try next")
    for what, how in {
        "the pages, one row each": str(output),
        "why a line was dropped": "scrapy extract --explain URL-OR-FILE",
        "browse the demo site": "scrapy demo --keep-serving",
        "a site of your choice": "scrapy corpus https://blog.example/ -O blog.jsonl",
        "in a project of yours": 'ADDONS = {"crawler.addon.CorpusAddon": 500}',
    }.items():
        console.print(f"  {what:<24} {how}")
    console.print("  working files removed", style="dim")


def _heading(console: Console, text: str) -> None:
    console.print(f"\n{text}", style="bold")


def _keep_serving(console: Console, base: str) -> None:
    """Wait for Ctrl-C or SIGTERM with the server running."""
    try:
        # Scrapy's own handlers are still installed, for a reactor that has ended.
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, signal.default_int_handler)
        console.print(f"\nServing {base}/ until Ctrl-C.")
        console.print(f"For wrappers there is a shop: scrapy studio shop.h2x {base}/shop/")
        threading.Event().wait()
    except KeyboardInterrupt:
        console.print("\nStopped.")
