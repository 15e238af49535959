"""A crawl of pages that are hard to read: each gives an item, or a reason counted and logged."""

from __future__ import annotations

import json
import re
import socketserver
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from crawler.demo.server import running
from support.crawling import Project, Site, article, html

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from crawler.demo.server import Answer

    MakeSite = Callable[[Mapping[str, Answer]], Site]

KOREAN = (
    "아침에 방파제까지 걸었다. 바람이 세고 물이 높았다. 점심은 국수였고 저녁에는 등대를 보았다."
)
LIMIT = 10 * 1024 * 1024

STATS = """
class StatsToFile:
    @classmethod
    def from_crawler(cls, crawler):
        import json
        from scrapy import signals

        def write():
            with open("stats.json", "w", encoding="utf-8") as file:
                json.dump(crawler.stats.get_stats(), file, default=str)

        crawler.signals.connect(write, signals.engine_stopped, weak=False)
        return cls()
"""


def sized(size: int) -> bytes:
    """Make a page of exactly as many bytes."""
    head, word = b"<html><body><p>The long page begins. ", b"word after word. "
    return (head + word * (size // len(word)))[:size]


READABLE: dict[str, tuple[Answer, str]] = {
    "/plain": (html(article(1)), "The 1th walk went past house 1"),
    "/deep-50": (html("<div>" * 50 + "Fifty levels down." + "</div>" * 50), "Fifty levels down."),
    "/deep-9000": (
        html("<div>" * 9000 + "Nine thousand levels down."),
        "Nine thousand levels down.",
    ),
    "/near-limit": (html(sized(LIMIT - 100_000)), "The long page begins."),
    "/euc-kr": (html(f"<html><body><p>{KOREAN}</p></body></html>".encode("euc-kr")), KOREAN),
    "/broken": (html(b"<html><p <b>><td>Broken\xff\xfe but here</p></html></html><"), "but here"),
    "/cut-tag": (
        html("<p>Cut in the middle of a tag</p><a href='/x"),
        "Cut in the middle of a tag",
    ),
    "/unclosed": (html("<b><i><p>Nothing is closed" * 3000), "Nothing is closed"),
    "/attributes": (
        html(f"<p {' '.join(f'a{n}=1' for n in range(40_000))}>Too many attributes.</p>"),
        "Too many attributes.",
    ),
    "/base": (html('<base href="http://[bad"><p>On no base at all.</p>'), "On no base at all."),
    "/refresh": (
        html('<meta http-equiv="refresh" content="0; url=http://[bad"><p>Going nowhere.</p>'),
        "Going nowhere.",
    ),
    "/comments": (
        html("<!-- -->" * 1000 + "<p>Behind a thousand comments.</p>"),
        "thousand comments.",
    ),
}
UNREADABLE: dict[str, tuple[Answer, str]] = {
    "/empty": (html(""), "skipped/empty"),
    "/blank": (html(" \n\t"), "skipped/empty"),
    "/binary": (html(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20), "skipped/binary"),
    "/nul": (html(b"\x00" * 5000), "skipped/binary"),
    "/channel": (
        html("<?xml version='1.0'?><rss version='2.0'><channel/></rss>"),
        "skipped/not-html",
    ),
    "/over-limit": (html(sized(LIMIT + 1)), "failed/too-large"),
    "/500": (html("<p>The server failed.</p>", status=500), "failed/http-500"),
    "/404": (html("<p>Nothing here.</p>", status=404), "failed/http-404"),
    "/loop": ((302, {"Location": "/loop"}, b""), "failed/redirect-loop"),
    "/ping": ((302, {"Location": "/pong"}, b""), "failed/redirect-loop"),
    "/hop-0": ((302, {"Location": "/hop-1"}, b""), "failed/redirects"),
    "/mislabelled-gzip": (
        (200, {"Content-Type": "text/html", "Content-Encoding": "gzip"}, b"<p>Never compressed."),
        "failed/content-encoding",
    ),
    "/mislabelled-br": (
        (200, {"Content-Type": "text/html", "Content-Encoding": "br"}, b"<p>Never compressed."),
        "failed/content-encoding",
    ),
}
UNLINKED: dict[str, Answer] = {
    "/pong": (302, {"Location": "/ping"}, b""),
    **{f"/hop-{n}": (302, {"Location": f"/hop-{n + 1}"}, b"") for n in range(1, 30)},
}


@contextmanager
def serve_cut_off() -> Iterator[str]:
    """Serve a page that is announced longer than what comes before the connection closes."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while self.rfile.readline() not in {b"\r\n", b""}:
                pass
            self.wfile.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n"
                b"<html><body><p>The connection is lost in the mid"
            )

    class Server(socketserver.ThreadingTCPServer):
        # A client that sends nothing is not waited for.
        daemon_threads = True

    with running(Server(("127.0.0.1", 0), Handler)) as address:
        yield f"{address}/cut-off"


@pytest.fixture
def counting(project: Project) -> Project:
    project.append("ownpipelines.py", STATS)
    project.append(
        "ownsettings.py", 'EXTENSIONS = {"ownpipelines.StatsToFile": 0}\nRETRY_TIMES = 1'
    )
    return project


def figures(project: Project) -> dict[str, Any]:
    stats: dict[str, Any] = json.loads((project.folder / "stats.json").read_text("utf-8"))
    return {name.removeprefix("corpus/"): value for name, value in stats.items()}


def total(stats: Mapping[str, Any], group: str) -> int:
    return sum(value for name, value in stats.items() if name.startswith(f"{group}/"))


def index_of(paths: list[str]) -> Answer:
    links = "".join(f'<li><a href="{path}">{path}</a></li>' for path in paths)
    return html(f"<html><body><h1>Everything</h1><ul>{links}</ul></body></html>")


def test_every_linked_address_gives_an_item_or_a_reason(
    counting: Project, make_site: MakeSite
) -> None:
    readable = {path: answer for path, (answer, _) in READABLE.items()}
    unreadable = {path: answer for path, (answer, _) in UNREADABLE.items()}
    linked = [*readable, *unreadable]
    site = make_site({"/": index_of(linked), **readable, **unreadable, **UNLINKED})
    with serve_cut_off() as cut_off:
        _, err = counting.run(
            *("crawl", "site", "-a", f"url={site.url} {cut_off}"),
            *("-O", "out.jsonl", "-s", "LOG_LEVEL=DEBUG"),
        )
    stats = figures(counting)
    items = {item["url"]: item for item in counting.items()}

    for path, (_, text) in READABLE.items():
        assert text in items[site.url + path[1:]]["text"], path
    assert items[f"{site.url}euc-kr"]["encoding"] == "cp949"
    assert items.keys() == {site.url, *(site.url + path[1:] for path in READABLE)}

    counted = Counter(reason for _, reason in UNREADABLE.values())
    counted["failed/cut-short"] = 1
    assert {name: stats.get(name) for name in counted} == counted
    reported = ("Skipped (", "Not fetched (", "Left out ")
    lines = [line for line in err.splitlines() if any(words in line for words in reported)]
    # Where one redirect leads to another, the last of them is what was left out.
    named = {"/ping": "/ping", "/hop-0": "/hop-"}
    for path in UNREADABLE:
        assert [line for line in lines if site.url + named.get(path, path)[1:] in line], path
    assert [line for line in lines if cut_off in line]

    # The index, and the page that is cut off, stand beside the linked ones.
    assert len(items) + total(stats, "skipped") + total(stats, "failed") == len(linked) + 2
    assert stats["pages/exported"] == len(items)
    assert stats["pages/skipped"] == total(stats, "skipped")
    for name in (name for name in stats if name.startswith(("skipped/", "failed/"))):
        group, _, reason = name.partition("/")
        assert re.search(rf"{group} .*\b{reason} {stats[name]}\b", err), name
    assert "Traceback" not in err
    assert counting.spools() == []
