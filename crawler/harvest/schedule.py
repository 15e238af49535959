"""When sites are due: cron in a time zone, put off by jitter. Pure: the caller says the time.

All times that go in and come out are aware; those that come out are in UTC.

**Cron.** Five fields, read as Debian's cron reads them (by the library cronsim), or a name such as
``@daily``. On days of summer-time change a run at a fixed time comes once: one whose time the
change leaves out comes right after it, and one whose time comes twice comes the first time. Where
minute or hour begin with ``*``, runs follow the clock on the wall: times that are left out are left
out, times that come twice come twice.

**Jitter.** Each planned time is put off by 0 to ``jitter`` whole seconds, which a hash of the
site's id and of the time itself chooses: every machine agrees, and sites with one cron do not begin
at once.
"""

from __future__ import annotations

import heapq
import zoneinfo
from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Final

from cronsim import CronSim, CronSimError
from xxhash import xxh3_64_intdigest

from crawler.core.wording import nearest
from crawler.fields import HintError

if TYPE_CHECKING:
    from crawler.harvest.plan import SitePlan

MOST_COUNTED: Final = 1000
"""Missed times are counted up to this number: after a long pause nobody needs the exact one."""

CRON_NAMES: Final = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
}
"""Names that stand for a cron expression."""
_FIELDS: Final = 5
_LONGEST: Final = 200
_FIRST_LOOK: Final = timedelta(hours=1)


def read_cron(text: str) -> str:
    """Return a cron expression, or the name of a schedule, as it is.

    Raises:
        ValueError: it is none, or names a time that never comes.
    """
    if text in CRON_NAMES:
        return text
    if len(text) > _LONGEST or len(text.split()) != _FIELDS:
        raise ValueError(text)
    try:
        if next(CronSim(text, datetime(2000, 1, 1, tzinfo=UTC)), None) is None:
            raise HintError("its days never come")
    except CronSimError as error:
        raise HintError(str(error).lower()) from None
    except AssertionError as error:
        # By forms that the library mixes up.
        raise ValueError(text) from error
    return text


def read_zone(name: str) -> str:
    """Return the name of a time zone as it is.

    Raises:
        ValueError: it is none.
    """
    try:
        zoneinfo.ZoneInfo(name)
    except (ValueError, KeyError, OSError):
        known = zoneinfo.available_timezones()
        if not known:
            raise HintError("this system knows none; install the package tzdata") from None
        # The name of a city alone is the usual slip.
        cities = {zone.rpartition("/")[2]: zone for zone in sorted(known)}
        near = nearest(name.replace(" ", "_"), [*known, *cities])
        raise (
            HintError(f"did you mean '{cities.get(near, near)}'?") if near else ValueError
        ) from None
    return name


def planned_times(site: SitePlan, after: datetime) -> Iterator[datetime]:
    """Give the planned times of a site that are later than ``after``, the earliest first.

    Without end, or none where the site has no ``cron``. The times do not depend on where a caller
    begins: those after a later moment are the end of those after an earlier one.
    """
    if not site.cron:
        return
    longest = timedelta(seconds=int(site.jitter))
    waiting: list[datetime] = []
    given = after
    for tick in _ticks(site, after - longest):
        # No later tick can come before its own time, however little it is put off.
        while waiting and waiting[0] <= tick:
            planned = heapq.heappop(waiting)
            if planned > given:
                given = planned
                yield planned
        digest = xxh3_64_intdigest(f"{site.id}\n{tick.isoformat()}".encode())
        put_off = timedelta(seconds=digest % (int(site.jitter) + 1))
        heapq.heappush(waiting, tick + put_off)
    yield from sorted({planned for planned in waiting if planned > given})


def next_times(site: SitePlan, after: datetime, number: int) -> list[datetime]:
    """Return the next planned times of a site, at most ``number``."""
    return list(islice(planned_times(site, after), number))


def due(site: SitePlan, last: datetime, now: datetime) -> list[datetime]:
    """Return the planned times that have become due: the last is to be run, the others were missed.

    Of more than ``MOST_COUNTED`` missed times the latest so many are returned.

    Args:
        site: The site.
        last: The last planned time that needs no run any more: since it was run, or counted as
            missed, or lies before the site was planned.
        now: The time it is.
    """
    back = _FIRST_LOOK
    while True:
        # From the end, so that a schedule of minutes is not gone through for years.
        since = max(last, now - back)
        until_now = takewhile(lambda planned: planned <= now, planned_times(site, since))
        times = deque(until_now, MOST_COUNTED + 1)
        if since == last or len(times) > MOST_COUNTED:
            return list(times)
        back *= 4


def _ticks(site: SitePlan, after: datetime) -> Iterator[datetime]:
    """Give the times of the cron expression itself, in UTC, each once."""
    zone = UTC if site.time_zone == "UTC" else zoneinfo.ZoneInfo(site.time_zone)
    # A second of its own is passed over by the library, but not a part of one.
    last = after.astimezone(UTC).replace(microsecond=0)
    for local in CronSim(CRON_NAMES.get(site.cron, site.cron), last.astimezone(zone)):
        tick = local.astimezone(UTC)
        # Times that a change of the clock has moved onto each other, or that lie before the start
        # since the clock shows them twice.
        if tick > last:
            last = tick
            yield tick
