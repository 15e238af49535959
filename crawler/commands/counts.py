"""``scrapy counts``: what earlier crawls have counted, site by site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.commands.base import QuietCommand

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings


class CountsCommand(QuietCommand):
    """Lists the sites that have counts, or shows the frequencies of one.

    Each file of counts that is damaged is left out and named on standard error.
    """

    name = "counts"
    usage = "[SITE] [--curve FILE]"
    summary = "Show how many blocks of a site occur on how many pages, as crawls have counted"
    description = (
        "List the sites whose counts crawls have kept in CORPUS_DIR. With SITE, show how many "
        "of its blocks occur on how many pages, and above which frequency methods drop them. "
        "Counts hold keys of blocks, not their text."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        super().add_options(parser)
        parser.add_argument(
            "--curve", metavar="FILE", help="also draw the frequencies in an HTML file"
        )

    def work(self, args: list[str], opts: argparse.Namespace, settings: Settings) -> int:
        """Read the counts and show them."""
        from crawler.reports.counts import show_counts

        show_counts(args, opts.curve, settings)
        return 0
