"""``scrapy counts``: what earlier crawls have counted, site by site."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from scrapy.commands import ScrapyCommand

if TYPE_CHECKING:
    import argparse
    from typing import Any

__all__ = ["CountsCommand"]


class CountsCommand(ScrapyCommand):
    """Lists the sites that have counts, or shows the frequencies of one.

    Leaves with 0 when it did, 1 when the drawing cannot be written, 2 when the command line is
    wrong; each error is one line on standard error. So is each file of counts that is passed over.
    """

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """Return what follows ``scrapy counts``."""
        return "[SITE] [--curve FILE]"

    def short_desc(self) -> str:
        """Return the line in the list of commands."""
        return "Show on how many pages of a site its blocks stand, as crawls have counted"

    def long_desc(self) -> str:
        """Return the text of ``scrapy counts -h``."""
        return (
            "List the sites whose counts crawls have kept in CORPUS_DIR. With SITE, show how many "
            "of its blocks stand on how many pages, and above which frequency methods drop them. "
            "Counts hold keys of blocks, not their text."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        super().add_options(parser)
        parser.add_argument(
            "--curve", metavar="FILE", help="draw the frequencies in an HTML file besides"
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the counts and show them."""
        # Scrapy imports this module on every call of ``scrapy``; the work is imported when wanted.
        from crawler.evaluation.kept import main
        from crawler.reports.stdout import for_a_reader

        assert self.settings is not None  # noqa: S101 - Scrapy sets it before it calls run()
        with for_a_reader():
            self.exitcode = main(args, opts, self.settings)
