"""Plots as lines and texts with their places, which HTML pages and the studio draw as SVG.

Colours are classes of a style sheet, ``s0`` to ``s7`` for the series, so that a plot is readable on
light and on dark ground. Labels that would overlap are left out. All values of a plot are in its
table too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.core.wording import width_of
from crawler.reports.stdout import Table

COLOURS: Final = 8
"""How many series have colours of their own."""

OTHER: Final = "other"
"""The series of all that have none."""

_WIDTH: Final = 500
_HEIGHT: Final = 190
_FLOOR: Final = _HEIGHT - 24
_TOP: Final = 12
_RIGHT: Final = 10
# Of a label: a character of one column, its height, and the least room between two labels.
_CHAR: Final = 6.6
_LINE: Final = 14
_GAP: Final = 8
_WIDEST_BAR: Final = 28
_DOT: Final = 5
_TICKS: Final = 4


@dataclass(frozen=True, slots=True)
class Drawing:
    """What is drawn.

    Attributes:
        width, height: In units of an SVG view box.
        paths: The class, the width of the stroke, and the ``d`` of each path, those behind first.
        texts: Place, ``text-anchor`` and text of each label.
        slots: Of bars, from where to where each row of the table is.
    """

    width: int
    height: int
    paths: tuple[tuple[str, float, str], ...]
    texts: tuple[tuple[float, float, str, str], ...]
    slots: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot with what explains it.

    Attributes:
        name: What is shown, as an identifier.
        title: The same for people.
        legend: The class and the name of each series.
        table: All values.
    """

    name: str
    title: str
    legend: tuple[tuple[str, str], ...]
    table: Table
    drawing: Drawing


def bar_plot(
    name: str, title: str, columns: Sequence[str], series: Mapping[str, Sequence[int]]
) -> Plot:
    """Return a plot of stacked bars.

    Args:
        name: what it shows, as in :class:`Plot`.
        title: the same for people.
        columns: the label of each bar.
        series: the values of each series, one a column, the lowest part of the bars first. Series
            beyond the colours there are become one, :data:`OTHER`.
    """
    parts = {key: tuple(values) for key, values in series.items()}
    if len(parts) > COLOURS:
        kept = [key for key in parts if key != OTHER][: COLOURS - 1]
        rest = [parts.pop(key) for key in list(parts) if key not in kept]
        parts[OTHER] = tuple(map(sum, zip(*rest, strict=True)))
    rows = tuple(
        (label, *(f"{values[at]:,}" for values in parts.values()))
        for at, label in enumerate(columns)
    )
    legend = tuple((f"s{number}", key) for number, key in enumerate(parts))
    table = Table("", tuple(parts), rows)
    return Plot(name, title, legend, table, _bars(columns, list(parts.values())))


def _bars(columns: Sequence[str], series: Sequence[Sequence[int]]) -> Drawing:
    ticks = _ticks(max(map(sum, zip(*series, strict=True)), default=0))
    left = max(_width(f"{tick:,}") for tick in ticks) + _GAP
    slot = (_WIDTH - _RIGHT - left) / max(len(columns), 1)
    wide = round(max(1.0, min(slot * 0.8, _WIDEST_BAR)), 1)
    per_unit = (_FLOOR - _TOP) / ticks[-1]
    middles = [left + slot * (at + 0.5) for at in range(len(columns))]
    paths = [_grid(left, [_FLOOR - tick * per_unit for tick in ticks])]
    heights = [0.0] * len(columns)
    for number, values in enumerate(series):
        pieces = []
        for at, value in enumerate(values):
            if value:
                # What is there is seen, however little it is.
                top = heights[at] + max(1.0, value * per_unit)
                pieces.append(f"M{middles[at]:.1f} {_FLOOR - heights[at]:.1f}V{_FLOOR - top:.1f}")
                heights[at] = top
        paths.append((f"s{number}", wide, "".join(pieces)))
    texts = [_left(left, _FLOOR - tick * per_unit, tick) for tick in ticks]
    texts += _below(zip(middles, columns, strict=True))
    slots = tuple((round(middle - slot / 2, 1), round(slot, 1)) for middle in middles)
    return Drawing(_WIDTH, _HEIGHT, tuple(paths), tuple(texts), slots)


def share_plot(
    name: str, title: str, columns: Sequence[str], series: Mapping[str, Sequence[float]]
) -> Plot:
    """Return a plot of lines between 0 and 1; the arguments are those of :func:`bar_plot`."""
    left = _width("0.75") + _GAP
    slot = (_WIDTH - _RIGHT - left) / max(len(columns), 1)
    middles = [left + slot * (at + 0.5) for at in range(len(columns))]
    places = {tick: _FLOOR - tick * (_FLOOR - _TOP) for tick in (0, 0.25, 0.5, 0.75, 1)}
    paths = [_grid(left, places.values())]
    for number, values in enumerate(series.values()):
        points = zip(middles, values, strict=True)
        line = "L".join(f"{x:.1f} {_FLOOR - value * (_FLOOR - _TOP):.1f}" for x, value in points)
        # A line of one point is a dot.
        paths.append((f"dots s{number}", 2, f"M{line}h0" if line else ""))
    texts = [_left(left, y, tick) for tick, y in places.items()]
    texts += _below(zip(middles, columns, strict=True))
    rows = zip(*([f"{value:.3f}" for value in values] for values in series.values()), strict=True)
    cells = tuple((label, *row) for label, row in zip(columns, rows, strict=True))
    legend = tuple((f"s{number}", key) for number, key in enumerate(series))
    drawing = Drawing(_WIDTH, _HEIGHT, tuple(paths), tuple(texts))
    return Plot(name, title, legend, Table("", tuple(series), cells), drawing)


def _ticks(most: int) -> list[int]:
    """Return round numbers from 0 to at least the largest value."""
    step, factor = 1, 0
    while step * _TICKS < most:
        factor += 1
        step = (1, 2, 5)[factor % 3] * 10 ** (factor // 3)
    return [step * number for number in range(max(1, -(-most // step)) + 1)]


def curve_plot(
    name: str,
    title: str,
    curves: Mapping[str, Sequence[tuple[int, int]]],
    lines: Sequence[tuple[int, int]],
    table: Table,
) -> Plot:
    """Return a plot of points on logarithmic axes.

    Args:
        name: what it shows, as in :class:`Plot`.
        title: the same for people.
        curves: the points of each series, with both values from 1 on.
        lines: for each vertical line the value after which it stands, and the number of its series.
        table: all values.
    """
    points = [point for curve in curves.values() for point in curve]
    rows = sorted(lines)
    top = _TOP + _LINE * len(rows)
    largest = max((y for _, y in points), default=1)
    y_of = _logarithmic(0.7, max(largest, 2), _FLOOR, top)
    labels = [(y_of(tick), tick) for tick in _log_ticks(largest)]
    left = max(_width(f"{tick:,}") for _, tick in labels) + _GAP
    widest = max((x for x, _ in points), default=1)
    x_of = _logarithmic(0.8, max(widest + 1, widest * 1.1), left, _WIDTH - _RIGHT)
    paths = [_grid(left, [y for y, _ in labels])]
    for number, curve in enumerate(curves.values()):
        dots = "".join(f"M{x_of(x):.1f} {y_of(y):.1f}h0" for x, y in curve)
        paths.append((f"dots s{number}", _DOT, dots))
    texts = [_left(left, y, tick) for y, tick in labels]
    texts += _below((x_of(tick), f"{tick:,}") for tick in _log_ticks(widest))
    for row, (value, number) in enumerate(rows):
        # A line has a row of its own for its label, above all lines to its right.
        x, y, label = x_of(math.sqrt(value * (value + 1))), _TOP + _LINE * row, f"≤ {value:,}"
        paths.append((f"line s{number}", 1.5, f"M{x:.1f} {y - 8}V{_FLOOR}"))
        fits = x + 4 + _width(label) <= _WIDTH
        texts.append((round(x + (4 if fits else -4), 1), y, "start" if fits else "end", label))
    legend = tuple((f"s{number}", key) for number, key in enumerate(curves))
    return Plot(name, title, legend, table, Drawing(_WIDTH, _HEIGHT, tuple(paths), tuple(texts)))


def _logarithmic(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    per_unit = (end - start) / math.log(high / low)
    return lambda value: start + per_unit * math.log(value / low)


def _log_ticks(most: int) -> list[int]:
    """Return some powers of ten up to a number, and 2 and 5 times these where there are few."""
    powers = [10**power for power in range(len(str(most)))]
    few = len(powers) <= 2  # noqa: PLR2004 - 1 and 10
    more = [factor * power for factor in (2, 5) for power in powers] if few else []
    return [tick for tick in (*powers[:: -(-len(powers) // _TICKS)], *more) if tick <= most]


def _grid(left: float, places: Iterable[float]) -> tuple[str, float, str]:
    lines = "".join(f"M{left:.1f} {y:.1f}H{_WIDTH - _RIGHT}" for y in places)
    return "grid", 1, lines


def _left(left: float, y: float, tick: float) -> tuple[float, float, str, str]:
    return round(left - _GAP / 2, 1), round(y + 4, 1), "end", f"{tick:,}"


def _below(labels: Iterable[tuple[float, str]]) -> list[tuple[float, float, str, str]]:
    """Return the labels below a plot, the first ones first, without those that would overlap."""
    taken: list[tuple[float, float]] = []
    texts = []
    for middle, text in labels:
        half = _width(text) / 2
        x = min(max(middle, half), _WIDTH - half)
        if all(x + half + _GAP <= start or end + _GAP <= x - half for start, end in taken):
            taken.append((x - half, x + half))
            texts.append((round(x, 1), float(_HEIGHT - 4), "middle", text))
    return texts


def _width(text: str) -> float:
    return _CHAR * width_of(text)
