"""What a person sees of a harvest: one live line on a terminal, or a line a run, and a summary."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Self

from crawler.core.wording import counted, fit_width, listed, show_seconds
from crawler.harvest.history import BUSY, NOT_BEGUN, show_time
from crawler.harvest.status import FIGURES, figure_of, most_frequent

if TYPE_CHECKING:
    from datetime import datetime

    from rich.live import Live

    from crawler.harvest.history import Run
    from crawler.harvest.runner import Tally

_NAMED: Final = 3
_LISTED: Final = 20
_WIDE: Final = 200


class Display:
    """Shows runs as they begin and end, on standard error.

    A harvest goes on where nothing can be shown, as on a full disk.

    Args:
        sites: how many sites are wanted; 0 where the harvest has no end.
    """

    def __init__(self, sites: int = 0) -> None:
        self._sites = sites
        self._running: list[str] = []
        self._well = 0
        self._failed = 0
        self._next = ""
        self._live: Live | None = None
        if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            # Loaded here: a harvest that nobody watches does without.
            from rich.console import Console  # noqa: PLC0415 - as above
            from rich.live import Live  # noqa: PLC0415 - as above

            console = Console(stderr=True, highlight=False, markup=False)
            self._live = Live(
                console=console, auto_refresh=False, transient=True, redirect_stdout=False
            )

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            with suppress(OSError):
                self._live.stop()

    def started(self, run: Run) -> None:
        """Show that a run has begun."""
        self._running.append(run.site)
        if self._live is None:
            late = f", planned for {show_time(run.planned)} UTC" if run.planned else ""
            self.said(f"{run.site}: begun{late}")
        self._draw()

    def ended(self, run: Run) -> None:
        """Show that a run has ended, or could not be begun."""
        if run.site in self._running:
            self._running.remove(run.site)
        if run.went_well:
            self._well += 1
        else:
            self._failed += 1
        self.said(run_line(run))
        self._draw()

    def said(self, text: str) -> None:
        """Show a line."""
        line = fit_width(text, _WIDE)
        with suppress(OSError):
            if self._live is None:
                print(line, file=sys.stderr, flush=True)  # noqa: T201 - this is how a person is told
            else:
                self._live.console.print(line, soft_wrap=True)

    def waits(self, planned: datetime | None, site: str) -> None:
        """Show what is planned next."""
        words = f"next: {site} at {show_time(planned)} UTC" if planned else "nothing is planned"
        if words != self._next:
            self._next = words
            self._draw()

    def _draw(self) -> None:
        if self._live is None:
            return
        done = self._well + self._failed
        parts = [counted(done, "run")]
        if self._sites:
            parts = [f"{done:,} of {counted(self._sites, 'site')}"]
        if self._failed:
            parts.append(f"{self._failed:,} not well")
        if self._running:
            parts.append(f"running: {listed(self._running, _NAMED)}")
        elif self._next:
            parts.append(self._next)
        with suppress(OSError):
            line = fit_width(" · ".join(parts), self._live.console.width)
            self._live.update(line, refresh=True)


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
        parts.append(f"skipped {most_frequent(run.skipped)}")
    if run.detail and not run.went_well:
        parts.append(run.detail)
    return ", ".join(parts)


def summary_lines(tally: Tally, seconds: float) -> list[str]:
    """Describe a harvest that has ended; the first line is the heading."""
    runs = list(tally.last.values())
    if not runs and not tally.left:
        return ["Nothing was due" if not tally.missed else f"{counted(tally.missed, 'run')} missed"]
    bad = [f"{run.site} ({run.reason})" for run in runs if not run.went_well]
    lines = [f"Harvest of {counted(len(runs), 'site')} ended after {show_seconds(seconds)}"]
    if len(tally.runs) > len(runs):
        lines.append(f"  runs        {len(tally.runs):,}, of which the last of each site:")
    lines.append(f"  well        {counted(len(runs) - len(bad), 'site')}")
    if bad:
        lines.append(f"  not well    {counted(len(bad), 'site')}: {listed(bad, _LISTED)}")
    figures = {name: sum(figure_of(run, name) for run in tally.runs) for name in FIGURES}
    for label, number in {**figures, "missed": tally.missed, "not begun": tally.left}.items():
        if number or label in {"pages", "items"}:
            lines.append(f"  {label:<11} {number:,}")
    return lines
