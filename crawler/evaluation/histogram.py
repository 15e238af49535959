"""How many of a site's blocks have which frequency."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from crawler.core.flow import SiteView

__all__ = ["Histogram", "block_histogram", "sum_histograms"]

_MOST_ROWS = 12
_EACH_LEVEL = 4


@dataclass(frozen=True, slots=True)
class Histogram:
    """Distinct blocks by frequency.

    ``levels``
        The distinct frequencies, ascending, from 1 on: the ranks of Kim and Kim (2021) in order.
    ``blocks``
        How many distinct blocks have each.
    """

    levels: tuple[int, ...]
    blocks: tuple[int, ...]

    @classmethod
    def of(cls, frequencies: NDArray[Any]) -> Self:
        """Count the frequencies of some blocks; those of 0 are left out."""
        levels, blocks = np.unique(frequencies[frequencies > 0], return_counts=True)
        return cls(tuple(levels.tolist()), tuple(blocks.tolist()))

    @classmethod
    def total(cls, parts: Iterable[Histogram]) -> Self:
        """Add histograms up; a block that several sites have counts for each."""
        sums: Counter[int] = Counter()
        for part in parts:
            sums.update(dict(zip(part.levels, part.blocks, strict=True)))
        levels = sorted(sums)
        return cls(tuple(levels), tuple(sums[level] for level in levels))

    @property
    def occurrences(self) -> tuple[int, ...]:
        """How often the blocks of each level stand on the site: level times blocks."""
        return tuple(level * blocks for level, blocks in zip(self.levels, self.blocks, strict=True))

    def ranks_within(self, threshold: int | None) -> int:
        """Return how many levels are at most ``threshold``; all of them where that is None."""
        return len(self.levels) if threshold is None else bisect_right(self.levels, threshold)

    def rows(self) -> tuple[tuple[str, str, str], ...]:
        """Return table rows: frequency, distinct blocks, occurrences; many levels are grouped."""
        groups: dict[tuple[int, int], tuple[int, int]] = {}
        few = len(self.levels) <= _MOST_ROWS
        for level, blocks in zip(self.levels, self.blocks, strict=True):
            group = (level, level) if few else _group(level)
            known, times = groups.get(group, (0, 0))
            groups[group] = (known + blocks, times + level * blocks)
        return tuple(
            (f"{low:,}" if low == high else f"{low:,}-{high:,}", f"{blocks:,}", f"{times:,}")
            for (low, high), (blocks, times) in groups.items()
        )


def _group(level: int) -> tuple[int, int]:
    """Return from where to where the levels of one row reach: 5 to 8, 9 to 16, 17 to 32."""
    if level <= _EACH_LEVEL:
        return level, level
    high = 2 ** (level - 1).bit_length()
    return high // 2 + 1, high


def block_histogram(view: SiteView) -> Histogram:
    """Return a site's visible blocks by the distinct pages they stand on.

    Counted is where they are more than a hyperlink; blocks that are nowhere more are left out.
    """
    levels, blocks = view.text_levels()
    return Histogram(tuple(levels.tolist()), tuple(blocks.tolist()))


def sum_histograms(view: SiteView) -> dict[str, Histogram]:
    """Return, by name, what methods had added up over a site, by how often it was counted."""
    return {name: Histogram.of(sums.counts) for name, sums in sorted(view.sums.items())}
