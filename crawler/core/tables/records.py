"""From a grid with its header areas to records: one mapping a row of values."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawler.core.tables.areas import marked_pairs
from crawler.core.tables.values import element_type, read_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawler.core.tables.areas import Areas
    from crawler.core.tables.grid import Cell
    from crawler.core.tables.values import Value
    from crawler.core.tables.words import Words

Line = tuple["Cell | None", ...]
"""A row or column of the grid, whole: the cell that covers each place, None for a gap."""

# A longer name is cut: it is repeated in each record.
_NAME_CHARS = 100


@dataclass(frozen=True, slots=True)
class Records:
    """What a genuine table says.

    Attributes:
        names: names of the fields, no two alike and none blank.
        types: data type of each field, in the order of the names: that of more than half of its
            values that are not blank, "" where there is none. Whole numbers among reals count as
            reals.
        rows: the records: text of each field by its name.
        values: for each record, the values that can be read in one way only, by the names of their
            fields.
    """

    names: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    rows: tuple[dict[str, str], ...] = ()
    values: tuple[dict[str, Value], ...] = ()


def read_records(
    lines: Sequence[Line],
    texts: Sequence[Sequence[str]],
    areas: Areas,
    *,
    language: str = "",
    words: Words | None = None,
) -> Records:
    """Return the records of a table, those that are blank throughout left out.

    Title rows are left aside. With header rows each row below them is a record and each column a
    field, header columns among them. With header columns alone each column to their right is a
    record and each row a field; but rows of pairs side by side, header and value in turn, are one
    record together. With neither, each row is a record, and fields are called by their
    place: ``column 1``.

    Args:
        lines: the rows of the grid, all of one length.
        texts: the text in each place.
        areas: how many first rows and first columns are headers.
        language: language of the page, by which numbers are read.
        words: lists to tell data types by; None for those that come with the project.
    """
    lines, texts = lines[areas.title_rows :], texts[areas.title_rows :]
    place, depth = "column", areas.header_rows
    if not areas.header_rows and marked_pairs([_covering(line) for line in lines]):
        lines, texts = _side_by_side(lines, texts)
        depth = 1
    elif areas.header_columns and not areas.header_rows:
        place, depth = "row", areas.header_columns
        lines, texts = list(zip(*lines, strict=True)), list(zip(*texts, strict=True))
    names = _names(lines[:depth], place, len(lines[0]) if lines else 0)
    filled = [at for at in range(depth, len(lines)) if any(map(str.strip, texts[at]))]
    read = [
        [
            _value(cell, text, language, words)
            for cell, text in zip(lines[at], texts[at], strict=True)
        ]
        for at in filled
    ]
    return Records(
        names=names,
        types=tuple(
            _common_type([lines[at][field] for at in filled], [values[field] for values in read])
            for field in range(len(names))
        ),
        rows=tuple(dict(zip(names, texts[at], strict=True)) for at in filled),
        values=tuple(
            {
                name: value
                for name, value in zip(names, values, strict=True)
                if value.normal is not None
            }
            for values in read
        ),
    )


def _covering(line: Line) -> list[Cell]:
    return [cell for cell in line if cell is not None]


def _side_by_side(
    lines: Sequence[Line], texts: Sequence[Sequence[str]]
) -> tuple[list[Line], list[list[str]]]:
    """Put the pairs of all rows in one record: a line of names, and one of their values."""
    cells: tuple[list[Cell | None], list[Cell | None]] = ([], [])
    said: tuple[list[str], list[str]] = ([], [])
    for line, own in zip(lines, texts, strict=True):
        above: Cell | None = None
        for cell, text in zip(line, own, strict=True):
            if cell is not None and cell is not above and any(map(str.strip, own)):
                side = 0 if cell.is_header else 1
                cells[side].append(cell)
                said[side].append(text)
            above = cell
    return [tuple(each) for each in cells], list(said)


def _value(cell: Cell | None, text: str, language: str, words: Words | None) -> Value:
    value = read_value(text, language, words)
    # 10<sup>5</sup> is not 105, and a footnote mark is no digit of a sum.
    if (
        cell is not None
        and value.normal is not None
        and value.type != "date"
        and "sup" in cell.inside.split()
    ):
        return replace(value, normal=None)
    return value


def _names(headers: Sequence[Line], place: str, count: int) -> tuple[str, ...]:
    """Name each field: its headers from the outermost in, a cell that covers several once."""
    names: list[str] = []
    used: set[str] = set()
    times: Counter[str] = Counter()
    for field in range(count):
        parts: list[str] = []
        above: Cell | None = None
        for line in headers:
            cell = line[field]
            part = "" if cell is None or cell is above else _one_line(cell.text or cell.alt)
            if part and part not in parts[-1:]:
                parts.append(part)
            above = cell
        name = own = _one_line(" / ".join(parts)) or f"{place} {field + 1}"
        while name in used:
            times[own] += 1
            name = f"{own} ({times[own] + 1})"
        used.add(name)
        names.append(name)
    return tuple(names)


def _one_line(text: str) -> str:
    # A long text is cut before it is folded: a cell of many columns is read for each of them.
    line = " ".join(text[: 4 * _NAME_CHARS].split())
    return line if len(line) <= _NAME_CHARS else line[: _NAME_CHARS - 1].rstrip() + "…"


def _common_type(cells: Sequence[Cell | None], values: Sequence[Value]) -> str:
    types = Counter(
        element_type(cell) or value.type
        for cell, value in zip(cells, values, strict=True)
        if cell is not None and _says(cell)
    )
    if types["real"]:
        types["real"] += types.pop("integer", 0)
    if not types:
        return ""
    kind, count = types.most_common(1)[0]
    return kind if 2 * count > types.total() else ""


def _says(cell: Cell) -> bool:
    """Whether there is something in a cell; a dash alone says that there is nothing."""
    return cell.is_image or cell.controls > 0 or any(map(str.isalnum, cell.text))
