"""When a page was published, and when it was last changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crawler.core.metadata.dates import Date, Reading, find_dates, read_date
from crawler.core.metadata.visible import seen_dates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crawler.core.metadata.facts import PageFacts
    from crawler.core.metadata.visible import SeenDate

__all__ = ["DateChooser"]

# From how many points a date that is seen is believed at all, and before weaker meta elements.
_SEEN_POINTS = 1.5
_SURE_POINTS = 5.0
_FIRST_TIMES = 3
_NOON, _AHEAD = 12, 10
_URL_DATE = re.compile(
    r"(?<!\d)(?P<y>(?:19|20)\d\d)(?P<s>[/._-]?)(?P<m>0[1-9]|1[0-2]|[1-9](?=[/._-]))(?P=s)"
    r"(?P<d>0[1-9]|[12]\d|3[01]|[1-9](?=\D|$))(?!\d)"
)
_URL_MONTH = re.compile(r"/(?P<y>(?:19|20)\d\d)/(?P<m>[a-z]{3,9})/(?P<d>\d{1,2})/", re.IGNORECASE)
_QUOTES = r"[\\\x22']{1,4}"
_SCRIPT_DATE = re.compile(
    r"(?:date_?published|published_?(?:at|date|time|on)|publish_?(?:date|time|ed_?at)|pub_?date"
    r"|publication_?date|first_?published(?:_?at)?|datecreated|created_?at)"
    rf"{_QUOTES}\s?[:=]\s?{_QUOTES}(?P<date>[^\\\x22']{{6,40}}){_QUOTES}",
    re.IGNORECASE,
)
# What the names of such dates have, looked for at a fraction of the cost.
_SCRIPT_NAMES = ("publi", "pubdate", "pub_date", "datecreated", "created_at", "createdat")
_SCRIPT_CHARS = 200_000
_MONTH_FIRST = ("us", "ph")
_DAY_FIRST_HOSTS = (".uk", ".au", ".nz", ".in", ".ie", ".za", ".eu", ".ng", ".ke", ".sg", ".my")
_YEAR_FIRST = ("ko", "ja", "zh", "hu", "lt")


class DateChooser:
    """Chooses between the dates that a page gives, in the order that docs/metadata.md states."""

    def __init__(self, facts: PageFacts, language: str | None, fetched_at: str | None) -> None:
        self._facts = facts
        self._reading = _how_to_read(language, facts.house[0])
        self._latest = read_date(fetched_at) if fetched_at else None
        self._shown: list[SeenDate] | None = None

    def published(self) -> tuple[str, Date] | None:
        """Return the source and date of publication."""
        return self._first(self._published())

    def modified(self) -> tuple[str, Date] | None:
        """Return the source and date of the last change."""
        return self._first(self._modified())

    def _first(self, dates: Iterable[tuple[str, Date | None]]) -> tuple[str, Date] | None:
        for source, date in dates:
            if date is not None and self._is_plausible(date):
                return source, date
        return None

    def _is_plausible(self, date: Date) -> bool:
        return self._latest is None or date.number <= self._latest.number + 1

    @property
    def _seen(self) -> list[SeenDate]:
        if self._shown is None:
            self._shown = seen_dates(self._facts.visible, self._reading)
        return self._shown

    def _published(self) -> Iterator[tuple[str, Date | None]]:
        in_url = _date_in_url(self._facts.url)
        for value in self._facts.linked.published:
            yield self._local_day("json-ld", read_date(value, self._reading), in_url)
        for source, value in self._facts.metas.values("published"):
            yield self._local_day(source, read_date(value, self._reading), in_url)
        if in_url is not None:
            yield from self._clock_of(in_url)
        yield "url", in_url
        yield from self._published_as_seen()

    def _clock_of(self, in_url: Date) -> Iterator[tuple[str, Date]]:
        """Yield dates that readers see of the day in the address, with a time of day."""
        for each in self._seen:
            same_day = each.date.number == in_url.number
            if same_day and each.date.clock and not (each.is_modified or each.is_aside):
                yield each.source, each.date

    def _published_as_seen(self) -> Iterator[tuple[str, Date | None]]:
        seen = [each for each in self._seen if not each.is_modified]
        yield from ((each.source, each.date) for each in seen if each.points >= _SURE_POINTS)
        for source, value in self._facts.metas.values("dated"):
            yield source, read_date(value, self._reading)
        yield from ((each.source, each.date) for each in seen if each.points >= _SEEN_POINTS)
        yield from self._last_resorts()
        yield from ((each.source, each.date) for each in seen if not each.is_aside)
        # All that the page tells is when it was last changed: its source says so.
        yield from (("modified", date) for _, date in self._modified())
        yield from ((each.source, each.date) for each in seen)

    def _last_resorts(self) -> Iterator[tuple[str, Date | None]]:
        yield "title", _first_in(self._facts.parsed.title or "", self._reading)
        path = _path(self._facts.url)
        yield "url", _first_in(path.replace("_", "-"), self._reading)
        left = _SCRIPT_CHARS
        for script in self._facts.head.scripts:
            lower = script[:left].lower()
            if any(map(lower.__contains__, _SCRIPT_NAMES)):
                for match in _SCRIPT_DATE.finditer(script, 0, left):
                    yield "script", read_date(match["date"], self._reading)
            left = max(0, left - len(script))

    def _modified(self) -> Iterator[tuple[str, Date | None]]:
        for value in self._facts.linked.modified:
            yield "json-ld", read_date(value, self._reading)
        for source, value in self._facts.metas.values("modified"):
            yield source, read_date(value, self._reading)
        # What readers see is looked at only where it had to be for the day of publication.
        for each in self._shown or ():
            if each.is_modified and each.points >= 0:
                yield each.source, each.date

    def _local_day(
        self, source: str, date: Date | None, in_url: Date | None
    ) -> tuple[str, Date | None]:
        """Return the day that the page shows where a time in UTC is of the day before or after.

        Its address and its readers have the day of the page's own zone, which UTC does not tell.
        """
        if date is None or date.zone not in ("Z", "+00:00", "-00:00"):
            return source, date
        hour = int(date.clock[:2] or 0)
        for shown_by, day in self._days(in_url):
            ahead = date.number - day.number
            if ahead == 0:
                break
            if (ahead == 1 and hour < _NOON) or (ahead == -1 and hour >= _AHEAD):
                return shown_by, Date(day.year, day.month, day.day)
        return source, date

    def _days(self, in_url: Date | None) -> Iterator[tuple[str, Date]]:
        """Yield days in the page's own zone: in its address, and in the first ``time`` elements."""
        if in_url is not None:
            yield "url", in_url
        for element in self._facts.head.times[:_FIRST_TIMES]:
            date = _first_in(element.text or "", self._reading)
            if date is not None:
                yield "time", date


def _how_to_read(language: str | None, host: str) -> Reading:
    primary, _, region = (language or "").lower().replace("_", "-").partition("-")
    month_first = primary in ("en", "") and (
        region in _MONTH_FIRST or (not region and not host.endswith(_DAY_FIRST_HOSTS))
    )
    return Reading(month_first, primary in _YEAR_FIRST, primary)


def _path(url: str) -> str:
    return url.partition("://")[2].partition("/")[2].partition("?")[0]


def _first_in(text: str, reading: Reading) -> Date | None:
    found = next(find_dates(text, reading), None)
    return found.date if found is not None else None


def _date_in_url(url: str) -> Date | None:
    """Return the date that a path begins with the year of: ``/2026/11/27/``, ``-20261127``."""
    path = _path(url)
    match = _URL_DATE.search(path)
    if match is not None:
        return read_date(f"{match['y']}-{int(match['m']):02}-{int(match['d']):02}")
    match = _URL_MONTH.search(f"/{path}")
    return read_date(f"{match['d']} {match['m']} {match['y']}") if match is not None else None
