"""Crawls of sites whose robots.txt forbids, is missing, late, or cannot be had."""

from __future__ import annotations

import json
import re
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from crawler.demo.server import running
from crawler.middlewares.politeness import user_agent
from support.crawling import Project, Site, html, small_site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from crawler.demo.server import Answer

    MakeSite = Callable[[Mapping[str, Answer]], Site]

RULES: Answer = (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /a/\n")


@pytest.fixture
def obeying(project: Project) -> Project:
    project.append(
        "ownsettings.py",
        "ROBOTSTXT_OBEY = True\nRETRY_TIMES = 1\nDOWNLOAD_MAXSIZE = 99_000\n"
        "CORPUS_PAUSES = {'first': 0.2}",
    )
    return project


@pytest.mark.parametrize(
    ("robots", "why"),
    [
        (html("broken", status=500), "status 500"),
        (html("later", status=503), "status 503"),
        (html("slowly", status=429), "status 429"),
        ((302, {"Location": "/robots.txt"}, b""), "max redirections reached"),
    ],
)
def test_a_site_whose_robots_file_cannot_be_had_is_not_crawled(
    obeying: Project, make_site: MakeSite, robots: Answer, why: str
) -> None:
    site = make_site({**small_site(2), "/robots.txt": robots})
    arguments = ("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl")
    _, err = obeying.run(*arguments, code=1)
    assert set(site.asked) == {"/robots.txt"}
    assert not (obeying.folder / "out.jsonl").exists()
    (line,) = [line for line in err.splitlines() if "is not crawled" in line]
    assert f"WARNING: {site.url.rstrip('/')} is not crawled" in line
    assert why in line
    assert "ROBOTSTXT_OBEY=False" not in err
    assert re.search(r"failed +1 \(robots-unreachable 1\)", err)
    assert "Traceback" not in err

    obeying.run(
        *("crawl", "site", "-a", f"url={site.url}", "-O", "all.jsonl"),
        *("-s", "ROBOTSTXT_OBEY=False"),
    )
    assert len(obeying.items("all.jsonl")) == 3


def test_a_long_robots_file_is_read_as_far_as_robots_have_to(
    obeying: Project, make_site: MakeSite
) -> None:
    rules = b"User-agent: *\nDisallow: /a/0\n" + b"#" * 79 + b"\n"
    body = rules + b"Disallow: /none\n" * 700_000 + b"Disallow: /\n"
    assert len(body) > 10 * 2**20
    site = make_site({**small_site(2), "/robots.txt": html(body, kind="text/plain")})
    obeying.run("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl")
    assert {item["url"] for item in obeying.items()} == {site.url, f"{site.url}a/1"}


@pytest.mark.parametrize(
    "body",
    [
        "\ufeffUser-agent: *\r\nDisallow: /a/\r\n".encode("utf-16-le"),
        "\ufeffUser-agent: *\nDisallow: /a/\n".encode("utf-16-be"),
        b"User-agent: scrapy-corpus/1.0 (any)\nDisallow: /a/\n",
        b"user-agent : Scrapy-Corpus/9\ndisallow: /a/\n\nUser-agent: *\nAllow: /\n",
    ],
)
def test_rules_in_utf16_and_rules_for_a_version(
    obeying: Project, make_site: MakeSite, body: bytes
) -> None:
    site = make_site({**small_site(2), "/robots.txt": html(body, kind="text/plain")})
    obeying.append("ownsettings.py", f"USER_AGENT = {user_agent()!r}")
    obeying.run("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl")
    assert [item["url"] for item in obeying.items()] == [site.url]


def test_a_server_that_is_not_there_has_no_readable_robots_file(obeying: Project) -> None:
    arguments = ("crawl", "site", "-a", "url=http://127.0.0.1:1/", "-O", "out.jsonl")
    _, err = obeying.run(*arguments, code=1)
    assert "http://127.0.0.1:1 does not answer" in err
    assert re.search(r"failed +1 \(refused 1\)", err)
    assert "Traceback" not in err


@pytest.mark.parametrize(("status", "pages"), [(404, 3), (403, 3), (410, 3)])
def test_a_site_without_a_robots_file_has_no_rules(
    obeying: Project, make_site: MakeSite, status: int, pages: int
) -> None:
    # What the page of an error says is no rule.
    robots = html(b"User-agent: *\nDisallow: /\n", status=status)
    site = make_site({**small_site(2), "/robots.txt": robots})
    obeying.run("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl")
    assert len(obeying.items()) == pages


@contextmanager
def late_rules() -> Iterator[tuple[str, list[str]]]:
    """Serve pages at once, and a robots.txt that forbids some of them after a second."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            if self.path == "/robots.txt":
                time.sleep(1)
            body = RULES[2] if self.path == "/robots.txt" else b"<p>A page of its own.</p>"
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
            """Keep the test's output quiet."""

    with running(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as address:
        yield address, asked


def test_all_pages_wait_for_the_rules(obeying: Project) -> None:
    with late_rules() as (base, asked):
        addresses = [f"{base}/a/{n}" for n in range(4)] + [f"{base}/b"]
        _, err = obeying.run(
            *("crawl", "urls", "-a", f"urls={' '.join(addresses)}", "-O", "out.jsonl"),
            *("-s", "CONCURRENT_REQUESTS_PER_DOMAIN=8"),
        )
    assert sorted(asked) == ["/b", "/robots.txt"]
    assert re.search(r"failed +4 \(robots 4\)", err)
    assert [item["url"] for item in obeying.items()] == [f"{base}/b"]


def test_a_project_that_does_without_robots_files_still_does(
    obeying: Project, make_site: MakeSite
) -> None:
    name = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
    site = make_site({**small_site(2), "/robots.txt": RULES})
    off = json.dumps({name: None})
    moved = json.dumps({name: 99})
    for middlewares, pages in ((off, 3), (moved, 1)):
        obeying.run(
            *("crawl", "site", "-a", f"url={site.url}", "-O", "out.jsonl"),
            *("-s", f"DOWNLOADER_MIDDLEWARES={middlewares}"),
        )
        assert len(obeying.items()) == pages
