"""Line charts, and how many of a site's blocks have which frequency. ``chart.html`` draws them.

A chart is one SVG element without scripts. Its colours and line styles are those of the page.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from crawler.core.flow import SiteView

SIZE: Final = (760, 380)
"""Width and height of a chart in pixels."""

# Widths of the letters of labels, in pixels, and the space around the area of the chart.
_LETTER: Final = 6.5
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 16, 34, 40
_FEW_POWERS: Final = 4


class Mark(NamedTuple):
    """A vertical line at a value of the x axis, with a label at its top."""

    x: float
    label: str


class Series(NamedTuple):
    """Points with a name, drawn as a line or as dots; ``look`` is ``a``, ``b`` or ``c``."""

    name: str
    points: tuple[tuple[float, float], ...]
    look: str
    dots: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    """A direction: what is shown along it, from where to where.

    ``ticks``
        Values with their labels. Labels that would overlap are left out.
    ``log``
        Whether equal factors are equally far apart; then all values are above 0.
    ``reverse``
        Whether values grow to the left, or downwards.
    """

    label: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    log: bool = False
    reverse: bool = False

    def share(self, value: float) -> float:
        """Return how far along the axis a value lies, from 0 to 1."""
        low, high, at = self.low, self.high, value
        if self.log:
            low, high, at = math.log(low), math.log(high), math.log(at)
        share = (at - low) / (high - low) if high > low else 0.5
        return 1 - share if self.reverse else share


def count_axis(label: str, most: int) -> Axis:
    """Return a logarithmic axis of counts from 1 to ``most``, with ticks at round numbers."""
    most = max(most, 1)
    powers = [10**power for power in range(len(str(most)))]
    steps = (1, 2, 5) if len(powers) < _FEW_POWERS else (1,)
    named = [power * step for power in powers for step in steps]
    ticks = tuple((float(value), f"{value:,}") for value in named if value <= most)
    high = float(max(most, 2)) ** 1.03  # a little room after the last point
    return Axis(label, 0.85, high, ticks, log=True)


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, as ``chart.html`` draws it. Positions are pixels from the upper left corner.

    ``title``, ``caption``
        What it shows, for those who cannot see it, and the line below it.
    ``series``
        What is drawn, the last one on top.
    ``marks``
        Vertical lines. Those outside the x axis are left out.
    """

    title: str
    caption: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    marks: tuple[Mark, ...] = ()

    size = SIZE
    area: ClassVar = (_LEFT, SIZE[0] - _RIGHT, _TOP, SIZE[1] - _BOTTOM)
    """The left, right, upper and lower edge of the area between the axes."""

    def places(self, points: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
        """Return where points lie."""
        return [(self._across(x), self._down(y)) for x, y in points]

    def y_ticks(self) -> Iterator[tuple[float, str]]:
        """Yield the positions and labels of the ticks at the left."""
        for value, label in self.y.ticks:
            yield self._down(value), label

    def x_ticks(self) -> Iterator[tuple[float, str]]:
        """Yield the positions and labels of the ticks below, of overlapping ones the first."""
        taken: list[tuple[float, float]] = []
        for value, label in self.x.ticks:
            at, half = self._across(value), len(label) * _LETTER / 2 + 3
            if all(at + half <= start or at - half >= end for start, end in taken):
                taken.append((at - half, at + half))
                yield at, label

    def shown_marks(self) -> Iterator[tuple[float, str, bool]]:
        """Yield position, label, and whether there is room for the label at the right."""
        for value, label in self.marks:
            if self.x.low <= value <= self.x.high:
                at = self._across(value)
                yield at, label, SIZE[0] - _RIGHT - at > len(label) * _LETTER

    def _across(self, value: float) -> float:
        left, right, _, _ = self.area
        return round(left + self.x.share(value) * (right - left), 1)

    def _down(self, value: float) -> float:
        _, _, top, bottom = self.area
        return round(bottom - self.y.share(value) * (bottom - top), 1)


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
    ) -> Chart:
        """Return a chart of distinct blocks and occurrences by frequency.

        Args:
            caption: the line below the chart.
            counted: what a frequency counts, as a noun in the plural.
            marks: vertical lines at frequencies.
        """
        return Chart(
            title=f"Distinct blocks and {counted} by frequency",
            caption=caption,
            x=count_axis("frequency", max(self.levels, default=1)),
            y=count_axis("how many", max(self.occurrences, default=1)),
            series=tuple(
                Series(name, tuple(zip(self.levels, numbers, strict=True)), look, dots=True)
                for name, numbers, look in (
                    (counted, self.occurrences, "b"),
                    ("distinct", self.blocks, "a"),
                )
            ),
            marks=marks,
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
