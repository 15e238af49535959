"""How many of a site's blocks have which frequency: as table rows and as a chart."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from crawler.reports.chart import LARGE, Chart, Series, count_axis

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from crawler.core.flow import SiteView
    from crawler.reports.chart import Mark

MOST_SITES: Final = 24
"""How many sites of a page have charts of their own."""

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
        """Count the frequencies of blocks; those of 0 are left out."""
        levels, blocks = np.unique(frequencies[frequencies > 0], return_counts=True)
        return cls(tuple(levels.tolist()), tuple(blocks.tolist()))

    @classmethod
    def total(cls, parts: Iterable[Histogram]) -> Self:
        """Add histograms up; a block that several sites have counts for each."""
        sums: Counter[int] = Counter()
        for part in parts:
            sums.update(dict(zip(part.levels, part.blocks, strict=True)))
        return cls(tuple(sorted(sums)), tuple(sums[level] for level in sorted(sums)))

    @property
    def occurrences(self) -> tuple[int, ...]:
        """How often the blocks of each level occur on the site: level times blocks."""
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

    def chart(
        self,
        caption: str,
        counted: str = "occurrences",
        *,
        marks: tuple[Mark, ...] = (),
        size: tuple[int, int] = LARGE,
    ) -> Chart:
        """Return a chart of distinct blocks and occurrences by frequency.

        Args:
            caption: the line below the chart.
            counted: what a frequency counts, as a noun in the plural.
            marks: vertical lines at frequencies.
            size: width and height in pixels.
        """
        return Chart(
            title=f"Distinct blocks and {counted} by frequency",
            caption=caption,
            x=count_axis("frequency", max(self.levels, default=1)),
            y=count_axis("how many", max(self.occurrences, default=1)),
            series=(
                Series(
                    counted, tuple(zip(self.levels, self.occurrences, strict=True)), "b", dots=True
                ),
                Series(
                    "distinct", tuple(zip(self.levels, self.blocks, strict=True)), "a", dots=True
                ),
            ),
            marks=marks,
            size=size,
        )


def _group(level: int) -> tuple[int, int]:
    """Return the lowest and highest level of a level's row: 5 to 8, 9 to 16, 17 to 32."""
    if level <= _EACH_LEVEL:
        return level, level
    high = 2 ** (level - 1).bit_length()
    return high // 2 + 1, high


def block_histogram(view: SiteView) -> Histogram:
    """Return a site's visible blocks by the distinct pages on which they are more than a link."""
    levels, blocks = view.text_levels()
    return Histogram(tuple(levels.tolist()), tuple(blocks.tolist()))


def sum_histograms(view: SiteView) -> dict[str, Histogram]:
    """Return, by name, the histograms of what methods have added up over a site."""
    return {name: Histogram.of(sums.counts) for name, sums in sorted(view.sums.items())}


def scope(sites: Sequence[str]) -> str:
    """Return the caption of a chart of all sites together."""
    return sites[0] if len(sites) == 1 else f"All {len(sites):,} sites together"


def left_out(sites: int) -> str:
    """Return what a page says of sites without charts of their own; empty where there is none."""
    if sites <= MOST_SITES:
        return ""
    return (
        f"The {MOST_SITES} largest of the {sites:,} sites have charts of their own; the chart over "
        "all holds all of them."
    )
