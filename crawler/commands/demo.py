"""``scrapy demo``: a crawl of a small site that comes with the project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crawler.commands.base import CorpusCommand

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings

_DEFAULT_OUTPUT: Final = "demo.jsonl"


class DemoCommand(CorpusCommand):
    """Serves the demo site on loopback, crawls it, and shows the result."""

    name = "demo"
    usage = "[-O FILE] [--keep-serving]"
    summary = "Crawl a small site that comes with the project, and show the clean text"
    description = (
        "Serve a small made-up site on this machine, crawl it with the site spider, export one "
        "row a page, and show what was kept and what was dropped. Needs no internet."
    )

    # The crawl has its own settings, not those of a project around it.
    requires_crawler_process = False

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        super().add_options(parser)
        parser.add_argument(
            "-O",
            "--overwrite-output",
            dest="output",
            metavar="FILE",
            default=_DEFAULT_OUTPUT,
            help="write the pages to FILE; its extension (jsonl, json, csv, xml, parquet) gives "
            f"the format (default: {_DEFAULT_OUTPUT})",
        )
        parser.add_argument(
            "--keep-serving",
            action="store_true",
            help="serve the site after the crawl, for a browser or other crawls, until Ctrl-C",
        )

    def work(self, args: list[str], opts: argparse.Namespace, settings: Settings) -> int:
        """Crawl and show."""
        from crawler.demo.show import show_demo

        show_demo(args, opts, settings)
        return 0
