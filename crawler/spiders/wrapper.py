"""Take fields and records from pages by the rules of a wrapper project."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from re import Pattern
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urljoin

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from crawler.core.errors import ArgumentError, CorpusError, one_line
from crawler.core.page.addresses import address_key, address_site
from crawler.core.page.parse import ParsedPage
from crawler.discovery.addresses import (
    ListedAddress,
    check_address_list,
    complete_address,
    given_addresses,
    split_addresses,
)
from crawler.discovery.links import page_links
from crawler.discovery.scope import Scope
from crawler.extensions.exits import ending
from crawler.fields import REQUIRED, declare
from crawler.items import WrappedPage
from crawler.pipelines.wrapper import ThreadedWrapper
from crawler.spiders.arguments import parse_arguments
from crawler.spiders.base import PageSpider

if TYPE_CHECKING:
    from crawler.wrapper.running import Wrapped

# Scrapy imports all spiders of a project at every call: the work is imported when it is wanted.
# ruff: noqa: PLC0415


@dataclass(frozen=True, slots=True)
class WrapperArguments:
    """The arguments of ``scrapy crawl wrapper``."""

    rules: str = declare(REQUIRED, "the project file, one that ends in .h2x")
    url: str = declare("", "addresses separated by spaces")
    file: str = declare("", "a file of addresses: one a line, or .jsonl or .csv with 'url'")
    follow: Pattern[str] | None = declare(
        None,
        "a regular expression; links whose addresses it is found in are followed, on the same "
        "sites",
    )
    pages: Pattern[str] | None = declare(
        None,
        "a regular expression; the rules are run only on pages whose addresses it is found in",
    )
    max_pages: int = declare(10000, "the most pages to fetch; 0 is no limit")
    rows: bool = declare(False, "an item for each record, and not for each page")
    saves: str = declare("", "a folder for what the project saves itself")
    args: str = declare("", "words for its scripts, separated by spaces, from system.args(2) on")


class WrapperSpider(PageSpider):
    """Runs a project on pages that are listed, linked to, or asked for by its scripts."""

    name = "wrapper"
    handlers = (*PageSpider.handlers, "engine_stopped")
    threaded: ThreadedWrapper
    """The project, run in a thread."""

    def __init__(self, **raw: object) -> None:
        from crawler.wrapper.running import SaveFolder

        super().__init__()
        self.arguments = parse_arguments(WrapperArguments, raw, owner=self.name)
        self._more = tuple(self.arguments.args.split())
        folder = Path(self.arguments.saves) if self.arguments.saves else None
        self._saves = SaveFolder(folder, "-a saves=…", self.logger.warning)
        self._sites: set[str] = set()
        self._seen: set[int] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:  # noqa: ANN401 - as the parent's
        """Read the project, whose errors must be reported before a page is fetched."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.open_project()
        return spider

    def open_project(self) -> None:
        """Read the project file.

        Raises:
            ArgumentError: it cannot be used, or there is nothing to fetch.
        """
        from crawler.wrapper.running import CrawlWrapper

        arguments = self.arguments
        try:
            if arguments.file:
                check_address_list(Path(arguments.file))
            wrapper = CrawlWrapper(Path(arguments.rules), self.options, self._count)
            self.threaded = ThreadedWrapper(wrapper, self.options.page_seconds)
            if not arguments.file and not any(self._entries()):
                raise ArgumentError(
                    "there is nothing to fetch: give -a url=… or -a file=…, or let the project "
                    "load a page"
                )
        except CorpusError as error:
            raise ending(ArgumentError(f"{self.name}: {error}")) from error

    def _count(self, key: str, number: int) -> None:
        # The crawl has no stats yet when the project is read.
        self.stats.inc_value(key, number)

    def engine_stopped(self) -> None:
        """End the process that runs scripts."""
        self.threaded.wrapper.close()

    def _entries(self) -> Iterator[ListedAddress]:
        """Return the addresses that are given, or else those that the project loads."""
        from crawler.wrapper.actions import addresses_of

        texts: Iterable[str] = split_addresses(self.arguments.url)
        if not self.arguments.url and not self.arguments.file:
            texts = addresses_of(self.threaded.wrapper.project, ("", "", *self._more))
        return given_addresses(texts, self.arguments.file)

    async def start(self) -> AsyncIterator[Any]:
        """Request the pages that are given."""
        self._seen = self.kept_state("corpus_seen", self._seen)
        self._sites = self.kept_state("corpus_sites", self._sites)
        for entry in self._entries():
            if entry.address is None:
                self.fail_entry(entry)
                continue
            self._sites.add(address_site(entry.address))
            for request in self._requests([entry.address]):
                yield request

    def _requests(self, addresses: Iterable[str]) -> Iterator[Request]:
        """Request pages of the sites of the crawl, up to the limit."""
        for address in addresses:
            if address_site(address) not in self._sites:
                self._cut("other-site", address)
                continue
            key = address_key(address)
            if key in self._seen:
                continue
            if 0 < self.arguments.max_pages <= len(self._seen):
                self._cut("max-pages", address)
                continue
            self._seen.add(key)
            yield Request(address, callback=self.parse, errback=self.count_failure)

    def _cut(self, reason: str, address: str) -> None:
        self.stats.inc_value(f"corpus/cut/{reason}")
        self.logger.debug("Left out %s: %s", address, reason)

    async def parse(self, response: Response, **_: object) -> AsyncIterator[Any]:
        """Run the project on a page, and request further ones."""
        if not self.is_page(response):
            return
        page = self.parsed(response)
        if page is None:
            self.skip(response.url, "unreadable", "it is empty, too large, or no HTML")
            return
        directives = self.directives(response, page)
        if self.is_reserved(response, directives):
            return
        self._sites.add(address_site(response.url))
        if (follow := self.arguments.follow) is not None:
            links = [link.address for link in page_links(page, Scope()) if not link.cut]
            for request in self._requests(filter(follow.search, links)):
                yield request
        pages = self.arguments.pages
        if pages is not None and not pages.search(response.url):
            self.skip(response.url, "not-wanted", "its address does not match the argument pages")
            return
        wrapped = await self.threaded.run(page, self._more)
        for item in self._items(wrapped):
            yield item
        for request in self._requests(self._script_addresses(page, wrapped.urls)):
            yield request

    def _script_addresses(self, page: ParsedPage, urls: Iterable[str]) -> Iterator[str]:
        """Yield the absolute addresses of those that scripts gave, which may be any text."""
        for url in urls:
            try:
                address = complete_address(urljoin(page.base_url, url.strip()))
            except ValueError:
                address = None
            if address is None:
                self._cut("bad-address", one_line(url)[:200])
            else:
                yield address

    def _items(self, wrapped: Wrapped) -> Iterator[WrappedPage]:
        from crawler.wrapper.running import page_rows

        result = wrapped.result
        if not result.fits:
            self.skip(result.url, "no-fit", "the rules no longer fit")
            return
        for file, xml in wrapped.saves:
            if not self._saves.save(file, xml):
                self.stats.inc_value("corpus/wrapper/not_saved")
        self.stats.inc_value("corpus/pages/fetched")
        self.stats.inc_value("corpus/pages/exported")
        schema = self.threaded.wrapper.project.schema
        yield from map(WrappedPage, page_rows(result, schema, by_record=self.arguments.rows))
