"""Crawls of servers whose answers have slips that browsers forgive."""

from __future__ import annotations

import gzip
import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from crawler.demo.server import running
from support.crawling import Project, Site, article, html, small_site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from crawler.demo.server import Answer

    MakeSite = Callable[[Mapping[str, Answer]], Site]

KINDS = ("text/html, text/html", "text/htm", "TEXT/HTML ;charset=utf-8", "text/xml")


def test_pages_whose_type_has_a_slip_are_pages(project: Project, make_site: MakeSite) -> None:
    pages = small_site(len(KINDS))
    for number, kind in enumerate(KINDS):
        pages[f"/a/{number}"] = html(article(number), kind=kind)
    site = make_site(pages)
    project.run("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl")
    assert {item["url"] for item in project.items()} == {
        site.url, *(f"{site.url}a/{number}" for number in range(len(KINDS)))
    }  # fmt: skip


def test_headers_lead_on_as_elements_do(project: Project, make_site: MakeSite) -> None:
    refresh = {"Content-Type": "text/html", "Refresh": "1; url=/moved"}
    following = {
        "Content-Type": "text/html",
        "Link": '<https://a.example/>; rel=a, </2>; rel="next"',
    }
    site = make_site({
        "/": (200, following, b'<title>List</title><ul><li><a href="/old">An old page</a></ul>'),
        "/2": html('<title>List</title><ul><li><a href="/a/1">Piece 1</a></ul>'),
        "/old": (200, refresh, b"<p>It has moved.</p>"),
        "/moved": html(article(2)),
        "/a/1": html(article(1)),
    })  # fmt: skip
    project.run("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl")
    urls = {item["url"].removeprefix(site.url) for item in project.items()}
    assert {"a/1", "moved"} <= urls
    assert "old" not in urls


@contextmanager
def wrong_lengths() -> Iterator[tuple[str, list[str]]]:
    """Serve pages whose Content-Length is too long, by as much as the query says; or empty."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            body = article(len(self.path)).encode()
            if self.path == "/torn":
                body = body[:-200]
            length = "" if self.path == "/empty" else str(len(body) + 100)
            self.send_response(200)
            if self.path == "/packed":
                body = gzip.compress(body)
                self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", length)
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
            """Keep the test's output quiet."""

    with running(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as address:
        yield address, asked


def test_a_length_that_is_too_long_or_empty(project: Project) -> None:
    with wrong_lengths() as (base, asked):
        addresses = [f"{base}/{name}" for name in ("packed", "whole", "torn", "empty")]
        project.run(
            "crawl", "urls", "-a", f"urls={' '.join(addresses)}", "-O", "out.jsonl",
            *("-s", "RETRY_TIMES=1", "-s", "CORPUS_CRAWL_REPORT=report.json"),
        )  # fmt: skip
    stats = json.loads((project.folder / "report.json").read_text())["stats"]
    urls = [item["url"] for item in project.items()]
    assert sorted(urls) == addresses[:2]
    assert [asked.count(f"/{name}") for name in ("packed", "whole", "torn")] == [1, 1, 2]
    assert stats["corpus/responses/wrong_length"] == 2
    # Half a page is no page; and Twisted reads no answer with an empty header.
    assert stats["corpus/failed/cut-short"] == 1
    assert stats["corpus/failed/connection"] == 1
