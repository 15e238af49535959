"""Running the sites of a plan: one loop for all of them now, for what is due, and for watching."""

from __future__ import annotations

from collections import Counter, deque
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Protocol

from crawler.core.errors import CorpusError, one_line
from crawler.core.wording import counted
from crawler.harvest.alerts import Alerter
from crawler.harvest.engine import Call, Done, LostError
from crawler.harvest.history import BUSY, LOST, MISSED, NOT_BEGUN, Run, show_time
from crawler.harvest.plan import PlanError, read_plan
from crawler.harvest.schedule import MOST_COUNTED, due, next_times
from crawler.harvest.site_job import FAILED, STOPPED, crawl_site, site_argument
from crawler.harvest.storage import site_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from crawler.harvest.engine import Engine
    from crawler.harvest.history import History
    from crawler.harvest.plan import Plan, SitePlan
    from crawler.harvest.schedule import Due

__all__ = ["Harvest", "Listener", "Tally"]

_FIGURES: Final = ("pages", "items", "new", "changed", "gone")
_LOOK_SECONDS: Final = 1.0
_AGAIN: Final = timedelta(minutes=1)
_SET_BACK: Final = timedelta(minutes=1)


class Listener(Protocol):
    """What shows a person how a harvest goes."""

    def started(self, run: Run) -> None:
        """A run has begun."""

    def ended(self, run: Run) -> None:
        """A run has ended, or could not be begun."""

    def said(self, text: str) -> None:
        """There is something to say."""

    def waits(self, planned: datetime | None, site: str) -> None:
        """What is planned next, of all sites that are not running; None where nothing is."""


@dataclass(slots=True)
class Tally:
    """What a harvest has done so far.

    ``runs``
        The last run of each site, by its id; sites that could not be begun have one, too.
    ``number``
        How many runs there were.
    ``totals``
        Their sums: pages, items and so on, by name; ``errors`` are counted together.
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
class _Running:
    run: Run
    release: Callable[[], None]


class Harvest:
    """Begins runs, keeps their history, and sends alerts.

    Args:
        plan: the plan.
        engine: runs the crawls.
        history: keeps the runs.
        lock: locks a site against other harvests, as :meth:`crawler.harvest.storage.Storage.lock`.
        listener: is told of everything.
        now: gives the time, aware.
    """

    def __init__(  # noqa: PLR0913 - each of them is another thing that a harvest needs
        self,
        plan: Plan,
        *,
        engine: Engine,
        history: History,
        lock: Callable[[str], Callable[[], None] | None],
        listener: Listener,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.tally = Tally()
        self._plan = plan
        self._engine = engine
        self._history = history
        self._lock = lock
        self._listener = listener
        self._now = now
        self._alerter = Alerter(history, listener.said)
        self._running: dict[str, _Running] = {}
        # When a site that is watched is to be looked at; one that is not in it, at once.
        self._next: dict[str, datetime | None] = {}
        self._why_not: dict[str, str] = {}

    def run(self, sites: Iterable[SitePlan], *, only_due: bool) -> None:
        """Run sites once: all of them, or those that are due.

        Raises:
            CorpusError: the scheduler of a cluster is gone; so in :meth:`watch`.
        """
        with self._lost_with_engine():
            self._run(sites, only_due=only_due)

    def watch(self) -> None:
        """Run what is due until the engine is stopped; read the plan again when it has changed."""
        with self._lost_with_engine():
            self._watch()

    def _run(self, sites: Iterable[SitePlan], *, only_due: bool) -> None:
        waiting = deque(sites)
        while waiting or self._running:
            while waiting and self._engine.free > 0:
                self._begin(waiting.popleft(), only_due=only_due)
            # Where nothing runs, a cluster may have no workers yet.
            if waiting or self._running:
                self._wait(_LOOK_SECONDS)
            if self._engine.is_stopping:
                self.tally.left += len(waiting)
                waiting.clear()

    def _watch(self) -> None:
        seen, looked = self._stamp(), self._now()
        number = counted(len(self._plan.sites), "site")
        self._listener.said(f"watching {self._plan.path}: {number}; Ctrl-C ends it")
        while not self._engine.is_stopping or self._running:
            now, stamp = self._now(), self._stamp()
            if stamp not in (None, seen):
                seen = stamp
                self._read_plan()
            if now < looked - _SET_BACK:
                # What was planned by a clock that was set back since may be far off by this one.
                self._next.clear()
            looked = now
            idle = [site for site in self._plan.sites if site.id not in self._running]
            for site in idle:
                planned = self._planned(site, now)
                if planned is not None and planned <= now and self._engine.free > 0:
                    # Where it is not begun, it is looked at again in a minute.
                    self._next[site.id] = now + _AGAIN
                    if self._begin(site, only_due=True):
                        del self._next[site.id]
            times = [(time, site.id) for site in idle if (time := self._next.get(site.id))]
            self._listener.waits(*min(times, default=(None, "")))
            self._wait(_LOOK_SECONDS)

    def _planned(self, site: SitePlan, now: datetime) -> datetime | None:
        """Return the next planned time that needs a run; it may have passed."""
        if site.id not in self._next:
            try:
                times = next_times(site, self._history.standing(site, now).handled, 1)
                self._next[site.id] = times[0] if times else None
            except CorpusError as error:
                self._not_begun(site, NOT_BEGUN, one_line(error), only_due=True)
                self._next[site.id] = now + _AGAIN
        return self._next[site.id]

    def _stamp(self) -> tuple[int, int, int] | None:
        try:
            stat = self._plan.path.stat()
        except OSError:
            # Editors may take a file away before they put the new one in place.
            return None
        return stat.st_mtime_ns, stat.st_size, stat.st_ino

    def _read_plan(self) -> None:
        try:
            plan = read_plan(self._plan.path)
        except PlanError as error:
            for line in error.lines:
                self._listener.said(line)
            self._listener.said(f"{self._plan.path} is wrong now: the plan before it holds")
            return
        if plan.output != self._plan.output:
            words = "'output' has changed; stop and begin anew to move the harvest"
            self._listener.said(f"{plan.path}: {words}")
            return
        self._listener.said(f"{plan.path} has changed and was read: {len(plan.sites):,} sites")
        self._plan = plan
        self._next.clear()

    def _begin(self, site: SitePlan, *, only_due: bool) -> bool:
        """Begin a run; False where none is needed, or it cannot be begun."""
        now = self._now()
        release: Callable[[], None] | None = None
        try:
            release = self._lock(site.id)
            if release is None:
                words = "a run of this site is under way elsewhere"
                self._not_begun(site, BUSY, words, only_due=only_due)
                return False
            run = self._note_begin(site, now, only_due=only_due)
        except CorpusError as error:
            self._not_begun(site, NOT_BEGUN, one_line(error), only_due=only_due)
            run = None
        if run is None:
            if release is not None:
                release()
            return False
        assert release is not None  # noqa: S101 - else there was no run
        self._why_not.pop(site.id, None)
        self._running[site.id] = _Running(run, release)
        argument = site_argument(site, self._plan.output, run.stamp)
        self._engine.submit(Call(site.id, crawl_site, argument))
        self._listener.started(run)
        return True

    def _note_begin(self, site: SitePlan, now: datetime, *, only_due: bool) -> Run | None:
        """Keep the beginning of a run, and what was lost or missed before; None if none is due."""
        standing = self._history.standing(site, now)
        if standing.last is not None and standing.last.is_open:
            # Whoever holds the lock knows that no run is under way.
            words = "the harvest that ran it ended before it did"
            self._history.write(replace(standing.last, end=now, reason=LOST, detail=words))
            self._listener.said(f"{site.id}: the run of {show_time(standing.last.start)} was lost")
            self._alert(site.id)
        what = due(site, standing.handled, now)
        if what is None and only_due:
            return None
        if what is not None and what.missed:
            self._note_missed(site, what, now)
        run = Run(site.id, now, planned=None if what is None else what.planned)
        self._history.write(run)
        return run

    def _note_missed(self, site: SitePlan, what: Due, now: datetime) -> None:
        number = counted(what.missed, "planned run")
        if what.missed == MOST_COUNTED:
            number += " or more"
        span = f"{show_time(what.first)} to {show_time(what.last)} UTC"
        detail = f"{number}, from {span}: nobody harvested then, or the run before was under way"
        missed = Run(
            site.id, now, planned=what.last, end=now, reason=MISSED, detail=detail,
            missed=what.missed,
        )  # fmt: skip
        self._history.write(missed)
        self.tally.missed += what.missed
        self._listener.said(f"{site.id}: missed {detail}")
        self._alert(site.id)

    def _not_begun(self, site: SitePlan, reason: str, detail: str, *, only_due: bool) -> None:
        """Tell of a run that was not begun; it is no part of the history, and is due as it was.

        A watch tries again each minute: a reason is told once, until there is another one.
        """
        is_told = only_due and self._why_not.get(site.id) == detail
        self._why_not[site.id] = detail
        if reason == BUSY and only_due:
            # Every look at a plan meets the runs that the looks before it began.
            if not is_told:
                self._listener.said(f"{site.id}: {detail}")
            return
        now = self._now()
        run = Run(site.id, now, end=now, reason=reason, detail=detail)
        if not is_told:
            self.tally.add(run)
            self._listener.ended(run)
        if run.reason != BUSY:
            self._alert(run.site, run)

    def _wait(self, seconds: float) -> None:
        for done in self._engine.wait(seconds):
            self._end(done)

    @contextmanager
    def _lost_with_engine(self) -> Iterator[None]:
        """Keep the runs as lost whose cluster is gone."""
        try:
            yield
        except CorpusError as error:
            for site in tuple(self._running):
                self._end(Done(Call(site, crawl_site), error=LostError(one_line(error))))
            raise

    def _end(self, done: Done) -> None:
        running = self._running.pop(done.name)
        run = replace(running.run, end=self._now(), **_result_of(done))
        if not (run.went_well or run.detail):
            folder = site_folder(run.site)
            run = replace(run, detail=f"its log says more: {folder}/logs/{run.stamp}.log")
        try:
            self._history.write(run)
        except CorpusError as error:
            self._listener.said(f"{run.site}: the history cannot be written: {one_line(error)}")
        running.release()
        self._next.pop(run.site, None)
        self.tally.add(run)
        self._listener.ended(run)
        self._alert(run.site, run)

    def _alert(self, site: str, last: Run | None = None) -> None:
        """Send what is new of a site's troubles; ``last`` may be no part of the history."""
        alerts = self._plan.alerts
        if not alerts.command:
            return
        try:
            # Between the runs of the average there may be some that failed, and missed times.
            runs = self._history.runs(site, 3 * alerts.runs + 10, self._now())
        except CorpusError:
            runs = []
        if last is not None:
            runs = [*(run for run in runs if (run.start, run.missed) != (last.start, 0)), last]
        if runs:
            self._alerter.look(runs, alerts)


def _result_of(done: Done) -> dict[str, Any]:
    """Return what the history keeps of a job."""
    if done.error is None:
        return {name: value for name, value in done.value.items() if name != "seconds"}
    reason = STOPPED if done.is_stopped else LOST if isinstance(done.error, LostError) else FAILED
    return {"reason": reason, "detail": done.failure}
