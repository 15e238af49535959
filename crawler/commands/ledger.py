"""``scrapy ledger``: the pages that incremental crawls know of their sites."""

from __future__ import annotations

from crawler.commands.base import QuietCommand, flag, valued, whole_number


class LedgerCommand(QuietCommand):
    """Lists the sites that have ledgers, or shows one of them."""

    name = "ledger"
    usage = "[SITE] [--failed] [--gone] [--refused] [--waiting] [--limit N]"
    summary = "Show what incremental crawls have found, fetched and exported of their sites"
    description = (
        "List the sites whose ledgers crawls with CORPUS_INCREMENTAL have kept in CORPUS_DIR, "
        "each with its last run. With SITE, show its addresses by state, its runs, and parts "
        "that are not finished; or list addresses with reason and date. A crawl may be running "
        "at the same time."
    )

    runs = "crawler.reports.ledger.show_ledgers"
    options = (
        flag("--failed", "list addresses that could not be fetched"),
        flag("--gone", "list pages that are no more"),
        flag("--refused", "list addresses not to be fetched, by robots.txt or a rule of the crawl"),
        flag("--waiting", "list addresses that are to be fetched, in order"),
        flag("--move-aside", "move the ledger of SITE away, so that its next crawl begins anew"),
        valued(
            "--limit",
            "N",
            "show the first N addresses and the last N runs (default: 20; 0 for all)",
            type=whole_number(0),
            default=20,
        ),
    )
