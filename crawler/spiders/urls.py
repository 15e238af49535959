"""Fetch the pages of a list of addresses."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from scrapy import Request, signals
from scrapy.http import Response
from twisted.python.failure import Failure

from crawler.core.errors import ArgumentError, UnreadableInputError
from crawler.core.page.addresses import address_key
from crawler.discovery.addresses import check_address_list, given_addresses, split_addresses
from crawler.extensions.exits import ending
from crawler.fields import declare
from crawler.middlewares.throttling import ThrottlingMiddleware
from crawler.spiders.arguments import parse_arguments
from crawler.spiders.base import PageSpider


@dataclass(frozen=True, slots=True)
class UrlsArguments:
    """What ``scrapy crawl urls`` understands."""

    file: str = declare("", "a file of addresses: one a line, or .jsonl or .csv with 'url'")
    urls: str = declare("", "addresses separated by spaces")


class UrlsSpider(PageSpider):
    """Fetch each listed address once and hand over its response."""

    name = "urls"
    read_ahead: ClassVar[int] = 1000
    """So many addresses are read before the first of them is fetched: enough to find several sites
    among them that can be asked at once, and few enough to keep in memory."""

    def __init__(self, **raw: object) -> None:
        super().__init__()
        self.arguments = parse_arguments(UrlsArguments, raw, owner=self.name)
        self._seen: set[int] = set()
        self._taken: set[int] = set()
        self._under_way = 0
        if not self.arguments.file and not self.arguments.urls:
            why = f"{self.name}: there is nothing to fetch: give -a file=… or -a urls=…"
            raise ending(ArgumentError(why))
        if self.arguments.file:
            try:
                check_address_list(Path(self.arguments.file))
            except UnreadableInputError as error:
                raise ending(ArgumentError(f"{self.name}: {error}")) from None

    async def start(self) -> AsyncIterator[Any]:
        """Ask for the listed addresses, reading on only as fast as they are fetched."""
        self._seen = self.kept_state("corpus_seen", self._seen)
        self._taken = self.kept_state("corpus_taken", self._taken)
        listed = 0
        for entry in given_addresses(split_addresses(self.arguments.urls), self.arguments.file):
            listed += 1
            if entry.address is None:
                self.fail_entry(entry)
                continue
            key = address_key(entry.address)
            if key in self._seen:
                self.stats.inc_value("corpus/cut/duplicate-address")
                self.logger.debug("Left out %s: line %d repeats it", entry.address, entry.line)
                continue
            self._seen.add(key)
            await self._catch_up()
            self._under_way += 1
            yield Request(entry.address, callback=self.parse, errback=self.count_failure)
        if not listed:
            self.logger.warning("The list of addresses is empty; there is nothing to fetch")

    async def _catch_up(self) -> None:
        """Wait until few enough addresses are under way."""
        engine = self.crawler.engine
        throttling = self.crawler.get_downloader_middleware(ThrottlingMiddleware)
        # Scrapy sends this signal whenever it has taken what can be asked now, if only to see.
        while self._under_way >= self.read_ahead and (
            engine.downloader.active or (throttling is not None and throttling.is_any_paused())
        ):
            await self.crawler.signals.wait_for(signals.scheduler_empty)

    def count_failure(self, failure: Failure) -> None:
        """Count and log an address that could not be fetched."""
        self._under_way -= 1
        super().count_failure(failure)

    def request_dropped(self, request: Request) -> None:
        """Count an address that was requested before."""
        self._under_way -= 1
        super().request_dropped(request)

    def parse(self, response: Response, **_: object) -> Iterator[Response]:
        """Hand over a page, unless a redirect led to one that was handed over before."""
        self._under_way -= 1
        if not self.is_page(response):
            return
        key = address_key(response.url)
        if key in self._taken:
            self.skip(
                response.url, "duplicate-address", "it was redirected to a page fetched before"
            )
            return
        self._taken.add(key)
        if not self.is_reserved(response, self.directives(response)):
            yield response
