"""What a crawl remembers of pages, and what it tells of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from crawler.discovery.frontier import Visit
from crawler.discovery.ledger_frontier import LedgerFrontier
from crawler.items import PageItem
from crawler.journey.crawl_ledgers import CrawlLedgers
from crawler.store.ledger.rows import GONE_HASH, PART_HASH, Found

if TYPE_CHECKING:
    from pathlib import Path

SITE = "news.example"
BASE = f"https://{SITE}/"


class Crawl:
    """A crawl of one site, without a network: what it fetches is told by the test."""

    def __init__(self, folder: Path, run: str) -> None:
        self.counted: Counter[str] = Counter()
        self.ledgers = CrawlLedgers(folder, run, count=self._count)
        self.frontier = LedgerFrontier(self.ledgers)
        self.frontier.add_root(BASE)
        self.ledger = self.ledgers.ledger(SITE)

    def _count(self, key: str, number: int) -> None:
        self.counted[key] += number

    def find(self, *names: str, listed: str = "") -> list[Visit]:
        visits = [
            Visit(f"{BASE}{name}", SITE, 1, "article", listed, "sitemap", listed=listed)
            for name in names
        ]
        return self.frontier.add_all(visits)

    def fetch(self, visit: Visit, body: str, url: str = "") -> bool:
        self.frontier.finish(visit)
        return self.frontier.fetched(
            visit, url or visit.address, body.encode(), ('"e"', ""), wanted=True
        )

    def export(self, url: str, text: str, *parts: str) -> PageItem | None:
        """Judge a page, and write its item into a part of its own where it is news."""
        item = PageItem(url=url, text=text, page_type="article", parts=[url, *parts])
        if not self.ledgers.is_new_version(item):
            return None
        part = self.ledger.begin_part(self.ledgers.run, "{}.jsonl".format, "2024-05-01")
        self.ledgers.mark_exported([url, *parts], item.content_hash or "", part)
        self.ledger.finish_part(self.ledgers.run, part.number, "2024-05-01")
        return item

    def all_visits(self) -> list[Visit]:
        return self.frontier.next_visits(SITE)

    def close(self) -> None:
        self.ledgers.close("finished", {})


@pytest.fixture
def first(tmp_path: Path) -> Crawl:
    """A crawl in which two articles were exported."""
    crawl = Crawl(tmp_path, "run-1")
    crawl.find("a", "b", listed="2024-04-01")
    for visit in crawl.all_visits():
        assert crawl.fetch(visit, f"body of {visit.address}")
        assert crawl.export(visit.address, f"text of {visit.address}")
    return crawl


def next_crawl(crawl: Crawl, folder: Path, run: str = "run-2") -> Crawl:
    crawl.close()
    return Crawl(folder, run)


def test_a_known_page_is_new_no_more(first: Crawl, tmp_path: Path) -> None:
    second = next_crawl(first, tmp_path)
    new = second.find("a", "b", "c", listed="2024-04-01")
    assert [visit.address for visit in new] == [f"{BASE}c"]
    assert not second.frontier.add(Visit(f"{BASE}a", SITE, 1))
    assert second.frontier.knows(f"{BASE}c")
    second.close()


def test_versions_are_told_apart_by_bytes_and_then_by_text(first: Crawl, tmp_path: Path) -> None:
    second = next_crawl(first, tmp_path)
    second.find("a", "b", listed="2024-06-01")
    visits = {visit.address: visit for visit in second.all_visits()}
    assert set(visits) == {f"{BASE}a", f"{BASE}b"}
    assert second.frontier.headers(visits[f"{BASE}a"]) == {"If-None-Match": '"e"'}
    assert not second.fetch(visits[f"{BASE}a"], f"body of {BASE}a"), "the same bytes"
    assert second.fetch(visits[f"{BASE}b"], "another design")
    assert second.export(f"{BASE}b", f"text of {BASE}b") is None, "the same text"
    assert list(second.ledger.rows("owed")) == []
    third = next_crawl(second, tmp_path, "run-3")
    third.find("b", listed="2024-07-01")
    (visit,) = third.all_visits()[:1]
    assert third.fetch(visit, "another text")
    item = third.export(f"{BASE}b", "another text")
    assert item is not None
    assert item.change == "changed"
    assert item.previous_hash not in {None, item.content_hash}
    third.close()


def test_a_page_that_moved_is_gone_from_where_it_was(first: Crawl, tmp_path: Path) -> None:
    second = next_crawl(first, tmp_path)
    second.find("a", listed="2024-06-01")
    (visit,) = (each for each in second.all_visits() if each.address == f"{BASE}a")
    assert second.fetch(visit, "moved", f"{BASE}new-place")
    assert [row.address for row in second.ledger.gone_to_export()] == [f"{BASE}a"]
    moved = PageItem(url=f"{BASE}new-place", text="a", near_duplicate_of=f"{BASE}a")
    assert second.ledgers.is_new_version(moved)
    assert (moved.change, moved.near_duplicate_of) == ("new", None)
    row = second.ledger.seen(f"{BASE}a")
    assert row is not None
    assert (row.state, row.canonical) == ("refused", f"{BASE}new-place")
    second.close()


def test_what_is_no_article_any_more_is_withdrawn(first: Crawl, tmp_path: Path) -> None:
    second = next_crawl(first, tmp_path)
    second.find("a", listed="2024-06-01")
    (visit,) = (each for each in second.all_visits() if each.address == f"{BASE}a")
    second.fetch(visit, "a list now")
    second.ledgers.mark_without_item([f"{BASE}a"], "listing")
    assert [row.address for row in second.ledger.gone_to_export()] == [f"{BASE}a"]
    part = second.ledger.begin_part("run-2", "{}.jsonl".format, "2024-05-01")
    second.ledgers.mark_exported([f"{BASE}a"], GONE_HASH, part)
    second.ledger.finish_part("run-2", part.number, "2024-05-01")
    assert list(second.ledger.gone_to_export()) == []
    second.close()


def test_parts_of_an_article_are_not_asked_for_by_themselves(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, "run-1")
    crawl.find("tour", "tour/2")
    for visit in crawl.all_visits():
        crawl.fetch(visit, visit.address)
    assert crawl.export(f"{BASE}tour", "the whole tour", f"{BASE}tour/2")
    part = crawl.ledger.seen(f"{BASE}tour/2")
    assert part is not None
    assert (part.exported_hash, part.owed) == (PART_HASH, False)
    second = next_crawl(crawl, tmp_path)
    due = second.ledger.due_for_recheck("2030-01-01", 0.5, 10, before="2030-01-01")
    assert due == [f"{BASE}tour"]
    assert second.frontier.request_whole(f"{BASE}tour/2")
    (visit, *_) = (each for each in second.all_visits() if each.address == f"{BASE}tour/2")
    assert second.frontier.headers(visit) == {}, "its text is wanted"
    second.close()


def test_what_failed_is_tried_again_ever_less_often(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, "run-1")
    ledger = crawl.ledger
    ledger.add_found([Found(f"{BASE}a", "link", "2024-05-01T00:00:00Z")])
    for hour in range(7):
        ledger.mark_failed(f"{BASE}a", "http-500", at=f"2024-05-01T{hour:02}:00:00Z", status=500)
    assert ledger.retry_failed(5, now="2024-05-01T08:00:00Z") == 0
    assert ledger.retry_failed(7, now="2024-05-01T08:00:00Z") == 1
    ledger.mark_failed(f"{BASE}a", "http-500", at="2024-05-01T08:00:00Z", status=500)
    assert ledger.retry_failed(5, now="2024-05-01T11:59:00Z") == 0
    assert ledger.retry_failed(5, now="2024-05-01T12:00:00Z") == 1
    crawl.close()


def test_a_listing_that_dates_all_its_pages_anew_is_not_believed(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, "run-1")
    names = [str(number) for number in range(30)]
    crawl.find(*names, listed="2024-04-01")
    for visit in crawl.all_visits():
        crawl.fetch(visit, visit.address)
    later = [
        Visit(f"{BASE}{name}", SITE, 1, "article", found_by="sitemap", listed="2024-06-01")
        for name in names
    ]
    assert crawl.frontier.are_redated(later)
    assert not crawl.frontier.are_redated(later[:15])
    assert list(crawl.ledger.rows("hinted")) == [], "asking notes nothing"
    crawl.close()


def test_a_killed_crawl_is_gone_on_with(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, "run-1")
    crawl.find("a", "b", "c")
    visits = crawl.all_visits()
    crawl.fetch(visits[0], "one")
    since = crawl.ledgers.runs[SITE].since
    crawl.ledger.close()
    second = Crawl(tmp_path, "run-2")
    assert second.ledgers.runs[SITE].since == since
    assert second.ledgers.runs[SITE].new_pages == 1
    second.ledgers.finish_earlier(keep=False)
    assert {visit.address for visit in second.all_visits()} == {visit.address for visit in visits}
    assert [run.reason for run in second.ledger.runs()] == ["killed", ""]
    second.close()
