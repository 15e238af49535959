"""What kind of page a page is: rules for each kind, and pages that must not be taken for others."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from crawler.core.errors import CorpusError
from crawler.core.flow import Page, read
from crawler.core.pagetype.address import Address, page_words
from crawler.core.pagetype.evidence import PageEvidence
from crawler.core.pagetype.judge import KINDS, LEARNED, PageType, TypeJudge, decide, page_type
from crawler.core.trees import sigmoid
from crawler.core.words import fold

ONLY = {"article"}
NAV = "".join(f'<li><a href="/{name}">The {name} pages</a></li>' for name in "abcdefghijklmnop")
SENTENCE = "The board on the north pier is two metres tall, and painted in red and white bands. "
PROSE = f"<p>{SENTENCE * 3}</p><p>{SENTENCE * 2}</p><p>{SENTENCE * 3}</p>"


def framed(main: str, title: str = "The tide", head: str = "", body: str = "") -> str:
    return (
        f"<html><head><title>{title} | Gazette</title>{head}</head><body {body}>"
        f"<ul>{NAV}</ul><main>{main}</main><footer><p>© Gazette</p></footer></body></html>"
    )


def type_of(
    html: str, url: str = "https://gazette.example/nature/how-the-tide-is-read"
) -> PageType:
    return page_type(read(Page.from_text(url, html)))


def teasers(count: int) -> str:
    return "".join(
        f'<div class="card"><h3><a href="/n/{n}">What was seen on day {n}</a></h3>'
        f"<p>A short line on day {n}.</p></div>"
        for n in range(count)
    )


SURVIVORS = {
    "news": framed(f"<article><h1>How the tide is read</h1><time>1 May</time>{PROSE}</article>"),
    "short post": framed(f"<h1>Back soon</h1><p>{SENTENCE}</p>"),
    "one line": "<p>Short line.</p>",
    "links": framed(
        "<h1>What we read this week</h1>"
        + "".join(
            f'<p>{SENTENCE}It is told <a href="https://o.example/{n}">in this piece</a>.</p>'
            for n in range(12)
        )
    ),
    "interview": framed(
        "<h1>Ten questions to a keeper</h1>"
        + f"<p><b>How tall is it?</b></p><p>{SENTENCE}</p>" * 8,
        title="Ten questions to a keeper",
    ),
    "recipe": framed(
        "<h1>Rye bread</h1><p>A loaf for a long week at sea, with little work to it.</p>"
        "<ul><li>500 g of rye flour</li><li>10 g of salt</li><li>Water</li></ul>"
        f"<ol><li>{SENTENCE}</li><li>{SENTENCE}</li><li>Bake for an hour.</li></ol>",
        head='<script type="application/ld+json">{"@type": "Recipe", "name": "Rye bread"}</script>',
    ),
    "korean": framed(
        "<h1>물때를 읽는 법</h1>"
        + "<p>북쪽 부두의 판자는 높이가 이 미터이고 붉은 띠와 흰 띠로 칠해져 있다. 삼십 년 동안 "
        "아무도 눈여겨보지 않았다. 그런데 어느 봄날 아침 그 판자가 사라졌다.</p>" * 4
    ),
    "about errors": framed(
        f"<h1>Error 404: why pages go missing</h1>{PROSE}", title="Error 404: why pages go missing"
    ),
    "with a form to sign in": framed(
        f'<form><input type="password"></form><h1>Login, a short history</h1>{PROSE}'
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SURVIVORS)
def test_an_article_is_never_left_out(name: str) -> None:
    assert type_of(SURVIVORS[name]).is_among(ONLY)


@pytest.mark.parametrize("name", ["news", "korean", "links"])
def test_an_article_is_called_one(name: str) -> None:
    assert type_of(SURVIVORS[name]).kind == "article"


LOST = [
    ("error", "<h1>Page not found</h1><p>Try the search.</p>", "Page not found", "/2026/x"),
    ("error", "<h1>404</h1><p>Nothing is here.</p>", "Gazette", "/2026/x"),
    ("error", "<h1>페이지를 찾을 수 없습니다.</h1>", "오류", "/2026/x"),
    ("error", "<h1>Oops! Seite nicht gefunden</h1>", "Zeitung", "/2026/x"),
    ("login", '<h1>Sign in</h1><input type="password">', "Sign in", "/2026/x"),
    ("login", '<h2>로그인</h2><form><input type="password"></form>', "신문", "/member"),
    ("login", "<h1>Log in</h1><p>One moment.</p>", "Log in", "/login"),
    ("listing", f"<h1>Search results for tide</h1>{teasers(9)}", "Search", "/search?q=tide"),
    ("listing", f"<h1>Tag: sea</h1>{teasers(9)}", "Sea", "/tag/sea/"),
    ("listing", f"<h1>2026</h1>{teasers(9)}", "May", "/2026/05/"),
    ("listing", f"<h1>News</h1>{teasers(9)}", "News", "/news/page/3"),
    ("front", f"<h1>Gazette</h1>{teasers(9)}", "Gazette", "/"),
    ("front", f"<h1>Gazette</h1>{teasers(9)}", "Gazette", "/ko/index.html"),
]


@pytest.mark.parametrize(("kind", "main", "title", "path"), LOST)
def test_what_is_no_article_is_told_and_left_out(
    kind: str, main: str, title: str, path: str
) -> None:
    found = type_of(framed(main, title), f"https://gazette.example{path}")
    assert (found.kind, found.article) == (kind, 0.0)
    assert not found.is_among(ONLY)
    assert found.is_among({kind, "forum"})


def test_the_theme_of_a_page_may_tell() -> None:
    page = framed(teasers(3), body='class="archive category-sea"')
    assert type_of(page).kind == "listing"
    assert type_of(framed("<p>Hm.</p>", body='class="error404"')).kind == "error"


def test_a_page_without_visible_text_is_empty() -> None:
    assert type_of("<title>App</title><div id='root'></div><script>go()</script>").kind == "empty"


def test_a_section_with_teasers_is_left_out_by_its_address_and_headings() -> None:
    page = framed(f"<h1>Nature</h1><p>{SENTENCE}</p>{teasers(12)}", "Nature")
    found = type_of(page, "https://gazette.example/nature")
    assert not found.is_among(ONLY)
    assert found.kind == "listing"


def test_a_page_that_calls_itself_an_article_is_believed_rather_than_its_address() -> None:
    head = '<meta property="og:type" content="article">'
    page = framed(f"<article><h1>The tide</h1>{PROSE}</article>", head=head)
    for path in ("/", "/archive/the-tide", "/2026/05/", "/search?q=tide"):
        assert type_of(page, f"https://gazette.example{path}").kind == "article"


def test_in_doubt_a_page_is_an_article() -> None:
    doubtful = PageType("documentation", 0.5, 0.3)
    assert doubtful.is_among(ONLY)
    assert not doubtful.is_among({"product"})
    assert not PageType("documentation", 0.9, 0.05).is_among(ONLY)


def test_an_address_is_taken_apart() -> None:
    address = Address(("file:///x", None, "https://docs.a.example/Blog/2026/a-b-c-d?utm_x=1&p=2"))
    assert address.segments == ("blog", "2026", "a-b-c-d")
    assert address.queries == ("p",)
    assert "docs" in address.words
    assert "c" not in address.words, "the words of a headline are of its subject"
    assert not Address(("file:///x", "http://[bad/")).known
    roots = ("/", "/en", "/ko-KR/", "/index.php", "/de/index.html")
    assert all(Address((f"https://a.example{path}",)).is_root for path in roots)
    assert not any(
        Address((f"https://a.example{path}",)).is_root for path in ("/?p=12", "/news", "/en/a")
    )


def test_a_figure_is_asked_whatever_the_page_is() -> None:
    names = {
        tuple(PageEvidence(read(Page.from_text(url, html))).features)
        for url in ("file:///x", "https://a.example/b")
        for html in ("<p>a</p>", SURVIVORS["recipe"], framed(teasers(4)))
    }
    (one,) = names
    assert TypeJudge.shipped().trees["article"].names == one


def features(html: str) -> dict[str, float]:
    return PageEvidence(read(Page.from_text("https://a.example/b", html))).features


def test_each_text_with_a_price_counts_once_and_none_reaches_into_the_next() -> None:
    texts = ("$5 and $ 7", "about 12 kr", "12 krill", "chapter 3", "€uro", "7", "kr", "9,99€")
    found = features("".join(f"<p>{text}</p>" for text in texts))
    assert found["shop: prices"] == pytest.approx(math.log1p(3))


def test_a_label_is_told_with_signs_around_it_and_as_a_whole() -> None:
    texts = ("» ADD _to_ cart!", "Add to cart", "Sold out", "Add to cart now", "Add", "to cart")
    found = features("".join(f"<p>{text}</p>" for text in texts))
    assert found["shop: buttons"] == 2


def test_names_are_told_by_parts_of_words_and_by_parts_of_several() -> None:
    found = features(
        "<div class='PostCard'><p class='x-page-numbers'>a</p><p class='Page'>b</p></div>"
    )
    assert found["names: post"] == found["names: card"] == pytest.approx(math.log1p(1))
    assert found["names: pager"] == pytest.approx(math.log1p(1))


def test_trees_asked_at_once_say_what_each_ensemble_says() -> None:
    judge = TypeJudge.shipped()
    for html in SURVIVORS.values():
        row = features(html)
        alone = {
            kind: float(sigmoid(trees.score([list(row.values())]))[0])
            for kind, trees in judge.trees.items()
        }
        assert judge.likelihoods(row) == pytest.approx(alone, abs=1e-9)


def test_ensembles_of_different_features_make_no_judge() -> None:
    trees = dict(TypeJudge.shipped().trees)
    last = trees["service"]
    trees["service"] = replace(last, names=tuple(reversed(last.names)))
    with pytest.raises(CorpusError, match="learn them again"):
        TypeJudge(trees)


def test_weights_of_other_features_are_refused() -> None:
    with pytest.raises(CorpusError, match="learn them again"):
        TypeJudge.shipped().likelihoods({"address: depth": 1.0})


def test_kinds_and_words_are_whole() -> None:
    assert set(LEARNED) < set(KINDS)
    texts = page_words().texts
    assert {"page not found", "페이지를 찾을 수 없습니다"} <= set(texts["error"])
    assert all(text == fold(text) for text in (*texts["error"], *texts["login"], *texts["search"]))


def test_long_scripts_of_nothing_are_read_in_time() -> None:
    blank = '"@type":' + " " * 150_000
    html = f'<script type="application/ld+json">{blank}</script>{PROSE}'
    assert type_of(html).kind == "article"


@pytest.mark.parametrize(
    ("links", "kind"), [(20, "forum"), (0, "article")], ids=["among links", "with little around"]
)
def test_of_several_likely_kinds_the_likeliest_is_found(links: int, kind: str) -> None:
    around = "<p><a href=/x>Members and their posts</a></p>" * links
    html = f"<h1>The quay</h1><p>{'Nobody saw the wall crack at noon. ' * 9}</p>{around}"
    evidence = PageEvidence(read(Page.from_text("https://a.example/t/the-quay-wall-of-1904", html)))
    likelihoods = {**dict.fromkeys(LEARNED, 0.1), "article": 0.6, "forum": 0.8}
    assert decide(evidence, likelihoods).kind == kind
    assert decide(evidence, {**likelihoods, "article": 0.85}).kind == "article"
