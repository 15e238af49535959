"""Fetch by the rules that every crawl obeys, without exporting anything.

:func:`fetch_pages` fetches a few pages. :func:`find_pages` finds what a crawl of spider ``site``
would fetch, for ``scrapy discover``.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcessBase
from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from crawler.addon import switch_on
from crawler.core.errors import FetchError, one_line
from crawler.core.page.page import Page
from crawler.core.wording import fit_width, without_secrets
from crawler.discovery.addresses import check_address
from crawler.discovery.frontier import Visit
from crawler.journey.statistics import by_reason
from crawler.middlewares.to_page import page_from
from crawler.reports.stdout import table_lines
from crawler.spiders.site import SiteSpider

_COLUMNS = ("kind", "date", "found by", "address")
_ADDRESS_COLUMNS = 200
_LEFT_OUT = {
    "outdated": "sitemaps left unread, older than 'since'",
    "left-unread": "sitemaps and feeds left unread, beyond max_listings or nested too deeply",
    "foreign": "pages of other sites, which listings name",
}


def fetch_page(url: str, process: CrawlerProcessBase) -> Page:
    """Run a crawl of one page, by the rules that every crawl obeys; a process can do this once.

    Raises:
        ArgumentError: ``url`` is no http(s) address.
        FetchError: the page could not be fetched; the message says why.
    """
    found = fetch_pages([url], process)[0]
    if isinstance(found, FetchError):
        raise found
    return found


def fetch_pages(urls: Sequence[str], process: CrawlerProcessBase) -> list[Page | FetchError]:
    """Run a crawl of some pages, as :func:`fetch_page`; give each, or why it could not be fetched.

    Raises:
        ArgumentError: one is no http(s) address.
        KeyboardInterrupt: a Ctrl-C ended the crawl.
    """
    for url in urls:
        check_address(url)
    found: dict[str, Page | FetchError] = {
        url: _error(url, "the crawl ended before it came") for url in urls
    }
    process.crawl(_FetchSpider, found=found)
    # Not made beforehand: Scrapy would put the settings of the process over those of the spider.
    (crawler,) = process.crawlers
    process.start()
    assert crawler.stats is not None  # noqa: S101 - the crawl has run
    if crawler.stats.get_value("finish_reason") == "shutdown":
        raise KeyboardInterrupt  # Scrapy took the signal, and ended the crawl by it
    return [found[url] for url in urls]


def _error(url: str, why: str) -> FetchError:
    url, why = without_secrets(url), one_line(why)
    return FetchError(f"{url} could not be fetched: {why}").about("not-fetched", url, why)


def without_export(settings: BaseSettings) -> None:
    """Use the add-on, also where the project does not, and let a crawl write nothing.

    No feed, pipeline, job folder or ledger is used, even where the command line asks for one.
    """
    nothing: dict[str, Any] = {
        "FEEDS": {},
        "ITEM_PIPELINES": {},
        "JOBDIR": None,
        "CORPUS_TABLES_FOLDER": None,
        "CORPUS_STRUCTURE_FOLDER": None,
        "CORPUS_INCREMENTAL": False,
        "CORPUS_PROGRESS": "off",
    }
    for name, value in nothing.items():
        settings.set(name, value, "cmdline")
    switch_on(settings, "spider")


class _Looks(Spider):
    """A spider that is as polite as any, and writes nothing."""

    # Without a name, no project lists it among its spiders.
    name = ""
    gives_pages = False

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        without_export(settings)


class _FetchSpider(_Looks):
    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        # A person waits for the page: an overloaded site is an error at once, not a pause.
        settings.set("CORPUS_PAUSES", {"count": 0}, "spider")

    def __init__(self, found: dict[str, Page | FetchError]) -> None:
        super().__init__("fetch")
        self.found = found

    async def start(self) -> AsyncIterator[Request]:
        for url in list(self.found):
            yield Request(
                url,
                callback=self.parse_page,
                errback=self.failed,
                dont_filter=True,
                meta={"corpus_asked": url},
            )

    def parse_page(self, response: Response) -> None:
        page = page_from(response, datetime.now(UTC).isoformat(timespec="seconds"))
        if page is not None:
            self.found[response.meta["corpus_asked"]] = page

    def failed(self, failure: Failure) -> None:
        error = failure.value
        request: Request = failure.request  # type: ignore[attr-defined] # Scrapy sets it
        reason = failure.getErrorMessage()
        if isinstance(error, HttpError):
            reason = f"its server answered with status {error.response.status}"
        asked: str = request.meta["corpus_asked"]
        self.found[asked] = _error(asked, reason)


@dataclass(slots=True)
class Found:
    """What a crawl would fetch.

    Attributes:
        visits: The pages, in the order in which they would be fetched.
        notes: In words, what could not be fetched, read or followed.
        errors: Of the notes, those on start pages.
    """

    visits: list[Visit] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class _Preview(_Looks, SiteSpider):
    """Fetches start pages, robots.txt files, sitemaps and feeds, and no more."""

    def __init__(self, found: Found, **raw: object) -> None:
        self.name = "discover"
        super().__init__(**raw)
        self.frontier.gives_pages = False
        self._found = found
        self._starts: list[Visit] = []

    def deliver(self, response: Response) -> Iterator[Response]:
        """Yield nothing; note that the start page is one that a crawl would fetch."""
        self._starts.append(self.visit_of(response))
        return iter(())

    def failed(self, failure: Failure) -> Iterator[Request]:
        """Note why a start page could not be fetched."""
        request: Any = getattr(failure, "request", None)
        if request is not None and not self.visit_of(request).source:
            status = getattr(getattr(failure.value, "response", None), "status", None)
            words = f"HTTP status {status}" if status else failure.getErrorMessage()
            self._found.errors.append(f"{request.url}: {one_line(words)}")
        yield from super().failed(failure)

    def begins_nothing(self, url: str, why: str) -> None:
        """Note why a start page gave nothing."""
        self._found.errors.append(f"{url}: {why}")

    def closed(self, reason: str) -> None:
        """Note what was found, site by site, up to the page limit."""
        super().closed(reason)
        self.frontier.gives_pages, self.frontier.ahead = True, 0
        self.frontier.forget_under_way()
        for site in self.frontier.sites():
            starts = [visit for visit in self._starts if visit.site == site]
            self._found.visits += [*starts, *self.frontier.next_visits(site)]
        self.frontier.max_pages = 0
        if left_out := sum(len(self.frontier.next_visits(site)) for site in self.frontier.sites()):
            self.stats.inc_value("corpus/cut/page-limit", left_out)
        self._found.notes += [*self._found.errors, *self._notes()]

    def _notes(self) -> Iterator[str]:
        stats = self.stats.get_stats()
        yield f"sitemaps and feeds read: {stats.get('corpus/discovery/listings', 0):,}"
        if failed := by_reason(stats, "corpus/discovery/failed/"):
            yield f"sitemaps and feeds that could not be fetched or read: {failed}"
        for name, words in _LEFT_OUT.items():
            if number := stats.get(f"corpus/discovery/{name}", 0):
                yield f"{words}: {number:,}"
        if cut := by_reason(stats, "corpus/cut/"):
            yield f"not followed: {cut}"


def find_pages(arguments: Mapping[str, str], process: CrawlerProcessBase) -> Found:
    """Return the pages that a crawl would fetch, in its order; a process can do this once.

    Links are those of the start pages alone. The pages are those of a first crawl: what earlier
    crawls have fetched does not matter. The arguments are those of the spider ``site``.

    Raises:
        ArgumentError: an argument is unknown or wrong.
        FetchError: neither the start page nor a listing of the site could be had.
    """
    found = Found()
    process.crawl(_Preview, found=found, **arguments)
    process.start()
    if not found.visits and found.errors:
        raise FetchError(f"nothing was found: {one_line('; '.join(found.errors))}")
    return found


def json_lines(visits: Sequence[Visit]) -> Iterator[str]:
    """Give each page as a JSON object: ``address``, ``kind``, ``date``, ``found_by``, ``site``."""
    for visit in visits:
        kind, date = visit.kind or "page", visit.date or None
        yield json.dumps(
            {"address": visit.address, "kind": kind, "date": date}
            | {"found_by": visit.found_by, "site": visit.site}
        )


def table(visits: Sequence[Visit]) -> Iterator[str]:
    """Give the pages as lines of a table for a terminal, with a heading."""
    rows = [
        (one.kind or "page", one.date, one.found_by, fit_width(one.address, _ADDRESS_COLUMNS))
        for one in visits
    ]
    return table_lines([_COLUMNS, *rows])
