"""The tables of a page for its user: place, cells, records and verdict of each.

Limits for all tables of a page together keep the size of an item in proportion to its page,
whatever ``colspan`` and ``rowspan`` claim. Real pages do not reach them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from itertools import islice
from typing import TYPE_CHECKING, Any

from crawler.core.page.text import drop_unseen
from crawler.core.tables.areas import Areas
from crawler.core.tables.markup import find_tables
from crawler.core.tables.parts import is_hidden
from crawler.core.tables.records import Records, read_records

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lxml import etree

    from crawler.core.page.parse import ParsedPage
    from crawler.core.tables.classify import TableMethod, Verdict
    from crawler.core.tables.grid import Grid
    from crawler.core.tables.records import Line
    from crawler.core.tables.words import Words

# The most places on the grids of all tables of a page, and the most characters that are repeated
# because their cells cover several places.
_PLACES = 500_000
_REPEATED_CHARS = 2_000_000

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_HEADING_CHARS = 200
_HEADING_PIECES = 100
_PATH_CHARS = 300


@dataclass(frozen=True, slots=True)
class JudgedTable:
    """A table of a page with its verdict.

    Attributes:
        number: its place among all tables of the page, layout and nested ones too, from 0.
        path: names of the elements around it and its own, ``tbody`` left out.
        heading: text of the last heading (``h1`` to ``h6``) before it; None where there is none.
    """

    number: int
    grid: Grid = field(repr=False)
    path: str
    heading: str | None
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Table:
    """One table as exported. Fields that are not described are those of :class:`JudgedTable`.

    Attributes:
        caption: its ``caption``, else ``aria-label``, else what the first title row says that says
            anything, else ``summary``; None without any.
        kind: ``table``, ``div`` or ``list``.
        rows, columns: size of the grid.
        title_rows: how many first rows are a title: they stand above the header rows and are no
            records.
        header_rows, header_columns: the attribute area: how many rows below the title, and how many
            first columns. 0 for layout.
        rows_left_out: how many last rows ``cells`` lacks, by the limit of places a page; 0 but for
            huge tables.
        cells: the text in each place, row by row: a cell that covers several has its text in each,
            and a gap is "". A cell of pictures alone has their ``alt``.
        records: what it says; none of a layout table.
        method: name of the method that judged.
    """

    number: int
    path: str
    heading: str | None
    caption: str | None
    kind: str
    rows: int
    columns: int
    title_rows: int
    header_rows: int
    header_columns: int
    rows_left_out: int
    cells: tuple[tuple[str, ...], ...]
    records: Records
    method: str
    verdict: Verdict

    @property
    def is_genuine(self) -> bool:
        """Whether it relates attributes to values."""
        return self.verdict.is_genuine


@dataclass(slots=True)
class _Limits:
    places: int = _PLACES
    repeated: int = _REPEATED_CHARS


def read_tables(
    parsed: ParsedPage,
    method: TableMethod,
    *,
    language: str = "",
    layout: bool = False,
    words: Words | None = None,
) -> tuple[Table, ...]:
    """Return the genuine tables of a page in the order in which they begin.

    Args:
        parsed: the page.
        method: tells genuine tables from layout.
        language: language of the page, such as ``de``, by which numbers are read; "" where it is
            not known.
        layout: whether to return layout tables among them.
        words: lists to tell data types by; None for those that come with the project.
    """
    judged = judge_tables(parsed, method)
    return tables_of(judged, method.name, language=language, layout=layout, words=words)


def judge_tables(parsed: ParsedPage, method: TableMethod) -> tuple[JudgedTable, ...]:
    """Find all tables of a page and judge each."""
    found = find_tables(parsed)
    if not found:
        return ()
    headings = _headings(parsed.roots, {each.element for each in found})
    paths = _Paths()
    verdicts = method.judge_all([each.grid for each in found])
    return tuple(
        JudgedTable(
            number=number,
            grid=each.grid,
            path=paths.of(each.element),
            heading=headings.get(each.element),
            verdict=verdict,
        )
        for number, (each, verdict) in enumerate(zip(found, verdicts, strict=True))
    )


def tables_of(
    judged: Iterable[JudgedTable],
    method: str,
    *,
    language: str = "",
    layout: bool = False,
    words: Words | None = None,
) -> tuple[Table, ...]:
    """Read judged tables of one page; the arguments are those of :func:`read_tables`."""
    limits = _Limits()
    return tuple(
        _table(each, method, language, words, limits)
        for each in judged
        if layout or each.verdict.is_genuine
    )


def _table(
    judged: JudgedTable, method: str, language: str, words: Words | None, limits: _Limits
) -> Table:
    grid, genuine = judged.grid, judged.verdict.is_genuine
    areas = (judged.verdict.areas if genuine else None) or Areas(0, 0)
    kept = min(grid.rows, limits.places // max(grid.columns, 1))
    limits.places -= kept * grid.columns
    lines = list(islice(grid.padded(), kept))
    cells = _texts(lines, limits)
    records = (
        read_records(lines, cells, areas, language=language, words=words) if genuine else Records()
    )
    return Table(
        number=judged.number,
        path=judged.path,
        heading=judged.heading,
        caption=(
            grid.caption or grid.label or _title(cells[: areas.title_rows]) or grid.summary or None
        ),
        kind=grid.kind,
        rows=grid.rows,
        columns=grid.columns,
        title_rows=areas.title_rows,
        header_rows=areas.header_rows,
        header_columns=areas.header_columns,
        rows_left_out=grid.rows - kept,
        cells=cells,
        records=records,
        method=method,
        verdict=judged.verdict,
    )


def _title(rows: Sequence[Sequence[str]]) -> str:
    """Return the text of the first title row that has one."""
    lines = (" ".join(row[0].split()) for row in rows if row)
    text = next(filter(None, lines), "")
    return text if len(text) <= _HEADING_CHARS else text[: _HEADING_CHARS - 1].rstrip() + "…"


def _texts(lines: Sequence[Line], limits: _Limits) -> tuple[tuple[str, ...], ...]:
    texts = []
    for row, line in enumerate(lines):
        own = []
        for column, cell in enumerate(line):
            text = "" if cell is None else cell.text or cell.alt
            if text and cell is not None and (cell.row, cell.column) != (row, column):
                text = text if len(text) <= limits.repeated else ""
                limits.repeated -= len(text)
            own.append(text)
        texts.append(tuple(own))
    return tuple(texts)


def _headings(
    roots: Sequence[etree._Element], tables: set[etree._Element]
) -> dict[etree._Element, str]:
    """Return for each table the text of the last heading before it."""
    found: dict[etree._Element, str] = {}
    tags = {str(table.tag) for table in tables}
    last = ""
    for root in roots:
        for element in root.iter(*_HEADINGS, *tags):
            if element in tables:
                if last:
                    found[element] = last
            elif element.tag in _HEADINGS and not is_hidden(element):
                last = _heading_text(element) or last
    return found


def _heading_text(element: etree._Element) -> str:
    # Headings may be nested: only the beginning of each is read.
    pieces = islice(element.itertext(), _HEADING_PIECES)
    text = "".join(str(piece)[: 4 * _HEADING_CHARS] for piece in pieces)
    line = " ".join(drop_unseen(text).split())
    return line if len(line) <= _HEADING_CHARS else line[: _HEADING_CHARS - 1].rstrip() + "…"


class _Paths:
    """The paths of elements, each worked out once."""

    def __init__(self) -> None:
        self._known: dict[etree._Element, str] = {}

    def of(self, element: etree._Element) -> str:
        chain: list[etree._Element] = []
        above: etree._Element | None = element
        while above is not None and above not in self._known:
            chain.append(above)
            above = above.getparent()
        path = "" if above is None else self._known[above]
        for each in reversed(chain):
            if each.tag != "tbody" and len(path) <= _PATH_CHARS:
                path = f"{path}/{each.tag}" if path else str(each.tag)
            self._known[each] = path
        return path


def table_as_dict(table: Table) -> dict[str, Any]:
    """Return a table as plain data, the form of items: mappings, lists, texts and numbers."""
    records, verdict = table.records, table.verdict
    own = ("records", "method", "verdict", "cells")
    names = [each.name for each in fields(table) if each.name not in own]
    return {
        **{name: getattr(table, name) for name in names},
        "cells": [list(row) for row in table.cells],
        "types": dict(zip(records.names, records.types, strict=True)),
        "records": list(records.rows),
        "values": [
            {
                name: {"value": value.normal, **({"unit": value.unit} if value.unit else {})}
                for name, value in values.items()
            }
            for values in records.values
        ],
        "verdict": _verdict(verdict, table.method),
    }


def _verdict(verdict: Verdict, method: str) -> dict[str, Any]:
    told = {each.name: getattr(verdict, each.name) for each in fields(verdict)}
    del told["areas"]  # those of the table
    rounded = {
        name: round(value, 3) if isinstance(value, float) else value for name, value in told.items()
    }
    return {"is_genuine": verdict.is_genuine, "method": method, **rounded}
