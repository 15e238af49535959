"""The settings module of the crawls of a harvest: ``SCRAPY_SETTINGS_MODULE`` of their processes.

It depends on no project that lies around, so a site gives the same wherever its crawl runs. What
a plan sets besides comes with ``-s``, as on any command line.
"""

from __future__ import annotations

import os
import sys

from crawler.exporters.formats import FEED_EXPORTERS
from crawler.extensions.logs import shorten_start

__all__ = ["FEED_EXPORTERS"]

BOT_NAME = "scrapy-corpus"
SPIDER_MODULES = ["crawler.spiders.site"]
ADDONS = {"crawler.addon.CorpusAddon": 500}
FEED_EXPORT_ENCODING = "utf-8"

# The log goes to a file that is read when something is wrong.
LOG_LEVEL = "INFO"
LOG_VERSIONS: list[str] = []
LOGSTATS_INTERVAL = 0
STATS_DUMP = False
TELNETCONSOLE_ENABLED = False
CORPUS_PROGRESS = "off"
MEMUSAGE_CHECK_INTERVAL_SECONDS = 5

shorten_start()
# Modules beside the plan, such as item pipelines, are found as those of a project are: last.
sys.path.append(os.getcwd())  # noqa: PTH109 - a text, as the others are
