"""``scrapy crawl urls``: fetch a list of addresses."""

from __future__ import annotations

from crawler.spiders import urls

__all__ = ["UrlsSpider"]


# Scrapy lists the spiders that are defined in a project's own spider modules.
class UrlsSpider(urls.UrlsSpider):
    """The list spider of this project."""
