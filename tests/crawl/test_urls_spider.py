"""Real crawls of loopback pages with the urls spider, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from crawler.demo.server import running

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]

SETTINGS = """
SPIDER_MODULES = ["crawler.spiders.urls"]
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
RETRY_ENABLED = False
CONCURRENT_REQUESTS = 2
SPIDER_MIDDLEWARES = {"helpers.PagesToItems": 50}
EXTENSIONS = {"helpers.StatsToFile": 0}
"""

HELPERS = """
import json
from scrapy import signals
from scrapy.http import Response


class PagesToItems:
    async def process_spider_output(self, response, result):
        async for one in result:
            yield {"url": one.url} if isinstance(one, Response) else one


class StatsToFile:
    def __init__(self, crawler):
        self.crawler = crawler
        crawler.signals.connect(self.write, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    def write(self):
        figures = self.crawler.stats.get_stats()
        with open("stats.json", "w") as file:
            json.dump({n: v for n, v in figures.items() if n.startswith("corpus/")}, file)
"""


class _Pages(BaseHTTPRequestHandler):
    """Answers every path with a page, ``/moved`` with a redirect to ``/1``; two have wishes."""

    def do_GET(self) -> None:
        body = b"<html><body><p>One page.</p></body></html>"
        if self.path == "/hidden":
            body = b'<meta name="robots" content="noindex">' + body
        self.send_response(301 if self.path == "/moved" else 200)
        if self.path == "/moved":
            self.send_header("Location", "/1")
        if self.path == "/reserved":
            self.send_header("tdm-reservation", "1")
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
        """Keep the test's output quiet."""


@contextmanager
def serving() -> Iterator[str]:
    with running(ThreadingHTTPServer(("127.0.0.1", 0), _Pages)) as address:
        yield address


def crawl(
    project: Path, *arguments: str, spider: str = "urls"
) -> tuple[list[str], dict[str, Any], str, int]:
    """Give the pages' addresses, the corpus figures, the log and the exit code."""
    (project / "scrapy.cfg").write_text("[settings]\ndefault = project\n")
    (project / "project.py").write_text(SETTINGS)
    (project / "helpers.py").write_text(HELPERS)
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "crawl", spider, *arguments, "-O", "pages.jsonl"],
        cwd=project,
        env={"PYTHONPATH": f"{ROOT}:{project}", "PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    pages, stats = project / "pages.jsonl", project / "stats.json"
    lines = pages.read_text().splitlines() if pages.exists() else []
    figures = json.loads(stats.read_text()) if stats.exists() else {}
    return [json.loads(line)["url"] for line in lines], figures, done.stderr, done.returncode


def test_a_list_is_fetched_once_each_and_bad_lines_are_counted(tmp_path: Path) -> None:
    with serving() as base:
        lines = ["\ufeff# pages", "", f"{base}/1", f"{base}/2#part", f"{base}/1?utm_source=x"]
        lines += ["not an address", "ftp://files.example/x", f"{base}/moved"]
        lines += [f"{base}/reserved", f"{base}/hidden"]
        lines += [f"{base}/many/{number}" for number in range(40)]
        (tmp_path / "list.txt").write_text("\n".join(lines), encoding="utf-8")
        respect = ("-s", "CORPUS_RESPECT=noai,tdm")
        pages, figures, log, code = crawl(tmp_path, "-a", "file=list.txt", *respect)
    expected = ["/1", "/2", "/hidden", *(f"/many/{number}" for number in range(40))]
    assert sorted(page.removeprefix(base) for page in pages) == sorted(expected)
    assert figures["corpus/failed/bad-address"] == 2
    # One address is written twice, and one redirects to another of the list.
    assert figures["corpus/cut/duplicate-address"] == 2
    assert figures["corpus/skipped/tdm"] == figures["corpus/robots/noindex"] == 1
    assert figures["corpus/pages/fetched"] == 1
    assert code == 0
    assert "line 6: no web address: not an address" in log
    assert "Traceback" not in log


def test_a_long_list_is_read_as_it_is_fetched(tmp_path: Path) -> None:
    (tmp_path / "few.py").write_text(
        "from crawler.spiders.urls import UrlsSpider\n\n\n"
        "class Few(UrlsSpider):\n"
        "    name = 'few'\n"
        "    read_ahead = 3\n\n"
        "    async def start(self):\n"
        "        async for request in super().start():\n"
        "            assert self._under_way <= 3\n"
        "            self.stats.max_value('corpus/most', self._under_way)\n"
        "            yield request\n"
    )
    with serving() as base:
        lines = [f"{base}/{number}" for number in range(30)]
        # What is dropped, moved or not there makes room too.
        lines[10:10] = [f"{base}/moved", "http://127.0.0.1:1/", "none"] * 3
        (tmp_path / "list.txt").write_text("\n".join(lines))
        pages, figures, _, _ = crawl(
            tmp_path, "-a", "file=list.txt", "-s", "SPIDER_MODULES=few", spider="few"
        )
    assert len(pages) == 30
    assert figures["corpus/most"] == 3
    assert figures["corpus/failed/bad-address"] == 3


@pytest.mark.parametrize("form", ["jsonl", "csv", "urls"])
def test_lists_come_in_several_forms(tmp_path: Path, form: str) -> None:
    with serving() as base:
        records = [{"id": 1, "url": f"{base}/1"}, {"id": 2, "url": f"{base}/2?a=1,2"}]
        if form == "jsonl":
            text = "".join(json.dumps(record) + "\n" for record in [*records, {"no": "url"}])
        else:
            text = "id,URL\n" + "".join(f'{r["id"]},"{r["url"]}"\n' for r in records) + "3\n"
        (tmp_path / f"list.{form}").write_text(text)
        if form == "urls":
            argument = f"urls={records[0]['url']},{records[1]['url']} none"
        else:
            argument = f"file=list.{form}"
        pages, figures, _, _ = crawl(tmp_path, "-a", argument)
        assert sorted(pages) == [f"{base}/1", f"{base}/2?a=1,2"]
    assert figures["corpus/failed/bad-address"] == 1


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("file=missing.txt", "urls: cannot read the list of addresses missing.txt: No such file"),
        ("file=bad.csv", "urls: the list of addresses bad.csv has no column named 'url'"),
        ("urls=", "urls: there is nothing to fetch: give -a file=… or -a urls=…"),
        ("fil=x", "urls: there is no 'fil' (did you mean 'file'?); arguments are: file, urls"),
    ],
)
def test_what_cannot_be_used_is_one_line_and_a_failure(
    tmp_path: Path, option: str, words: str
) -> None:
    (tmp_path / "bad.csv").write_text("address\nhttp://a.example/\n")
    _, _, log, code = crawl(tmp_path, "-a", option, "-s", "LOG_LEVEL=ERROR")
    assert code == 2
    assert log.startswith(f"scrapy crawl: {words}")
    assert log.count("\n") == 1
