"""HTML pages: whole, safe, and readable by themselves."""

from __future__ import annotations

import pytest
from jinja2 import UndefinedError
from parsel import Selector

from crawler.reports.html import render_page


def test_a_page_is_one_file_that_loads_nothing() -> None:
    page = render_page("base.html", title="Counts of blog.example")
    assert Selector(page).css("h1::text").get() == "Counts of blog.example"
    assert not Selector(page).css("script, link, img, [src]")
    assert "url(" not in page
    assert "prefers-color-scheme: dark" in page


def test_values_are_escaped_and_control_characters_left_out() -> None:
    page = render_page("base.html", title="<b>\N{RIGHT-TO-LEFT OVERRIDE}bold\x07</b> & more")
    assert Selector(page).css("h1::text").get() == "<b>bold</b> & more"


def test_a_missing_value_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="title"):
        render_page("base.html")
