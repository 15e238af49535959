"""The one way out of the browser: a proxy on loopback under the crawl's guard of addresses.

The browser is told to send everything through it, its own look-ups of names included. The proxy
resolves each name itself, and connects to an address that it has checked: a name that resolves to
something else the next time (DNS rebinding) gains nothing.
"""

from __future__ import annotations

import asyncio
import re
from asyncio import StreamReader, StreamWriter
from contextlib import suppress
from typing import Final
from urllib.parse import SplitResult, urlsplit

from scrapy.crawler import Crawler

from crawler.core.page.page import DEFAULT_PORTS
from crawler.middlewares.address_guard import AddressGuard, PrivateAddressError
from crawler.middlewares.checked_downloads import resolve
from crawler.middlewares.private_addresses import literal_address, origin_of

_USUAL_PORTS: Final = frozenset(DEFAULT_PORTS.values())
_CONNECT_SECONDS: Final = 15.0
_CHUNK: Final = 65_536
_OF_CONNECTION: Final = re.compile(
    rb"^(?:connection|keep-alive|proxy-[a-z\-]+)[ \t]*:.*\r\n", re.IGNORECASE | re.MULTILINE
)
_INTERIM: Final = re.compile(rb"HTTP/1\.[01] 1\d\d\b")
# What is read of a broken connection.
_BROKEN: Final = (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError)


class GuardedProxy:
    """An HTTP proxy for the browser of a crawl, which connects to no private address.

    The guard is that of the crawl (:class:`crawler.middlewares.address_guard.AddressGuard`): the
    same addresses are refused, and counted there. Where a project has switched it off, all
    addresses may be reached.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._guard = crawler.get_downloader_middleware(AddressGuard)
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> str:
        """Listen on a free port of loopback, once; return the address of the proxy."""
        if self._server is None:
            self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return "http://127.0.0.1:{1}".format(*self._server.sockets[0].getsockname())

    async def close(self) -> None:
        """Stop listening, and end all connections."""
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accept(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Serve a connection of the browser: one request, or a tunnel."""
        with suppress(*_BROKEN):
            await self._answer(reader, writer)
        writer.close()

    async def _answer(self, reader: StreamReader, writer: StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        try:
            method, target, is_tunnel = _request_line(head)
        except ValueError:
            writer.write(_refusal(b"400 Bad Request"))
            return
        try:
            there, back = await self._connect(target)
        except PrivateAddressError as error:
            if self._guard is not None:
                self._guard.note_refusal(error)
            writer.write(_refusal(b"403 Forbidden"))
            return
        except OSError:
            writer.write(_refusal(b"502 Bad Gateway"))
            return
        try:
            if is_tunnel:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                answer = _copy(there, writer)
            else:
                back.write(_own_head(head, method, target))
                answer = _copy_answer(there, writer)
            # The end of either direction is that of both.
            both = {asyncio.ensure_future(one) for one in (answer, _copy(reader, back))}
            try:
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for one in both:
                    one.cancel()
                await asyncio.gather(*both, return_exceptions=True)
        finally:
            back.close()

    async def _connect(self, target: SplitResult) -> tuple[StreamReader, StreamWriter]:
        """Connect to the host of an address.

        Raises:
            PrivateAddressError: it may not be reached.
            OSError: it cannot be reached.
        """
        port = target.port or DEFAULT_PORTS["http"]
        host, _ = origin_of("", target.hostname, None)
        reachable = None
        if self._guard is not None and not self._guard.check_host(
            host, 0 if port in _USUAL_PORTS else port
        ):
            reachable = self._guard.reachable
        literal = literal_address(host)
        addresses = [str(literal)] if literal else await resolve(host, reachable)
        for address in addresses:
            with suppress(OSError, TimeoutError):
                return await asyncio.wait_for(
                    asyncio.open_connection(address, port), _CONNECT_SECONDS
                )
        raise OSError(f"{host} cannot be reached")


def _request_line(head: bytes) -> tuple[str, SplitResult, bool]:
    """Return the method of a request to a proxy, its target, and whether it asks for a tunnel.

    Raises:
        ValueError: it is none.
    """
    method, address, _version = head.partition(b"\r\n")[0].decode("ascii").split(" ")
    is_tunnel = method == "CONNECT"
    target = urlsplit(f"//{address}" if is_tunnel else address)
    # Whether a port is one is looked at when it is asked for.
    port = target.port
    if not target.hostname or (is_tunnel and not port):
        raise ValueError("no host")
    if not is_tunnel and target.scheme != "http":
        raise ValueError("no address of a proxy")
    return method, target, is_tunnel


def _own_head(head: bytes, method: str, target: SplitResult) -> bytes:
    """Return the head of a request as a server takes it, whose connection ends with the answer."""
    path = (target.path or "/") + (f"?{target.query}" if target.query else "")
    _, _, fields = head.partition(b"\r\n")
    line = f"{method} {path} HTTP/1.1\r\nConnection: close\r\n".encode("ascii")
    return line + _OF_CONNECTION.sub(b"", fields)


async def _copy_answer(reader: StreamReader, writer: StreamWriter) -> None:
    """Pass an answer on, and say in its head that the connection ends with it.

    The next request of the browser may be meant for another server.
    """
    with suppress(*_BROKEN):
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            if not _INTERIM.match(head):
                break
            writer.write(head)
        status, _, fields = head.partition(b"\r\n")
        fields = _OF_CONNECTION.sub(b"", fields)
        writer.write(status + b"\r\nConnection: close\r\n" + fields)
        await _copy(reader, writer)


async def _copy(reader: StreamReader, writer: StreamWriter) -> None:
    with suppress(*_BROKEN):
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()


def _refusal(status: bytes) -> bytes:
    return b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
