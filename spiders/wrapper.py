"""``scrapy crawl wrapper``: fields and records by rules that were learned from examples."""

from __future__ import annotations

from crawler.spiders import wrapper

__all__ = ["WrapperSpider"]


# Scrapy lists the spiders that are defined in a project's own spider modules.
class WrapperSpider(wrapper.WrapperSpider):
    """The wrapper spider of this project."""
