"""What a person sees of a harvest: ``scrapy harvest status``, lines of each run, a summary.

The history of the sites is shown as a table, as JSON or as a page.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from crawler.core.wording import counted, fit_width, listed, show_seconds
from crawler.harvest.history import BUSY, FIGURES, LOST, NOT_BEGUN, History, Run, show_time
from crawler.harvest.plan import SitePlan
from crawler.harvest.schedule import next_times
from crawler.journey.statistics import most_frequent
from crawler.reports.html import render_page
from crawler.reports.plots import Plot, bar_plot
from crawler.reports.stdout import table_lines

_FIGURES: Final = ("planned", "start", "took", "reason", *FIGURES)
COLUMNS: Final = ("site", *_FIGURES, "missed", "next", "skipped")
"""The headings of the table of sites."""
RUN_COLUMNS: Final = (*_FIGURES, "detail")
"""The headings of the table of the runs of a site."""
_WIDEST: Final = 40
REASONS: Final = 3
"""How many reasons of a run are named; the others are one number."""
# The run before the last, with missed times between the two.
_BEFORE: Final = 2
# Of a page: how many runs are in a plot, and how many are listed.
_PLOTTED: Final = 60
_LISTED: Final = 200
# Of a terminal: the longest line, and how many sites the summary names.
_LONGEST_LINE: Final = 200
_SITES_NAMED: Final = 20


@dataclass(frozen=True, slots=True)
class SiteStatus:
    """The history of a site: its runs and missed times in their order, and the next planned time.

    ``last`` is the last run, which may be before the entries, and ``before`` the run with which it
    is compared; a run that has not ended has no figures yet. Each is None where there is none.
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
        return self.last.figures[name] - self.before.figures[name]


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
        planned = next(iter(next_times(site, now, 1)), None)
        status = status_of(site, entries, planned)
        found.append(replace(status, entries=status.entries[-last:]))
    return found


def status_of(site: SitePlan, entries: Sequence[Run], planned: datetime | None) -> SiteStatus:
    """Return the status of a site of its entries, in their order, and its next planned time."""
    runs = [run for run in entries if run.is_run]
    last = runs[-1] if runs else None
    ended = [run for run in runs[:-1] if not run.is_open]
    before = ended[-1] if ended and not runs[-1].is_open else None
    return SiteStatus(site, tuple(entries), planned, last, before)


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
    yield from table_lines([COLUMNS, *map(site_cells, statuses)])
    for status in statuses:
        if status.last is not None and status.last.detail and not status.last.went_well:
            yield f"{status.site.id}: {fit_width(status.last.detail, _LONGEST_LINE)}"


def site_cells(status: SiteStatus) -> tuple[str, ...]:
    """Return the cells of :data:`COLUMNS`."""
    run, cells, skipped = status.last, ["-", "-", "", "never run", *("" for _ in FIGURES)], ""
    if run is not None:
        cells, skipped = _figures_of(run), most_frequent(run.skipped, REASONS)
        if status.before is not None:
            cells[-len(FIGURES) :] = [
                f"{number:,} ({status.difference(name):+,})" for name, number in run.figures.items()
            ]
    return (status.site.id, *cells, f"{status.missed:,}", show_time(status.next), skipped)


def run_cells(run: Run) -> list[str]:
    """Return the cells of :data:`RUN_COLUMNS`."""
    return [*_figures_of(run), _words_of(run)]


def _figures_of(run: Run) -> list[str]:
    return [
        "by hand" if run.planned is None else show_time(run.planned),
        show_time(run.start),
        "" if run.seconds is None else show_seconds(run.seconds),
        fit_width(run.reason, _WIDEST),
        *(f"{number:,}" if run.is_run else "" for number in run.figures.values()),
    ]


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
        columns=COLUMNS,
        run_columns=RUN_COLUMNS,
        sites=[_site_values(status) for status in statuses],
    )


def run_plots(entries: Sequence[Run]) -> list[Plot]:
    """Return plots of the last runs: pages, items, errors, and why pages gave no item.

    A plot without values is left out.
    """
    runs = [run for run in entries if run.is_run and not run.is_open][-_PLOTTED:]
    versions = {name: [run.figures[name] for run in runs] for name in ("new", "changed", "gone")}
    others = [run.items - run.new - run.changed - run.gone for run in runs]
    plotted: tuple[tuple[str, str, dict[str, list[int]]], ...] = (
        ("pages", "Pages fetched, by run", {"pages": [run.pages for run in runs]}),
        ("items", "Items exported, by run", versions | {"items": [max(0, n) for n in others]}),
        ("errors", "Errors, by run", _by_reason([run.errors for run in runs])),
        ("skipped", "Pages without an item, by run", _by_reason([run.skipped for run in runs])),
    )
    starts = [show_time(run.start) for run in runs]
    seen = (
        (name, title, {k: v for k, v in parts.items() if any(v)}) for name, title, parts in plotted
    )
    return [bar_plot(name, title, starts, parts) for name, title, parts in seen if parts]


def _by_reason(found: Sequence[Mapping[str, int]]) -> dict[str, list[int]]:
    totals: Counter[str] = Counter()
    for one in found:
        totals.update(one)
    return {why: [one.get(why, 0) for one in found] for why, _ in totals.most_common()}


def _site_values(status: SiteStatus) -> dict[str, Any]:
    """Return what the page shows of a site."""
    every = len(status.entries)
    listed = "1 entry" if every == 1 else f"{every:,} entries"
    return {
        "cells": site_cells(status),
        "plots": run_plots(status.entries),
        "look": "" if status.last is None else _look(status.last),
        "listed": f"the last {_LISTED:,} of {listed}" if every > _LISTED else listed,
        "entries": [
            {"cells": run_cells(run), "look": _look(run)}
            for run in reversed(status.entries[-_LISTED:])
        ],
    }


def _words_of(run: Run) -> str:
    errors = ", ".join(f"{why} {number:,}" for why, number in sorted(run.errors.items()))
    named = (("errors", errors), ("skipped", most_frequent(run.skipped, REASONS)))
    words = [run.detail, *(f"{name}: {reasons}" for name, reasons in named if reasons)]
    return "; ".join(part for part in words if part)


def _look(run: Run) -> str:
    """Return the class of an entry in the page's style sheet."""
    return "good" if run.went_well else "soft" if run.is_open else "bad"


class Display:
    """Shows runs as they begin and end, a line each, on standard error.

    A harvest goes on where nothing can be shown, as on a full disk. ``sites`` is how many sites are
    wanted, 0 where the harvest has no end.
    """

    def __init__(self, sites: int = 0) -> None:
        self._sites = sites
        self._done = 0

    def started(self, run: Run) -> None:
        """Show that a run has begun."""
        late = f", planned for {show_time(run.planned)} UTC" if run.planned else ""
        self.said(f"{run.site}: begun{late}")

    def ended(self, run: Run) -> None:
        """Show that a run has ended, or could not be begun."""
        self._done += 1
        self.said(run_line(run))
        if self._sites > 1:
            self.said(f"{self._done:,} of {counted(self._sites, 'site')}")

    def said(self, text: str) -> None:
        """Show a line."""
        with suppress(OSError):
            sys.stderr.write(f"{fit_width(text, _LONGEST_LINE)}\n")


def run_line(run: Run) -> str:
    """Describe a run that has ended in a line."""
    took = ""
    if run.seconds is not None and run.reason not in {BUSY, NOT_BEGUN}:
        took = f" in {show_seconds(run.seconds)}"
    parts = [f"{run.site}: {run.reason}{took}"]
    if run.went_well or run.pages or run.items:
        parts += [counted(run.pages, "page"), counted(run.items, "item")]
    counts = ((run.new, "new"), (run.changed, "changed"), (run.gone, "gone"))
    parts += [f"{number:,} {word}" for number, word in counts if number]
    if run.error_count:
        parts.append(counted(run.error_count, "error"))
    if run.skipped:
        parts.append(f"skipped {most_frequent(run.skipped, REASONS)}")
    if run.detail and not run.went_well:
        parts.append(run.detail)
    return ", ".join(parts)


def summary_lines(
    ended: Sequence[Run], seconds: float, missed: int = 0, left: int = 0
) -> list[str]:
    """Describe a harvest that has ended; the first line is the heading.

    Args:
        ended: the runs in the order of their ends.
        seconds: how long the harvest took.
        missed: how many planned times were missed.
        left: how many sites were not begun.
    """
    runs = {run.site: run for run in ended}.values()
    if not runs and not left:
        return ["Nothing was due" if not missed else f"{counted(missed, 'run')} missed"]
    bad = [f"{run.site} ({run.reason})" for run in runs if not run.went_well]
    lines = [f"Harvest of {counted(len(runs), 'site')} ended after {show_seconds(seconds)}"]
    if len(ended) > len(runs):
        lines.append(f"  runs        {len(ended):,}, of which the last of each site:")
    lines.append(f"  well        {counted(len(runs) - len(bad), 'site')}")
    if bad:
        lines.append(f"  not well    {counted(len(bad), 'site')}: {listed(bad, _SITES_NAMED)}")
    figures = {name: sum(run.figures[name] for run in ended) for name in FIGURES}
    for label, number in {**figures, "missed": missed, "not begun": left}.items():
        if number or label in {"pages", "items"}:
            lines.append(f"  {label:<11} {number:,}")
    return lines
