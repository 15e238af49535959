"""Fetch a few pages by the rules that every crawl obeys, without exporting anything."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.misc import load_object

from crawler.addon import CorpusAddon
from crawler.core.errors import FetchError, one_line
from crawler.middlewares.to_page import page_from
from crawler.store.sources import check_address

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from scrapy.crawler import CrawlerProcessBase
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

    from crawler.core.page.page import Page


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
    """Run a crawl of some pages, by the rules that every crawl obeys; a process can do this once.

    Returns:
        The page of each address, or why it could not be fetched.

    Raises:
        ArgumentError: one is no http(s) address.
    """
    for url in urls:
        check_address(url)
    found: dict[str, Page | FetchError] = {
        url: _error(url, "the crawl ended before it came") for url in urls
    }
    process.crawl(_FetchSpider, found=found)
    process.start()
    return [found[url] for url in urls]


def _error(url: str, why: str) -> FetchError:
    return FetchError(f"{url} could not be fetched: {one_line(why)}")


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
    addons = settings.getdict("ADDONS")
    if not any(load_object(addon) is CorpusAddon for addon in addons):
        settings.set("ADDONS", {**addons, CorpusAddon: 500}, "spider")


class _FetchSpider(Spider):
    # Without a name, no project lists it among its spiders.
    name = ""

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Be as polite as a crawl, and write nothing."""
        super().update_settings(settings)
        without_export(settings)
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
