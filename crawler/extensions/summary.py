"""The summary of a crawl that has ended, made from the crawl's statistics alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from crawler.core.wording import fit_width, show_seconds
from crawler.journey.statistics import by_reason, number, reasons

_TEXT_WIDTH: Final = 70
_OUTPUTS_SHOWN: Final = 12
_SITES_SHOWN: Final = 5
_MOST_DROPPED: Final = 10

_VERSIONS: Final = {
    "new": "new",
    "changed": "changed",
    "gone": "gone",
    "not_modified": "not fetched again, as they were not modified",
}
# The lines between the heading and those of the output: each has a label, the figure without which
# it is not shown, and a text. Figures are statistics without "corpus/" in front, or stand in
# _figures. The numbers of pages add up to those that were fetched.
_LINES: Final = (
    ("why", "nothing_because", "nothing was exported: {nothing_because}"),
    ("pages", "always", "{pages/fetched:,} fetched, {pages/exported:,} exported{near}"),
    (
        "undated",
        "pages/undated",
        "{pages/undated:,} of the exported: whether they are of the days asked for is not known",
    ),
    (
        "cut short",
        "responses/wrong_length",
        "{responses/wrong_length:,} are shorter than their Content-Length, and were taken",
    ),
    ("joined", "pages/joined", "{pages/joined:,} to the first pages of their articles"),
    ("versions", "versions", "{versions}"),
    (
        "kept",
        "incremental/redirected",
        (
            "{incremental/redirected:,} that redirect for now, as where a site is in trouble: they "
            "are requested again"
        ),
    ),
    (
        "kept",
        "incremental/kept",
        (
            "{incremental/kept:,} as they were exported, since their site seems to be in trouble: "
            "they are requested again"
        ),
    ),
    ("browser", "browser/pages", "{browser/pages:,} as they are when their scripts have run"),
    (
        "browser",
        "browser/missing",
        "{browser/missing:,} written by scripts, with no browser to read them: see the log",
    ),
    (
        "browser",
        "browser/failed",
        "{browser/failed:,} could not be rendered, and are as they came: see the log",
    ),
    ("skipped", "skipped", "{skipped}"),
    ("dropped", "pages/dropped", "{pages/dropped:,} by item pipelines"),
    ("broken", "pages/broken", "{pages/broken:,}: an item pipeline failed on them"),
    ("waiting", "waiting", "{waiting:,} not exported"),
    ("failed", "failed", "{failed}"),
    ("not visited", "cut", "{cut}"),
    ("answers", "answers", "{answers} by status, those of robots.txt, listings and redirects too"),
    ("listings", "discovery/listings", "{discovery/listings:,} sitemaps and feeds read{unlisted}"),
    ("sites", "sites", "{sites:,}"),
    ("blocks", "blocks", "{blocks/kept:,} kept, {blocks/dropped:,} dropped"),
    ("tables", "tables/genuine", "{tables/genuine:,} genuine, {tables/layout:,} layout"),
    (
        "structure",
        "structure/pages",
        (
            "{structure/pages:,} pages, {structure/unmatched:,} of them unmatched, "
            "{structure/incomplete:,} incomplete"
        ),
    ),
    (
        "wrapper",
        "wrapper/pages",
        (
            "{wrapper/pages:,} pages, {wrapper/no_fit:,} of them no longer fit, "
            "{wrapper/script_failed:,} scripts failed"
        ),
    ),
    ("pauses", "pauses/count", "{pauses/count:,} of sites in trouble, {pauses} in all"),
    ("feeds", "feeds", "{feeds:,} could not be stored"),
    ("feeds", "feeds/missing", "{feeds/missing:,} items are missing from the output"),
    ("folder", "tables/failed", "it lacks tables of {tables/failed:,} pages, see the log"),
    (
        "folder",
        "structure/failed",
        "it lacks the structure of {structure/failed:,} pages, see the log",
    ),
    ("held pages", "drain_errors", "could not all be read back, see the log"),
    ("counts", "counts/failed", "{counts/failed:,} could not be kept or read, see the log"),
    ("items", "items/flawed", "{items/flawed:,} with url and html were no pages, see the log"),
    ("errors", "errors", "{errors:,}, see the log"),
)


def summary(stats: Mapping[str, Any], outputs: Sequence[str]) -> list[str]:
    """Describe a crawl in a few lines, the first of which is the heading.

    ``stats`` are the crawl's statistics, ``outputs`` say where items were written, and how many.
    """
    figures = _figures(stats)
    lines = [(label, text.format_map(figures)) for label, name, text in _LINES if figures[name]]
    return [
        _heading(stats),
        *(f"  {label:<11} {text}" for label, text in lines),
        *(f"  left alone  {site}" for site in _left_alone(stats)),
        *_most_dropped(stats),
        *(f"  output      {output}" for output in _outputs(stats, outputs)),
        *_spool(stats),
    ]


def _heading(stats: Mapping[str, Any]) -> str:
    reason = stats.get("finish_reason", "finished")
    verb = "Crawl finished" if reason == "finished" else f"Crawl ended early ({reason})"
    seconds = stats.get("elapsed_time_seconds")
    return verb if seconds is None else f"{verb} after {show_seconds(seconds)}"


def _figures(stats: Mapping[str, Any]) -> Mapping[str, Any]:
    found: defaultdict[str, Any] = defaultdict(int)
    found.update((name.removeprefix("corpus/"), value) for name, value in stats.items())
    found["always"] = True
    skipped = reasons(stats, "corpus/skipped/")
    found["skipped"] = by_reason(stats, "corpus/skipped/")
    # Near-duplicates that are not exported are among the skipped.
    marked = found["pages/near_duplicates"] - skipped.get("near-duplicate", 0)
    found["near"] = f", {marked:,} of them near-duplicates" if marked > 0 else ""
    found["versions"] = ", ".join(
        f"{found[f'incremental/{key}']:,} {words}"
        for key, words in _VERSIONS.items()
        if found[f"incremental/{key}"]
    )
    found["waiting"] = unsettled(stats)
    found["failed"] = by_reason(stats, "corpus/failed/")
    found["cut"] = by_reason(stats, "corpus/cut/")
    found["answers"] = by_reason(stats, "downloader/response_status_count/")
    unlisted = by_reason(stats, "corpus/discovery/failed/")
    found["unlisted"] = f", and not to be had: {unlisted}" if unlisted else ""
    found["blocks"] = found["blocks/kept"] + found["blocks/dropped"]
    found["pauses"] = show_seconds(float(found["pauses/seconds"]))
    found["feeds"] = sum(reasons(stats, "feedexport/failed_count/").values())
    found["errors"] = found["log_count/ERROR"] + found["log_count/CRITICAL"]
    return found


def unsettled(stats: Mapping[str, Any]) -> int:
    """Count the pages that came of which it is not known yet what becomes of them."""
    names = ("exported", "dropped", "broken", "joined")
    settled = sum(number(stats, f"corpus/pages/{name}") for name in names)
    settled += sum(reasons(stats, "corpus/skipped/").values())
    return max(0, number(stats, "corpus/pages/fetched") - settled)


def _left_alone(stats: Mapping[str, Any]) -> list[str]:
    sites = stats.get("corpus/left_alone") or ()
    lines = [f"{fit_width(site['site'], _TEXT_WIDTH)} {site['why']}" for site in sites]
    return _shortened(lines, _SITES_SHOWN, ", see the log")


def _shortened(lines: Sequence[str], most: int, hint: str = "") -> list[str]:
    """Return at most so many lines, the last one with the number of those left out."""
    if len(lines) <= most:
        return [*lines]
    return [*lines[: most - 1], f"and {len(lines) - most + 1:,} more{hint}"]


def _most_dropped(stats: Mapping[str, Any]) -> list[str]:
    top = (stats.get("corpus/top_dropped") or [])[:_MOST_DROPPED]
    lines = [
        f"    {block['pages']:>7,} pages  {fit_width(block['text'], _TEXT_WIDTH)}" for block in top
    ]
    return ["  dropped most often:", *lines] if lines else []


def _parts(stats: Mapping[str, Any]) -> list[str]:
    if stats.get("corpus/mode") != "incremental":
        return []
    parts = number(stats, "corpus/parts/written")
    if not parts and number(stats, "corpus/parts/failed"):
        return ["no new part: it could not be written, see the log"]
    if not parts:
        return ["no new part: no article is new or has changed"]
    return [f"{stats.get('corpus/parts/folder')}: {parts:,} new part{'s' if parts > 1 else ''}"]


def _outputs(stats: Mapping[str, Any], outputs: Sequence[str]) -> list[str]:
    folders = (stats.get(f"corpus/{what}/folder") for what in ("tables", "structure"))
    named = [*_parts(stats), *outputs, *(str(folder) for folder in folders if folder)]
    return _shortened(named, _OUTPUTS_SHOWN) or ["none: name a file with -O pages.jsonl"]


def _spool(stats: Mapping[str, Any]) -> list[str]:
    spool, reason = stats.get("corpus/spool"), stats.get("corpus/spool_kept_because")
    if not spool or not Path(str(spool)).exists():
        return []
    lines = [f"  held pages  {spool}"]
    return [*lines, f"  {'':<11} kept because: {reason}"] if reason else lines
