"""Renders pages in Chromium, by Playwright; the extra ``browser``.

A page was fetched by Scrapy before, as any other, and the browser gets it from here. The browser
itself reaches no network: what the page asks for beside itself is fetched by the crawl, through its
downloader middlewares and its download handlers, and handed to the browser.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
from collections.abc import Awaitable, Iterable
from contextlib import suppress
from inspect import isawaitable
from time import monotonic
from typing import Any, Final
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, Page, Playwright, Route, async_playwright
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Request as BrowserRequest
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response, TextResponse
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.asyncio import is_asyncio_available

from crawler.browser import BrowserMissingError, RenderError
from crawler.middlewares.throttling import OF_PAGE

logger = logging.getLogger(__name__)

_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ARGUMENTS: Final = (
    # No name has an address, that of the proxy neither: what does not pass here goes nowhere.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    # What goes past proxies: datagrams.
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--block-new-web-contents",
    "--deny-permission-prompts",
)
# "<-loopback>": addresses of loopback go through it, too.
_NOWHERE: Final = {"server": "http://nowhere.invalid:9", "bypass": "<-loopback>"}
# Of no use for text.
_NOT_LOADED: Final = frozenset({"font", "image", "media", "ping", "texttrack"})
# What the crawl says by itself of the connection to a server.
_OF_CONNECTION: Final = frozenset({"accept-encoding", "content-length", "host"})
_OF_TRANSFER: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})
_AT_ONCE: Final = 4
_MOST_KEPT: Final = 64 * 2**20
_LARGEST_FILE: Final = 64 * 2**20
_LARGEST_KEPT: Final = 8 * 2**20
_OK: Final = 200
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
    """The browser of a crawl. It is started with the first page, and again where it has died.

    Args:
        crawler: the crawl.
        seconds: the time that a page may take.

    Raises:
        BrowserMissingError: the crawl runs under a reactor that knows no browser.
    """

    def __init__(self, crawler: Crawler, seconds: float) -> None:
        if not is_asyncio_available():
            raise BrowserMissingError("the reactor of the crawl has to be that of asyncio")
        self._crawler = crawler
        self._seconds = seconds
        self._playwright: Playwright | None = None
        self._context: BrowserContext | None = None
        self._is_starting = asyncio.Lock()
        self._places = asyncio.Semaphore(_AT_ONCE)
        # Scripts and styles, by address: each is fetched once in a crawl.
        self._kept: dict[str, dict[str, Any]] = {}

    async def render(self, request: Request, response: TextResponse) -> Rendering:
        """Run the scripts of a page that came.

        Raises:
            RenderError: it could not be rendered.
            BrowserMissingError: the browser could not be started.
        """
        async with self._places:
            async with self._is_starting:
                context = self._context = self._context or await self._start()
            rendering = Rendering(self._crawler, request, response, self._kept, self._seconds)
            try:
                await asyncio.wait_for(rendering.run(context), self._seconds + _GRACE_SECONDS)
            except TimeoutError:
                raise RenderError(f"it took more than {self._seconds:g} seconds") from None
            except PlaywrightError as error:
                # A page that leads elsewhere is closed; and what comes after it was read, as of a
                # file that it sends, is of no use here.
                if not (rendering.markup or rendering.moved_to):
                    raise RenderError(error.message.partition("\n")[0]) from error
            finally:
                await rendering.close()
                # The browser or its driver may have died, as for want of memory.
                has_answered = rendering.markup or rendering.moved_to
                is_alive = has_answered or await _in_time(context.cookies())
                if not is_alive and context is self._context:
                    self._context = None
        return rendering

    async def _start(self) -> BrowserContext:
        """Start the browser, and the driver that speaks with it."""
        await self.close()
        settings = self._crawler.settings
        options: dict[str, Any] = {
            "executable_path": next(filter(None, map(shutil.which, _BROWSERS)), None),
            # Chromium's sandbox does not work for root.
            "chromium_sandbox": os.name != "posix" or os.geteuid() != 0,
            **settings.getdict("PLAYWRIGHT_LAUNCH_OPTIONS"),
            "proxy": _NOWHERE,
        }
        options["args"] = [*options.get("args", ()), *_ARGUMENTS]
        self._playwright = await async_playwright().start()
        try:
            browser = await self._playwright.chromium.launch(**options)
            context = await browser.new_context(
                accept_downloads=False,
                service_workers="block",
                user_agent=str(settings.get("USER_AGENT")),
            )
        except PlaywrightError as error:
            why = error.message.partition("\n")[0]
            raise BrowserMissingError(
                f"Chromium could not be started ({why}). Install your system's chromium, or run "
                "'playwright install chromium'; PLAYWRIGHT_LAUNCH_OPTIONS says how it is started"
            ) from error
        assert self._crawler.stats is not None  # noqa: S101 - the crawl runs
        self._crawler.stats.inc_value("corpus/browser/started")
        return context

    async def close(self) -> None:
        """End the browser; one that does not answer ends with this process."""
        if self._playwright is not None:
            await _in_time(self._playwright.stop())


class Rendering:
    """One page in the browser.

    Attributes:
        markup: the page as it was when its scripts had run.
        moved_to: where it leads instead: an address that its scripts asked the browser to go to;
            its own where they asked for it again before it was whole.
    """

    def __init__(
        self,
        crawler: Crawler,
        request: Request,
        response: TextResponse,
        kept: dict[str, dict[str, Any]],
        seconds: float,
    ) -> None:
        self.markup = ""
        self.moved_to = ""
        self._crawler = crawler
        self._request = request
        self._response = response
        self._kept = kept
        self._seconds = seconds
        self._until = monotonic() + seconds
        self._page: Page | None = None
        self._downloads: set[asyncio.Future[Response]] = set()
        self._has_begun = self._is_whole = False

    async def run(self, context: BrowserContext) -> None:
        """Show the page, wait until nothing of it is under way or its time is over, and read it."""
        self._page = page = await context.new_page()
        page.on("popup", _close)
        # In the order of the browser, and not when this process comes to it.
        page.on("domcontentloaded", self._loaded)
        await page.route("**", self._pass)
        url = self._response.url
        await page.goto(url, wait_until="domcontentloaded", timeout=1000 * self._seconds)
        self._is_whole = True
        with suppress(PlaywrightError):
            await page.wait_for_load_state("networkidle", timeout=1000 * self._left())
        for step in self._request.meta.get("playwright_page_methods", ()):
            act = step.method if callable(step.method) else getattr(type(page), step.method)
            result = act(page, *step.args, **step.kwargs)
            step.result = await result if isawaitable(result) else result
        if page.url.startswith(("about:", "blob:")):
            # A page that asks for nothing has taken its place.
            raise RenderError(f"its scripts leave it for {page.url}")
        whole = None
        with suppress(PlaywrightError):  # the page has replaced what is called here
            whole = await page.evaluate(_WHOLE)
        self.markup = whole if isinstance(whole, str) else await page.content()

    def _loaded(self, _page: Page) -> None:
        """Note that the page is whole; an empty one comes before it."""
        self._is_whole = self._has_begun

    def _left(self) -> float:
        """Return the seconds that are left."""
        return max(0.001, self._until - monotonic())

    async def _pass(self, route: Route, request: BrowserRequest) -> None:
        """Answer or refuse a request of the page."""
        with suppress(PlaywrightError):  # the page has been closed
            if request.is_navigation_request() and request.frame.parent_frame is None:
                await self._navigate(route, request)
            elif request.resource_type not in _NOT_LOADED and (
                answer := await self._fetched(request)
            ):
                await route.fulfill(**answer)
            else:
                await route.abort("blockedbyclient")

    async def _navigate(self, route: Route, request: BrowserRequest) -> None:
        """Hand the page to the browser, or note that it leads elsewhere."""
        if not self._has_begun:
            self._has_begun = True
            answer = _answer(self._response)
            kind = answer["headers"].get("content-type", "")
            # The browser would not show every type as a page.
            is_page = kind.startswith(("text/html", "application/xhtml+xml"))
            given = {"content-type": kind if is_page else "text/html"}
            if cookies := answer["headers"].get("set-cookie"):
                given["set-cookie"] = cookies
            await route.fulfill(**{**answer, "headers": given})
            return
        is_again = request.url == self._response.url
        if request.method == "GET" and not (is_again and self._is_whole) and not self.moved_to:
            self.moved_to = request.url
            # What is under way does not end by itself.
            await self.close()
        await route.abort("aborted")

    async def _fetched(self, asked: BrowserRequest) -> dict[str, Any] | None:
        """Have the crawl fetch what a page asks for; None where it cannot be had."""
        is_shared = asked.method == "GET" and asked.resource_type in {"script", "stylesheet"}
        if is_shared and (kept := self._kept.get(asked.url)):
            return kept
        work = asyncio.ensure_future(self._download(await self._request_of(asked)))
        self._downloads.add(work)
        try:
            answer = _answer(await work)
        except asyncio.CancelledError:
            return None
        except Exception as error:  # noqa: BLE001 - as with a server that does not answer
            if isinstance(error, IgnoreRequest) and "robots.txt" in str(error):
                self._count("corpus/browser/robots")
            logger.debug("Not fetched for %s: %s: %s", self._response.url, asked.url, error)
            return None
        finally:
            self._downloads.discard(work)
        size = len(answer["body"])
        if (
            is_shared
            and answer["status"] == _OK
            and "no-store" not in answer["headers"].get("cache-control", "")
            and size <= min(_LARGEST_KEPT, _MOST_KEPT - _size(self._kept.values()))
        ):
            self._kept[asked.url] = answer
        return answer

    async def _request_of(self, asked: BrowserRequest) -> Request:
        """Make the crawl's request of what a page asks for."""
        headers: dict[str, Any] = {
            name: value
            for name, value in (await asked.all_headers()).items()
            if name not in _OF_CONNECTION and not name.startswith(":")
        }
        assert self._page is not None  # noqa: S101 - it is the page that asks
        cookies = await self._page.context.cookies(asked.url)
        headers["Cookie"] = "; ".join(f"{one.get('name')}={one.get('value')}" for one in cookies)
        meta: dict[str, Any] = {
            # The requests of a page are no pages; each follows the other as in any browser.
            "dont_obey_robotstxt": urlsplit(asked.url).netloc
            != urlsplit(self._response.url).netloc,
            "dont_merge_cookies": True,
            "dont_retry": True,
            "allow_offsite": True,
            OF_PAGE: True,
            "download_timeout": self._left(),
            "download_maxsize": _LARGEST_FILE,
            "download_warnsize": 0,
        }
        given = self._request
        # A proxy of the environment is found again.
        if given.meta.get("proxy") and not given.meta.get("_scheme_proxy"):
            meta |= {name: given.meta.get(name) for name in ("proxy", "_auth_proxy")}
            headers["Proxy-Authorization"] = given.headers.get("Proxy-Authorization")
        return Request(
            asked.url,
            method=asked.method,
            headers={name: value for name, value in headers.items() if value},
            body=asked.post_data_buffer or b"",
            callback=NO_CALLBACK,
            dont_filter=True,
            meta=meta,
        )

    async def _download(self, request: Request) -> Response:
        """Fetch what a request asks for, and what it redirects to, beside the delays of pages."""
        downloader = self._crawler.engine.downloader
        fetch = downloader.handlers.download_request_async
        result: Request | Response = request
        while isinstance(result, Request):
            result = await downloader.middleware.download_async(fetch, result)
        return result

    async def close(self) -> None:
        """Close the page, also one that does not answer, and end what it asked for."""
        for work in self._downloads:
            work.cancel()
        if self._page is not None:
            await _close(self._page)

    def _count(self, key: str) -> None:
        if self._crawler.stats is not None:
            self._crawler.stats.inc_value(key)


def _answer(response: Response) -> dict[str, Any]:
    """Return a response in the form in which a browser takes it."""
    headers = {}
    for key, values in response.headers.items():
        name = key.decode("latin-1").lower()
        # So it tells several cookies from one.
        joint = "\n" if name == "set-cookie" else ", "
        value = joint.join(one.decode("latin-1") for one in values if one.isascii())
        if name not in _OF_TRANSFER:
            headers[name] = value
    return {"status": response.status, "headers": headers, "body": response.body}


def _size(answers: Iterable[dict[str, Any]]) -> int:
    return sum(len(answer["body"]) for answer in answers)


async def _close(page: Page) -> None:
    await _in_time(page.close())


async def _in_time(work: Awaitable[object]) -> bool:
    """Say whether the browser does something within some seconds."""
    with suppress(PlaywrightError, TimeoutError):
        await asyncio.wait_for(work, _CLOSING_SECONDS)
        return True
    return False
