"""Real crawls of loopback sites with the site spider, each in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from crawler.demo.server import running

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parents[2]

SETTINGS = """
SPIDER_MODULES = ["crawler.spiders.site"]
ROBOTSTXT_OBEY = True
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
DOWNLOAD_MAXSIZE = 200_000
RETRY_ENABLED = False
SPIDER_MIDDLEWARES = {"helpers.PagesToItems": 50}
DOWNLOADER_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "crawler.middlewares.robots.RobotsMiddleware": 100,
}
EXTENSIONS = {"crawler.middlewares.politeness.CrawlDelay": 500, "helpers.StatsToFile": 0}
"""

# What sitemaps and feeds add has tests of its own.
LINKS = ["-a", "from=links"]

HELPERS = """
import json
from scrapy import signals
from scrapy.http import Response


class PagesToItems:
    async def process_spider_output(self, response, result):
        async for one in result:
            yield {"url": one.url, "size": len(one.body)} if isinstance(one, Response) else one


class Dropping:
    async def process_spider_output(self, response, result):
        async for one in result:
            if not one.url.endswith(("/1", "/2")):
                yield one


class StatsToFile:
    def __init__(self, crawler):
        self.crawler = crawler
        crawler.signals.connect(self.write, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    def write(self):
        with open("stats.json", "w") as file:
            json.dump(self.crawler.stats.get_stats(), file, default=str)
"""


@dataclass
class Site:
    """What a loopback server answers, and what it was asked."""

    answers: Mapping[str, Any]
    requests: list[tuple[str, float]] = field(default_factory=list)
    base: str = ""

    def fetched(self, path: str) -> int:
        return [asked for asked, _ in self.requests].count(path)


@contextmanager
def serving(answers: Mapping[str, Any]) -> Iterator[Site]:
    """Serve ``path -> html | (status, headers, body)``; ``{base}`` in text is the site's root."""
    site = Site(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.requests.append((self.path, time.monotonic()))
            status, headers, body = self.answer()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value.replace("{base}", site.base))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            # The crawler gives a large body up.
            with suppress(BrokenPipeError, ConnectionResetError):
                self.wfile.write(body)

        def answer(self) -> tuple[int, dict[str, str], bytes]:
            found = site.answers.get(self.path.partition("?")[0], (404, {}, b""))
            if isinstance(found, str):
                headers = {"Content-Type": "text/html; charset=utf-8"}
                return 200, headers, found.replace("{base}", site.base).encode()
            return found  # type: ignore[no-any-return] # a triple as it is sent

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
            """Keep the test's output quiet."""

    with running(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as site.base:
        yield site


@dataclass(frozen=True)
class Crawl:
    """What a crawl left behind: pages as paths in order, figures, log, exit code."""

    paths: list[str]
    stats: dict[str, Any]
    log: str
    code: int


def crawl(project: Path, site: Site, *arguments: str, spider: str = "site") -> Crawl:
    project.mkdir(exist_ok=True)
    (project / "scrapy.cfg").write_text("[settings]\ndefault = project\n")
    (project / "project.py").write_text(SETTINGS)
    (project / "helpers.py").write_text(HELPERS)
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "crawl", spider, *LINKS, *arguments, "-O", "pages.jsonl"],
        cwd=project,
        env={"PYTHONPATH": f"{ROOT}:{project}", "PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    pages, stats = project / "pages.jsonl", project / "stats.json"
    lines = pages.read_text().splitlines() if pages.exists() else []
    return Crawl(
        paths=[json.loads(line)["url"].removeprefix(site.base) for line in lines],
        stats=json.loads(stats.read_text()) if stats.exists() else {},
        log=done.stderr,
        code=done.returncode,
    )


def page(*links: str, head: str = "") -> str:
    anchors = "".join(f'<a href="{link}">to {link}</a>' for link in links)
    return f"<html><head>{head}</head><body><p>A page of its own.</p>{anchors}</body></html>"


def test_each_page_is_handed_over_once_and_everything_else_is_counted(tmp_path: Path) -> None:
    answers: dict[str, Any] = {
        "/robots.txt": (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /closed"),
        "/": page("/a?utm_source=home", "/b#top", "/a", "/missing", "/moved", "/closed/x", "/big"),
        "/a": page("/", "b", "/a?fbclid=1", "mailto:a@b.example", "http://elsewhere.invalid/"),
        "/b": page("/plain", "/away", "/photo.jpg", "/broken", "/한국"),
        "/moved": (301, {"Location": "/a?gclid=2"}, b""),
        "/away": (302, {"Location": "http://localhost:1/"}, b""),
        "/plain": (200, {"Content-Type": "application/pdf"}, b"%PDF-1.4"),
        "/big": (200, {"Content-Type": "text/html"}, b"x" * 300_000),
        "/broken": (503, {"Content-Type": "text/html"}, b"later"),
        "/%ED%95%9C%EA%B5%AD": page("/b"),
    }
    with serving(answers) as site:
        done = crawl(tmp_path, site, "-a", f"url={site.base}")
    assert sorted(done.paths) == ["/", "/%ED%95%9C%EA%B5%AD", "/a", "/b"]
    assert done.code == 0
    assert "Traceback" not in done.log
    counted = {name: value for name, value in done.stats.items() if name.startswith("corpus/")}
    assert counted == {
        "corpus/cut/file-type": 1,
        "corpus/discovery/found/link": 10,
        "corpus/failed/http-404": 1,
        "corpus/failed/http-503": 1,
        "corpus/failed/robots": 1,
        "corpus/failed/refused": 1,
        "corpus/failed/too-large": 1,
        "corpus/pages/fetched": 2,
        "corpus/pages/skipped": 2,
        "corpus/skipped/duplicate-address": 1,
        "corpus/skipped/not-html": 1,
    }
    assert site.fetched("/a") == 1
    assert site.fetched("/photo.jpg") == 0
    assert f"Not fetched (http-404): {site.base}/missing" in done.log


def test_a_site_is_walked_breadth_first_up_to_the_depth(tmp_path: Path) -> None:
    answers = {
        "/": page("/1", "/2"),
        "/1": page("/1/1", "/1/2"),
        "/2": page("/2/1"),
        "/1/1": page("/1/1/1"),
        "/1/2": page(),
        "/2/1": page(),
        "/1/1/1": page("/1/1/1/deep"),
        "/1/1/1/deep": page(),
    }
    with serving(answers) as site:
        done = crawl(
            tmp_path,
            site,
            "-a",
            f"url={site.base}",
            "-a",
            "max_depth=3",
            "-s",
            "CONCURRENT_REQUESTS=1",
        )
    assert done.paths == ["/", "/1", "/2", "/1/1", "/1/2", "/2/1", "/1/1/1"]
    assert done.stats["corpus/cut/depth"] == 1
    assert "-a max_depth=0 lifts the limit" in done.log


def test_the_page_limit_is_exact_and_fetches_nothing_beyond_it(tmp_path: Path) -> None:
    answers: dict[str, Any] = {f"/{number}": page(f"/{number}/x") for number in range(3, 30)}
    # Pages that give nothing make room for later ones.
    answers["/1"] = (404, {}, b"")
    answers["/2"] = (200, {"Content-Type": "image/png"}, b"\x89PNG")
    answers["/3"] = (302, {"Location": "/4"}, b"")
    answers["/"] = page(*(f"/{number}" for number in range(1, 30)))
    with serving(answers) as site:
        done = crawl(tmp_path, site, "-a", f"url={site.base}/", "-a", "max_pages=7")
    assert len(done.paths) == 7
    assert len(set(done.paths)) == 7
    asked = [path for path, _ in site.requests if path != "/robots.txt"]
    assert len(asked) <= 7 + 4
    assert done.stats["corpus/cut/page-limit"] > 20
    assert done.log.count("-a max_pages=0 lifts the limit") == 1
    assert done.stats["finish_reason"] == "finished"


def test_requests_that_another_component_drops_do_not_hold_the_crawl_up(tmp_path: Path) -> None:
    answers = {"/": page(*(f"/{number}" for number in range(1, 12)))}
    answers |= {f"/{number}": page() for number in range(1, 12)}
    dropping = 'SPIDER_MIDDLEWARES={"helpers.Dropping": 60, "helpers.PagesToItems": 50}'
    with serving(answers) as site:
        options = ["-s", dropping, "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1"]
        done = crawl(tmp_path, site, "-a", f"url={site.base}", *options)
    assert len(done.paths) == 12 - 2
    assert done.stats["corpus/failed/dropped"] == 2
    assert "requests were dropped by another component" in done.log


def test_patterns_choose_what_is_followed(tmp_path: Path) -> None:
    answers = {
        "/": page("/post/1", "/tag/x", "/post/2?print=1"),
        "/post/1": page("/post/3"),
        "/post/3": page("/about"),
        "/tag/x": page(),
    }
    with serving(answers) as site:
        done = crawl(
            tmp_path, site, "-a", f"url={site.base}", "-a", "allow=/post/", "-a", "deny=print="
        )
    assert sorted(done.paths) == ["/", "/post/1", "/post/3"]
    assert done.stats["corpus/cut/allow"] == 2
    assert done.stats["corpus/cut/deny"] == 1


def test_traps_are_cut_and_the_log_says_how_to_lift_the_limit(tmp_path: Path) -> None:
    answers = {"/": page("/a/a/a/a/", "/x?a=1&b=2&c=3", "/private", "/1/2/3/4/5/6")}
    answers["/"] = answers["/"].replace('<a href="/private"', '<a rel="nofollow" href="/private"')
    with serving(answers) as site:
        options = ["-a", f"url={site.base}", "-a", "max_query=2", "-a", "max_path_depth=5"]
        done = crawl(tmp_path, site, *options)
    assert done.paths == ["/"]
    cut = {name: value for name, value in done.stats.items() if name.startswith("corpus/cut")}
    assert cut == {
        "corpus/cut/nofollow": 1,
        "corpus/cut/path-depth": 1,
        "corpus/cut/query": 1,
        "corpus/cut/repeated-path": 1,
    }
    for argument in ("max_query=0", "max_path_depth=0", "max_repeats=0", "follow_nofollow=true"):
        assert f"-a {argument}" in done.log


def test_without_a_network_it_is_said_that_there_is_none(tmp_path: Path) -> None:
    with serving({"/": page()}) as site:
        options = ["-s", 'DOWNLOAD_HANDLERS={"http": null}', "-s", "ROBOTSTXT_OBEY=False"]
        done = crawl(tmp_path, site, "-a", f"url={site.base}", *options)
    assert done.stats["corpus/failed/network-off"] == 1
    assert site.requests == []


def test_the_host_a_start_page_redirects_to_is_part_of_the_site(tmp_path: Path) -> None:
    with serving({"/": page("/x"), "/x": page()}) as new:
        moved = {"/": (301, {"Location": f"{new.base}/"}, b"")}
        with serving(moved) as old:
            done = crawl(tmp_path, new, "-a", f"url={old.base}")
    assert done.paths == ["/", "/x"]


def test_two_sites_have_a_page_limit_each(tmp_path: Path) -> None:
    links = page(*(f"/{number}" for number in range(9)))
    answers = {f"/{number}": page() for number in range(9)} | {"/": links}
    with serving(answers) as one, serving(answers) as two:
        done = crawl(tmp_path, one, "-a", f"url={one.base} {two.base}", "-a", "max_pages=4")
    assert len(done.paths) == 8
    assert sum(path.startswith("/") for path in done.paths) == 4


def test_a_paused_crawl_goes_on_where_it_stopped(tmp_path: Path) -> None:
    answers = {f"/{number}": page(f"/{number + 1}", "/") for number in range(12)}
    answers["/"] = page("/0")
    with serving(answers) as site:
        options = ["-a", f"url={site.base}", "-s", f"JOBDIR={tmp_path}/job"]
        options += ["-s", "CONCURRENT_REQUESTS=1"]
        first = crawl(tmp_path, site, *options, "-s", "CLOSESPIDER_PAGECOUNT=4")
        second = crawl(tmp_path, site, *options)
    assert 3 <= len(first.paths) < 13
    assert sorted(first.paths + second.paths) == sorted(answers)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (
            "ur=x",
            "site: there is no 'ur' (did you mean 'url'?); arguments are: url, ",
        ),
        ("max_pages=ten", "site: max_pages is 'ten'. It accepts a whole number"),
        ("url=no address", "site: url=no is no web address"),
    ],
)
def test_a_wrong_argument_is_one_line_and_a_failure(
    tmp_path: Path, option: str, words: str
) -> None:
    done = crawl(tmp_path, Site({}), "-a", option, "-s", "LOG_LEVEL=ERROR")
    assert done.code == 2
    assert done.log.startswith(f"scrapy crawl: {words}")
    assert done.log.count("\n") == 1


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ("Crawl-delay: 0.3", "asks in robots.txt for 0.3 seconds"),
        ("Request-rate: 10/3", "asks in robots.txt for 0.3 seconds"),
        ("Crawl-delay: 900", "keeping to 0.3"),
    ],
)
def test_the_pace_a_site_asks_for_is_kept(tmp_path: Path, wish: str, words: str) -> None:
    robots = f"User-agent: *\n{wish}\n".encode()
    answers: dict[str, Any] = {
        "/robots.txt": (200, {"Content-Type": "text/plain"}, robots),
        "/": page("/1", "/2", "/3"),
        "/1": page(),
        "/2": page(),
        "/3": page(),
    }
    with serving(answers) as site:
        # AutoThrottle alone would go down to no delay at all on so fast a server.
        options = ["-s", "AUTOTHROTTLE_ENABLED=1", "-s", "AUTOTHROTTLE_START_DELAY=0.01"]
        options += ["-s", "AUTOTHROTTLE_MAX_DELAY=0.3"]
        done = crawl(tmp_path, site, "-a", f"url={site.base}", *options)
    assert len(done.paths) == 4
    times = [at for _, at in site.requests]
    # A busy server notes some requests late. The first apart, that shortens no sum.
    assert min(later - earlier for earlier, later in pairwise(times)) > 0.1
    assert times[-1] - times[0] > 0.3 * (len(times) - 1) - 0.1
    assert words in done.log
