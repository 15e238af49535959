"""Bylines that readers see: who is an author, and what beside the names is none."""

from __future__ import annotations

import pytest

from crawler.core.metadata.names import authors_part, korean_names, without_place
from crawler.core.metadata.read import read_metadata
from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from support.pace import within


def authors(byline: str, language: str = "en") -> tuple[str, ...]:
    html = f"<html lang={language}><title>Night trains</title><h1>Night trains</h1>{byline}</html>"
    return read_metadata(parse(Page.from_text("https://post.example/x", html))
                         , "https://post.example/x").authors  # fmt: skip


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("<p>부산항 기자</p>", ("부산항",)),
        ("<p>[해변일보 부산항 기자]</p>", ("부산항",)),
        ("<p>(서울=해변) 없는 이름</p>", ()),
        ("<p>부산항 기자 sea@post.example</p>", ("부산항",)),
        ("<div class=byline>부산항·인천항 기자</div>", ("부산항", "인천항")),
        ("<div class=byline><span>부산항 기자</span><span>구독</span></div>", ("부산항",)),
        ("<div class=byline>글 부산항 | 사진 인천항</div>", ("부산항",)),
        ("<p>작성자 편집부</p>", ("편집부",)),
        ("<p>그 기자는 어제 부산에서 배를 타고 떠났다고 말했다.</p>", ()),
    ],
)
def test_korean_bylines(line: str, names: tuple[str, ...]) -> None:
    assert authors(line, "ko") == names


def test_a_japanese_byline_names_the_writer_alone() -> None:
    line = "<p class=writer>文・海辺編集部\u3000写真・港湾写真部</p>"
    assert authors(line, "ja") == ("海辺編集部",)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (
            "<div class=byline>By <a rel=author href=/a>Harbour Desk</a> and Night Desk</div>",
            ("Harbour Desk", "Night Desk"),
        ),
        ("<p>Words by Harbour Desk. Photographs by Night Desk.</p>", ("Harbour Desk",)),
        (
            "<p>By Harbour Desk in London and Night Desk in Paris</p>",
            ("Harbour Desk", "Night Desk"),
        ),
        ("<p>By Harbour Desk for The Post</p>", ("Harbour Desk",)),
        ("<p>By Harbour Desk, Jr. and Night Desk</p>", ("Harbour Desk Jr", "Night Desk")),
        (
            "<p class=byline>Photo: Night Desk</p><p class=byline>By Harbour Desk</p>",
            ("Harbour Desk",),
        ),
        (
            "<p class=author>Written by Harbour Desk Medically reviewed by Night Desk</p>",
            ("Harbour Desk",),
        ),
        ("<p>By Harbour Desk, Reuters</p>", ("Harbour Desk", "Reuters")),
        ("<p class=byline>Par Harbour Desk et Luc d'Ouest</p>", ("Harbour Desk", "Luc d'Ouest")),
    ],
)
def test_what_stands_beside_the_names_is_no_author(line: str, names: tuple[str, ...]) -> None:
    assert authors(line) == names


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("<p>by nightdesk on January 31, 2026</p>", ("nightdesk",)),
        ("<p>by nightdesk on <time>January 31, 2026</time></p>", ("nightdesk",)),
        ("<p>By Harbour Desk on <time>January 31, 2026</time></p>", ("Harbour Desk",)),
        ("<p>January 31, 2026 by Harbour Desk</p>", ("Harbour Desk",)),
        ("<p>Posted on January 31, 2026 by Harbour Desk</p>", ("Harbour Desk",)),
        ("<p>Posted on January 31, 2026 at 2:03 pm | Harbour Desk</p>", ("Harbour Desk",)),
        ("<p>Publié le 31 janvier 2026 par Harbour Desk</p>", ("Harbour Desk",)),
        ("<p>Posted on January 31, 2026 | World News</p>", ()),
        ("<p>Posted on January 31, 2026 | 3 comments</p>", ()),
        ("<p>January 31, 2026 | Harbour Guide</p>", ()),
        ("<p>The quay was built by Harbour Desk on January 31, 2026, they say.</p>", ()),
    ],
)
def test_bylines_with_a_date(line: str, names: tuple[str, ...]) -> None:
    assert authors(line) == names


@pytest.mark.parametrize(
    ("links", "names"),
    [
        ('<a class=author href="https://www.flickr.com/people/1">Flickr</a>', ()),
        ('<a href="https://www.flickr.com/people/1">Flickr</a>', ()),
        ('<a rel=author href="/author/desk.xml"><span>RSS</span></a>', ()),
        ("<a class=byline href=/feed/>Subscribe</a>", ()),
        ('<div class=byline><a href="https://mastodon.social/@a">Mastodon</a></div>', ()),
        ('<a href="/author/desk/">View Staff Page</a>', ()),
        ('<a rel=author href="https://harbourdesk.example/">Harbour Desk</a>', ("Harbour Desk",)),
        ('<a class=author href="https://x.com/desk">Harbour Desk</a>', ("Harbour Desk",)),
        ('<a href="https://people.post.example/author/1">Harbour Desk</a>', ("Harbour Desk",)),
    ],
)
def test_icons_of_services_and_feeds_are_no_authors(links: str, names: tuple[str, ...]) -> None:
    assert authors(links) == names


def test_bodies_named_with_a_place_stay_whole() -> None:
    assert without_place("National Center for the Harbour") == "National Center for the Harbour"
    assert without_place("Harbour Desk in Leeds") == "Harbour Desk"


@pytest.mark.parametrize("part", ["가나", "가나·", "[가 ", "photo ", ", jr", "기자 "])
def test_hostile_lines_take_no_time(part: str) -> None:
    long, short = part * 5_000, part * 30 + "기자"
    with within(1):
        kept = [authors_part(text) for text in (long, short)]
        names = [korean_names(text) for text in (long, short)]
    assert all(kept)
    assert names == [(), ()]
