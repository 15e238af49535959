"""The guard of private addresses: a crawl requests none that the user did not name.

:class:`AddressGuard` refuses what can be seen in an address, and
:class:`crawler.middlewares.checked_downloads.CheckedDownloads` what its name resolves to.
"""

from __future__ import annotations

import logging
import socket
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.python import global_object_name
from twisted.internet.threads import deferToThread
from w3lib.http import basic_auth_header

from crawler.extensions.component import Component
from crawler.middlewares.private_addresses import (
    Reachable,
    is_private_host,
    literal_address,
    origin_of,
)

logger = logging.getLogger(__name__)

_WEB: Final = frozenset({"http", "https"})
# Addresses that request nothing of the network; a crawl asks for its held pages by one.
_LOCAL: Final = frozenset({"data", "about"})
_HANDLERS: Final = "DOWNLOAD_HANDLERS"
# Named, not loaded: a crawl of an archive needs neither.
_CHECKED: Final = "crawler.middlewares.checked_downloads.CheckedDownloads"
_UNCHECKED: Final = frozenset(
    f"scrapy.core.downloader.handlers.{name}"
    for name in ("http11.HTTP11DownloadHandler", "http.HTTPDownloadHandler")
)


class PrivateAddressError(IgnoreRequest):
    """An address is not requested, since it leads into a private network or to files.

    Attributes:
        host: Its host, or its scheme where that is none of the web.
    """

    def __init__(self, host: str, what: str) -> None:
        super().__init__(f"{host} {what}; CORPUS_ALLOW_PRIVATE={host} allows it")
        self.host = host


def use_checked_downloads(settings: BaseSettings) -> None:
    """Put the download handler that checks addresses where Scrapy's own is."""
    for scheme, handler in _handlers(settings).items():
        if handler in _UNCHECKED:
            settings[_HANDLERS].set(scheme, _CHECKED, max(settings.getpriority(_HANDLERS) or 0, 15))


def _handlers(settings: BaseSettings) -> dict[str, str]:
    """Return the download handlers of the web's schemes, by name."""
    handlers = settings.getwithbase(_HANDLERS)
    found = {scheme: handlers[scheme] for scheme in _WEB if handlers.get(scheme)}
    return {
        scheme: handler if isinstance(handler, str) else global_object_name(handler)
        for scheme, handler in found.items()
    }


class AddressGuard(Component):
    """Downloader middleware that refuses private addresses, and keeps the credentials of hosts."""

    handlers = ("spider_opened",)

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.reachable = Reachable(self.options.allow_private)
        self._credentials: dict[tuple[str, str, int], bytes] = {}
        self._told: set[str] = set()
        self._checked_later = {
            scheme for scheme, name in _handlers(crawler.settings).items() if name == _CHECKED
        }

    def spider_opened(self, spider: Any) -> None:  # noqa: ANN401 - any spider
        """Note the addresses that a spider starts from."""
        # A paused crawl (JOBDIR) does not yield again what it has yielded.
        if (state := getattr(spider, "state", None)) is not None:
            self.reachable.named = state.setdefault("corpus_named", self.reachable.named)
        urls = getattr(spider, "given_urls", None) or getattr(spider, "start_urls", None) or ()
        for url in urls if isinstance(urls, list | tuple) else ():
            self.note_start(str(url))

    def note_start(self, url: str) -> None:
        """Note an address that the user gave: its host, if private, and its credentials."""
        try:
            parts = urlsplit(url)
            host, port = origin_of(parts.scheme, parts.hostname, parts.port)
        except ValueError:
            return
        if parts.scheme not in _WEB:
            self.reachable.named.add((f"{parts.scheme}:", 0))
        elif is_private_host(host):
            self.reachable.named.add((host, port))
        if parts.username is not None:
            self._credentials[parts.scheme, host, port] = basic_auth_header(
                unquote(parts.username), unquote(parts.password or ""), encoding="utf-8"
            )

    def credentials(self, request: Request) -> bytes | None:
        """Return the value of the header Authorization for a request, if one was given."""
        url = urlparse_cached(request)
        return self._credentials.get((url.scheme, *origin_of(url.scheme, url.hostname, url.port)))

    async def process_request(self, request: Request) -> None:
        """Refuse an address that is private by its scheme, its host, or what its host resolves to.

        Raises:
            PrivateAddressError: it is.
        """
        url = urlparse_cached(request)
        if url.scheme not in _WEB:
            if url.scheme not in _LOCAL and not self.reachable.allows_scheme(url.scheme):
                raise PrivateAddressError(f"{url.scheme}:", "is no scheme of the web")
            return
        host, port = origin_of(url.scheme, url.hostname, url.port)
        is_open = self.check_host(host, port) or literal_address(host) is not None
        if not (is_open or url.scheme in self._checked_later or request.meta.get("proxy")):
            await self._check_ahead(host)

    def check_host(self, host: str, port: int) -> bool:
        """Refuse a host that is private by what it is called.

        Args:
            host: the host, and
            port: its port, as :func:`origin_of` gives them.

        Returns:
            Whether the host may be reached whatever it resolves to.

        Raises:
            PrivateAddressError: it is private, and not allowed.
        """
        if self.reachable.allows_host(host, port):
            return True
        address = literal_address(host)
        if address is not None:
            if not self.reachable.allows_address(address):
                raise PrivateAddressError(host, "is a private address")
        elif is_private_host(host) and not self.reachable.networks:
            raise PrivateAddressError(host, "is a private name")
        return False

    async def _check_ahead(self, host: str) -> None:
        """Refuse a name that resolves to private addresses, where another handler will connect."""
        try:
            found = await maybe_deferred_to_future(
                deferToThread(socket.getaddrinfo, host, None, type=socket.SOCK_STREAM)
            )
        except OSError:
            return  # the handler will say so
        for *_, (resolved, *_rest) in found:
            address = literal_address(str(resolved))
            if address is not None and not self.reachable.allows_address(address):
                raise PrivateAddressError(host, f"resolves to the private address {resolved}")

    def process_exception(self, request: Request, exception: Exception) -> None:  # noqa: ARG002 - as Scrapy calls it
        """Count a refusal, and log the first of each host."""
        if isinstance(exception, PrivateAddressError):
            self.note_refusal(exception)

    def note_refusal(self, error: PrivateAddressError) -> None:
        """Count a refusal, and log the first of each host."""
        self.stats.inc_value("corpus/refused/private-address")
        if error.host not in self._told:
            self._told.add(error.host)
            logger.warning("Not requested: %s", error)


class StartAddresses(BaseSpiderMiddleware):
    """Spider middleware that tells :class:`AddressGuard` which addresses a spider starts with.

    Names of users and passwords leave the addresses of all requests here, so that nothing behind
    logs, records or exports them.
    """

    def get_processed_request(self, request: Request, response: Response | None) -> Request:
        """Note a request of the start; return a request without credentials in its address."""
        guard = self.crawler.get_downloader_middleware(AddressGuard)
        if response is None and guard is not None and _is_given(request):
            guard.note_start(request.url)
        parts = urlparse_cached(request)
        if "@" not in parts.netloc:
            return request
        return request.replace(url=without_credentials(parts))


def _is_given(request: Request) -> bool:
    """Say whether a request of the start is one that the user asked for, and no page found."""
    visit = request.meta.get("corpus_visit")
    return visit is None or visit.found_by == "start"


def without_credentials(parts: Any) -> str:  # noqa: ANN401 - SplitResult or ParseResult
    """Return an address without the name of a user and a password."""
    return str(parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl())
