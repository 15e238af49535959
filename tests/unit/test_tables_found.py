"""Which elements of a page begin a table."""

from __future__ import annotations

import pytest

from crawler.core.page.page import Page
from crawler.core.page.parse import parse
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
