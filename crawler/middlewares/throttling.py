"""Throttling: a downloader middleware that sends nothing to a site in trouble for a while.

The rules are in :mod:`crawler.middlewares.throttling_rules`. Requests of a paused site go back to
the scheduler, whose queue (:mod:`crawler.middlewares.scheduler_queue`) gives out none of them until
the pause is over. So they take none of ``CONCURRENT_REQUESTS``, and a crawl that is stopped does
not wait for them.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any, Final
from weakref import WeakKeyDictionary, WeakSet

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
)
from scrapy.http import Response
from scrapy.utils.asyncio import call_later
from scrapy.utils.httpobj import urlparse_cached

from crawler.core.wording import show_seconds
from crawler.extensions.component import Component, pause
from crawler.middlewares.downloader import slot_of
from crawler.middlewares.throttling_rules import Throttle, Verdict, http_date, retry_after

logger = logging.getLogger(__name__)

MAY_NOT_WAIT: Final = "corpus_may_not_wait"
"""Key of ``Request.meta``: where its site is paused, the request fails with `SitePausedError`."""
_WAITED: Final = "corpus_waited"
"""Key of ``Request.meta``: how often the request has met trouble and was put back."""

_ASKS_TO_WAIT: Final = frozenset({429, 503})
# A gateway that does not reach the site; 520 and above are those of Cloudflare. Any other 5xx may
# be the fault of one page.
_GATEWAY_ERRORS: Final = frozenset({502, 504, *range(520, 528), 530})
_SERVER_ERROR: Final = 500
_FAILURES: Final[dict[type[Exception], str]] = {
    DownloadConnectionRefusedError: "refuses connections",
    DownloadTimeoutError: "does not answer in time",
    CannotResolveHostError: "is not found",
    DownloadFailedError: "breaks connections off",
}
# How often a page is put back that alone asks to wait, or alone fails, on a site that answers
# otherwise; RETRY_TIMES counts beside that.
_MOST_WAITS: Final = 3
_MOST_WAITS_AFTER_ERRORS: Final = 1
_POLL_SECONDS: Final = 0.2
_ALMOST_A_MINUTE: Final = timedelta(seconds=59)


class SitePausedError(IgnoreRequest):
    """The site is paused, and the request is one that may not wait; send it again later."""


class SiteLeftAloneError(IgnoreRequest):
    """A page was not fetched, since its site was given up for the rest of the crawl.

    It says nothing of the page: a list of addresses keeps this one.

    Attributes:
        retry_later: Always True: the next crawl may request the page.
        site: The site, by the name of its download slot (usually its host).
        until: When the site asks to come back, with a time zone; None where it did not say.
    """

    retry_later: Final = True

    def __init__(self, message: str, site: str, until: datetime | None = None) -> None:
        super().__init__(message)
        self.site = site
        self.until = until


class ThrottlingMiddleware(Component):
    """Downloader middleware that pauses sites in trouble.

    A site that answers 429 or 503 is paused for as long as its ``Retry-After`` says, else for times
    that double; so is one that gives several errors in a row (no connection, no answer, 5xx). The
    request that met the trouble is sent again afterwards. After ``count`` pauses in a row (the keys
    are those of ``CORPUS_PAUSES``) the site is given up, and so is one that asks for more than
    ``longest`` seconds: its requests fail with :class:`SiteLeftAloneError`. Requests that may not
    wait (``MAY_NOT_WAIT``) fail with :class:`SitePausedError` while their site is paused.

    Requests from the scheduler wait there if its queue is
    :class:`crawler.middlewares.scheduler_queue.ThrottledQueue`. Those of another queue, and those
    of components, wait here.
    """

    handlers = ("response_downloaded",)

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._priority = crawler.settings.getint("RETRY_PRIORITY_ADJUST")
        self._throttle = Throttle(self.options.pauses)
        self._sent: WeakKeyDictionary[Request, float] = WeakKeyDictionary()
        self._scheduled: WeakSet[Request] = WeakSet()
        self._errors: dict[str, SiteLeftAloneError] = {}

    def most_under_way(self, slot: str, usual: int) -> int:
        """Return how many requests of a download slot may be under way now: ``usual``, or less."""
        if self._throttle.wait(slot, monotonic()) > 0:
            return 0
        return 1 if self._throttle.is_tried(slot) else usual

    def handed_out(self, request: Request) -> None:
        """Note that a request came from a queue that holds back those of paused sites."""
        self._scheduled.add(request)

    def is_any_paused(self) -> bool:
        """Say whether the scheduler may hold requests that wait for the end of a pause."""
        return self._throttle.is_any_paused(monotonic())

    async def process_request(self, request: Request) -> Request | None:
        """Pass a request on to its site, unless that is paused."""
        if not _is_web(request):
            return None
        site = self._site(request)
        self._refuse_given_up(site)
        if self._throttle.wait(site, monotonic()) > 0:
            return await self._put_back(request, site)
        self._sent[request] = monotonic()
        return None

    async def process_response(self, request: Request, response: Response) -> Response | Request:
        """Put a request back whose answer is that of a site in trouble."""
        if response.status not in _ASKS_TO_WAIT and response.status not in _GATEWAY_ERRORS:
            return response
        if not _is_web(request) or "cached" in response.flags:
            return response
        most = _MOST_WAITS if response.status in _ASKS_TO_WAIT else _MOST_WAITS_AFTER_ERRORS
        return await self._retry(request, most) or response

    async def process_exception(self, request: Request, exception: Exception) -> Request | None:
        """Put a request back that failed when its site was in trouble."""
        if isinstance(exception, SitePausedError):
            return await self._put_back(request, self._site(request))
        why = next((words for kind, words in _FAILURES.items() if isinstance(exception, kind)), "")
        if not why or not _is_web(request):
            return None
        site, now = self._site(request), monotonic()
        self._act(site, self._throttle.failed(site, self._sent.get(request, now), now), why)
        return await self._retry(request, _MOST_WAITS_AFTER_ERRORS)

    def response_downloaded(self, response: Response, request: Request) -> None:
        """Note what an answer says of its site, before the downloader sends the next request."""
        if not _is_web(request):
            return
        site, now = self._site(request), monotonic()
        sent, status = self._sent.get(request, now), response.status
        if status in _ASKS_TO_WAIT:
            date, wanted = (
                (response.headers.get(name) or b"").decode("latin-1")
                for name in ("Date", "Retry-After")
            )
            # Dates are those of the server's clock, which may be wrong.
            asked = retry_after(wanted, http_date(date) or datetime.now(UTC))
            # A robots.txt without a time to wait has failed: its site is not crawled.
            if asked is None and request.meta.get(MAY_NOT_WAIT):
                verdict = self._throttle.failed(site, sent, now)
            else:
                verdict = self._throttle.asked_to_wait(site, sent, now, asked)
        elif status in _GATEWAY_ERRORS or (
            # A page that fails each time it is retried fails once.
            status >= _SERVER_ERROR and not request.meta.get("retry_times")
        ):
            verdict = self._throttle.failed(site, sent, now)
        else:
            if status < _SERVER_ERROR and self._throttle.answered(site, sent):
                logger.info("%s answers again", site)
            return
        self._act(site, verdict, f"answers HTTP {status}")

    def _site(self, request: Request) -> str:
        """Name the download slot that a request belongs to.

        Scrapy leaves a request that was redirected to another host in the slot of the first one.
        """
        passed = request.meta.get("redirect_urls")
        slot = request.meta.get("download_slot")
        if passed and slot == slot_of(passed[0]):
            return slot_of(request.url)
        return self.crawler.engine.downloader.get_slot_key(request)

    def _act(self, site: str, verdict: Verdict | None, why: str) -> None:
        if verdict is None:
            return
        if verdict.seconds is None:
            self._give_up(site, verdict, why)
        else:
            self.stats.inc_value("corpus/pauses/count")
            seconds: float = self.stats.get_value("corpus/pauses/seconds", 0.0)
            self.stats.set_value("corpus/pauses/seconds", seconds + verdict.seconds)
            logger.info(
                "%s %s: paused for %s%s, pause %d in a row",
                site,
                why,
                show_seconds(verdict.seconds),
                "" if verdict.asked is None else " as it asks",
                verdict.pauses,
            )
            # When the pause is over, the engine asks the scheduler again.
            call_later(
                verdict.seconds, lambda: (slot := self._engine_slot()) and slot.nextcall.schedule()
            )
        # Requests that wait in the downloader are taken back.
        slot = self.crawler.engine.downloader.slots.get(site)
        while slot is not None and slot.queue:
            _, promised = slot.queue.popleft()
            promised.errback(SitePausedError(f"{site} is paused"))

    def _give_up(self, site: str, verdict: Verdict, why: str) -> None:
        words, until = why, None
        if verdict.pauses:
            words += f", {verdict.pauses} pauses in a row did not help"
        if verdict.asked is None:
            words += "; crawl it again later"
        else:
            until = datetime.now(UTC) + timedelta(seconds=verdict.asked)
            minute = until + _ALMOST_A_MINUTE  # the next full one: never too early
            words += f"; it asks to come back after {minute:%Y-%m-%d %H:%M} UTC"
        self._errors[site] = SiteLeftAloneError(f"{site} {words}", site, until)
        earlier: list[dict[str, Any]] = self.stats.get_value("corpus/left_alone", [])
        self.stats.set_value("corpus/left_alone", [*earlier, {"site": site, "why": words}])
        logger.warning(
            "%s %s. Nothing more is requested of it in this crawl "
            "(CORPUS_PAUSES allows more and longer pauses).",
            site,
            words,
        )

    def _refuse_given_up(self, site: str) -> None:
        if error := self._errors.get(site):
            # A new one for each request: tracebacks grow with each raise.
            raise SiteLeftAloneError(str(error), site, error.until)

    async def _retry(self, request: Request, most: int) -> Request | None:
        """Put a request back that met trouble; None where that was done ``most`` times."""
        site, waited = self._site(request), request.meta.get(_WAITED, 0)
        if request.meta.get("dont_retry"):
            return None
        self._refuse_given_up(site)
        if self._throttle.wait(site, monotonic()) <= 0 or waited >= most:
            return None
        self.stats.inc_value("corpus/pauses/put_back")
        again = await self._put_back(request, site)
        again.meta[_WAITED] = waited + 1
        # As retries are: other pages may show sooner whether the site answers.
        again.priority += self._priority
        return again

    async def _put_back(self, request: Request, site: str) -> Request:
        """Give a request back for the scheduler, now if that keeps it, else after the pause."""
        if request.meta.get(MAY_NOT_WAIT):
            raise SitePausedError(f"{site} is paused")
        while request not in self._scheduled and self._throttle.wait(site, monotonic()) > 0:
            if self._is_closing():
                raise SiteLeftAloneError(f"the crawl ended while {site} was paused", site)
            await pause(min(_POLL_SECONDS, self._throttle.wait(site, monotonic())))
        again = request.replace(dont_filter=True)
        if again.meta.get("download_slot", site) != site:
            # It was redirected to this site, and waits with its other requests.
            del again.meta["download_slot"]
        return again

    def _is_closing(self) -> bool:
        slot = self._engine_slot()
        return not self.crawler.engine.running or slot is None or slot.closing is not None

    def _engine_slot(self) -> Any:  # noqa: ANN401 - a private class of Scrapy
        # Scrapy has no public name for "ask the scheduler again", nor for "the spider is closing".
        return getattr(self.crawler.engine, "_slot", None)


def _is_web(request: Request) -> bool:
    return urlparse_cached(request).scheme in {"http", "https"}
