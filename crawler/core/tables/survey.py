"""A table as the learned judges look at it: the lines of a part of it, the kind of each cell."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from crawler.core.tables.datatypes import cell_type
from crawler.core.tables.words import classes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from crawler.core.tables.grid import Cell, Grid
    from crawler.core.tables.words import Words

__all__ = [
    "Survey",
    "chars_of",
    "commonest",
    "ends_in_colon",
    "has_digits",
    "is_alone",
    "is_one_cell",
    "is_strong",
    "mean",
    "share",
    "spread",
    "with_text",
]

# What a table is shows in its first cells: of a larger one its first columns and rows are read.
_MOST_COLUMNS = 100
_MOST_CELLS = 4_000
_KINDS = {
    "integer": "number", "real": "number", "currency": "number", "percentage": "number",
    "weight": "number", "electric": "number", "temperature": "number", "postal-code": "number",
    "date": "date", "time": "date", "month": "date", "day": "date",
}  # fmt: skip
_STRONG = 0.8
_LONGEST_KEYWORD = 40
_COLON = re.compile(r"[:\uff1a]\s*\Z")


class Survey:
    """A table, or the first part of a large one.

    Attributes:
        grid: that part as a grid of its own.
        rows: its rows, each the cells that cover it.
        columns: its columns likewise.
        words: the lists by which data types are told.
    """

    def __init__(self, grid: Grid, words: Words) -> None:
        self.grid = _first_part(grid)
        self.rows = self.grid.lines()
        self.columns = self.grid.lines(down=True)
        self.words = words
        self._types: dict[int, str] = {}

    def type_of(self, cell: Cell) -> str:
        """Return a cell's data type, "" for a blank one."""
        # The grid keeps its cells alive, so that each has a number of its own.
        found = self._types.get(id(cell))
        if found is None:
            found = "" if cell.is_blank else cell_type(cell, self.words)
            self._types[id(cell)] = found
        return found

    def kind_of(self, cell: Cell) -> str:
        """Return a coarser type: all numbers are one kind, all dates and times another."""
        found = self.type_of(cell)
        return _KINDS.get(found, found)

    def is_keyword(self, cell: Cell) -> bool:
        """Tell whether a cell names an attribute of a known class."""
        text = cell.text
        if not text or len(text) >= _LONGEST_KEYWORD:
            return False
        return bool(classes_of(text.lower(), self.words))


def _first_part(grid: Grid) -> Grid:
    columns = min(grid.columns, _MOST_COLUMNS)
    rows = min(grid.rows, max(_MOST_CELLS // max(columns, 1), 1))
    if (rows, columns) == (grid.rows, grid.columns):
        return grid
    cells = tuple(
        cell
        if cell.row + cell.rowspan <= rows and cell.column + cell.colspan <= columns
        else replace(
            cell,
            rowspan=min(cell.rowspan, rows - cell.row),
            colspan=min(cell.colspan, columns - cell.column),
        )
        for cell in grid.cells
        if cell.row < rows and cell.column < columns
    )
    return replace(grid, cells=cells, rows=rows, columns=columns)


def mean(values: Sequence[float]) -> float:
    """Return the mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def spread(values: Sequence[float]) -> float:
    """Return the standard deviation as a share of the mean, 0 where that is 0."""
    middle = mean(values)
    if not middle:
        return 0.0
    variance = mean([(value - middle) ** 2 for value in values])
    return float(variance**0.5) / middle


def share(cells: Sequence[Cell], test: Callable[[Cell], object]) -> float:
    """Return the share of cells that pass a test, 0 of none."""
    return sum(1 for cell in cells if test(cell)) / len(cells) if cells else 0.0


def commonest(things: Iterable[Hashable]) -> float:
    """Return the share of the commonest thing, 0 of nothing."""
    counts = Counter(things)
    return max(counts.values()) / sum(counts.values()) if counts else 0.0


def chars_of(cells: Iterable[Cell]) -> list[float]:
    """Return how many characters each cell has."""
    return [float(cell.chars) for cell in cells]


def with_text(cells: Iterable[Cell]) -> list[Cell]:
    """Return the cells that have text."""
    return [cell for cell in cells if cell.chars]


def has_digits(cell: Cell) -> bool:
    """Tell whether a cell's text has a digit."""
    return any(map(str.isdigit, cell.text))


def is_strong(cell: Cell) -> bool:
    """Tell whether nearly all of a cell's text is bold."""
    return cell.strong_chars > _STRONG * cell.chars


def ends_in_colon(cell: Cell) -> bool:
    """Tell whether a cell's text ends with a colon."""
    return _COLON.search(cell.text) is not None


def is_alone(line: Sequence[Cell]) -> bool:
    """Tell whether one single cell covers a line."""
    return bool(line) and all(cell is line[0] for cell in line)


def is_one_cell(line: Sequence[Cell], length: int) -> bool:
    """Tell whether one single cell covers a line from end to end, and no line of one place."""
    return length > 1 and len(line) == length and is_alone(line)
