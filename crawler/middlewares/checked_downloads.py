"""A download handler that connects to no private address, unless the user allowed it.

What is checked are the very addresses that Twisted connects to: a name that resolves to something
else at its next look-up (DNS rebinding) gains nothing.
"""

from __future__ import annotations

from contextvars import ContextVar, copy_context
from typing import Any

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError
from scrapy.http import Response
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IHostResolution, IResolutionReceiver

from crawler.middlewares.address_guard import AddressGuard, PrivateAddressError
from crawler.middlewares.private_addresses import Reachable, literal_address, origin_of


class CheckedDownloads(HTTP11DownloadHandler):
    """Scrapy's handler of http and https, which refuses private addresses and sends credentials."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._own_crawler = crawler
        self._pool: Any = _Pool(self._pool)

    async def download_request(self, request: Request) -> Response:
        """Download a request.

        Raises:
            PrivateAddressError: its host resolves to private addresses alone.
        """
        guard = self._own_crawler.get_downloader_middleware(AddressGuard)
        if guard is None:  # a project has switched it off
            return await super().download_request(request)
        url = urlparse_cached(request)
        host, port = origin_of(url.scheme, url.hostname, url.port)
        # A proxy resolves names itself; the user chose it, and it may stand anywhere.
        is_free = request.meta.get("proxy") or guard.reachable.allows_host(host, port)
        check = None if is_free else _Check(guard.reachable)
        credentials = None if "Authorization" in request.headers else guard.credentials(request)
        if credentials:
            request.headers["Authorization"] = credentials
        _install_resolver()
        _check.set(check)
        try:
            return await super().download_request(request)
        except CannotResolveHostError:
            if check is None or not check.refused:
                raise
            what = f"resolves to the private address {check.refused}"
            raise PrivateAddressError(host, what) from None
        finally:
            _check.set(None)
            if credentials:
                # Requests are kept, by a cache or a paused crawl.
                del request.headers["Authorization"]


class _Check:
    """What is allowed of the addresses that a name resolves to."""

    def __init__(self, reachable: Reachable) -> None:
        self._reachable = reachable
        self.refused = ""

    def allows(self, host: str) -> bool:
        address = literal_address(host)
        if address is not None and self._reachable.allows_address(address):
            return True
        self.refused = host
        return False


_check: ContextVar[_Check | None] = ContextVar("check", default=None)


async def resolve(host: str, reachable: Reachable | None) -> list[str]:
    """Return the addresses that a name resolves to, by the resolver of the crawl.

    Args:
        host: the name, or an address in numbers.
        reachable: which of them are returned; None for all.

    Raises:
        PrivateAddressError: none of them may be reached.
    """
    from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

    check = None if reachable is None else _Check(reachable)
    found = _Found()
    resolver: Any = reactor
    # The context may be that of a request with a check of its own.
    context = copy_context()
    context.run(_check.set, None)
    receiver = found if check is None else _Receiver(found, check)
    context.run(resolver.nameResolver.resolveHostName, receiver, host)
    await maybe_deferred_to_future(found.complete)
    if not found.addresses and check is not None and check.refused:
        raise PrivateAddressError(host, f"resolves to the private address {check.refused}")
    return found.addresses


class _Found:
    """Receives the addresses of a name."""

    def __init__(self) -> None:
        self.addresses: list[str] = []
        self.complete: Deferred[None] = Deferred()

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: ANN401, N802 - as Twisted has it
        """Wait for the addresses."""

    def addressResolved(self, address: Any) -> None:  # noqa: ANN401, N802 - as Twisted has it
        self.addresses.append(address.host)

    def resolutionComplete(self) -> None:  # noqa: N802 - as Twisted has it
        self.complete.callback(None)


class _Receiver:
    """Passes on the addresses of a name that may be reached."""

    def __init__(self, receiver: Any, check: _Check) -> None:  # noqa: ANN401 - of Twisted's interface
        self.resolutionBegan = receiver.resolutionBegan
        self.resolutionComplete = receiver.resolutionComplete
        self._receiver = receiver
        self._check = check

    def addressResolved(self, address: Any) -> None:  # noqa: ANN401, N802 - as Twisted has it
        if self._check.allows(address.host):
            self._receiver.addressResolved(address)


class _Resolver:
    """The reactor's resolver, which checks what it finds where the context says so."""

    def __init__(self, resolver: Any) -> None:  # noqa: ANN401 - of Twisted's interface
        self._resolver = resolver

    def resolveHostName(  # noqa: N802 - as Twisted has it
        self,
        resolutionReceiver: IResolutionReceiver,  # noqa: N803 - as Twisted has it
        *args: Any,  # noqa: ANN401 - as Twisted has it
        **kwargs: Any,  # noqa: ANN401 - as Twisted has it
    ) -> IHostResolution:
        check = _check.get()
        receiver = resolutionReceiver if check is None else _Receiver(resolutionReceiver, check)
        found: IHostResolution = self._resolver.resolveHostName(receiver, *args, **kwargs)
        return found


def _install_resolver() -> None:
    """Check what the reactor resolves; Scrapy may have installed a resolver since the last time."""
    from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

    pluggable: Any = reactor
    if not isinstance(pluggable.nameResolver, _Resolver):
        pluggable.installNameResolver(_Resolver(pluggable.nameResolver))


class _Pool:
    """Twisted's pool of connections, which makes them in the context of their request.

    It replaces a connection that was lost at a time when another context is the current one.
    """

    def __init__(self, pool: Any) -> None:  # noqa: ANN401 - Twisted has no types
        self._pool = pool

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - as above
        return getattr(self._pool, name)

    def getConnection(self, key: Any, endpoint: Any) -> Any:  # noqa: ANN401, N802 - as Twisted has it
        return self._pool.getConnection(key, _InContext(endpoint))


class _InContext:
    """An endpoint that connects in the context in which it was made."""

    def __init__(self, endpoint: Any) -> None:  # noqa: ANN401 - Twisted has no types
        self._endpoint = endpoint
        self._context = copy_context()

    def connect(self, factory: Any) -> Any:  # noqa: ANN401 - as above
        return self._context.run(self._endpoint.connect, factory)
