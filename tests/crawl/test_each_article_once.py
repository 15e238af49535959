"""Boards, frames, twins by address and sites without an end: each article is exported once."""

from __future__ import annotations

import json
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from crawler.demo.server import Answer, running, serve
from support.crawling import Project, article, html

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from support.crawling import Site

ARTICLES = 66
ON_A_LIST = 6
LISTS = ARTICLES // ON_A_LIST
QUICK = ("-s", "CONCURRENT_REQUESTS_PER_DOMAIN=4", "-s", "ROBOTSTXT_OBEY=False")

# List and article of each kind of board; the article has the page of the list that leads to it.
BOARDS = {
    "gnuboard": ("/bbs/board.php?bo_table=free&page={page}", "&wr_id={number}"),
    "xe": ("/index.php?mid=free&page={page}", "&document_srl={number}"),
    "asp": ("/list.asp?page={page}", "/view.asp?idx={number}&page={page}"),
    "php": ("/list.php?id=7&page={page}&sort=no", "/read.php?id=7&no={number}&page={page}&sort=no"),
    "menu": ("/sub.php?id=12&page={page}", "&bno={number}"),
    "phpbb": ("/viewforum.php?f=2&start={page}", "/viewtopic.php?f=2&t={number}&start={page}"),
    "zeroboard": (
        "/zboard.php?id=free&page={page}&sn=off&ss=on&sc=on&sort_index=no&order=asc",
        "/view.php?id=free&page={page}&sn=off&ss=on&sc=on&keyword=&sort_index=no&no={number}",
    ),
    "cgi": (
        "/board.cgi?db=free&page={page}",
        "/board.cgi?db=free&mode=read&num={number}&page={page}",
    ),
    "blog": ("/?paged={page}", "/?p={number}"),
    "category": ("/?cat=3&paged={page}", "&p={number}"),
    "rewritten": ("/bbs/free?page={page}", "/bbs/free/{number}?page={page}"),
}
NUMBERS = ("wr_id", "document_srl", "idx", "no", "bno", "t", "p", "num")


def crawled(
    project: Project, url: str, *options: str, code: int = 0
) -> tuple[list[str], dict[str, Any]]:
    """Crawl a site by its links; return the addresses of the items, and the figures that add up."""
    report = project.folder / "report.json"
    project.run(
        *("crawl", "site", "-a", f"url={url}", "-a", "from=links", "-O", "out.jsonl", *QUICK),
        *("-s", f"CORPUS_CRAWL_REPORT={report}", *options),
        code=code,
    )
    figures: dict[str, Any] = json.loads(report.read_text("utf-8"))["stats"]
    addresses = [item["url"] for item in project.items()]
    skipped = sum(n for name, n in figures.items() if name.startswith("corpus/skipped/"))
    assert figures["corpus/pages/fetched"] == len(addresses) + skipped
    assert len(set(addresses)) == len(addresses)
    return addresses, figures


class Board(dict[str, Answer]):
    """A board whose articles show the list below them, as most of them do."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.list, own = BOARDS[name]
        self.article = own if own.startswith("/") else self.list + own

    def get(self, key: str, default: Answer | None = None) -> Answer | None:  # type: ignore[override] # of the one use
        parts = urlsplit(key)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        last = parts.path.rpartition("/")[2]
        found = [int(query[name]) for name in NUMBERS if name in query]
        number = found[0] if found else int(last) if last.isdigit() else None
        state = query.get("page") or query.get("start") or query.get("paged")
        if key == "/":
            return html(f'<a href="{self.list.format(page=1)}">Board</a>')
        if number is None:
            return html(self.listing(int(state or 1)))
        page = int(state or (ARTICLES - number) // ON_A_LIST + 1)
        return html(article(number, self.listing(page))) if number <= ARTICLES else default

    def listing(self, page: int) -> str:
        first = ARTICLES - (page - 1) * ON_A_LIST
        # Articles of other pages are linked as well, with the number of this one.
        numbers = [*range(first, first - ON_A_LIST, -1), ARTICLES, 1, 1 + page * 7 % ARTICLES]
        links = [self.article.format(number=number, page=page) for number in numbers]
        links += [self.list.format(page=number) for number in range(1, LISTS + 1)]
        return "".join(f'<a href="{link.replace("&", "&amp;")}">{link}</a> ' for link in links)


@pytest.mark.parametrize("name", BOARDS)
def test_a_board_gives_each_article_once(project: Project, name: str) -> None:
    with serve(Board(name)) as base:
        addresses, _ = crawled(project, f"{base}/", "-s", "CORPUS_PAGE_TYPES=all")
    found = (re.search(r"number (\d+) of", item["title"] or "") for item in project.items())
    assert sorted(int(each[1]) for each in found if each) == list(range(1, ARTICLES + 1))
    assert len(addresses) >= ARTICLES


def test_the_further_pages_of_a_thread_are_fetched(
    project: Project, make_site: Callable[[Mapping[str, Answer]], Site]
) -> None:
    thread = "/viewtopic.php?f=2&amp;t=7"
    pager = "".join(f'<a href="{thread}&amp;start={start}">x</a>' for start in (10, 20))
    site = make_site(
        {
            "/": html(f'<a href="{thread}&amp;start=20">last post</a>'),
            "/viewtopic.php?f=2&t=7": html(article(1, pager)),
            "/viewtopic.php?f=2&start=10&t=7": html(article(2, pager)),
            "/viewtopic.php?f=2&start=20&t=7": html(article(3, pager)),
        }
    )
    addresses, _ = crawled(project, site.url)
    assert len([address for address in addresses if "viewtopic" in address]) == 3


def test_frames_and_backslashes_lead_to_pages(
    project: Project, make_site: Callable[[Mapping[str, Answer]], Site]
) -> None:
    many = "&".join(f"{name}=x" for name in sorted(("blogId", *"abcdefghij")))
    frame = f"/PostView.naver?{many}&logNo=7"
    site = make_site(
        {
            "/": html(f'<iframe id="mainFrame" src="{frame.replace("&", "&amp;")}"></iframe>'),
            frame: html(article(1, '<a href="\\old\\frames.html?a=\\">x</a>')),
            "/old/frames.html?a=%5C": html('<frameset><frame src="story.html"></frameset>'),
            "/old/story.html": html(article(2)),
        }
    )
    addresses, figures = crawled(project, site.url)
    assert sorted(address.rpartition("/")[2].partition("?")[0] for address in addresses) == [
        "PostView.naver",
        "story.html",
    ]
    # The front page and the frame set have no text.
    assert figures["corpus/skipped/no-text"] == 2


def test_a_site_that_answers_everything_with_one_page_ends(project: Project) -> None:
    links = "".join(f'<a href="part{number}/">x</a>' for number in range(6))
    text = "<p>The same words at every address of this server, whatever was asked for.</p>" * 5

    class Endless(dict[str, Answer]):
        def get(self, key: str, _: object = None) -> Answer | None:  # type: ignore[override] # of the one use
            return html(text + links if "texts" in key else links)

    with serve(Endless()) as base:
        empty, figures = crawled(project, f"{base}/", code=1)
        assert empty == []
        assert figures["corpus/pages/fetched"] < 200
        assert figures["corpus/skipped/copies"] > 20
        _, figures = crawled(project, f"{base}/texts/", "-a", "max_copies=5", code=1)
    assert figures["corpus/pages/fetched"] < 60


def test_a_site_whose_pages_differ_in_a_counter_alone_ends(project: Project) -> None:
    asked = count()

    class Endless(dict[str, Answer]):
        def get(self, key: str, _: object = None) -> Answer | None:  # type: ignore[override] # of the one use
            number = next(asked)
            links = "".join(f'<a href="/room-{number * 6 + n}/">x</a>' for n in range(6))
            named = '<a href="/a/1">x</a><a href="/a/2">x</a>' if key == "/" else ""
            own = article(int(key[-1])) if key.startswith("/a/") else ""
            return html(own or f"<p>You are visitor {number} of this house.</p>{links}{named}")

    with serve(Endless()) as base:
        addresses, figures = crawled(
            project, f"{base}/", "-a", "max_alike=30", "-a", "max_pages=0",
            *("-s", "CORPUS_PAGE_TYPES=article", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=8"),
        )  # fmt: skip
    assert sorted(address.removeprefix(base) for address in addresses) == ["/a/1", "/a/2"]
    assert figures["corpus/skipped/alike"] > 100
    assert figures["corpus/pages/fetched"] < 500


def test_eight_addresses_of_one_article_are_one_item(
    project: Project, make_site: Callable[[Mapping[str, Answer]], Site]
) -> None:
    paths = [f"/{name}/the-heron" for name in "abcdefgh"]
    head = '<link rel="canonical" href="/stories/heron">'
    pages = {path: html(head + article(40)) for path in paths}
    pages["/"] = html("".join(f'<a href="{path}">x</a>' for path in [*paths, "/1", "/2", "/3"]))
    pages |= {f"/{number}": html(article(number)) for number in range(1, 4)}
    addresses, figures = crawled(project, make_site(pages).url, "-a", "allow=/")
    assert len([address for address in addresses if "heron" in address]) == 1
    assert figures["corpus/skipped/duplicate-address"] == 7
    assert len([address for address in addresses if address[-1] in "123"]) == 3


def test_where_a_reader_came_from_makes_no_further_article(
    project: Project, make_site: Callable[[Mapping[str, Answer]], Site]
) -> None:
    hints = ["", "?from=main", "?ncid=x1", "?ref=home", "?spm=1001.2014.3001", "?utm_source=a"]
    links = "".join(f'<a href="/story{hint}">x</a>' for hint in hints)
    site = make_site(
        {"/": html(f"{links}<a href='/list?from=20'>x</a>"), "/story": html(article(1))}
    )
    addresses, _ = crawled(project, site.url)
    assert [address.rpartition("/")[2] for address in addresses] == ["story"]
    assert "/list?from=20" in site.asked
    addresses, _ = crawled(project, site.url, "-a", "ignore=spm,ncid")
    assert {address.rpartition("/")[2] for address in addresses} == {
        "story",
        "story?from=main",
        "story?ref=home",
    }


def test_an_article_whose_plain_address_has_none_is_asked_for_as_it_was_linked(
    project: Project, make_site: Callable[[Mapping[str, Answer]], Site]
) -> None:
    linked = [
        *("/gone?from=a", "/missing?from=b", "/home?from=c&id=3", "/closed?from=d", "/both?from=e"),
        *("/dead?from=f", "/shut?ref=g", "/moved?from=h"),
    ]
    pages = {path: html(article(number)) for number, path in enumerate(linked[:5])}
    pages["/"] = html("".join(f'<a href="{path.replace("&", "&amp;")}">x</a>' for path in linked))
    pages["/gone"] = html("", 410)
    # Redirects to a page that came before, to another site, to one that is no article.
    pages["/home?id=3"] = 302, {"Location": "/"}, b""
    pages["/closed"] = pages["/shut"] = 302, {"Location": "/login"}, b""
    pages["/login"] = html("<form><input name=user><input type=password></form>")
    pages["/both"] = pages["/both?from=e"]
    # To the article itself.
    pages["/2024/05/01/moved"] = pages["/moved?from=h"] = html(article(9))
    pages["/moved"] = 301, {"Location": "/2024/05/01/moved"}, b""
    site = make_site(pages)
    addresses, _ = crawled(project, site.url)
    found = sorted(f"/{address.rpartition('/')[2]}" for address in addresses)
    assert found == sorted([*linked[:4], "/both", "/moved"])
    for path in (*linked[:4], "/dead?from=f", "/shut?ref=g"):
        assert site.asked.count(path) == 1
    assert not {"/both?from=e", "/moved?from=h"} & {*site.asked}


def test_dead_links_count_against_the_limit(
    project: Project, make_site: Callable[[Mapping[str, Answer]], Site]
) -> None:
    links = "".join(f'<a href="/dead/{number}">x</a>' for number in range(400))
    site = make_site({"/": html(links)})
    _, figures = crawled(project, site.url, "-a", "max_pages=50", code=1)
    assert len(site.asked) <= 1 + 100 + 5
    assert figures["corpus/failed/http-404"] == len(site.asked) - 1
    assert figures["corpus/cut/page-limit"] == 400 - figures["corpus/failed/http-404"]


def test_translations_are_followed_where_they_are_wanted(
    project: Project, make_site: Callable[[Mapping[str, Answer]], Site]
) -> None:
    head = '<link rel="alternate" hreflang="ko" href="/ko/story">'
    site = make_site(
        {"/": html('<a href="/story">x</a>'), "/story": html(head + article(1))}
        | {"/ko/story": html(article(2))}
    )
    assert len(crawled(project, site.url)[0]) == 1
    assert len(crawled(project, site.url, "-a", "translations=true")[0]) == 2


class Cookies(dict[str, Answer]):
    """A site whose articles set a cookie, or sort their parameters, before they show."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def get(self, key: str, default: Answer | None = None) -> Answer | None:  # type: ignore[override] # of the one use
        self.asked.append(key)
        if key == "/":
            return html(
                '<a href="/cookie">x</a><a href="/v?a=1&amp;b=2">x</a><a href="/loop">x</a>'
            )
        if key == "/loop" or (key == "/cookie" and self.asked.count(key) == 1):
            return 302, {"Location": key, "Set-Cookie": "seen=1"}, b""
        if key == "/v?a=1&b=2":
            return 302, {"Location": "/v?b=2&a=1"}, b""
        return {"/cookie": html(article(1)), "/v?b=2&a=1": html(article(2))}.get(key, default)


def test_a_redirect_back_to_the_same_address_is_followed(project: Project) -> None:
    site = Cookies()
    with serve(site) as base:
        addresses, figures = crawled(project, f"{base}/")
    assert sorted(urlsplit(address).path for address in addresses) == ["/cookie", "/v"]
    assert figures["corpus/failed/redirect-loop"] == 1
    assert site.asked.count("/loop") == 2


class AnyHost(ThreadingHTTPServer):
    """A proxy that answers for the hosts of a site itself."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), AnyHostHandler)
        self.asked: list[tuple[str, float]] = []


class AnyHostHandler(BaseHTTPRequestHandler):
    server: AnyHost

    def do_GET(self) -> None:
        self.server.asked.append((self.path, time.monotonic()))
        path = urlsplit(self.path).path
        hosts = ("http://news.example", "http://www.news.example")
        links = "".join(f'<a href="{host}/{n}">x</a>' for n in range(4) for host in hosts)
        body = article(int(path[1:])) if path[1:].isdigit() else links
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
        """Keep the test's output quiet."""


def test_a_site_with_and_without_www_is_crawled_once_and_at_one_pace(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = AnyHost()
    with running(server) as base:
        monkeypatch.setenv("http_proxy", base)
        addresses, _ = crawled(
            project, "http://news.example/", "-s", "DOWNLOAD_DELAY=0.4",
            "-s", "RANDOMIZE_DOWNLOAD_DELAY=False",
        )  # fmt: skip
    assert sorted(urlsplit(address).path for address in addresses) == ["/0", "/1", "/2", "/3"]
    times = [at for _, at in server.asked]
    # A busy server notes some requests late.
    assert times[-1] - times[0] > 0.4 * (len(times) - 1) - 0.2


def test_articles_whose_addresses_seem_to_be_lists_are_exported(
    project: Project, make_site: Callable[[Mapping[str, Answer]], Site]
) -> None:
    paths = [f"/view?tag=t{number % 3}&title=piece-{number}" for number in range(40)]
    lists = [paths[first : first + 8] for first in range(0, 40, 8)]
    pages = {path: html(article(number)) for number, path in enumerate(paths)}
    for number, named in enumerate(lists):
        following = f"/list?tag=all&part={number + 1}"
        pages[f"/list?part={number}&tag=all"] = html(
            "".join(f'<li><a href="{path}">x</a></li>' for path in [*named, following])
        )
    site = make_site({"/": html('<a href="/list?part=0&tag=all">all</a>'), **pages})
    addresses, _ = crawled(project, site.url)
    assert sorted(f"/{address.rpartition('/')[2]}" for address in addresses) == sorted(paths)
