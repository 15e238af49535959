"""Robots rules: what a robots.txt allows, and what is done where it cannot be fetched."""

from __future__ import annotations

import logging
import re
from typing import Final

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    StopDownload,
)
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import build_from_crawler, load_object
from twisted.internet.defer import DeferredLock

from crawler.core.errors import one_line
from crawler.core.listings.read import ROBOTS_BYTES, robots_text
from crawler.middlewares.address_guard import PrivateAddressError
from crawler.middlewares.throttling import MAY_NOT_WAIT, SiteLeftAloneError, SitePausedError

logger = logging.getLogger(__name__)

NO_ANSWER: Final = (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
)
"""Errors of a host that does not answer, whatever it is asked for."""
_TOO_MANY_REQUESTS: Final = 429
_SERVER_ERROR: Final = 500
_OK = range(200, 300)
_LEFT: Final = "corpus_robots_bytes_left"
"""Key of ``Request.meta``: how many bytes of a robots.txt may still come."""
# No robots.txt that is honest is longer; what is compressed may be a bomb.
_MOST_BYTES: Final = 64 * 2**20
# A group is that of a product, whatever its version (RFC 9309, 2.2.1).
_VERSION: Final = re.compile(
    r"^([ \t]*user-?agent[ \t]*:[ \t]*[^\s/#]+)/.*", re.IGNORECASE | re.MULTILINE
)


class RobotsUnreachableError(IgnoreRequest):
    """A page is not fetched, since the rules of its site are unknown.

    ``retry_later`` is always True: it says nothing of the page, and the next crawl may request it.
    """

    retry_later: Final = True


class RobotsMiddleware(RobotsTxtMiddleware):
    """Downloader middleware that fetches nothing a robots.txt forbids, or might forbid.

    As in RFC 9309: where the server says that there is no robots.txt (a status of 4xx) there are no
    rules. Where it fails (5xx, or 429: too many requests), or gives no readable answer, even after
    the usual retries, nothing is fetched from the site.

    Scrapy's own middleware crawls the whole site then. It also passes unchecked all but the first
    of the requests that come while a robots.txt is under way.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._parser_class: type[RobotParser] = load_object(crawler.settings["ROBOTSTXT_PARSER"])
        # An error where they could not be fetched.
        self._rules: dict[str, RobotParser | Exception] = {}
        self._locks: dict[str, DeferredLock] = {}
        crawler.signals.connect(self._stop_long, signals.bytes_received)

    async def robot_parser(self, request: Request) -> RobotParser:
        """Return the rules of the site that a request goes to.

        Raises:
            RobotsUnreachableError: its robots.txt could not be fetched.
            SitePausedError: the site is paused, and there will be rules later.
            SiteLeftAloneError: the site has been given up.
        """
        url = urlparse_cached(request)
        site = f"{url.scheme}://{url.netloc}"
        lock = self._locks.setdefault(site, DeferredLock())
        # The first request fetches the rules, and the others wait.
        await maybe_deferred_to_future(lock.acquire())
        try:
            if site not in self._rules:
                self._rules[site] = await self._fetch(site, request)
        finally:
            lock.release()
        rules = self._rules[site]
        if isinstance(rules, Exception):
            raise RobotsUnreachableError(
                f"the robots.txt of {url.netloc} could not be fetched ({one_line(rules)})"
            ) from rules
        return rules

    async def _fetch(self, site: str, request: Request) -> RobotParser | Exception:
        assert self.crawler.engine is not None  # noqa: S101 - it is the engine that asks
        stats = self._stats
        try:
            response = await self.crawler.engine.download_async(
                Request(
                    f"{site}/robots.txt",
                    priority=self.DOWNLOAD_PRIORITY,
                    # Pages of a paused site would wait for it here, and take the place of others.
                    meta={
                        "dont_obey_robotstxt": True,
                        MAY_NOT_WAIT: True,
                        _LEFT: ROBOTS_BYTES,
                        "download_maxsize": _MOST_BYTES,
                        "download_warnsize": 0,
                    },
                    callback=NO_CALLBACK,
                )
            )
        except (SitePausedError, SiteLeftAloneError, PrivateAddressError):
            raise  # the next request of the site asks again
        except Exception as error:  # noqa: BLE001 - whatever happened, there are no rules
            if not isinstance(error, IgnoreRequest):
                stats.inc_value(f"robotstxt/exception_count/{type(error)}")
            stats.inc_value("robotstxt/request_count")
            if isinstance(error, NO_ANSWER):
                logger.warning("%s does not answer: %s", site, one_line(error))
            else:
                _warn(site, f"{type(error).__name__} {error}")
            return error
        stats.inc_value("robotstxt/request_count")
        stats.inc_value("robotstxt/response_count")
        stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        if response.status >= _SERVER_ERROR or response.status == _TOO_MANY_REQUESTS:
            _warn(site, f"status {response.status}")
            return IgnoreRequest(f"status {response.status}")
        # The page of an error holds no rules.
        body = response.body if response.status in _OK else b""
        body = _VERSION.sub(r"\1", robots_text(body)).encode()
        rules: RobotParser = build_from_crawler(self._parser_class, self.crawler, body)
        await self.crawler.signals.send_catch_log_async(
            signal=signals.robots_parsed, robotparser=rules, request=request
        )
        return rules

    def _stop_long(self, data: bytes, request: Request) -> None:
        """Read no more of a robots.txt than robots have to."""
        if (left := request.meta.get(_LEFT)) is None:
            return
        if left <= 0:
            raise StopDownload(fail=False)
        request.meta[_LEFT] = left - len(data)


def _warn(site: str, why: str) -> None:
    logger.warning(
        "%s is not crawled: its robots.txt could not be fetched (%s). Try again later.",
        site,
        one_line(why),
    )
