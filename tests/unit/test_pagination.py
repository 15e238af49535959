"""Articles on several pages: which page goes on in which, chains of parts, what parts repeat."""

from __future__ import annotations

import pytest

from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.pagination.address import MOST_PARTS, is_part_of, part_number
from crawler.core.pagination.parts import PartLinks, next_part, repeated_blocks, same_headline

SITE = "https://s.example"


def next_of(url: str, html: str) -> str | None:
    return next_part(
        parse(Page.from_text(SITE + url, f"<body><p>Text.</p>{html}</body>")), SITE + url
    )


JOINED = [
    # What a page says to machines, and the ways in which addresses have page numbers.
    ("/tour", '<link rel="next" href="/tour/2">', "/tour/2"),
    ("/tour/", '<link rel="next" href="/tour/2/">', "/tour/2/"),
    ("/tour/2/", '<link rel="next" href="/tour/3/">', "/tour/3/"),
    ("/tour", '<link rel="next" href="?page=2">', "/tour?page=2"),
    ("/tour?page=2", '<link rel="prev" href="?page=1"><link rel="next" href="?page=3">',
     "/tour?page=3"),
    ("/tour?page=1", '<a rel="next" href="?page=2">Go</a>', "/tour?page=2"),
    ("/?p=512", '<link rel="next" href="/?p=512&amp;page=2">', "/?p=512&page=2"),
    ("/read.php?id=7", '<a href="read.php?id=7&amp;page=2">Next</a>', "/read.php?id=7&page=2"),
    ("/tour", '<a rel="next nofollow" href="/tour/page/2">Go</a>', "/tour/page/2"),
    ("/tour.html", '<a href="/tour,2.html">Next page</a>', "/tour,2.html"),
    ("/tour.html", '<a href="tour_2.html">Next page: the gate</a>', "/tour_2.html"),
    ("/tour.html", '<a href="tour-2.html">2</a>', "/tour-2.html"),
    ("/tour_2.html", '<a href="tour.html">1</a> 2 <a href="tour_3.html">3</a>', "/tour_3.html"),
    ("/a/tour", '<a href="/a/tour-page2">Page 2 of 3</a>', "/a/tour-page2"),
    ("/a/tour.html", '<a href="/a/tour-seite-2.html">Seite 2</a>', "/a/tour-seite-2.html"),
    ("/news/2026/05/12/tour", '<a href="/news/2026/05/12/tour/2">&rsaquo;</a>',
     "/news/2026/05/12/tour/2"),
    # Drupal counts from 0.
    ("/tour", '<a title="Go to next page" href="/tour?page=0%2C1">next &rsaquo;</a>',
     "/tour?page=0%2C1"),
    ("/tour?page=1", '<a href="/tour?page=2">3</a>', "/tour?page=2"),
    # What readers see, in several languages.
    ("/tour", '<a href="/tour/2"><span>Next</span> »</a>', "/tour/2"),
    ("/tour", '<a href="/tour/2" aria-label="Next page"><img src="a.png"></a>', "/tour/2"),
    ("/tour", '<a href="/tour?seite=2">Nächste Seite</a>', "/tour?seite=2"),
    ("/tour", '<a href="/tour/2">Page suivante →</a>', "/tour/2"),
    ("/tour", '<a href="/tour/2">Página siguiente</a>', "/tour/2"),
    ("/tour", '<a href="/tour?page=2">다음 페이지</a>', "/tour?page=2"),
    ("/tour", '<a href="/tour?page=2">2페이지</a>', "/tour?page=2"),
    ("/tour", '<a href="/tour?page=2">次のページへ</a>', "/tour?page=2"),
    ("/tour.shtml", '<a href="/tour_2.shtml">下一页</a>', "/tour_2.shtml"),
    ("/tour", '<a href="/tour?page=2">Следующая страница</a>', "/tour?page=2"),
    ("/tour", '1 <a href="/tour/2">2</a> <a href="/tour/3">3</a>', "/tour/2"),
    ("/tour", '<a href="/tour/2">2 / 3</a>', "/tour/2"),
    # Another scheme, www, and marks of a visitor's way make no other page.
    ("/tour", '<link rel="next" href="http://www.s.example/tour/2?utm_source=a">',
     "http://www.s.example/tour/2"),
    # The page says it twice, the surer way counts.
    ("/tour", '<link rel="next" href="/tour/2"><a href="/tour?page=2">2</a>', "/tour/2"),
    ("/%EC%97%AC%ED%96%89.html", '<a href="/%EC%97%AC%ED%96%89-2.html">다음 페이지</a>',
     "/%EC%97%AC%ED%96%89-2.html"),
]  # fmt: skip


@pytest.mark.parametrize(("url", "html", "expected"), JOINED)
def test_the_next_page_of_an_article_is_found(url: str, html: str, expected: str) -> None:
    wanted = expected if "://" in expected else SITE + expected
    assert next_of(url, html) == wanted
    assert part_number(SITE + url, wanted) is not None


APART = [
    # Lists and archives.
    ("/", '<link rel="next" href="/page/2/">'),
    ("/page/2/", '<link rel="next" href="/page/3/">'),
    ("/?page=1", '<link rel="next" href="/?page=2">'),
    ("/blog/", '<a rel="next" href="/blog/page/2/">Next</a>'),
    ("/blog", '<a rel="next" href="/blog?page=2">Next page</a>'),
    ("/category/walks/", '<link rel="next" href="/category/walks/page/2/">'),
    ("/tag/heron", '<a rel="next" href="/tag/heron?page=2">2</a>'),
    ("/author/jane/", '<a href="/author/jane/page/2/">Older posts</a>'),
    ("/search?q=heron", '<a rel="next" href="/search?q=heron&amp;page=2">2</a>'),
    ("/2026/05/", '<link rel="next" href="/2026/05/page/2/">'),
    ("/2026/05", '<a rel="next" href="/2026/06">Next</a>'),
    ("/2026", '<a rel="next" href="/2026/2">Next</a>'),
    ("/walks", '<a rel="next" href="/walks/page/2">Older posts</a>'),
    # Other articles.
    ("/heron", '<link rel="next" href="/gate">'),
    ("/heron", '<a rel="next" href="/gate">Next page</a>'),
    ("/news/7", '<a rel="next" href="/news/1234">Next</a>'),
    ("/news/1", '<link rel="next" href="/news/2">'),
    ("/walks/", '<link rel="next" href="/walks-2/">'),
    ("/walks.html", '<link rel="next" href="/walks-2.html">'),
    ("/walks.html", '<a rel="next" href="/walks-2.html">Next</a>'),
    ("/walks", '<a href="/walks/2">Next article</a>'),
    ("/walks", '<a rel="next" href="/walks/2">다음 기사</a>'),
    ("/walks", '<a href="/walks-part-2">Part 2</a>'),
    ("/view?p=7", '<a href="/view?p=8">Next page of my diary</a>'),
    ("/view?id=7", '<a rel="next" href="/view?id=8">Next page</a>'),
    # Pages of comments.
    ("/heron", '<link rel="next" href="/heron/comment-page-2/#comments">'),
    ("/heron", '<a rel="next" href="/heron?cpage=2">Next</a>'),
    ("/heron", '<a rel="next" href="/heron?page=2#comments">2</a>'),
    ("/heron", '<div class="comments-pager"><a href="/heron?page=2">2</a></div>'),
    ("/heron", '<a href="/heron?page=2">Next comments</a>'),
    # Not the next one, not the same host, not alone, nothing at all.
    ("/tour", '<a href="/tour/3">3</a>'),
    ("/tour", '<a href="/tour/3">Next</a>'),
    ("/tour/2", '<a rel="prev" href="/tour">1</a>'),
    ("/tour/2", '<a href="/tour/2">2</a>'),
    ("/tour", '<link rel="next" href="https://t.example/tour/2">'),
    ("/tour", '<a href="/tour/2">2</a><a href="/tour?page=2">2</a>'),
    ("/tour", '<a href="/tour/2">Tickets for 2</a>'),
    ("/tour", '<a href="/tour/2?print=1">2</a>'),
    ("/tour", '<link rel="next" href="/tour/02"><link rel="next" href="/tour/102">'),
    ("/tour", '<link rel="next" href="#page2"><link rel="next" href="http://[2">'),
    ("/tour", '<a href="mailto:2@s.example">2</a><a>2</a><link rel="next" href="">'),
]


@pytest.mark.parametrize(("url", "html"), APART)
def test_what_leads_elsewhere_does_not_count(url: str, html: str) -> None:
    assert next_of(url, html) is None


@pytest.mark.parametrize(
    ("url", "following", "number"),
    [
        ("/tour", "/tour/2", 1),
        ("/tour/2", "/tour/3", 2),
        ("/tour/9/", "/tour/10/", 9),
        ("/tour?page=1", "/tour?page=2", 1),
        ("/tour", "/tour?page=1", 1),
        ("/tour?page=0", "/tour?page=1", 1),
        ("/tour?page=4", "/tour?page=5", 4),
        ("/tour/1", "/tour/2", None),
        ("/tour/2", "/tour/4", None),
        ("/tour/2", "/tour?page=3", None),
        ("/tour/2", "/tour", None),
        ("/tour", "/tour", None),
        ("/tour", "/tour/101", None),
    ],
)
def test_parts_are_numbered_by_their_addresses(
    url: str, following: str, number: int | None
) -> None:
    assert part_number(SITE + url, SITE + following) == number


def test_all_parts_of_an_article_are_known_by_their_addresses() -> None:
    for url in ("/news/20260501", "/news/20260501?page=2"):
        assert is_part_of(SITE + url, f"{SITE}/news/20260501?page=3")
        assert not is_part_of(SITE + url, f"{SITE}/news/20260502?page=3")
        assert not is_part_of(SITE + url, f"{SITE}/news?page=2")
    assert not is_part_of(f"{SITE}/news", f"{SITE}/news?page=2")


def test_no_address_at_all_has_no_parts() -> None:
    assert part_number("saved/page-1.html", "saved/page-2.html") is None
    assert part_number("http://[1", "http://[2") is None
    page = Page.from_text("saved/tour.html", '<link rel="next" href="tour-2.html">')
    assert next_part(parse(page), page.url) is None


def test_a_page_of_nothing_but_pagers_is_read_quickly() -> None:
    links = "".join(f'<a href="/tour/{n % 7}?page={n}">Next</a>' for n in range(4_000))
    deep = "<div>" * 500 + '<a href="/tour/2">2</a>' * 2_000
    assert next_of("/tour", links) is None
    assert next_of("/tour", deep) == f"{SITE}/tour/2"
    assert part_number(f"{SITE}/{'-a' * 990}", f"{SITE}/{'-a' * 990}-2") is None


@pytest.mark.parametrize("latest_alone", [False, True], ids=["all", "latest"])
def test_a_page_held_before_it_goes_on_is_no_sure_part(*, latest_alone: bool) -> None:
    chains = []
    for order in ((None, "/a/2"), ("/a/2", None)):
        links = PartLinks(latest_alone=latest_alone)
        links.add("https://s.example/a/2", None)
        for following in order:
            links.add("https://s.example/a", f"https://s.example{following}" if following else None)
        chains.append(links.chains())
    whole = [("https://s.example/a", "https://s.example/a/2")] if latest_alone else []
    assert chains == [whole, whole]


class TestChains:
    def links(self, *pairs: tuple[str, str | None], latest_alone: bool = False) -> PartLinks:
        links = PartLinks(latest_alone=latest_alone)
        for url, following in pairs:
            links.add(SITE + url, SITE + following if following else None)
        return links

    def chains(self, *pairs: tuple[str, str | None], latest_alone: bool = False) -> list[list[str]]:
        found = self.links(*pairs, latest_alone=latest_alone).chains()
        return [[url.removeprefix(SITE) for url in chain] for chain in found]

    def test_slash_scheme_and_www_do_not_part_a_chain(self) -> None:
        assert self.chains(("/a", "/a/2"), ("/a/2/", None)) == [["/a", "/a/2/"]]
        links = self.links(("/a/2", None))
        links.add(f"{SITE}/a", "http://www.s.example/a/2")
        assert links.chains() == [(f"{SITE}/a", f"{SITE}/a/2")]

    def test_numbers_of_articles_have_no_first_part(self) -> None:
        pairs = [(f"/news/{n}", f"/news/{n + 1}") for n in range(1, 9)]
        assert self.chains(*pairs, ("/news/9", None)) == []

    def test_circles_and_gaps_have_no_chain(self) -> None:
        assert self.chains(("/a/2", "/a/3"), ("/a/3", "/a/2")) == []
        assert self.chains(("/a", "/a")) == []
        assert self.chains(("/a", "/a/2"), ("/a/3", None)) == []

    def test_two_heads_of_one_part_have_none(self) -> None:
        twice = [("/a?page=1", "/a?page=2"), ("/a/?page=1", "/a?page=2"), ("/a?page=2", None)]
        assert self.chains(*twice) == []
        assert self.chains(*twice, ("/a", "/a?page=2")) == [["/a", "/a?page=2"]]

    def test_an_address_that_leaves_twice_is_no_part(self) -> None:
        twice = [("/a", "/a/2"), ("/a/2", None), ("/a/2", None)]
        assert self.chains(*twice) == []
        assert self.chains(*twice, latest_alone=True) == [["/a", "/a/2"]]
        changed = [("/a", "/a/2"), ("/a", "/a?page=2"), ("/a/2", None), ("/a?page=2", None)]
        assert self.chains(*changed, latest_alone=True) == []

    def test_a_pager_without_an_end_is_no_article(self) -> None:
        pairs: list[tuple[str, str | None]] = [("/a", "/a/2")]
        pairs += [(f"/a/{n}", f"/a/{n + 1}") for n in range(2, MOST_PARTS)]
        assert [len(chain) for chain in self.chains(*pairs, (f"/a/{MOST_PARTS}", None))] == [
            MOST_PARTS
        ]
        assert self.chains(*pairs, (f"/a/{MOST_PARTS}", f"/a/{MOST_PARTS + 1}")) == [
            ["/a", *(f"/a/{n}" for n in range(2, MOST_PARTS + 1))]
        ]


@pytest.mark.parametrize(
    ("first", "other", "same"),
    [
        ("Tour", "Tour", True),
        ("Tour", "Tour (2)", True),
        ("Tour", "Tour (2/3)", True),
        ("Tour", "Tour - Page 2", True),
        ("Tour - Page 1 of 3", "Tour - Page 2 of 3", True),
        ("Eine Reise", "Eine Reise | Seite 2", True),
        ("여행", "여행 2페이지", True),
        ("旅行", "旅行 第2页", True),
        ("A tour of the north", "A tour of the north: the return", True),
        ("Tour", "Tour of the south", False),
        ("Tour 7", "Tour 8", False),
        ("A tour of the north", "What is new", False),
        (None, "What is new", True),
        ("Tour", None, True),
    ],
)
def test_headlines_are_compared_without_page_numbers(
    first: str | None, other: str | None, *, same: bool
) -> None:
    assert same_headline([first], [other]) is same


def test_what_parts_repeat_is_said_once() -> None:
    parts = [
        ["Tour", "By the editors", "One.", "Two.", "The editors walk.", "Page 1 of 3"],
        ["Tour (page 2)", "By the editors", "Three.", "The editors walk.", "Next page"],
        ["2", "Tour", "Four.", "Two.", "The editors walk."],
    ]
    out = repeated_blocks(parts, "Tour")
    said = [[text for n, text in enumerate(texts) if n not in left]
            for texts, left in zip(parts, out, strict=True)]  # fmt: skip
    assert said == [
        ["Tour", "By the editors", "One.", "Two."],
        ["Three."],
        ["2", "Tour", "Four.", "Two.", "The editors walk."],
    ]
    assert repeated_blocks([["Page 1"], [], ["A", "A"]], None) == [
        frozenset({0}), frozenset(), frozenset()
    ]  # fmt: skip
