"""Discovery on a made newspaper: sitemaps, feeds, lists and traps, crawled and listed."""

from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING

import pytest

from support.crawling import article, html

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.demo.server import Answer
    from support.crawling import Project, Site

XML = "application/xml"
# Articles 1 to 40, one a day from the first of May; the sitemaps name 11 to 40, the lists all.
DAYS = {n: f"2026-05-{n:02}" if n <= 31 else f"2026-06-{n - 31:02}" for n in range(1, 41)}
FEED_LINK = '<link rel="alternate" type="application/rss+xml" href="/blog.rss">'

FEED_ALONE = "/notes/feed-alone-is-this-one"
MONTHS = range(1, 13)


def path_of(number: int) -> str:
    return f"/{DAYS[number].replace('-', '/')}/a-walk-past-house-{number}"


def anchors(*paths: str) -> str:
    return "".join(f'<li><a href="{path}">{path}</a></li>' for path in paths)


def listing(*paths: str, head: str = "") -> Answer:
    title = f"<head><title>List</title>{head}</head>"
    return html(f"<html>{title}<body>{anchors(*paths)}</body></html>")


def urlset(base: str, numbers: range, extra: str = "") -> Answer:
    urls = "".join(
        f"<url><loc>{base}{path_of(n)}</loc><lastmod>{DAYS[n]}</lastmod></url>" for n in numbers
    )
    return html(f"<urlset>{urls}{extra}</urlset>", kind=XML)


def index(base: str) -> Answer:
    maps = {
        "old.xml": "2026-05-20", "new.xml.gz": "2026-06-08", "broken.xml": "2026-06-09",
        "absent.xml": "2026-06-09", "index.xml": "2026-06-09",
    }  # fmt: skip
    named = "".join(
        f"<sitemap><loc>{base}/{name}</loc><lastmod>{day}</lastmod></sitemap>"
        for name, day in maps.items()
    )
    return html(f"<sitemapindex>{named}</sitemapindex>", kind=XML)


def news(base: str, numbers: range) -> Answer:
    urls = "".join(
        f'<url><loc>{base}{path_of(n)}</loc><news:news xmlns:news="x"><news:publication_date>'
        f"{DAYS[n]}T0{n - 36}:00:00Z</news:publication_date><news:title>Walk {n}</news:title>"
        "</news:news></url>"
        for n in numbers
    )
    return html(f"<urlset>{urls}</urlset>", kind=XML)


def sources(base: str) -> dict[str, Answer]:
    """Make an index of sitemaps (one packed, one broken, one absent), news and a feed."""
    robots = f"User-agent: *\nDisallow: /closed\nSitemap: {base}/index.xml\n"
    robots += f"Sitemap: {base}/news.xml\n"
    elsewhere = "<url><loc>http://elsewhere.invalid/x</loc></url>"
    packed = gzip.compress(urlset(base, range(21, 37))[2])
    cut_off = f"<urlset><url><loc>{path_of(20)}</loc></url><url><loc>"
    items = "".join(f"<item><link>{path}</link></item>" for path in (path_of(40), FEED_ALONE))
    return {
        "/robots.txt": html(robots, kind="text/plain"),
        "/index.xml": index(base),
        "/old.xml": urlset(base, range(11, 21), extra=elsewhere),
        "/new.xml.gz": (200, {"Content-Type": "application/gzip"}, packed),
        "/broken.xml": html(f"\n  <?xml version='1.0'?>{cut_off}", kind=XML),
        "/news.xml": news(base, range(37, 41)),
        "/blog.rss": html(f"<rss><channel>{items}</channel></rss>", kind="application/rss+xml"),
    }


def newspaper(base: str) -> dict[str, Answer]:
    """Make a newspaper with its sources, lists without end, a calendar, and twins of articles."""
    first = ("/news/page/1", "/calendar/2026/05/", "/closed/x", path_of(40))
    pages = sources(base) | {"/": listing(*first, head=FEED_LINK), FEED_ALONE: html(article(99))}
    for n in DAYS:
        twins = anchors(f"{path_of(n)}/amp/", f"{path_of(n)}?print=1")
        pages[path_of(n)] = html(article(n, extra=twins + anchors("/", "/news/page/1")))
    # Two articles ask robots for something, and one tells that it is older than its address.
    for n, headers in ((26, {"X-Robots-Tag": "noindex"}), (27, {"tdm-reservation": "1"})):
        status, kind, body = pages[path_of(n)]
        pages[path_of(n)] = (status, {**kind, **headers}, body)
    day = '<meta property="article:published_time" content="2026-01-01T10:00:00Z">'
    pages[path_of(28)] = html(article(28).replace("<title>", f"{day}<title>"))
    for n in range(1, 61):
        shown = [path_of(k) for k in range(41 - 4 * n, 45 - 4 * n) if k > 0]
        pages[f"/news/page/{n}"] = listing(f"/news/page/{n + 1}", *shown)
    months = [f"/calendar/{year}/{month:02}/" for year in range(2020, 2032) for month in MONTHS]
    for before, month, following in zip(months, months[1:], months[2:], strict=False):
        pages[month] = listing(following, before)
    return pages


@pytest.fixture
def paper(make_site: Callable[[Mapping[str, Answer]], Site]) -> Site:
    site = make_site({})
    site.pages.update(newspaper(site.url.rstrip("/")))
    return site


def articles_asked(site: Site) -> list[str]:
    return [path for path in site.asked if re.match(r"/2026/|/notes/", path)]


def test_a_newspaper_is_crawled_articles_first_and_newest_first(
    project: Project, paper: Site
) -> None:
    """Everything is found once; lists and calendars end; twins are never asked for."""
    _, log = project.run(
        "crawl", "site", "-a", f"url={paper.url}", "-O", "out.jsonl",
        "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1", "-s", "ROBOTSTXT_OBEY=True",
        "-a", "max_barren=5", "-s", "STATS_DUMP=True",
    )  # fmt: skip
    asked = articles_asked(paper)
    assert sorted(asked) == sorted([*map(path_of, DAYS), FEED_ALONE])
    # The sitemaps are read first: what they name comes newest first, then what lists lead to.
    named = [*(path_of(n) for n in range(40, 10, -1)), FEED_ALONE]
    # Without a delay Scrapy may send the next request before the last has arrived.
    places = [abs(asked.index(path) - place) for place, path in enumerate(named)]
    assert max(places) <= 2
    lists = [path for path in paper.asked if path.startswith("/news/page/")]
    assert len(lists) <= 10 + 5 + 2
    months = [path for path in paper.asked if path.startswith("/calendar/")]
    assert len(months) <= 1 + 5 + 2
    assert len(paper.asked) == len(set(paper.asked))
    assert not [path for path in paper.asked if "amp" in path or "print" in path]
    for line in (
        "before the XML declaration",
        f"No sitemap at {paper.url}absent.xml (http-404)",
        "/news/page/#: 5 of these lists in a row named no page that no other list had named",
        "-a max_barren=0 lifts the limit",
        "its plain address is followed instead; -a twins=true follows both",
    ):
        assert line in log
    assert "'corpus/discovery/found/sitemap': 29" in log
    assert "'corpus/discovery/found/feed': 1" in log
    assert "'corpus/discovery/foreign': 1" in log
    assert "'corpus/discovery/failed/http-404': 1" in log
    assert "'corpus/failed/robots': 1" in log
    assert "'corpus/robots/noindex': 1" in log
    assert "'corpus/skipped/noindex'" not in log


def test_a_range_of_dates_fetches_what_may_lie_in_it(project: Project, paper: Site) -> None:
    _, log = project.run(
        "crawl", "site", "-a", f"url={paper.url}", "-O", "out.jsonl", "-a", "since=2026-05-25",
        "-a", "until=2026-06-02", "-a", "from=sitemap,feed", "-s", "CORPUS_RESPECT=noindex,tdm",
        "-s", "STATS_DUMP=True",
    )  # fmt: skip
    assert sorted(articles_asked(paper)) == sorted(
        [*(path_of(n) for n in range(25, 34)), FEED_ALONE]
    )
    assert "/old.xml" not in paper.asked
    exported = {item["url"].removeprefix(paper.url.rstrip("/")) for item in project.items()}
    assert exported == {FEED_ALONE, *(path_of(n) for n in (25, *range(29, 34)))}
    for name in ("skipped/noindex", "skipped/tdm", "skipped/date", "discovery/outdated"):
        assert f"'corpus/{name}': 1" in log


def test_pages_are_listed_without_being_fetched(project: Project, paper: Site) -> None:
    out, _ = project.run("discover", paper.url, "--json")
    found = [json.loads(line) for line in out.splitlines()]
    assert found[0]["found_by"] == "start"
    base = paper.url.rstrip("/")
    assert [one["address"] for one in found[1:31]] == [base + path_of(n) for n in range(40, 10, -1)]
    assert found[1] == {
        "address": base + path_of(40), "kind": "article", "date": "2026-06-09T04:00:00Z",
        "found_by": "link", "site": base.removeprefix("http://"),
    }  # fmt: skip
    assert {one["kind"] for one in found[32:]} <= {"page", "listing"}
    assert articles_asked(paper) == []
    assert not [path for path in paper.asked if path.startswith("/news/page")]
    assert not (project.folder / "corpus-data").exists()


def test_what_is_listed_is_not_remembered(project: Project, paper: Site) -> None:
    arguments = (paper.url, "-s", "CORPUS_INCREMENTAL=True", "-s", 'FEEDS={"x.jsonl": {}}')
    first, notes = project.run("discover", *arguments)
    again, _ = project.run("discover", *arguments)
    assert first == again
    assert first.count("article ") > 30
    written = {path.name for path in project.folder.iterdir() if path.suffix != ".py"}
    assert written <= {"__pycache__", "scrapy.cfg"}
    lines = notes.splitlines()
    assert any(line.endswith("not be fetched or read: 1 (http-404 1)") for line in lines)
    assert "scrapy discover: pages of other sites, which listings name: 1" in lines
    assert all(line.startswith("scrapy discover: ") for line in lines)


def test_a_start_page_that_is_not_there_is_told_of_beside_what_was_found(
    project: Project, paper: Site
) -> None:
    out, notes = project.run("discover", f"{paper.url}absent", "-a", "max_pages=3", "--json")
    assert len(out.splitlines()) == 3
    assert notes.startswith(f"scrapy discover: {paper.url}absent: HTTP status 404\n")
    assert "page-limit " in notes


def test_the_list_for_people_is_a_table(project: Project, paper: Site) -> None:
    out, _ = project.run(
        "discover", paper.url, "-a", "from=sitemap", "-a", "since=2026-06-05", "--limit", "4"
    )
    lines = out.splitlines()
    assert lines[0].split() == ["kind", "date", "found", "by", "address"]
    assert lines[2].split() == [
        "article", "2026-06-09T04:00:00Z", "sitemap", paper.url.rstrip("/") + path_of(40)
    ]  # fmt: skip
    assert lines[-1] == "and 2 more"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["discover", "a.example", "-a", "from=maps"], 2, "site: from is 'maps'. It accepts"),
        (["discover", "http://127.0.0.1:9/", "-s", "RETRY_ENABLED=0"], 1, "nothing was found"),
    ],
)
def test_what_cannot_be_listed_is_one_line(
    project: Project, arguments: list[str], code: int, words: str
) -> None:
    out, err = project.run(*arguments, code=code)
    assert out == ""
    assert words in err
    assert err.startswith("scrapy discover: ")
    assert err.count("\n") == 1


def test_listings_given_as_addresses_to_start_from_are_read(
    project: Project, make_site: Callable[[Mapping[str, Answer]], Site]
) -> None:
    site = make_site({path_of(n): html(article(n)) for n in range(1, 8)})
    base = site.url.rstrip("/")
    store = make_site({"/map.xml": urlset(base, range(7, 8))})
    item = f"<item><link>{path_of(1)}</link></item>"
    site.pages |= {
        # As many servers call whatever a program writes.
        "/feed": html(f"<?xml version='1.0'?><rss><channel>{item}</channel></rss>"),
        "/map.xml.gz": (
            200,
            {"Content-Type": "application/gzip"},
            gzip.compress(urlset(base, range(2, 5))[2]),
        ),
        "/list.txt": html(f"{base}{path_of(5)}\n{base}{path_of(6)}\n", kind="text/plain"),
        "/logo.png": (200, {"Content-Type": "image/png"}, b"\x89PNG\r\n\x1a\n" + bytes(40)),
        "/others.rss": html(
            "<rss><channel><item><link>http://elsewhere.invalid/x</link></item></channel></rss>",
            kind="application/rss+xml",
        ),
    }
    names = ("feed", "map.xml.gz", "list.txt", "logo.png", "others.rss")
    starts = " ".join([*(f"{base}/{name}" for name in names), f"{store.url}map.xml"])
    call = ("crawl", "site", "-a", f"url={starts}", "-a", "from=links", "-O", "out.jsonl")
    for _ in range(2):
        _, err = project.run(*call, "-s", "CORPUS_INCREMENTAL=True")
        assert (
            "Nothing begins at " + base + "/logo.png: it is no page, and no sitemap or feed" in err
        )
        assert f"{base}/others.rss names pages of other sites alone" in err
        assert err.count(" INFO: Read ") == 5
    parts = (project.folder / "corpus-data" / "articles").rglob("*.jsonl")
    items = [json.loads(line) for path in parts for line in path.read_text("utf-8").splitlines()]
    assert sorted(each["url"] for each in items) == sorted(base + path_of(n) for n in range(1, 8))
    assert set(store.asked) <= {"/robots.txt", "/map.xml"}
    _, notes = project.run("discover", f"{base}/logo.png", code=1)
    assert f"nothing was found: {base}/logo.png: it is no page, and no sitemap or feed" in notes
    # They are asked for in each crawl.
    assert site.asked.count("/map.xml.gz") == 2
