"""What leads a crawl to private addresses, and what listens there."""

from __future__ import annotations

import socket
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Names of the public kind, all of which resolve to loopback; one to another address each time.
RESOLVER = """
from twisted.internet.defer import succeed
from scrapy.resolver import CachingThreadedResolver


class Lying(CachingThreadedResolver):
    asked = 0

    def getHostByName(self, name, timeout=()):
        if name == "turning.example":
            self.asked += 1
            return succeed(f"127.0.0.{self.asked}")
        if name.endswith(".example"):
            return succeed("127.0.0.1")
        return super().getHostByName(name, timeout)
"""
HOSTS = (
    *("127.0.0.1", "127.0.0.2", "localhost", "LOCALHOST.", "a.localhost", "2130706433"),
    *("0x7f.1", "0177.0.0.1", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "rebound.example"),
    *("user:pw@127.0.0.1", "127.0.0.1."),
)


def listener() -> socket.socket:
    if socket.has_dualstack_ipv6():
        return socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
    return socket.create_server(("0.0.0.0", 0))


@contextmanager
def datagrams(port: int, met: list[object]) -> Iterator[None]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("0.0.0.0", port))
        receiver.settimeout(0.05)
        is_over = Event()

        def receive() -> None:
            while not is_over.is_set():
                with suppress(TimeoutError):
                    met.append(receiver.recvfrom(2048)[1])

        thread = Thread(target=receive, daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()


@contextmanager
def trap() -> Iterator[tuple[int, list[object]]]:
    """Listen on all addresses of this machine; note each connection, and each datagram."""
    connections: list[object] = []
    with listener() as server, datagrams(server.getsockname()[1], connections):

        def accept() -> None:
            while True:
                try:
                    connection, address = server.accept()
                except OSError:
                    return
                connections.append(address)
                connection.close()

        Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1], connections
        server.shutdown(socket.SHUT_RDWR)
