"""The statistics of crawls: each name with its meaning, and how to read them.

Statistics are those of Scrapy's stats collector. ``docs/statistics.md`` lists the same names, and a
test compares both with the names that the code uses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

STATISTICS: Final[tuple[tuple[str, str], ...]] = (
    ("mode", "How pages are judged: `two-pass`, `streaming`, `archive` or `incremental`"),
    ("sites", "Sites whose pages were counted"),
    ("pages/fetched", "Pages that were fetched, those that were skipped too"),
    ("pages/held", "Pages that waited on disk for the counts of their site"),
    ("pages/streamed", "Pages that were exported at once, by the counts of earlier crawls"),
    ("pages/taken_up", "Pages that an earlier crawl held and did not export"),
    ("pages/exported", "Items that left through all pipelines and feeds"),
    ("pages/skipped", "Pages that gave no item"),
    ("pages/joined", "Pages whose text is on the item of the first page of their article"),
    ("pages/near_duplicates", "Pages that are a near-duplicate of another page"),
    ("pages/broken", "Pages on which an item pipeline failed"),
    ("pages/lost", "Pages of an archive that gave no item because of an error"),
    ("items", "Items that a harvest of archives has written"),
    ("page_types/<type>", "Pages of each type"),
    ("skipped/<reason>", "Pages that gave no item, by reason"),
    ("failed/<reason>", "Addresses that could not be fetched, by reason"),
    ("cut/<reason>", "Addresses that were not requested, by reason"),
    ("robots/<name>", "Pages with a robots directive, by its name"),
    ("pauses/count", "Pauses of sites in trouble"),
    ("pauses/seconds", "How long the pauses were together, in seconds"),
    ("pauses/put_back", "Requests that were sent again after a pause"),
    ("left_alone", "The sites that were given up, each with the reason"),
    ("discovery/listings", "Sitemaps and feeds that were read"),
    ("discovery/found/<by>", "Addresses first found by `sitemap`, `feed` or `link`"),
    ("discovery/foreign", "Pages of other sites that sitemaps and feeds name"),
    ("discovery/problems/<name>", "Sitemaps and feeds with something wrong in them"),
    ("discovery/failed/<reason>", "Sitemaps and feeds that could not be fetched or read"),
    ("discovery/absent", "Usual places without a sitemap or feed, and missing robots.txt files"),
    ("discovery/outdated", "Sitemaps that were not read: they are older than `since`"),
    ("discovery/left-unread", "Sitemaps and feeds beyond `max_listings`, or nested too deeply"),
    ("blocks/kept", "Blocks of text that were kept"),
    ("blocks/dropped", "Blocks of text that were dropped"),
    ("top_dropped", "The blocks that were dropped on most pages, each with their number"),
    ("cutoffs", "Of each site the highest frequency that the text method keeps"),
    ("tables/genuine", "Genuine tables"),
    ("tables/layout", "Layout tables"),
    ("tables/folder", "The folder of tables"),
    ("tables/files", "Files written into the folder of tables"),
    ("tables/failed", "Pages whose tables could not be written into the folder"),
    ("structure/pages", "Pages whose structure was read"),
    ("structure/unmatched", "Of these, pages without any element of the model"),
    ("structure/incomplete", "Of these, other pages that lack a required element"),
    ("structure/folder", "The folder of structures"),
    ("structure/files", "Files written into the folder of structures"),
    ("structure/failed", "Pages whose structure could not be written into the folder"),
    ("wrapper/pages", "Pages that the wrapper was run on"),
    ("wrapper/no_fit", "Of these, pages that it no longer fits"),
    ("wrapper/missing/<element>", "Pages on which an element was not found"),
    ("wrapper/script_failed", "Scripts that failed"),
    ("wrapper/not_saved", "Files that a wrapper's page could not be saved to"),
    ("wrapper/not_listed", "Lines of the wrapper's report that could not be written"),
    ("wrapper/no_page", "Items without a page"),
    ("wrapper/kept", "Fields that had a value already and kept it"),
    ("wrapper/undeclared", "Fields that the item class does not declare, or does not take"),
    ("incremental/new", "Items of new articles"),
    ("incremental/changed", "Items of articles that have changed"),
    ("incremental/gone", "Items of articles that are gone"),
    ("incremental/not_modified", "Pages that were requested again and not sent: status 304"),
    (
        "incremental/redated",
        "Sitemaps and feeds whose new dates tell of no changes",
    ),
    ("incremental/put_off/<reason>", "Pages left for the next crawl: similar ones gave nothing"),
    ("parts/written", "Parts of the output that are finished"),
    ("parts/failed", "Parts that could not be written"),
    ("parts/passed_over", "Items that are no page and stand in no part"),
    ("parts/folder", "The folder of parts"),
    ("exports/misfits", "Values that their column cannot hold, written as text in `_extra`"),
    ("exports/moved", "Existing feed files that were renamed before a new one was written"),
    ("feeds/missing", "Items that a feed lacks"),
    ("items/flawed", "Items with `url` and `html` that are no page"),
    ("items/unfilled", "Stages that could not fill an item: a copy was put in its place"),
    ("drain_errors", "Held pages that could not be read back"),
    ("counts/failed", "Files of counts that could not be written or read"),
    ("ledger/failed", "Changes of the ledger that could not be written"),
    ("spool", "The spool of held pages"),
    ("spool_kept_because", "Why the spool was not removed at the end"),
)
"""Names without ``corpus/``, and meanings. ``<...>`` stands for any text."""


def number(stats: Mapping[str, Any], name: str) -> int:
    """Return a statistic by its full name; 0 where it is missing."""
    return int(stats.get(name) or 0)


def reasons(stats: Mapping[str, Any], prefix: str) -> dict[str, int]:
    """Return the statistics whose names begin with ``prefix``, by the rest of their names."""
    return {
        key.removeprefix(prefix): int(value)
        for key, value in stats.items()
        if key.startswith(prefix) and value
    }


def by_reason(stats: Mapping[str, Any], prefix: str) -> str:
    """Write the sum of the statistics under a prefix, and each of them; empty where there is none.

    >>> by_reason({"corpus/cut/depth": 2, "corpus/cut/query": 5}, "corpus/cut/")
    '7 (query 5, depth 2)'
    """
    found = reasons(stats, prefix)
    if not found:
        return ""
    ranked = sorted(found.items(), key=lambda entry: (-entry[1], entry[0]))
    listed = ", ".join(f"{reason} {count:,}" for reason, count in ranked)
    return f"{sum(found.values()):,} ({listed})"
