"""Running the sites of a plan: what is due is begun, once, and what came of it is kept and told."""

from __future__ import annotations

from collections import Counter, deque
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol

from crawler.core.errors import CorpusError, one_line
from crawler.core.wording import counted
from crawler.harvest.history import MISSED, Run, show_time
from crawler.harvest.jobs import DONE, LOST
from crawler.harvest.schedule import MOST_COUNTED, due
from crawler.harvest.storage import site_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.harvest.alerts import Alerter
    from crawler.harvest.crew import Crew
    from crawler.harvest.history import History
    from crawler.harvest.jobs import Outcome
    from crawler.harvest.plan import Alerts, SitePlan
    from crawler.harvest.schedule import Due

__all__ = ["BUSY", "NOT_BEGUN", "Harvest", "Listener", "Locks", "Step", "Tally", "run_all"]

BUSY: Final = "busy"
NOT_BEGUN: Final = "not-begun"
"""The reason of a run that was not begun, since one of the same site is under way."""

_FIGURES: Final = ("pages", "items", "new", "changed", "gone")
_NO_PAGE: Final = "no-page"
_LOOK_SECONDS: Final = 0.5
_KEEP_SECONDS: Final = 60.0
# So many reasons of failures are named where there is nothing else.
_REASONS: Final = 3


class Locks(Protocol):
    """Keeps harvests of the same sites apart, also on other machines."""

    def take(self, site: str) -> Callable[[], None] | None:
        """Take the lock of a site and return what lets it go; None where another harvest has it."""


class Listener(Protocol):
    """Whoever is shown how a harvest goes."""

    def started(self, run: Run) -> None:
        """A run has begun."""

    def ended(self, run: Run) -> None:
        """A run has ended, or could not be begun."""

    def said(self, text: str) -> None:
        """There is something to say."""

    def waits(self, planned: datetime | None, site: str) -> None:
        """What is planned next, of all that is not running; None where nothing is."""


@dataclass(slots=True)
class Tally:
    """What a harvest has done so far.

    ``runs``
        The last run of each site, by its id; sites that could not be begun have one, too.
    ``number``
        How many runs there were.
    ``totals``
        What they came to: pages, items and so on, by name; ``errors`` are counted together.
    ``missed``
        How many planned times were missed.
    ``left``
        How many sites were not begun, since the harvest was stopped.
    """

    runs: dict[str, Run] = field(default_factory=dict)
    number: int = 0
    totals: Counter[str] = field(default_factory=Counter)
    missed: int = 0
    left: int = 0

    def add(self, run: Run) -> None:
        """Count a run that has ended, or could not be begun."""
        self.runs[run.site] = run
        self.number += 1
        self.totals.update({name: getattr(run, name) for name in _FIGURES})
        self.totals["errors"] += run.error_count

    @property
    def went_well(self) -> bool:
        """Whether all that was wanted was run, and ended as it should."""
        return not self.left and all(run.went_well for run in self.runs.values())


@dataclass(frozen=True, slots=True)
class Step:
    """The ids of sites that are no longer busy.

    ``ended``
        Their runs have ended.
    ``declined``
        They were not begun: they needed no run, or it was not possible.
    """

    ended: list[str] = field(default_factory=list)
    declined: list[str] = field(default_factory=list)


class Harvest:
    """Begins runs, keeps their history, and sends alerts. Used by one thread.

    Args:
        crew: crawls the sites.
        history: where runs are kept.
        locks: keeps other harvests out.
        alerter: sends alerts.
        listener: is told of everything.
        now: tells the time, aware.
    """

    def __init__(  # noqa: PLR0913 - each of them is another thing that a harvest needs
        self,
        *,
        crew: Crew,
        history: History,
        locks: Locks,
        alerter: Alerter,
        listener: Listener,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._crew = crew
        self._history = history
        self._locks = locks
        self._alerter = alerter
        self._listener = listener
        self._now = now
        self._waiting: deque[_Wanted] = deque()
        self._running: dict[str, _Running] = {}
        self._busy: set[str] = set()
        self._why_not: dict[str, str] = {}
        self._unkept: dict[str, Run] = {}
        self._kept_at = monotonic()
        self.tally = Tally()
        self.is_stopping = False
        self._waits_for_places = False

    def want(self, site: SitePlan, alerts: Alerts, *, only_due: bool) -> None:
        """Have a site run when there is room, unless it is waiting or running already.

        Args:
            site: the site.
            alerts: what is told of it.
            only_due: run it only if its plan says so when its turn comes.
        """
        if not self.is_stopping and not self.is_busy(site.id):
            self._busy.add(site.id)
            self._waiting.append(_Wanted(site, alerts, only_due))

    def may_be_due(self, site: SitePlan) -> bool:
        """Tell whether it is worth while to want a site that is to run only if it is due.

        Reads the history, and asks for no lock. May be called by several threads.
        """
        now = self._now()
        try:
            standing = self._history.standing(site, now)
        except (CorpusError, OSError):
            # That is told of when the site is begun.
            return True
        is_open = standing.last is not None and standing.last.is_open
        return is_open or due(site, standing.handled, now) is not None

    def is_busy(self, site: str) -> bool:
        """Tell whether a site is waiting or running here."""
        return site in self._busy

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits or runs."""
        return not self._waiting and not self._running

    def stop(self) -> None:
        """Begin nothing more, and ask what runs to end."""
        self.is_stopping = True
        self.tally.left += len(self._waiting)
        self._busy.difference_update(wanted.site.id for wanted in self._waiting)
        self._waiting.clear()
        self._crew.stop()

    def go_on(self, seconds: float) -> Step:
        """Begin what there is room for, and wait at most so long for the end of a run."""
        step = Step()
        if monotonic() - self._kept_at >= _KEEP_SECONDS:
            self.keep()
        free = self._crew.free() if self._waiting else 0
        began = monotonic()
        # A store may take long to tell of each that it needs no run: there is more to look at.
        while self._waiting and free > 0 and monotonic() - began < _LOOK_SECONDS:
            wanted = self._waiting.popleft()
            if self._begin(wanted):
                free -= 1
            else:
                self._busy.discard(wanted.site.id)
                step.declined.append(wanted.site.id)
        is_room = free > 0
        if self._waiting and not (is_room or self._running or self._waits_for_places):
            # A cluster may have no workers yet.
            self._listener.said("no site can be begun yet: the executor has no place for it")
            self._waits_for_places = True
        # That a site is not begun is told at once; and where there is room, others are to be begun.
        is_more = bool(step.declined) or (is_room and bool(self._waiting))
        for outcome in self._crew.wait(0.0 if is_more else seconds):
            self._end(outcome)
            step.ended.append(outcome.name)
        return step

    def keep(self) -> None:
        """Write once more what the history did not take, as of a store that was away for minutes.

        Such a run would be told as lost when the next one begins.
        """
        self._kept_at = monotonic()
        for site, run in tuple(self._unkept.items()):
            try:
                self._history.write(run)
            except (CorpusError, OSError):
                return
            del self._unkept[site]

    def _begin(self, wanted: _Wanted) -> bool:
        """Begin a run; False where none is needed, or it cannot be begun."""
        site, now = wanted.site, self._now()
        try:
            release = self._locks.take(site.id)
            if release is None:
                self._not_begun(wanted, now, BUSY, "a run of this site is under way elsewhere")
                return False
            with ExitStack() as held:
                held.callback(release)
                run = self._note_begin(wanted, now)
                self._why_not.pop(site.id, None)
                if run is None:
                    return False
                self._crew.start(site, run.stamp)
                self._running[site.id] = _Running(run, wanted.alerts, held.pop_all())
        except (CorpusError, OSError) as error:
            self._not_begun(wanted, now, NOT_BEGUN, one_line(error))
            return False
        self._listener.started(run)
        return True

    def _note_begin(self, wanted: _Wanted, now: datetime) -> Run | None:
        site = wanted.site
        if (unkept := self._unkept.get(site.id)) is not None:
            self._history.write(unkept)
            del self._unkept[site.id]
        standing = self._history.standing(site, now)
        if standing.last is not None and standing.last.is_open:
            # Who holds the lock knows that no run is under way.
            self._note_lost(standing.last, wanted, now)
        what = due(site, standing.handled, now)
        if what is None and wanted.only_due:
            return None
        if what is not None and what.missed:
            self._note_missed(wanted, what, now)
        run = Run(site.id, now, planned=None if what is None else what.planned)
        self._history.write(run)
        return run

    def _note_lost(self, run: Run, wanted: _Wanted, now: datetime) -> None:
        words = "the harvest that ran it ended before it did"
        self._history.write(replace(run, end=now, reason=LOST, detail=words))
        self._listener.said(f"{run.site}: the run of {show_time(run.start)} was lost")
        self._alert(run.site, wanted.alerts)

    def _note_missed(self, wanted: _Wanted, what: Due, now: datetime) -> None:
        number = counted(what.missed, "planned run")
        if what.missed == MOST_COUNTED:
            number += " or more"
        words = "nobody harvested then, or the run before was under way"
        span = f"{show_time(what.first)} to {show_time(what.last)} UTC"
        missed = Run(
            wanted.site.id,
            now,
            planned=what.last,
            end=now,
            reason=MISSED,
            detail=f"{number}, from {span}: {words}",
            missed=what.missed,
        )
        self._history.write(missed)
        self.tally.missed += what.missed
        self._listener.said(f"{missed.site}: missed {missed.detail}")
        self._alert(wanted.site.id, wanted.alerts)

    def _not_begun(self, wanted: _Wanted, now: datetime, reason: str, detail: str) -> None:
        """Tell of a run that was not begun; it is no part of the history, and is due as it was.

        A watch tries again each minute: it is told once, until there is another reason.
        """
        is_told = wanted.only_due and self._why_not.get(wanted.site.id) == detail
        self._why_not[wanted.site.id] = detail
        if reason == BUSY and wanted.only_due:
            # Every look at a plan meets the runs that the looks before it began.
            if not is_told:
                self._listener.said(f"{wanted.site.id}: {detail}")
            return
        run = Run(wanted.site.id, now, end=now, reason=reason, detail=detail)
        if not is_told:
            self.tally.add(run)
            self._listener.ended(run)
        if reason != BUSY:
            self._alert(run.site, wanted.alerts, run)

    def _end(self, outcome: Outcome) -> None:
        running = self._running.pop(outcome.name)
        self._busy.discard(outcome.name)
        run = replace(running.run, end=self._now(), **_figures(outcome))
        if not (run.went_well or run.detail):
            folder = site_folder(run.site)
            run = replace(run, detail=f"its log says more: {folder}/logs/{run.stamp}.log")
        try:
            self._history.write(run)
        except (CorpusError, OSError) as error:
            self._unkept[run.site] = run
            self._listener.said(f"{run.site}: the history cannot be written: {one_line(error)}")
        try:
            running.held.close()
        except (CorpusError, OSError) as error:
            self._listener.said(f"{run.site}: its lock cannot be let go: {one_line(error)}")
        self.tally.add(run)
        self._listener.ended(run)
        self._alert(run.site, running.alerts, run)

    def _alert(self, site: str, alerts: Alerts, last: Run | None = None) -> None:
        """Send what is new of a site's troubles; ``last`` may be no part of the history."""
        if not alerts.wanted:
            return
        try:
            # Between the runs of the average there may be some that failed, and missed times.
            runs = self._history.runs(site, 3 * alerts.runs + 10, self._now())
        except (CorpusError, OSError) as error:
            self._listener.said(f"{site}: the history cannot be read: {one_line(error)}")
            runs = []
        if last is not None:
            runs = [*(run for run in runs if run.name != last.name), last]
        for trouble in self._alerter.look(site, runs, alerts):
            self._listener.said(f"alert sent: {trouble.text}")


@dataclass(frozen=True, slots=True)
class _Wanted:
    site: SitePlan
    alerts: Alerts
    only_due: bool


@dataclass(frozen=True, slots=True)
class _Running:
    run: Run
    alerts: Alerts
    held: ExitStack


def _figures(outcome: Outcome) -> dict[str, Any]:
    """Return what an outcome says of a run; a crawl that ended at a limit has figures, too."""
    value: Mapping[str, Any] = outcome.value if isinstance(outcome.value, dict) else {}
    figures: dict[str, Any] = {name: int(value.get(name) or 0) for name in _FIGURES}
    errors, skipped = (
        {str(why): int(number) for why, number in (value.get(name) or {}).items()}
        for name in ("errors", "skipped")
    )
    reason, detail = outcome.reason, outcome.detail or str(value.get("detail") or "")
    if reason == DONE:
        reason = str(value.get("reason") or DONE)
        if reason == "finished" and not figures["pages"] and errors:
            most = sorted(errors.items(), key=lambda one: -one[1])[:_REASONS]
            why = ", ".join(f"{name} {number:,}" for name, number in most)
            reason, detail = _NO_PAGE, detail or f"no page could be fetched ({why})"
    told = {"reason": reason, "detail": one_line(detail)}
    return {**figures, "errors": errors, "skipped": skipped, **told}


def run_all(harvest: Harvest, should_stop: Callable[[], bool]) -> None:
    """Go on until nothing waits or runs; once ``should_stop`` says yes, what runs is ended."""
    while not harvest.is_idle:
        if should_stop() and not harvest.is_stopping:
            harvest.stop()
        harvest.go_on(_LOOK_SECONDS)
    harvest.keep()
