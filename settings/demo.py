"""As base, but for the demo's own site on loopback, which nobody has to spare.

``scrapy demo --keep-serving`` serves it; ``SCRAPY_PROJECT=demo scrapy crawl site -a url=…`` crawls
it as any other site.
"""

from __future__ import annotations

from settings.base import *  # noqa: F403 - a settings module is its names

DOWNLOAD_DELAY = 0
AUTOTHROTTLE_ENABLED = False
CONCURRENT_REQUESTS_PER_DOMAIN = 8
TELNETCONSOLE_ENABLED = False
LOG_LEVEL = "WARNING"
STATS_DUMP = False
