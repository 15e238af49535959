"""The attribute and value areas of a table: Kim and Lee (2004), section 3.2.1.

A table may be read in two directions: its first rows hold the attributes of the columns below them,
or its first columns hold the attributes of the rows to their right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from crawler.core.tables.grid import Cell, Grid

_PAIR = 2


def is_alone(line: Sequence[Cell]) -> bool:
    """Tell whether one single cell covers a whole row or column."""
    return bool(line) and all(cell is line[0] for cell in line)


def is_one_cell(line: Sequence[Cell], length: int) -> bool:
    """Tell whether one single cell covers a row or column of ``length`` places, more than one."""
    return length > 1 and len(line) == length and is_alone(line)


@dataclass(frozen=True, slots=True)
class Areas:
    """The attribute area: how many first rows, and how many first columns, hold attributes.

    Attributes:
        title_rows: how many rows stand before the header rows, and are a title of the table:
            neither attributes nor values.
    """

    header_rows: int
    header_columns: int
    title_rows: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to divide a table into attributes and values.

    Attributes:
        down: whether values stand below their attributes; else to their right.
        depth: how many first rows (``down``) or columns are attributes.
        lines: each line of values with its attributes: ``(attributes, values)``, a column or row
            each.
        is_syntactic: whether values of a line may be compared with each other; else only with their
            attribute.
    """

    down: bool
    depth: int
    lines: tuple[tuple[tuple[Cell, ...], tuple[Cell, ...]], ...]
    is_syntactic: bool

    @property
    def areas(self) -> Areas:
        """The attribute area of this reading."""
        return Areas(self.depth, 0) if self.down else Areas(0, self.depth)


def readings(grid: Grid) -> tuple[Reading, ...]:
    """Return the ways to divide a table into attributes and values; none without a value area."""
    if "readings" not in grid.found:
        grid.found["readings"] = _readings(grid)
    found: tuple[Reading, ...] = grid.found["readings"]
    return found


def _readings(grid: Grid) -> tuple[Reading, ...]:
    if grid.rows == 1 or grid.columns == 1:  # the first cell is the attribute
        cells = grid.cells
        lines = ((cells[:1], cells[1:]),)
        line = Reading(grid.columns == 1, 1, lines, is_syntactic=len(cells) > _PAIR)
        return (line,) if len(cells) >= _PAIR else ()
    found = []
    for down, most, others in ((True, grid.rows, grid.columns), (False, grid.columns, grid.rows)):
        depth = depth_of(grid, down=down)
        starts = [cell for cell in grid.cells if (cell.column if down else cell.row) == 0]
        # Two columns, the first a single cell: attribute and sub-attributes, and no value (figure
        # 7); and so with two rows.
        if depth < most and not (others == _PAIR and len(starts) == 1):
            found.append(_reading(grid, depth, down=down, is_syntactic=most - depth > 1))
    return tuple(found)


def marked_areas(grid: Grid) -> Areas | None:
    """Return the attribute area by the header cells of the markup, None where there are none.

    Header rows are the first rows of which all cells are headers or blank, down to the first that
    names a section; header columns are the first columns of which that is true below them.
    """
    if "marked" not in grid.found:
        grid.found["marked"] = _marked(grid)
    found: Areas | None = grid.found["marked"]
    return found


def _marked(grid: Grid) -> Areas | None:
    if not any(map(attrgetter("is_header"), grid.cells)):
        return None
    rows = grid.lines()
    deep = _leading(rows)
    if deep == len(rows):  # all are headers: the first row names the others
        return Areas(1, 0) if len(rows) > 1 else Areas(0, 1)
    deep = above_sections(rows, deep, grid.columns)
    below = [[cell for cell in line if cell.row >= deep] for line in grid.lines(down=True)]
    wide = _leading(below)
    if deep or wide:
        return Areas(deep, wide if wide < grid.columns else 0)
    return None


def _leading(lines: Sequence[Sequence[Cell]]) -> int:
    """Count the first lines of header cells, blank lines between them included."""
    count = 0
    for number, line in enumerate(lines, start=1):
        if not all(cell.is_header or cell.is_blank for cell in line):
            break
        if any(cell.is_header and not cell.is_blank for cell in line):
            count = number
    return count


def above_sections(rows: Sequence[Sequence[Cell]], depth: int, columns: int) -> int:
    """Return how many of the first ``depth`` rows are above the first section heading.

    A section heading is a row of one single cell below a row of several cells: it describes the
    rows below it, and no column.
    """
    seen = False
    for number, row in enumerate(rows[:depth]):
        if all(cell.is_blank for cell in row):
            continue
        alone = is_one_cell(row, columns)
        if seen and alone:
            return number
        seen = seen or not alone
    return depth


def heads_its_rows(rows: Sequence[Sequence[Cell]]) -> bool:
    """Tell whether the first cell of most rows is a header in the markup, the first row included.

    In these rows no other cell is a header, so none of them holds names of columns.
    """
    headed = [
        len(row) > 1
        and row[0].is_header
        and row[0].scope not in ("col", "colgroup")
        and not any(cell.is_header for cell in row if cell is not row[0])
        and row[-1] is not row[0]
        for row in rows
    ]
    return headed[:1] == [True] and 2 * sum(headed) > len(headed)


def marked_pairs(rows: Sequence[Sequence[Cell]]) -> bool:
    """Tell whether each row is pairs of header and value, and some row has at least two pairs.

    Forms of many fields have two or three pairs side by side. Blank rows do not count.
    """
    most = 0
    for row in rows:
        if all(cell.is_blank for cell in row):
            continue
        marks = [cell.is_header for cell, _ in groupby(row)]
        if len(marks) % _PAIR or marks != [True, False] * (len(marks) // _PAIR):
            return False
        most = max(most, len(marks) // _PAIR)
    return most > 1


def depth_of(grid: Grid, *, down: bool, start: int = 0) -> int:
    """Count the rows (``down``) or columns of attributes from the line ``start`` on.

    A cell that spans several columns has sub-attributes below it, so the line after such a line is
    attributes too (figures 7 and 8). The first line without such a cell is the last one.
    """
    spanning: set[int] = set()
    for cell in grid.cells:
        if (cell.colspan if down else cell.rowspan) > 1:
            first, count = (cell.row, cell.rowspan) if down else (cell.column, cell.colspan)
            spanning.update(range(first, first + count))
    depth = 1
    while start + depth - 1 in spanning:
        depth += 1
    return min(depth, (grid.rows if down else grid.columns) - start)


def _reading(grid: Grid, depth: int, *, down: bool, is_syntactic: bool) -> Reading:
    """Divide all lines at ``depth``; a cell that covers both sides is an attribute."""
    lines = []
    for line in grid.lines(down=down):
        count = sum([(cell.row if down else cell.column) < depth for cell in line])
        if count < len(line):
            lines.append((tuple(line[:count]), tuple(line[count:])))
    return Reading(down, depth, tuple(lines), is_syntactic)
