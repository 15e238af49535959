"""Crawl whole sites: the pages that sitemaps, feeds and links lead to, newest articles first."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, ClassVar, TypeGuard

from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from crawler.core.errors import StoreError
from crawler.core.listings.entries import MAX_LISTING_BYTES
from crawler.core.metadata.read import read_metadata
from crawler.core.page.addresses import canonical_address
from crawler.core.page.parse import ParsedPage
from crawler.core.pagination.parts import next_part
from crawler.core.sentences.languages import language_of
from crawler.discovery.frontier import Frontier, Visit
from crawler.discovery.guesses import (
    ARTICLE,
    LISTING,
    address_date,
    guess_kind,
    linked_kind,
    plain_address,
)
from crawler.discovery.ledger_frontier import LedgerFrontier
from crawler.discovery.links import page_links
from crawler.discovery.url_traps import Traps
from crawler.items import PageItem
from crawler.journey.crawl_ledgers import CrawlLedgers
from crawler.spiders.arguments import SiteArguments, parse_arguments
from crawler.spiders.base import by_own_name, failure_reason, validators
from crawler.spiders.site_sources import MISSING, ListingReader, server_answers

# Lists of the month to come may announce what is published already.
_AHEAD = timedelta(days=31)
NOT_MODIFIED = 304
# Pieces of text of a page by which its script is told.
_LOOKED_AT = 1000
_OF_TEXT = ("p", "h1", "h2", "h3", "li", "div", "span", "a", "td", "br")


class SiteSpider(ListingReader):
    """Fetch the pages of one or more sites, and yield the response of each once."""

    name = "site"
    handlers = (*ListingReader.handlers, "scheduler_empty", "item_scraped")
    # The frontier decides the order; the scheduler keeps to it.
    custom_settings: ClassVar[dict[str, Any]] = {  # type: ignore[misc] # Scrapy's stub has no ClassVar
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    }

    def __init__(self, **raw: object) -> None:
        super().__init__()
        given = parse_arguments(SiteArguments, raw, owner=self.name)
        self.given_urls = given.given_addresses()
        self.start_urls = given.start_addresses(self.name)
        # A paused crawl keeps its arguments, and not the credentials in them.
        self.arguments = replace(given, url=" ".join(self.start_urls))
        self.scope = self.arguments
        self.frontier = Frontier()
        horizon = (datetime.now(UTC) + _AHEAD).date().isoformat()
        self.traps = Traps(self.scope, "" if self.scope.calendar else horizon)

    def open_ledgers(self, ledgers: CrawlLedgers) -> None:
        """Keep the frontier in the ledgers of the sites, and request only what may be new.

        Raises:
            StoreError: a ledger cannot be used.
        """
        ledgers.recheck = self.arguments.recheck
        ledgers.max_rechecks = self.arguments.max_rechecks
        self.frontier = self.ledgers = LedgerFrontier(ledgers)
        for address in self.start_urls:
            self.ledgers.add_root(address)
        for address in self.start_urls:
            self.ledgers.add_redirected_host(address)

    async def start(self) -> AsyncIterator[Any]:
        """Begin at the given addresses, or go on where a paused crawl stopped."""
        if self.ledgers is None:
            self.frontier = self.kept_state("corpus_frontier", self.frontier)
        self.sources = self.kept_state("corpus_sources", self.sources)
        horizon = self.traps.horizon
        self.traps = self.kept_state("corpus_traps", self.traps)
        self.traps.scope, self.traps.horizon = self.scope, horizon
        self.frontier.max_pages = self.arguments.max_pages
        # One more than may be under way, so that the site is never without a request.
        self.frontier.ahead = self.settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN") + 1
        if "nofollow" in self.options.respected_directives:
            self.scope = replace(self.scope, follow_nofollow=False)
        for address in self.start_urls:
            site = self.frontier.add_root(address)
            self.frontier.add(Visit(address, site, 0, guess_kind(address), found_by="start"))
        for site in self.frontier.sites():
            for request in self.requests_of(site):
                yield request

    async def parse_start(self, response: Response) -> AsyncIterator[Response | Request]:
        """Take a start page, or a sitemap or feed that was given as start address.

        The host that it was redirected to is part of the site.
        """
        visit = self.visit_of(response)
        self.frontier.add_root(response.url, visit.site)
        if response.status != NOT_MODIFIED and await self.begin_at_listing(visit, response):
            if self.ledgers is not None:
                self.ledgers.no_page(visit, "listing")
            for request in self._after_nothing(visit):
                yield request
            return
        self.begin_sources(visit, response)
        for each in self.parse(response):
            yield each

    def parse(self, response: Response, **_: object) -> Iterator[Response | Request]:
        """Yield a page that is new, then the requests of pages that it leads to."""
        visit = self.visit_of(response)
        self.frontier.finish(visit)
        reached = {visit.site}
        if response.status == NOT_MODIFIED and self.ledgers is not None:
            self.ledgers.unchanged(visit, validators(response))
            self.traps.note(visit.address, visit.kind, 0)
            self.stats.inc_value("corpus/incremental/not_modified")
        else:
            page = self.parsed(response) if isinstance(response, HtmlResponse) else None
            response = by_own_name(response, page)
            if self._is_new_page(response, visit):
                linked = self.frontier.take_linked(visit.address)
                is_elsewhere = bool(linked) and canonical_address(response.url) != visit.address
                if is_elsewhere and not (page is not None and self.is_article(page)):
                    self._ask_as_linked(visit, linked)
                directives = self.directives(response, page)
                # What a page leads to is noted with the page: a kill loses neither or both.
                with self.frontier.transaction([visit.site]):
                    is_delivered = self._note(response, visit, page, directives)
                    if page is not None and "links" in self.arguments.from_:
                        reached |= self._offer_links(page, response.url, visit, directives)
                if is_delivered:
                    yield from self.deliver(response)
        for name in sorted(reached):
            yield from self.requests_of(name)

    def _note(
        self, response: Response, visit: Visit, page: ParsedPage | None, directives: frozenset[str]
    ) -> bool:
        """Note a page that came; say whether it is yielded."""
        wanted = self._is_wanted(response, visit, page, directives)
        is_delivered = wanted
        if self.ledgers is not None:
            is_delivered = self.ledgers.fetched(
                visit, response.url, response.body, validators(response), wanted=wanted
            )
        if not is_delivered:
            self.frontier.give_back(visit.site)
            if wanted:
                self.skip(response.url, "unchanged", "it has not changed since an earlier crawl")
        return is_delivered

    def item_scraped(self, item: object) -> None:
        """Count the exported pages of which nobody knows whether they are of the wanted days."""
        if self.scope.has_dates and isinstance(item, PageItem) and not item.published:
            self.stats.inc_value("corpus/pages/undated")

    def to_come(self) -> int:
        """Count the pages that will be requested, by what is known; 0 where nobody knows."""
        return self.frontier.to_come()

    def deliver(self, response: Response) -> Iterator[Response]:
        """Give what the spider yields for a page that is wanted."""
        yield response

    def failed(self, failure: Failure) -> Iterator[Request]:
        """Count a page that could not be fetched; another may take its place under the limit."""
        request: Any = getattr(failure, "request", None)
        visit = self.visit_of(request) if request is not None else None
        if visit is not None and visit.source:
            yield from self.source_failed(visit, failure)
            return
        self.count_failure(failure)
        if visit is not None:
            self.frontier.count_failed(visit.site)
        reason = failure_reason(failure.value)
        if visit is not None and failure.value is not None and self.ledgers is not None:
            error = failure.value
            status = error.response.status if isinstance(error, HttpError) else 0
            if self.ledgers.is_temporary_redirect(visit, request.url, request.meta):
                status = 0  # It says nothing of the page.
            later = getattr(error, "retry_later", False)
            self.ledgers.failed(visit, reason, status, may_come_later=later)
        if visit is not None and visit.found_by == "start" and server_answers(reason):
            self.begin_sources(visit, None)
        if visit is not None and reason in MISSING:
            self._ask_as_linked(visit, self.frontier.take_linked(visit.address))
        yield from self._after_nothing(visit)

    def request_dropped(self, request: Request) -> None:
        """Count it; another page may take its place under the limit."""
        super().request_dropped(request)
        visit = self.visit_of(request) if "corpus_visit" in request.meta else None
        if visit is not None and not visit.source:
            self._leads_elsewhere(visit, request, "duplicate-address")
        for following in self._after_nothing(visit):
            self.crawler.engine.crawl(following)

    def scheduler_empty(self) -> None:
        """Go on where requests were lost: with a callback that failed, or by another component."""
        engine = self.crawler.engine
        if not engine.spider_is_idle():
            return
        try:
            if lost := self.frontier.forget_under_way():
                self.stats.inc_value("corpus/failed/dropped", lost)
                self.logger.warning("%d requests were dropped by another component", lost)
            for site in self.frontier.sites():
                for request in self.requests_of(site):
                    engine.crawl(request)
        except StoreError as error:
            # Nothing is under way, so the crawl ends.
            self.logger.error("No more is requested: %s", error)  # noqa: TRY400 - it says it all

    def closed(self, reason: str) -> None:  # noqa: ARG002 - Scrapy names the reason to everyone
        """Log what was cut, and count the addresses that the page limit left out."""
        for site in self.frontier.sites():
            if left_out := self.frontier.left_out(site):
                self.stats.inc_value("corpus/cut/page-limit", left_out)
                is_full = self.frontier.is_full(site)
                self.logger.info(
                    "%s of %d reached for %s with %d more addresses known; "
                    "-a max_pages=0 lifts the limit",
                    "Page limit" if is_full else "Limit for addresses that give no page, by that",
                    self.arguments.max_pages,
                    site,
                    left_out,
                )
        self.log_unread_sources()
        self.traps.log_cut(self.logger)

    def _is_new_page(self, response: Response, visit: Visit) -> TypeGuard[TextResponse]:
        url, site = response.url, visit.site
        if not self.is_page(response):
            self.frontier.count_failed(site)
            if self.ledgers is not None:
                self.ledgers.no_page(visit, "not-html")
            return False
        if self.frontier.site(url) is None:
            cut, why = "off-site", "it was redirected to another site"
        elif visit.depth and (cut := self.scope.pattern_cut(canonical_address(url))):
            why = f"it was redirected to an address ruled out by '{cut}'"
        elif self.ledgers and self.ledgers.is_temporary_redirect(visit, url, response.meta):
            cut, why = "temporary-redirect", "an exported page redirects here for now"
        elif self.frontier.is_full(site):
            self.skip(url, "page-limit", "the site has given its pages already")
            return False
        elif not self.frontier.take(url, site):
            cut, why = "duplicate-address", "it was redirected to a page fetched before"
        elif visit.depth and (trap := self.traps.body_trap(site, response.body)):
            self.frontier.give_back(site)
            self.skip(url, trap, self.scope.explain(trap))
            self.traps.count_cut(trap, visit.address, self.logger)
            if self.ledgers is not None:
                self.ledgers.failed(visit, trap)
            return False
        else:
            return True
        self.skip(url, cut, why)
        self._leads_elsewhere(visit, response, cut)
        return False

    def _ask_as_linked(self, visit: Visit, linked: str) -> None:
        """Ask for a page by the address that a link has, since there is none without parameters."""
        if linked and not self.scope.pattern_cut(linked):
            self.frontier.add(replace(visit, address=linked))

    def _leads_elsewhere(self, visit: Visit, message: Response | Request, reason: str) -> None:
        linked = self.frontier.take_linked(visit.address)
        # An article that it redirects to is the one that was linked.
        if (
            "redirect_urls" in message.meta
            and guess_kind(canonical_address(message.url)) != ARTICLE
        ):
            self._ask_as_linked(visit, linked)
        if self.ledgers is not None:
            self.ledgers.leads_elsewhere(visit, message.url, message.meta, reason)

    def _is_wanted(
        self, response: Response, visit: Visit, page: ParsedPage | None, directives: frozenset[str]
    ) -> bool:
        """Say whether a page is wanted, by its robots directives, its date and its language."""
        if self.is_reserved(response, directives):
            return False
        is_chosen = self.scope.has_dates or self.scope.lang
        if page is None or not is_chosen or visit.kind == LISTING or not visit.depth:
            return True
        its = self.in_time(lambda: read_metadata(page, response.url))
        published, language = its.published or "", its.language or page.language or ""
        if self.scope.lang and language:
            # Many a page declares the language of its layout: the script of its text is trusted.
            language = language_of(_beginning(page), language)
        cut, why = self.scope.page_cut(published, language), f"its language is {language}"
        if cut == "date":
            why = f"it was published on {published}"
        elif not published and self._is_copy_of_ruled_out(its.canonical_url):
            # Print copies of articles often have no date.
            cut, why = "date", f"it is a copy of {its.canonical_url}, whose date is not wanted"
        if cut == "date":
            self.traps.rule_out(visit.address)
        if cut:
            self.skip(response.url, cut, why)
        return not cut

    def _is_copy_of_ruled_out(self, canonical: str | None) -> bool:
        """Say whether a page names one of a date that is not wanted; some all name a list."""
        address = canonical_address(canonical or "")
        is_list = address in self.start_urls or guess_kind(address) == LISTING
        return not is_list and self.traps.is_ruled_out(address)

    def _offer_links(
        self, page: ParsedPage, url: str, visit: Visit, directives: frozenset[str]
    ) -> set[str]:
        """Offer a page's links to the frontier; name the sites that got new addresses."""
        reached: set[str] = set()
        new = 0
        # Articles link to one another, and say nothing of what lists have still to give.
        of_list = visit.kind == LISTING
        lists: list[tuple[str, str]] = []
        nofollow, here = "nofollow" in directives, canonical_address(url)
        for link in self.in_time(
            lambda: page_links(page, self.scope, nofollow=nofollow, address=here)
        ):
            site = self.frontier.site(link.address)
            if site is None:
                continue
            if cut := link.cut or self.scope.pattern_cut(link.address):
                self.count_cut(cut, link.address)
                continue
            address = self._plain(link.address)
            kind = linked_kind(address, visit.address, visit.kind)
            kind = self.traps.learned_kind(address, kind)
            is_first = of_list and kind != LISTING and self.frontier.meet(address)
            cut = self.scope.link_cut(address, visit.depth + 1)
            if not cut and self.frontier.knows(address):
                new += is_first
                lists.append((address, kind))
                continue
            if cut := cut or self.traps.judge(address, kind):
                self.count_cut(cut, address)
            elif self.frontier.add(
                Visit(address, site, visit.depth + 1, kind, address_date(address))
            ):
                self.frontier.note_linked(address, link.linked)
                new += is_first
                reached.add(site)
                self.stats.inc_value("corpus/discovery/found/link")
        self._note_list(visit, page, new)
        # Lists that earlier crawls have fetched, as long as lists bring something new.
        wanted_lists = lists if visit.found_by == "start" or new else []
        if self.ledgers is not None:
            for address, kind in wanted_lists:
                self.ledgers.request_list_again(address, kind)
            # The next part of an article that came, so that both are made one item.
            if following := self.in_time(lambda: next_part(page, visit.address)):
                self.ledgers.request_whole(following)
        return reached

    def _note_list(self, visit: Visit, page: ParsedPage, new: int) -> None:
        """Note what a list named, or that it is an article."""
        if visit.kind == LISTING and not new and self.is_article(page):
            self.traps.note_article(visit.address)
        else:
            self.traps.note(visit.address, visit.kind, new)

    def _plain(self, address: str) -> str:
        """Return the plain address of a page, for that of a twin."""
        plain, reason = (address, "") if self.scope.twins else plain_address(address)
        if not reason:
            # Few sites have one page at /a and another at /a/.
            plain = self.frontier.known_form(address)
            if self.frontier.knows(plain):
                return plain
        else:
            self.count_cut(reason, address)
        # /a/amp/ may be the twin of /a/ or of /a.
        other = plain.removesuffix("/") if plain.endswith("/") else f"{plain}/"
        return other if self.frontier.knows(other) else plain

    def _after_nothing(self, visit: Visit | None) -> Iterator[Request]:
        if visit is not None:
            self.frontier.finish(visit)
            yield from self.requests_of(visit.site)

    def requests_of(self, site: str) -> Iterator[Request]:
        """Give the requests that may be sent to a site now, without those that are cut."""
        while visits := self.frontier.next_visits(site):
            wanted = [visit for visit in visits if not self._is_cut(visit)]
            yield from map(self.request_for, wanted)
            if len(wanted) == len(visits):
                return

    def _is_cut(self, visit: Visit) -> bool:
        """Say whether what was learned since a link was found speaks against following it.

        Lists like it have given nothing new, or a listing gave it a date that is not wanted. A list
        of such a date may yet lead to pages that are wanted.
        """
        if visit.found_by != "link" or visit.source:
            return False
        cut = "barren" if self.traps.is_barren(visit.address, visit.kind) else ""
        if not cut and visit.kind != LISTING and self.traps.is_ruled_out(visit.address):
            cut = "date"
        if cut:
            self.frontier.finish(visit)
            if self.ledgers is not None:
                self.ledgers.refused(visit, cut)
            self.count_cut(cut, visit.address)
        return bool(cut)

    def request_for(self, visit: Visit) -> Request:
        """Make the request of a visit."""
        if visit.source:
            return self.source_request(visit)
        at_start = visit.found_by == "start"
        headers = self.ledgers.headers(visit) if self.ledgers is not None else {}
        return Request(
            visit.address,
            callback=self.parse_start if at_start else self.parse,
            errback=self.failed,
            headers=headers,
            meta={
                "corpus_visit": visit,
                "handle_httpstatus_list": [NOT_MODIFIED] * bool(headers),
                # It may be a sitemap, and those may be larger than pages.
                **({"download_maxsize": MAX_LISTING_BYTES} if at_start else {}),
            },
            # A start page may set a cookie and redirect to itself.
            dont_filter=at_start,
        )


def _beginning(page: ParsedPage) -> str:
    pieces: Iterator[Any] = page.roots[0].itertext(*_OF_TEXT)
    return " ".join(map(str, islice(pieces, _LOOKED_AT)))
