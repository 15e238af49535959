"""Settings of the demo's crawl: the loopback server is ours, so nobody has to be spared.

Read by ``scrapy demo`` alone, whatever project it is called in, and by ``settings/demo.py`` on top
of the project's own.
"""

from __future__ import annotations

from crawler.exporters import formats

ADDONS = {"crawler.addon.CorpusAddon": 500}

FEED_EXPORTERS = formats.FEED_EXPORTERS
FEED_EXPORT_ENCODING = "utf-8"

DOWNLOAD_DELAY = 0
AUTOTHROTTLE_ENABLED = False
CONCURRENT_REQUESTS_PER_DOMAIN = 8
TELNETCONSOLE_ENABLED = False

# The demo prints its own account at the end.
LOG_LEVEL = "WARNING"
STATS_DUMP = False
