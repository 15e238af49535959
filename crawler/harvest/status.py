"""How the runs of a harvest went: what ``scrapy harvest status`` shows, as a table and as JSON."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from crawler.core.wording import fit_width, show_seconds
from crawler.harvest.history import show_time
from crawler.harvest.jobs import LOST
from crawler.harvest.readers import read_all
from crawler.harvest.schedule import next_times

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from crawler.harvest.history import History, Run
    from crawler.harvest.plan import Plan, SitePlan

__all__ = ["FIGURES", "SiteStatus", "as_json", "gather", "lines", "most_frequent"]

FIGURES: Final = ("pages", "items", "new", "changed", "gone", "errors")
"""The figures that are set against the run before."""

_COLUMNS: Final = (
    "site", "planned", "start", "took", "reason", *FIGURES, "missed", "next", "skipped",
)  # fmt: skip
_RIGHT: Final = frozenset({"took", *FIGURES, "missed"})
_WIDEST: Final = 40
_REASONS: Final = 3
# The run before the last, with missed times between the two.
_BEFORE: Final = 2


@dataclass(frozen=True, slots=True)
class SiteStatus:
    """The history of a site.

    ``site``
        As the plan has it.
    ``entries``
        Runs and missed times, in their order.
    ``next``
        The next planned time; None where none is planned.
    ``earlier``
        A few entries before those, which are not counted: the last run, or what it is set
        against, may be one of them.
    """

    site: SitePlan
    entries: tuple[Run, ...]
    next: datetime | None
    earlier: tuple[Run, ...] = ()

    @property
    def runs(self) -> list[Run]:
        """All runs that were read, without missed times."""
        return [run for run in (*self.earlier, *self.entries) if run.is_run]

    @property
    def last(self) -> Run | None:
        """The last run; None where the site was never run."""
        return self.runs[-1] if self.runs else None

    @property
    def missed(self) -> int:
        """How many planned times had no run."""
        return sum(run.missed for run in self.entries)

    def figure(self, name: str) -> int | None:
        """Return a figure of the last run; None where there is none."""
        return None if self.last is None else figure_of(self.last, name)

    def difference(self, name: str) -> int | None:
        """Return how a figure of the last run differs from the run before; None without both.

        A run that has not ended has no figures yet.
        """
        last = self.last
        if last is None or last.is_open:
            return None
        before = next((run for run in reversed(self.runs[:-1]) if not run.is_open), None)
        return None if before is None else figure_of(last, name) - figure_of(before, name)


def gather(  # noqa: PLR0913 - the last two are wishes of a user
    plan: Plan,
    history: History,
    is_running: Callable[[str], bool],
    now: datetime,
    *,
    sites: Iterable[str] = (),
    last: int = 0,
) -> list[SiteStatus]:
    """Read the history of a plan's sites.

    Args:
        plan: the plan.
        history: its history.
        is_running: tells whether a harvest is at a site; runs without end are lost where none is.
        now: the time it is.
        sites: ids of the sites wanted; all where there are none.
        last: so many of the last entries of each; 0 for all.
    """

    def read(site: SitePlan) -> SiteStatus:
        runs = history.runs(site.id, last + _BEFORE if last else 0, now)
        entries = tuple(_with_lost(runs, is_running))
        planned = next(iter(next_times(site, now, 1)), None)
        return SiteStatus(site, entries[-last:], planned, entries[:-last] if last else ())

    wanted = set(sites)
    return read_all(read, [site for site in plan.sites if not wanted or site.id in wanted])


def _with_lost(runs: Iterable[Run], is_running: Callable[[str], bool]) -> Iterator[Run]:
    for run in runs:
        if run.is_open and not is_running(run.site):
            yield replace(run, reason=LOST, detail="the harvest that ran it ended before it did")
        else:
            yield run


def figure_of(run: Run, name: str) -> int:
    """Return a figure of a run by its name in :data:`FIGURES`."""
    return run.error_count if name == "errors" else int(getattr(run, name))


def most_frequent(reasons: Mapping[str, int]) -> str:
    """Name the most frequent of some reasons, with their numbers; all others are one number."""
    ranked = sorted(reasons.items(), key=lambda one: (-one[1], one[0]))
    rest = sum(number for _, number in ranked[_REASONS:])
    shown = [*ranked[:_REASONS], *([("other", rest)] if rest else [])]
    return ", ".join(f"{fit_width(why, _WIDEST)} {number:,}" for why, number in shown)


def as_json(statuses: Sequence[SiteStatus]) -> list[dict[str, Any]]:
    """Return what programs read: a list with an object a site.

    ``site``, ``next`` (ISO 8601 or null), ``missed``, ``difference`` (figures of the last run minus
    those of the run before, each null without both), ``runs`` (all entries).
    """
    return [
        {
            "site": status.site.id,
            "next": None if status.next is None else status.next.isoformat(),
            "missed": status.missed,
            "difference": {name: status.difference(name) for name in FIGURES},
            "runs": [run.as_json() for run in status.entries],
        }
        for status in statuses
    ]


def lines(statuses: Sequence[SiteStatus]) -> Iterator[str]:
    """Give a table for a terminal: a row a site, its last run against the one before."""
    rows = [_COLUMNS, *(_row(status) for status in statuses)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    for row in rows:
        cells = (
            cell.rjust(width) if name in _RIGHT else cell.ljust(width)
            for name, cell, width in zip(_COLUMNS, row, widths, strict=True)
        )
        yield "  ".join(cells).rstrip()
    for status in statuses:
        if status.last is not None and status.last.detail and not status.last.went_well:
            yield f"{status.site.id}: {fit_width(status.last.detail, 200)}"


def _row(status: SiteStatus) -> tuple[str, ...]:
    run = status.last
    if run is None:
        figures = [""] * len(FIGURES)
        head = (status.site.id, "-", "-", "", "never run")
        skipped = ""
    else:
        took = "" if run.seconds is None else show_seconds(run.seconds)
        planned = "by hand" if run.planned is None else show_time(run.planned)
        reason = fit_width(run.reason, _WIDEST)
        head = (status.site.id, planned, show_time(run.start), took, reason)
        figures = [_against(status, name) for name in FIGURES]
        skipped = most_frequent(run.skipped)
    return (*head, *figures, f"{status.missed:,}", show_time(status.next), skipped)


def _against(status: SiteStatus, name: str) -> str:
    difference = status.difference(name)
    text = f"{status.figure(name) or 0:,}"
    return text if difference is None else f"{text} ({difference:+,})"
