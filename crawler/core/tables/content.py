"""The tables of a page for its user: place, cells, records and verdict of each.

Limits for all tables of a page together keep the size of an item in proportion to its page,
whatever ``colspan`` and ``rowspan`` claim. Real pages do not reach them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from itertools import islice
from typing import Any

from lxml import etree

from crawler.core.page.elements import HEADINGS, is_hidden
from crawler.core.page.parse import ParsedPage
from crawler.core.page.text import drop_unseen
from crawler.core.page.walk import Elements
from crawler.core.tables.areas import Areas, marked_pairs
from crawler.core.tables.classify import TableMethod, judge_grids
from crawler.core.tables.grid import Cell
from crawler.core.tables.markup import FoundTable, find_tables
from crawler.core.tables.paper_method import Verdict
from crawler.core.tables.values import Value, element_type, read_value

Line = tuple["Cell | None", ...]
"""A row or column of the grid, whole: the cell that covers each place, None for a gap."""

# The most places on the grids of all tables of a page, and the most characters that are repeated
# because their cells cover several places.
_PLACES = 500_000
_REPEATED_CHARS = 2_000_000

_HEADING_CHARS = 200
_HEADING_PIECES = 100
_PATH_CHARS = 300
# A longer name of a field is cut: it is repeated in each record.
_NAME_CHARS = 100


def judge_tables(parsed: ParsedPage, method: TableMethod) -> tuple[tuple[FoundTable, Verdict], ...]:
    """Find all tables of a page, layout and nested ones too, and judge each."""
    found = find_tables(parsed)
    verdicts = judge_grids(parsed, [each.grid for each in found], method)
    return tuple(zip(found, verdicts, strict=True))


def tables_of(
    parsed: ParsedPage,
    judged: Iterable[tuple[FoundTable, Verdict]],
    method: TableMethod,
    *,
    language: str = "",
    layout: bool = False,
) -> list[dict[str, Any]]:
    """Return the genuine tables of a page in the order in which they begin.

    Each is plain data with the keys that docs/tables.md lists, the form of items.

    Args:
        parsed: the page.
        judged: all its tables, by :func:`judge_tables`.
        method: the method that judged them. Data types are told by its lists of words.
        language: language of the page, such as ``de``, by which numbers are read; "" where it is
            not known.
        layout: whether to return layout tables among them.
    """
    shown = [
        (number, found, verdict)
        for number, (found, verdict) in enumerate(judged, start=1)
        if layout or verdict.is_genuine
    ]
    if not shown:
        return []
    headings = _headings(parsed.elements, {found.element for _, found, _ in shown})
    paths: dict[etree._Element, str] = {}
    places, repeated = _PLACES, _REPEATED_CHARS

    def value(text: str) -> Value:
        return read_value(text, language, method.words)

    tables = []
    for number, found, verdict in shown:
        grid, areas = found.grid, verdict.areas or Areas(0, 0)
        kept = min(grid.rows, places // max(grid.columns, 1))
        places -= kept * grid.columns
        lines = list(islice(grid.padded(), kept))
        cells, repeated = _texts(lines, repeated)
        title = _title(cells[: areas.title_rows])
        table = {
            "number": number,
            "path": _path_of(found.element, paths),
            "heading": headings.get(found.element),
            "caption": grid.caption or grid.label or title or grid.summary or None,
            "kind": grid.kind,
            "rows": grid.rows,
            "columns": grid.columns,
            "title_rows": areas.title_rows,
            "header_rows": areas.header_rows,
            "header_columns": areas.header_columns,
            "rows_left_out": grid.rows - kept,
            "cells": cells,
            "types": {},
            "records": [],
            "values": [],
            "verdict": _verdict(verdict, method.name),
        }
        if verdict.is_genuine:
            table |= read_records(lines, cells, areas, value)
        tables.append(table)
    return tables


def _verdict(verdict: Verdict, method: str) -> dict[str, Any]:
    told = {each.name: getattr(verdict, each.name) for each in fields(verdict)}
    del told["areas"]  # those of the table
    rounded = {
        name: round(value, 3) if isinstance(value, float) else value for name, value in told.items()
    }
    return {"is_genuine": verdict.is_genuine, "method": method, **rounded}


def _cut(line: str, most: int) -> str:
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def _title(rows: Sequence[Sequence[str]]) -> str:
    """Return the text of the first title row that has one."""
    lines = (" ".join(row[0].split()) for row in rows if row)
    return _cut(next(filter(None, lines), ""), _HEADING_CHARS)


def _texts(lines: Sequence[Line], repeated: int) -> tuple[list[list[str]], int]:
    """Return the text in each place, and how many more characters may be repeated."""
    texts = []
    for row, line in enumerate(lines):
        own = []
        for column, cell in enumerate(line):
            text = "" if cell is None else cell.text or cell.alt
            if text and cell is not None and (cell.row, cell.column) != (row, column):
                text = text if len(text) <= repeated else ""
                repeated -= len(text)
            own.append(text)
        texts.append(own)
    return texts, repeated


def _headings(page: Elements, tables: set[etree._Element]) -> dict[etree._Element, str]:
    """Return for each table the text of the last heading before it."""
    found: dict[etree._Element, str] = {}
    tags = {str(table.tag) for table in tables}
    last = ""
    since: list[etree._Element] = []
    for element in page.called((*HEADINGS, *tags)):
        if element in tables:
            # Only the headings that tables have are read: others may be nested by thousands.
            seen = (each for each in reversed(since) if not is_hidden(each))
            last = next(filter(None, map(_heading_text, seen)), last)
            since.clear()
            if last:
                found[element] = last
        elif element.tag in HEADINGS:
            since.append(element)
    return found


def _heading_text(element: etree._Element) -> str:
    # Headings may be nested: only the beginning of each is read.
    pieces = islice(element.itertext(), _HEADING_PIECES)
    text = "".join(str(piece)[: 4 * _HEADING_CHARS] for piece in pieces)
    return _cut(" ".join(drop_unseen(text).split()), _HEADING_CHARS)


def _path_of(element: etree._Element, known: dict[etree._Element, str]) -> str:
    """Return the names of the elements around a table and its own, ``tbody`` left out.

    Args:
        element: the table.
        known: the paths of the page's elements so far; this function adds to it.
    """
    chain: list[etree._Element] = []
    above: etree._Element | None = element
    while above is not None and above not in known:
        chain.append(above)
        above = above.getparent()
    path = "" if above is None else known[above]
    for each in reversed(chain):
        if each.tag != "tbody" and len(path) <= _PATH_CHARS:
            path = f"{path}/{each.tag}" if path else str(each.tag)
        known[each] = path
    return path


def read_records(
    lines: Sequence[Line],
    texts: Sequence[Sequence[str]],
    areas: Areas,
    read: Callable[[str], Value],
) -> dict[str, Any]:
    """Return the records of a genuine table, those that are blank throughout left out.

    Title rows are left aside. With header rows each row below them is a record and each column a
    field, header columns among them. With header columns alone each column to their right is a
    record and each row a field; but rows of pairs side by side, header and value in turn, are one
    record together. With neither, each row is a record, and fields are called by their
    place: ``column 1``.

    Args:
        lines: the rows of the grid, all of one length.
        texts: the text in each place.
        areas: how many first rows and first columns are headers.
        read: reads the type and value of a text.

    Returns:
        ``types``: data type of each field by its name, in order: that of more than half of its
        values that are not blank, "" where there is none; whole numbers among reals count as reals.
        ``records``: text of each field by its name. ``values``: for each record, the values that
        can be read in one way only.
    """
    lines, texts = lines[areas.title_rows :], texts[areas.title_rows :]
    place, depth = "column", areas.header_rows
    covering = [[cell for cell in line if cell is not None] for line in lines]
    if not areas.header_rows and marked_pairs(covering):
        lines, texts = _side_by_side(lines, texts)
        depth = 1
    elif areas.header_columns and not areas.header_rows:
        place, depth = "row", areas.header_columns
        lines, texts = list(zip(*lines, strict=True)), list(zip(*texts, strict=True))
    names = _names(lines[:depth], place, len(lines[0]) if lines else 0)
    filled = [at for at in range(depth, len(lines)) if any(map(str.strip, texts[at]))]
    values = [list(map(read, texts[at])) for at in filled]
    columns = zip(
        zip(*(lines[at] for at in filled), strict=True), zip(*values, strict=True), strict=True
    )
    types = [_common_type(cells, said) for cells, said in columns] if filled else [""] * len(names)
    return {
        "types": dict(zip(names, types, strict=True)),
        "records": [dict(zip(names, texts[at], strict=True)) for at in filled],
        "values": [
            {
                name: {"value": value.normal, **({"unit": value.unit} if value.unit else {})}
                for name, cell, value in zip(names, lines[at], said, strict=True)
                # 10<sup>5</sup> is not 105, and a footnote mark is no digit of a sum.
                if value.normal is not None
                and (value.type == "date" or cell is None or "sup" not in cell.inside.split())
            }
            for at, said in zip(filled, values, strict=True)
        ],
    }


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


def _names(headers: Sequence[Line], place: str, count: int) -> list[str]:
    """Name each field: its headers from the outermost in, a cell that covers several once."""
    names: dict[str, None] = {}
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
        while name in names:
            times[own] += 1
            name = f"{own} ({times[own] + 1})"
        names[name] = None
    return list(names)


def _one_line(text: str) -> str:
    # A long text is cut before it is folded: a cell of many columns is read for each of them.
    return _cut(" ".join(text[: 4 * _NAME_CHARS].split()), _NAME_CHARS)


def _common_type(cells: Sequence[Cell | None], values: Sequence[Value]) -> str:
    # A dash alone says that there is nothing in a cell.
    types = Counter(
        element_type(cell) or value.type
        for cell, value in zip(cells, values, strict=True)
        if cell and (cell.is_image or cell.controls > 0 or any(map(str.isalnum, cell.text)))
    )
    if types["real"]:
        types["real"] += types.pop("integer", 0)
    if not types:
        return ""
    kind, count = types.most_common(1)[0]
    return kind if 2 * count > types.total() else ""
