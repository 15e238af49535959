"""A first verdict on every block, as evidence for the second verdict on each.

An article is one thing: what stands between blocks of it is likely of it, and so is what stands in
the same element, or in elements of the same kind.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from crawler.core.methods.article.features import Evidence

__all__ = ["in_context"]

_OFFSETS = (-4, -3, -2, -1, 1, 2, 3, 4)
_WINDOWS = (2, 5, 12)
_LEVELS = 4
# What a block of text says for and against a run, in words.
_MOST = 60.0


def _columns(evidence: Evidence, first: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    layout, sizes = evidence.layout, evidence.sizes
    count = len(first)
    weights = np.minimum(sizes, _MOST) + 1.0
    columns = {"first": first}
    for offset in _OFFSETS:
        moved = np.full(count, -1.0)
        if offset < 0:
            moved[-offset:] = first[:offset]
        else:
            moved[:-offset] = first[offset:]
        columns[f"first{offset:+}"] = moved
    heavy = np.concatenate(([0.0], np.cumsum(first * weights)))
    whole = np.concatenate(([0.0], np.cumsum(weights)))
    number = np.arange(count)
    place = number.astype(np.float64)
    for window in _WINDOWS:
        low, high = np.maximum(number - window, 0), np.minimum(number + window + 1, count)
        columns[f"window{window}"] = (heavy[high] - heavy[low]) / (whole[high] - whole[low])
        columns[f"before{window}"] = (heavy[number] - heavy[low]) / (
            whole[number] - whole[low] + 1.0
        )
        columns[f"after{window}"] = (heavy[high] - heavy[number + 1]) / (
            whole[high] - whole[number + 1] + 1.0
        )
    here = layout.at
    for level in range(_LEVELS):
        low, high = layout.begin[here], layout.end[here]
        inside, around = heavy[high] - heavy[low], whole[high] - whole[low]
        columns[f"held{level}"] = inside / around
        columns[f"others{level}"] = (inside - first * weights) / (around - weights + 1.0)
        columns[f"mass{level}"] = inside / max(heavy[-1], 1.0)
        here = layout.outer[here]
    kind = layout.kinds[layout.at]
    alike, alike_whole = np.bincount(kind, first * weights), np.bincount(kind, weights)
    columns["alike"] = (alike[kind] - first * weights) / (alike_whole[kind] - weights + 1.0)
    columns["mass_before"] = heavy[:-1] / max(heavy[-1], 1.0)
    columns["mass"] = np.full(count, np.log1p(heavy[-1]))
    columns["mass_share"] = np.full(count, heavy[-1] / whole[-1])
    begin, end = _best_run((first - 0.5) * weights)
    columns["from_run"] = place - begin
    columns["to_run"] = end - 1 - place
    likely = first > 0.5  # noqa: PLR2004 - more likely than not
    columns["from_likely"] = place - np.maximum.accumulate(np.where(likely, place, -99.0))
    ahead = np.minimum.accumulate(np.where(likely, place, count + 99.0)[::-1])[::-1]
    columns["to_likely"] = ahead - place
    return columns


def _best_run(worth: NDArray[np.float64]) -> tuple[int, int]:
    """Return where the run of greatest sum begins and ends."""
    sums = np.concatenate(([0.0], np.cumsum(worth)))
    lowest = np.minimum.accumulate(sums[:-1])
    end = int(np.argmax(sums[1:] - lowest)) + 1
    return int(np.argmin(sums[:end])), end


def in_context(evidence: Evidence, first: NDArray[np.float64]) -> Evidence:
    """Return the evidence for the second verdict: the first one's, and what that was around each.

    Args:
        evidence: what is known of the blocks.
        first: how likely each is main text, 0 to 1, by the first verdict.
    """
    columns = _columns(evidence, first)
    added = np.array(list(columns.values()), np.float32).T
    return replace(
        evidence,
        names=(*evidence.names, *columns),
        rows=np.concatenate((evidence.rows, added), axis=1),
    )
