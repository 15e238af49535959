"""The whole demo site, as pages ready to be served."""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Final

from crawler.demo.blog import MISLABELLED_PATH, blog_pages
from crawler.demo.extras import data_pages, file_pages, old_pages, private_pages
from crawler.demo.news import news_pages
from crawler.demo.page import DemoPage

if TYPE_CHECKING:
    from crawler.demo.server import Answer

__all__ = ["MISLABELLED_PATH", "MISSING_PATHS", "DemoPage", "answers", "demo_pages"]

MISSING_PATHS: Final = frozenset({"/news/city/fountain-moved"})
"""Addresses that pages link to and that are not there, on purpose."""


@cache
def demo_pages() -> tuple[DemoPage, ...]:
    """Make all pages of the demo site; the same bytes at every call."""
    return tuple(
        chain(news_pages(), blog_pages(), old_pages(), data_pages(), private_pages(), file_pages())
    )


def answers() -> dict[str, Answer]:
    """Give the demo site in the form that :func:`crawler.demo.server.serve` takes."""
    return {page.path: (page.status, page.headers, page.body) for page in demo_pages()}
