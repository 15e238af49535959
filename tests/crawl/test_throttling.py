"""Crawls of sites that ask to be left alone, or are in trouble, and what becomes of them."""

from __future__ import annotations

import json
import re
import socket
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

import pytest

from crawler.demo.server import serve
from support.crawling import TIMEOUT_SETTINGS, Project, article, html, interrupt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crawler.demo.server import Answer

QUICK = {"CORPUS_PAUSES": '{"first": 0.2, "after_errors": 3}', "RETRY_TIMES": 1}

ASKING = """
import json
import scrapy


class Asking(scrapy.Spider):
    name = "asking"

    async def start(self):
        for url in self.urls.split():
            yield scrapy.Request(url, errback=self.failed)

    def parse(self, response):
        pass

    def failed(self, failure):
        error = failure.value
        told = {
            "url": failure.request.url,
            "kind": type(error).__name__,
            "retry_later": getattr(error, "retry_later", False),
            "until": str(getattr(error, "until", None)),
        }
        with open("told.jsonl", "a") as file:
            file.write(json.dumps(told) + "\\n")
"""

INLINE = """
import scrapy


class Inline(scrapy.Spider):
    name = "inline"

    async def start(self):
        yield scrapy.Request(self.page)

    async def parse(self, response):
        got = await self.crawler.engine.download_async(scrapy.Request(self.more))
        self.logger.info("got status %d", got.status)
"""

# It tells how many requests there are in all while it waits.
FEW = """
from crawler.spiders.urls import UrlsSpider
from scrapy.utils.asyncio import call_later


class Few(UrlsSpider):
    name = "few"
    read_ahead = 3

    async def start(self):
        call_later(0.6, self.tell)
        async for request in super().start():
            yield request

    def tell(self):
        self.logger.info("paused with %d requests", self._under_way)
"""


def trouble(status: int, retry_after: object = None) -> Answer:
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return status, {"Content-Type": "text/html", **headers}, b"<p>Not now.</p>"


class Moody(dict[str, "Answer"]):
    """Pages, some of which give other answers at first; notes when each was asked for."""

    def __init__(self, pages: int = 6) -> None:
        super().__init__({f"/a/{n}": html(article(n)) for n in range(pages)})
        self.first: dict[str, list[Answer]] = {}
        self.asked: list[tuple[str, float]] = []

    def get(self, key: str, default: object = None) -> Any:  # noqa: ANN401 - as the parent's
        self.asked.append((key, time.monotonic()))
        before = self.first.get(key)
        return before.pop(0) if before else super().get(key, default)

    def times(self, path: str) -> list[float]:
        return [moment for key, moment in self.asked if key == path]

    def gaps(self) -> list[float]:
        moments = [moment for _, moment in self.asked]
        return [later - earlier for earlier, later in pairwise(moments)]


def site_at(port: int, site: Moody) -> list[str]:
    return [f"http://127.0.0.1:{port}{path}" for path in site]


@contextmanager
def serving(site: Moody, host: str = "127.0.0.1") -> Iterator[list[str]]:
    with serve(site) as base:
        yield [f"{base.replace('127.0.0.1', host)}{path}" for path in site]


def crawl_urls(project: Project, addresses: list[str], code: int = 0, /, **settings: object) -> str:
    options = [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
    urls = f"urls={' '.join(addresses)}"
    # Where all sites are given up, nothing is left.
    call = ("crawl", "urls", "-a", urls, "-O", "out.jsonl", *options)
    return project.run(*call, code=code)[1]


def told(project: Project) -> list[dict[str, object]]:
    return [json.loads(line) for line in (project.folder / "told.jsonl").read_text().splitlines()]


def asked_for(log: str) -> list[str]:
    """Return how long each pause was that a site asked for, as the log tells."""
    return re.findall(r"answers HTTP \d+: paused for (.*?) as it asks", log)


def in_two_seconds() -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=2.5), usegmt=True)


@pytest.mark.parametrize(
    ("status", "asked"), [(429, lambda: "1"), (503, in_two_seconds)], ids=["seconds", "date"]
)
def test_a_site_is_left_alone_for_as_long_as_it_asks(
    project: Project, status: int, asked: Callable[[], str]
) -> None:
    site = Moody()
    with serving(site) as addresses:
        # A date is written when it is asked for: this one is two seconds away or three.
        site.first["/a/2"] = _Made(lambda: trouble(status, asked()))
        log = crawl_urls(
            project,
            addresses,
            AUTOTHROTTLE_ENABLED=True,
            AUTOTHROTTLE_START_DELAY=0,
            # What a site in trouble answers is no page of it, and not kept as one.
            HTTPCACHE_ENABLED=True,
        )
    assert len(project.items()) == 6
    assert len(site.asked) == 7
    number = [path for path, _ in site.asked].index("/a/2")
    assert f"127.0.0.1 answers HTTP {status}: paused for" in log
    (seconds,) = (float(pause.split()[0]) for pause in asked_for(log))
    assert seconds == 1 if status == 429 else 2 <= seconds <= 3
    assert seconds - 0.01 <= site.gaps()[number] <= 60
    assert median(gap for place, gap in enumerate(site.gaps()) if place != number) < 0.9
    assert "127.0.0.1 answers again" in log
    assert re.search(r"pauses +1 of sites in trouble", log)
    assert "failed" not in log


class _Made(list["Answer"]):
    """One answer, made when it is taken."""

    def __init__(self, make: Callable[[], Answer]) -> None:
        super().__init__([trouble(500)])
        self._make = make

    def pop(self, *_: object) -> Answer:  # the first is the only one
        super().pop()
        return self._make()


def test_nobody_waits_for_a_site_that_is_left_alone(project: Project) -> None:
    sleeping, lively = Moody(20), Moody(8)
    sleeping.first["/a/0"] = [trouble(503, 3)]
    with serving(sleeping) as first, serving(lively, "localhost") as second:
        log = crawl_urls(project, first + second, CONCURRENT_REQUESTS=2)
    assert len(project.items()) == 28
    assert asked_for(log) == ["3 s"]
    pause = max(sleeping.gaps())
    assert pause >= 2.99
    pause_ends = sleeping.asked[sleeping.gaps().index(pause) + 1][1]
    asked_before = sum(moment < pause_ends for _, moment in lively.asked)
    assert asked_before == 8, log


def test_a_list_is_read_on_only_as_far_as_ever_while_its_site_is_left_alone(
    project: Project,
) -> None:
    project.append("ownspiders.py", FEW)
    site = Moody(20)
    site.first["/a/2"] = [trouble(503, 1)]
    with serving(site) as addresses:
        _, log = project.run("crawl", "few", "-a", f"urls={' '.join(addresses)}")
    assert re.search(r"20 fetched", log)
    assert int(re.search(r"paused with (\d+) requests", log)[1]) <= 4  # type: ignore[index] # found


def test_a_site_that_others_redirect_to_is_left_alone_by_its_own_name(project: Project) -> None:
    site, other = Moody(1), Moody(9)
    with serving(other, "localhost") as second, serving(site) as first:
        site["/a/0"] = (302, {"Location": second[0]}, b"")
        other.first["/a/0"] = [trouble(503, 1)]
        log = crawl_urls(project, first + second[1:], DOWNLOAD_DELAY=0.05)
    assert "localhost answers HTTP 503: paused for 1 s as it asks" in log
    assert "127.0.0.1 answers HTTP 503" not in log
    assert asked_for(log) == ["1 s"]
    assert max(other.gaps()) >= 0.99
    assert len(project.items()) == 9


def test_what_a_callback_asks_for_waits_as_well(project: Project) -> None:
    project.append("ownspiders.py", INLINE)
    site = Moody(2)
    site.first["/a/1"] = [trouble(429, 1)]
    with serving(site) as (page, more):
        _, log = project.run("crawl", "inline", "-a", f"page={page}", "-a", f"more={more}")
    assert "got status 200" in log
    assert asked_for(log) == ["1 s"]
    assert 0.99 <= site.gaps()[-1] < 60


def test_no_more_is_asked_of_a_site_once_it_asks_for_patience(project: Project) -> None:
    site = Moody(30)
    with serving(site) as addresses:
        site.first = {path: [trouble(429, 1)] for path in list(site)[8:]}
        site.first["/a/7"] = [trouble(429, 1)]
        crawl_urls(
            project, addresses, CONCURRENT_REQUESTS_PER_DOMAIN=4, CORPUS_PAUSES='{"longest": 1}'
        )
    before = [moment for _, moment in site.asked if moment < site.times("/a/7")[0] + 0.8]
    # Those on their way when the first answer came, and no others.
    assert len(before) <= 8 + 4


def test_a_site_that_asks_for_too_much_is_given_up(project: Project) -> None:
    project.append("ownspiders.py", ASKING)
    site = Moody(9)
    site.first["/a/3"] = [trouble(503, 7200)]
    begun = datetime.now(UTC)
    with serving(site) as addresses:
        log = crawl_urls(project, addresses)
        assert len(site.asked) == 4
        site.first["/a/3"] = [trouble(503, 7200)]
        project.run("crawl", "asking", "-a", f"urls={' '.join(addresses)}")
    assert len(project.items()) == 3
    assert re.search(r"failed +6 \(site-left-alone 6\)", log)
    earliest, latest = begun + timedelta(hours=2), datetime.now(UTC) + timedelta(hours=2)
    left_alone = re.search(
        r"left alone +127\.0\.0\.1 answers HTTP 503; .* after (\S+ \S+) UTC", log
    )
    assert left_alone
    told_minute = datetime.fromisoformat(f"{left_alone[1]}Z")
    # The next full minute is told.
    assert earliest <= told_minute <= latest + timedelta(minutes=1)
    assert len(re.findall(r"WARNING: .*", log)) == 1
    assert len(told(project)) == 6
    for error in told(project):
        assert (error["kind"], error["retry_later"]) == ("SiteLeftAloneError", True)
        assert earliest <= datetime.fromisoformat(str(error["until"])) <= latest


@pytest.mark.parametrize("status", [502, 503])
def test_a_site_that_answers_errors_gets_growing_pauses_and_is_given_up(
    project: Project, status: int
) -> None:
    site = Moody(8)
    site.first = {path: [trouble(status)] * 99 for path in site}
    pauses = '{"count": 3, "first": 0.2, "after_errors": 3}'
    with serving(site) as addresses:
        log = crawl_urls(project, addresses, 1, **{**QUICK, "CORPUS_PAUSES": pauses})
    assert project.items() == []
    assert re.findall(r"paused for (\S+) s, pause (\d)", log) == [
        ("0.2", "1"), ("0.4", "2"), ("0.8", "3"),
    ]  # fmt: skip
    # After each of the last three one page is tried.
    for pause, seconds in zip(site.gaps()[-3:], (0.2, 0.4, 0.8), strict=True):
        assert pause >= seconds - 0.01
    assert "HTTP " + str(status) + ", 3 pauses in a row did not help; crawl it again later" in log
    (failed,) = re.findall(r"failed +8 \((.*)\)", log)
    lost = int(found[1]) if (found := re.search(rf"http-{status} (\d)", failed)) else 0
    # What failed before anybody knew that it was the site: nothing, where it says so itself.
    assert lost <= (2 if status == 502 else 0)
    assert f"site-left-alone {8 - lost}" in failed


def test_a_server_that_comes_back_is_crawled_to_the_end(project: Project) -> None:
    site = Moody(8)
    with socket.socket() as kept:
        # A port on which nobody listens, and which nobody else is given.
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind(("127.0.0.1", 0))
        port = kept.getsockname()[1]
        process = project.start(
            *("crawl", "urls", "-a", f"urls={' '.join(site_at(port, site))}", "-O", "out.jsonl"),
            *(word for name, value in QUICK.items() for word in ("-s", f"{name}={value}")),
            # As patient as it takes this test to see that it waits.
            *(
                "-s",
                'CORPUS_PAUSES={"count": 99, "first": 0.2, "longest": 1, "after_errors": 3}',
                "-s",
                "LOG_FILE=log.txt",
            ),
        )
        log = project.folder / "log.txt"
        project.wait_for(lambda: log.exists() and "pause 2 in a row" in log.read_text(), process)
        with serve(site, port=port):
            process.communicate(timeout=60)
    assert process.returncode == 0
    assert "127.0.0.1 refuses connections: paused for 0.2 s" in log.read_text()
    assert "127.0.0.1 answers again" in log.read_text()
    # The first was retried at once, before anybody knew that it was the site.
    assert len(project.items()) >= 7


def test_a_page_that_alone_asks_for_patience_is_given_up_by_itself(project: Project) -> None:
    site = Moody(12)
    site.first["/a/1"] = [trouble(503)] * 99
    with serving(site) as addresses:
        log = crawl_urls(project, addresses, **QUICK)
    assert len(project.items()) == 11
    assert re.search(r"failed +1 \((http-503|site-left-alone) 1\)", log)
    assert len(site.times("/a/1")) <= 6


def test_pages_that_fail_do_not_make_their_site_fail(project: Project) -> None:
    site = Moody(12)
    site.first = {f"/a/{n}": [trouble(500)] * 99 for n in range(0, 12, 2)}
    with serving(site) as addresses:
        log = crawl_urls(project, addresses, CORPUS_PAUSES='{"after_errors": 2}')
    assert len(project.items()) == 6
    assert re.search(r"failed +6 \(http-500 6\)", log)
    assert "paused for" not in log


def test_a_site_is_left_alone_when_its_robots_file_asks_for_it(project: Project) -> None:
    site = Moody(4)
    site["/robots.txt"] = (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /a/3")
    site.first["/robots.txt"] = [trouble(429, 1), trouble(503, 1)]
    with serving(site) as addresses:
        log = crawl_urls(
            project, addresses[:4], ROBOTSTXT_OBEY=True, CORPUS_PAUSES='{"first": 0.1}'
        )
    assert len(project.items()) == 3
    asked = [path for path, _ in site.asked]
    assert asked[:3] == ["/robots.txt"] * 3
    assert sorted(asked[3:]) == ["/a/0", "/a/1", "/a/2"]
    assert asked_for(log) == ["1 s", "1 s"]
    assert min(site.gaps()[:2]) >= 0.99
    assert re.search(r"failed +1 \(robots 1\)", log)


# It hands out all it has; without a delay between them, Scrapy sends several at once.
PLAIN_QUEUE = (
    *("-s", "SCHEDULER_PRIORITY_QUEUE=scrapy.pqueues.ScrapyPriorityQueue"),
    *("-s", "DOWNLOAD_DELAY=0.05"),
)


@pytest.mark.parametrize("how", ["Ctrl-C", "closespider_timeout"])
@pytest.mark.parametrize("queue", [(), PLAIN_QUEUE], ids=["own queue", "another queue"])
def test_a_crawl_that_waits_ends_when_it_is_told_to(
    project: Project, how: str, queue: tuple[str, ...]
) -> None:
    project.append("ownspiders.py", ASKING)
    site = Moody(6)
    site.first["/a/2"] = [trouble(503, 300)]
    project.append("ownsettings.py", TIMEOUT_SETTINGS)
    more = ("-s", "CLOSESPIDER_TIMEOUT=1", "-s", "TIMEOUT_BEGINS_WITH=503")
    with serving(site) as addresses:
        process = project.start(
            *("crawl", "asking", "-a", f"urls={' '.join(addresses)}", *queue),
            *(more if how != "Ctrl-C" else ()),
            *("-s", "LOG_FILE=log.txt", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1"),
        )
        log = project.folder / "log.txt"
        project.wait_for(lambda: log.exists() and "paused for" in log.read_text(), process)
        if how == "Ctrl-C":
            interrupt(process)
        # Long before the pause is over.
        process.communicate(timeout=60)
    assert process.returncode == 0
    assert f"Crawl ended early ({'shutdown' if how == 'Ctrl-C' else how})" in log.read_text()
    assert "Traceback" not in log.read_text()
    assert len(site.asked) == 3


def test_requests_of_another_queue_wait_too(project: Project) -> None:
    site = Moody()
    site.first["/a/2"] = [trouble(429, 1)]
    project.append("ownspiders.py", ASKING)
    with serving(site) as addresses:
        _, log = project.run("crawl", "asking", "-a", f"urls={' '.join(addresses)}", *PLAIN_QUEUE)
    assert len(site.asked) == 7
    assert asked_for(log) == ["1 s"]
    assert max(site.gaps()) >= 0.99
    assert not (project.folder / "told.jsonl").exists()


def test_a_waiting_crawl_goes_on_where_it_was_stopped(project: Project) -> None:
    site = Moody(6)
    site.first["/a/2"] = [trouble(503, 300)]
    with serving(site) as addresses:
        command = (
            *("crawl", "urls", "-a", f"urls={' '.join(addresses)}", "-o", "out.jsonl"),
            *("-s", "JOBDIR=job", "-s", "CORPUS_MODE=streaming"),
        )
        process = project.start(*command, "-s", "LOG_FILE=log.txt")
        log = project.folder / "log.txt"
        project.wait_for(lambda: log.exists() and "paused for" in log.read_text(), process)
        interrupt(process)
        process.communicate(timeout=60)
        project.run(*command)
    assert sorted(item["url"] for item in project.items()) == sorted(addresses)
