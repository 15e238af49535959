"""Tree to tables: which elements of a page are tables, and the grid of each."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree

from crawler.core.page.parse import ParsedPage
from crawler.core.tables.elements import is_closed, part_of
from crawler.core.tables.grid import Cell, Grid, Row, lay_out
from crawler.core.tables.walk import OpenTable, Walker

_SUMS = (
    "chars", "link_chars", "strong_chars", "links", "images", "linked_images", "controls", "tables",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table and the element it was read from, which belongs to the page's tree."""

    element: etree._Element = field(repr=False, compare=False)
    grid: Grid


def find_tables(parsed: ParsedPage) -> tuple[FoundTable, ...]:
    """Return the tables of a page in the order in which they begin, nested ones among them.

    Tables are ``table`` elements, and other elements with the role or style of a table that hold
    a cell; definition lists that hold a term and a description are tables of the kind ``list``.
    The page keeps them.
    """
    if "tables" not in parsed.found:
        parsed.found["tables"] = _found_tables(parsed)
    found: tuple[FoundTable, ...] = parsed.found["tables"]
    return found


def _found_tables(parsed: ParsedPage) -> tuple[FoundTable, ...]:
    page = parsed.elements
    walker = Walker(page)
    known: dict[etree._Element, int | None] = {}
    numbers = {*page.numbers_of(("table", "dl"))}
    roles, styles = page.values["role"], page.values["style"]
    for column in (roles, styles):
        # All names of such roles and styles have one of these in them, and few pages do.
        whole = " ".join(column.values()).lower()
        if "table" in whole or "grid" in whole:
            numbers |= column.keys()
    behind = 0
    for number in sorted(numbers):
        part = part_of(page.tags[number], roles.get(number, ""), styles.get(number, ""))
        if number < behind or part not in {"table", "list"}:
            continue  # it was read with the table around it
        if (forms := _forms_around(page.nodes[number], known)) is not None:
            behind = walker.walk(number, forms)
    return tuple(
        FoundTable(table.element, grid)
        for table in walker.tables
        if (grid := _grid_of(table)) is not None
    )


def _forms_around(element: etree._Element, known: dict[etree._Element, int | None]) -> int | None:
    """Return how many forms are around an element; None inside a closed element.

    Args:
        element: the element.
        known: the same of each element passed; this function adds to it.
    """
    chain: list[etree._Element] = []
    above = element.getparent()
    while above is not None and above not in known:
        chain.append(above)
        above = above.getparent()
    forms = 0 if above is None else known[above]
    for each in reversed(chain):
        if forms is not None:
            forms = (
                None
                if is_closed(map(str, each.keys()), str(each.tag))
                else forms + (each.tag == "form")
            )
        known[each] = forms
    return forms


def _grid_of(table: OpenTable) -> Grid | None:
    kind = table.grid.kind
    rows = _pair_terms(table.rows) if kind == "list" else table.rows
    # A style makes no table without a cell.
    if kind != "table" and not any(row.cells for row in rows):
        return None
    return lay_out(table.grid, rows)


def _pair_terms(written: list[Row]) -> list[Row]:
    """Make rows of a definition list: a term spans the descriptions that follow it."""
    rows: list[Row] = []
    term: Cell | None = None
    described = True
    for cell in (cell for row in written for cell in row.cells):
        if cell.is_header and term is not None and not described:
            _join(term, cell)  # two terms of one description
        elif cell.is_header:
            term, described = cell, False
            rows.append(Row("body", 0, [cell]))
        elif term is None:
            continue  # a description of nothing
        elif described:
            term.rowspan += 1
            rows.append(Row("body", 0, [cell]))
        else:
            described = True
            rows[-1].cells.append(cell)
    if not described:
        rows.pop()  # a term of nothing
    return rows


def _join(first: Cell, second: Cell) -> None:
    first.text = "\n".join(text for text in (first.text, second.text) if text)
    first.unlinked |= second.unlinked
    for name in _SUMS:
        setattr(first, name, getattr(first, name) + getattr(second, name))
