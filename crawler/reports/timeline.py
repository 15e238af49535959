"""Pages over time: of which kinds and languages they are, and of what dates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile
from typing import Final

from crawler.reports.plots import OTHER, Plot, bar_plot
from crawler.store.files import time_of

NONE: Final = "none"
"""The series of pages that do not say what is asked."""

# ISO 8601 up to the hour, day, month and year.
_UNITS: Final = (13, 10, 7, 4)
_MONTH: Final = 7
_MOST_BARS: Final = 48
# No page is older, and a clock that is further ahead is wrong.
_EARLIEST: Final = datetime(1990, 1, 1, tzinfo=UTC)
_AHEAD: Final = timedelta(days=366)
_NAMES: Final = 200
_NAME_CHARS: Final = 30


class Timeline:
    """Counts pages by time. What it holds does not grow with their number.

    Args:
        now: the time it is; later dates than a year from now are left out.
    """

    def __init__(self, now: datetime) -> None:
        self._until = now + _AHEAD
        self._counts: dict[str, Counter[tuple[str, str]]] = {
            name: Counter() for name in ("kinds", "languages", "dates")
        }
        self._names: dict[str, set[str]] = {name: set() for name in self._counts}

    def add_kind(self, time: str, kind: str) -> None:
        """Count a page of a kind, which was fetched at a time in ISO 8601."""
        self._add("kinds", time, kind or NONE, _UNITS[0])

    def add_language(self, time: str, language: str) -> None:
        """Count a page in a language, which was fetched at a time in ISO 8601."""
        self._add("languages", time, language or NONE, _UNITS[0])

    def add_date(self, date: str) -> None:
        """Count a page that was published on a date in ISO 8601; none where it says none."""
        self._add("dates", date, "pages", _MONTH)

    def add_item(self, row: Mapping[str, object], *, kinds: bool) -> bool:
        """Count an exported item, its kind where ``kinds`` count; return whether it is one."""
        url, fetched, kind, language, published = (
            value if isinstance(value := row.get(name), str) else ""
            for name in ("url", "fetched_at", "page_type", "language", "published")
        )
        if url:
            if kinds:
                self.add_kind(fetched, kind)
            self.add_language(fetched, language)
            self.add_date(published)
        return bool(url)

    def _add(self, what: str, text: str, name: str, unit: int) -> None:
        time = time_of(text)
        if time is None or not _EARLIEST <= time <= self._until:
            return
        known, name = self._names[what], name[:_NAME_CHARS]
        if name not in known and len(known) >= _NAMES:
            name = OTHER
        known.add(name)
        self._counts[what][time.isoformat()[:unit], name] += 1

    def plots(self) -> list[Plot]:
        """Return the plots of what was counted; those without pages are left out."""
        titles = {
            "kinds": "Pages by kind, over the time of fetching",
            "languages": "Pages by language, over the time of fetching",
            "dates": "Pages by date of publication",
        }
        return [
            _plot(name, titles[name], counts) for name, counts in self._counts.items() if counts
        ]


def _plot(name: str, title: str, counts: Counter[tuple[str, str]]) -> Plot:
    columns = _columns({time for time, _ in counts})
    unit = len(columns[0])
    totals: Counter[str] = Counter()
    for (_, series), number in counts.items():
        totals[series] += number
    places = {label: at for at, label in enumerate(columns)}
    values = {series: [0] * len(columns) for series, _ in totals.most_common()}
    for (time, series), number in counts.items():
        values[series][places[time[:unit]]] += number
    return bar_plot(name, title, [_label(column) for column in columns], values)


def _columns(times: set[str]) -> list[str]:
    """Return all hours, days, months or years from the first time to the last one."""
    first, last = min(times), max(times)
    columns: list[str] = []
    for unit in (unit for unit in _UNITS if unit <= len(first)):
        most = None if unit == _UNITS[-1] else _MOST_BARS + 1
        until = last[:unit]
        columns = list(islice(takewhile(lambda one: one <= until, _from(first, unit)), most))  # noqa: B023 - used at once
        if len(columns) != most:
            break
    return columns


def _from(first: str, unit: int) -> Iterator[str]:
    time = datetime.fromisoformat(
        first[:unit] if unit >= _UNITS[1] else f"{first[:unit]}-01-01"[:10]
    )
    while True:
        yield time.isoformat()[:unit]
        if unit >= _UNITS[1]:
            time += timedelta(hours=1) if unit == _UNITS[0] else timedelta(days=1)
        elif unit == _MONTH:
            time = (time + timedelta(days=31)).replace(day=1)
        else:
            time = time.replace(year=time.year + 1)


def _label(column: str) -> str:
    return f"{column[5:10]} {column[11:]}:00" if len(column) == _UNITS[0] else column
