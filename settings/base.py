"""The settings of a crawl in this checkout: those of the package, with the spiders around."""

from __future__ import annotations

from crawler.crawl_settings import *  # noqa: F403 - a settings module is its names

SPIDER_MODULES = ["spiders"]
NEWSPIDER_MODULE = "spiders"
