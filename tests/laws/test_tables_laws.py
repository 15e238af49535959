"""What holds of tables for any markup."""

from __future__ import annotations

import json
from datetime import date
from time import process_time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.tables.areas import readings
from crawler.core.tables.classify import TABLE_METHODS, get_table_method
from crawler.core.tables.grid import Cell, Grid, Row, lay_out
from crawler.core.tables.markup import find_tables
from crawler.core.tables.paper_method import Constants, syntactic
from crawler.core.tables.values import read_value, text_type
from crawler.core.tables.words import DATA_TYPES, default_words

if TYPE_CHECKING:
    from crawler.core.tables.markup import FoundTable

PIECES = [
    *("<table>", "</table>", "<tr>", "</tr>", "<td>", "</td>", "<th>", "</th>", "<caption>"),
    *(
        "</caption>",
        "<thead>",
        "<tbody>",
        "<tfoot>",
        "</tbody>",
        "<td rowspan=3>",
        "<th colspan=2>",
    ),
    *("<td colspan=1000 rowspan=0>", "<td rowspan=65534>", "<th scope=row>", "<tr hidden>"),
    *("<div role=table>", "<div role=row>", "<span role=cell>", "<div style='display:table'>"),
    *("<p style='display:table-cell'>", "</div>", "</span>", "<dl>", "<dt>", "<dd>", "</dl>"),
    *("<form>", "</form>", "<a href=/>", "</a>", "<b>", "</b>", "<img>", "<input>", "<select>"),
    *(
        "<script>",
        "</script>",
        "<noscript>",
        "<br>",
        "<p>",
        "<li>",
        "word",
        "12",
        "$5",
        "가격",
        " ",
    ),
]
pages = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)

spans = st.integers(0, 6) | st.sampled_from([1000, 65534])
cells = st.builds(
    Cell, rowspan=spans, colspan=spans.map(lambda span: max(1, span)), is_header=st.booleans()
)
rows = st.builds(
    Row,
    section=st.sampled_from(["head", "body", "foot"]),
    group=st.integers(0, 2),
    cells=st.lists(cells, max_size=6),
)
tables = st.lists(rows, max_size=8)


def tables_of(html: str) -> tuple[FoundTable, ...]:
    return find_tables(parse(Page.from_text("https://site.example/", "<p>text</p>" + html)))


def check_grid(grid: Grid) -> None:
    covered = [
        (row, column)
        for cell in grid.cells
        for row in range(cell.row, cell.row + cell.rowspan)
        for column in range(cell.column, cell.column + cell.colspan)
    ]
    assert len(covered) == len(set(covered)), "no two cells cover one place"
    for cell in grid.cells:
        assert cell.rowspan >= 1
        assert cell.colspan >= 1
        assert cell.row + cell.rowspan <= grid.rows
        assert cell.column + cell.colspan <= grid.columns
    assert {cell.row for cell in grid.cells} == set(range(grid.rows))
    assert {cell.column for cell in grid.cells} == set(range(grid.columns))
    first = [(cell.row, cell.column) for cell in grid.cells]
    assert first == sorted(first)
    padded = list(grid.padded())
    assert len(padded) == grid.rows
    assert all(len(row) == grid.columns for row in padded)
    filled = {(i, j) for i, row in enumerate(padded) for j, cell in enumerate(row) if cell}
    assert filled == set(covered)
    for down in (False, True):
        assert sum(map(len, grid.lines(down=down))) == len(covered)


@given(tables)
def test_a_grid_covers_each_place_once_and_keeps_each_cell(table: list[Row]) -> None:
    grid = lay_out(Grid(), table)
    check_grid(grid)
    assert len(grid.cells) == sum(len(row.cells) for row in table)


@given(pages)
def test_any_markup_gives_grids_and_verdicts(html: str) -> None:
    for found in tables_of(html):
        check_grid(found.grid)
        for cell in found.grid.cells:
            assert cell.chars == len("".join(cell.text.split()))
            assert 0 <= cell.link_chars <= cell.chars
            assert all(line == " ".join(line.split()) for line in cell.text.split("\n"))
        for name in TABLE_METHODS:
            verdict = get_table_method(name).judge(found.grid)
            assert verdict == get_table_method(name).judge(found.grid)
            assert (verdict.areas is not None) == verdict.is_genuine
            if verdict.areas is not None:
                assert 0 <= verdict.areas.header_rows <= found.grid.rows
                assert 0 <= verdict.areas.header_columns <= found.grid.columns


@given(tables)
def test_coherency_is_a_share(table: list[Row]) -> None:
    for way in readings(lay_out(Grid(), table)):
        coherency = syntactic(way, Constants(), default_words())
        assert coherency is None or 0.0 <= coherency <= 1.0
        assert all(values for _, values in way.lines)


@given(
    st.text(max_size=60)
    | st.from_regex(r"[$€(\-]?[0-9.,' ]{1,12}[%원円]?", fullmatch=True)
    | st.from_regex(r"[\d.,]{1,8}[%원円]?", fullmatch=True)
    | st.from_regex(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}", fullmatch=True),
    st.sampled_from(["", "en", "de", "fr"]),
)
def test_any_text_has_a_type_and_at_most_one_value(text: str, language: str) -> None:
    value = read_value(text, language)
    assert value.type == text_type(text) or (value.type, text_type(text)) == ("real", "integer")
    assert value.type in DATA_TYPES
    if value.normal is None:
        return
    assert value.normal.isascii()
    if value.type == "date":
        assert date.fromisoformat(value.normal).isoformat() == value.normal
    else:
        assert json.loads(value.normal) == float(value.normal)
        assert value.type != "integer" or "." not in value.normal


@pytest.mark.slow
@settings(max_examples=5)
@given(st.sampled_from(["<td>1", "<td colspan=999>x", "<td rowspan=999>x", "<table><tr><td>"]))
def test_time_grows_with_the_markup(piece: str) -> None:
    def seconds(times: int) -> float:
        parsed = parse(Page.from_text("https://site.example/", "<table><tr>" + piece * times))
        started = process_time()
        found = find_tables(parsed)
        for table in found:
            get_table_method("rules").judge(table.grid)
        return process_time() - started

    seconds(100)
    # Eight times the markup; a busy machine may take a while longer, the square would be 64 times.
    assert min(seconds(4000) for _ in range(2)) < 40 * max(seconds(500), 0.005)
