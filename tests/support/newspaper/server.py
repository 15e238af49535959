"""The newspaper's server: validators, 304s, redirects, and a list of what was asked."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import format_datetime, parsedate_to_datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import xxhash

from crawler.demo.server import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from support.newspaper.pages import Newspaper

__all__ = ["Asked", "serve_newspaper"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request.

    ``day``
        The newspaper's day.
    ``target``
        Path and query.
    ``status``
        Of the answer.
    ``story``
        The number of the article that it is about; ``None`` for other pages.
    ``sent``
        Bytes of the answer's body.
    """

    day: int
    target: str
    status: int
    story: int | None
    sent: int

    @property
    def is_article_body(self) -> bool:
        """Whether the answer was an article, sent whole."""
        return self.status == HTTPStatus.OK and self.story is not None and self.sent > 0


@contextmanager
def serve_newspaper(paper: Newspaper, log: list[Asked]) -> Iterator[str]:
    """Serve a newspaper on 127.0.0.1 until the ``with`` block ends; give its address.

    The address has no closing slash. Each request is appended to ``log`` before it is answered.
    The newspaper's day is read at each request, so it may be set while the server runs.
    """
    with running(_Server(paper, log)) as address:
        yield address


class _Server(ThreadingHTTPServer):
    # A crawl may open more connections at once than the default backlog of 5 takes.
    request_queue_size = 64
    daemon_threads = True

    def __init__(self, paper: Newspaper, log: list[Asked]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.paper = paper
        self.log = log
        self.base = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as in socketserver
        """Stay quiet about clients that went away, as crawls do that are killed."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    # Head and body in one packet: a second one would wait for the client's acknowledgement.
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        paper, path = self.server.paper, self.path.partition("?")[0]
        story = paper.story_at(path)
        found = paper.page(self.path, self.server.base)
        if found is None:
            was_there = story is not None and 0 < story.gone <= paper.day
            # Of what was taken away, the server knows one half.
            is_known = was_there and story is not None and story.number % 2 == 1
            self._answer(HTTPStatus.GONE if is_known else HTTPStatus.NOT_FOUND, {})
            return
        if story is not None and path.endswith("/") and story.number % 2 == 0:
            self._answer(HTTPStatus.MOVED_PERMANENTLY, {"Location": path.rstrip("/")})
            return
        kind, body = found
        changed = paper.changed(self.path)
        headers = {"Content-Type": kind, "Last-Modified": format_datetime(changed, usegmt=True)}
        # Some pages have no ETag.
        if story is None or story.number % 4:
            headers["ETag"] = f'"{xxhash.xxh3_64_hexdigest(body)}"'
        if self._is_known(headers.get("ETag"), changed):
            self._answer(HTTPStatus.NOT_MODIFIED, headers)
        else:
            self._answer(HTTPStatus.OK, headers, body)

    def do_HEAD(self) -> None:
        self.do_GET()

    def _is_known(self, tag: str | None, changed: datetime) -> bool:
        """Say whether the client has the page: RFC 9110, sections 13.1.2 and 13.1.3."""
        if (known := self.headers.get("If-None-Match")) is not None:
            return tag in {each.strip().removeprefix("W/") for each in known.split(",")}
        since = self.headers.get("If-Modified-Since")
        if since is None:
            return False
        try:
            return changed <= parsedate_to_datetime(since)
        except (TypeError, ValueError):
            # A date that is none, or has no zone, is passed over.
            return False

    def _answer(self, status: HTTPStatus, headers: dict[str, str], body: bytes = b"") -> None:
        paper = self.server.paper
        story = paper.story_at(self.path)
        sends = self.command != "HEAD"
        self.server.log.append(
            Asked(
                paper.day,
                self.path,
                int(status),
                None if story is None else story.number,
                len(body) if sends else 0,
            )
        )
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if sends:
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as in http.server
        """Write nothing."""
