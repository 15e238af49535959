"""How to read the statistics of crawls. ``docs/statistics.md`` declares their names."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

from crawler.core.wording import fit_width

progress_log: Final = logging.getLogger("crawler.progress")
"""Gets what a person who waits wants to see; ``scrapy corpus`` shows it at any level."""

_WIDEST: Final = 40


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
    return f"{sum(found.values()):,} ({most_frequent(found)})" if found else ""


def most_frequent(found: Mapping[str, int], most: int | None = None) -> str:
    """Name reasons with their numbers, the most frequent first; beyond some, their sum."""
    ranked = sorted(found.items(), key=lambda entry: (-entry[1], entry[0]))
    shown, rest = ranked[:most], sum(count for _, count in ranked[len(ranked[:most]) :])
    shown += [("other", rest)] if rest else []
    return ", ".join(f"{fit_width(reason, _WIDEST)} {count:,}" for reason, count in shown)
