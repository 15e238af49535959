"""``scrapy crawl archive``: pages from WARC files and folders instead of the network."""

from __future__ import annotations

from crawler.spiders import archive

__all__ = ["ArchiveSpider"]


# Scrapy lists the spiders that are defined in a project's own spider modules.
class ArchiveSpider(archive.ArchiveSpider):
    """The archive spider of this project."""
