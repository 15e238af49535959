"""``scrapy demo``: the main job on a small site that comes with the project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from scrapy.commands import ScrapyCommand

if TYPE_CHECKING:
    import argparse

__all__ = ["DemoCommand"]

_DEFAULT_OUTPUT: Final = "demo.jsonl"


class DemoCommand(ScrapyCommand):
    """Serves the demo site on loopback, crawls it, and shows what came of it.

    Leaves with 0 when the pages were written, 1 when they were not, 2 when the command line is
    wrong; each error is one line on standard error.
    """

    requires_project = False
    # The crawl has settings of its own, not those of the project it happens to be started in.
    requires_crawler_process = False

    def syntax(self) -> str:
        """Return what follows ``scrapy demo``."""
        return "[-O FILE] [--keep-serving]"

    def short_desc(self) -> str:
        """Return the line in the list of commands."""
        return "Crawl a small site that comes with the project, and show the clean text"

    def long_desc(self) -> str:
        """Return the text of ``scrapy demo -h``."""
        return (
            "Serve a small made-up site on this machine, crawl it with the site spider, export one "
            "row a page, and show what was kept and what was dropped. Needs no internet."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        super().add_options(parser)
        parser.add_argument(
            "-O",
            "--overwrite-output",
            dest="output",
            metavar="FILE",
            default=_DEFAULT_OUTPUT,
            help="write the pages to FILE; its ending (jsonl, json, csv, xml, parquet) says how "
            f"(default: {_DEFAULT_OUTPUT})",
        )
        parser.add_argument(
            "--keep-serving",
            action="store_true",
            help="serve the site after the crawl, for a browser or other crawls, until Ctrl-C",
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawl and show."""
        # Scrapy imports this module on every call of ``scrapy``; the work is imported when wanted.
        from crawler.demo.show import main

        assert self.settings is not None  # noqa: S101 - Scrapy sets it before it calls run()
        self.exitcode = main(args, opts, self.settings)
