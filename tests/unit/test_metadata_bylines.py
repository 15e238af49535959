"""Bylines that readers see: who is an author, and what beside the names is none."""

from __future__ import annotations

import pytest

from crawler.core.metadata.names import authors_part, line_names, without_place
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
        ("<p>Posted on January 31, 2026 | Leave a Comment</p>", ()),
        ("<p>Posted on January 31, 2026 | Start The Discussion</p>", ()),
        ("<p>January 31, 2026 | no comments yet, start the discussion</p>", ()),
        ("<p>SEOUL, Nov 29 (Agency) \u2014 The quay wall cracked.</p>", ()),
        (
            "<p>By Harbour Desk Published January 31, 2026 Updated February 1, 2026</p>",
            ("Harbour Desk",),
        ),
        ("<p>Posted on January 31, 2026 | 3 comments</p>", ()),
        ("<p>January 31, 2026 | Harbour Guide</p>", ()),
        ("<p>The quay was built by Harbour Desk on January 31, 2026, they say.</p>", ()),
    ],
)
def test_bylines_with_a_date(line: str, names: tuple[str, ...]) -> None:
    assert authors(line) == names


@pytest.mark.parametrize(
    ("language", "line", "names"),
    [
        ("de", "Von Harbour Desk", ("Harbour Desk",)),
        ("fr", "Par Harbour Desk, le 3 mai 2026", ("Harbour Desk",)),
        ("es", "Por Harbour Desk", ("Harbour Desk",)),
        ("it", "di Harbour Desk", ("Harbour Desk",)),
        ("it", "Di Harbour Desk, 3 maggio 2026", ("Harbour Desk",)),
        ("it", "di tutto il mare", ()),
        ("sv", "Av Harbour Desk", ("Harbour Desk",)),
        ("da", "Af Harbour Desk", ("Harbour Desk",)),
        ("nl", "Door Harbour Desk", ("Harbour Desk",)),
        ("ru", "Автор Иван Пристань", ("Иван Пристань",)),
        ("ru", "Автор: Иван Пристань", ("Иван Пристань",)),
        ("ru", "Автор неизвестен до сих пор", ()),
        ("el", "\u03a4\u03bf\u03c5 Άδα Μοτ", ("Άδα Μοτ",)),
        ("ko", "글 부산항", ("부산항",)),
        ("ko", "글: 부산항", ("부산항",)),
        ("ko", "글·사진 부산항", ("부산항",)),
        ("ko", "취재: 부산항", ("부산항",)),
        ("ko", "글 더보기", ()),
        ("ko", "글 목록", ()),
        ("ko", "해변일보 부산항 기자 | 2026.05.03", ("부산항",)),
        ("ko", "2026-05-03 14:03 부산항 기자", ("부산항",)),
        ("ja", "海辺太郎記者", ("海辺太郎",)),
        ("ja", "社会部記者", ()),
        ("ja", "記者会見", ()),
        ("ja", "文\uff0f海辺太郎", ("海辺太郎",)),
        ("ja", "文\uff1d海辺 太郎\u3000写真\uff1d港", ("海辺 太郎",)),
        ("ja", "取材・文\uff0f海辺太郎", ("海辺太郎",)),
        ("ja", "著者\uff1a海辺太郎", ("海辺太郎",)),
        ("zh", "记者 海太", ("海太",)),
        ("zh", "記者海辺太\uff0f台北報導", ("海辺太",)),
        ("zh", "本报记者 海太 港边", ("海太", "港边")),
        ("zh", "记者手记", ()),
    ],
)
def test_bylines_of_many_languages_need_no_markup(
    language: str, line: str, names: tuple[str, ...]
) -> None:
    assert authors(f"<p>{line}</p>", language) == names
    assert authors(f"<div><span>{line}</span></div>", language) == names


@pytest.mark.parametrize(
    ("heading", "language"),
    [
        ("By the numbers", "en"), ("By The Numbers", "en"), ("By Popular Demand", "en"),
        ("By Land And Sea", "en"), ("Von Null auf Hundert", "de"), ("Par Temps Froid", "fr"),
        ("Por Qué Importa", "es"), ("Di Corsa Al Mare", "it"),
    ],
)  # fmt: skip
def test_headings_with_a_preposition_are_no_bylines(heading: str, language: str) -> None:
    for tag in ("h2", "h3", "h4"):
        for html in (f"<{tag}>{heading}</{tag}>", f"<{tag}><b>{heading}</b></{tag}><p>Fog."):
            assert authors(html, language) == ()
            assert authors(f"{html}<p>By Harbour Desk</p>", language) == ("Harbour Desk",)
    assert authors("<h3>Written by Harbour Desk</h3>") == ("Harbour Desk",)
    assert authors("<h3>By Harbour Desk on January 31, 2026</h3>") == ("Harbour Desk",)


@pytest.mark.parametrize(
    ("links", "names"),
    [
        ('<a class=author href="https://www.flickr.com/people/1">Flickr</a>', ()),
        ('<a href="https://www.flickr.com/people/1">Flickr</a>', ()),
        ('<a rel=author href="/author/desk.xml"><span>RSS</span></a>', ()),
        ("<a class=byline href=/feed/>Subscribe</a>", ()),
        ('<div class=byline><a href="https://mastodon.social/@a">Mastodon</a></div>', ()),
        ('<a href="/author/desk/">View Staff Page</a>', ()),
        ("<h2 id=certificate-authority>Harbour Desk</h2>", ()),
        ('<li id="fn:2"><p>Harbour Desk</p></li>', ()),
        ('<p class="vcard"><b class=fn>Harbour Desk</b></p>', ("Harbour Desk",)),
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
        names = [line_names(text) for text in (long, short)]
    assert all(kept)
    assert names == [(), ()]
