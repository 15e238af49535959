"""What the spiders that fetch pages share: which responses are pages, and counted failures."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy import Spider
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)
from scrapy.http import HtmlResponse
from scrapy.spidermiddlewares.httperror import HttpError

if TYPE_CHECKING:
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector
    from twisted.python.failure import Failure

__all__ = ["PageSpider", "failure_reason"]

_T = TypeVar("_T")

_REASONS: tuple[tuple[type[Exception], str], ...] = (
    (CannotResolveHostError, "dns"),
    (DownloadTimeoutError, "timeout"),
    (DownloadConnectionRefusedError, "refused"),
    # Scrapy gives up a body over DOWNLOAD_MAXSIZE by cancelling its download.
    (DownloadCancelledError, "too-large"),
    (DownloadFailedError, "connection"),
    (ResponseDataLossError, "connection"),
    (UnsupportedURLSchemeError, "bad-address"),
)


def failure_reason(error: BaseException | None) -> str:
    """Name why a page could not be fetched, by the slug it is counted under."""
    if isinstance(error, HttpError):
        return f"http-{error.response.status}"
    if isinstance(error, IgnoreRequest):
        # Scrapy tells these apart by their words alone.
        message = str(error)
        if "robots.txt" in message:
            return "robots"
        if "DOWNLOAD_MAXSIZE" in message:
            return "too-large"
        return "redirects" if "redirections" in message else "other"
    return next((reason for kind, reason in _REASONS if isinstance(error, kind)), "other")


class PageSpider(Spider):
    """A spider that hands over pages as responses and counts whatever gives none."""

    @property
    def stats(self) -> StatsCollector:
        """The crawl's figures."""
        return self.crawler.stats

    def kept_state(self, key: str, fresh: _T) -> _T:
        """Give back what a paused crawl (JOBDIR) kept under ``key``, else ``fresh``, now kept."""
        state: dict[str, Any] | None = getattr(self, "state", None)
        if state is None:
            return fresh
        kept: _T = state.setdefault(key, fresh)
        return kept

    def is_page(self, response: Response) -> bool:
        """Say whether a response is an HTML page; count and log it when it is not."""
        if isinstance(response, HtmlResponse):
            return True
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        self.skip(response.url, "not-html", f"its type is {content_type or 'not given'}")
        return False

    def skip(self, url: str, reason: str, detail: str) -> None:
        """Count a fetched response that is left out."""
        self.stats.inc_value("corpus/pages/skipped")
        self.stats.inc_value(f"corpus/skipped/{reason}")
        self.logger.debug("Left out %s: %s", url, detail)

    def fail(self, url: str, reason: str, detail: str) -> None:
        """Count an address that gave no response; one line in the log."""
        self.stats.inc_value(f"corpus/failed/{reason}")
        # The site's own answers are part of any crawl; the rest may be for the user to mend.
        expected = reason == "robots" or reason.startswith("http-4")
        level = logging.INFO if expected else logging.WARNING
        words = " ".join(detail.split()) or "no further detail"
        self.logger.log(level, "Not fetched (%s): %s: %s", reason, url, words)

    def count_failure(self, failure: Failure) -> None:
        """Count and log a failed request; the errback of every request of these spiders."""
        error = failure.value
        request: Any = getattr(failure, "request", None)
        url = request.url if request is not None else "unknown address"
        self.fail(url, failure_reason(error), f"{type(error).__name__} {error}")
