"""As base, but for the demo's own site on loopback, which nobody has to spare.

``scrapy demo --keep-serving`` serves it; ``SCRAPY_PROJECT=demo scrapy crawl site -a url=…`` crawls
it as any other site.
"""

from __future__ import annotations

from settings.base import *  # noqa: F403 - a settings module is its names

# isort: split
# Last, so that it wins over base.
from crawler.demo.settings import *  # noqa: F403 - the same that `scrapy demo` uses
