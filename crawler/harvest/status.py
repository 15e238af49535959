"""How the runs of a harvest went: ``scrapy harvest status`` as a table, as JSON and as a page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from crawler.core.wording import counted, fit_width, show_seconds
from crawler.harvest.history import LOST, show_time
from crawler.harvest.schedule import next_times
from crawler.reports.html import render_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from crawler.harvest.history import History, Run
    from crawler.harvest.plan import SitePlan

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
# Of a page: how many runs have a bar, and how many are listed; the size of the bars in pixels.
_PLOTTED: Final = 60
_LISTED: Final = 200
_BAR_WIDTH: Final = 4
_BAR_HEIGHT: Final = 26


@dataclass(frozen=True, slots=True)
class SiteStatus:
    """The history of a site.

    ``site``
        As the plan has it.
    ``entries``
        Runs and missed times, in their order.
    ``next``
        The next planned time; None where none is planned.
    ``last``
        The last run, which may be before the entries; None where the site was never run.
    ``before``
        The run with which the last one is compared; None where there is none. A run that has not
        ended has no figures yet.
    """

    site: SitePlan
    entries: tuple[Run, ...]
    next: datetime | None
    last: Run | None
    before: Run | None

    @property
    def missed(self) -> int:
        """How many planned times had no run."""
        return sum(run.missed for run in self.entries)

    def difference(self, name: str) -> int | None:
        """Return how a figure of the last run differs from the run before; None without both."""
        if self.last is None or self.before is None:
            return None
        return figure_of(self.last, name) - figure_of(self.before, name)


def gather(
    sites: Iterable[SitePlan],
    history: History,
    is_running: Callable[[str], bool],
    now: datetime,
    last: int = 0,
) -> list[SiteStatus]:
    """Read the history of sites.

    Args:
        sites: the sites.
        history: the history.
        is_running: whether a harvest crawls a site; runs without end are lost where none does.
        now: the time it is.
        last: so many of the last entries of each; 0 for all.
    """
    found = []
    for site in sites:
        entries = history.runs(site.id, last + _BEFORE if last else 0, now)
        if any(run.is_open for run in entries) and not is_running(site.id):
            words = "the harvest that ran it ended before it did"
            entries = [replace(r, reason=LOST, detail=words) if r.is_open else r for r in entries]
        runs = [run for run in entries if run.is_run]
        last_run = runs[-1] if runs else None
        ended = [run for run in runs[:-1] if not run.is_open]
        before = ended[-1] if ended and not runs[-1].is_open else None
        planned = next(iter(next_times(site, now, 1)), None)
        found.append(SiteStatus(site, tuple(entries[-last:]), planned, last_run, before))
    return found


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
            "next": status.next and status.next.isoformat(),
            "missed": status.missed,
            "difference": {name: status.difference(name) for name in FIGURES},
            "runs": [run.as_json() for run in status.entries],
        }
        for status in statuses
    ]


def lines(statuses: Sequence[SiteStatus]) -> Iterator[str]:
    """Yield a table for a terminal: a row a site, its last run against the one before."""
    rows = [_COLUMNS, *(_row(status) for status in statuses)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
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
    head, figures, skipped = ("-", "-", "", "never run"), [""] * len(FIGURES), ""
    if run is not None:
        head = (_planned(run), show_time(run.start), _took(run), fit_width(run.reason, _WIDEST))
        figures = [f"{figure_of(run, name):,}" for name in FIGURES]
        skipped = most_frequent(run.skipped)
        if status.before is not None:
            differences = (status.difference(name) for name in FIGURES)
            figures = [f"{one} ({by:+,})" for one, by in zip(figures, differences, strict=True)]
    return (status.site.id, *head, *figures, f"{status.missed:,}", show_time(status.next), skipped)


def as_page(statuses: Sequence[SiteStatus], title: str, now: datetime) -> str:
    """Write the history as an HTML page, which needs nothing from elsewhere.

    Args:
        statuses: the sites with their entries.
        title: what the page is about, such as the name of the plan.
        now: when it was made.
    """
    well = sum(1 for one in statuses if one.last is not None and one.last.went_well)
    return render_page(
        "harvest.html",
        title=f"Harvest {title}",
        summary=f"{counted(len(statuses), 'site')}, of {well:,} the last run went well. "
        f"As of {show_time(now)}; all times are UTC.",
        figures=FIGURES,
        sites=[_site_values(status) for status in statuses],
    )


def _site_values(status: SiteStatus) -> dict[str, Any]:
    run, every = status.last, len(status.entries)
    listed = counted(every, "entry").replace("entrys", "entries")
    return {
        "cells": _row(status),
        "look": "" if run is None else _look(run),
        "bars": _bars([one for one in status.entries if not one.is_open][-_PLOTTED:]),
        "listed": f"the last {_LISTED:,} of {listed}" if every > _LISTED else listed,
        "entries": [_entry_values(one) for one in reversed(status.entries[-_LISTED:])],
    }


def _entry_values(run: Run) -> dict[str, Any]:
    errors = ", ".join(f"{why} {number:,}" for why, number in sorted(run.errors.items()))
    named = (("errors", errors), ("skipped", most_frequent(run.skipped)))
    words = [run.detail, *(f"{name}: {reasons}" for name, reasons in named if reasons)]
    figures = [f"{figure_of(run, name):,}" if run.is_run else "" for name in FIGURES]
    head = (_planned(run), show_time(run.start), _took(run), run.reason)
    return {
        "cells": (*head, *figures, "; ".join(part for part in words if part)),
        "look": _look(run),
    }


def _bars(entries: Sequence[Run]) -> list[dict[str, Any]]:
    """Return the items of runs as bars of a plot: where each begins, its height and its look."""
    most = max((run.items for run in entries), default=0) or 1
    return [
        {
            "x": number * _BAR_WIDTH + _BAR_WIDTH // 2,
            "height": f"{max(1.0, _BAR_HEIGHT * (run.items / most if run.is_run else 1)):.3g}",
            "look": _look(run) if run.is_run else "warn",
        }
        for number, run in enumerate(entries)
    ]


def figure_of(run: Run, name: str) -> int:
    """Return a figure of a run by its name in :data:`FIGURES`."""
    return run.error_count if name == "errors" else int(getattr(run, name))


def _planned(run: Run) -> str:
    return "by hand" if run.planned is None else show_time(run.planned)


def _took(run: Run) -> str:
    return "" if run.seconds is None else show_seconds(run.seconds)


def _look(run: Run) -> str:
    """Return the class of an entry in the page's style sheet."""
    return "good" if run.went_well else "soft" if run.is_open else "bad"
