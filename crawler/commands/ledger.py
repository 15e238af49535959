"""``scrapy ledger``: the pages that incremental crawls know of their sites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.commands.base import QuietCommand

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings


class LedgerCommand(QuietCommand):
    """Lists the sites that have ledgers, or shows one of them."""

    name = "ledger"
    usage = "[SITE] [--failed] [--gone] [--refused] [--waiting] [--limit N] [--json]"
    summary = "Show what incremental crawls have found, fetched and exported of their sites"
    description = (
        "List the sites whose ledgers crawls with CORPUS_INCREMENTAL have kept in CORPUS_DIR, "
        "each with its last run. With SITE, show its addresses by state, its runs, and parts "
        "that are not finished; or list addresses with reason and date. A crawl may be running "
        "at the same time."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        super().add_options(parser)
        for option, text in (
            ("--failed", "list addresses that could not be fetched"),
            ("--gone", "list pages that are no more"),
            (
                "--refused",
                "list addresses that are not to be fetched, by robots.txt or a rule of the crawl",
            ),
            ("--waiting", "list addresses that are to be fetched, in order"),
            ("--json", "print JSON, for programs"),
            (
                "--move-aside",
                "move the ledger of SITE out of the way, so that its next crawl begins anew",
            ),
        ):
            parser.add_argument(option, action="store_true", help=text)
        parser.add_argument(
            "--limit",
            metavar="N",
            type=int,
            default=20,
            help="show the first N addresses and the last N runs (default: 20; 0 for all)",
        )

    def work(self, args: list[str], opts: argparse.Namespace, settings: Settings) -> int:
        """Read the ledgers and show them."""
        from crawler.reports.ledger import show_ledgers

        return show_ledgers(args, opts, settings)
