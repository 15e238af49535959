"""The runs of a harvest, kept beside its outputs: one JSON file a run, named by when it began."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

from crawler.core.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.harvest.plan import SitePlan

__all__ = ["MISSED", "RUNNING", "History", "Objects", "Run", "Standing", "show_time"]

RUNNING: Final = "running"
"""The reason of a run that has not ended."""
MISSED: Final = "missed"
"""The reason of an entry that is no run: planned times that passed without one."""

_FOLDER: Final = "history"
_SINCE: Final = "since.json"
_STAMP: Final = "%Y%m%d-%H%M%S-%f"
# So far the clocks of machines that harvest the same sites may be apart. What is later than that
# was written by a clock that has been set back since, and would keep a site from being run.
_AHEAD: Final = timedelta(hours=1)
_GOOD: Final = frozenset({"finished", "closespider_itemcount", "closespider_pagecount"})
_TIMES: Final = ("planned", "start", "end")
_COUNTS: Final = ("pages", "items", "new", "changed", "gone", "missed")
_REASONS: Final = ("errors", "skipped")
_UNREADABLE: Final = (
    ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError,
)  # fmt: skip


class Objects(Protocol):
    """Whole objects by name, as :class:`crawler.harvest.storage.Storage` keeps them."""

    def read(self, name: str) -> bytes:
        """Return an object; StoreError where it cannot be had."""

    def write(self, name: str, data: bytes) -> None:
        """Put an object in place, whole or not at all."""

    def list(self, folder: str) -> list[str]:
        """Return the names of the objects in a folder, sorted."""

    def exists(self, name: str) -> bool:
        """Tell whether there is an object of that name."""


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
        items: Items that left.
        new: Those of them that are new.
        changed: Those of them that have changed.
        gone: Those of them that say their page is no more.
        errors: Pages that could not be fetched, made an item of, taken by an item pipeline or
            written, by reason.
        detail: More words, for people.
        missed: How many planned times had no run.
        skipped: Pages that were fetched and gave no item, by reason; empty also in entries of
            releases that did not keep it.
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
    def handled(self) -> datetime:
        """Return the time up to which, with this entry, no planned time needs a run any more."""
        return self.planned or self.start

    @property
    def stamp(self) -> str:
        """Name of the run within its site: when it began, in UTC."""
        return self.start.astimezone(UTC).strftime(_STAMP)

    @property
    def name(self) -> str:
        """Name of its object in the history."""
        return f"{_FOLDER}/{self.site}/{self.stamp}{'' if self.is_run else '-missed'}.json"

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values; times as ISO 8601."""
        values = asdict(self)
        for key in _TIMES:
            if values[key] is not None:
                values[key] = values[key].isoformat()
        reasons = {key: dict(getattr(self, key)) for key in _REASONS}
        return {**values, **reasons, "seconds": self.seconds}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Read what :meth:`as_json` gives.

        Raises:
            ValueError, TypeError, KeyError: it is something else.
        """
        known = {one.name: values[one.name] for one in fields(cls) if one.name in values}
        for key in _TIMES:
            if known.get(key) is not None:
                known[key] = _time(known[key])
        known |= {key: int(known.get(key, 0)) for key in _COUNTS}
        for key in _REASONS:
            known[key] = {str(why): int(n) for why, n in dict(known.get(key, {})).items()}
        known |= {key: str(known.get(key, "")) for key in ("site", "reason", "detail")}
        return cls(**known)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a site stands.

    ``last``
        Its last entry; None where there is none.
    ``handled``
        The last time up to which no planned time needs a run any more.
    """

    last: Run | None
    handled: datetime


class History:
    """The entries of all sites.

    Args:
        objects: where they lie.
        tell: called with words for each entry that cannot be read, and once for a site that has
            entries of the future; these are passed over.
    """

    def __init__(self, objects: Objects, tell: Callable[[str], None]) -> None:
        self._objects = objects
        self._tell = tell
        self._told: set[str] = set()

    def write(self, run: Run) -> None:
        """Keep an entry, in place of the same run's earlier one."""
        self._objects.write(run.name, _encode(run.as_json()))

    def runs(self, site: str, last: int = 0, now: datetime | None = None) -> list[Run]:
        """Return the entries of a site in their order.

        Args:
            site: its id.
            last: the last so many; 0 for all.
            now: the time it is, where entries of the future are to be passed over.
        """
        names, _ = self._names(site, now)
        found = (self._entry(name) for name in names[-last:])
        return [run for run in found if run is not None]

    def standing(self, site: SitePlan, now: datetime) -> Standing:
        """Return where a site stands.

        What was planned before anybody harvested is not caught up on, nor what a schedule has in
        times in which another one held: so when a schedule is first seen is kept.

        Args:
            site: the site.
            now: the time it is.
        """
        names, is_known = self._names(site.id, now)
        # Entries follow each other as the times that they handle do.
        entries = (self._entry(name) for name in reversed(names))
        last = next((run for run in entries if run is not None), None)
        since = self._since(site, now, is_known=is_known)
        return Standing(last, since if last is None else max(since, last.handled))

    def _names(self, site: str, now: datetime | None) -> tuple[list[str], bool]:
        """Return the names of a site's entries, and whether it is kept since when it is known."""
        folder = f"{_FOLDER}/{site}"
        names = [name for name in self._objects.list(folder) if name.endswith(".json")]
        entries = [name for name in names if not name.endswith(f"/{_SINCE}")]
        is_known = len(entries) < len(names)
        if now is None:
            return entries, is_known
        latest = f"{folder}/{(now + _AHEAD).astimezone(UTC).strftime(_STAMP)}"
        early = [name for name in entries if name <= latest]
        if len(early) < len(entries):
            words = "is of the future, as if the clock had been set back, and is passed over"
            self._tell_once(entries[-1], f"{entries[-1]} {words}; delete it")
        return early, is_known

    def _since(self, site: SitePlan, now: datetime, *, is_known: bool) -> datetime:
        name = f"{_FOLDER}/{site.id}/{_SINCE}"
        schedule = f"{site.cron} {site.time_zone} {site.jitter:g}" if site.cron else ""
        if is_known:
            try:
                noted = json.loads(self._objects.read(name))
                since = _time(noted["since"])
                if noted["schedule"] == schedule and since <= now + _AHEAD:
                    return since
            except _UNREADABLE as error:
                self._pass_over(name, error)
        self._objects.write(name, _encode({"since": now.isoformat(), "schedule": schedule}))
        return now

    def _entry(self, name: str) -> Run | None:
        try:
            return Run.from_json(json.loads(self._objects.read(name)))
        except StoreError:
            if self._objects.exists(name):
                raise
            # Taken away since it was listed.
            return None
        except _UNREADABLE as error:
            self._pass_over(name, error)
            return None

    def _pass_over(self, name: str, error: Exception) -> None:
        self._tell_once(name, f"{name} cannot be read and is passed over ({error}); delete it")

    def _tell_once(self, name: str, words: str) -> None:
        if name not in self._told:
            self._told.add(name)
            self._tell(words)


def show_time(time: datetime | None) -> str:
    """Write a time for people, in UTC and to the minute; ``-`` for none."""
    return "-" if time is None else time.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def _time(text: str) -> datetime:
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError(f"{text} has no time zone")
    return time.astimezone(UTC)


def _encode(values: object) -> bytes:
    return json.dumps(values, ensure_ascii=False, indent=1).encode() + b"\n"
