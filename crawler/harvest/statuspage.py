"""The history of a harvest as one HTML page, which needs nothing from elsewhere."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from crawler.core.wording import counted, show_seconds
from crawler.harvest.history import show_time
from crawler.harvest.status import FIGURES, figure_of, most_frequent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from crawler.harvest.history import Run
    from crawler.harvest.status import SiteStatus

__all__ = ["page"]

_STYLE: Final = """
body { font: 14px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 96em; padding: 0 1em;
  color: #1c2430; background: #fff }
table { border-collapse: collapse; width: 100% }
tr { border-bottom: 1px solid #d9dee5 }
th, td { padding: .3em .6em; text-align: left; vertical-align: top }
.sites > * > tr > :nth-child(n+5):nth-child(-n+11), details tr > :nth-child(n+4):nth-child(-n+9) {
  text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
.sites > tbody > tr > :is(:first-child, :nth-child(2), :nth-child(12)),
details td:nth-child(-n+3) { white-space: nowrap }
.sites > tbody > tr > :first-child { font-weight: 600 }
details { font-weight: 400; white-space: normal }
.good, details td:nth-child(3) { color: #1b6e3c } .bad, details td.bad { color: #b3261e }
i, .soft, details td.soft { font-style: normal; color: #5b6675 }
summary { cursor: pointer; color: #5b6675 } svg { vertical-align: middle; height: 26px }
path { stroke: #4c78a8; stroke-width: 3 } path.bad { stroke: #b3261e }
path.missed { stroke: #e0a030 }
@media (prefers-color-scheme: dark) {
  body { color: #e3e7ec; background: #14181e } tr { border-color: #323a45 }
  .good, details td:nth-child(3) { color: #6cc58f } .bad, details td.bad { color: #f08a80 }
  i, .soft, details td.soft, summary { color: #9aa5b3 }
  path { stroke: #7ba7d7 } path.bad { stroke: #f08a80 }
}
"""
# How the cells of a column look is said once, by its number: a page of 2,000 sites has 60,000
# entries. For the same reason the tags that HTML lets one leave out are left out.
_PLOTTED: Final = 60
_LISTED: Final = 200
_WIDE: Final = 4
_HIGH: Final = 26


def page(statuses: Sequence[SiteStatus], title: str, now: datetime) -> str:
    """Write the page.

    Args:
        statuses: the sites with their entries.
        title: what the page is about, such as the name of the plan.
        now: when it was made.
    """
    return "\n".join(_page(statuses, title, now)) + "\n"


def _page(statuses: Sequence[SiteStatus], title: str, now: datetime) -> Iterator[str]:
    heading = f"Harvest {escape(title)}"
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{heading}</title><style>{_STYLE}</style></head><body>"
    yield f"<h1>{heading}</h1>"
    well = sum(1 for one in statuses if one.last is not None and one.last.went_well)
    yield (
        f'<p class="soft">{counted(len(statuses), "site")}, of {well:,} the last run went well. '
        f"As of {show_time(now)}; all times are UTC. In brackets: against the run before. "
        "Bars are items of runs, the last on the right: red did not end well, yellow was missed. "
        "Skipped: why pages that were fetched gave no item.</p>"
    )
    figures = "".join(f"<th>{name}" for name in FIGURES)
    yield '<table class="sites"><thead>'
    yield f"<tr><th>site<th>last run<th>reason<th>items{figures}<th>missed<th>next<th>skipped"
    yield "<tbody>"
    for status in statuses:
        yield from _site(status, figures)
    yield "</table></body></html>"


def _site(status: SiteStatus, figures: str) -> Iterator[str]:
    run = status.last
    took = f"<td>-<td{_mark(run)}>" if run is None else f"<td>{_times(run)}<td{_mark(run)}>"
    reason = "never run" if run is None else escape(run.reason)
    cells = [f"<tr><td>{escape(status.site.id)}{took}{reason}<td>{_plot(status)}"]
    for name in FIGURES:
        number, difference = status.figure(name), status.difference(name)
        text = "" if number is None else f"{number:,}"
        beside = "" if difference is None else f" <i>({difference:+,})</i>"
        cells.append(f"<td>{text}{beside}")
    skipped = "" if run is None else escape(most_frequent(run.skipped))
    cells.append(f"<td>{status.missed:,}<td>{show_time(status.next)}<td>{skipped}")
    yield "".join(cells)
    if status.entries:
        every = len(status.entries)
        listed = f"{every:,} {'entry' if every == 1 else 'entries'}"
        if every > _LISTED:
            listed = f"the last {_LISTED:,} of {listed}"
        yield f"<tr><td colspan={len(FIGURES) + 7}><details><summary>{listed}</summary><table>"
        yield f"<tr><th>planned<th>start<th>reason{figures}<th>detail"
        for entry in reversed(status.entries[-_LISTED:]):
            yield _entry(entry)
        yield "</table></details>"


def _entry(run: Run) -> str:
    planned = "by hand" if run.planned is None else show_time(run.planned)
    numbers = (f"{figure_of(run, name):,}" if run.is_run else "" for name in FIGURES)
    figures = "".join(f"<td>{number}" for number in numbers)
    errors = ", ".join(f"{why} {number:,}" for why, number in sorted(run.errors.items()))
    named = (("errors", errors), ("skipped", most_frequent(run.skipped)))
    parts = [run.detail, *(f"{name}: {reasons}" for name, reasons in named if reasons)]
    words = escape("; ".join(part for part in parts if part))
    kind = "" if run.went_well else _mark(run)
    return f"<tr><td>{planned}<td>{_times(run)}<td{kind}>{escape(run.reason)}{figures}" + (
        f"<td>{words}" if words else ""
    )


def _times(run: Run) -> str:
    took = "" if run.seconds is None else f", {show_seconds(run.seconds)}"
    return f"{show_time(run.start)}{took}"


def _mark(run: Run | None) -> str:
    """Return the attribute of a cell with the reason of a run."""
    if run is None:
        return ""
    return f" class={'good' if run.went_well else 'soft' if run.is_open else 'bad'}"


def _plot(status: SiteStatus) -> str:
    """Draw the items of the last runs as bars; a run without items is a line.

    All bars of a colour are one path.
    """
    entries = [run for run in status.entries if not run.is_open][-_PLOTTED:]
    if not entries:
        return ""
    most = max(run.items for run in entries)
    bars: dict[str, list[str]] = {}
    for number, run in enumerate(entries):
        high = max(1.0, _HIGH * run.items / most) if most else 1.0
        kind = "" if run.went_well else " class=bad"
        if not run.is_run:
            high, kind = float(_HIGH), " class=missed"
        bars.setdefault(kind, []).append(f"M{number * _WIDE + 2} {_HIGH}v-{round(high, 1):g}")
    paths = "".join(f'<path{kind} d="{"".join(lines)}"/>' for kind, lines in bars.items())
    words = f"items of {counted(len(entries), 'run')} and missed times, at most {most:,}"
    return f'<svg width={len(entries) * _WIDE} role="img"><title>{words}</title>{paths}</svg>'
