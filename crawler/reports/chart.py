"""Small line charts: what they show and where it lies. The template ``chart.html`` draws them.

A chart is one SVG element without scripts. Its colours and line styles are those of the page.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LARGE: Final = (760, 380)
SMALL: Final = (330, 230)
"""Sizes of charts, width and height in pixels: one below another, and several in a row."""

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
    size: tuple[int, int] = LARGE

    @property
    def area(self) -> tuple[int, int, int, int]:
        """The left, right, upper and lower edge of the area between the axes."""
        return _LEFT, self.size[0] - _RIGHT, _TOP, self.size[1] - _BOTTOM

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
                yield at, label, self.size[0] - _RIGHT - at > len(label) * _LETTER

    def _across(self, value: float) -> float:
        left, right, _, _ = self.area
        return round(left + self.x.share(value) * (right - left), 1)

    def _down(self, value: float) -> float:
        _, _, top, bottom = self.area
        return round(bottom - self.y.share(value) * (bottom - top), 1)
