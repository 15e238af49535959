"""Small line charts as SVG: two axes, some series, some marks. No scripts, no colours of its own.

Colours and line styles are those of the classes in :data:`STYLE`, so that a chart follows the page
it stands on, in light and dark and on paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["STYLE", "Axis", "Mark", "Series", "count_axis", "draw", "legend"]

STYLE: Final = """
svg { max-width: 100%; height: auto; }
svg text { fill: var(--ink); font: 12px var(--face); }
svg.small text { font-size: 11px; }
svg .axis { stroke: var(--ink); stroke-width: 1; }
svg .grid { stroke: var(--faint); stroke-width: 1; }
svg .mark { stroke: var(--ink); stroke-width: 1.2; stroke-dasharray: 2 3; }
svg polyline { fill: none; stroke-width: 2; stroke-linejoin: round; }
svg .a { stroke: var(--a); } svg .b { stroke: var(--b); } svg .c { stroke: var(--c); }
svg polyline.b { stroke-dasharray: 7 4; } svg polyline.c { stroke-dasharray: 2 3; }
svg circle { stroke-width: 1.5; fill: none; } svg circle.a { fill: var(--a); stroke: none; }
"""
"""What the charts need of a page's style.

The page sets ``--ink``, ``--faint``, ``--face`` (a font) and ``--a``, ``--b``, ``--c`` (colours of
the series)."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 16, 34, 40
_KEY_WIDTH, _KEY_HEIGHT = 34, 12
_LETTER = 6.5
_FEW_POWERS = 4


@dataclass(frozen=True, slots=True)
class Axis:
    """A direction: what is shown along it, from where to where.

    ``ticks``
        Values with the words that stand at them; words that would overlap are left out.
    ``log``
        Whether equal factors are equally far apart; then all values are above 0.
    ``reverse``
        Whether it grows to the left, or downwards.
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


@dataclass(frozen=True, slots=True)
class Series:
    """Some points with a name, as a line or as dots; ``look`` is ``a``, ``b`` or ``c``."""

    name: str
    points: tuple[tuple[float, float], ...]
    look: str
    dots: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """An upright line at a value of the x axis, with a few words at its top."""

    x: float
    words: str


def count_axis(label: str, most: int) -> Axis:
    """Return an axis of counts from 1 on, with a tick at each power of ten; more where few are."""
    most = max(most, 1)
    powers = [10**power for power in range(len(str(most)))]
    steps = (1, 2, 5) if len(powers) < _FEW_POWERS else (1,)
    named = [power * step for power in powers for step in steps]
    ticks = tuple((float(value), f"{value:,}") for value in named if value <= most)
    high = float(max(most, 2)) ** 1.03  # a little room after the last point
    return Axis(label, 0.85, high, ticks, log=True)


def draw(  # noqa: PLR0913 - a chart is these six things
    title: str,
    x: Axis,
    y: Axis,
    series: Sequence[Series],
    *,
    marks: Sequence[Mark] = (),
    size: tuple[int, int] = (680, 340),
) -> str:
    """Draw a chart.

    Args:
        title: what it shows, for those who cannot see it.
        x: the axis below.
        y: the axis at the left.
        series: what is drawn, the last on top.
        marks: upright lines.
        size: width and height in pixels of the screen, or units of the paper.

    Returns:
        One ``svg`` element. Labels are escaped: they may hold whatever pages hold.
    """
    plot = _Plot(x, y, size)
    parts = [
        *plot.axes(),
        *(plot.mark(mark) for mark in marks if x.low <= mark.x <= x.high),
        *(plot.series(one) for one in series),
    ]
    width, height = size
    small = "small" if width < 400 else "large"  # noqa: PLR2004 - several a row
    return (
        f'<svg class="{small}" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img"><title>{escape(title)}</title>\n' + "\n".join(parts) + "\n</svg>"
    )


def legend(series: Sequence[Series]) -> str:
    """Return a line that names the series, each behind a sample of it."""
    entries = []
    for one in series:
        middle = _KEY_HEIGHT / 2
        sample = (
            _dot(one.look, _KEY_WIDTH / 2, middle)
            if one.dots
            else f'<polyline class="{one.look}" points="1,{middle} {_KEY_WIDTH - 1},{middle}"/>'
        )
        entries.append(
            f'<span><svg width="{_KEY_WIDTH}" height="{_KEY_HEIGHT}" aria-hidden="true">{sample}'
            f"</svg> {escape(one.name)}</span>"
        )
    return f'<p class="legend">{" ".join(entries)}</p>'


@dataclass(frozen=True, slots=True)
class _Plot:
    """The area between the axes of a chart of some size."""

    x: Axis
    y: Axis
    size: tuple[int, int]

    def _across(self, value: float) -> float:
        return _LEFT + self.x.share(value) * (self.size[0] - _LEFT - _RIGHT)

    def _down(self, value: float) -> float:
        return self.size[1] - _BOTTOM - self.y.share(value) * (self.size[1] - _TOP - _BOTTOM)

    def axes(self) -> list[str]:
        """Draw both axes with their ticks, and a line across for each tick at the left."""
        width, height = self.size
        left, right, top, bottom = _LEFT, width - _RIGHT, _TOP, height - _BOTTOM
        parts = []
        for value, words in self.y.ticks:
            at = self._down(value)
            parts.append(_line("grid", left, at, right, at))
            parts.append(_text(left - 7, at + 4, words, "end"))
        for at, words in self._ticks_below():
            parts.append(_line("axis", at, bottom, at, bottom + 4))
            parts.append(_text(at, bottom + 17, words, "middle"))
        parts.append(_line("axis", left, bottom, right, bottom))
        parts.append(_line("axis", left, top, left, bottom))
        parts.append(_text((left + right) / 2, height - 6, self.x.label, "middle"))
        parts.append(_text(2, 12, self.y.label, "start"))
        return parts

    def _ticks_below(self) -> list[tuple[float, str]]:
        """Return where the words below go, the first of those that would overlap."""
        taken: list[tuple[float, float]] = []
        ticks = []
        for value, words in self.x.ticks:
            at, half = self._across(value), len(words) * _LETTER / 2 + 3
            if all(at + half <= start or at - half >= end for start, end in taken):
                taken.append((at - half, at + half))
                ticks.append((at, words))
        return ticks

    def series(self, series: Series) -> str:
        places = [(self._across(x), self._down(y)) for x, y in series.points]
        # A line of one point would not be seen.
        if series.dots or len(places) == 1:
            return "\n".join(_dot(series.look, x, y) for x, y in places)
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        return f'<polyline class="{series.look}" points="{points}"/>'

    def mark(self, mark: Mark) -> str:
        at = self._across(mark.x)
        # Words go to the side where there is room.
        room = self.size[0] - _RIGHT - at > len(mark.words) * _LETTER
        words = _text(at + (4 if room else -4), _TOP - 5, mark.words, "start" if room else "end")
        return _line("mark", at, _TOP, at, self.size[1] - _BOTTOM) + words


def _dot(look: str, x: float, y: float) -> str:
    # Filled dots are smaller, so that each of two in one place is seen.
    return f'<circle class="{look}" cx="{x:.1f}" cy="{y:.1f}" r="{2.5 if look == "a" else 4}"/>'


def _line(look: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{look}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'
