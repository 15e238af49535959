"""The runs of a harvest, in one SQLite file beside its outputs: a row a run."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from crawler.core.errors import StoreError
from crawler.harvest.plan import SitePlan

# Reasons beside those of crawls. A run has not ended; planned times passed without one; its harvest
# or its cluster ended before it; it was not begun, since another harvest crawls the site, or since
# the history or a lock cannot be written.
RUNNING: Final = "running"
MISSED: Final = "missed"
LOST: Final = "lost"
BUSY: Final = "busy"
NOT_BEGUN: Final = "not-begun"

FIGURES: Final = ("pages", "items", "new", "changed", "gone", "errors")
"""The figures of a run that are compared with the run before."""

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY, site TEXT NOT NULL, start TEXT NOT NULL, planned TEXT, "end" TEXT,
    reason TEXT NOT NULL, pages INTEGER NOT NULL, items INTEGER NOT NULL, new INTEGER NOT NULL,
    changed INTEGER NOT NULL, gone INTEGER NOT NULL, errors TEXT NOT NULL, skipped TEXT NOT NULL,
    detail TEXT NOT NULL, missed INTEGER NOT NULL, UNIQUE (site, start, missed)
);
CREATE TABLE IF NOT EXISTS sites (
    site TEXT PRIMARY KEY, schedule TEXT NOT NULL, since TEXT NOT NULL,
    alerts TEXT NOT NULL DEFAULT '{}'
);
"""
_STAMP: Final = "%Y%m%d-%H%M%S-%f"
# So far the clocks of machines that harvest the same sites may be apart. What is later than that
# was written by a clock that was set back since, and would keep a site from being run.
_AHEAD: Final = timedelta(hours=1)
_GOOD: Final = frozenset({"finished", "closespider_itemcount", "closespider_pagecount"})
_TIMES: Final = ("planned", "start", "end")
_REASONS: Final = ("errors", "skipped")
_BUSY_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a site, or planned times without one. Times are aware, in UTC.

    Attributes:
        site: The site's id.
        start: When it began; of missed times, when this was noticed.
        planned: The planned time it was made for, None for a run by hand; of missed times the last.
        end: When it ended; None while it runs.
        reason: ``finished``; why it ended early; ``running``; ``missed``.
        pages: Pages fetched.
        items: Items exported.
        new: Those of them that are new.
        changed: Those of them that have changed.
        gone: Those of them that say their page is no more.
        errors: Pages that could not be fetched, made an item of, taken by an item pipeline or
            written, by reason.
        detail: More words, for people.
        missed: How many planned times had no run.
        skipped: Pages that were fetched and gave no item, by reason.
    """

    site: str
    start: datetime
    planned: datetime | None = None
    end: datetime | None = None
    reason: str = RUNNING
    pages: int = 0
    items: int = 0
    new: int = 0
    changed: int = 0
    gone: int = 0
    errors: Mapping[str, int] = field(default_factory=dict)
    detail: str = ""
    missed: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_run(self) -> bool:
        """Whether a crawl was begun."""
        return self.reason != MISSED

    @property
    def is_open(self) -> bool:
        """Whether the run has no end yet."""
        return self.reason == RUNNING

    @property
    def went_well(self) -> bool:
        """Whether it ended as it should."""
        return self.reason in _GOOD

    @property
    def seconds(self) -> float | None:
        """How long it took; None while it runs, and where nothing ran."""
        if self.end is None or not self.is_run:
            return None
        return max(0.0, (self.end - self.start).total_seconds())

    @property
    def error_count(self) -> int:
        """How many errors there were."""
        return sum(self.errors.values())

    @property
    def figures(self) -> dict[str, int]:
        """The numbers of :data:`FIGURES`, by name."""
        return {name: getattr(self, name) for name in FIGURES} | {"errors": self.error_count}

    @property
    def stamp(self) -> str:
        """Name of the run within its site: when it began, in UTC."""
        return self.start.astimezone(UTC).strftime(_STAMP)

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values; times as ISO 8601."""
        values = asdict(self) | {"seconds": self.seconds}
        return values | {key: values[key] and values[key].isoformat() for key in _TIMES}


_COLUMNS: Final = tuple(one.name for one in fields(Run))
_NAMES: Final = ", ".join(f'"{name}"' for name in _COLUMNS)


class History:
    """The entries of all sites. Any number of harvests on this machine may write to it.

    The first that writes makes the SQLite file and its folder. ``send`` is called after each
    change, as to copy the file to a store.
    """

    def __init__(self, path: Path, send: Callable[[], None] = lambda: None) -> None:
        self._path = path
        self._send = send

    def write(self, run: Run) -> None:
        """Keep an entry, in place of the same run's earlier one.

        Raises:
            StoreError: the file cannot be read or written; so in all methods.
        """
        values = asdict(run)
        values |= {key: json.dumps(values[key], ensure_ascii=False) for key in _REASONS}
        values |= {key: values[key] and _text_of(values[key]) for key in _TIMES}
        places = ", ".join(f":{name}" for name in values)
        query = f"INSERT OR REPLACE INTO runs ({_NAMES}) VALUES ({places})"  # noqa: S608 - own names
        with self._open(writes=True) as database:
            database.execute(query, values)

    def sites(self) -> list[str]:
        """Return the ids of the sites that have entries, sorted."""
        with self._open() as database:
            rows = database.execute("SELECT DISTINCT site FROM runs ORDER BY site").fetchall()
        return [site for (site,) in rows]

    def runs(self, site: str, last: int = 0, now: datetime | None = None) -> list[Run]:
        """Return the entries of a site in their order.

        Args:
            site: its id.
            last: the last so many; 0 for all.
            now: the time it is; entries of the future are passed over.
        """
        latest = "9999" if now is None else _text_of(now + _AHEAD)
        with self._open() as database:
            rows = database.execute(
                f"SELECT {_NAMES} FROM runs WHERE site = ? AND start <= ? "  # noqa: S608 - own names
                "ORDER BY start DESC, missed LIMIT ?",
                (site, latest, last or -1),
            ).fetchall()
        return [_run_of(row) for row in reversed(rows)]

    def standing(self, site: SitePlan, now: datetime) -> tuple[Run | None, datetime]:
        """Return a site's last entry, and the time up to which nothing planned needs a run.

        What was planned before anybody harvested is not caught up on, nor what a schedule has at
        times when another one held: so when a schedule is first seen is kept.
        """
        schedule = f"{site.cron} {site.time_zone} {site.jitter:g}" if site.cron else ""
        with self._open() as database:
            row = database.execute(
                "SELECT schedule, since FROM sites WHERE site = ?", (site.id,)
            ).fetchone()
        if row is None or row[0] != schedule or _time_of(row[1]) > now + _AHEAD:
            since = now
            with self._open(writes=True) as database:
                database.execute(
                    "INSERT INTO sites (site, schedule, since) VALUES (?, ?, ?) ON CONFLICT (site) "
                    "DO UPDATE SET schedule = excluded.schedule, since = excluded.since",
                    (site.id, schedule, _text_of(now)),
                )
        else:
            since = _time_of(row[1])
        runs = self.runs(site.id, 1, now)
        last = runs[-1] if runs else None
        return last, since if last is None else max(since, last.planned or last.start)

    def alerts(self, site: str) -> dict[str, str]:
        """Return what :meth:`keep_alerts` kept of a site."""
        with self._open() as database:
            row = database.execute("SELECT alerts FROM sites WHERE site = ?", (site,)).fetchone()
        return json.loads(row[0]) if row else {}

    def keep_alerts(self, site: str, sent: Mapping[str, str]) -> None:
        """Keep which alerts of a site have been sent."""
        with self._open(writes=True) as database:
            database.execute(
                "UPDATE sites SET alerts = ? WHERE site = ?", (json.dumps(dict(sent)), site)
            )

    @contextmanager
    def _open(self, *, writes: bool = False) -> Iterator[sqlite3.Connection]:
        # A connection a call: other processes write to the file, too, and each call is a few rows.
        try:
            if writes:
                self._path.parent.mkdir(parents=True, exist_ok=True)
            name = self._path if writes or self._path.exists() else ":memory:"
            database = sqlite3.connect(name, timeout=_BUSY_SECONDS)
            try:
                with database:
                    database.executescript(_SCHEMA)
                    yield database
            finally:
                database.close()
        except (sqlite3.Error, OSError) as error:
            raise StoreError(
                f"{self._path} cannot be read or written: {error}. Check the folder, its "
                "permissions and its space; a damaged file may be moved away."
            ) from error
        if writes:
            self._send()


def show_time(time: datetime | None) -> str:
    """Write a time for people, in UTC and to the minute; ``-`` for none."""
    return "-" if time is None else time.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def _run_of(row: tuple[Any, ...]) -> Run:
    values = dict(zip(_COLUMNS, row, strict=True))
    values |= {key: values[key] and _time_of(values[key]) for key in _TIMES}
    values |= {key: json.loads(values[key]) for key in _REASONS}
    return Run(**values)


def _text_of(time: datetime) -> str:
    # Of one length, so that texts sort as the times do.
    return time.astimezone(UTC).isoformat(timespec="microseconds")


def _time_of(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
