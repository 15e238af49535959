"""``scrapy crawl site``: walk a whole site."""

from __future__ import annotations

from crawler.spiders import site

__all__ = ["SiteSpider"]


# Scrapy lists the spiders that are defined in a project's own spider modules.
class SiteSpider(site.SiteSpider):
    """The site spider of this project."""
