"""How the spider ``site`` reads robots.txt files, sitemaps and feeds."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import replace
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.threads import deferToThread
from twisted.python.failure import Failure

from crawler.core.errors import StoreError, one_line
from crawler.core.listings.entries import MAX_LISTING_BYTES
from crawler.core.listings.read import find_feeds, robots_text, sitemaps_of_robots
from crawler.core.page.addresses import address_key
from crawler.discovery.frontier import Frontier, Visit
from crawler.discovery.ledger_frontier import LedgerFrontier
from crawler.discovery.scope import Scope
from crawler.discovery.sources import Reading, Sources, read_source
from crawler.discovery.url_traps import Traps
from crawler.extensions.component import pause
from crawler.spiders.arguments import SiteArguments
from crawler.spiders.base import PageSpider, failure_reason

_ROBOTS = "/robots.txt"
_OK = 200
MISSING = frozenset({"http-404", "http-410"})
"""Reasons of what is not there. A sitemap that could not be had for another may name pages."""
_PAGES_AT_ONCE = 500
_FIRST_TAG = re.compile(rb"<([A-Za-z]+(?::[A-Za-z]+)?)")
_LISTING_ROOTS = frozenset({b"rss", b"rdf:rdf", b"feed", b"urlset", b"sitemapindex"})
_SNIFFED = 2_048
_ANSWERS = (
    "robots",
    "private-address",
    "too-large",
    "redirects",
    "redirect-loop",
    "content-encoding",
)


class ListingReader(PageSpider):
    """Reads the sources of sites and puts the pages they name before the frontier."""

    handlers = (*PageSpider.handlers, "response_received")
    arguments: SiteArguments
    scope: Scope
    frontier: Frontier
    traps: Traps
    ledgers: LedgerFrontier | None = None
    """The frontier, in incremental crawls: it keeps in ledgers what came of each visit."""

    def __init__(self) -> None:
        super().__init__()
        self.sources: dict[str, Sources] = {}
        self._robots: dict[str, tuple[str, ...]] = {}
        self._problems: set[str] = set()
        # What the sitemaps of a site list; None where not all of them could be read.
        self._listed: dict[str, set[int] | None] = {}

    @abstractmethod
    def requests_of(self, site: str) -> Iterator[Request]:
        """Give the requests that may be sent to a site now."""

    @abstractmethod
    def failed(self, failure: Failure) -> Iterator[Request]:
        """Count a request that failed, and go on."""

    def count_cut(self, reason: str, address: str) -> None:
        """Count an address that is not followed, once."""
        if self.traps.count_cut(reason, address, self.logger):
            self.stats.inc_value(f"corpus/cut/{reason}")

    def response_received(self, response: Response, request: Request) -> None:
        """Note which sitemaps a robots.txt names, no matter what requested it."""
        url: str = request.meta.get("redirect_urls", [request.url])[0]
        parts = urlsplit(url)
        if parts.path == _ROBOTS and not parts.query:
            text = robots_text(response.body) if response.status == _OK else ""
            self._robots[_origin(url)] = sitemaps_of_robots(text, url)

    def begin_sources(self, visit: Visit, response: Response | None) -> None:
        """Add the sources of a site to the frontier, when its start page came or failed."""
        start = response.url if response is not None else visit.address
        page = self.parsed(response) if isinstance(response, TextResponse) else None
        sources = self._sources_of(visit.site)
        self._add_sources(sources, sources.begin(start, find_feeds(page) if page else ()))

    def _sources_of(self, site: str) -> Sources:
        new = Sources(site, self.arguments.from_, self.arguments.max_listings)
        return self.sources.setdefault(site, new)

    async def begin_at_listing(self, visit: Visit, response: Response) -> bool:
        """Read a start address that is a sitemap or feed; say whether it is one.

        It is read whatever the argument ``from`` says, since the user named it.
        """
        if isinstance(response, HtmlResponse):
            # Many servers give all that type.
            first = _FIRST_TAG.search(response.body, 0, _SNIFFED)
            if first is None or first[1].lower() not in _LISTING_ROOTS:
                return False
        reading = await self._reading(response)
        if reading.listing.kind == "none":
            if not isinstance(response, HtmlResponse):
                why = "; ".join(reading.listing.explained().values()) or "it names no address"
                self.begins_nothing(
                    response.url, f"it is no page, and no sitemap or feed ({one_line(why)})"
                )
            return False
        sites = {self.frontier.site(page.address) for page in reading.pages}
        if sites == {None}:
            self.logger.warning(
                "%s names pages of other sites alone; give the address of such a site as well, if "
                "it is to be crawled",
                response.url,
            )
        sources = self._sources_of(visit.site)
        if sources.is_new(response.url):
            named = replace(visit, source="feed" if reading.is_feed else "sitemap")
            await self._take(named, sources, response.url, reading)
        # A host that holds the listings of other sites alone has no more that are wanted.
        if not sources.has_begun and (visit.site in sites or not sites):
            self._add_sources(sources, sources.begin(response.url, ()))
        return True

    def begins_nothing(self, url: str, why: str) -> None:
        """Log that a start address gave nothing to begin with."""
        self.logger.warning("Nothing begins at %s: %s", url, why)

    def _add_sources(self, sources: Sources, visits: Iterable[Visit]) -> None:
        pending = list(visits)
        while pending:
            visit = pending.pop(0)
            robots = self._robots.get(_origin(visit.address)) if visit.source == "robots" else None
            if robots is not None:
                pending = sources.after_robots(robots) + pending
            elif not self.frontier.add(visit):
                pending = sources.after_nothing(visit) + pending

    def source_request(self, visit: Visit) -> Request:
        """Make the request of a source."""
        return Request(
            visit.address,
            callback=self.parse_source,
            errback=self.failed,
            meta={
                "corpus_visit": visit,
                # Sitemaps may be larger than pages.
                "download_maxsize": MAX_LISTING_BYTES,
                "download_warnsize": 0,
            },
            # The frontier knows each source, and the spider each that another redirects to.
            dont_filter=True,
        )

    async def parse_source(self, response: Response) -> list[Request]:
        """Read a source in a thread of its own, then give the next requests."""
        visit = self.visit_of(response)
        sources = self.sources[visit.site]
        try:
            if visit.source == "robots":
                named = self._robots.get(_origin(visit.address), ())
                self._add_sources(sources, sources.after_robots(named))
            elif not sources.is_new(response.url):
                self._nothing(visit, "repeated", "it leads to a listing that was read before")
            elif (reading := await self._reading(response)).listing.kind != "none":
                await self._take(visit, sources, response.url, reading)
            else:
                self._nothing(visit, "unusable", "; ".join(reading.listing.explained().values()))
                if visit.source == "sitemap":
                    self._note_unread(visit.site)
        except StoreError:
            # It is the ledger that fails, and no listing.
            raise
        except Exception:
            # One listing must not cost the others: the crawl goes on without it.
            self.logger.exception("Unexpected error on %s; please report it", response.url)
            self._note_unread(visit.site)
            self._nothing(visit, "error", "see the error above")
        finally:
            self.frontier.finish(visit)
        return list(self.requests_of(visit.site))

    async def _reading(self, response: Response) -> Reading:
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        work = deferToThread(read_source, response.body, response.url, content_type, self.scope)
        reading: Reading = await maybe_deferred_to_future(work)
        return reading

    async def _take(self, visit: Visit, sources: Sources, url: str, reading: Reading) -> None:
        """Add to the frontier the pages of a listing, and what is to be read after it."""
        for name, words in reading.listing.explained().items():
            self.stats.inc_value(f"corpus/discovery/problems/{name}")
            if name not in self._problems:
                self._problems.add(name)
                self.logger.info(
                    "In %s: %s (more are counted in corpus/discovery/problems/%s)", url, words, name
                )
        for reason, address in reading.cut:
            self.count_cut(reason, address)
        self._note_listed(visit.site, reading)
        pages = self._pages_of(reading, url)
        if self.scope.has_dates:
            for page in pages:
                self.traps.want(page.address)
        new = 0
        for first in range(0, len(pages), _PAGES_AT_ONCE):
            for page in self.frontier.add_all(pages[first : first + _PAGES_AT_ONCE]):
                new += 1
                self.stats.inc_value(f"corpus/discovery/found/{page.found_by}")
            await pause()
        self.stats.inc_value("corpus/discovery/listings")
        self.logger.info(
            "Read %s (%s): %d pages, %d of them new; %d further sitemaps",
            url,
            reading.listing.kind,
            len(reading.pages),
            new,
            len(reading.sitemaps),
        )
        if reading.outdated:
            self.stats.inc_value("corpus/discovery/outdated", reading.outdated)
            self._note_unread(visit.site)
        self._add_sources(sources, sources.after(visit, reading))

    def _pages_of(self, reading: Reading, url: str) -> list[Visit]:
        """Return the pages of a listing that are on crawled sites, without false dates."""
        sites = [(page, self.frontier.site(page.address)) for page in reading.pages]
        pages = [page.on(site) for page, site in sites if site is not None]
        if foreign := len(sites) - len(pages):
            self.stats.inc_value("corpus/discovery/foreign", foreign)
        if self.ledgers is None or not self.ledgers.are_redated(pages):
            return pages
        self.stats.inc_value("corpus/incremental/redated")
        self.logger.info(
            "%s dates most of its pages later than it did: that is no sign that they changed",
            url,
        )
        return [replace(page, hints=False) for page in pages]

    def _note_listed(self, site: str, reading: Reading) -> None:
        """Note what the sitemaps of a site list, so that what they list no more is found."""
        listed = self._listed.setdefault(site, set())
        if self.ledgers is None or reading.is_feed or listed is None:
            return
        listed.update(address_key(entry.url) for entry in reading.listing.entries)
        listed.update(address_key(page.address) for page in reading.pages)
        self.ledgers.note_listed(site, listed)

    def _note_unread(self, site: str) -> None:
        """Note that a sitemap was not read: what the others do not list may be in it."""
        self._listed[site] = None
        if self.ledgers is not None:
            self.ledgers.note_listed(site, None)

    def source_failed(self, visit: Visit, failure: Failure) -> Iterator[Request]:
        """Count a source that could not be fetched, and go on without it."""
        reason = failure_reason(failure.value)
        if visit.source == "sitemap" and reason not in MISSING:
            self._note_unread(visit.site)
        self._nothing(visit, reason, failure.getErrorMessage(), go_on=server_answers(reason))
        self.frontier.finish(visit)
        yield from self.requests_of(visit.site)

    def _nothing(self, visit: Visit, reason: str, detail: str, *, go_on: bool = True) -> None:
        """Count a source that gave nothing; log one that is named somewhere.

        With ``go_on`` the next usual place is tried: not where the server does not answer.
        """
        if visit.usual or visit.source == "robots":
            self.stats.inc_value("corpus/discovery/absent")
        else:
            self.stats.inc_value(f"corpus/discovery/failed/{reason}")
            self.logger.warning(
                "No %s at %s (%s): %s", visit.source, visit.address, reason, one_line(detail)
            )
        if go_on:
            sources = self.sources[visit.site]
            self._add_sources(sources, sources.after_nothing(visit))

    def log_unread_sources(self) -> None:
        """Log, at the end, that no listing was found, or how many were left unread."""
        read = self.stats.get_value("corpus/discovery/listings")
        if not read and self.sources and "links" not in self.arguments.from_:
            self.logger.warning(
                "No sitemap or feed was found, and from=%s follows no links: add links",
                ",".join(self.arguments.from_),
            )
        for site, sources in self.sources.items():
            if sources.left_unread:
                self.stats.inc_value("corpus/discovery/left-unread", sources.left_unread)
                self.logger.info(
                    "Not read: %d sitemaps and feeds of %s, beyond %d of them or nested more "
                    "than 3 deep; -a max_listings=0 lifts the first limit",
                    sources.left_unread,
                    site,
                    sources.most,
                )

    def visit_of(self, message: Response | Request) -> Visit:
        """Return the visit that a request or response belongs to."""
        visit: Visit = message.meta["corpus_visit"]
        return visit


def server_answers(reason: str) -> bool:
    """Say whether a failure of this reason shows that a server answers."""
    return reason.startswith("http-") or reason in _ANSWERS


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()
