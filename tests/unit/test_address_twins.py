"""One article at several addresses: boards, schemes and hosts, tracking, redirects back."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy import Request
from scrapy.utils.test import get_crawler

from crawler.core.page.addresses import place_key
from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.discovery.frontier import Frontier, Visit
from crawler.discovery.guesses import (
    guess_kind,
    linked_kind,
    plain_address,
    split_list_state,
    without_parameters,
)
from crawler.discovery.ledger_frontier import LedgerFrontier
from crawler.discovery.links import page_links
from crawler.discovery.scope import Scope
from crawler.discovery.sources import read_source
from crawler.discovery.url_traps import Traps
from crawler.journey.crawl_ledgers import CrawlLedgers
from crawler.middlewares.downloader import SiteDownloader
from crawler.middlewares.dupefilter import ReturningDupeFilter

BASE = "http://a.example"


@pytest.mark.parametrize(
    ("path", "own", "state"),
    [
        ("/b.php?bo_table=free&page=3&wr_id=7", "/b.php?bo_table=free&wr_id=7", "page=3"),
        ("/b.php?page=3&sca=&stx=a&wr_id=7", "/b.php?wr_id=7", "page=3&sca=&stx=a"),
        ("/index.php?document_srl=7&mid=b2&page=3", "/index.php?document_srl=7&mid=b2", "page=3"),
        (
            "/z.php?desc=asc&id=qna&no=7&page=3&sn=off",
            "/z.php?id=qna&no=7",
            "desc=asc&page=3&sn=off",
        ),
        ("/bbs/free/7?page=3", "/bbs/free/7", "page=3"),
        ("/viewtopic.php?start=20&t=7", "/viewtopic.php?t=7", "start=20"),
        # No article is named.
        ("/list.asp?page=3", "/list.asp?page=3", ""),
        ("/list.php?id=notice2&page=3", "/list.php?id=notice2&page=3", ""),
        ("/2026/11?page=3", "/2026/11?page=3", ""),
        ("/7?page=3", "/7?page=3", ""),
        ("/view.asp?idx=7&section=3", "/view.asp?idx=7&section=3", ""),
    ],
)
def test_the_state_of_its_list_is_told_from_an_article(path: str, own: str, state: str) -> None:
    assert split_list_state(f"{BASE}{path}") == (f"{BASE}{own}", state)


def linked(
    here: str, *hrefs: str, scope: Scope | None = None, texts: tuple[str, ...] = ()
) -> list[str]:
    shown = zip(hrefs, texts or ["x"] * len(hrefs), strict=True)
    body = "".join(f'<a href="{href.replace("&", "&amp;")}">{text}</a>' for href, text in shown)
    page = parse(Page(f"{BASE}{here}", body.encode()))
    found = page_links(page, scope or Scope(), address=f"{BASE}{here}")
    return [link.address.removeprefix(BASE) for link in found if not link.cut]


@pytest.mark.parametrize(
    "form", ["/read?id=7&page={}", "/novel?no=7&order={}", "/trip?from=city-{}x", "/doc?ref=T{}"]
)
def test_what_many_links_of_a_page_differ_in_is_no_state_of_a_list(form: str) -> None:
    forms = [form.format(number) for number in range(1, 7)]
    assert linked("/", *forms) == forms
    assert len(linked("/", *forms[:3])) == 1


@pytest.mark.parametrize(
    ("form", "texts", "kept"),
    [
        ("/trip?from=city-{}x", ("Oslo", "Rome", "Bonn"), 3),
        ("/read?id=7&page={}", ("1", "2", "3"), 3),
        ("/read?id=7&page={}", ("1", "2"), 1),
        # One article, at several places of a page.
        ("/story?ref=place-{}x", ("The heron", "Read more"), 1),
        ("/story?ref=place-{}x", ("The heron", "", "Read more"), 1),
        ("/story?ref=place-{}x", ("The heron", "Read more", "The heron"), 1),
    ],
)
def test_few_links_lead_to_different_pages_where_their_texts_differ(
    form: str, texts: tuple[str, ...], kept: int
) -> None:
    forms = [form.format(number) for number in range(1, len(texts) + 1)]
    assert len(linked("/", *forms, texts=texts)) == kept


def test_the_name_of_a_page_is_no_state_of_a_list() -> None:
    forms = ["/index.php?id=12&page=about-us", "/index.php?id=12&page=contact"]
    assert linked("/", *forms) == forms


def test_a_list_goes_on_from_where_it_ended() -> None:
    assert linked("/list?from=c1", "/list?from=c2", "/a?from=c2") == ["/list?from=c2", "/a"]


def test_what_the_entries_of_a_sitemap_differ_in_is_kept() -> None:
    urls = [f"{BASE}/trip?from=city-{letter}" for letter in "abcdef"]
    entries = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    body = f"<urlset>{entries}</urlset>".encode()
    reading = read_source(body, f"{BASE}/sitemap.xml", "text/xml", Scope())
    assert [page.address for page in reading.pages] == urls


def test_the_number_of_an_article_or_the_name_of_a_page_makes_no_list() -> None:
    front, category = f"{BASE}/", f"{BASE}/?cat=3&paged=2"
    assert linked_kind(f"{BASE}/?cat=3&p=12", category, "listing") == ""
    assert linked_kind(f"{BASE}/?cat=3&paged=3", category, "listing") == "listing"
    board = f"{BASE}/b?id=7&sort=1"
    assert linked_kind(f"{BASE}/b?id=7&sort=2", board, "listing") == "listing"
    assert linked_kind(f"{BASE}/index.php?page=about-us", front, "listing") == ""
    assert guess_kind(f"{BASE}/index.php?page=2") == "listing"
    assert guess_kind(f"{BASE}/12?category=77") == ""
    assert guess_kind(f"{BASE}/2026/11?category=77") == "listing"


def test_links_to_articles_are_followed_without_the_state_of_the_list() -> None:
    hrefs = ("/b?no=7&page=2", "/b?no=8&page=2", "/b?no=7&page=1")
    assert linked("/list?page=2", *hrefs) == ["/b?no=7", "/b?no=8"]
    assert linked("/list?page=2", *hrefs, scope=Scope(twins=True)) == list(hrefs)


def test_pagers_keep_the_page_and_links_to_the_shown_page_do_not() -> None:
    # A list whose address might be that of an article, and an article with the list below it.
    pager = [f"/sub?id=12&page={number}" for number in (1, 2, 3)]
    assert linked("/sub?id=12", *pager, "/sub?bno=5&id=12&page=1") == [
        "/sub?id=12",
        "/sub?id=12&page=2",
        "/sub?id=12&page=3",
        "/sub?bno=5&id=12",
    ]
    own = linked("/b?no=7", "/b?no=7&page=4", "/b?no=8&page=4", "/b?no=7&page=2")
    assert own == ["/b?no=7", "/b?no=8", "/b?no=7&page=2"]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/viewtopic.php?f=2&start=20&t=7", "article"),
        ("/index.php?topic=5.20", "article"),
        ("/news?topic=5&page=2", "listing"),
        ("/index.php?id=7&option=com_content&view=article", "article"),
        ("/view.asp?nttId=7", "article"),
        ("/list?view=grid", "listing"),
    ],
)
def test_threads_and_single_views_are_articles(path: str, kind: str) -> None:
    assert guess_kind(f"{BASE}{path}") == kind


def test_parameters_that_tell_where_a_reader_came_from_are_left_out() -> None:
    ignored = Scope().ignored
    plain = [
        without_parameters(f"{BASE}/a?{query}", ignored).removeprefix(BASE)
        for query in ("from=main&id=1", "Ref=x", "spm=1001.2014", "from=20", "ref=2026-11-01")
    ]
    assert plain == ["/a?id=1", "/a", "/a", "/a?from=20", "/a?ref=2026-11-01"]
    assert linked("/", "/a?ref=x", scope=Scope(ignore=())) == ["/a?ref=x"]
    body = f"<urlset><url><loc>{BASE}/a?ncid=x</loc></url></urlset>".encode()
    assert [each.address for each in read_source(body, BASE, "", Scope()).pages] == [f"{BASE}/a"]


def test_the_frame_of_a_blog_and_its_post_have_one_address() -> None:
    frame = (
        "/PostView.naver?blogId=x&logNo=7&redirect=Dlog&widgetTypeCall=true"
        "&topReferer=http%3A%2F%2Fa&trackingCode=blog&directAccess=false&viewDate=&currentPage=1"
    )
    (address,) = linked("/x/7", frame)
    assert plain_address(f"{BASE}{address}") == (f"{BASE}/PostView.naver?blogId=x&logNo=7", "twin")


def test_alternates_of_a_sitemap_are_taken_where_translations_are_wanted() -> None:
    link = f'<xhtml:link xmlns:xhtml="x" rel="alternate" hreflang="ko" href="{BASE}/ko"/>'
    body = f"<urlset><url><loc>{BASE}/en</loc>{link}</url></urlset>".encode()
    for scope, found in ((Scope(), ["/en"]), (Scope(translations=True), ["/en", "/ko"])):
        pages = read_source(body, BASE, "", scope).pages
        assert [each.address.removeprefix(BASE) for each in pages] == found


FORMS = ["http://a.example/x?b=1", "https://a.example/x?b=1", "https://www.a.example/x?b=1"]


def test_schemes_and_www_make_no_other_page_but_of_the_front() -> None:
    assert len({place_key(form) for form in FORMS}) == 1
    assert len({place_key(form.partition("x")[0]) for form in FORMS}) == 3
    assert place_key("http://www.a.example/x") != place_key("http://b.example/x")
    frontier = Frontier()
    site = frontier.add_root(BASE)
    assert [frontier.add(Visit(form, site, 1)) for form in FORMS] == [True, False, False]
    assert [frontier.take(form, site) for form in FORMS] == [True, False, False]


def test_a_ledger_knows_a_page_by_its_first_scheme_and_host(tmp_path: Path) -> None:
    frontier = LedgerFrontier(CrawlLedgers(tmp_path, "crawl", count=lambda *_: None))
    site = frontier.add_root(BASE)
    assert [frontier.add(Visit(form, site, 1)) for form in FORMS] == [True, False, False]
    assert {frontier.known_form(form) for form in FORMS} == {FORMS[0]}
    other = "https://a.example/y"
    assert frontier.known_form(other) == other


def test_dead_links_fill_a_site_as_well() -> None:
    frontier = Frontier(max_pages=5)
    site = frontier.add_root(BASE)
    for number in range(300):
        frontier.add(Visit(f"{BASE}/{number}", site, 1))
    asked = 0
    while visits := frontier.next_visits(site):
        for visit in visits:
            asked += 1
            frontier.finish(visit)
            frontier.count_failed(site)
    assert asked <= 105
    assert frontier.is_over(site)
    assert not frontier.is_full(site)
    assert frontier.left_out(site) == 300 - asked


def test_copies_beyond_some_are_told_by_site() -> None:
    traps = Traps(Scope(max_copies=2))
    assert [traps.body_trap("a", b"x") for _ in range(3)] == ["", "", "copies"]
    assert not traps.body_trap("b", b"x")
    assert not any(Traps(Scope(max_copies=0)).body_trap("a", b"x") for _ in range(50))


MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@pytest.mark.parametrize(
    "form",
    ["<p>It is 12:{0:02}", "<i>{0:08x}</i>Nobody else was here", "<b>{1} {0}</b><td>1<td>2<td>3"],
    ids=["clock", "key", "calendar"],
)
def test_pages_that_differ_in_numbers_alone_are_a_trap_in_the_end(form: str) -> None:
    traps = Traps(Scope(max_alike=30))
    bodies = [form.format(n * 7919, MONTHS[n % 12]).encode() for n in range(400)]
    found = [traps.body_trap("a", body) for body in bodies]
    first = found.index("alike")
    assert 30 < first < 120
    assert set(found[first:]) == {"alike"}
    # Pages of their own are none, wherever they come, also where they differ in a to f alone.
    words = ["".join("fade"[n >> shift & 3] for shift in (0, 2, 4)) for n in range(50)]
    assert {traps.body_trap("a", f"a {word}".encode()) for word in words} == {""}
    own = [traps.body_trap("a", f"a heron{'y' * n}".encode()) for n in range(50)]
    assert set(own) == {""}
    assert traps.body_trap("a", bodies[0]) == ""
    assert traps.body_trap("b", bodies[0]) == ""
    assert not any(Traps(Scope(max_alike=0)).body_trap("a", body) for body in bodies)


def returning(url: str, *passed: str) -> bool:
    dupefilter = ReturningDupeFilter()
    for each in passed:
        dupefilter.request_seen(Request(each))
    return dupefilter.request_seen(Request(url, meta={"redirect_urls": list(passed)}))


def test_a_redirect_may_lead_back_once() -> None:
    one, two = f"{BASE}/a?b=1&c=2", f"{BASE}/x"
    assert not returning(f"{BASE}/a?c=2&b=1", one)
    assert not returning(one, one, two)
    assert returning(one, one, two, one)
    dupefilter = ReturningDupeFilter()
    assert [dupefilter.request_seen(Request(one)) for _ in range(2)] == [False, True]


def test_the_hosts_of_a_site_share_a_download_slot() -> None:
    crawler = get_crawler(settings_dict={"DOWNLOAD_SLOTS": {"www.b.example": {"delay": 3}}})
    downloader = SiteDownloader(crawler)
    slots = {
        url: downloader.get_slot_key(Request(url))
        for url in (
            f"{BASE}/",
            "https://www.a.example/x",
            "http://www.b.example/",
            "http://b.example",
        )
    }
    assert list(slots.values()) == ["a.example", "a.example", "www.b.example", "b.example"]
