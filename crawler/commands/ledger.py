"""``scrapy ledger``: what crawls remember of their sites."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from scrapy.commands import ScrapyCommand

if TYPE_CHECKING:
    import argparse
    from typing import Any

__all__ = ["LedgerCommand"]


class LedgerCommand(ScrapyCommand):
    """Lists the sites that have ledgers, or shows what one of them knows.

    Leaves with 0 when it did, 1 when a ledger cannot be read, 2 when the command line is wrong;
    each error is one line on standard error.
    """

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """Return what follows ``scrapy ledger``."""
        return "[SITE] [--failed] [--gone] [--refused] [--waiting] [--limit N] [--json]"

    def short_desc(self) -> str:
        """Return the line in the list of commands."""
        return "Show what crawls that remember have found, fetched and exported of their sites"

    def long_desc(self) -> str:
        """Return the text of ``scrapy ledger -h``."""
        return (
            "List the sites whose ledgers crawls with CORPUS_INCREMENTAL have kept in CORPUS_DIR, "
            "each with its last run. With SITE, show its addresses by state, its runs, and parts "
            "that are not whole; or list addresses with reason and date. A crawl may be running "
            "meanwhile."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        super().add_options(parser)
        parser.add_argument(
            "--failed", action="store_true", help="list addresses that could not be fetched"
        )
        parser.add_argument("--gone", action="store_true", help="list pages that are no more")
        parser.add_argument(
            "--refused",
            action="store_true",
            help="list addresses that are not to be fetched, by robots.txt or a rule of the crawl",
        )
        parser.add_argument(
            "--waiting", action="store_true", help="list addresses that are to be fetched, in order"
        )
        parser.add_argument(
            "--limit",
            metavar="N",
            type=int,
            default=20,
            help="show the first N addresses and the last N runs (default: 20; 0 for all)",
        )
        parser.add_argument("--json", action="store_true", help="print JSON, for programs")
        parser.add_argument(
            "--move-aside",
            action="store_true",
            help="move the ledger of SITE out of the way, so that its next crawl begins anew",
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the ledgers and show them."""
        # Scrapy imports this module on every call of ``scrapy``; the work is imported when wanted.
        from crawler.reports.ledger_text import main
        from crawler.reports.stdout import for_a_reader

        assert self.settings is not None  # noqa: S101 - Scrapy sets it before it calls run()
        with for_a_reader():
            self.exitcode = main(args, opts, self.settings)
