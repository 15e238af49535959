"""Alerts: a command is called once for each trouble of a site.

Which alerts were sent is kept in the history. A trouble that lasts is sent once; when a run is free
of it, the next one is sent again. An alert whose command failed is sent at the next look.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import Any, Final

from crawler.core.errors import CorpusError, one_line
from crawler.core.wording import counted
from crawler.harvest.history import History, Run, show_time
from crawler.harvest.plan import Alerts
from crawler.harvest.site_job import STOPPED
from crawler.harvest.status import REASONS
from crawler.journey.statistics import most_frequent

_LONGEST: Final = 300
_PAUSE_LIMITS: Final = 6


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that somebody is to know of: its kind, in words, and the run that shows it.

    ``kind`` is ``failed``, ``zero-items``, ``fall``, ``error-rate`` or ``missed``.
    """

    kind: str
    text: str
    run: Run

    def as_json(self) -> dict[str, Any]:
        """Return what is sent."""
        run = self.run.as_json()
        return {"kind": self.kind, "site": self.run.site, "text": self.text, "run": run}


def troubles(runs: Sequence[Run], alerts: Alerts) -> list[Trouble]:
    """Find what is wrong with the last of a site's runs, and with planned times before it.

    ``runs`` are entries of its history in their order, more than ``alerts.runs``.
    """
    found = []

    def add(kind: str, run: Run, words: str) -> None:
        found.append(Trouble(kind, f"{run.site}: {words}", run))

    missed = [run for run in runs if not run.is_run]
    if alerts.missed and missed:
        add("missed", missed[-1], f"missed {missed[-1].detail}")
    # A person who stops a harvest knows of it, and what a stopped run lacks says nothing.
    ended = [run for run in runs if run.is_run and not run.is_open and run.reason != STOPPED]
    if not ended:
        return found
    run, earlier = ended[-1], [one for one in ended[:-1] if one.went_well][-alerts.runs :]
    if alerts.failed and not run.went_well:
        words = f"the run of {show_time(run.start)} ended early ({run.reason}): {run.detail}"
        add("failed", run, words.removesuffix(": "))
    average = sum(one.items for one in earlier) / len(earlier) if earlier else 0.0
    skipped = f" (skipped: {most_frequent(run.skipped, REASONS)})" if run.skipped else ""
    # An unchanged page shows that the crawl works: there is no news, and no trouble.
    is_quiet = "unchanged" in run.skipped
    # A site of few articles has none on some days: runs are to have had items until they ended.
    had = list(dropwhile(lambda items: not items, (one.items for one in reversed(earlier))))
    if alerts.zero_items and run.items == 0 and not is_quiet and had and all(had):
        words = f"no items, where the last {len(earlier)} runs had {average:,.1f} on average"
        add("zero-items", run, words + skipped)
    elif run.items < alerts.fall * average:
        words = f"{run.items:,} items are less than {alerts.fall:.0%} of the average of "
        add("fall", run, f"{words}{average:,.1f}{skipped}")
    if run.error_count > alerts.error_rate * (run.pages + run.error_count):
        words = f"{counted(run.error_count, 'error')} to {counted(run.pages, 'page')} fetched"
        add("error-rate", run, f"{words} ({most_frequent(run.errors, REASONS)})")
    return found


class Alerter:
    """Sends each trouble once, and tells a person.

    The history keeps what was sent. Where it cannot, this harvest sends no trouble twice all the
    same, but the next one does.
    """

    def __init__(self, history: History, tell: Callable[[str], None]) -> None:
        self._history = history
        self._tell = tell
        # What was sent of each site, where the history did not keep it.
        self._unkept: dict[str, dict[str, str]] = {}
        self._paused_until = 0.0

    def look(self, runs: Sequence[Run], alerts: Alerts) -> None:
        """Send what is new of a site's troubles, by some entries of its history in their order."""
        site, found = runs[-1].site, troubles(runs, alerts)
        if not alerts.command or time.monotonic() < self._paused_until:
            return
        before, is_kept = self._unkept.get(site), False
        if before is None:
            try:
                before, is_kept = self._history.alerts(site), True
            except CorpusError:
                before = {}
        sent = {}
        for trouble in found:
            # Missed times do not end, as a run that went well ends other troubles.
            mark = trouble.run.stamp if trouble.kind == "missed" else "open"
            if before.get(trouble.kind) == mark or self._send(trouble, alerts):
                sent[trouble.kind] = mark
        if is_kept and sent == before:
            return
        try:
            self._history.keep_alerts(site, sent)
            self._unkept.pop(site, None)
        except CorpusError as error:
            if self._unkept.get(site) != sent:
                self._tell(f"{site}: which alerts were sent cannot be kept: {error}")
            self._unkept[site] = sent

    def _send(self, trouble: Trouble, alerts: Alerts) -> bool:
        began = time.monotonic()
        failure = run_command(trouble, alerts)
        ended = time.monotonic()
        if ended - began >= alerts.time_limit:
            # A command that hangs may not keep a harvest of many sites.
            self._paused_until = ended + _PAUSE_LIMITS * alerts.time_limit
        not_sent = f"the alert of {trouble.run.site} was not sent: {failure}"
        self._tell(not_sent if failure else f"alert sent: {trouble.text}")
        return not failure


def run_command(trouble: Trouble, alerts: Alerts) -> str:
    """Give an alert to the command as JSON on standard input; return words where that fails."""
    program = alerts.command[0]
    data = json.dumps(trouble.as_json(), ensure_ascii=False).encode()
    # A file and no pipe: what the command leaves running in the background may keep it open.
    with tempfile.TemporaryFile() as said:
        try:
            process = subprocess.run(  # noqa: S603 - the plan's own command, without a shell
                alerts.command,
                input=data,
                stdout=subprocess.DEVNULL,
                stderr=said,
                timeout=alerts.time_limit,
                check=False,
                # A Ctrl-C is for the harvest, which ends in order.
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            return f"{program} cannot be run: {one_line(error)}"
        except subprocess.TimeoutExpired:
            return f"{program} took more than {alerts.time_limit:g} s"
        said.seek(0)
        words = one_line(said.read().decode(errors="replace"))[-_LONGEST:]
    if process.returncode:
        return f"{program} ended with {process.returncode}: {words}".removesuffix(": ")
    return ""
