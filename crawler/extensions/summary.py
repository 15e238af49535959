"""What a person reads when a crawl has ended, made from the crawl's stats alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crawler.core.wording import fit_width

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["by_reason", "summary"]

_TEXT_WIDTH: Final = 70
_OUTPUTS_SHOWN: Final = 5
_SITES_SHOWN: Final = 5
_MOST_DROPPED: Final = 10


def summary(stats: Mapping[str, Any], outputs: Sequence[str]) -> list[str]:
    """Describe a crawl in a few lines.

    Args:
        stats: The crawl's stats, as Scrapy's stats collector holds them.
        outputs: Where items were written, each with its number of items.

    Returns:
        Lines without line ends; the first is the heading.
    """
    return [
        _heading(stats),
        *(f"  {label:<11} {text}" for label, text in _figures(stats)),
        *_left_alone(stats),
        *_most_dropped(stats),
        *_outputs([*_parts(stats), *outputs, *_folders(stats)]),
        *_spool(stats),
    ]


def _heading(stats: Mapping[str, Any]) -> str:
    reason = stats.get("finish_reason", "finished")
    verb = "Crawl finished" if reason == "finished" else f"Crawl ended early ({reason})"
    seconds = stats.get("elapsed_time_seconds")
    return verb if seconds is None else f"{verb} after {_duration(seconds)}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    if minutes:
        return f"{minutes} min {rest} s"
    return f"{seconds:.1f} s"


def _figures(stats: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from _fetched(stats)
    if failed := by_reason(stats, "corpus/failed/"):
        yield "failed", failed
    if cut := by_reason(stats, "corpus/cut/"):
        yield "not visited", cut
    if sites := _count(stats, "corpus/sites"):
        yield "sites", f"{sites:,}"
    kept, lost = _count(stats, "corpus/blocks/kept"), _count(stats, "corpus/blocks/dropped")
    if kept or lost:
        yield "blocks", f"{kept:,} kept, {lost:,} dropped"
    genuine, layout = _count(stats, "corpus/tables/genuine"), _count(stats, "corpus/tables/layout")
    if genuine:
        yield "tables", f"{genuine:,} genuine, {layout:,} layout"
    if structures := _count(stats, "corpus/structure/pages"):
        unmatched, incomplete = (
            _count(stats, f"corpus/structure/{key}") for key in ("unmatched", "incomplete")
        )
        yield (
            "structure",
            f"{structures:,} pages, {unmatched:,} of them unmatched, {incomplete:,} incomplete",
        )
    if wrapped := _count(stats, "corpus/wrapper/pages"):
        misfits, scripts = (
            _count(stats, f"corpus/wrapper/{key}") for key in ("no_fit", "script_failed")
        )
        yield (
            "wrapper",
            f"{wrapped:,} pages, {misfits:,} of them no longer fit, {scripts:,} scripts failed",
        )
    if pauses := _count(stats, "corpus/pauses/count"):
        seconds = _duration(float(stats.get("corpus/pauses/seconds") or 0))
        yield "pauses", f"{pauses:,} of sites in trouble, {seconds} in all"
    yield from _trouble(stats)


def _fetched(stats: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Say what became of the pages that came. The figures of these lines add up."""
    fetched = _count(stats, "corpus/pages/fetched")
    exported = _count(stats, "corpus/pages/exported")
    broken = _count(stats, "corpus/pages/broken")
    # What the stages refuse is counted under "skipped", with its reasons.
    refused = _count(stats, "item_dropped_reasons_count/RefusedItem")
    dropped = _count(stats, "item_dropped_count") - refused
    joined = _count(stats, "corpus/pages/joined")
    skipped = _reasons(stats, "corpus/skipped/")
    pages = f"{fetched:,} fetched, {exported:,} exported"
    # Near-duplicates that are not exported are among the skipped.
    marked = _count(stats, "corpus/pages/near_duplicates") - skipped.get("near-duplicate", 0)
    if marked > 0:
        pages += f", {marked:,} of them near-duplicates"
    yield "pages", pages
    if joined:
        yield "joined", f"{joined:,} to the first pages of their articles"
    if remembered := _remembered(stats):
        yield "versions", remembered
    if skipped:
        yield "skipped", by_reason(stats, "corpus/skipped/")
    if dropped:
        yield "dropped", f"{dropped:,} by item pipelines"
    if broken:
        yield "broken", f"{broken:,}: an item pipeline failed on them"
    waiting = fetched - exported - broken - dropped - joined - sum(skipped.values())
    if waiting > 0:
        yield "waiting", f"{waiting:,} not exported"


def _remembered(stats: Mapping[str, Any]) -> str:
    told = (
        (_count(stats, f"corpus/incremental/{key}"), words)
        for key, words in (
            ("new", "new"), ("changed", "changed"), ("gone", "gone"),
            ("not_modified", "not fetched again, as they were not modified"),
        )
    )  # fmt: skip
    return ", ".join(f"{number:,} {words}" for number, words in told if number)


def _parts(stats: Mapping[str, Any]) -> list[str]:
    folder = stats.get("corpus/parts/folder")
    if stats.get("corpus/mode") != "incremental":
        return []
    number = _count(stats, "corpus/parts/written")
    if not number:
        return ["no new part: no article is new or has changed"]
    return [f"{folder}: {number:,} new part{'s' if number > 1 else ''}"]


def _trouble(stats: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    feeds = sum(_reasons(stats, "feedexport/failed_count/").values())
    missing = _count(stats, "corpus/feeds/missing")
    if feeds or missing:
        told = [f"{feeds:,} could not be stored"] if feeds else []
        told += [f"{missing:,} items are missing from the output"] if missing else []
        yield "feeds", ", ".join(told)
    for what, words in (("tables", "tables"), ("structure", "the structure")):
        if lacking := _count(stats, f"corpus/{what}/failed"):
            yield "folder", f"it lacks {words} of {lacking:,} pages, see the log"
    if _count(stats, "corpus/drain_errors"):
        yield "held pages", "could not all be read back, see the log"
    if counts := _count(stats, "corpus/counts/failed"):
        yield "counts", f"{counts:,} could not be kept or read, see the log"
    if flawed := _count(stats, "corpus/items/flawed"):
        yield "items", f"{flawed:,} with url and html were no pages, see the log"
    if errors := _count(stats, "log_count/ERROR") + _count(stats, "log_count/CRITICAL"):
        yield "errors", f"{errors:,}, see the log"


def _count(stats: Mapping[str, Any], key: str) -> int:
    return int(stats.get(key) or 0)


def _reasons(stats: Mapping[str, Any], prefix: str) -> dict[str, int]:
    return {
        key.removeprefix(prefix): int(value)
        for key, value in stats.items()
        if key.startswith(prefix) and value
    }


def by_reason(stats: Mapping[str, Any], prefix: str) -> str:
    """Give the sum of the figures under a prefix, and each of them; empty where there is none."""
    reasons = _reasons(stats, prefix)
    if not reasons:
        return ""
    ranked = sorted(reasons.items(), key=lambda entry: (-entry[1], entry[0]))
    listed = ", ".join(f"{reason} {number:,}" for reason, number in ranked)
    return f"{sum(reasons.values()):,} ({listed})"


def _left_alone(stats: Mapping[str, Any]) -> list[str]:
    sites = stats.get("corpus/left_alone") or []
    shown = sites if len(sites) <= _SITES_SHOWN else sites[: _SITES_SHOWN - 1]
    lines = [
        f"  left alone  {fit_width(site['site'], _TEXT_WIDTH)} {site['why']}" for site in shown
    ]
    if len(shown) < len(sites):
        lines.append(f"  left alone  and {len(sites) - len(shown):,} more, see the log")
    return lines


def _most_dropped(stats: Mapping[str, Any]) -> list[str]:
    top = (stats.get("corpus/top_dropped") or [])[:_MOST_DROPPED]
    if not top:
        return []
    lines = [
        f"    {block['pages']:>7,} pages  {fit_width(block['text'], _TEXT_WIDTH)}" for block in top
    ]
    return ["  dropped most often:", *lines]


def _folders(stats: Mapping[str, Any]) -> list[str]:
    folders = (stats.get(f"corpus/{what}/folder") for what in ("tables", "structure"))
    return [str(folder) for folder in folders if folder]


def _outputs(outputs: Sequence[str]) -> list[str]:
    if not outputs:
        return ["  output      none: name a file with -O pages.jsonl"]
    shown = outputs if len(outputs) <= _OUTPUTS_SHOWN else outputs[: _OUTPUTS_SHOWN - 1]
    lines = [f"  output      {output}" for output in shown]
    if len(shown) < len(outputs):
        lines.append(f"  output      and {len(outputs) - len(shown):,} more")
    return lines


def _spool(stats: Mapping[str, Any]) -> list[str]:
    spool, reason = stats.get("corpus/spool"), stats.get("corpus/spool_kept_because")
    if not spool or not Path(str(spool)).exists():
        return []
    lines = [f"  held pages  {spool}"]
    return [*lines, f"  {'':<11} kept because: {reason}"] if reason else lines
