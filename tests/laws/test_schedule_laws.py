"""Laws of schedules: where one looks from does not change what is planned."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise, takewhile

from hypothesis import given
from hypothesis import strategies as st

from crawler.harvest.plan import SitePlan
from crawler.harvest.schedule import due, planned_times

ZONES = ("UTC", "Europe/Berlin", "Asia/Seoul", "America/Havana", "Australia/Lord_Howe")
CRONS = (
    "0 5 * * *", "30 2 * * *", "15,45 1-3 * * *", "*/20 * * * *", "*/30 2 * * *", "0 */3 * * *",
    "0 0 * * MON", "0 0 1,15 * *", "0 0 L * *", "59 23 * 3,10 SUN", "0 0 * * *",
)  # fmt: skip
# Around the changes of the clock in most of these zones, and anywhere.
DAYS = (((3, 7), (4, 6)), ((10, 3), (11, 2)), ((1, 1), (12, 31)))
AROUND = st.one_of(
    *(
        st.integers(*(int(datetime(2026, *day, tzinfo=UTC).timestamp()) for day in days))
        for days in DAYS
    )
).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
SPANS = st.timedeltas(timedelta(0), timedelta(days=3))
SITES = st.builds(
    SitePlan,
    id=st.sampled_from(("blog", "news")),
    cron=st.sampled_from(CRONS),
    time_zone=st.sampled_from(ZONES),
    jitter=st.sampled_from((0, 7, 600, 7200, 100_000)),
)


def between(site: SitePlan, start: datetime, end: datetime) -> list[datetime]:
    return list(takewhile(lambda time: time <= end, planned_times(site, start)))


@given(SITES, AROUND, SPANS, SPANS)
def test_a_span_is_the_sum_of_its_parts(
    site: SitePlan, start: datetime, first: timedelta, second: timedelta
) -> None:
    middle, end = start + first, start + first + second
    assert between(site, start, end) == [
        *between(site, start, middle),
        *between(site, middle, end),
    ]


@given(SITES, AROUND, SPANS)
def test_planned_times_rise_and_are_in_utc(
    site: SitePlan, start: datetime, span: timedelta
) -> None:
    times = between(site, start, start + span)
    assert all(earlier < later for earlier, later in pairwise([start, *times]))
    assert all(time.tzinfo is UTC and time.microsecond == 0 for time in times)


@given(SITES, AROUND, st.lists(SPANS, min_size=1, max_size=4))
def test_each_planned_time_is_run_or_missed_once_however_often_one_looks(
    site: SitePlan, start: datetime, spans: list[timedelta]
) -> None:
    last = now = start
    seen = 0
    for span in spans:
        now += span
        if times := due(site, last, now):
            assert last < times[0] <= times[-1] <= now
            seen += len(times)
            last = times[-1]
            assert due(site, last, now) == []
    assert seen == len(between(site, start, now))
