"""Answers that are no page, of addresses that an earlier crawl knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.test import get_crawler
from twisted.python.failure import Failure

from crawler.core.flow import read
from crawler.core.page.page import Document, Page
from crawler.discovery.frontier import Visit
from crawler.discovery.ledger_frontier import LedgerFrontier
from crawler.items import PageItem
from crawler.journey.crawl_ledgers import CrawlLedgers
from crawler.spiders.site import SiteSpider
from crawler.store.ledger.database import ledger_path
from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import Fetched, Found

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from crawler.store.ledger.rows import Row

SITE = "news.example"
BASE = f"https://{SITE}/"
MAY = "2024-05-01T10:00:00Z"
OLD, NEW = f"{BASE}2024/05/01/old", f"{BASE}2024/05/02/new"


class Crawl:
    """A crawl of one site by the spider itself, without a network; the test tells what comes."""

    def __init__(self, folder: Path, url: str = BASE) -> None:
        self.ledgers = CrawlLedgers(folder, "run-2", count=self.add)
        self.spider = SiteSpider(url=url, recheck="0")
        self.spider.crawler = get_crawler(SiteSpider)
        self.spider.settings = self.spider.crawler.settings
        self.spider.open_ledgers(self.ledgers)
        frontier = self.spider.frontier
        assert isinstance(frontier, LedgerFrontier)
        self.frontier = frontier
        self.ledger = self.ledgers.ledger(SITE)

    def add(self, key: str, number: int) -> None:
        self.spider.crawler.stats.inc_value(key, number)

    @property
    def count(self) -> dict[str, int]:
        return self.spider.crawler.stats.get_stats()

    def row(self, address: str) -> Row:
        row = self.ledger.seen(address)
        assert row is not None
        return row

    def withdrawn(self) -> list[str]:
        return [row.address for row in self.ledger.gone_to_export()]

    def visit(self, address: str) -> Visit:
        """Have an address under way, and return its visit."""
        self.ledger.requeue(address)
        visits = {visit.address: visit for visit in self.frontier.next_visits(SITE)}
        return visits[address]

    def redirect(self, address: str, to: str, *statuses: int) -> None:
        meta = {"redirect_urls": [address], "redirect_reasons": list(statuses)}
        self.frontier.leads_elsewhere(
            self.visit(address), to, meta if statuses else {}, "duplicate-address"
        )


@pytest.fixture
def crawl(tmp_path: Path) -> Iterator[Crawl]:
    """A second crawl of a site, of which one article was exported and another is known."""
    with Ledger(ledger_path(tmp_path / "ledger", SITE)) as ledger:
        ledger.begin_run("run-1", MAY)
        ledger.add_found([Found(OLD, "sitemap", MAY), Found(NEW, "sitemap", MAY)])
        ledger.mark_fetched(Fetched(OLD, 200, MAY, "bytes", etag='"e"'))
        part = ledger.begin_part("run-1", "{}.jsonl".format, MAY)
        ledger.mark_exported("run-1", OLD, "text", part.number)
        ledger.finish_part("run-1", part.number, MAY)
        ledger.end_run("run-1", MAY, "finished")
    crawl = Crawl(tmp_path)
    yield crawl
    crawl.ledgers.close("finished", {})


def test_a_page_that_leads_to_another_for_good_is_withdrawn(crawl: Crawl) -> None:
    crawl.redirect(OLD, BASE, 301)
    assert (crawl.row(OLD).state, crawl.row(OLD).canonical) == ("refused", BASE)
    assert crawl.withdrawn() == [OLD]


@pytest.mark.parametrize("statuses", [(302,), (307,), (301, 302)])
def test_a_page_that_leads_to_another_for_now_is_kept_and_asked_for_again(
    crawl: Crawl, statuses: tuple[int, ...]
) -> None:
    for address in (OLD, NEW):
        crawl.redirect(address, BASE, *statuses)
        assert crawl.row(address).state == "failed"
    assert crawl.withdrawn() == []
    assert crawl.ledger.retry_failed(5, now="2024-06-01") == 2


def exported(crawl: Crawl, number: int) -> list[str]:
    """Have some articles exported by an earlier crawl."""
    names = [f"{BASE}2024/05/03/{each}" for each in range(number)]
    crawl.ledger.add_found([Found(name, "sitemap", MAY, kind="article") for name in names])
    part = crawl.ledger.begin_part("run-2", "{}.jsonl".format, MAY)
    for name in names:
        crawl.ledger.mark_fetched(Fetched(name, 200, MAY, name, etag='"e"'))
        crawl.ledger.mark_exported("run-2", name, f"text of {name}", part.number)
    crawl.ledger.finish_part("run-2", part.number, MAY)
    return names


def moved(crawl: Crawl, statuses: tuple[int, ...], target: str, number: int) -> list[str]:
    """Have some exported articles lead to one address, and a crawl end."""
    names = exported(crawl, number)
    for name in names:
        meta = {"redirect_urls": [name], "redirect_reasons": list(statuses)}
        to = target.format(name.removeprefix(BASE))
        request = Request(to, meta={**meta, "corpus_visit": crawl.visit(name)})
        response = HtmlResponse(to, body=b"<p>Please log in", request=request)
        if crawl.spider._is_new_page(response, request.meta["corpus_visit"]):
            crawl.spider._note(response, request.meta["corpus_visit"], None, frozenset())
    crawl.ledgers.runs[SITE].trouble.keep_known()
    return names


@pytest.mark.parametrize("statuses", [(301,), (302,), (303,), (307,), (308,), (301, 302)])
@pytest.mark.parametrize("target", ["login", "login?next=%2F{}", "wait?from=https://a.example/{}"])
def test_a_site_in_trouble_has_nothing_withdrawn_and_is_asked_again(
    crawl: Crawl, statuses: tuple[int, ...], target: str
) -> None:
    names = moved(crawl, statuses, f"{BASE}{target}", 5)
    assert crawl.withdrawn() == []
    assert crawl.count["corpus/incremental/redirected"] == 5
    assert crawl.ledger.retry_failed(5, now="2024-06-01") == 5
    assert {row.address for row in crawl.ledger.next_due(9)} >= set(names)
    for name in names:
        assert crawl.ledger.conditional_headers(name) in ({}, {"If-None-Match": '"e"'})
        back = crawl.ledger.mark_fetched(Fetched(name, 200, MAY, f"another body of {name}"))
        assert back.to_export, "its text is compared with the exported one"


def test_few_articles_that_were_made_one_are_withdrawn(crawl: Crawl) -> None:
    names = moved(crawl, (301,), f"{BASE}one", 4)
    assert sorted(crawl.withdrawn()) == names


def test_articles_that_moved_one_by_one_are_withdrawn(crawl: Crawl) -> None:
    names = moved(crawl, (301,), f"{BASE}moved/{{}}", 6)
    assert sorted(crawl.withdrawn()) == names


def page(url: str, text: str) -> Document:
    """Make a page that shows some text."""
    return read(Page(url, text.encode(), "text/html; charset=utf-8"))


@pytest.mark.parametrize("number", [2, 3])
def test_one_text_of_different_articles_replaces_none_of_them(crawl: Crawl, number: int) -> None:
    names = exported(crawl, number)
    trouble = crawl.ledgers.runs[SITE].trouble
    text = "<p>Back at {}:00 o'clock, says /log/{}.<p>Request a{}f of today"
    for each, name in enumerate(names):
        crawl.frontier.fetched(crawl.visit(name), name, b"%d" % each, ("", ""), wanted=True)
        trouble.note_text(crawl.row(name), page(name, text.format(each, each, each)))
    for name in names:
        common = trouble.common_text(page(name, text.format(7, 7, 7)))
        assert (common is not None) is (number == 3)
        if common is not None:
            trouble.keep_exported(common, [name])
    assert trouble.common_text(page(OLD, "<p>Another text of today")) is None
    assert crawl.ledger.retry_failed(5, now="2024-06-01") == (number if number == 3 else 0)
    assert crawl.withdrawn() == []
    if number == 3:
        assert crawl.count["corpus/incremental/kept"] == 3
        back = crawl.ledger.mark_fetched(Fetched(names[0], 200, MAY, "another body"))
        assert back.to_export, "its text is compared with the exported one"


@pytest.mark.parametrize(
    ("lost", "still", "reason", "withdrawn"),
    [
        (5, 4, "not-article", 0),
        (5, 0, "no-text", 0),
        (5, 5, "not-article", 5),
        (4, 0, "not-article", 4),
        (5, 0, "duplicate-address", 5),
        (5, 0, "", 5),
    ],
)
def test_articles_of_which_most_are_none_any_more_are_kept(
    crawl: Crawl, lost: int, still: int, reason: str, withdrawn: int
) -> None:
    names = exported(crawl, lost + still)
    for name in names[:lost]:
        crawl.frontier.fetched(crawl.visit(name), name, b"log in", ("", ""), wanted=True)
        crawl.ledgers.mark_without_item([name], "other", reason)
    for name in names[lost:]:
        crawl.frontier.unchanged(crawl.visit(name), ("", ""))
    crawl.ledgers.runs[SITE].trouble.keep_known()
    assert len(crawl.withdrawn()) == withdrawn
    assert crawl.ledger.retry_failed(5, now="2024-06-01") == lost - withdrawn


@pytest.mark.parametrize(
    ("missing", "still", "new", "withdrawn"),
    [(5, 0, 0, 0), (5, 1, 0, 0), (12, 2, 1, 0), (4, 0, 0, 4), (6, 2, 0, 6), (6, 0, 2, 6)],
)
def test_articles_of_which_next_to_all_are_missing_are_kept(
    crawl: Crawl, missing: int, still: int, new: int, withdrawn: int
) -> None:
    names = exported(crawl, missing + still)
    for name in names[:missing]:
        crawl.frontier.failed(crawl.visit(name), "http-404", 404)
    for name in names[missing:]:
        crawl.frontier.unchanged(crawl.visit(name), ("", ""))
    # A list that came as it was says nothing of the articles.
    for number in range(9):
        listing = f"{BASE}list/{number}"
        crawl.ledger.add_found([Found(listing, "link", MAY)])
        crawl.ledger.mark_fetched(Fetched(listing, 200, MAY, "bytes", etag='"e"', for_export=False))
        crawl.frontier.unchanged(crawl.visit(listing), ("", ""))
    crawl.ledgers.runs[SITE].trouble.keep_known(new)
    assert len(crawl.withdrawn()) == withdrawn
    assert crawl.count.get("corpus/incremental/kept", 0) == missing - withdrawn
    assert crawl.ledger.retry_failed(5, now="2024-06-01") == missing - withdrawn


def test_an_exported_page_that_cannot_be_read_is_kept(crawl: Crawl) -> None:
    for name in (OLD, NEW):
        crawl.frontier.fetched(crawl.visit(name), name, b"broken", ("", ""), wanted=True)
        crawl.ledgers.mark_unread(name)
    assert crawl.withdrawn() == []
    assert (crawl.row(OLD).state, crawl.row(NEW).state) == ("failed", "fetched")
    assert not crawl.row(NEW).owed


def test_an_exported_page_that_leads_for_now_to_one_that_is_missing_is_kept(crawl: Crawl) -> None:
    meta = {"redirect_urls": [OLD], "redirect_reasons": [302], "corpus_visit": crawl.visit(OLD)}
    request = Request(f"{BASE}login", meta=meta)
    missing = HttpError(HtmlResponse(request.url, 404, request=request))
    failure = Failure(missing)  # type: ignore[no-untyped-call]
    failure.request = request  # type: ignore[attr-defined]
    assert list(crawl.spider.failed(failure)) == []
    assert (crawl.row(OLD).state, crawl.row(OLD).reason) == ("failed", "http-404")


def test_a_redirect_to_itself_is_a_failure(crawl: Crawl) -> None:
    crawl.redirect(NEW, NEW, 301)
    assert (crawl.row(NEW).state, crawl.row(NEW).reason) == ("failed", "redirect-loop")


def test_what_another_page_led_to_is_under_way(crawl: Crawl) -> None:
    crawl.redirect(OLD, OLD)
    assert crawl.row(OLD).state == "fetching"
    assert crawl.withdrawn() == []


def test_what_is_not_there_yet_is_asked_for_again(crawl: Crawl) -> None:
    crawl.frontier.failed(crawl.visit(NEW), "http-404", 404)
    assert (crawl.row(NEW).state, crawl.row(NEW).reason) == ("failed", "http-404")
    assert crawl.ledger.retry_failed(5, now="2024-06-01") == 1
    crawl.frontier.failed(crawl.visit(OLD), "http-404", 404)
    assert crawl.row(OLD).state == "gone"
    assert crawl.withdrawn() == [OLD]


def test_a_file_in_place_of_an_article_withdraws_it_until_it_is_back(crawl: Crawl) -> None:
    crawl.frontier.no_page(crawl.visit(NEW), "not-html")
    assert crawl.row(NEW).state == "refused", "it never was one"
    crawl.frontier.no_page(crawl.visit(OLD), "not-html")
    assert crawl.withdrawn() == [OLD]
    assert crawl.row(OLD).state == "failed"
    visit = crawl.visit(OLD)
    assert crawl.frontier.headers(visit) == {}, "it is to come whole"


def test_what_leads_elsewhere_is_no_more_under_way(crawl: Crawl) -> None:
    again = crawl.ledgers.runs[SITE].policy
    given = dict(again.next(10, 0))
    assert given == {OLD: "due"} | given
    crawl.ledger.mark_fetching(OLD)
    visit = Visit(OLD, SITE, 1)
    crawl.frontier.refused(visit, "duplicate-address", BASE)
    assert [waste.asked for waste in again._waste.values()] == [0]


def test_a_list_that_came_is_not_asked_for_in_the_same_second(crawl: Crawl) -> None:
    listing = f"{BASE}archive/"
    assert crawl.frontier.add(Visit(listing, SITE, 1, "listing"))
    visit = crawl.visit(listing)
    assert crawl.frontier.take(listing, SITE)
    crawl.frontier.fetched(visit, listing, b"list", ("", ""), wanted=True)
    assert not crawl.frontier.request_list_again(listing, "listing")


def test_the_host_that_a_start_page_led_to_is_known_before_it_comes(tmp_path: Path) -> None:
    with Ledger(ledger_path(tmp_path / "ledger", SITE)) as ledger:
        ledger.add_found([Found(BASE, "start", MAY)])
        ledger.mark_refused(BASE, "redirected", at=MAY, instead="https://journal.example/")
    crawl = Crawl(tmp_path)
    assert crawl.frontier.site("https://journal.example/story") == SITE
    assert crawl.ledgers.site_of("https://journal.example/story") == SITE
    crawl.ledgers.close("finished", {})


def test_an_item_of_an_address_that_was_not_crawled_is_not_known(crawl: Crawl) -> None:
    assert crawl.ledgers.knows(PageItem(url=OLD).url)
    assert not crawl.ledgers.knows(f"{OLD}?by=pipeline")
    assert not crawl.ledgers.knows("https://elsewhere.example/")


def test_times_to_come_are_dated_back(tmp_path: Path) -> None:
    with Ledger(tmp_path / "one.sqlite") as ledger:
        ledger.begin_run("one", "2034-05-01T10:00:00Z")
        ledger.add_found([Found(OLD, "start", "2034-05-01"), Found(NEW, "start", MAY)])
        ledger.mark_fetched(Fetched(OLD, 200, "2034-05-01", "a1"))
        assert ledger.mend_times("2026-05-01T10:00:00Z")
        row = ledger.seen(OLD)
        assert row is not None
        assert {row.found_at, row.asked_at, row.changed_at} == {"2026-05-01T09:59:59Z"}
        assert [run.started for run in ledger.runs()] == ["2026-05-01T09:59:59Z"]
        assert [row.found_at for row in ledger.next_due(5)] == [MAY]
        assert not ledger.mend_times("2026-05-01T10:00:00Z")


def test_what_a_clock_ahead_dated_is_known_to_an_earlier_crawl(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ahead, listing = "2134-05-01T10:00:00Z", f"{BASE}archive"
    with Ledger(ledger_path(tmp_path / "ledger", SITE)) as ledger:
        ledger.begin_run("run-1", ahead)
        ledger.add_found([Found(OLD, "start", ahead), Found(listing, "link", ahead)])
        for url in (OLD, listing):
            ledger.mark_fetched(Fetched(url, 200, ahead, "a1"))
        ledger.describe(listing, kind="listing")
        ledger.end_run("run-1", ahead, "finished")
    crawl = Crawl(tmp_path)
    assert "are dated later than now" in caplog.text
    assert not crawl.frontier.meet(OLD), "it is no news"
    assert crawl.frontier.request_whole(OLD)
    assert crawl.frontier.request_list_again(listing, "listing")
    crawl.ledgers.close("finished", {})
