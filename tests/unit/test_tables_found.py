"""Which elements of a page begin a table."""

from __future__ import annotations

from time import process_time

import pytest

from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.tables.classify import get_table_method
from crawler.core.tables.content import judge_tables, tables_of
from crawler.core.tables.markup import find_tables

CASES = [
    ("<p>a table of contents</p>", 0),
    ("<tablet><p>a</p></tablet>", 0),
    ("<TABLE><tr><td>a<td>b</TABLE>", 1),
    ("<form><table><tr><td><table><tr><td>a</table></table></form>", 2),
    ("<dl><dt>a<dd>b</dl>", 1),
    ("<div ROLE = ' Grid'><div role=row><span role=cell>a</span></div></div>", 1),
    ("<div role='&#116;able'><div role=row><b role=cell>a</b></div></div>", 1),
    ("<div style='DISPLAY : Table'><p style='display:table-cell'>a</p></div>", 1),
    ("<svg><table><tr><td>a</table></svg><select><table><tr><td>b</table></select>", 0),
]


@pytest.mark.parametrize(("html", "tables"), CASES)
def test_tables_are_found_by_name_role_and_style(html: str, tables: int) -> None:
    assert len(find_tables(parse(Page.from_text("https://site.example/", html)))) == tables


def test_headings_that_no_table_has_cost_no_more_nested_than_in_a_row() -> None:
    table = "<table><tr><th>Tea<th>Price<tr><td>Oolong<td>$3<tr><td>Sencha<td>$4</table>"

    def seconds(headings: str) -> float:
        found = parse(Page.from_text("https://s.example/", headings + table))
        judged = judge_tables(found, method)
        started = process_time()
        assert tables_of(found, judged, method, layout=True)[0]["heading"] == "a"
        return process_time() - started

    method = get_table_method("rules")
    nested, row = (
        min(seconds(one) for _ in range(3)) for one in ("<h2>a" * 1500, "<h2>a</h2>" * 1500)
    )
    assert nested < 5 * row + 0.02


def test_an_element_with_a_name_that_lxml_refuses_may_be_a_table() -> None:
    html = "<h2>Over it</h2><i\ufffe role=grid><b role=row><b role=cell>a</b></b></i\ufffe>"
    found, method = parse(Page.from_text("https://s.example/", html)), get_table_method("learned")
    shown = tables_of(found, judge_tables(found, method), method, layout=True)
    assert [table["heading"] for table in shown] == ["Over it"]
