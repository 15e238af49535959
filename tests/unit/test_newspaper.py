"""The made newspaper that crawls are tried on is what it says it is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPMessage
from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import pytest
from lxml import etree
from parsel import Selector

from support.newspaper.pages import Newspaper
from support.newspaper.server import Asked, serve_newspaper
from support.newspaper.stories import published

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.newspaper.stories import Story

SPACE = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}


@dataclass
class Reader:
    """A small newspaper, its log, and one connection to it."""

    paper: Newspaper
    base: str
    log: list[Asked]
    connection: HTTPConnection
    seen: set[str] = field(default_factory=set)

    def ask(self, target: str, method: str = "GET", **headers: str) -> tuple[int, HTTPMessage, str]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.connection.request(method, target, headers=named)
        answer = self.connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()

    def links(self, target: str) -> list[str]:
        status, _, body = self.ask(target)
        assert status == 200
        return [urljoin(target, link) for link in Selector(body).css("a::attr(href)").getall()]

    def dates(self, target: str) -> dict[str, str]:
        """Return what a sitemap names, with its dates."""
        _, _, body = self.ask(target)
        root = etree.fromstring(body.encode())
        return {
            urlsplit(entry.findtext("s:loc", "", SPACE)).path: entry.findtext(
                "s:lastmod", "", SPACE
            )
            for entry in root
        }

    def crawl(self) -> dict[str, str]:
        """Fetch all that links lead to, but for the traps; return bodies by plain path."""
        bodies: dict[str, str] = {}
        waiting = ["/"]
        while waiting:
            target = waiting.pop().partition("#")[0]
            if target in self.seen or target.startswith(("/calendar", "/shop")):
                continue
            self.seen.add(target)
            status, headers, body = self.ask(target)
            if status == 301:
                waiting.append(headers["Location"])
                continue
            assert status == 200, target
            bodies[target] = body
            links = Selector(body).css("a::attr(href)").getall()
            waiting += [urljoin(target, link) for link in links]
        return bodies


@pytest.fixture
def reader() -> Iterator[Reader]:
    paper = Newspaper(count=90, days=9, redesign=6, lying_days=(5,))
    log: list[Asked] = []
    with serve_newspaper(paper, log) as base:
        connection = HTTPConnection(urlsplit(base).netloc, timeout=10)
        yield Reader(paper, base, log, connection)
        connection.close()


def one(paper: Newspaper, *, silent: bool) -> Story:
    """Return an article that is edited once."""
    return next(
        story for story in paper.stories if len(story.edits) == 1 and story.edits[0].told != silent
    )


def texts(body: str) -> list[str]:
    return [str(each.xpath("string()").get()) for each in Selector(body).css("p")]


def test_the_whole_newspaper_has_enough_of_everything() -> None:
    paper = Newspaper()
    days = range(1, paper.days + 1)
    assert len({story.path for story in paper.stories}) == 2_000
    assert {sum(story.day == day for story in paper.stories) for day in days} == {66, 67}
    edited = [story for story in paper.stories if story.edits]
    silent = [story for story in edited if not all(edit.told for edit in story.edits)]
    assert len(edited) == 120
    assert len(silent) == 24
    assert all(0 < story.edits[0].day - story.day <= 2 for story in silent)
    assert {len(story.edits) for story in edited} == {1, 2}
    assert len(paper.gone_until(30)) == 30
    assert sum(story.unlisted for story in paper.stories) == 60
    assert sum(story.second_section != "" for story in paper.stories) == 20
    assert sum(len(paper.out(day)) for day in days) > 30_000
    assert paper.edits_until(30) == sum(len(story.edits) for story in edited)


def test_a_seed_gives_the_same_newspaper_each_time() -> None:
    assert Newspaper(count=50).stories == Newspaper(count=50).stories
    assert Newspaper(count=50).stories != Newspaper(count=50, seed=7).stories


def test_no_two_paragraphs_are_alike_and_all_articles_have_the_length_of_articles() -> None:
    stories = Newspaper(count=300).stories
    paragraphs = [paragraph for story in stories for paragraph in story.versions[-1]]
    assert len(paragraphs) == len(set(paragraphs))
    for story in stories:
        for version in story.versions:
            assert 150 <= sum(len(paragraph.split()) for paragraph in version) <= 400
        assert len(set(story.versions)) == 1 + len(story.edits)
        for before, after in pairwise(story.versions):
            # One paragraph came, or came in the place of another.
            assert len(set(after) - set(before)) == 1
            assert len(set(before) - set(after)) == len(before) + 1 - len(after)


def test_the_shortest_newspapers_can_be_printed() -> None:
    for count, days in ((1, 1), (3, 1), (5, 2), (12, 3)):
        paper = Newspaper(count=count, days=days, day=days)
        assert [story.number for story in paper.stories] == list(range(count))
        assert len(paper.articles()) + len(paper.gone_until(days)) == count


def test_each_day_has_the_articles_until_then(reader: Reader) -> None:
    paper = reader.paper
    for paper.day in (1, 4, 9):
        there = paper.articles()
        for story in paper.stories:
            status, _, body = reader.ask(story.path)
            if story.path not in there:
                known = 0 < story.gone <= paper.day and story.number % 2
                assert status == (410 if known else 404)
                continue
            printed = there[story.path]
            assert status == 200
            assert printed.title in body
            assert [text for text in texts(body) if text in printed.paragraphs] == list(
                printed.paragraphs
            )
            # No paragraph of another version is left.
            other = {text for version in story.versions for text in version}
            assert not {*texts(body)} & (other - set(printed.paragraphs))
    assert {one.status for one in reader.log} == {200, 404, 410}


def test_a_page_that_is_as_it_was_is_not_sent_again(reader: Reader) -> None:
    paper = reader.paper
    for number in (3, 4):
        path = paper.stories[number].path
        _, headers, _ = reader.ask(path)
        assert ("ETag" in headers) == (number == 3)
        date = headers["Last-Modified"]
        later = {"If_Modified_Since": date}
        if "ETag" in headers:
            later["If_None_Match"] = f'"another", W/{headers["ETag"]}'
        status, again, body = reader.ask(path, **later)
        assert (status, body) == (304, "")
        assert again["Last-Modified"] == date
        assert "Content-Length" not in again
        for wrong in ({"If_Modified_Since": "yesterday"}, {"If_None_Match": '"another"'}):
            assert reader.ask(path, **wrong)[0] == 200
    assert [(one.status, one.is_article_body) for one in reader.log if one.story == 4] == [
        (200, True), (304, False), (200, True), (200, True)
    ]  # fmt: skip


@pytest.mark.parametrize("silent", [False, True])
def test_edits_change_a_page_and_its_validators_and_sometimes_its_sitemap(
    reader: Reader, *, silent: bool
) -> None:
    paper = reader.paper
    story = one(paper, silent=silent)
    [edit] = story.edits
    sitemap = f"/sitemaps/from-{published(1 + (story.day - 1) // 3 * 3):%Y-%m-%d}.xml"
    paper.lying_days = ()
    paper.redesign = 99
    paper.day = edit.day - 1
    _, before, _ = reader.ask(story.path)
    date = reader.dates(sitemap)[story.path]
    paper.day = edit.day
    status, after, body = reader.ask(story.path, If_Modified_Since=before["Last-Modified"])
    assert status == 200
    assert parsedate_to_datetime(after["Last-Modified"]) == edit.time
    assert set(story.versions[1]) <= set(texts(body))
    assert (reader.dates(sitemap)[story.path] == date) == silent
    assert paper.articles()[story.path].version == 1


def test_a_redesign_changes_every_page_and_no_text_and_no_sitemap(reader: Reader) -> None:
    paper = reader.paper
    stories = [
        story for story in paper.out(5) if story.is_out(6) and story.version(5) == story.version(6)
    ]
    sitemap = f"/sitemaps/from-{published(1):%Y-%m-%d}.xml"
    kept: list[tuple[str, HTMLPage]] = []
    paper.day = 5
    for story in stories:
        _, headers, body = reader.ask(story.path)
        kept.append((headers["Last-Modified"], HTMLPage(body)))
    dates = reader.dates(sitemap)
    paper.day = 6
    for story, (date, page) in zip(stories, kept, strict=True):
        status, headers, body = reader.ask(story.path, If_Modified_Since=date)
        assert status == 200
        assert parsedate_to_datetime(headers["Last-Modified"]) == published(6)
        redesigned = HTMLPage(body)
        assert not page.classes & redesigned.classes
        shared = page.paragraphs & redesigned.paragraphs
        own = {*story.text(6)}
        assert own <= shared
        # Beside its text, only what boxes say of other articles is the same.
        assert len(shared - own) <= 3
    assert {p: d for p, d in reader.dates(sitemap).items() if p in dates}.items() <= dates.items()


class HTMLPage:
    """What of a page a design decides."""

    def __init__(self, body: str) -> None:
        self.classes = set(Selector(body).xpath("//@class").getall())
        self.paragraphs = set(texts(body))


def test_sitemaps_and_feeds_name_what_is_there_and_listed(reader: Reader) -> None:
    paper = reader.paper
    paper.day = 4
    _, _, robots = reader.ask("/robots.txt")
    assert "Crawl-delay" not in robots
    [index] = re.findall(r"Sitemap: (\S+)", robots)
    assert index.startswith(reader.base)
    maps = reader.dates(urlsplit(index).path)
    news, broken = "/sitemaps/news.xml", "/sitemaps/broken.xml"
    parts = {path: reader.dates(path) for path in maps if path not in {news, broken}}
    assert len(parts) == 2
    listed = {story.path for story in paper.out() if not story.unlisted}
    assert {path for part in parts.values() for path in part} == listed
    for path, part in parts.items():
        assert maps[path] == max(part.values())
    assert set(reader.dates(news)) == {
        story.path for story in paper.out() if story.path in listed and story.day in {3, 4}
    }
    _, _, body = reader.ask(broken)
    with pytest.raises(etree.XMLSyntaxError):
        etree.fromstring(body.encode())
    whole = re.findall(r"<loc>http://[^/]+(/[^<]+)</loc><lastmod>[^<]+</lastmod>", body)
    assert whole
    assert set(whole) < listed
    assert not {story.path for story in paper.stories if story.unlisted} & set(body.split("<"))


def test_feeds_name_the_newest(reader: Reader) -> None:
    paper = reader.paper
    paper.day = 9
    listed = [story for story in paper.out() if not story.unlisted]
    _, headers, body = reader.ask("/feeds/all.rss")
    assert headers["Content-Type"] == "application/rss+xml"
    rss = etree.fromstring(body.encode())
    links = [urlsplit(str(item.findtext("link"))) for item in rss.iter("item")]
    assert [link.path for link in links] == [story.path for story in listed[:30]]
    assert {link.query for link in links} == {"utm_source=rss"}
    _, _, body = reader.ask("/feeds/sport.atom")
    atom = etree.fromstring(body.encode())
    hrefs = [link.get("href") for link in atom.iter("{http://www.w3.org/2005/Atom}link")]
    assert hrefs == [story.path for story in listed if story.section == "sport"][:15]
    for page in ("/", listed[0].path):
        named = Selector(reader.ask(page)[2]).css("[rel=alternate]::attr(href)").getall()
        assert named == ["/feeds/all.rss", "/feeds/sport.atom"]


def test_a_lying_sitemap_dates_all_its_pages_to_the_day_for_good(reader: Reader) -> None:
    paper = reader.paper
    first, second = (f"/sitemaps/from-{published(day):%Y-%m-%d}.xml" for day in (1, 4))
    paper.day = 4
    true, other = reader.dates(first), reader.dates(second)
    paper.day = 5
    lies = reader.dates(first)
    assert set(lies.values()) == {published(5).isoformat()}
    assert any(path in lies and date < lies[path] for path, date in true.items())
    assert {p: d for p, d in reader.dates(second).items() if p in other}.items() == other.items()
    # No edit is told on such a day, where nobody could tell it from the others.
    assert not [
        story for story in paper.stories for edit in story.edits if edit.told and edit.day == 5
    ]
    paper.day = 9
    assert min(reader.dates(first).values()) == published(5).isoformat()


def test_links_lead_to_all_articles_in_many_forms(reader: Reader) -> None:
    """Also to those in no listing; and nothing that was taken away is linked to."""
    paper = reader.paper
    paper.day = 9
    bodies = reader.crawl()
    found = {story.path: body for t, body in bodies.items() if (story := paper.story_at(t))}
    assert set(found) == set(paper.articles())
    forms = {target for target in reader.seen if paper.story_at(target)}
    for ending in ("/amp", "/print", "/", "?utm_source=front&utm_medium=teaser"):
        assert any(form.endswith(ending) for form in forms)
    assert any(re.search(r"\?sid=[0-9a-f]{32}$", form) for form in forms)
    # A closing slash is taken away by a redirect, or leads to the same page.
    assert any(one.status == 301 for one in reader.log)
    assert any(target.endswith("/") and paper.story_at(target) for target in bodies)
    assert any("?page=2" in target for target in bodies)
    for target, body in bodies.items():
        if (story := paper.story_at(target)) is not None:
            [canonical] = Selector(body).css("[rel=canonical]::attr(href)").getall()
            assert canonical == reader.base + story.path
    twice = [s for s in paper.out() if s.second_section]
    assert twice
    assert {story.other_path for story in twice} <= {t.partition("?")[0] for t in bodies}


def test_calendar_and_shop_have_no_end(reader: Reader) -> None:
    months, target = set[str](), "/calendar/2026/11"
    for _ in range(30):
        months.add(target)
        # The month before, the one after, and the one that menus lead to.
        _, target, _ = [link for link in reader.links(target) if "/calendar/" in link]
    assert len(months) == 30
    assert max(months) == "/calendar/2029/04"
    queries, query = set[str](), "/shop"
    for depth in range(1, 10):
        wider = [link for link in reader.links(query) if "?" in link]
        assert len(wider) == 5
        assert all(link.count("=") == depth for link in wider)
        queries |= set(wider)
        query = wider[depth % 5]
    assert len(queries) == 45


def test_what_is_not_there_is_not_found(reader: Reader) -> None:
    for target in (
        *("/nothing", "/section/chess", "/section", "/section/sport?page=99"),
        *("/section/sport?page=x", "/section/sport?page=0", "/archive/2025/01", "/archive/2026"),
        *("/calendar/2026", "/calendar/a/b", "/sitemaps/absent.xml", "/feeds/absent"),
    ):
        assert reader.ask(target)[0] == 404, target


def test_requests_are_noted(reader: Reader) -> None:
    reader.paper.day = 2
    path = reader.paper.stories[0].path
    _, headers, body = reader.ask(path, method="HEAD")
    assert body == ""
    _, _, body = reader.ask(f"{path}?utm_source=x")
    assert headers["Content-Length"] == str(len(body.encode()))
    reader.ask("/robots.txt")
    assert [(one.day, one.target, one.status, one.story) for one in reader.log] == [
        (2, path, 200, 0),
        (2, f"{path}?utm_source=x", 200, 0),
        (2, "/robots.txt", 200, None),
    ]
    assert [one.is_article_body for one in reader.log] == [False, True, False]
    assert reader.log[1].sent == len(body.encode())
