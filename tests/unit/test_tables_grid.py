from __future__ import annotations

import pytest

from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.tables.grid import Grid, parse_span
from crawler.core.tables.markup import find_tables


def grids(html: str) -> list[Grid]:
    parsed = parse(Page.from_text("https://site.example/", html))
    return [found.grid for found in find_tables(parsed)]


def texts(grid: Grid) -> list[list[str | None]]:
    return [[None if cell is None else cell.text for cell in row] for row in grid.padded()]


@pytest.mark.parametrize(
    ("value", "span"),
    [
        (None, 1), ("", 1), ("3", 3), (" 4 ", 4), ("2px", 2), ("+5", 5), ("-2", 1), ("x", 1),
        ("0", 1), ("1000", 1000), ("1001", 1000), ("9" * 10_000, 1000), ("007", 7),
    ],
)  # fmt: skip
def test_spans_are_read_as_html_reads_them(value: str | None, span: int) -> None:
    assert parse_span(value, 1000) == span


def test_a_page_without_tables() -> None:
    assert grids("<p>No table</p><div style='display:table'>nor here</div><dl></dl>") == []


def test_facts_of_cells() -> None:
    (grid,) = grids(
        "<table><tr><td><a href=/>all</a> |<td><b>bold</b> <a href=/><img></a> x"
        "<td><img><td><input><input type=hidden><td>&nbsp;<td><script>1</script><td><a name=x>y</a>"
    )
    link, mixed, image, control, blank, script, anchor = grid.cells
    assert link.is_link
    assert (link.chars, link.link_chars, link.unlinked) == (4, 3, 0)
    assert not mixed.is_link
    assert (mixed.strong_chars, mixed.links, mixed.images, mixed.linked_images) == (4, 1, 1, 1)
    assert image.is_image
    assert control.controls == 1
    assert not control.is_blank
    assert blank.is_blank
    assert script.is_blank
    assert not anchor.is_link


def test_what_a_table_says_of_itself() -> None:
    table, layout, old = grids(
        "<form><table summary=Sums aria-label=Label><tr><td>1</table></form>"
        "<table role=Presentation><tr><td>1</table><table datatable=0><tr><td>1</table>"
    )
    assert (table.summary, table.label, table.in_form, table.says_layout) == (
        *("Sums", "Label"),
        *(True, False),
    )
    assert (layout.role, layout.says_layout, layout.in_form) == ("presentation", True, False)
    assert old.says_layout


def test_nested_tables_keep_their_text_to_themselves() -> None:
    outer, middle, inner = grids(
        "<table><tr><td>a<table><tr><td>b<table><tr><td>c</table></table>d</table>"
    )
    assert [grid.tables for grid in (outer, middle, inner)] == [2, 1, 0]
    assert texts(outer) == [["a\nd"]]
    assert texts(middle) == [["b"]]
    assert outer.cells[0].tables == 1


def test_a_definition_list_in_a_cell_is_text_of_both() -> None:
    table, terms = grids("<table><tr><td>x<dl><dt>T<dd>1<dl><dt>U<dd>2</dl></dl><td>y</table>")[:2]
    assert texts(table) == [["x\nT\n1\nU\n2", "y"]]
    assert texts(terms) == [["T", "1"]]
    assert table.tables == 0


def test_a_styled_box_in_a_cell_keeps_its_text_there() -> None:
    (grid,) = grids("<table><tr><td>a<div style='display:table'>b</div>c</table>")
    assert texts(grid) == [["a\nb\nc"]]
    assert grid.tables == 0


def test_hidden_parts_are_left_out_and_hidden_tables_are_not() -> None:
    outer, inner = grids(
        "<table><tr style='display:none'><td>no<table><tr><td>in</table></td></tr>"
        "<tr><td>yes<td hidden>no</table>"
    )
    assert texts(outer) == [["yes"]]
    assert texts(inner) == [["in"]]


def test_sections_and_scopes() -> None:
    (grid,) = grids(
        "<table><thead><tr><th scope=colgroup>a<tbody><tr><td scope=bad>b<tfoot><tr><td>c</table>"
    )
    assert [cell.section for cell in grid.cells] == ["head", "body", "foot"]
    assert [cell.scope for cell in grid.cells] == ["colgroup", "", ""]
    assert [cell.is_header for cell in grid.cells] == [True, False, False]


def test_lines_hold_a_cell_in_each_place_it_covers() -> None:
    (grid,) = grids("<table><tr><td rowspan=2>a<td colspan=2>b<tr><td>c</table>")
    assert [[cell.text for cell in line] for line in grid.lines()] == [["a", "b"], ["a", "c"]]
    (wide,) = grids("<table><tr><td colspan=2>a<td>b<tr><td>c<td>d<td>e</table>")
    down = [[cell.text for cell in line] for line in wide.lines(down=True)]
    assert down == [["a", "c"], ["a", "d"], ["b", "e"]]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("html", "tables", "size"),
    [
        ("<table>" + ("<tr>" + "<td>1" * 50) * 500 + "</table>", 1, (500, 50)),
        ("<table><tr><td>1<td colspan=9007199254740991>2</table>" * 3_000, 3_000, (1, 2)),
        ("<table><tr>" + "<td>x" * 5000 + "<tr><td>y" * 5000 + "</table>", 1, (5001, 5000)),
        ("<table><tr><td>" * 900 + "<br>x" * 5000, 900, (1, 1)),
        (
            "<table><tr>" + "<td rowspan=65534 colspan=1000>x" * 1000 + "<tr><td>y" * 1000,
            1,
            (1001, 1000),
        ),
    ],
    ids=["large", "many", "ragged", "deep", "spans"],
)
def test_hostile_tables(html: str, tables: int, size: tuple[int, int]) -> None:
    found = grids(html)
    assert len(found) == tables
    assert (found[0].rows, found[0].columns) == size
    covered = sum(cell.rowspan * cell.colspan for cell in found[0].cells)
    assert covered <= 65 * len(found[0].cells)
