"""Walk whole sites: every page a site links to, breadth first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

from scrapy import Request

from crawler.arguments import (
    ArgumentExit,
    flag_argument,
    parse_arguments,
    pattern_argument,
    text_argument,
    whole_number_argument,
)
from crawler.discovery.addresses import (
    address_key,
    canonical_address,
    complete_address,
    split_addresses,
)
from crawler.discovery.frontier import Frontier, Visit
from crawler.discovery.links import LinkRules, page_links
from crawler.spiders.base import PageSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from re import Pattern

    from scrapy.http import Response, TextResponse
    from twisted.python.failure import Failure

__all__ = ["SiteArguments", "SiteSpider"]

_SITE = "corpus_site"
_DEPTH = "corpus_depth"


@dataclass(frozen=True, slots=True)
class SiteArguments:
    """What ``scrapy crawl site`` understands."""

    url: str = text_argument("the address to start from; several are separated by spaces")
    max_pages: int = whole_number_argument("the most pages of a site; 0 is no limit", default=10000)
    allow: Pattern[str] | None = pattern_argument(  # noqa: RUF009 - it is a field declaration
        "a regular expression; only addresses it is found in are followed",
    )
    deny: Pattern[str] | None = pattern_argument(  # noqa: RUF009 - it is a field declaration
        "a regular expression; addresses it is found in are not followed",
    )
    max_depth: int = whole_number_argument(
        "the most links between the start and a page; 0 is no limit",
        default=0,
    )
    max_path_depth: int = whole_number_argument(
        "the most parts of an address's path; 0 is no limit",
        default=16,
    )
    max_repeats: int = whole_number_argument(
        "how often one part may stand in an address's path; 0 is no limit",
        default=3,
    )
    max_query: int = whole_number_argument(
        "the most parameters in an address's query; 0 is no limit",
        default=8,
    )
    follow_nofollow: bool = flag_argument(
        "whether links marked nofollow are followed",
        default=False,
    )


class SiteSpider(PageSpider):
    """Fetch the pages of one or more sites and hand over each page's response once."""

    name = "site"
    # First found, first fetched: breadth first, without a priority for each depth.
    custom_settings: ClassVar[dict[str, Any]] = {  # type: ignore[misc] # as in the parent
        **PageSpider.custom_settings,
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    }

    def __init__(self, **raw: object) -> None:
        super().__init__()
        self.arguments = parse_arguments(SiteArguments, raw, owner=self.name)
        self.start_urls = [
            self._start_address(text) for text in split_addresses(self.arguments.url)
        ]
        self.rules = LinkRules(
            max_path_depth=self.arguments.max_path_depth,
            max_repeats=self.arguments.max_repeats,
            max_query=self.arguments.max_query,
            follow_nofollow=self.arguments.follow_nofollow,
        )
        self.frontier = Frontier()
        self._cut: dict[str, set[int]] = {}

    def _start_address(self, text: str) -> str:
        address = complete_address(text)
        if address is None:
            raise ArgumentExit(
                f"{self.name}: url={text} is no web address; give one such as https://blog.example/",
            )
        return canonical_address(address)

    async def start(self) -> AsyncIterator[Any]:
        """Begin at the given addresses, or go on where a paused crawl stopped."""
        self.frontier = self.kept_state("corpus_frontier", self.frontier)
        self.frontier.max_pages = self.arguments.max_pages
        for address in self.start_urls:
            self.frontier.add_root(address)
            self.frontier.offer(address, 0)
        for site in self.frontier.sites():
            for request in self._requests(site):
                yield request

    def parse_start(self, response: Response) -> Iterator[Response | Request]:
        """Take a start page; the host it was redirected to is part of the site."""
        self.frontier.add_root(response.url, response.meta[_SITE])
        yield from self.parse(response)

    def parse(self, response: Response, **_: object) -> Iterator[Response | Request]:
        """Hand over a page that is new, then ask for the pages it leads to."""
        site: str = response.meta[_SITE]
        self.frontier.finish(site)
        reached = {site}
        if self._is_new_page(response, site):
            yield response
            reached |= self._offer_links(response, response.meta[_DEPTH] + 1)
        for name in sorted(reached):
            yield from self._requests(name)
        self._report_limit(site)

    def failed(self, failure: Failure) -> Iterator[Request]:
        """Count a page that could not be fetched; another may take its place under the limit."""
        self.count_failure(failure)
        request: Any = getattr(failure, "request", None)
        yield from self._after_nothing(request)

    def request_dropped(self, request: Request) -> None:
        """Count it; another page may take its place under the limit."""
        super().request_dropped(request)
        for following in self._after_nothing(request):
            self.crawler.engine.crawl(following)

    def closed(self, reason: str) -> None:  # noqa: ARG002 - Scrapy names the reason to everyone
        """Count the addresses that the page limit left out."""
        left_out = sum(self.frontier.left_out(site) for site in self.frontier.sites())
        if left_out:
            self.stats.set_value("corpus/cut/page-limit", left_out)

    def _is_new_page(self, response: Response, site: str) -> TypeGuard[TextResponse]:
        url = response.url
        if not self.is_page(response):
            return False
        if self.frontier.site(url) is None:
            self.skip(url, "off-site", "it was redirected to another site")
        elif response.meta[_DEPTH] and (cut := self._pattern_cut(canonical_address(url))):
            self.skip(url, cut, f"it was redirected to an address ruled out by '{cut}'")
        elif self.frontier.is_full(site):
            self.skip(url, "page-limit", "the site has given its pages already")
        elif not self.frontier.take(url, site):
            self.skip(url, "duplicate-address", "it was redirected to a page fetched before")
        else:
            return True
        return False

    def _offer_links(self, response: TextResponse, depth: int) -> set[str]:
        """Put a page's links before the frontier; name the sites that got new addresses."""
        reached: set[str] = set()
        page = self.parsed(response)
        for link in page_links(page, self.rules) if page else ():
            site = self.frontier.site(link.address)
            if site is None:
                continue
            cut = link.cut or self._pattern_cut(link.address) or self._depth_cut(depth)
            if cut:
                self._count_cut(cut, link.address)
            elif self.frontier.offer(link.address, depth):
                reached.add(site)
        return reached

    def _pattern_cut(self, address: str) -> str:
        allow, deny = self.arguments.allow, self.arguments.deny
        if allow is not None and not allow.search(address):
            return "allow"
        return "deny" if deny is not None and deny.search(address) else ""

    def _depth_cut(self, depth: int) -> str:
        return "depth" if 0 < self.arguments.max_depth < depth else ""

    def _count_cut(self, reason: str, address: str) -> None:
        """Count an address that is not followed, once; explain the first of each reason."""
        known = self._cut.setdefault(reason, set())
        if (key := address_key(address)) in known:
            return
        if not known:
            self.logger.info(
                "Not followed: %s: %s (more are counted in corpus/cut/%s)",
                address,
                self._explain(reason),
                reason,
            )
        known.add(key)
        self.stats.inc_value(f"corpus/cut/{reason}")

    def _explain(self, reason: str) -> str:
        if reason == "depth":
            limit = self.arguments.max_depth
            return f"it is more than {limit} links away; -a max_depth=0 lifts the limit"
        if reason in {"allow", "deny"}:
            return f"the argument '{reason}' rules it out"
        return self.rules.explain(reason)

    def _after_nothing(self, request: Request | None) -> Iterator[Request]:
        if request is not None and _SITE in request.meta:
            self.frontier.finish(request.meta[_SITE])
            yield from self._requests(request.meta[_SITE])

    def _requests(self, site: str) -> Iterator[Request]:
        for visit in self.frontier.next_visits(site):
            yield self._request(visit)

    def _request(self, visit: Visit) -> Request:
        at_start = visit.depth == 0
        return Request(
            visit.address,
            callback=self.parse_start if at_start else self.parse,
            errback=self.failed,
            meta={_SITE: visit.site, _DEPTH: visit.depth},
            # A start page may set a cookie and redirect to itself.
            dont_filter=at_start,
        )

    def _report_limit(self, site: str) -> None:
        left_out = self.frontier.left_out(site)
        if left_out:
            self.logger.info(
                "Page limit of %d reached for %s with %d more addresses known; "
                "-a max_pages=0 lifts the limit",
                self.arguments.max_pages,
                site,
                left_out,
            )
