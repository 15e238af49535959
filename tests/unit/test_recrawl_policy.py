"""Which known pages a crawl asks for again, and when it no longer does."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest

from crawler.core.page.addresses import address_key
from crawler.journey.recrawl_policy import RecrawlPolicy
from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import Fetched, Found

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

FIRST, SECOND = "2024-05-01T10:00:00Z", "2024-05-02T10:00:00Z"
THIRD, LATER = "2024-05-03T10:00:00Z", "2024-05-04T10:00:00Z"
RUN = "run"


def address(number: int) -> str:
    return f"https://news.example/{number}"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "news.example.sqlite") as opened:
        opened.begin_run(RUN, FIRST)
        yield opened


def publish(ledger: Ledger, numbers: Iterable[int], at: str = FIRST) -> None:
    """Have pages found in a sitemap, fetched and exported."""
    numbers = list(numbers)
    ledger.add_found(
        Found(address(n), "sitemap", at, listed="2024-04-01", kind="article") for n in numbers
    )
    part = ledger.begin_part(RUN, "part-{}".format, at).number
    for number in numbers:
        ledger.mark_fetched(Fetched(address(number), 200, at, f"body-{number}"))
        ledger.mark_exported(RUN, address(number), f"text-{number}", part)
    ledger.finish_part(RUN, part, at)


def answer(ledger: Ledger, url: str, at: str, body: str = "") -> None:
    status = 200 if body else 304
    ledger.mark_fetched(Fetched(url, status, at, body))


def asker(ledger: Ledger, now: str, *, share: float = 0.5, most: int = 500) -> RecrawlPolicy:
    return RecrawlPolicy(ledger, share, most, now, since=now)


def test_a_page_is_due_ever_less_often_as_long_as_it_stays_the_same(ledger: Ledger) -> None:
    publish(ledger, [1])
    asked = []
    for hour in range(1, 200):
        now = f"2024-05-{1 + (10 + hour) // 24:02}T{(10 + hour) % 24:02}:00:00Z"
        if asker(ledger, now).next(5, 0):
            asked.append(hour)
            answer(ledger, address(1), now)
    assert asked == [1, 2, 3, 5, 8, 12, 18, 27, 41, 62, 93, 140]


def test_a_change_makes_a_page_due_soon_again(ledger: Ledger) -> None:
    publish(ledger, [1])
    answer(ledger, address(1), THIRD)
    assert asker(ledger, "2024-05-03T20:00:00Z").next(5, 0) == []
    answer(ledger, address(1), LATER, "another body")
    assert asker(ledger, "2024-05-04T11:00:00Z").next(5, 0) == [(address(1), "recent")]


def test_each_reason_has_its_turn_and_each_page_is_asked_for_once(ledger: Ledger) -> None:
    publish(ledger, range(10))
    ledger.add_found([Found(address(3), "sitemap", SECOND, listed="2024-05-02")])
    again = asker(ledger, SECOND)
    again.named = {address_key(address(n)) for n in range(10) if n != 7}
    asked = again.next(100, 0)
    assert asked[:2] == [(address(3), "hinted"), (address(7), "unlisted")]
    assert {url for url, reason in asked[2:] if reason == "recent"} == {
        address(n) for n in range(10) if n not in {3, 7}
    }
    assert again.next(100, 0) == []


def test_what_is_listed_no_more_is_asked_for_once(ledger: Ledger) -> None:
    publish(ledger, [1, 2])
    for _ in range(2):
        again = asker(ledger, SECOND, most=1)
        again.named = {address_key(address(1))}
        first = again.next(5, 0)
    assert first == [(address(1), "recent")] or first == [(address(2), "recent")]
    ledger.add_found([Found(address(2), "sitemap", SECOND)])
    again = asker(ledger, SECOND, most=1)
    again.named = set()
    assert next(iter(again.next(5, 0)))[1] == "unlisted", "it was listed meanwhile"


def test_no_page_is_missed_where_sitemaps_are_not_all_read(ledger: Ledger) -> None:
    publish(ledger, [1, 2])
    assert [reason for _, reason in asker(ledger, SECOND).next(5, 0)] == ["recent", "recent"]


def test_most_limits_what_nothing_hints_at(ledger: Ledger) -> None:
    publish(ledger, range(40))
    ledger.add_found(Found(address(n), "sitemap", SECOND, listed="2024-05-02") for n in range(15))
    reasons = [reason for _, reason in asker(ledger, SECOND, most=3).next(100, 0)]
    assert reasons == ["hinted"] * 15 + ["recent"] * 3


@pytest.mark.parametrize(("new_pages", "allowed"), [(0, 10), (60, 10), (300, 30)])
def test_pages_that_come_for_nothing_are_bounded(
    ledger: Ledger, new_pages: int, allowed: int
) -> None:
    publish(ledger, range(100))
    again = asker(ledger, SECOND)
    came = 0
    while asked := again.next(8, new_pages):
        for url, _ in asked:
            came += 1
            again.answered(url, whole=True)
            if came % 2:
                again.judged(url, changed=False)
    assert came == allowed
    assert again.put_off["recent"] == 100 - allowed


def test_what_has_changed_is_no_waste(ledger: Ledger) -> None:
    publish(ledger, range(100))
    again = asker(ledger, SECOND)
    came = 0
    while asked := again.next(8, 0):
        for url, _ in asked:
            came += 1
            again.answered(url, whole=True)
            again.judged(url, changed=True)
    assert came == 100
    assert again.put_off == {}


def test_no_more_is_under_way_than_may_come_for_nothing(ledger: Ledger) -> None:
    publish(ledger, range(100))
    again = asker(ledger, SECOND)
    first = again.next(64, 0)
    assert len(first) == 10
    assert again.next(64, 0) == []
    for url, _ in first:
        again.answered(url, whole=False)
    assert len(again.next(64, 0)) == 10, "nothing came"


def test_a_wait_leaves_nothing_behind(ledger: Ledger) -> None:
    publish(ledger, range(30))
    again = asker(ledger, SECOND)
    asked = [url for url, _ in again.next(64, 0)]
    tracemalloc.start()
    for _ in range(5_000):
        assert again.next(64, 0) == []
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert grown < 50_000, "each wait would slow all later requests"
    for url in asked:
        again.answered(url, whole=False)
        asked += [following for following, _ in again.next(1, 0)]
    assert sorted(asked) == sorted(address(n) for n in range(30)), "each once"


def test_hints_are_followed_until_they_were_wrong_too_often(ledger: Ledger) -> None:
    publish(ledger, range(100))
    ledger.add_found(Found(address(n), "sitemap", SECOND, listed="2024-05-02") for n in range(100))
    again = asker(ledger, SECOND, most=0)
    came = 0
    while asked := again.next(1, 0):
        came += 1
        again.answered(asked[0][0], whole=True)
        again.judged(asked[0][0], changed=came % 4 == 0)
    assert came == 26
    assert again.put_off == {"hinted": 74}
    assert len(list(ledger.rows("hinted"))) == 100, "they stay for the next crawl"


def test_old_pages_do_not_keep_new_ones_from_being_asked_for(ledger: Ledger) -> None:
    publish(ledger, range(50), FIRST)
    publish(ledger, range(50, 80), SECOND)
    again = asker(ledger, THIRD)
    again.recent = SECOND
    came = {"recent": 0, "due": 0}
    while asked := again.next(8, 0):
        for url, reason in asked:
            is_old = reason == "due"
            came[reason] += 1
            again.answered(url, whole=is_old)
            if is_old:
                again.judged(url, changed=False)
    assert came == {"recent": 30, "due": 5}
    assert again.put_off == {"due": 45}
