"""How to read the statistics of crawls. ``docs/statistics.md`` declares their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


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
