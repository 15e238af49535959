"""Traps, twins, sources in turn, and what pages ask of robots."""

from __future__ import annotations

from logging import LoggerAdapter, getLogger

import pytest

from crawler.discovery.frontier import Visit
from crawler.discovery.guesses import plain_address
from crawler.discovery.scope import Scope
from crawler.discovery.sources import Reading, Sources, read_source
from crawler.discovery.url_traps import Traps, address_pattern
from support.pace import within

BASE = "http://a.example"


def test_a_pattern_leaves_numbers_and_values_out() -> None:
    assert address_pattern(f"{BASE}/page/12") == "a.example/page/#"
    assert address_pattern(f"{BASE}/x?a1=5&b=6") == "a.example/x?a#&b"


def test_barren_lists_in_a_row_end_a_pattern_and_no_other() -> None:
    traps = Traps(Scope(max_barren=3))
    for number, new in enumerate((4, 0, 0, 1, 0, 0)):
        assert traps.judge(f"{BASE}/page/{number}", "listing") == ""
        traps.note(f"{BASE}/page/{number}", "listing", new)
    assert traps.judge(f"{BASE}/page/7", "listing") == ""
    traps.note(f"{BASE}/page/7", "listing", 0)
    assert traps.judge(f"{BASE}/page/8", "listing") == "barren"
    assert traps.judge(f"{BASE}/tag/x/page/8", "listing") == ""
    traps.note(f"{BASE}/1234", "article", 0)
    assert traps.judge(f"{BASE}/1235", "article") == ""
    assert Traps(Scope(max_barren=0)).judge(f"{BASE}/page/8", "listing") == ""


def test_calendars_facets_and_variants_are_cut_and_articles_are_not() -> None:
    traps = Traps(Scope(max_variants=5, max_facets=3), horizon="2026-12-28")
    assert traps.judge(f"{BASE}/calendar/2027/01/", "listing") == "calendar"
    assert traps.judge(f"{BASE}/calendar/2026/12/", "listing") == ""
    assert traps.judge(f"{BASE}/2031/01/01/a-story-of-the-future", "article") == ""
    cut = [traps.judge(f"{BASE}/shop?{names}", "") for names in ("a=1", "b=1", "a=1&b=1", "c=1")]
    assert cut == ["", "", "", "facets"]
    cut = [traps.judge(f"{BASE}/x?n={number}", "") for number in range(7)]
    assert cut == [""] * 5 + ["variants"] * 2
    assert {traps.judge(f"{BASE}/v?id={number}", "article") for number in range(50)} == {""}


def test_a_pattern_of_articles_is_none_of_lists() -> None:
    traps = Traps(Scope(max_barren=1))
    traps.note(f"{BASE}/?tag=1&title=a", "listing", 0)
    for number in range(3):
        assert traps.learned_kind(f"{BASE}/?tag=1&title={number}", "listing") == "listing"
        assert traps.judge(f"{BASE}/?tag=1&title={number}", "listing") == "barren"
        traps.note_article(f"{BASE}/?tag=1&title={number}")
    assert traps.learned_kind(f"{BASE}/?tag=1&title=z", "listing") == ""
    assert traps.judge(f"{BASE}/?tag=1&title=z", "listing") == ""
    assert traps.learned_kind(f"{BASE}/?tag=1", "listing") == "listing"


def test_what_has_the_number_of_an_article_varies_by_that() -> None:
    traps = Traps(Scope(max_variants=5))
    cut = [traps.judge(f"{BASE}/v?cat=3&id={number}", "") for number in range(50)]
    assert cut == [""] * 50
    cut = [traps.judge(f"{BASE}/v?cat={number}&id=7", "") for number in range(7)]
    assert cut == [""] * 4 + ["variants"] * 3


def test_visits_named_in_the_path_are_variants_of_one_address() -> None:
    traps = Traps(Scope(max_variants=3, max_barren=2))
    visits = [f"{number:032x}".replace("0", "f", 1) for number in range(10**9, 10**9 + 6)]
    assert address_pattern(f"{BASE}/s/{visits[0]}/news") == "a.example/s/*/news"
    cut = [traps.judge(f"{BASE}/s/{visit}/news", "") for visit in visits]
    assert cut == [""] * 3 + ["variants"] * 3
    for number, visit in enumerate(visits[:2]):
        traps.note(f"{BASE}/s/{visit}/page/{number}", "listing", 0)
    assert traps.is_barren(f"{BASE}/s/{visits[2]}/page/7", "listing")
    assert {traps.judge(f"{BASE}/item/{visit}", "") for visit in visits} == {""}


def test_cut_addresses_are_logged_once_and_those_of_traps_by_pattern(
    caplog: pytest.LogCaptureFixture,
) -> None:
    traps, logger = Traps(Scope(max_barren=3)), LoggerAdapter(getLogger("cuts"))
    with caplog.at_level("INFO", logger="cuts"):
        for number in range(4):
            assert traps.count_cut("barren", f"{BASE}/page/{number}", logger)
            assert traps.count_cut("length", f"{BASE}/{number}", logger)
        assert not traps.count_cut("length", f"{BASE}/0", logger)
        traps.log_cut(logger)
    assert traps.cut == {("barren", "a.example/page/#"): 4}
    first, last = caplog.messages
    assert f"{BASE}/0" in first
    assert "4 addresses like a.example/page/#" in last
    assert "-a max_barren=0" in last


@pytest.mark.parametrize(
    ("path", "plain", "reason"),
    [
        ("/a/1/amp/", "/a/1/", "twin"),
        ("/a/1/amp", "/a/1", "twin"),
        ("/a/1?amp=1&x=2", "/a/1?x=2", "twin"),
        ("/a/1?print=1", "/a/1", "twin"),
        ("/a/1?m=1", "/a/1", "twin"),
        ("/a/1.amp.html", "/a/1.html", "twin"),
        ("/a/1?outputType=amp", "/a/1", "twin"),
        ("/(S(abcdefghij0123456789abcd))/x", "/x", "session"),
        ("/a?sid=0123456789abcdef0123", "/a", "session"),
        ("/a?sid=politics", "/a?sid=politics", ""),
        ("/2026/a/comment-page-2/", "/2026/a/", "twin"),
        ("/2026/a.html?commentPage=2", "/2026/a.html", "twin"),
        ("/wp-login.php?redirect_to=http%3A%2F%2Fa.example%2Fa", "/wp-login.php", "session"),
        ("/user/login?destination=node/12", "/user/login", "session"),
        ("/trips?destination=paris", "/trips?destination=paris", ""),
        ("/amp", "/amp", ""),
        ("/print", "/print", ""),
        ("/a?m=202605", "/a?m=202605", ""),
    ],
)
def test_twins_lead_to_the_page_itself(path: str, plain: str, reason: str) -> None:
    assert plain_address(f"{BASE}{path}") == (f"{BASE}{plain}", reason)


def reading_of(body: str, scope: Scope | None = None) -> Reading:
    return read_source(body.encode(), f"{BASE}/s.xml", "", scope or Scope())


def test_a_source_names_pages_with_kind_date_and_what_is_cut() -> None:
    reading = reading_of(
        f"<urlset><url><loc>{BASE}/2026/05/01/a-b</loc></url>"
        f"<url><loc>{BASE}/x/amp/</loc><lastmod>2026-05-02</lastmod></url>"
        f"<url><loc>{BASE}/file.pdf</loc></url><url></url></urlset>"
    )
    assert [(page.address, page.kind, page.date) for page in reading.pages] == [
        (f"{BASE}/2026/05/01/a-b", "article", "2026-05-01"),
        (f"{BASE}/x/", "", "2026-05-02"),
    ]
    assert [reason for reason, _ in reading.cut] == ["twin", "file-type"]
    assert reading.listing.problems == {"address-missing": 1}


def test_a_wanted_language_is_found_beside_an_unwanted_one() -> None:
    reading = reading_of(
        f'<urlset xmlns:xhtml="x"><url><loc>{BASE}/en/a</loc>'
        f'<xhtml:link rel="alternate" hreflang="en" href="{BASE}/en/a"/>'
        f'<xhtml:link rel="alternate" hreflang="ko" href="{BASE}/ko/a"/></url></urlset>',
        Scope(lang=("ko",)),
    )
    assert [page.address for page in reading.pages] == [f"{BASE}/ko/a"]
    assert reading.cut == [("lang", f"{BASE}/en/a")]


def addresses(visits: list[Visit]) -> list[str]:
    return [visit.address.removeprefix(BASE) for visit in visits]


def test_usual_places_are_tried_until_one_holds_a_listing() -> None:
    sources = Sources("a.example")
    robots, feed = sources.begin(f"{BASE}/", [])
    assert (robots.source, feed.source, feed.usual) == ("robots", "feed", 1)
    (first,) = sources.after_nothing(robots)
    (second,) = sources.after_nothing(first)
    assert addresses([first, second]) == ["/sitemap.xml", "/sitemap_index.xml"]
    assert [first.group, second.group] == ["first", "guess"]
    assert (
        sources.after(second, reading_of(f"<urlset><url><loc>{BASE}/x</loc></url></urlset>")) == []
    )
    assert sources.after_nothing(second) == []


def test_named_sources_are_read_up_to_the_limit_and_depth() -> None:
    sources = Sources("a.example", most=3)
    sources.begin(f"{BASE}/", [])
    (named,) = sources.after_robots([f"{BASE}/index.xml"])
    older, newer = (
        f"<sitemap><loc>{BASE}/{day}.xml</loc><lastmod>2026-05-0{day}</lastmod></sitemap>"
        for day in (1, 2)
    )
    index = reading_of(
        f"<sitemapindex>{older}{older.replace('1.xml', '0.xml')}{newer}</sitemapindex>"
    )
    assert addresses(sources.after(named, index)) == ["/2.xml", "/1.xml"]
    assert sources.left_unread == 1
    deep = Visit(f"{BASE}/deep.xml", "a.example", 3, source="sitemap")
    assert sources.after(deep, index) == []
    assert sources.left_unread == 4
    outdated = reading_of(f"<sitemapindex>{older}{newer}</sitemapindex>", Scope(since="2026-05-02"))
    assert outdated.outdated == 1
    assert outdated.sitemaps == [(f"{BASE}/2.xml", "2026-05-02")]


def test_only_what_is_wanted_is_begun() -> None:
    assert Sources("a.example", wanted=("links",)).begin(f"{BASE}/", [f"{BASE}/feed"]) == []
    (feed,) = Sources("a.example", wanted=("feed",)).begin(f"{BASE}/", [f"{BASE}/feed"])
    assert (feed.address, feed.usual) == (f"{BASE}/feed", 0)


def test_hostile_addresses_take_linear_time() -> None:
    plain = f"{BASE}/{'2026/' * 380}?{'&'.join(['a=1'] * 20)}"
    traps = Traps(Scope(), horizon="2026-12-28")
    told = set()
    with within(5):
        for number in range(1000):
            address = f"{plain}&sid={'0' * 200}{number}"
            told.add((*plain_address(address), traps.judge(address, "")))
    assert told == {(plain, "session", "")}
