"""The history of a harvest as one HTML page, which needs nothing from elsewhere."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from crawler.harvest.history import show_time
from crawler.harvest.status import FIGURES, figure_of
from crawler.harvest.units import counted, show_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from crawler.harvest.history import Run
    from crawler.harvest.status import SiteStatus

__all__ = ["page"]

_STYLE: Final = """
body { font: 14px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 86em; padding: 0 1em;
  color: #1c2430; background: #fff }
table { border-collapse: collapse; width: 100% }
th, td { padding: .3em .6em; text-align: left; border-bottom: 1px solid #d9dee5;
  vertical-align: top }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums }
.t, td.n { white-space: nowrap }
.good { color: #1b6e3c } .bad { color: #b3261e } .soft { color: #5b6675 }
summary { cursor: pointer; color: #5b6675 } svg { vertical-align: middle }
.bar { fill: #4c78a8 } .bar.bad { fill: #b3261e } .bar.missed { fill: #e0a030 }
@media (prefers-color-scheme: dark) {
  body { color: #e3e7ec; background: #14181e } th, td { border-color: #323a45 }
  .good { color: #6cc58f } .bad { color: #f08a80 } .soft, summary { color: #9aa5b3 }
  .bar { fill: #7ba7d7 } .bar.bad { fill: #f08a80 }
}
"""
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
        "Bars are items of runs, the last on the right: red did not end well, yellow was missed."
        "</p>"
    )
    yield "<table><thead><tr><th>site</th><th>last run</th><th>reason</th><th>items</th>"
    yield "".join(f'<th class="n">{name}</th>' for name in FIGURES)
    yield '<th class="n">missed</th><th>next</th></tr></thead><tbody>'
    for status in statuses:
        yield from _site(status)
    yield "</tbody></table></body></html>"


def _site(status: SiteStatus) -> Iterator[str]:
    run = status.last
    yield f"<tr><td><b>{escape(status.site.id)}</b></td><td>{_times(run)}</td>"
    yield f"<td>{_reason(run)}</td><td>{_plot(status)}</td>"
    for name in FIGURES:
        number, difference = status.figure(name), status.difference(name)
        text = "" if number is None else f"{number:,}"
        beside = "" if difference is None else f' <span class="soft">({difference:+,})</span>'
        yield f'<td class="n">{text}{beside}</td>'
    yield f'<td class="n">{status.missed:,}</td><td>{_time(status.next)}</td></tr>'
    if status.entries:
        columns = len(FIGURES) + 6
        every = len(status.entries)
        listed = f"{every:,} {'entry' if every == 1 else 'entries'}"
        if every > _LISTED:
            listed = f"the last {_LISTED:,} of {listed}"
        yield f'<tr><td colspan="{columns}"><details><summary>{listed}'
        yield "</summary><table><thead><tr><th>planned</th><th>start</th><th>reason</th>"
        yield "".join(f'<th class="n">{name}</th>' for name in FIGURES)
        yield "<th>detail</th></tr></thead><tbody>"
        for entry in reversed(status.entries[-_LISTED:]):
            yield _entry(entry)
        yield "</tbody></table></details></td></tr>"


def _entry(run: Run) -> str:
    planned = "by hand" if run.planned is None else _time(run.planned)
    figures = "".join(f'<td class="n">{figure_of(run, name):,}</td>' for name in FIGURES)
    errors = ", ".join(f"{why}: {number:,}" for why, number in sorted(run.errors.items()))
    words = "; ".join(part for part in (run.detail, errors) if part)
    return (
        f"<tr><td>{planned}</td><td>{_times(run)}</td><td>{_reason(run)}</td>{figures}"
        f"<td>{escape(words)}</td></tr>"
    )


def _time(time: datetime | None) -> str:
    """Write a time in one piece."""
    return f'<span class="t">{show_time(time)}</span>'


def _times(run: Run | None) -> str:
    if run is None:
        return "-"
    took = "" if run.seconds is None else f', <span class="soft">{show_seconds(run.seconds)}</span>'
    return f"{_time(run.start)}{took}"


def _reason(run: Run | None) -> str:
    if run is None:
        return "never run"
    kind = "good" if run.went_well else "soft" if run.is_open else "bad"
    return f'<span class="{kind}">{escape(run.reason)}</span>'


def _plot(status: SiteStatus) -> str:
    """Draw the items of the last runs as bars; a run without items is a line."""
    entries = [run for run in status.entries if not run.is_open][-_PLOTTED:]
    most = max((run.items for run in entries), default=0)
    bars = []
    for number, run in enumerate(entries):
        high = max(1.0, _HIGH * run.items / most) if most else 1.0
        kind = "" if run.went_well else " bad"
        if not run.is_run:
            high, kind = float(_HIGH), " missed"
        words = escape(f"{show_time(run.start)}: {run.reason}, {run.items:,} items")
        bars.append(
            f'<rect class="bar{kind}" x="{number * _WIDE}" y="{_HIGH - high:.1f}" '
            f'width="{_WIDE - 1}" height="{high:.1f}"><title>{words}</title></rect>'
        )
    width = max(1, len(entries)) * _WIDE
    return (
        f'<svg width="{width}" height="{_HIGH}" viewBox="0 0 {width} {_HIGH}" role="img" '
        f'aria-label="items of the last {len(entries)} runs">{"".join(bars)}</svg>'
    )
