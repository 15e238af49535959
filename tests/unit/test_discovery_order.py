"""Which address is fetched next, what is guessed of it, and what a user's choice leaves out."""

from __future__ import annotations

import pickle
import re

import pytest

from crawler.core.errors import ArgumentError
from crawler.core.listings.entries import Alternate, Entry
from crawler.discovery.frontier import Frontier, Visit
from crawler.discovery.guesses import address_date, address_language, guess_kind
from crawler.discovery.scope import Scope
from crawler.spiders.arguments import SiteArguments, parse_arguments

BASE = "http://a.example"


def frontier_of(*visits: Visit, max_pages: int = 0, ahead: int = 0) -> tuple[Frontier, str]:
    frontier = Frontier(max_pages, ahead)
    site = frontier.add_root(f"{BASE}/")
    for visit in visits:
        assert frontier.add(visit.on(site))
    return frontier, site


def page(name: str, kind: str = "article", date: str = "", depth: int = 1) -> Visit:
    return Visit(f"{BASE}/{name}", "", depth, kind, date)


def names(visits: list[Visit]) -> str:
    return " ".join(visit.address.rpartition("/")[2] for visit in visits)


def test_articles_come_first_and_the_newest_of_them() -> None:
    frontier, site = frontier_of(
        page("list", "listing", "2026-06-01"),
        page("unknown", "", "2026-06-01"),
        page("undated-far", depth=2),
        page("undated-near"),
        page("month", date="2026-05"),
        page("day", date="2026-05-20"),
        page("evening", date="2026-05-20T20:00:00+09:00"),
        page("noon", date="2026-05-20T12:00:00Z"),
        page("wrong", date="yesterday"),
    )
    expected = "noon evening day month undated-near wrong undated-far unknown list"
    assert names(frontier.next_visits(site)) == expected


def test_no_page_is_given_out_before_the_sources_are_read() -> None:
    start = Visit(f"{BASE}/start", "", 0, found_by="start")
    first = Visit(f"{BASE}/map", "", 0, date="2026-05-01", source="sitemap")
    newer = Visit(f"{BASE}/newer-map", "", 1, date="2026-05-02", source="sitemap")
    frontier, site = frontier_of(page("x"), first, start)
    visits = frontier.next_visits(site)
    assert names(visits) == "start map"
    frontier.finish(visits[0])
    assert frontier.next_visits(site) == []
    assert frontier.add(newer.on(site))
    assert names(frontier.next_visits(site)) == "newer-map"
    frontier.finish(visits[1])
    frontier.finish(newer.on(site))
    frontier.gives_pages = False
    assert frontier.next_visits(site) == []
    frontier.gives_pages = True
    assert names(frontier.next_visits(site)) == "x"


def test_pages_do_not_wait_for_the_second_and_further_guesses() -> None:
    def guess(name: str, number: int) -> Visit:
        return Visit(f"{BASE}/{name}", "", 0, source="sitemap", usual=number)

    first = guess("map1", 1)
    frontier, site = frontier_of(page("1"), page("2"), page("3"), first, ahead=2)
    assert frontier.next_visits(site) == [first.on(site)]
    assert frontier.add(guess("map2", 2).on(site))
    assert frontier.add(guess("feed2", 2).on(site))
    frontier.finish(first.on(site))
    second, one = visits = frontier.next_visits(site)
    assert names(visits) == "map2 1"
    assert frontier.add(guess("map3", 3).on(site))
    frontier.finish(one)
    assert names(frontier.next_visits(site)) == "2"
    frontier.finish(second)
    assert names(frontier.next_visits(site)) == "feed2"
    assert frontier.forget_under_way() == 2
    assert names(frontier.next_visits(site)) == "map3 3"


def test_few_visits_are_given_out_ahead_so_that_newer_ones_can_go_before() -> None:
    frontier, site = frontier_of(page("1"), page("2"), page("3"), ahead=2)
    visits = frontier.next_visits(site)
    assert names(visits) == "1 2"
    assert frontier.add(Visit(f"{BASE}/new", site, 5, "article", "2026-06-01"))
    frontier.finish(visits[0])
    assert names(frontier.next_visits(site)) == "new"
    assert frontier.forget_under_way() == 2
    assert names(frontier.next_visits(site)) == "3"


def test_a_waiting_page_takes_the_most_exact_date_in_any_order_of_sources() -> None:
    known = (page("a", ""), page("a", "", "2026-05"), page("a", "article", "2026-05-02T10:00"))
    for order in (known, known[::-1]):
        frontier, site = frontier_of(order[0])
        for visit in order[1:]:
            assert not frontier.add(visit.on(site))
        assert frontier.add(page("b", date="2026-05-02").on(site))
        visits = frontier.next_visits(site)
        assert names(visits) == "a b"
        assert visits[0].date == "2026-05-02T10:00"
        assert not frontier.add(page("a", "article", "2026-07-01").on(site))
        assert frontier.next_visits(site) == []


def test_sources_and_pages_that_are_not_handed_over_leave_the_page_limit_alone() -> None:
    source = Visit(f"{BASE}/map", "", 0, source="feed")
    frontier, site = frontier_of(source, page("1"), page("2"), max_pages=1)
    frontier.finish(frontier.next_visits(site)[0])
    (first,) = frontier.next_visits(site)
    frontier.finish(first)
    assert frontier.take(first.address, site)
    assert frontier.left_out(site) == 1
    frontier.give_back(site)
    kept: Frontier = pickle.loads(pickle.dumps(frontier))
    assert names(kept.next_visits(site)) == "2"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "listing"),
        ("/2026/11/27/night-train", "article"),
        ("/news/20261127/night", "article"),
        ("/2026/11/", "listing"),
        ("/2026/", "listing"),
        ("/archive/2026-11-27", "listing"),
        ("/archives/12345", "article"),
        ("/tag/night-trains-are-back-again", "listing"),
        ("/news/page/2", "listing"),
        ("/news/page-2", "listing"),
        ("/view.php?idxno=512", "article"),
        ("/view.php?idxno=512&page=2", ""),
        ("/?p=12", "article"),
        ("/shop?sort=price", "listing"),
        ("/the-night-train-is-back", "article"),
        ("/story-123456.html", "article"),
        ("/politics", ""),
        ("/about-us", ""),
        ("/a?x=1", ""),
    ],
)
def test_the_kind_of_a_page_is_guessed_by_its_address(path: str, kind: str) -> None:
    assert guess_kind(f"{BASE}{path}") == kind


@pytest.mark.parametrize(
    ("path", "date"),
    [
        ("/2026/11/7/x", "2026-11-07"),
        ("/2026-11-27-x", "2026-11-27"),
        ("/x/20261127/y", "2026-11-27"),
        ("/2026/11/", "2026-11"),
        ("/2026/", "2026"),
        ("/cal?year=2031&month=5", "2031-05"),
        ("/cal?month=2031-05", "2031-05"),
        ("/x/1234202611275", ""),
        ("/2026/13/x", "2026"),
        ("/about", ""),
    ],
)
def test_the_date_in_an_address_is_read(path: str, date: str) -> None:
    assert address_date(f"{BASE}{path}") == date


@pytest.mark.parametrize(
    ("path", "language"),
    [("/ko/x", "ko"), ("/pt-BR/x", "pt"), ("/x?lang=en", "en"), ("/tv/x", ""), ("/news/ko", "")],
)
def test_the_language_in_an_address_is_read(path: str, language: str) -> None:
    assert address_language(f"{BASE}{path}") == language


def entry(**fields: str) -> Entry:
    return Entry(**{"url": f"{BASE}/story", **fields})  # type: ignore[arg-type] # texts alone


@pytest.mark.parametrize(
    ("scope", "listed", "reason"),
    [
        (Scope(), entry(published="1990-01-01"), ""),
        (Scope(since="2026-05"), entry(published="2026-05-01T00:00:00Z"), ""),
        (Scope(since="2026-05"), entry(published="2026-04-30T23:59:59Z"), "date"),
        (Scope(since="2026-05-10"), entry(published="2026-05"), ""),
        (Scope(since="2026-05-10"), entry(lastmod="2026-05-09"), "date"),
        (Scope(since="2026-05-10"), entry(lastmod="2026-05-11"), ""),
        (Scope(until="2026-05-10"), entry(lastmod="2026-06-01"), ""),
        (Scope(until="2026-05-10"), entry(published="2026-05-11"), "date"),
        (Scope(until="2026"), entry(published="2026-12-31"), ""),
        (Scope(until="2026-05"), entry(url=f"{BASE}/2026/06/01/x"), "date"),
        (Scope(since="2026-05"), entry(), ""),
        (Scope(lang=("ko",)), entry(language="en-GB"), "lang"),
        (Scope(lang=("ko",)), entry(language="ko"), ""),
        (Scope(lang=("ko",)), entry(url=f"{BASE}/en/x"), "lang"),
        (Scope(lang=("ko",)), entry(), ""),
        (Scope(deny=re.compile("story")), entry(), "deny"),
        (Scope(allow=re.compile("/post/")), entry(), "allow"),
    ],
)
def test_a_scope_tells_why_an_entry_is_not_wanted(scope: Scope, listed: Entry, reason: str) -> None:
    assert scope.entry_cut(listed) == reason


def test_a_scope_judges_links_by_their_address_alone() -> None:
    scope = Scope(since="2026-05-10", until="2026-05-20", lang=("ko",))
    assert scope.link_cut(f"{BASE}/2026/05/09/x") == "date"
    assert scope.link_cut(f"{BASE}/2026/05/") == ""
    assert scope.link_cut(f"{BASE}/2026/06/") == "date"
    assert scope.link_cut(f"{BASE}/de/x") == "lang"
    assert scope.link_cut(f"{BASE}/x") == ""
    assert Alternate(f"{BASE}/ko/x", "ko").language in scope.lang


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"from": "maps"},
            "from is 'maps'. It accepts one or more, with commas between, of \"sitemap\", ",
        ),
        ({"from": ""}, "from is ''. It accepts"),
        ({"since": "soon"}, "since is 'soon'. It accepts a day, month or year"),
        ({"until": "2026-13"}, "until is '2026-13'."),
        ({"until": "20261127"}, "until is '20261127'."),
        ({"since": "2027", "until": "2026-12-31"}, "exchange them"),
        ({"lang": "Korean"}, "lang is 'Korean'. It accepts"),
        ({"frm": "links"}, "'frm' (did you mean 'from'?)"),
    ],
)
def test_wrong_arguments_are_told_in_one_line(given: dict[str, object], words: str) -> None:
    with pytest.raises(ArgumentError) as told:
        parse_arguments(SiteArguments, {"url": BASE, **given}, owner="site").start_addresses("site")
    assert words in str(told.value)
    assert str(told.value).startswith("site: ")


def test_arguments_are_a_scope() -> None:
    given = {"url": "a.example", "from": "feed, Links", "since": "2026-11", "lang": "ko,EN,ko"}
    arguments = parse_arguments(SiteArguments, given, owner="site")
    assert arguments.from_ == ("feed", "links")
    assert arguments.start_addresses("site") == [f"{BASE}/"]
    assert (arguments.since, arguments.until, arguments.lang) == ("2026-11", "", ("ko", "en"))
