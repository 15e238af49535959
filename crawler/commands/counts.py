"""``scrapy counts``: what earlier crawls have counted, site by site."""

from __future__ import annotations

from crawler.commands.base import QuietCommand, valued


class CountsCommand(QuietCommand):
    """Lists the sites that have counts, or shows the frequencies of one.

    Each file of counts that is damaged is left out and named on standard error.
    """

    name = "counts"
    usage = "[SITE] [--html FILE]"
    summary = "Show how many blocks of a site occur on how many pages, as crawls have counted"
    description = (
        "List the sites whose counts crawls have kept in CORPUS_DIR. With SITE, show how many "
        "of its blocks occur on how many pages, and above which frequency methods drop them. "
        "Counts hold keys of blocks, not their text."
    )
    runs = "crawler.reports.counts.show_counts"
    options = (valued("--html", "FILE", "write a page with plots and tables in place of these"),)
