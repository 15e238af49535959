"""The settings of all crawls of the project; a schedule may give others."""

from __future__ import annotations

from crawler.exporters.formats import FEED_EXPORTERS as FORMATS

BOT_NAME = "news"
SPIDER_MODULES = ["crawler.spiders"]
ADDONS = {"crawler.addon.CorpusAddon": 500}
# Scrapy reads these before add-ons run.
FEED_EXPORTERS = FORMATS
FEED_EXPORT_ENCODING = "utf-8"

# The crawls of a site remember what they have seen, in a folder that outlives them.
CORPUS_DIR = "/srv/corpus"
CORPUS_INCREMENTAL = True
CORPUS_PROGRESS = "off"
