"""Renders pages in Chromium, by scrapy-playwright; the extra ``browser``.

A page was fetched by Scrapy before, as any other: the browser gets it from here, and asks the
network only for what the page needs beside itself. So robots.txt, delays, redirects, retries and
limits are those of all pages. Whatever the browser sends goes through
:class:`crawler.browser.proxy.GuardedProxy`.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
from contextlib import suppress
from http import HTTPStatus
from time import monotonic
from typing import Any, Final
from urllib.parse import urlsplit

from playwright.async_api import (
    Browser,
    BrowserContext,
    Frame,
    Page,
    Playwright,
    Route,
    async_playwright,
)
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Request as BrowserRequest
from playwright.async_api import Response as BrowserResponse
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, NotSupported
from scrapy.http import TextResponse
from scrapy_playwright.handler import Config, ScrapyPlaywrightDownloadHandler
from scrapy_playwright.page import PageMethod

from crawler.browser import BrowserMissingError, RenderError
from crawler.browser.proxy import GuardedProxy
from crawler.middlewares.robots import RobotsMiddleware

_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ARGUMENTS: Final = (
    # The proxy looks names up, and nothing else does.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    # What goes past proxies: datagrams.
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--block-new-web-contents",
    "--deny-permission-prompts",
)
_CONTEXT: Final = "corpus"
# Of no use for text.
_NOT_LOADED: Final = frozenset({"font", "image", "media", "ping", "texttrack"})
_AT_ONCE: Final = 4
_MOST_KEPT: Final = 64 * 2**20
_LARGEST_KEPT: Final = 8 * 2**20
_OF_TRANSFER: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})
# What a page may take that does not answer, beside its time.
_GRACE_SECONDS: Final = 10.0
_CLOSING_SECONDS: Final = 5.0
# As Page.content(), with the open shadow trees in the form in which servers send them.
_WHOLE: Final = """() => {
  const trees = [];
  const visit = (node) => node.querySelectorAll("*").forEach((element) => {
    if (element.shadowRoot) { trees.push(element.shadowRoot); visit(element.shadowRoot); }
  });
  visit(document);
  if (!trees.length || !document.documentElement.getHTML) return null;
  const shell = document.documentElement.cloneNode(false).outerHTML;
  const inner = document.documentElement.getHTML({ shadowRoots: trees });
  return "<!doctype html>" + shell.replace(/<\\/html>$/i, () => inner + "</html>");
}"""


class Renderer:
    """The browser of a crawl. It is started with the first page.

    Args:
        crawler: the crawl.
        seconds: the time that a page may take.

    Raises:
        BrowserMissingError: the crawl runs under a reactor that knows no browser.
    """

    def __init__(self, crawler: Crawler, seconds: float) -> None:
        self._crawler = crawler
        self._seconds = seconds
        self._proxy = GuardedProxy(crawler)
        if crawler.settings.get("LOG_LEVEL") != "DEBUG":
            # Nobody has to know that it begins and ends.
            logging.getLogger("scrapy-playwright").setLevel(logging.WARNING)
        try:
            self._handler = self._new_handler()
        except Exception as error:
            # Of any kind: the reactor is another one.
            raise BrowserMissingError(str(error)) from error
        self._kept = _Kept()
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._agent = str(crawler.settings.get("USER_AGENT"))

    def _new_handler(self) -> ScrapyPlaywrightDownloadHandler:
        handler = ScrapyPlaywrightDownloadHandler.from_crawler(self._crawler)
        # It waits for files and tries again by itself: with the same rendering, which has begun.
        handler.config.download_timeout_secs = 0
        handler.config.target_closed_max_retries = 0
        handler.browser_provider = _Launcher(handler.config, self._proxy)
        return handler

    async def _replace_dead(self, handler: ScrapyPlaywrightDownloadHandler) -> None:
        """Replace the driver of the browser where it has died, as for want of memory."""
        if not await handler.browser_provider.is_alive() and handler is self._handler:
            self._handler = self._new_handler()

    async def render(self, request: Request, response: TextResponse) -> Rendering:
        """Run the scripts of a page that came.

        Raises:
            RenderError: it could not be rendered.
            BrowserMissingError: the browser could not be started.
        """
        rendering = Rendering(self._crawler, response, self._kept, self._agent, self._seconds)
        own = Request(
            response.url,
            headers={"User-Agent": self._agent},
            meta={
                "playwright": True,
                # Else its handler logs each failure, with a traceback.
                "playwright_include_page": True,
                "playwright_context": _CONTEXT,
                "playwright_context_kwargs": {
                    "accept_downloads": False,
                    "service_workers": "block",
                    "user_agent": self._agent,
                },
                "playwright_page_init_callback": rendering.prepare,
                "playwright_page_goto_kwargs": {
                    "wait_until": "domcontentloaded",
                    "timeout": 1000 * self._seconds,
                },
                "playwright_page_methods": [
                    PageMethod(rendering.wait),
                    *request.meta.get("playwright_page_methods", ()),
                    PageMethod(rendering.read),
                ],
            },
        )
        async with self._places:
            handler = self._handler
            work = asyncio.ensure_future(handler.download_request(own))
            moved = asyncio.ensure_future(rendering.has_moved.wait())
            try:
                await asyncio.wait(
                    {work, moved},
                    timeout=self._seconds + _GRACE_SECONDS,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if not rendering.moved_to:
                    if not work.done():
                        # A driver that has died may leave what was asked of it open.
                        await self._replace_dead(handler)
                        raise RenderError(f"it took more than {self._seconds:g} seconds")
                    # What comes after, as of a file that the page sends, is of no use here.
                    if (error := work.exception()) and not rendering.markup:
                        raise error
            except PlaywrightError as error:
                await self._replace_dead(handler)
                raise RenderError(error.message.partition("\n")[0]) from error
            finally:
                moved.cancel()
                work.cancel()
                # Else an error that comes now is logged as one that nobody has seen.
                work.add_done_callback(lambda it: it.cancelled() or it.exception())
                await rendering.close()
        return rendering

    async def close(self) -> None:
        """End the browser and the proxy."""
        # One that does not answer ends with this process.
        with suppress(PlaywrightError, TimeoutError):
            await asyncio.wait_for(self._handler.close(), _CLOSING_SECONDS)
        await self._proxy.close()


class Rendering:
    """One page in the browser.

    Attributes:
        markup: the page as it was when its scripts had run.
        moved_to: where it leads instead: an address that its scripts asked the browser to go to;
            its own where they asked for it again before it was whole.
        has_moved: is set with ``moved_to``. What is under way then does not end by itself.
    """

    def __init__(
        self, crawler: Crawler, response: TextResponse, kept: _Kept, agent: str, seconds: float
    ) -> None:
        self.markup = ""
        self.moved_to = ""
        self.has_moved = asyncio.Event()
        self._stats = crawler.stats
        self._robots = crawler.get_downloader_middleware(RobotsMiddleware)
        self._response = response
        self._kept = kept
        # The rules of the page itself were looked up by this name.
        self._robot = crawler.settings.get("ROBOTSTXT_USER_AGENT") or agent
        self._until = monotonic() + seconds
        self._page: Page | None = None
        self._has_begun = self._is_whole = False

    async def prepare(self, page: Page, request: Request) -> None:  # noqa: ARG002 - as scrapy-playwright calls it
        """Have the requests of a page pass here, before they reach its handler."""
        self._page = page
        page.on("popup", _close)
        # In the order of the browser, and not when this process comes to it.
        page.on("domcontentloaded", self._loaded)
        await page.route("**", self._pass)
        page.on("response", self._kept.keep)

    def _loaded(self, _page: Page) -> None:
        """Note that the page is whole; an empty one comes before it."""
        self._is_whole = self._has_begun

    async def _pass(self, route: Route, request: BrowserRequest) -> None:
        """Answer, refuse or let pass a request of the page."""
        with suppress(PlaywrightError):  # the page has been closed
            if request.is_navigation_request() and _is_main(request.frame):
                await self._navigate(route, request)
            elif request.resource_type in _NOT_LOADED:
                await route.abort("blockedbyclient")
            elif not await self._is_allowed(request.url):
                self._count("corpus/browser/robots")
                await route.abort("blockedbyclient")
            elif (file := self._kept.files.get(request.url)) and _is_shared(request):
                await route.fulfill(status=200, **file)
            else:
                await route.fallback()

    async def _navigate(self, route: Route, request: BrowserRequest) -> None:
        if self._has_begun:
            is_again = request.url == self._response.url
            if request.method == "GET" and not (is_again and self._is_whole):
                self.moved_to = request.url
                self.has_moved.set()
            await route.abort("aborted")
            return
        self._has_begun = True
        headers = self._response.headers
        given = {"Content-Type": _kind(headers.get("Content-Type"))}
        if cookies := headers.getlist("Set-Cookie"):
            given["Set-Cookie"] = b"\n".join(cookies).decode("latin-1")
        await route.fulfill(status=200, headers=given, body=self._response.body)

    async def _is_allowed(self, url: str) -> bool:
        """Say whether the robots.txt of the page's own host lets a request of it pass."""
        if self._robots is None or urlsplit(url).netloc != urlsplit(self._response.url).netloc:
            return True
        try:
            rules = await self._robots.robot_parser(Request(url))
        except (IgnoreRequest, ValueError):
            return False
        return rules.allowed(url, self._robot)

    async def wait(self, page: Page) -> None:
        """Wait until nothing of a page is under way, or its time is over."""
        self._is_whole = True
        left = max(0.001, self._until - monotonic())
        with suppress(PlaywrightError):
            await page.wait_for_load_state("networkidle", timeout=1000 * left)

    async def read(self, page: Page) -> None:
        """Keep the page as it is now.

        Raises:
            RenderError: there is another one, such as ``about:blank``, which asks for nothing.
        """
        if page.url.startswith(("about:", "blob:")):
            raise RenderError(f"its scripts leave it for {page.url}")
        whole = None
        with suppress(PlaywrightError):  # the page has replaced what is called here
            whole = await page.evaluate(_WHOLE)
        self.markup = whole if isinstance(whole, str) else await page.content()

    async def close(self) -> None:
        """Close the page, also one that does not answer."""
        if self._page is not None:
            await _close(self._page)

    def _count(self, key: str) -> None:
        if self._stats is not None:
            self._stats.inc_value(key)


class _Kept:
    """Scripts and styles, which the pages of a site share: each is fetched once in a crawl.

    Chromium's own cache is off where requests pass through routes.
    """

    def __init__(self) -> None:
        self.files: dict[str, dict[str, Any]] = {}
        self._room = _MOST_KEPT

    async def keep(self, response: BrowserResponse) -> None:
        """Keep a file that came, where there is room."""
        headers = response.headers
        if (
            not _is_shared(response.request)
            or response.status != HTTPStatus.OK
            or "no-store" in headers.get("cache-control", "")
        ):
            return
        with suppress(PlaywrightError):  # the page has been closed
            # A body that is larger than its driver can hold would end that.
            if (await response.request.sizes())["responseBodySize"] > _LARGEST_KEPT:
                return
            body = await response.body()
            if len(body) <= self._room and response.url not in self.files:
                self._room -= len(body)
                # Without those that tell how it came.
                kept = {name: headers[name] for name in headers.keys() - _OF_TRANSFER}
                self.files[response.url] = {"headers": kept, "body": body}


class _Launcher:
    """Starts a browser all of whose requests go through a proxy, when the first page wants it."""

    def __init__(self, config: Config, proxy: GuardedProxy) -> None:
        self._options = config.launch_options
        self._proxy = proxy
        self._playwright: Playwright | None = None

    async def start(self) -> None:
        """Wait for the first page."""

    async def launch_browser(self) -> Browser:
        """Start the browser."""
        if self._playwright is None:
            self._address = await self._proxy.start()
            self._playwright = await async_playwright().start()
        found = next(filter(None, map(shutil.which, _BROWSERS)), None)
        options: dict[str, Any] = {
            "executable_path": found,
            # Chromium's sandbox does not work for root.
            "chromium_sandbox": os.name != "posix" or os.geteuid() != 0,
            **self._options,
        }
        options["args"] = [*options.get("args", ()), *_ARGUMENTS]
        # Else the browser asks loopback addresses itself.
        options["proxy"] = {"server": self._address, "bypass": "<-loopback>"}
        try:
            return await self._playwright.chromium.launch(**options)
        except PlaywrightError as error:
            why = error.message.partition("\n")[0]
            raise BrowserMissingError(
                f"Chromium could not be started ({why}). Install your system's chromium, or run "
                "'playwright install chromium'; PLAYWRIGHT_LAUNCH_OPTIONS says how it is started"
            ) from error

    async def is_alive(self) -> bool:
        """Say whether the driver of the browser answers, if it was started."""
        if self._playwright is None:
            return True
        try:
            await asyncio.wait_for(self._playwright.request.new_context(), _CLOSING_SECONDS)
        except (PlaywrightError, TimeoutError):
            return False
        return True

    async def launch_persistent_context(self, context_kwargs: dict[str, Any]) -> BrowserContext:  # noqa: ARG002 - as it is called
        """Refuse it: pages that were rendered leave nothing behind."""
        raise NotSupported("no page is rendered in a profile that stays")

    async def close(self) -> None:
        """End the browser."""
        if self._playwright is not None:
            await self._playwright.stop()


async def _close(page: Page) -> None:
    with suppress(PlaywrightError, TimeoutError):
        await asyncio.wait_for(page.close(), _CLOSING_SECONDS)


def _is_shared(request: BrowserRequest) -> bool:
    return request.method == "GET" and request.resource_type in {"script", "stylesheet"}


def _is_main(frame: Frame) -> bool:
    return frame.parent_frame is None


def _kind(header: bytes | None) -> str:
    """Return the type of a page for the browser, which would not show every one as a page."""
    kind = (header or b"").decode("latin-1")
    return kind if kind.startswith(("text/html", "application/xhtml+xml")) else "text/html"
