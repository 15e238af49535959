"""scrapy-corpus: clean text and tables from whole news and blog sites, as a Scrapy plugin.

As a library, without a crawl::

    from crawler import extract

    item = extract(html, url="https://blog.example/a")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crawler.items import PageItem
    from crawler.journey.extract import extract

__all__ = ["PageItem", "extract"]


def __getattr__(name: str) -> object:
    """Load a part of the library when it is first used: ``import crawler`` itself loads nothing."""
    if name == "extract":
        from crawler.journey.extract import extract  # noqa: PLC0415 - loaded when it is used

        return extract
    if name == "PageItem":
        from crawler.items import PageItem  # noqa: PLC0415 - loaded when it is used

        return PageItem
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
