"""The ledger's pages: what is found, in which order it is due, and what fetching it shows."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import StoreError
from crawler.store.ledger.database import LAST_KEY
from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import Change, Fetched, Found, Row

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAY = "2024-05-01T10:00:00Z"
JUNE = "2024-06-01T10:00:00Z"
JULY = "2024-07-01T10:00:00Z"
A, B, C = (f"https://news.example/{name}" for name in "abc")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "ledger" / "news.example.sqlite") as opened:
        yield opened


def row(ledger: Ledger, address: str) -> Row:
    found = ledger.seen(address)
    assert found is not None
    return found


def fetch(ledger: Ledger, address: str, content: str, at: str = MAY, **more: str) -> Change:
    return ledger.mark_fetched(Fetched(address, 200, at, content, **more))  # type: ignore[arg-type] # all are text


def export(ledger: Ledger, address: str, content: str, run: str = "run") -> None:
    ledger.begin_run(run, MAY)
    part = ledger.begin_part(run, "part-{}".format, MAY).number
    ledger.mark_exported(run, address, content, part)
    ledger.finish_part(run, part, MAY)


def test_an_address_is_found_in_any_form_of_it(ledger: Ledger) -> None:
    ledger.add_found([Found("HTTPS://News.example:443/a?utm_source=x#top", "feed", MAY)])
    assert row(ledger, A) == row(ledger, A + "#end") == Row(A, "feed", MAY, kind="")
    assert ledger.seen(B) is None
    assert ledger.add_found([Found(A, "link", JUNE)]) == 0


def test_all_that_is_found_comes_back(ledger: Ledger) -> None:
    ledger.add_found(
        [
            Found(
                A,
                "sitemap",
                "2024-05-01T12:00:00+02:00",
                "2024-04",
                "2024",
                "기사 \udcff",
                3,
            )
        ]
    )
    assert row(ledger, A) == Row(
        address=A,
        found_by="sitemap",
        found_at=MAY,
        listed="2024-04",
        priority="2024-01-01T00:00:00Z",
        kind="기사 ?",
        depth=3,
    )


def test_who_found_an_address_first_stays_and_later_ones_add_to_it(ledger: Ledger) -> None:
    ledger.add_found([Found(A, "link", MAY, depth=4), Found(A, "start", JUNE, depth=2)])
    assert ledger.add_found([Found(A, "sitemap", JUNE, "2024-04-01", kind="article")]) == 0
    now = row(ledger, A)
    assert (now.found_by, now.found_at, now.depth) == ("link", MAY, 0)
    assert (now.listed, now.kind) == ("2024-04-01", "article")


def test_the_latest_date_counts(ledger: Ledger) -> None:
    for listed in ("2024-04-03", "2024-04-05T10:00:00+09:00", "2024-04"):
        ledger.add_found([Found(A, "feed", MAY, listed=listed)])
    now = row(ledger, A)
    assert now.listed == "2024-04-05T10:00:00+09:00"
    assert now.priority == "2024-04-05T01:00:00Z"


def test_adding_again_writes_nothing(ledger: Ledger) -> None:
    entries = [Found(f"{A}/{n}", "sitemap", MAY, listed="2024", kind="x") for n in range(50)]
    assert ledger.add_found(entries) == 50
    before = ledger._connection.total_changes
    assert ledger.add_found(iter(entries)) == 0
    assert ledger._connection.total_changes == before


def test_odd_entries_are_mended_or_refused(ledger: Ledger) -> None:
    added = ledger.add_found(
        [
            Found("https://news.example/" + "x" * 3000, "link", MAY),
            Found(A, "sitemap", MAY, listed="yesterday"),
            Found(B, "sitemap", MAY, listed="2024-02-30", priority="2024-02-01"),
            Found(C, "link", MAY, kind="y" * 10_000),
        ]
    )
    assert added == 3
    assert row(ledger, A).listed == ""
    assert row(ledger, B).priority == "2024-02-01T00:00:00Z"
    assert len(row(ledger, C).kind) == 40
    with pytest.raises(StoreError):
        ledger.add_found([Found(f"{A}/new", "link", MAY), Found(A, "link", "now")])
    assert ledger.seen(f"{A}/new") is None, "a batch is added whole or not at all"


def test_articles_come_first_and_the_newest_of_them(ledger: Ledger) -> None:
    entries = [
        Found(f"{A}/newer", "feed", MAY, listed="2024-04-02", kind="article"),
        Found(f"{A}/newest", "feed", MAY, listed="2024-04-02T08:00:00Z", kind="article"),
        Found(f"{A}/older", "feed", MAY, listed="2023", kind="article"),
        Found(f"{A}/undated", "link", MAY, kind="article"),
        Found(f"{A}/perhaps-dated", "sitemap", MAY, listed="2024-04-30"),
        Found(f"{A}/perhaps-near", "link", MAY, depth=1),
        Found(f"{A}/perhaps-far", "link", MAY, depth=2),
        Found(f"{A}/list", "link", MAY, kind="listing", listed="2024-04-30"),
    ]
    names = [entry.address for entry in entries]
    expected = [names[1], names[0], *names[2:]]
    random.Random(3).shuffle(entries)
    ledger.add_found(entries)
    assert [due.address for due in ledger.next_due(100)] == expected
    assert [due.address for due in ledger.next_due(5)] == expected[:5]
    assert ledger.next_due(0) == []


def test_what_is_under_way_is_not_due_and_comes_back_after_a_kill(ledger: Ledger) -> None:
    ledger.add_found([Found(address, "start", MAY) for address in (A, B, C)])
    ledger.mark_fetching(A, B)
    assert [due.address for due in ledger.next_due(9)] == [C]
    assert ledger.pending() == 3
    with pytest.raises(StoreError, match="add_found"):
        ledger.mark_fetching(C, "https://news.example/unknown")
    assert row(ledger, C).state == "queued"
    fetch(ledger, A, "one")
    assert ledger.reset_fetching() == 1
    assert {due.address for due in ledger.next_due(9)} == {B, C}
    assert ledger.pending() == 2


def test_versions_of_a_page_are_told_apart(ledger: Ledger) -> None:
    ledger.add_found([Found(A, "start", MAY)])
    assert fetch(ledger, A, "one", MAY) == Change("new", to_export=True)
    assert fetch(ledger, A, "two", MAY) == Change("changed", to_export=True)
    export(ledger, A, "two")
    assert fetch(ledger, A, "two", JUNE) == Change("same")
    assert fetch(ledger, A, "three", JULY) == Change("changed", to_export=True)
    now = row(ledger, A)
    assert (now.content_hash, now.exported_hash) == ("three", "two")
    assert (now.owed, now.fetched_at, now.status) == (True, JULY, 200)


def test_a_version_that_was_lost_with_its_crawl_is_still_to_be_exported(ledger: Ledger) -> None:
    ledger.add_found([Found(A, "start", MAY)])
    fetch(ledger, A, "one", etag='"1"')
    export(ledger, A, "one")
    fetch(ledger, A, "two", etag='"2"')
    assert [page.address for page in ledger.rows("owed")] == [A]
    assert ledger.conditional_headers(A) == {}, "a 304 would not bring its text back"
    assert fetch(ledger, A, "two") == Change("same", to_export=True)
    assert fetch(ledger, A, "one") == Change("changed")
    assert list(ledger.rows("owed")) == []


def test_what_is_not_for_export_is_owed_nobody(ledger: Ledger) -> None:
    ledger.add_found([Found(A, "start", MAY)])
    listing = Fetched(A, 200, MAY, "one", kind="listing", etag='"1"', for_export=False)
    assert ledger.mark_fetched(listing) == Change("new")
    assert list(ledger.rows("owed")) == []
    assert ledger.conditional_headers(A) == {"If-None-Match": '"1"'}


def test_an_unchanged_page_keeps_all_that_is_known(ledger: Ledger) -> None:
    ledger.add_found([Found(A, "start", MAY)])
    modified = "Wed, 01 May 2024 09:00:00 GMT"
    ledger.mark_fetched(Fetched(A, 200, MAY, "one", "article", '"1"', modified))
    export(ledger, A, "one")
    assert ledger.conditional_headers(A) == {"If-None-Match": '"1"', "If-Modified-Since": modified}
    ledger.mark_fetching(A)
    assert ledger.mark_fetched(Fetched(A, 304, JUNE, etag='"1a"')) == Change("same")
    now = row(ledger, A)
    assert (now.state, now.content_hash, now.kind) == ("fetched", "one", "article")
    assert ledger.conditional_headers(A) == {"If-None-Match": '"1a"', "If-Modified-Since": modified}
    assert (now.fetched_at, now.status) == (JUNE, 304)


def test_a_304_without_a_page_is_a_failure(ledger: Ledger) -> None:
    ledger.add_found([Found(A, "start", MAY), Found(B, "start", MAY)])
    assert ledger.mark_fetched(Fetched(A, 304, MAY)) == Change("same")
    assert (row(ledger, A).state, row(ledger, A).reason) == ("failed", "304 without asking")
    fetch(ledger, B, "one")
    assert not ledger.mark_fetched(Fetched(B, 304, JUNE)).to_export
    assert (row(ledger, B).state, row(ledger, B).owed) == ("failed", True)


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_may_go_and_come_back(ledger: Ledger, status: int) -> None:
    ledger.add_found([Found(A, "start", MAY), Found(B, "start", MAY)])
    fetch(ledger, A, "one", etag='"1"')
    export(ledger, A, "one")
    assert ledger.mark_fetched(Fetched(A, status, JUNE)) == Change("gone")
    assert ledger.mark_fetched(Fetched(B, status, JUNE)) == Change("gone")
    assert {page.address for page in ledger.rows("gone")} == {A, B}
    assert ledger.conditional_headers(A) == {}
    assert fetch(ledger, A, "one", JULY) == Change("same")
    assert [page.address for page in ledger.rows("gone")] == [B]


def test_failures_wait_behind_all_that_failed_less_often(ledger: Ledger) -> None:
    ledger.add_found([Found(address, "start", MAY, kind="article") for address in (A, B)])
    ledger.add_found([Found(C, "start", MAY, kind="listing")])
    ledger.mark_failed(A, "timeout", at=MAY)
    assert ledger.retry_failed(5, now=MAY) == 1
    assert [due.address for due in ledger.next_due(9)] == [B, C, A]
    ledger.mark_failed(A, "status 503", at=JUNE, status=503)
    now = row(ledger, A)
    assert (now.state, now.reason, now.tries, now.status) == ("failed", "status 503", 2, 503)
    assert (now.asked_at, now.fetched_at) == (JUNE, "")
    ledger.mark_refused(B, "robots.txt", at=JUNE)
    assert (row(ledger, B).state, row(ledger, B).tries) == ("refused", 0)
    ledger.requeue(A, B)
    assert {due.address for due in ledger.next_due(2)} == {A, B}
    assert (row(ledger, A).reason, row(ledger, A).tries) == ("", 0)


@pytest.mark.parametrize(
    ("listed_before", "listed_after", "hinted"),
    [
        ("2024-04-01", "2024-04-02", True),
        ("2024-04-02", "2024-04-02", False),
        ("2024-04-02", "2024-04-01", False),
        ("", "2024-04-30", False),
        ("", "2024-05-02", True),
    ],
)
def test_a_later_date_hints_at_a_change(
    ledger: Ledger, listed_before: str, listed_after: str, *, hinted: bool
) -> None:
    ledger.add_found([Found(A, "link", MAY, listed=listed_before, kind="article")])
    fetch(ledger, A, "one", MAY)
    assert ledger.add_found([Found(A, "sitemap", JUNE, listed=listed_after)]) == 0
    assert [page.address for page in ledger.rows("hinted")] == [A] * hinted
    assert ledger.next_due(1) == [], "a hint alone fetches nothing"
    fetch(ledger, A, "one", JUNE)
    assert list(ledger.rows("hinted")) == []


@pytest.mark.parametrize(
    "header", ['"a"\r\nX-Evil: 1', "x" * 5000, "\0", "\udcff", "ä", "  "], ids=ascii
)
def test_headers_that_cannot_be_sent_back_are_not_kept(ledger: Ledger, header: str) -> None:
    ledger.add_found([Found(A, "start", MAY)])
    fetch(ledger, A, "one", etag=header, last_modified=header)
    assert ledger.conditional_headers(A) == {}


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (Fetched(B, 200, MAY, "one"), "add_found"),
        (Fetched(A, 200, "today", "one"), "ISO 8601"),
    ],
)
def test_an_answer_that_is_none_is_refused(ledger: Ledger, wrong: Fetched, says: str) -> None:
    ledger.add_found([Found(A, "start", MAY)])
    before = row(ledger, A)
    with pytest.raises(StoreError, match=says):
        ledger.mark_fetched(wrong)
    assert row(ledger, A) == before


def test_rows_are_given_by_state_while_the_ledger_is_written(ledger: Ledger) -> None:
    names = [f"{A}/{number}" for number in range(1200)]
    ledger.add_found(Found(name, "sitemap", MAY) for name in names)
    given = []
    for page in ledger.rows():
        given.append(page.address)
        fetch(ledger, page.address, "one")
    assert sorted(given) == sorted(names)
    assert sum(1 for _ in ledger.rows("fetched")) == 1200
    ledger.mark_refused(names[0], "robots.txt", at=MAY)
    ledger.mark_failed(names[1], "timeout", at=MAY)
    assert [page.address for page in ledger.rows("refused")] == [names[0]]
    assert [page.address for page in ledger.rows("failed")] == [names[1]]
    export(ledger, names[2], "one")
    assert ledger.figures() == Counter(fetched=1198, refused=1, failed=1, exported=1, owed=1199)


def test_an_empty_ledger_has_nothing(ledger: Ledger) -> None:
    assert ledger.add_found([]) == 0
    assert ledger.next_due(5) == list(ledger.rows()) == list(ledger.rows("gone")) == []
    assert (ledger.pending(), ledger.reset_fetching(), ledger.figures()) == (0, 0, Counter())


def test_addresses_whose_hashes_are_one_are_kept_apart(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No two addresses with one hash are known, so that one is made: the last there is.
    monkeypatch.setattr("crawler.store.ledger.database.address_key", lambda _: LAST_KEY)
    names = [f"{A}/{number}" for number in range(20)]
    assert ledger.add_found(Found(name, "link", MAY) for name in names) == 20
    assert ledger.add_found(Found(name, "link", MAY) for name in names) == 0
    for name in names:
        fetch(ledger, name, f"content-of-{name[-1]}")
    assert [row(ledger, name).content_hash for name in names] == [
        f"content-of-{name[-1]}" for name in names
    ]
    assert {page.address for page in ledger.rows()} == set(names)
    assert ledger.seen(f"{A}/20") is None
