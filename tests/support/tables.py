"""The tables of a page, as its items have them."""

from __future__ import annotations

from typing import Any

from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.tables.classify import get_table_method
from crawler.core.tables.content import judge_tables, tables_of


def tables_in(
    html: str, method: str = "rules", *, language: str = "", layout: bool = False
) -> list[dict[str, Any]]:
    """Return the genuine tables of a page, with the layout tables where asked for."""
    parsed = parse(Page.from_text("https://site.example/", html))
    judge = get_table_method(method)
    judged = judge_tables(parsed, judge)
    return tables_of(parsed, judged, judge, language=language, layout=layout)
