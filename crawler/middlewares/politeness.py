"""Politeness: the settings of a polite crawl, and the delay that a robots.txt asks for."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.robotstxt import RobotParser

from crawler.extensions.component import Component
from crawler.store.files import release

logger = logging.getLogger(__name__)

_DEFAULT_LONGEST_DELAY = 60.0


def user_agent() -> str:
    """Name this crawler and a page about it, as sites expect of a robot."""
    name = f"scrapy-corpus/{release() or 'unreleased'}"
    return f"{name} (+https://pypi.org/project/scrapy-corpus/)"


POLITE_SETTINGS: Mapping[str, Any] = {
    # A site says in robots.txt which pages it does not want fetched.
    "ROBOTSTXT_OBEY": True,
    # Small servers can answer a request a second.
    "DOWNLOAD_DELAY": 1.0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    # A server that becomes slow gets longer delays, up to AUTOTHROTTLE_MAX_DELAY.
    "AUTOTHROTTLE_ENABLED": True,
    # The first delays are as long as the later ones.
    "AUTOTHROTTLE_START_DELAY": 1.0,
    # A page that takes longer than a minute would hold up the only connection to its site.
    "DOWNLOAD_TIMEOUT": 60.0,
    # The spiders log pages that could not be fetched.
    "RETRY_GIVE_UP_LOG_LEVEL": "DEBUG",
    # Both ports run code for anyone who connects.
    "REMOTE_CONTROL_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    # Operators of a site see who crawls it.
    "USER_AGENT": user_agent(),
}
"""Settings of a polite crawl. A project's own settings override them."""


def use_shipped_suffixes() -> None:
    """Let Scrapy's cookies use the list of public suffixes that their library comes with.

    By default the library fetches a newer list at the first cookie, while everything waits, from
    servers that nobody named; and it writes it into the user's home.
    """
    # Loaded here: a crawl without cookies does not need it.
    from scrapy.downloadermiddlewares import cookies  # noqa: PLC0415 - as above
    from tldextract import TLDExtract  # noqa: PLC0415 - as above

    # Scrapy has no public name for it.
    if isinstance(getattr(cookies, "_split_domain", None), TLDExtract):
        shipped = TLDExtract(None, suffix_list_urls=(), include_psl_private_domains=True)
        vars(cookies)["_split_domain"] = shipped


class CrawlDelay(Component):
    """Extension that keeps the delay a robots.txt asks for, where ``ROBOTSTXT_OBEY`` is on.

    ``Crawl-delay`` and ``Request-rate`` raise the delay between requests to that host, up to
    ``AUTOTHROTTLE_MAX_DELAY`` seconds, and never lower it. The random variation of delays is off
    for the host, so that no delay is shorter.
    """

    handlers = ("robots_parsed", "response_downloaded", "request_reached_downloader")

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self._agent: str = settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT")
        # With a maximum of 0 no delay would be kept.
        self._longest = settings.getfloat("AUTOTHROTTLE_MAX_DELAY") or _DEFAULT_LONGEST_DELAY
        self._asked: dict[str, float] = {}

    def robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        """Read the delay in a robots.txt and set it for the host of ``request``."""
        asked = _asked_delay(robotparser, self._agent)
        if not asked > 0:  # also where it is NaN
            return
        host = self.crawler.engine.downloader.get_slot_key(request)
        delay = min(asked, self._longest)
        if delay <= self._asked.get(host, 0.0):
            return
        self._asked[host] = delay
        self._slow_down(host)
        logger.log(
            logging.INFO if delay == asked else logging.WARNING,
            "%s asks in robots.txt for %g seconds between requests%s",
            host,
            asked,
            "" if delay == asked else f"; keeping to {delay:g}, the AUTOTHROTTLE_MAX_DELAY",
        )

    def response_downloaded(self, request: Request) -> None:
        """Set the delay again after AutoThrottle lowered it or Scrapy made a new slot."""
        if (host := request.meta.get("download_slot")) in self._asked:
            self._slow_down(host)

    request_reached_downloader = response_downloaded

    def _slow_down(self, host: str) -> None:
        slot = self.crawler.engine.downloader.slots.get(host)
        if slot is None:
            return
        slot.delay = max(slot.delay, self._asked[host])
        # Scrapy 2.18 has a switch where later versions have a magnitude.
        if hasattr(slot, "jitter"):
            slot.jitter = 0.0
        else:
            slot.randomize_delay = False


def _asked_delay(robotparser: RobotParser, agent: str) -> float:
    """Return the seconds between requests that a robots.txt asks for; 0 for none."""
    delay = robotparser.crawl_delay(agent) or 0.0
    # Scrapy passes on the delay alone; the parsers beneath it know the rate as well.
    read_rate = getattr(getattr(robotparser, "rp", None), "request_rate", None)
    rate = read_rate(agent) if read_rate else None
    if rate is not None and rate.requests > 0:
        delay = max(delay, rate.seconds / rate.requests)
    return delay
