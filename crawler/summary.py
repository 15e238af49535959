"""What a person reads when a crawl has ended, made from the crawl's stats alone."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["fit_width", "summary"]

_TEXT_WIDTH: Final = 70
_OUTPUTS_SHOWN: Final = 5
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
        *_most_dropped(stats),
        *_outputs(outputs),
        *_spool(stats),
    ]


def fit_width(text: str, width: int) -> str:
    """Put ``text`` on one line of at most ``width`` terminal columns.

    East Asian wide letters take two columns and combining marks none. What a terminal would act
    upon (control and format characters) is left out, since the text comes from strangers' pages.
    """
    line = "".join(char for char in " ".join(text.split()) if char.isprintable())
    if sum(map(_columns, line)) <= width:
        return line
    used, end = 1, 0
    for char in line:
        used += _columns(char)
        if used > width:
            break
        end += 1
    return line[:end].rstrip() + "…"


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


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
    def count(key: str) -> int:
        return int(stats.get(key) or 0)

    pages = (
        f"{count('corpus/pages/fetched'):,} fetched, {count('corpus/pages/exported'):,} exported"
    )
    if near := count("corpus/pages/near_duplicates"):
        pages += f", {near:,} near-duplicates"
    yield "pages", pages
    if skipped := _by_reason(stats, "corpus/skipped/"):
        yield "skipped", skipped
    if failed := _by_reason(stats, "corpus/failed/"):
        yield "failed", failed
    if dropped := count("item_dropped_count"):
        yield "pipelines", f"{dropped:,} items dropped"
    if sites := count("corpus/sites"):
        yield "sites", f"{sites:,}"
    kept, lost = count("corpus/blocks/kept"), count("corpus/blocks/dropped")
    if kept or lost:
        yield "blocks", f"{kept:,} kept, {lost:,} dropped"
    if errors := count("log_count/ERROR") + count("log_count/CRITICAL"):
        yield "errors", f"{errors:,}, see the log"


def _by_reason(stats: Mapping[str, Any], prefix: str) -> str:
    reasons = {
        key.removeprefix(prefix): int(value)
        for key, value in stats.items()
        if key.startswith(prefix) and value
    }
    if not reasons:
        return ""
    ranked = sorted(reasons.items(), key=lambda entry: (-entry[1], entry[0]))
    listed = ", ".join(f"{reason} {number:,}" for reason, number in ranked)
    return f"{sum(reasons.values()):,} ({listed})"


def _most_dropped(stats: Mapping[str, Any]) -> list[str]:
    top = (stats.get("corpus/top_dropped") or [])[:_MOST_DROPPED]
    if not top:
        return []
    lines = [
        f"    {block['pages']:>7,} pages  {fit_width(block['text'], _TEXT_WIDTH)}" for block in top
    ]
    return ["  dropped most often:", *lines]


def _outputs(outputs: Sequence[str]) -> list[str]:
    if not outputs:
        return ["  output      none: name a file with -O pages.jsonl"]
    shown = outputs if len(outputs) <= _OUTPUTS_SHOWN else outputs[: _OUTPUTS_SHOWN - 1]
    lines = [f"  output      {output}" for output in shown]
    if len(shown) < len(outputs):
        lines.append(f"  output      and {len(outputs) - len(shown):,} more")
    return lines


def _spool(stats: Mapping[str, Any]) -> list[str]:
    spool = stats.get("corpus/spool")
    return [f"  held pages  {spool}"] if spool and Path(str(spool)).exists() else []
