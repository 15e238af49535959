"""Who is told of trouble: a command or a webhook, once for each trouble of a site.

What was told is kept beside the history. A trouble that lasts is told once; when a run is free of
it, the next one is told again. An alert that could not be sent is sent at the next look. Where the
storage does not keep what was told, one alert is sent and no more, since each look at each site
would send another.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from crawler.core.errors import CorpusError, one_line
from crawler.core.wording import counted
from crawler.harvest.history import show_time
from crawler.harvest.jobs import STOPPED
from crawler.harvest.status import most_frequent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crawler.harvest.history import Objects, Run
    from crawler.harvest.plan import Alerts

__all__ = ["Alerter", "Trouble", "send", "troubles"]

_FOLDER: Final = "alerts"
_WORDS: Final = 300
_REFUSED: Final = 300
# Whoever let us wait for the whole time limit is left alone for so many more: a harvest of many
# sites in trouble is to go on meanwhile.
_PAUSE_LIMITS: Final = 6
# Of pages without an item, as in the figures of a crawl.
_UNCHANGED: Final = "unchanged"
_KILL_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that somebody is to know of.

    ``kind``
        ``failed``, ``zero-items``, ``fall``, ``error-rate`` or ``missed``.
    ``text``
        In words.
    ``run``
        The entry of the history that shows it.
    """

    kind: str
    text: str
    run: Run

    def as_json(self) -> dict[str, Any]:
        """Return what is sent."""
        return {
            "kind": self.kind,
            "site": self.run.site,
            "text": self.text,
            "run": self.run.as_json(),
        }


def troubles(runs: Sequence[Run], alerts: Alerts) -> list[Trouble]:
    """Tell what is wrong with the last of a site's runs, and with planned times before it.

    Args:
        runs: entries of one site's history in their order; more than ``alerts.runs``.
        alerts: what counts as trouble.
    """
    found = []
    missed = [run for run in runs if not run.is_run]
    if alerts.missed and missed:
        last = missed[-1]
        found.append(Trouble("missed", f"{last.site}: missed {last.detail}", last))
    # Who stops a harvest knows of it, and what a stopped run lacks says nothing.
    ended = [run for run in runs if run.is_run and not run.is_open and run.reason != STOPPED]
    if not ended:
        return found
    run, earlier = ended[-1], [one for one in ended[:-1] if one.went_well][-alerts.runs :]
    if alerts.failed and not run.went_well:
        words = f"{run.site}: the run of {show_time(run.start)} ended early ({run.reason})"
        found.append(Trouble("failed", f"{words}: {run.detail}".removesuffix(": "), run))
    average = sum(one.items for one in earlier) / len(earlier) if earlier else 0.0
    # A page that says what it said shows that the crawl works: there is no news, and no trouble.
    is_quiet = _UNCHANGED in run.skipped
    if alerts.zero_items and run.items == 0 and not is_quiet and _had_always_some(earlier):
        words = f"no items, where the last {len(earlier)} runs had {average:,.1f} on average"
        if len(earlier) == 1:
            words = f"no items, where the run before had {average:,.0f}"
        found.append(Trouble("zero-items", f"{run.site}: {words}{_skipped(run)}", run))
    elif run.items < alerts.fall * average:
        words = f"{run.items:,} items are less than {alerts.fall:.0%} of the average of "
        found.append(Trouble("fall", f"{run.site}: {words}{average:,.1f}{_skipped(run)}", run))
    if run.error_count > alerts.error_rate * (run.pages + run.error_count):
        words = f"{counted(run.error_count, 'error')} to {counted(run.pages, 'page')} fetched"
        words += f" ({most_frequent(run.errors)})"
        found.append(Trouble("error-rate", f"{run.site}: {words}", run))
    return found


def _skipped(run: Run) -> str:
    return f" (skipped: {most_frequent(run.skipped)})" if run.skipped else ""


def _had_always_some(runs: Sequence[Run]) -> bool:
    """Tell whether runs had items until they ended: a site of few has none on some days."""
    items = [run.items for run in runs]
    while items and not items[-1]:
        items.pop()
    return bool(items) and all(items)


class Alerter:
    """Sends each trouble once.

    Args:
        objects: where it is kept what was told.
        tell: called with words where an alert cannot be sent.
        clock: seconds that only go up.
    """

    def __init__(
        self,
        objects: Objects,
        tell: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._objects = objects
        self._tell = tell
        self._clock = clock
        self._paused_until: dict[str, float] = {}
        self._is_kept = True

    def look(self, site: str, runs: Sequence[Run], alerts: Alerts) -> list[Trouble]:
        """Send what is new of a site's troubles; return what was sent."""
        if not alerts.wanted:
            return []
        found = troubles(runs, alerts)
        told = self._told_before(site)
        if told is None:
            return []
        sent, now_told = [], {}
        for trouble in found:
            # Missed times do not end, as a run that went well ends other troubles.
            mark = trouble.run.name if trouble.kind == "missed" else "open"
            if told.get(trouble.kind) != mark:
                if failures := self._send(trouble, alerts):
                    for words in failures:
                        self._tell(f"alert of {site} was not sent: {words}")
                    continue
                sent.append(trouble)
            now_told[trouble.kind] = mark
        if now_told != told:
            self._keep(site, now_told)
        return sent

    def _told_before(self, site: str) -> dict[str, str] | None:
        """Return what was told of a site; None where this is not known, and may not be asked."""
        try:
            told = self._told(site)
        except (CorpusError, OSError) as error:
            if not self._is_kept:
                return None
            self._tell_not_kept(site, error)
            return {}
        if not self._is_kept:
            # Perhaps it is kept again.
            self._is_kept = self._keep(site, told)
        return told if self._is_kept else None

    def _keep(self, site: str, told: dict[str, str]) -> bool:
        try:
            self._objects.write(_name(site), json.dumps(told, indent=1).encode() + b"\n")
        except (CorpusError, OSError) as error:
            self._tell_not_kept(site, error)
            return False
        return True

    def _tell_not_kept(self, site: str, error: Exception) -> None:
        if self._is_kept:
            self._is_kept = False
            words = "no further alerts are sent until it can"
            self._tell(f"{site}: what was told cannot be kept, {words}: {one_line(error)}")

    def _send(self, trouble: Trouble, alerts: Alerts) -> list[str]:
        failures = []
        for way, deliver in _ways(trouble, alerts).items():
            began = self._clock()
            if began < self._paused_until.get(way, began):
                failures.append(f"the {way} took too long before; it is tried at the next run")
                continue
            if words := deliver():
                failures.append(words)
                ended = self._clock()
                if ended - began >= alerts.time_limit:
                    self._paused_until[way] = ended + _PAUSE_LIMITS * alerts.time_limit
        return failures

    def _told(self, site: str) -> dict[str, str]:
        name = _name(site)
        if not self._objects.exists(name):
            return {}
        try:
            told = json.loads(self._objects.read(name))
            return {str(kind): str(mark) for kind, mark in told.items()}
        except (ValueError, AttributeError, RecursionError):
            # What was told is not known: telling twice is better than never.
            return {}


def _name(site: str) -> str:
    return f"{_FOLDER}/{site}.json"


def send(trouble: Trouble, alerts: Alerts) -> list[str]:
    """Give an alert to the command and to the webhook; return words for each that failed."""
    return [words for deliver in _ways(trouble, alerts).values() if (words := deliver())]


def _ways(trouble: Trouble, alerts: Alerts) -> dict[str, Callable[[], str]]:
    """Return what delivers an alert, by the key of the plan; each returns words where it fails."""
    data = json.dumps(trouble.as_json(), ensure_ascii=False).encode()
    ways: dict[str, Callable[[], str]] = {}
    if alerts.command:
        ways["command"] = partial(_run_command, alerts.command, data, alerts.time_limit)
    if alerts.webhook:
        ways["webhook"] = partial(_post, alerts.webhook, data, alerts.time_limit)
    return ways


def _run_command(command: tuple[str, ...], data: bytes, seconds: float) -> str:
    try:
        # A file and no pipe: what the command leaves running in the background may keep it open.
        said = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed below
    except OSError as error:
        return f"{command[0]} cannot be run: {one_line(error)}"
    with said:
        try:
            process = subprocess.Popen(  # noqa: S603 - the plan's own command, without a shell
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=said,
                # A Ctrl-C is for the harvest, which ends in order.
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            return f"{command[0]} cannot be run: {one_line(error)}"
        try:
            process.communicate(data, seconds)
        except subprocess.TimeoutExpired:
            return f"{command[0]} took more than {seconds:g} s"
        finally:
            if process.returncode is None:
                _kill_all(process)
        if process.returncode:
            said.seek(max(0, said.seek(0, os.SEEK_END) - 4 * _WORDS))
            words = one_line(said.read().decode(errors="replace"))[-_WORDS:]
            return f"{command[0]} ended with {process.returncode}: {words}".removesuffix(": ")
    return ""


def _kill_all(process: subprocess.Popen[bytes]) -> None:
    """Kill a command and all that it has started."""
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    # What runs as another user, as by sudo, cannot be killed, and is left to itself.
    with suppress(subprocess.TimeoutExpired):
        process.wait(_KILL_SECONDS)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would turn the POST into a GET without the alert."""

    def redirect_request(self, *_: object) -> None:
        return None


def _post(address: str, data: bytes, seconds: float) -> str:
    """Post an alert, in a thread: no time limit of sockets holds for a whole answer, or for DNS."""
    answers: queue.SimpleQueue[str] = queue.SimpleQueue()
    # The rest of the address is often what lets somebody send, and logs are read by many.
    name = f"the webhook at {urlsplit(address).netloc.rpartition('@')[2]}"

    def post() -> None:
        words = _answer_of(address, data, seconds)
        answers.put(f"{name} {words}" if words else "")

    try:
        threading.Thread(target=post, name="webhook", daemon=True).start()
        return answers.get(timeout=seconds)
    except RuntimeError as error:
        return f"{name} cannot be called: {error}"
    except queue.Empty:
        return f"{name} took more than {seconds:g} s"


def _answer_of(address: str, data: bytes, seconds: float) -> str:
    request = urllib.request.Request(  # noqa: S310 - the plan allows http and https alone
        address,
        data,
        {"Content-Type": "application/json", "User-Agent": "scrapy-corpus"},
        method="POST",
    )
    try:
        with urllib.request.build_opener(_NoRedirects).open(request, timeout=seconds) as answer:
            status = int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        status = error.code
    except (OSError, HTTPException, ValueError) as error:
        return f"cannot be reached: {one_line(error)}"
    return f"answered with status {status}" if status >= _REFUSED else ""
