"""Which pages are rendered in a browser, and what becomes of them."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK

from crawler.browser import BrowserMissingError, RenderError
from crawler.core.errors import OptionError
from crawler.core.page.parse import ParsedPage
from crawler.core.page.unwritten import has_gained, is_unwritten
from crawler.extensions.component import Component
from crawler.journey.page_time import PageTime
from crawler.middlewares.downloader import slot_of
from crawler.middlewares.to_page import parse_response
from crawler.settings import Options

if TYPE_CHECKING:
    # Playwright takes half a second to load, and few crawls need it.
    from crawler.browser.renderer import Renderer

logger = logging.getLogger(__name__)

INSTALL: Final = "pip install 'scrapy-corpus[browser]'"
_OK: Final = 200
# Pages after which a site goes on in the browser, or is not tried again.
_ENOUGH: Final = 3
_WORDS: Final = frozenset({"always", "auto", "never"})


def check_browser(options: Options) -> None:
    """Refuse a crawl that asks for a browser where none can be had.

    Raises:
        OptionError: the extra is not installed.
    """
    if set(options.browser) - {"auto", "never"} and not _is_installed():
        asked = ",".join(options.browser)
        raise OptionError(f"CORPUS_BROWSER is {asked}, and the browser is an extra: {INSTALL}")


def _is_installed() -> bool:
    return find_spec("scrapy_playwright") is not None


@dataclass
class _Site:
    """What the pages of a site have shown: with text of their own, gained by a browser, neither."""

    written: int = 0
    gained: int = 0
    vain: int = 0

    @property
    def goes_on(self) -> bool:
        """Whether all pages are rendered from now on."""
        return self.gained >= _ENOUGH and self.gained > self.written

    @property
    def is_hopeless(self) -> bool:
        """Whether no page is tried any more."""
        return self.vain >= _ENOUGH * (1 + self.gained)


class BrowserMiddleware(Component):
    """Downloader middleware that renders pages in a browser, where ``CORPUS_BROWSER`` says so.

    It gets the pages that Scrapy has fetched, redirects and retries included. What the scripts of a
    page make of it takes its place; a page whose scripts lead elsewhere leads there.
    """

    handlers = ("spider_closed",)

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._hosts = {host.removeprefix("www.") for host in self.options.browser} - _WORDS
        self._sites: dict[str, _Site] = {}
        self._renderer: Renderer | None = None
        self._is_missing = False

    async def process_response(self, request: Request, response: Response) -> Any:  # noqa: ANN401 - a request or a response
        """Render a page that wants it; return any other as it is."""
        if not _is_page(request, response):
            return response
        site = slot_of(response.url)
        if "always" in self.options.browser or site in self._hosts:
            return await self._rendered(request, response, None)
        # What other spiders do with a short answer is their own affair.
        is_ours = getattr(self.crawler.spider, "gives_pages", False)
        if "auto" not in self.options.browser or not is_ours:
            return response
        seen = self._sites.setdefault(site, _Site())
        if not seen.goes_on:
            page = self._parsed(response)
            if page is None or seen.is_hopeless or not is_unwritten(page):
                seen.written += page is not None
                return response
        return await self._rendered(request, response, seen)

    async def _rendered(self, request: Request, response: Any, seen: _Site | None) -> Any:  # noqa: ANN401 - as above
        """Return a page as its scripts made it; the page itself where that cannot be had."""
        if not self._can_render(request, response):
            return response
        try:
            rendering = await self._open().render(request, response)
        except BrowserMissingError as error:
            self._is_missing = True
            self.stats.inc_value("corpus/browser/missing")
            logger.warning(
                "%s is written by scripts, and there is no browser to read it: %s",
                response.url,
                error,
            )
            return response
        except RenderError as error:
            return self._failed(request, response, seen, str(error))
        if rendering.moved_to not in {"", response.url}:
            # What a script asks for is what browsers do at this header.
            self.stats.inc_value("corpus/browser/moved")
            response.headers["Refresh"] = f"0; url={rendering.moved_to}"
            return response
        body = rendering.markup.encode("utf-8", "replace")
        if len(body) > self.options.max_page_bytes:
            why = f"its scripts made {len(body)} bytes of it"
            return self._failed(request, response, seen, why)
        # A page that asked for itself again before it was whole has nothing better to show.
        rendered = response if rendering.moved_to else _as_rendered(response, body)
        return self._chosen(response, rendered, seen)

    def _can_render(self, request: Request, response: Response) -> bool:
        if self._is_missing:
            self.stats.inc_value("corpus/browser/missing")
        elif request.meta.get("proxy"):
            # The browser would go past it.
            self.warn_once(
                "corpus/browser/proxy",
                "%s is written by scripts and came through a proxy, which the browser does not use",
                response.url,
            )
        else:
            return True
        return False

    def _open(self) -> Renderer:
        """Return the browser of the crawl.

        Raises:
            BrowserMissingError: there is none.
        """
        if self._renderer is None:
            if not _is_installed():
                raise BrowserMissingError(INSTALL)
            from crawler.browser.renderer import Renderer  # noqa: PLC0415 - see above

            self._renderer = Renderer(self.crawler, self.options.browser_seconds)
        return self._renderer

    def _failed(
        self, request: Request, response: Response, seen: _Site | None, why: str
    ) -> Request | Response:
        """Return a request to be sent again, else the page as it came."""
        logger.info("Not rendered: %s: %s", response.url, why)
        spider: Any = self.crawler.spider
        if self.crawler.settings.getbool("RETRY_ENABLED") and (
            again := get_retry_request(request, spider=spider, reason="not-rendered")
        ):
            return again
        if seen is not None:
            seen.vain += 1
        self.stats.inc_value("corpus/browser/failed")
        return response

    def _chosen(self, response: Response, rendered: Response, seen: _Site | None) -> Response:
        """Return the better one of a page as it came and as its scripts made it."""
        if seen is not None:
            before, after = self._parsed(response), self._parsed(rendered)
            has_more = before and after and has_gained(before, after)
            seen.gained += bool(has_more)
            seen.vain += not has_more
            if not has_more and not seen.goes_on:
                self.stats.inc_value("corpus/browser/vain")
                return response
            if seen.gained == 1:
                logger.info("%s has pages that scripts write: a browser reads them", response.url)
        self.stats.inc_value("corpus/browser/pages")
        return rendered

    def _parsed(self, response: Response) -> ParsedPage | None:
        size = self.options.max_page_bytes
        try:
            return PageTime(self.options.page_seconds).spend(lambda: parse_response(response, size))
        except Exception:  # noqa: BLE001 - of any kind: it is counted where the page is read
            return None

    async def spider_closed(self) -> None:
        """End the browser."""
        if self._renderer is not None:
            await self._renderer.close()


def _is_page(request: Request, response: Response) -> bool:
    """Say whether an answer is that of a page: none of robots.txt, a listing, or a browser."""
    return (
        isinstance(response, HtmlResponse)
        and response.status == _OK
        and request.method == "GET"
        and request.callback is not NO_CALLBACK
        and "playwright" not in request.meta
        and not getattr(request.meta.get("corpus_visit"), "source", None)
    )


def _as_rendered(response: Response, body: bytes) -> Response:
    headers = response.headers.copy()
    # They tell of what came, and scripts may make something else of the same tomorrow.
    for name in ("ETag", "Last-Modified"):
        headers.pop(name, None)
    headers["Content-Type"] = "text/html; charset=utf-8"
    flags = [*response.flags, "browser"]
    return response.replace(body=body, headers=headers, flags=flags, encoding="utf-8")
