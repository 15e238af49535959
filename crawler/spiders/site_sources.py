"""How the spider ``site`` reads what is no page: robots.txt files, sitemaps and feeds."""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.http import HtmlResponse, TextResponse
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.threads import deferToThread

from crawler.core.errors import StoreError, one_line
from crawler.core.listings import find_feeds, sitemaps_of_robots
from crawler.core.listings.model import MAX_LISTING_BYTES
from crawler.discovery.addresses import address_key
from crawler.discovery.sources import FEEDS, Reading, Sources, read_source
from crawler.middlewares.async_utils import pause
from crawler.spiders.base import PageSpider, failure_reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from crawler.discovery.choice import Choice
    from crawler.discovery.frontier import Frontier, Visit
    from crawler.discovery.links import LinkRules
    from crawler.spiders.site_arguments import SiteArguments

__all__ = ["ListingReader", "server_answers"]

_ROBOTS = "/robots.txt"
_OK = 200
# A sitemap that is not there names nothing; one that could not be had may.
_EMPTY = ("http-404", "http-410")
_PAGES_AT_ONCE = 500
_FIRST_TAG = re.compile(rb"<([A-Za-z]+(?::[A-Za-z]+)?)")
_LISTING_ROOTS = frozenset({b"rss", b"rdf:rdf", b"feed", b"urlset", b"sitemapindex"})
_SNIFFED = 2_048
_ANSWERS = ("robots", "too-large", "redirects", "redirect-loop", "content-encoding")


class ListingReader(PageSpider):
    """Reads the sources of sites and puts the pages they name before the frontier."""

    custom_settings: ClassVar[dict[str, Any]] = PageSpider.custom_settings  # type: ignore[misc] # as in the parent
    arguments: SiteArguments
    choice: Choice
    frontier: Frontier
    rules: LinkRules

    def __init__(self) -> None:
        super().__init__()
        self.sources: dict[str, Sources] = {}
        self._robots: dict[str, tuple[str, ...]] = {}
        self._problems: set[str] = set()
        # What the sitemaps of a site name; None where not all of them could be read.
        self._named: dict[str, set[int] | None] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:  # noqa: ANN401 - as the parent's
        """Make the spider of a crawl."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.keep_robots, signals.response_received)
        return spider

    @abstractmethod
    def requests_of(self, site: str) -> Iterator[Request]:
        """Give what may be asked of a site now."""

    @abstractmethod
    def failed(self, failure: Failure) -> Iterator[Request]:
        """Take note that a request failed, and go on."""

    @abstractmethod
    def count_cut(self, reason: str, address: str) -> None:
        """Count an address that is not followed."""

    def keep_robots(self, response: Response, request: Request) -> None:
        """Keep which sitemaps a robots.txt names, whoever asked for it."""
        asked: str = request.meta.get("redirect_urls", [request.url])[0]
        parts = urlsplit(asked)
        if parts.path == _ROBOTS and not parts.query:
            self._robots[_origin(asked)] = _named_sitemaps(response, asked)

    def begin_sources(self, visit: Visit, response: Response | None) -> None:
        """Put the sources of a site before the frontier, when its start page came or failed."""
        start = response.url if response is not None else visit.address
        page = self.parsed(response) if isinstance(response, TextResponse) else None
        feeds = find_feeds(page) if page is not None else ()
        sources = self._sources_of(visit.site)
        named = sources.add_feeds(feeds) if sources.has_begun else sources.begin(start, feeds)
        self._add_sources(sources, named)

    def _sources_of(self, site: str) -> Sources:
        if site not in self.sources:
            arguments = self.arguments
            self.sources[site] = Sources(site, arguments.from_, arguments.max_listings)
        return self.sources[site]

    async def begin_at_listing(self, visit: Visit, response: Response) -> bool:
        """Read what came from a start address, where that is a sitemap or feed; say whether it is.

        It is read whatever the argument ``from`` says, since somebody named it.
        """
        if isinstance(response, HtmlResponse) and not _is_listing(response.body):
            return False
        reading = await self._reading(response)
        kind = reading.listing.kind
        if kind == "none":
            if not isinstance(response, HtmlResponse):
                why = "; ".join(reading.listing.problems) or "it names no address"
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
            named = replace(visit, source="feed" if kind in FEEDS else "sitemap")
            await self._take(named, sources, response.url, reading)
        # A host that holds the listings of other sites alone has no more that are wanted.
        if not sources.has_begun and (visit.site in sites or not sites):
            self._add_sources(sources, sources.begin(response.url, ()))
        return True

    def begins_nothing(self, url: str, why: str) -> None:
        """Tell that a start address gave nothing to begin with."""
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
            # The frontier knows each source; one that redirects to another is told by its address.
            dont_filter=True,
        )

    async def parse_source(self, response: Response) -> list[Request]:
        """Read a source on a thread of its own, then ask for what may be asked now."""
        visit = self.visit_of(response)
        sources = self.sources[visit.site]
        try:
            if visit.source == "robots":
                named = _named_sitemaps(response, visit.address)
                self._add_sources(sources, sources.after_robots(named))
            elif not sources.is_new(response.url):
                self._nothing(visit, "repeated", "it leads to a listing that was read before")
            else:
                await self._read(visit, sources, response)
        except StoreError:
            # It is the ledger that fails, and no listing.
            raise
        except Exception:
            # One listing must not cost the others: the crawl goes on without it.
            self.logger.exception("Unexpected error on %s; please report it", response.url)
            self._miss_names(visit.site)
            self._nothing(visit, "error", "see the error above")
        finally:
            self.frontier.finish(visit)
        return list(self.requests_of(visit.site))

    async def _read(self, visit: Visit, sources: Sources, response: Response) -> None:
        reading = await self._reading(response)
        if reading.listing.kind != "none":
            await self._take(visit, sources, response.url, reading)
            return
        self._nothing(visit, "unusable", "; ".join(reading.listing.problems))
        if visit.source == "sitemap":
            self._miss_names(visit.site)

    async def _reading(self, response: Response) -> Reading:
        reading: Reading = await maybe_deferred_to_future(
            deferToThread(
                read_source,
                response.body,
                response.url,
                (response.headers.get("Content-Type") or b"").decode("latin-1"),
                self.choice,
                self.rules,
            )
        )
        return reading

    async def _take(self, visit: Visit, sources: Sources, url: str, reading: Reading) -> None:
        """Put the pages of a listing before the frontier, and what is to be read after it."""
        self._tell_problems(url, reading)
        new = await self._take_pages(visit.site, url, reading)
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
            self._miss_names(visit.site)
        self._add_sources(sources, sources.after(visit, reading))

    async def _take_pages(self, site: str, url: str, reading: Reading) -> int:
        new = 0
        for reason, address in reading.cut:
            self.count_cut(reason, address)
        self._note_names(site, reading)
        pages = self._believed(list(self._on_sites(reading.pages)), url)
        for first in range(0, len(pages), _PAGES_AT_ONCE):
            visits = pages[first : first + _PAGES_AT_ONCE]
            for visit in self.frontier.add_all(visits):
                new += 1
                self.stats.inc_value(f"corpus/discovery/found/{visit.found_by}")
            await pause()
        return new

    def _believed(self, pages: list[Visit], url: str) -> list[Visit]:
        """Return pages with a word not to trust their dates, where these tell of no changes."""
        if not self.frontier.are_redated(pages):
            return pages
        self.stats.inc_value("corpus/incremental/redated")
        self.logger.info(
            "%s dates most of its pages later than it did: that is no sign that they changed",
            url,
        )
        return [replace(page, hints=False) for page in pages]

    def _on_sites(self, pages: Iterable[Visit]) -> Iterator[Visit]:
        for page in pages:
            site = self.frontier.site(page.address)
            if site is None:
                self.stats.inc_value("corpus/discovery/foreign")
            else:
                yield page.on(site)

    def _note_names(self, site: str, reading: Reading) -> None:
        """Note what the sitemaps of a site name, so that what they name no more is found."""
        named = self._named.setdefault(site, set())
        if not self.frontier.remembers or reading.listing.kind in FEEDS or named is None:
            return
        named.update(address_key(entry.url) for entry in reading.listing.entries)
        named.update(address_key(page.address) for page in reading.pages)
        self.frontier.listed_now(site, named)

    def _miss_names(self, site: str) -> None:
        """Note that a sitemap was not read: what the others do not name may be in it."""
        self._named[site] = None
        self.frontier.listed_now(site, None)

    def _tell_problems(self, url: str, reading: Reading) -> None:
        for name, words in reading.problems():
            self.stats.inc_value(f"corpus/discovery/problems/{name}")
            if name not in self._problems:
                self._problems.add(name)
                self.logger.info(
                    "In %s: %s (more are counted in corpus/discovery/problems/%s)", url, words, name
                )

    def source_failed(self, visit: Visit, failure: Failure) -> Iterator[Request]:
        """Count a source that could not be fetched, and go on without it."""
        reason = failure_reason(failure.value)
        if visit.source == "sitemap" and reason not in _EMPTY:
            self._miss_names(visit.site)
        self._nothing(visit, reason, failure.getErrorMessage(), go_on=server_answers(reason))
        self.frontier.finish(visit)
        yield from self.requests_of(visit.site)

    def _nothing(self, visit: Visit, reason: str, detail: str, *, go_on: bool = True) -> None:
        """Count a source that gave nothing; one that somebody named is told of.

        Where no server answers, the usual places are not tried one after the other.
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

    def tell_of_sources(self) -> None:
        """Tell, at the end, how many listings were left unread."""
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
    """Say whether a failure of this reason shows that a server answers all the same."""
    return reason.startswith("http-") or reason in _ANSWERS


def _is_listing(body: bytes) -> bool:
    """Tell whether what is called a page of HTML is a listing: many servers call all of it so."""
    first = _FIRST_TAG.search(body, 0, _SNIFFED)
    return first is not None and first[1].lower() in _LISTING_ROOTS


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def _named_sitemaps(response: Response, url: str) -> tuple[str, ...]:
    if response.status != _OK:
        return ()
    return sitemaps_of_robots(response.body.decode("utf-8", "replace"), url)
