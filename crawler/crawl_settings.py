"""The settings of a crawl: one site, politely, in two passes.

A crawl outside of a Scrapy project has them by ``SCRAPY_SETTINGS_MODULE=crawler.crawl_settings``.
"""

from __future__ import annotations

from crawler.exporters import formats
from crawler.extensions.logs import shorten_start
from crawler.pipelines import order

BOT_NAME = "scrapy-corpus"
SPIDER_MODULES = ["crawler.spiders"]

# The add-on switches the project's components on, and politeness with them: robots.txt, delays,
# one request at a time, the user agent and the body cap stand in
# crawler/middlewares/politeness.py. A value set here or with -s wins over the add-on's.
ADDONS = {"crawler.addon.CorpusAddon": 500}

# Scrapy checks the format of -o and -O before add-ons run, so formats are declared here.
FEED_EXPORTERS = formats.FEED_EXPORTERS
# The stages of the work on a page, in order. The add-on sets the same ones; they stand here so that
# "scrapy settings --get ITEM_PIPELINES" shows them.
ITEM_PIPELINES = order.ITEM_PIPELINES
# Letters of all scripts as they are, not as \uXXXX.
FEED_EXPORT_ENCODING = "utf-8"

# A person reads the log: no version table, no figures twice (the summary at the end replaces the
# dump of stats, the progress line the periodic one).
LOG_LEVEL = "INFO"
LOG_VERSIONS: list[str] = []
STATS_DUMP = False
EXTENSIONS = {"scrapy.extensions.logstats.LogStats": None}
shorten_start()
