"""A table as a grid: every cell in its place, spans resolved, whatever the markup.

Rows and columns are those of the table model of HTML, with three differences that lose no text: a
cell ends where another already stands, a cell reaches no further down than its row group, as
browsers draw it, and rows and columns in which no cell begins are left out.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

# The limits that HTML itself sets.
MAX_COLSPAN, MAX_ROWSPAN = 1_000, 65_534
# Places that all cells of a table may cover together, for each of its cells: spans beyond it are
# cut, so that the grid of any markup is at most this many times as large as the markup.
_PLACES_A_CELL = 64
_DIGITS = re.compile(r"[ \t\n\f\r]*\+?(\d+)")


# Nothing changes a cell or a grid once it is laid out. They are not frozen: frozen dataclasses take
# four times as long to make.
@dataclass(slots=True, eq=False)
class Cell:
    """One cell.

    Attributes:
        row, column: its first place, from 0; -1 before it has one.
        rowspan, colspan: how many rows and columns of the grid it covers; as the markup says before
            it has a place.
        text: what is read in it, one line a paragraph, list item or ``<br>`` line. Text of tables
            inside it belongs to those.
        is_header: whether the markup says so: ``th``, ``dt``, a ``scope``, or a role.
        tag: name of its element.
        scope: the value of ``scope``, or what its role says: ``col``, ``row``, ``colgroup``,
            ``rowgroup``; "" for none.
        section: ``head``, ``body`` or ``foot``.
        chars, link_chars, strong_chars: characters that are not white space; those inside
            hyperlinks; those in bold.
        unlinked: whether letters or digits stand outside hyperlinks.
        links, images, linked_images, controls, tables: how many elements of each kind it holds.
            Controls are those of forms.
        alt: the ``alt`` of its images, where it holds nothing else; no part of its text.
        look: the attributes by which it is drawn, in lower case: ``name=value`` with spaces
            between.
        inside: names of the first elements that it holds, in the order in which they begin.
        is_blank: whether there is nothing in it: no text, image, control or table. This and what
            follows is set where cells get their places.
        is_image: whether it holds images and nothing to read.
        is_link: whether all its words and images are hyperlinks; signs may stand between them.
    """

    row: int = -1
    column: int = -1
    rowspan: int = 1
    colspan: int = 1
    text: str = ""
    is_header: bool = False
    tag: str = "td"
    scope: str = ""
    section: str = "body"
    chars: int = 0
    link_chars: int = 0
    unlinked: bool = False
    strong_chars: int = 0
    links: int = 0
    images: int = 0
    linked_images: int = 0
    controls: int = 0
    tables: int = 0
    alt: str = ""
    look: str = ""
    inside: str = ""
    is_blank: bool = False
    is_image: bool = False
    is_link: bool = False

    def sum_up(self) -> None:
        """Set what all that is counted of the cell comes to."""
        self.link_chars = min(self.link_chars, self.chars)
        self.strong_chars = min(self.strong_chars, self.chars)
        has_more = self.controls > 0 or self.tables > 0
        self.is_blank = not (self.chars or self.images or has_more)
        self.is_image = self.images > 0 and not (self.chars or has_more)
        self.is_link = (
            self.link_chars + self.linked_images > 0
            and not self.unlinked
            and self.linked_images == self.images
            and not has_more
        )


@dataclass(slots=True, eq=False)
class Grid:
    """A table.

    Attributes:
        cells: in the order of their first places, row by row. No two cover one place.
        rows, columns: size of the grid. A row may be shorter than others: what no cell covers is a
            gap.
        caption: text of the ``caption``; None where there is none.
        kind: ``table``; ``div`` for elements with the roles or styles of one; ``list`` for a
            definition list, whose terms are headers of the descriptions to their right.
        tables: how many tables stand inside it, at any depth.
        role, summary, label: the attributes ``role``, ``summary`` and ``aria-label``, "" where
            missing.
        says_layout: whether its markup calls it layout: ``role`` is ``presentation`` or ``none``,
            or ``datatable`` is 0.
        in_form: whether it stands in a form, or holds one around its rows.
        look: the attributes by which it is drawn, as of cells.
        nesting: how many tables it stands in.
        path: names of the elements it stands in, the innermost first: eight at most.
        found: what was found in it and will be asked for again, by its name.
    """

    cells: tuple[Cell, ...] = ()
    rows: int = 0
    columns: int = 0
    caption: str | None = None
    kind: str = "table"
    tables: int = 0
    role: str = ""
    summary: str = ""
    label: str = ""
    says_layout: bool = False
    in_form: bool = False
    look: str = ""
    nesting: int = 0
    path: tuple[str, ...] = ()
    found: dict[object, Any] = field(default_factory=dict, init=False, repr=False)

    def lines(self, *, down: bool = False) -> list[list[Cell]]:
        """Return the cells that cover each row, or with ``down`` each column, in order.

        A cell that covers several of them stands in each; in one it stands as often as it covers
        places of it. Gaps are left out.
        """
        key = "columns" if down else "rows"
        if key not in self.found:
            self.found[key] = self._divided(down=down)
        found: list[list[Cell]] = self.found[key]
        return found

    def _divided(self, *, down: bool) -> list[list[Cell]]:
        lines: list[list[Cell]] = [[] for _ in range(self.columns if down else self.rows)]
        cells: Iterable[Cell] = self.cells
        # They are in order row by row already, but those that come from rows above.
        if not down and any(cell.rowspan > 1 for cell in cells):
            cells = sorted(cells, key=attrgetter("column"))
        for cell in cells:
            first, count, times = (
                (cell.column, cell.colspan, cell.rowspan)
                if down
                else (cell.row, cell.rowspan, cell.colspan)
            )
            if count == times == 1:
                lines[first].append(cell)
                continue
            for line in lines[first : first + count]:
                line.extend([cell] * times)
        return lines

    def padded(self) -> Iterator[tuple[Cell | None, ...]]:
        """Yield each row with one entry a column: the cell that covers the place, None for a gap.

        One row is made at a time: a grid of few cells may have a great many gaps.
        """
        covering: list[list[Cell]] = [[] for _ in range(self.rows)]
        for cell in self.cells:
            for row in covering[cell.row : cell.row + cell.rowspan]:
                row.append(cell)
        for cells in covering:
            places: list[Cell | None] = [None] * self.columns
            for cell in cells:
                end = cell.column + cell.colspan
                places[cell.column : end] = [cell] * cell.colspan
            yield tuple(places)


@dataclass(slots=True)
class Row:
    """The cells of a row. Neighbouring rows of the same ``group`` number are one row group."""

    section: str
    group: int
    cells: list[Cell] = field(default_factory=list)


def parse_span(value: str | None, limit: int, *, zero: int = 1) -> int:
    """Read a ``colspan`` or ``rowspan`` as HTML does: leading digits, ``limit`` at most, else 1.

    >>> parse_span("9007199254740991", 1000), parse_span("2px", 1000), parse_span("-3", 1000)
    (1000, 2, 1)
    """
    found = _DIGITS.match(value) if value else None
    if found is None:
        return 1
    digits = found[1].lstrip("0")
    # Python refuses to read numbers of thousands of digits.
    number = limit if len(digits) > len(str(limit)) else int(digits or "0")
    return min(number, limit) if number else zero


def lay_out(grid: Grid, rows: Sequence[Row]) -> Grid:
    """Give the cells of a table's rows their places on its grid, and return the grid.

    Takes time and room in proportion to the number of cells.

    Args:
        grid: what the table says of itself, yet without cells.
        rows: its rows in the order of the markup.
    """
    # A footer stands last wherever it is written.
    ordered = sorted(rows, key=lambda row: row.section == "foot")
    _place_all(ordered)
    grid.cells = tuple([cell for row in ordered for cell in row.cells])
    grid.rows, grid.columns = _squeeze(grid.cells)
    for cell in grid.cells:
        cell.sum_up()
    return grid


def _place_all(rows: Sequence[Row]) -> None:
    """Place all cells, some of them in rows and columns in which no other cell begins."""
    budget = _PLACES_A_CELL * sum(len(row.cells) for row in rows)
    taken: list[tuple[int, int, int]] = []  # first column, end, and row below, by column
    ends = _group_ends(rows)
    for index, row in enumerate(rows):
        taken = [span for span in taken if span[2] > index]
        fresh: list[tuple[int, int, int]] = []
        column = at = 0
        for cell in row.cells:
            while at < len(taken) and taken[at][0] <= column:
                column = max(column, taken[at][1])
                at += 1
            room = taken[at][0] - column if at < len(taken) else cell.colspan
            colspan = min(cell.colspan, room)
            left = ends[index] - index
            rowspan = min(cell.rowspan or left, left)
            if rowspan > 1:
                rowspan = min(rowspan, max(budget, 1))
                budget -= rowspan
                fresh.append((column, column + colspan, index + rowspan))
            cell.section, cell.row, cell.column = row.section, index, column
            cell.rowspan, cell.colspan = rowspan, colspan
            column += colspan
        if fresh:
            taken = sorted(taken + fresh)


def _group_ends(rows: Sequence[Row]) -> list[int]:
    """Return for each row the number of the row below its row group."""
    ends = [0] * len(rows)
    end = len(rows)
    for index in range(len(rows) - 1, -1, -1):
        if index + 1 < len(rows) and rows[index].group != rows[index + 1].group:
            end = index + 1
        ends[index] = end
    return ends


def _squeeze(cells: Sequence[Cell]) -> tuple[int, int]:
    """Leave out rows and columns in which no cell begins, and cut spans beyond the limit.

    Returns:
        How many rows and columns are left.
    """
    rows = sorted({cell.row for cell in cells})
    columns = sorted({cell.column for cell in cells})
    if all(cell.rowspan == cell.colspan == 1 for cell in cells) and all(
        not own or own[-1] == len(own) - 1 for own in (rows, columns)
    ):
        return len(rows), len(columns)
    row_of = {row: number for number, row in enumerate(rows)}
    column_of = {column: number for number, column in enumerate(columns)}
    spare = _PLACES_A_CELL * len(cells)
    for cell in cells:
        rowspan = bisect_left(rows, cell.row + cell.rowspan) - row_of[cell.row]
        colspan = bisect_left(columns, cell.column + cell.colspan) - column_of[cell.column]
        if rowspan * colspan > max(spare, 1):
            rowspan = colspan = 1
        spare -= rowspan * colspan
        cell.row, cell.column = row_of[cell.row], column_of[cell.column]
        cell.rowspan, cell.colspan = rowspan, colspan
    return len(rows), len(columns)
