"""When sites are due: days of summer-time change, jitter, what was missed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from crawler.harvest import schedule
from crawler.harvest.plan import SitePlan
from crawler.harvest.schedule import (
    MOST_COUNTED,
    due,
    next_times,
    planned_times,
    read_cron,
    read_zone,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

BERLIN = "Europe/Berlin"
# In Berlin the clock goes from 2:00 to 3:00 on 29 March 2026, and from 3:00 to 2:00 on 25 October.
SPRING = datetime(2026, 3, 28, 12, tzinfo=ZoneInfo(BERLIN))
AUTUMN = datetime(2026, 10, 24, 12, tzinfo=ZoneInfo(BERLIN))


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def site(cron: str, zone: str = "UTC", jitter: float = 0, name: str = "blog") -> SitePlan:
    return SitePlan(name, ("http://blog.example/",), cron=cron, time_zone=zone, jitter=jitter)


def local(cron: str, start: datetime, number: int) -> list[str]:
    """Return planned times on the clock of Berlin, with the zone's offset."""
    times = next_times(site(cron, BERLIN), start, number)
    return [f"{time.astimezone(ZoneInfo(BERLIN)):%d %H:%M %z}" for time in times]


def test_a_time_that_spring_leaves_out_comes_right_after_it() -> None:
    assert local("30 2 * * *", SPRING, 2) == ["29 03:00 +0200", "30 02:30 +0200"]


def test_times_that_spring_moves_onto_each_other_come_once() -> None:
    assert local("15,45 2 * * *", SPRING, 2) == ["29 03:00 +0200", "30 02:15 +0200"]
    assert local("0 2,3 * * *", SPRING, 3) == ["29 03:00 +0200", "30 02:00 +0200", "30 03:00 +0200"]


def test_a_time_that_autumn_has_twice_comes_the_first_time() -> None:
    assert local("30 2 * * *", AUTUMN, 2) == ["25 02:30 +0200", "26 02:30 +0100"]


def test_a_time_that_autumn_has_twice_does_not_come_again_between_the_two() -> None:
    between = utc("2026-10-25T01:10")
    assert local("30 2 * * *", between, 1) == ["26 02:30 +0100"]


def test_hourly_times_follow_the_clock_through_both_changes() -> None:
    assert local("0 * * * *", utc("2026-03-28T23:30"), 3) == [
        "29 01:00 +0100", "29 03:00 +0200", "29 04:00 +0200",
    ]  # fmt: skip
    assert local("@hourly", utc("2026-10-24T23:30"), 3) == [
        "25 02:00 +0200", "25 02:00 +0100", "25 03:00 +0100",
    ]  # fmt: skip


def test_jitter_is_the_same_everywhere_and_differs_from_site_to_site() -> None:
    start = utc("2026-11-01T00:00")
    plain = next_times(site("0 5 * * *"), start, 7)
    one, again, two = (
        next_times(site("0 5 * * *", jitter=1800, name=name), start, 7)
        for name in ("blog", "blog", "news")
    )
    assert one == again != two
    put_off = [(late - time).total_seconds() for late, time in zip(one, plain, strict=True)]
    assert all(0 <= seconds <= 1800 for seconds in put_off)
    assert len(set(put_off)) > 1
    # Written down: another version of the hash would move the runs of all harvests.
    assert put_off[0] == 1719


def test_a_site_without_cron_is_never_due() -> None:
    assert next_times(site(""), utc("2026-11-01T00:00"), 3) == []
    assert due(site(""), utc("2026-11-01T00:00"), utc("2027-11-01T00:00")) == []


def test_what_is_due_is_the_last_time_and_what_was_missed_are_those_before() -> None:
    daily = site("0 5 * * *")
    last = utc("2026-11-01T05:00")
    assert due(daily, last, utc("2026-11-02T04:59")) == []
    assert due(daily, last, utc("2026-11-02T05:00")) == [utc("2026-11-02T05:00")]
    late = due(daily, last, utc("2026-11-05T12:00"))
    assert late == [utc(f"2026-11-0{day}T05:00") for day in (2, 3, 4, 5)]


@pytest.mark.parametrize("jitter", [0, 30, 7200])
def test_after_a_year_nobody_counts_the_minutes(
    jitter: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = 0
    ticks = schedule._ticks

    def counting(one: SitePlan, after: datetime) -> Iterator[datetime]:
        nonlocal seen
        for tick in ticks(one, after):
            seen += 1
            yield tick

    monkeypatch.setattr(schedule, "_ticks", counting)
    minutes, last = site("* * * * *", "Asia/Seoul", jitter), utc("2025-11-01T00:00")
    now = utc("2026-11-01T00:00")
    times = due(minutes, last, now)
    assert seen < 6 * MOST_COUNTED
    recent = due(minutes, now - timedelta(hours=6), now)
    assert (len(times) - 1, times[-300:]) == (MOST_COUNTED, recent[-300:])


def test_as_many_times_as_are_counted_are_those_that_there_are() -> None:
    minutes, last = site("* * * * *"), utc("2026-11-01T00:00")
    for number in (MOST_COUNTED, MOST_COUNTED + 1):
        times = due(minutes, last, last + timedelta(minutes=number))
        assert times == next_times(minutes, last, number)


def test_rare_times_are_found() -> None:
    leap = site("0 0 29 2 *")
    assert next_times(leap, utc("2026-11-01T00:00"), 2) == [
        utc("2028-02-29T00:00"), utc("2032-02-29T00:00"),
    ]  # fmt: skip
    times = due(leap, utc("2024-01-01T00:00"), utc("2026-11-01T00:00"))
    assert times == [utc("2024-02-29T00:00")]


def test_the_end_of_a_long_jitter_is_not_lost_to_a_late_start() -> None:
    weekly = site("0 0 * * 1", jitter=6 * 86400)
    first = next(planned_times(weekly, utc("2026-11-01T00:00")))
    just_before = first - timedelta(seconds=1)
    assert next(planned_times(weekly, just_before)) == first


@pytest.mark.parametrize(
    "cron",
    ["", "*", "* * * * * *", "60 * * * *", "a * * * *", "*/0 * * * *", "5-1 * * * *", "@reboot",
     "* * 31 2 *", f"{'9' * 5000} * * * *", "1,,2 * * * *", "* * * * 1#9", "* * * * L", "* * * * 8",
     "1/2/3 * * * *", "* * L/0 * *", "² * * * *"],
    ids=lambda cron: cron[:20] or "empty",
)  # fmt: skip
def test_what_is_no_cron_expression_is_refused(cron: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - its message is that of a field
        read_cron(cron)


@pytest.mark.parametrize(
    "cron", ["*/5 * * * *", "0 5 * * MON-FRI", "0 0 L * *", "0 0 LW * *", "0 9 * JAN 5#2", "@daily"]
)
def test_cron_expressions_are_taken(cron: str) -> None:
    assert read_cron(cron) == cron


@pytest.mark.parametrize(
    ("name", "near"),
    [("asia/seol", "'Asia/Seoul'"), ("New York", "'America/New_York'"), ("Berlin", "Europe/Berlin"),
     ("Asia", ""), ("/etc/passwd", ""), ("x" * 300, ""), ("\0", "")],
    ids=lambda name: name[:10].strip("\0"),
)  # fmt: skip
def test_zones_that_are_none_are_told_with_the_nearest(name: str, near: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - its message is that of a field
        read_zone(name)
    assert near in str(caught.value)


def test_zones_are_taken() -> None:
    assert [read_zone(name) for name in ("Asia/Seoul", "UTC")] == ["Asia/Seoul", "UTC"]
