"""Which tables a page may have, told by its markup: never fewer than it has."""

from __future__ import annotations

import dataclasses

import pytest

from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.tables.markup import find_tables
from crawler.core.tables.parts import TableMarks, table_marks

NONE, ELEMENTS, DRAWN = TableMarks.NONE, TableMarks.ELEMENTS, TableMarks.DRAWN
CASES = [
    ("<p>a table of contents</p>", NONE, 0),
    ("<tablet><p>a</p></tablet>", NONE, 0),
    ("<TABLE><tr><td>a<td>b</TABLE>", ELEMENTS, 1),
    ("<form><table><tr><td><table><tr><td>a</table></table></form>", ELEMENTS, 2),
    ("<dl><dt>a<dd>b</dl>", ELEMENTS, 1),
    ("<div ROLE = ' Grid'><div role=row><span role=cell>a</span></div></div>", DRAWN, 1),
    ("<div role='&#116;able'><div role=row><b role=cell>a</b></div></div>", DRAWN, 1),
    ("<div style='DISPLAY : Table'><p style='display:table-cell'>a</p></div>", DRAWN, 1),
    ("<svg><table><tr><td>a</table></svg><select><table><tr><td>b</table></select>", ELEMENTS, 0),
]


@pytest.mark.parametrize(("html", "marks", "tables"), CASES)
def test_markup_tells_which_tables_there_may_be(html: str, marks: TableMarks, tables: int) -> None:
    parsed = parse(Page.from_text("https://site.example/", html))
    everywhere = dataclasses.replace(parsed, tables=DRAWN)
    assert table_marks(html.encode()) is marks
    assert len(find_tables(parsed)) == len(find_tables(everywhere))
    if tables:
        assert len(find_tables(parsed)) == tables


def test_a_tag_without_end_is_bounded_and_long_text_is_none() -> None:
    long = " ".join(f"a{number}=1" for number in range(20_000))
    tag = parse(Page.from_text("https://site.example/", f"<p>b</p><div {long}>c</div>"))
    text = parse(Page.from_text("https://site.example/", f"<p>{long}</p><div x=1>c</div>"))
    assert max(len(each.attrib) for root in tag.roots for each in root.iter()) == 256
    assert max(len(each.attrib) for root in text.roots for each in root.iter()) == 1
