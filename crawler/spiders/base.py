"""What the spiders that fetch pages share: which responses are pages, and how failures count."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cached_property
from gzip import BadGzipFile
from typing import Any, ClassVar, Self, TypeVar

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    NotSupported,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)
from scrapy.http import HtmlResponse, Response
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.statscollectors import StatsCollector
from twisted.python.failure import Failure

from crawler.core.errors import UnreadablePageError, one_line
from crawler.core.flow import read
from crawler.core.page.addresses import address_key
from crawler.core.page.parse import ParsedPage
from crawler.core.page.robots_meta import (
    DIRECTIVES,
    excluding,
    may_hold_directives,
    read_directives,
)
from crawler.core.pagetype.judge import ARTICLE, page_type
from crawler.discovery.addresses import ListedAddress
from crawler.extensions.component import connect
from crawler.journey.page_time import PageTime
from crawler.middlewares.address_guard import PrivateAddressError
from crawler.middlewares.graceful_shutdown import CrawlEndedError
from crawler.middlewares.robots import NO_ANSWER, RobotsUnreachableError
from crawler.middlewares.throttling import SiteLeftAloneError
from crawler.middlewares.to_page import parse_response
from crawler.settings import Options

_T = TypeVar("_T")

_LEFT_ALONE = "site-left-alone"
_PRIVATE = "private-address"
# Reasons by kind of error, and by words in its message where Scrapy has one kind for several.
_REASONS: tuple[tuple[type[Exception], str, str], ...] = (
    (PrivateAddressError, "", _PRIVATE),
    (RobotsUnreachableError, "", "robots-unreachable"),
    (CrawlEndedError, "", "interrupted"),
    (SiteLeftAloneError, "", _LEFT_ALONE),
    (UnsupportedURLSchemeError, "", "bad-address"),
    (CannotResolveHostError, "", "dns"),
    (DownloadTimeoutError, "", "timeout"),
    (DownloadConnectionRefusedError, "", "refused"),
    # Scrapy gives up a body over DOWNLOAD_MAXSIZE by cancelling its download.
    (DownloadCancelledError, "", "too-large"),
    (DownloadFailedError, "", "connection"),
    (ResponseDataLossError, "", "cut-short"),
    (BadGzipFile, "", "content-encoding"),
    (EOFError, "", "content-encoding"),
    (IgnoreRequest, "robots.txt", "robots"),
    (IgnoreRequest, "DOWNLOAD_MAXSIZE", "too-large"),
    (IgnoreRequest, "redirections", "redirects"),
    (NotSupported, "scheme 'http", "network-off"),
    (NotSupported, "scheme", "bad-address"),
)
# The libraries by which Scrapy decompresses bodies.
_DECOMPRESSORS = ("zlib", "brotli", "backports.zstd", "compression.zstd")
# What sites say of their own pages is part of any crawl; the rest may be an error to correct.
_EXPECTED = ("robots", "http-4", "redirect")


def failure_reason(error: BaseException | None) -> str:
    """Name why a page could not be fetched, by the slug it is counted under."""
    if isinstance(error, HttpError):
        return f"http-{error.response.status}"
    if isinstance(error, RobotsUnreachableError) and isinstance(error.__cause__, NO_ANSWER):
        return failure_reason(error.__cause__)
    message = str(error)
    for kind, words, reason in _REASONS:
        if isinstance(error, kind) and words in message:
            return reason
    return "content-encoding" if type(error).__module__.startswith(_DECOMPRESSORS) else "other"


class PageSpider(Spider):
    """A spider that yields pages as responses, and counts whatever gives none."""

    gives_pages = True
    """Whether a crawl that has exported nothing has failed."""
    handlers: ClassVar[tuple[str, ...]] = ("request_dropped",)
    """Signals of Scrapy, each of which is received by the method of the same name."""

    @property
    def stats(self) -> StatsCollector:
        """The crawl's figures."""
        return self.crawler.stats

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:  # noqa: ANN401 - as the parent's
        """Make the spider of a crawl."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        connect(spider, crawler)
        return spider

    @cached_property
    def options(self) -> Options:
        """The project's settings of the crawl."""
        return Options.from_settings(self.settings)

    def kept_state(self, key: str, fresh: _T) -> _T:
        """Return what a paused crawl (JOBDIR) kept under ``key``, else keep ``fresh``."""
        state: dict[str, Any] | None = getattr(self, "state", None)
        if state is None:
            return fresh
        kept: _T = state.setdefault(key, fresh)
        return kept

    def is_page(self, response: Response) -> bool:
        """Say whether a response is an HTML page; count and log it when it is not."""
        if isinstance(response, HtmlResponse):
            return True
        kind = (response.headers.get("Content-Type") or b"").decode("latin-1")
        self.skip(response.url, "not-html", f"its type is {kind or 'not given'}")
        return False

    def parsed(self, response: Response) -> ParsedPage | None:
        """Parse a page; None where it cannot be read, which is counted when it is spooled."""
        size = self.options.max_page_bytes
        try:
            return self.in_time(lambda: parse_response(response, size))
        except UnreadablePageError:
            return None

    def in_time(self, work: Callable[[], _T]) -> _T:
        """Read something of a page, which changes nothing.

        Raises:
            PageTimeError: it took more time than a page may. The page is counted then.
        """
        return PageTime(self.options.page_seconds).spend(work)

    def is_article(self, page: ParsedPage) -> bool:
        """Say whether a page is an article by what it shows, whatever its address says."""

        def work() -> bool:
            try:
                return page_type(read(page.page, parsed=page)).kind == ARTICLE
            except UnreadablePageError:
                return False

        return self.in_time(work)

    def directives(self, response: Response, page: ParsedPage | None = None) -> frozenset[str]:
        """Read and count what a page asks of robots, in its headers and in itself."""
        if page is None and may_hold_directives(response.body):
            page = self.parsed(response)
        tags = [tag.decode("latin-1") for tag in response.headers.getlist("X-Robots-Tag")]
        # Of several the first counts, as on items.
        tdm = b"".join(response.headers.getlist("tdm-reservation")[:1]).decode("latin-1")
        directives = read_directives(tags, tdm, page)
        for name in directives:
            self.stats.inc_value(f"corpus/robots/{name}")
        return directives

    def is_reserved(self, response: Response, directives: frozenset[str]) -> bool:
        """Say whether a page is excluded by directives that are respected; then it is counted."""
        reason = excluding(directives, self.options.respected_directives)
        if reason is not None:
            self.skip(response.url, reason, DIRECTIVES[reason])
        return reason is not None

    def skip(self, url: str, reason: str, detail: str) -> None:
        """Count a response that came and is left out."""
        self.stats.inc_value("corpus/pages/fetched")
        self.stats.inc_value("corpus/pages/skipped")
        self.stats.inc_value(f"corpus/skipped/{reason}")
        self.logger.debug("Left out %s: %s", url, detail)

    def fail(self, url: str, reason: str, detail: str) -> None:
        """Count an address that gave no response; one line in the log."""
        self.stats.inc_value(f"corpus/failed/{reason}")
        level = logging.INFO if reason.startswith(_EXPECTED) else logging.WARNING
        if reason in {_LEFT_ALONE, _PRIVATE}:
            # A line in the log names the site, to which any number of addresses may lead.
            level = logging.DEBUG
        words = one_line(detail) or "no further detail"
        self.logger.log(level, "Not fetched (%s): %s: %s", reason, url, words)

    def fail_entry(self, entry: ListedAddress) -> None:
        """Count an entry of a list of addresses that is none."""
        self.fail(f"line {entry.line}", "bad-address", f"no web address: {entry.text[:200]}")

    def count_failure(self, failure: Failure) -> None:
        """Count and log a failed request; the errback of every request of these spiders."""
        error = failure.value
        request: Any = getattr(failure, "request", None)
        url = request.url if request is not None else "unknown address"
        self.fail(url, failure_reason(error), f"{type(error).__name__} {error}")

    def request_dropped(self, request: Request) -> None:
        """Count a redirect that Scrapy does not follow, since its target was requested before."""
        passed = {address_key(url) for url in request.meta.get("redirect_urls", ())}
        if address_key(request.url) in passed:
            self.fail(request.url, "redirect-loop", "its redirects lead back to itself")
        else:
            # No page came: what does, and is left out, is counted by skip().
            self.stats.inc_value("corpus/cut/duplicate-address")
            self.logger.debug("Not fetched %s: it was requested before", request.url)


def by_own_name(response: Response, page: ParsedPage | None) -> Response:
    """Give a page the address it declares, where only a slash at the end differs."""
    own = page.canonical_url if page is not None else None
    if own is None or own == response.url or own.rstrip("/") != response.url.rstrip("/"):
        return response
    return response.replace(url=own)


def validators(response: Response) -> tuple[str, str]:
    """Return the headers by which a server can tell later whether a page has changed."""
    etag, modified = (response.headers.get(name) or b"" for name in ("ETag", "Last-Modified"))
    return etag.decode("latin-1"), modified.decode("latin-1")
