"""A web server on loopback for a site held in memory: for the demo, and for tests of crawls."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any, TypeAlias

Answer: TypeAlias = "tuple[int, Mapping[str, str], bytes]"
"""HTTP status, headers (``Content-Length`` apart) and body."""

_NOT_FOUND: Answer = (
    HTTPStatus.NOT_FOUND,
    {"Content-Type": "text/html; charset=utf-8"},
    b"<!doctype html><title>Not found</title><h1>There is no page at this address</h1>",
)


@contextmanager
def serve(
    pages: Mapping[str, Answer], *, port: int = 0, asked: list[str] | None = None
) -> Iterator[str]:
    """Serve pages on 127.0.0.1 until the ``with`` block ends.

    Args:
        pages: Path and query, as in the request line, to the answer. A request whose query is not
            known gets the answer of its path alone, one whose path is not known a 404. Read at
            each request, so a test may change it while the server runs.
        port: Port to listen on; 0 takes any free one.
        asked: Gets the path and query of each request appended, in the order of arrival.

    Yields:
        The address of the site without a closing slash: ``http://127.0.0.1:PORT``.
    """
    with running(_Server(pages, port, asked)) as address:
        yield address


@contextmanager
def running(server: TCPServer) -> Iterator[str]:
    """Run a server in a thread until the ``with`` block ends; give its address, without a slash."""
    # Polling twenty times a second: shutdown() waits for the next poll.
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    # A test's crawl may open more connections at once than the default backlog of 5 takes.
    request_queue_size = 64

    def __init__(self, pages: Mapping[str, Answer], port: int, asked: list[str] | None) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.pages = pages
        self.asked = asked

    def answer(self, target: str) -> Answer:
        if self.asked is not None:
            self.asked.append(target)
        return self.pages.get(target) or self.pages.get(target.partition("?")[0]) or _NOT_FOUND

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as in socketserver
        """Stay quiet about clients that went away; they do so whenever a crawl is stopped."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    # Head and body leave in one packet. In two, the second waits for the client's delayed
    # acknowledgement of the first, 40 ms a page.
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        status, headers, body = self.server.answer(self.path)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_HEAD(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as in http.server
        """Write nothing: the crawler reports what it fetched."""
