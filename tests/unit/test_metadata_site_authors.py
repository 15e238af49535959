"""Authors of the pages of a site: which names on nearly all of them are bylines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.core.flow import Page, SiteCounts, observe, read
from crawler.core.metadata.read import read_metadata
from crawler.core.metadata.template import Template
from crawler.journey.extract import judge
from crawler.settings import Options
from crawler.store.spool import Spool
from support.journeys import Journey, Tally

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord")
FLICKR = '<a class=author href="https://www.flickr.com/photos/desk">Night Photos</a>'
FEED = '<a class=author href="/feed/">Post Updates</a>'
STAFF = "".join(
    f"<li><a href=/author/{name.lower()}>{name} Mott</a></li>" for name in ("Ada", "Bo", "Cleo")
)


def html(number: int, top: str, line: str, end: str) -> str:
    word = WORDS[number]
    return (
        f"<html lang=en><title>Of {word}</title><div id=t>The Harbour Notes</div>{top}"
        f"<h1>All that is known of {word}</h1>{line}"
        f"<p>The {word} grew behind the second house, and nobody who passed it asked why.</p>"
        f"<p>In the end {word} was sold to the harbour.</p>{end}<p>Kept by this town.</p></html>"
    )


def page(number: int, top: str = "", line: str = "", end: str = "") -> Page:
    return Page.from_text(
        f"https://post.example/{WORDS[number]}", html(number, top, line, end), fetched_at="2026-11"
    )


def authors(top: str = "", line: str = "", end: str = "", pages: int = 6) -> tuple[str, ...]:
    documents = [read(page(number, top, line, end)) for number in range(pages)]
    counts = SiteCounts()
    for document in documents:
        counts.add(observe(document))
    view = counts.view()
    found = {
        read_metadata(
            each.parsed, each.page.url, template=Template(each.blocks, view) if pages > 1 else None
        ).authors
        for each in documents
    }
    assert len(found) == 1
    return found.pop()


@pytest.mark.parametrize(
    ("top", "line", "end"),
    [
        (FLICKR, "", ""),
        ("", FLICKR, ""),
        ("", "", f"<div>{FLICKR}</div>"),
        (FEED, "", ""),
        ("", f"<p>{FEED}</p>", ""),
        ('<a rel=author href="https://www.facebook.com/desk">Friends of Us</a>', "", ""),
        ('<a href="https://pix.example/"><b class=author-name>Night Photos</b></a>', "", ""),
        ("", "", '<div>by <a href="https://agency.example/">Studio Nine</a></div>'),
        ("", "", '<div><b>By</b> <a href="https://agency.example/">Studio Nine</a></div>'),
        (f"<ul>{STAFF}</ul>", "", ""),
        ("", "", f"<ul>{STAFF}</ul>"),
    ],
)
def test_links_on_all_pages_are_no_authors(top: str, line: str, end: str) -> None:
    assert authors(top, line, end) == ()


@pytest.mark.parametrize("frame", [FLICKR, FEED, f"<ul>{STAFF}</ul>"])
@pytest.mark.parametrize(("top", "end"), [(1, 0), (0, 1)])
@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("<p>by Harbour Desk</p>", "Harbour Desk"),
        ("<p>by nightdesk on May 3, 2026</p>", "nightdesk"),
        ("<p>Von Harbour Desk</p>", "Harbour Desk"),
        ("<p>부산항 기자</p>", "부산항"),
        ("<span class=author>Harbour Desk</span>", "Harbour Desk"),
    ],
)
def test_they_give_way_to_a_byline(frame: str, top: int, end: int, line: str, name: str) -> None:
    assert authors(frame * top, line, frame * end) == (name,)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("<p>By Harbour Desk</p>", ("Harbour Desk",)),
        ("<p class=byline>Harbour Desk</p>", ("Harbour Desk",)),
        ("<p class=byline>Sea Agency</p>", ("Sea Agency",)),
        ("<p>By Reuters</p>", ("Reuters",)),
        ("<p>Von Harbour Desk und Night Desk</p>", ("Harbour Desk", "Night Desk")),
        ("<p>부산항 기자</p>", ("부산항",)),
        ("<p>文\uff0f海辺編集部</p>", ("海辺編集部",)),
        ("<div class=byline><a href=/author/desk>Harbour Desk</a></div>", ("Harbour Desk",)),
        ('<p>By <a href="https://x.com/desk">Harbour Desk</a></p>', ("Harbour Desk",)),
        (
            '<p class=byline>By <a class=author href="https://x.com/desk">Harbour Desk</a></p>',
            ("Harbour Desk",),
        ),
        ('<a rel=author href="https://x.com/desk">Harbour Desk</a>', ("Harbour Desk",)),
        (
            '<p><a class=author href="https://x.com/desk">Harbour Desk</a>, May 3, 2026</p>',
            ("Harbour Desk",),
        ),
        (
            "<p><a href=/author/a>Harbour Desk</a>, <a href=/author/b>Night Desk</a></p>",
            ("Harbour Desk", "Night Desk"),
        ),
    ],
)
def test_bylines_on_all_pages_stay(line: str, names: tuple[str, ...]) -> None:
    assert authors(line=line) == names


@pytest.mark.parametrize(
    "top",
    [
        "<p class=author>Harbour Desk</p>",
        "<p>by Harbour Desk</p>",
        "<p class=bio>Written by <a class=author-name href=/about/>harbourdesk</a></p>",
        '<a rel=author href="https://www.blogger.example/profile/12">Harbour Desk</a>',
        "<a href=/author/desk>Harbour Desk</a>",
    ],
)
def test_the_author_of_a_whole_site_is_found_in_its_frame(top: str) -> None:
    assert authors(top)[0].replace(" ", "").casefold() == "harbourdesk"
    assert authors(end=f"<p>{'.' * 900}</p>{top}") == authors(top)
    assert authors(top, "<p class=byline>Night Desk</p>") == ("Night Desk",)


def test_declared_authors_stay() -> None:
    declared = '<meta name=author content="Harbour Desk">'
    assert authors(f"{declared}{FLICKR}") == ("Harbour Desk",)


def test_few_pages_say_nothing() -> None:
    assert authors(FLICKR, pages=1) == authors(FLICKR, pages=2) == ("Night Photos",)


def test_a_page_judged_with_others_of_its_site(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    for number in range(1, 6):
        text = html(number, FLICKR, "", "")
        (folder / f"{number}.html").write_text(text, "utf-8")
    options = Options(dir=tmp_path / "corpus")
    alone = judge(page(0, FLICKR), options, [], print)
    among = judge(page(0, FLICKR), options, [str(folder)], print)
    assert (alone.authors, among.authors) == (["Night Photos"], [])


def test_the_pages_of_a_crawl(tmp_path: Path) -> None:
    crawl = Journey(Options(dir=tmp_path), "crawl-1", Tally(), mode="two-pass")
    spool = Spool.create(tmp_path / "spool", "crawl-1", started="2026-11-01T10:00:00Z")
    for number in range(6):
        crawl.hold(page(number, FLICKR, "<p>by Harbour Desk</p>"), spool)
    items = list(crawl.items(spool.pages()))
    spool.finish(keep=False)
    assert [item.authors for item in items] == [["Harbour Desk"]] * 6
