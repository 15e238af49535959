"""scrapy-corpus: clean text and tables from whole news and blog sites, as a Scrapy plugin.

As a library, without a crawl::

    from crawler import Site, extract

    item = extract(html, url="https://blog.example/a")  # one page by itself
    for item in Site().items(pages):  # many pages (address, html), judged by all of them
        ...
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from crawler.core.page.page import Page
    from crawler.items import PageItem
    from crawler.journey.extract import extract
    from crawler.journey.site import Site

__all__ = ["Page", "PageItem", "Site", "extract"]

_HOMES: Final = {
    "Page": "crawler.core.page.page",
    "PageItem": "crawler.items",
    "Site": "crawler.journey.site",
    "extract": "crawler.journey.extract",
}


def __getattr__(name: str) -> object:
    """Load a part of the library when it is first used: ``import crawler`` itself loads nothing."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
