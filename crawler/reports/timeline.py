"""Pages over time: of which kinds and languages they are, and of what dates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

import numpy as np

from crawler.reports.plots import OTHER, Plot, bar_plot
from crawler.store.files import time_of

NONE: Final = "none"
"""The series of pages that do not say what is asked."""

# Units of time as numpy names them, and how long ISO 8601 is up to them.
_UNITS: Final[dict[Literal["h", "D", "M", "Y"], int]] = {"h": 13, "D": 10, "M": 7, "Y": 4}
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
        self._add("kinds", time, kind or NONE, _UNITS["h"])

    def add_language(self, time: str, language: str) -> None:
        """Count a page in a language, which was fetched at a time in ISO 8601."""
        self._add("languages", time, language or NONE, _UNITS["h"])

    def add_date(self, date: str) -> None:
        """Count a page that was published on a date in ISO 8601; none where it says none."""
        self._add("dates", date, "pages", _UNITS["M"])

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
    ends = min(times), max(times)
    units = [unit for unit, length in _UNITS.items() if length <= len(ends[0])]
    for unit in units:
        start, end = (np.datetime64(time[: _UNITS[unit]], unit) for time in ends)
        if unit == units[-1] or int((end - start).astype(np.int64)) < _MOST_BARS:
            break
    columns: list[str] = np.datetime_as_string(np.arange(start, end + 1), unit).tolist()
    return columns


def _label(column: str) -> str:
    return f"{column[5:10]} {column[11:]}:00" if len(column) == _UNITS["h"] else column
