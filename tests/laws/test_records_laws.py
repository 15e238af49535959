"""What holds of a table's cells and records for any markup."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.tables.areas import Areas
from crawler.core.tables.classify import get_table_method
from crawler.core.tables.content import judge_tables, read_records, tables_of
from crawler.core.tables.markup import find_tables
from crawler.core.tables.values import read_value

if TYPE_CHECKING:
    from crawler.core.page.parse import ParsedPage

PIECES = [
    *("<table>", "</table>", "<tr>", "<td>", "<th>", "<caption>", "</caption>", "<tfoot>"),
    *("<td rowspan=3>", "<th colspan=2>", "<td colspan=1000 rowspan=0>", "<th scope=row>"),
    *("<div role=table>", "<div role=row>", "<span role=cell>", "</div>", "<dl>", "<dt>", "<dd>"),
    *("<h2>", "</h2>", "<p>", "<br>", "<img>", "word", "word", "12", "1,5", "$5", "가격", " "),
]
pages = st.lists(st.sampled_from(PIECES), max_size=60).map(
    lambda pieces: parse(Page.from_text("https://site.example/", f"<p>text</p>{''.join(pieces)}"))
)


@given(pages)
def test_what_is_read_fits_together(parsed: ParsedPage) -> None:
    method = get_table_method("rules")
    judged = judge_tables(parsed, method)
    found = tables_of(parsed, judged, method, layout=True)
    assert [table["number"] for table in found] == list(range(1, len(found) + 1))
    genuine = tables_of(parsed, judged, method)
    assert [table for table in found if table["verdict"]["is_genuine"]] == genuine
    assert len(judged) == len(found)
    for table in found:
        assert len(table["cells"]) == table["rows"] - table["rows_left_out"]
        assert {len(row) for row in table["cells"]} <= {table["columns"]}
        assert json.loads(json.dumps(table)) == table
        assert len(table["values"]) == len(table["records"])
        for record, values in zip(table["records"], table["values"], strict=True):
            assert list(record) == list(table["types"])
            assert set(values) <= set(record)
            assert any(map(str.strip, record.values()))


@given(pages, st.integers(0, 4), st.integers(0, 4))
def test_any_header_areas_give_records_of_unique_names(
    parsed: ParsedPage, header_rows: int, header_columns: int
) -> None:
    for each in find_tables(parsed):
        lines = list(each.grid.padded())
        texts = [["" if cell is None else cell.text for cell in line] for line in lines]
        areas = Areas(min(header_rows, each.grid.rows), min(header_columns, each.grid.columns))
        found = read_records(lines, texts, areas, read_value)
        names = list(found["types"])
        assert all(name.strip() == name != "" for name in names)
        assert all("\n" not in name for name in names)
        assert all(list(row) == names for row in found["records"])
