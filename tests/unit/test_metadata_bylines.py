"""Bylines that readers see: who is an author, and what beside the names is none."""

from __future__ import annotations

import pytest

from crawler.core.metadata.names import authors_part, line_names, without_place
from crawler.core.metadata.read import read_metadata
from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from support.pace import within


def authors(byline: str, language: str = "en", title: str = "Night trains") -> tuple[str, ...]:
    html = f"<html lang={language}><title>{title}</title><h1>Night trains</h1>{byline}</html>"
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
        ('<a rel=author href="https://plus.google.example/112">Google+</a>', ()),
        ('<p>Fog.<footer><a rel=author href="https://g.example/1">Google Plus</a></footer>', ()),
        ('<p class=author><a href="https://p.example/desk">Pinterest</a></p>', ()),
        ('<p class=author><a href="https://t.example/d">TikTok</a> <a href=/f>Twitter</a>', ()),
        ('<a rel=author href="https://b.example/d">Follow on Bluesky</a>', ()),
        ('<a rel=author href="https://g.example/1">Harbour Google</a>', ("Harbour Google",)),
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


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("2026-11-26 14:03\u3000作者\uff1a海太\u3000来源\uff1a海岸日报", ("海太",)),
        ("2026年11月26日 14:03 来源\uff1a海岸日报 作者\uff1a海太", ("海太",)),
        ("来源\uff1a海岸日报\u3000记者\uff1a海太 港边\u3000责任编辑\uff1a船长", ("海太", "港边")),
        ("2026-11-26 14:03 海岸日报记者 海太", ("海太",)),
        ("2026-11-26 | 文/海太 图/港边", ("海太",)),
        ("2026-11-26 撰文\uff1a海太 编辑\uff1a港边", ("海太",)),
        ("2026-11-26 编辑\uff1a港边 作者\uff1a海太", ("海太",)),
        ("2026-11-26 14:03\u3000<b>作者\uff1a</b>海太\u3000来源\uff1a海岸", ("海太",)),
        ("海岸日报 2026-11-26 文\uff5c海太", ("海太",)),
        ("來源\uff1a海岸日報 編輯\uff1a海太", ("海太",)),
        ("2026-11-26 14:03 来源\uff1a海岸日报", ()),
        ("2026-11-26 14:03 作者\uff1a佚名 来源\uff1a网络", ()),
        ("书名\uff1a海 作者\uff1a海太 出版社\uff1a港口 出版时间\uff1a2020年3月1日", ()),
        ("2026年11月26日\u3000记者 海太 说船已经开走了。", ()),
        ("2026-11-26 14:03 记者会 阅读\uff1a12", ()),
    ],
)
def test_chinese_labels_within_a_line(line: str, names: tuple[str, ...]) -> None:
    assert authors(f"<p>{line}</p>", "zh") == names
    assert authors(f"<div>{line}</div>", "zh") == names


@pytest.mark.parametrize(
    ("language", "line", "names"),
    [
        ("ja", "文・写真\uff1a海辺太郎", ("海辺太郎",)),
        ("ja", "取材・文\uff1a海辺太郎", ("海辺太郎",)),
        ("ja", "写真・文\uff0f海辺太郎", ("海辺太郎",)),
        ("ja", "取材・文・撮影\uff1d海辺太郎", ("海辺太郎",)),
        ("ja", "文・写真\u3000海辺太郎", ("海辺太郎",)),
        ("ko", "글·사진 부산항 기자", ("부산항",)),
        ("fr", "Textes et photos : Harbour Desk", ("Harbour Desk",)),
        ("ko", "글·사진: 부산항", ("부산항",)),
        ("ko", "사진·글: 부산항", ("부산항",)),
        ("zh", "图/文\uff1a海太", ("海太",)),
        ("de", "Text und Fotos: Harbour Desk", ("Harbour Desk",)),
        ("de", "Fotos & Text: Harbour Desk", ("Harbour Desk",)),
        ("es", "Texto y fotos: Harbour Desk", ("Harbour Desk",)),
        ("es", "Texto y fotos de Harbour Desk", ("Harbour Desk",)),
        ("fr", "Texte et photos : Harbour Desk", ("Harbour Desk",)),
        ("en", "Words and photos by Harbour Desk", ("Harbour Desk",)),
        ("en", "Story and photos by Harbour Desk", ("Harbour Desk",)),
        ("de", "Fotos und Video: Night Desk", ()),
        ("ja", "写真\uff1a港湾写真部", ()),
        ("en", "Words and photos by the sea", ()),
        ("en", "Words and Pictures", ()),
    ],
)
def test_one_person_has_several_credits(language: str, line: str, names: tuple[str, ...]) -> None:
    assert authors(f"<p>{line}</p>", language) == names
    if names:
        assert authors(f"<p class=author>{line}</p>", language) == names


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Par Harbour Desk avec AFP", ("Harbour Desk", "AFP")),
        ("Par Harbour Desk avec l'AFP et Reuters", ("Harbour Desk", "AFP", "Reuters")),
        ("By Harbour Desk with files from The Associated Press",
         ("Harbour Desk", "Associated Press")),
        ("Von Harbour Desk mit dpa", ("Harbour Desk", "dpa")),
        ("Von Harbour Desk mit Material von dpa", ("Harbour Desk", "dpa")),
        ("Por Harbour Desk con EFE", ("Harbour Desk", "EFE")),
        ("Por Harbour Desk con agencias", ("Harbour Desk",)),
        ("\u03a4\u03bf\u03c5 Harbour Desk και ΑΠΕ", ("Harbour Desk", "ΑΠΕ")),
        ("By Harbour Desk (AFP)", ("Harbour Desk",)),
        ("By Harbour Desk/AFP", ("Harbour Desk", "AFP")),
        ("By Harbour Desk and Night Desk with Reuters", ("Harbour Desk", "Night Desk", "Reuters")),
        ("By Harbour Desk with Sid Harbour", ("Harbour Desk", "Sid Harbour")),
        ("By Barnes and Noble Press", ("Barnes and Noble Press",)),
        ("Von dpa", ("dpa",)),
        ("By Reuters", ("Reuters",)),
        ("By Sea", ()),
        ("By Sea.", ()),
        ("By Land and Sea", ()),
        ("Von Hand", ()),
        ("Par Hasard", ()),
        ("By <a href=/x>Madonna</a>", ("Madonna",)),
        ("Author: Madonna", ("Madonna",)),
    ],
)  # fmt: skip
def test_agencies_beside_a_name_and_phrases(line: str, names: tuple[str, ...]) -> None:
    assert authors(f"<p>{line}</p>") == names


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("기자 부산항", ("부산항",)),
        ("기자: 부산항", ("부산항",)),
        ("취재기자 부산항", ()),
        ("해변일보 기자 부산항", ("부산항",)),
        ("기자 부산항 sea@post.example", ("부산항",)),
        ("기자 부산항 | 2026.05.03", ("부산항",)),
        ("특파원 부산항", ("부산항",)),
        ("기자 간담회", ()),
        ("기자 회견", ()),
        ("기자 프로필", ()),
        ("기자 부산항 구경했다", ()),
    ],
)
def test_a_korean_name_after_the_role(line: str, names: tuple[str, ...]) -> None:
    assert authors(f"<p>{line}</p>", "ko") == names


PROSE = f"<p>{'The quay wall cracked again, and the ferry waited for it. ' * 3}</p>"
LINK = "<a href=/n/4>School choir wins a boat</a>"
MARK = "<b class=author>Night Desk</b>"


@pytest.mark.parametrize(
    ("html", "names"),
    [
        (f"<div class=card>{LINK}{MARK}</div>", ()),
        (f"<div><h3>{LINK}</h3><p>By Night Desk</p></div>", ()),
        (
            f"<article><a href=/n/4><img></a>{LINK}<a rel=author href=/author/n>N D</a></article>",
            (),
        ),
        (f"<ul><li>{LINK} {MARK}<li>{LINK.replace('4', '5')} {MARK}</ul>", ()),
        ("<a href=/n/4><h4>School choir wins</h4><b class=author>Night Desk</b></a>", ()),
        (MARK, ("Night Desk",)),
        (f"<div>{MARK}<a href=/author/n>All posts by Night Desk</a></div>", ("Night Desk",)),
        (f"<div>{MARK}<a href=#comments>Leave a comment</a></div>", ("Night Desk",)),
        (f"<div>{MARK}{LINK}{LINK.replace('4', '5')}</div>", ("Night Desk",)),
    ],
)
def test_authors_of_teasers_below_are_no_authors(html: str, names: tuple[str, ...]) -> None:
    assert authors(f"{PROSE}<div>{html}</div>") == names
    assert authors(f"<p class=author>By Ada Quay</p>{PROSE}<div>{html}</div>")[:1] == ("Ada Quay",)


@pytest.mark.parametrize(
    "name",
    ["El Faro Diario", "el faro diario", "El Faro Diario Redacción", "Redacción El Faro Diario"],
)
@pytest.mark.parametrize(
    ("title", "meta"),
    [
        ("Night trains", "property=og:site_name"),
        ("Night trains", "name=publisher"),
        ("Night trains", "name=application-name"),
        ("Night trains - El Faro Diario", "name=x"),
        ("El Faro Diario | Night trains", "name=x"),
    ],
)
def test_a_byline_comes_before_an_author_that_is_the_site(title: str, meta: str, name: str) -> None:
    head = f'<meta {meta} content="El Faro Diario"><meta name=author content="{name}">'
    assert authors(f"{head}<p>Fog.</p>", "es", title) == (name,)
    for byline in ("p class=firma", "p class=autor", "a rel=author href=/a"):
        found = authors(f"{head}<{byline}>Lucía Muelle</{byline[0]}>", "es", title)
        assert found == ("Lucía Muelle",)
    assert authors(f"{head}<p>Por Lucía Muelle</p>", "es", title) == ("Lucía Muelle",)


def test_firma_is_a_signature_in_spanish_alone() -> None:
    assert authors("<p class=firma>Hafen Werke</p>", "de") == ()
    person = "<meta name=author content='Ada Quay'><p class=firma>Lucía Muelle</p>"
    assert authors(person, "es") == ("Ada Quay",)
