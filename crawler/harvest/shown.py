"""What a person sees of a harvest: one live line on a terminal, or a line a run, and a summary."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol, Self

from crawler.core.wording import counted, fit_width, show_seconds
from crawler.harvest.harvesting import BUSY, NOT_BEGUN
from crawler.harvest.history import show_time
from crawler.harvest.status import FIGURES, most_frequent

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from rich.console import Console
    from rich.live import Live

    from crawler.harvest.harvesting import Tally
    from crawler.harvest.history import Run

__all__ = ["Display", "run_line", "summary_lines"]

_NAMED: Final = 3
_LISTED: Final = 20
_WIDE: Final = 200


class _Output(Protocol):
    def say(self, line: str) -> None: ...
    def show(self, line: str) -> None: ...
    def close(self) -> None: ...


class Display:
    """Shows runs as they begin and end, on standard error. Use it in a ``with`` statement.

    Args:
        sites: how many sites are wanted; 0 where the harvest has no end.
        live: whether there is a live line; None where the terminal decides.
    """

    def __init__(self, sites: int = 0, *, live: bool | None = None) -> None:
        self._sites = sites
        self._running: dict[str, Run] = {}
        self._well = 0
        self._failed = 0
        self._next = ""
        if live is None:
            live = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._output: _Output = _Screen() if live else _Lines()
        self._is_live = live

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._output.close()

    def started(self, run: Run) -> None:
        """See :class:`~crawler.harvest.harvesting.Listener`."""
        self._running[run.site] = run
        if not self._is_live:
            late = f", planned for {show_time(run.planned)} UTC" if run.planned else ""
            self._output.say(f"{run.site}: begun{late}")
        self._draw()

    def ended(self, run: Run) -> None:
        """See :class:`~crawler.harvest.harvesting.Listener`."""
        self._running.pop(run.site, None)
        if run.went_well:
            self._well += 1
        else:
            self._failed += 1
        self._output.say(run_line(run))
        self._draw()

    def said(self, text: str) -> None:
        """See :class:`~crawler.harvest.harvesting.Listener`."""
        self._output.say(fit_width(text, _WIDE))

    def waits(self, planned: datetime | None, site: str) -> None:
        """See :class:`~crawler.harvest.harvesting.Listener`."""
        words = f"next: {site} at {show_time(planned)} UTC" if planned else "nothing is planned"
        if words != self._next:
            self._next = words
            self._draw()

    def _draw(self) -> None:
        done = self._well + self._failed
        parts = [
            f"{done:,} of {counted(self._sites, 'site')}" if self._sites else counted(done, "run")
        ]
        if self._failed:
            parts.append(f"{self._failed:,} not well")
        if self._running:
            names = ", ".join(list(self._running)[:_NAMED])
            more = len(self._running) - _NAMED
            parts.append(f"running: {names}" + (f" and {more:,} more" if more > 0 else ""))
        elif self._next:
            parts.append(self._next)
        self._output.show(" · ".join(parts))


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
        parts.append(fit_width(run.detail, _WIDE))
    return ", ".join(parts)


def summary_lines(tally: Tally, seconds: float) -> list[str]:
    """Describe a harvest that has ended; the first line is the heading."""
    runs = list(tally.runs.values())
    if not runs and not tally.left:
        return ["Nothing was due" if not tally.missed else f"{counted(tally.missed, 'run')} missed"]
    bad = [run for run in runs if not run.went_well]
    lines = [f"Harvest of {counted(len(runs), 'site')} ended after {show_seconds(seconds)}"]
    if tally.number > len(runs):
        lines.append(f"  runs        {tally.number:,}, of which the last of each site:")
    lines.append(f"  well        {counted(len(runs) - len(bad), 'site')}")
    if bad:
        lines.append(f"  not well    {_named(bad)}")
    for label, number in (
        *((name, tally.totals[name]) for name in FIGURES),
        ("missed", tally.missed),
        ("not begun", tally.left),
    ):
        if number or label in {"pages", "items"}:
            lines.append(f"  {label:<11} {number:,}")
    return lines


def _named(runs: Sequence[Run]) -> str:
    names = ", ".join(f"{run.site} ({run.reason})" for run in runs[:_LISTED])
    more = len(runs) - _LISTED
    return f"{counted(len(runs), 'site')}: {names}" + (f" and {more:,} more" if more > 0 else "")


# Of both: a harvest goes on where nothing can be shown, as on a full disk, or without a reader.
class _Lines:
    """Plain lines, for logs; there is no live line."""

    def say(self, line: str) -> None:
        with suppress(OSError):
            print(line, file=sys.stderr, flush=True)  # noqa: T201 - this is how a person is told

    def show(self, line: str) -> None:
        """Show nothing: the lines of the runs say it."""

    def close(self) -> None:
        """Leave the lines where they are."""


class _Screen:
    """A live line with the lines of the runs above it."""

    def __init__(self) -> None:
        # Loaded here: a harvest that nobody watches does without.
        from rich.console import Console  # noqa: PLC0415 - as above
        from rich.live import Live  # noqa: PLC0415 - as above
        from rich.text import Text  # noqa: PLC0415 - as above

        self._text = Text
        self._console: Console = Console(stderr=True, highlight=False, force_terminal=True)
        self._live: Live = Live(
            console=self._console, auto_refresh=False, transient=True, redirect_stdout=False
        )
        self._live.start()

    def say(self, line: str) -> None:
        with suppress(OSError):
            self._console.print(self._text(line), soft_wrap=True)

    def show(self, line: str) -> None:
        text = self._text(line, no_wrap=True, overflow="ellipsis")
        with suppress(OSError):
            self._live.update(text, refresh=True)

    def close(self) -> None:
        with suppress(OSError):
            self._live.stop()
