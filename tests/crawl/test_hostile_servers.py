"""Servers that hang, drip, lie, or send bombs: the crawl ends, and counts each address."""

from __future__ import annotations

import json
import zlib
from contextlib import suppress
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Event
from typing import TYPE_CHECKING

import pytest

from crawler.demo.server import running
from support.crawling import article

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.crawling import Project

PAGES = [f"/a/{number}" for number in range(4)]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
BOMB_BYTES = 60 << 20


def bomb(window: int) -> bytes:
    """Pack zeros."""
    packer = zlib.compressobj(9, wbits=window)
    return packer.compress(bytes(BOMB_BYTES)) + packer.flush()


ANSWERS = {
    **{page: HEAD + b"\r\n" + article(int(page[-1])).encode() for page in PAGES},
    "/longer": HEAD + b"Content-Length: 99999\r\n\r\n" + article(7).encode(),
    "/shorter": HEAD + b"Content-Length: 40\r\n\r\n" + article(8).encode(),
    "/no-number": HEAD + b"Content-Length: many\r\n\r\n" + article(9).encode(),
    "/chunk": HEAD + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFF\r\n" + article(10).encode(),
    "/gzip-bomb": HEAD + b"Content-Encoding: gzip\r\n\r\n" + bomb(31),
    "/deflate-bomb": HEAD + b"Content-Encoding: deflate\r\n\r\n" + bomb(15),
    "/no-http": b"\0\1\2 what is this?\r\n\r\n",
    "/nothing": b"",
    "/headers": b"HTTP/1.1 200 OK\r\n" + b"X-More: and more\r\n" * 200_000,
}
# What these send never ends.
ENDLESS = {"/hang": b"", "/half": HEAD, "/drip": HEAD + b"\r\n<p>", "/drip-head": b"HTTP/1.1 2"}
INDEX = "".join(f'<a href="{path}">{path}</a> ' for path in (*ANSWERS, *ENDLESS))


class Server(ThreadingTCPServer):
    """A server of all kinds of answers."""

    daemon_threads = True
    allow_reuse_address = True
    over = Event()


class Handler(StreamRequestHandler):
    """Answers one request, and closes."""

    server: Server

    def handle(self) -> None:
        path = self.rfile.readline().split(b" ")[1].decode()
        while self.rfile.readline().strip():
            pass
        with suppress(OSError):
            if path in ENDLESS:
                self.wfile.write(ENDLESS[path])
                while not self.server.over.wait(0.2):
                    if "drip" in path:
                        self.wfile.write(b"0")
            elif path == "/":
                self.wfile.write(HEAD + b"\r\n" + INDEX.encode())
            else:
                self.wfile.write(ANSWERS.get(path, b"HTTP/1.1 404 Not Found\r\n\r\n"))


@pytest.fixture
def site() -> Iterator[str]:
    server = Server(("127.0.0.1", 0), Handler)
    with running(server) as address:
        yield address
        server.over.set()


@pytest.mark.slow
def test_a_crawl_ends_and_counts_each_address(project: Project, site: str) -> None:
    limits = {"DOWNLOAD_TIMEOUT": 3, "RETRY_ENABLED": False, "CONCURRENT_REQUESTS_PER_DOMAIN": 16}
    settings = {
        **limits,
        "CORPUS_CRAWL_REPORT": "report.json",
        "CORPUS_PAGE_TYPES": "all",
        # Each address is asked for at once, however many in a row do not answer.
        "CORPUS_PAUSES": '{"after_errors": 1000}',
    }
    options = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    start = ("-a", f"url={site}/", "-a", "from=links", "-O", "out.jsonl")
    _, err = project.run("crawl", "site", *start, *options)
    assert "Traceback" not in err
    report = json.loads((project.folder / "report.json").read_text("utf-8"))
    stats = report["stats"]
    assert report["reason"] == "finished"
    failed = sum(n for name, n in stats.items() if name.startswith("corpus/failed/"))
    told = stats["corpus/pages/exported"] + stats["corpus/pages/skipped"]
    assert told == stats["corpus/pages/fetched"]
    assert told + failed == len(ANSWERS) + len(ENDLESS) + 1
    exported = {item["url"].removeprefix(site) for item in project.items()}
    assert exported >= set(PAGES)
    assert stats["corpus/failed/timeout"] >= len(ENDLESS)
    # Scrapy notes what the process has held at most.
    assert stats.get("memusage/max", 0) < 400 << 20
