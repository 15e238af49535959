"""How long a site in trouble is left alone, by the rules and without a clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.middlewares.throttling_rules import Throttle, Verdict, retry_after
from crawler.settings import Pauses

LIMITS = Pauses(first=10, longest=100, count=4, after_errors=3)
NOW = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)


def test_a_site_is_left_alone_for_as_long_as_it_asks() -> None:
    throttle = Throttle(LIMITS)
    assert throttle.asked_to_wait("a", 0, 1, 30) == Verdict(30, 1, 30)
    assert throttle.wait("a", 1) == 30
    assert throttle.wait("a", 30.5) == 0.5
    assert throttle.wait("a", 31) == 0
    assert throttle.wait("b", 1) == 0
    assert throttle.is_any_paused(30)
    assert not throttle.is_any_paused(31)


def test_a_site_that_asks_for_too_much_is_given_up() -> None:
    throttle = Throttle(LIMITS)
    assert throttle.asked_to_wait("a", 0, 1, 101) == Verdict(None, 0, 101)
    assert throttle.wait("a", 1) == 0
    assert throttle.failed("a", 5, 6) is None
    assert not throttle.answered("a", 5)
    assert not throttle.is_tried("a")


def test_pauses_double_up_to_the_longest_and_then_the_site_is_given_up() -> None:
    throttle = Throttle(Pauses(first=10, longest=30, count=4, after_errors=1))
    now, lengths = 0.0, []
    while (verdict := throttle.asked_to_wait("a", now, now, None)) and verdict.seconds:
        lengths.append(verdict.seconds)
        now += verdict.seconds
    assert lengths == [10, 20, 30, 30]
    assert verdict == Verdict(None, 4, None)


def test_a_site_whose_own_time_did_not_do_is_given_more() -> None:
    throttle = Throttle(LIMITS)
    assert throttle.asked_to_wait("a", 0, 0, 1) == Verdict(1, 1, 1)
    assert throttle.asked_to_wait("a", 1, 1, 1) == Verdict(20, 2, 1)
    assert throttle.asked_to_wait("a", 21, 21, 90) == Verdict(90, 3, 90)


def test_some_errors_in_a_row_begin_a_pause_and_then_each_one_does() -> None:
    throttle = Throttle(LIMITS)
    assert throttle.failed("a", 0, 1) is None
    assert throttle.failed("a", 1, 2) is None
    assert not throttle.answered("a", 2)
    assert [throttle.failed("a", now, now) for now in (3, 4)] == [None, None]
    assert not throttle.is_tried("a")
    assert throttle.failed("a", 5, 5) == Verdict(10, 1, None)
    assert throttle.is_tried("a")
    assert throttle.failed("a", 15, 16) == Verdict(20, 2, None)


def test_an_answer_ends_the_matter() -> None:
    throttle = Throttle(LIMITS)
    throttle.asked_to_wait("a", 0, 0, None)
    assert throttle.answered("a", 10)
    assert not throttle.is_tried("a")
    assert not throttle.answered("a", 11)
    assert throttle.asked_to_wait("a", 12, 12, None) == Verdict(10, 1, None)


def test_what_was_under_way_when_a_pause_began_says_nothing_new() -> None:
    throttle = Throttle(LIMITS)
    throttle.asked_to_wait("a", 4, 5, None)
    assert throttle.asked_to_wait("a", 4, 6, None) is None
    assert throttle.failed("a", 4, 20) is None
    assert not throttle.answered("a", 4)
    assert throttle.is_tried("a")
    assert throttle.wait("a", 6) == 9


def test_of_several_wishes_the_longest_is_kept_to() -> None:
    throttle = Throttle(LIMITS)
    throttle.asked_to_wait("a", 4, 5, 10)
    assert throttle.asked_to_wait("a", 4, 6, 60) is None
    assert throttle.asked_to_wait("a", 4, 7, 20) is None
    assert throttle.wait("a", 6) == 60
    assert throttle.asked_to_wait("a", 4, 7, 3600) == Verdict(None, 1, 3600)


def test_a_crawl_without_patience_gives_a_site_up_at_once() -> None:
    throttle = Throttle(Pauses(count=0, after_errors=2))
    assert throttle.failed("a", 0, 0) is None
    assert throttle.failed("a", 1, 1) == Verdict(None, 0, None)
    assert throttle.asked_to_wait("b", 0, 0, 5) == Verdict(None, 0, 5)


@given(st.lists(st.tuples(st.sampled_from(["error", "asked", "told", "answer"]), st.floats(0, 99))))
def test_a_site_is_never_left_alone_for_longer_than_the_longest_pause(
    events: list[tuple[str, float]],
) -> None:
    throttle, now = Throttle(Pauses(first=3, longest=50, count=9)), 0.0
    for kind, seconds in events:
        now += throttle.wait("a", now)
        if kind == "answer":
            throttle.answered("a", now)
            assert throttle.wait("a", now) == 0
        elif kind == "error":
            throttle.failed("a", now, now)
        else:
            throttle.asked_to_wait("a", now, now, seconds if kind == "told" else None)
        assert 0 <= throttle.wait("a", now) <= 50.0001


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120),
        (" 7 ", 7),
        ("1.5", 1.5),
        (format_datetime(NOW + timedelta(minutes=5), usegmt=True), 300),
        ("Saturday, 28-Nov-26 12:00:30 GMT", 30),
        ("Sat Nov 28 12:00:40 2026", 40),
        ("Sat, 28 Nov 2026 13:00:40 +0100", 40),
        ("9" * 5000, 10 * 366 * 86_400),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 10 * 366 * 86_400),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str, seconds: float) -> None:
    assert retry_after(value, NOW) == seconds


@pytest.mark.parametrize(
    "value",
    [
        *("", "0", "-5", "soon", "1.2.3", ".", "٣", "nan", "inf", "1e9", "Sat, 99 Foo"),
        format_datetime(NOW - timedelta(minutes=5), usegmt=True),
        "Sat, 28 Nov 99999999999 12:00:00 GMT",
        "Sat, 28 Nov 2026 12:00:00 +9999999999",
    ],
)
def test_what_names_no_time_to_come_is_no_wish(value: str) -> None:
    assert retry_after(value, NOW) is None


@given(st.text(max_size=60))
def test_any_text_may_stand_in_the_header(value: str) -> None:
    seconds = retry_after(value, NOW)
    assert seconds is None or seconds > 0
