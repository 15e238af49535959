"""Running the sites of a plan: one loop for all of them now, for what is due, and for watching."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from crawler.core.errors import CorpusError, one_line
from crawler.core.wording import counted
from crawler.harvest.alerts import Alerter
from crawler.harvest.engine import Call, Done, Engine, LostError, StoppedError
from crawler.harvest.history import BUSY, LOST, MISSED, NOT_BEGUN, History, Run, show_time
from crawler.harvest.plan import Plan, SitePlan
from crawler.harvest.schedule import MOST_COUNTED, due, next_times
from crawler.harvest.site_job import FAILED, STOPPED, crawl_site
from crawler.harvest.status import Display
from crawler.harvest.storage import site_folder

_LOOK_SECONDS: Final = 1.0
_AGAIN: Final = timedelta(minutes=1)
_SET_BACK: Final = timedelta(minutes=1)


class Harvest:
    """Begins runs, keeps their history, and sends alerts.

    Args:
        plan: the plan.
        engine: runs the crawls.
        history: keeps the runs.
        lock: locks a site against other harvests, as :meth:`crawler.harvest.storage.Storage.lock`.
        display: shows how it goes.
        now: gives the time, aware.
    """

    def __init__(  # noqa: PLR0913 - each of them is another thing that a harvest needs
        self,
        plan: Plan,
        *,
        engine: Engine,
        history: History,
        lock: Callable[[str], Callable[[], None] | None],
        display: Display,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.ended: list[Run] = []
        """All runs that have ended, or could not be begun, in this order."""
        self.missed = 0
        """How many planned times were missed."""
        self.left = 0
        """How many sites were not begun, since the harvest was stopped."""
        self._plan = plan
        self._engine = engine
        self._history = history
        self._lock = lock
        self._display = display
        self._now = now
        self._alerter = Alerter(history, display.said)
        # The runs that are under way, and what releases the locks of their sites.
        self._running: dict[str, tuple[Run, Callable[[], None]]] = {}
        # When a site that is watched is to be looked at; one that is not in it, at once.
        self._next: dict[str, datetime | None] = {}
        self._why_not: dict[str, str] = {}

    @property
    def went_well(self) -> bool:
        """Whether all that was wanted was run, and the last run of each site ended as it should."""
        last = {run.site: run for run in self.ended}
        return not self.left and all(run.went_well for run in last.values())

    def run(self, sites: Iterable[SitePlan], *, only_due: bool) -> None:
        """Run sites once: all of them, or those that are due.

        Raises:
            CorpusError: the scheduler of a cluster is gone; so in :meth:`watch`.
        """
        waiting = deque(sites)
        with self._lost_with_the_engine():
            while waiting or self._running:
                while waiting and self._engine.free > 0:
                    self._begin(waiting.popleft(), only_due=only_due)
                # Where nothing runs, a cluster may have no workers yet.
                if waiting or self._running:
                    self._wait()
                if self._engine.is_stopping:
                    self.left += len(waiting)
                    waiting.clear()

    def watch(self) -> None:
        """Run what is due until the engine is stopped."""
        looked = self._now()
        number = counted(len(self._plan.sites), "site")
        self._display.said(f"watching {self._plan.path}: {number}; Ctrl-C ends it")
        with self._lost_with_the_engine():
            while not self._engine.is_stopping or self._running:
                now = self._now()
                if now < looked - _SET_BACK:
                    # What a clock planned that was set back since may be far off by this one.
                    self._next.clear()
                looked = now
                for site in self._plan.sites:
                    if site.id in self._running:
                        continue
                    planned = self._planned(site, now)
                    if planned is not None and planned <= now and self._engine.free > 0:
                        # Where it is not begun, it is looked at again in a minute.
                        self._next[site.id] = now + _AGAIN
                        if self._begin(site, only_due=True):
                            del self._next[site.id]
                self._wait()

    @contextmanager
    def _lost_with_the_engine(self) -> Iterator[None]:
        """Keep the runs as lost that are under way where an error ends the block."""
        try:
            yield
        except CorpusError as error:
            for site in tuple(self._running):
                self._end(Done(Call(site, crawl_site), error=LostError(one_line(error))))
            raise

    def _planned(self, site: SitePlan, now: datetime) -> datetime | None:
        """Return the next planned time that needs a run; it may have passed."""
        if site.id not in self._next:
            try:
                times = next_times(site, self._history.standing(site, now)[1], 1)
                self._next[site.id] = times[0] if times else None
            except CorpusError as error:
                self._not_begun(site, NOT_BEGUN, one_line(error), only_due=True)
                self._next[site.id] = now + _AGAIN
        return self._next[site.id]

    def _begin(self, site: SitePlan, *, only_due: bool) -> bool:
        """Begin a run; False where none is needed, or it cannot be begun."""
        release, run = None, None
        try:
            release = self._lock(site.id)
            if release is None:
                words = "a run of this site is under way elsewhere"
                self._not_begun(site, BUSY, words, only_due=only_due)
                return False
            run = self._note_begin(site, only_due=only_due)
        except CorpusError as error:
            self._not_begun(site, NOT_BEGUN, one_line(error), only_due=only_due)
        if run is None or release is None:
            if release is not None:
                release()
            return False
        self._why_not.pop(site.id, None)
        self._running[site.id] = run, release
        job = partial(crawl_site, output=self._plan.output, run=run.stamp)
        self._engine.submit(Call(site.id, job, site))
        self._display.started(run)
        return True

    def _note_begin(self, site: SitePlan, *, only_due: bool) -> Run | None:
        """Keep the beginning of a run, and what was lost or missed before; None if none is due."""
        now = self._now()
        last, handled = self._history.standing(site, now)
        if last is not None and last.is_open:
            # Whoever holds the lock knows that no run is under way.
            detail = "the harvest that ran it ended before it did"
            lost = replace(last, end=now, reason=LOST, detail=detail)
            self._note(lost, f"the run of {show_time(last.start)} was lost")
        times = due(site, handled, now)
        if only_due and not times:
            return None
        if missed := times[:-1]:
            span = f"from {show_time(missed[0])} to {show_time(missed[-1])} UTC"
            or_more = " or more" if len(missed) == MOST_COUNTED else ""
            number = counted(len(missed), "planned run") + or_more
            detail = f"{number}, {span}: nobody harvested then, or the run before was under way"
            entry = Run(site.id, now, missed[-1], now, MISSED, detail=detail, missed=len(missed))
            self._note(entry, f"missed {detail}")
            self.missed += len(missed)
        run = Run(site.id, now, planned=times[-1] if times else None)
        self._history.write(run)
        return run

    def _note(self, run: Run, words: str) -> None:
        """Keep, show and alert what came of planned times or of a run of another harvest."""
        self._history.write(run)
        self._display.said(f"{run.site}: {words}")
        self._alert(run.site)

    def _not_begun(self, site: SitePlan, reason: str, detail: str, *, only_due: bool) -> None:
        """Show a run that was not begun; it is no part of the history, and is due as it was.

        A watch tries again each minute: a reason is shown once, until there is another one.
        """
        is_known = only_due and self._why_not.get(site.id) == detail
        self._why_not[site.id] = detail
        if is_known:
            return
        if reason == BUSY and only_due:
            # Every look at a plan meets the runs that the looks before it began.
            self._display.said(f"{site.id}: {detail}")
            return
        now = self._now()
        run = Run(site.id, now, end=now, reason=reason, detail=detail)
        self.ended.append(run)
        self._display.ended(run)
        if reason != BUSY:
            self._alert(site.id, run)

    def _wait(self) -> None:
        for done in self._engine.wait(_LOOK_SECONDS):
            self._end(done)

    def _end(self, done: Done) -> None:
        begun, release = self._running.pop(done.name)
        if done.error is None:
            run = replace(begun, end=self._now(), **done.value)
        else:
            reason = FAILED
            if isinstance(done.error, StoppedError | LostError):
                reason = STOPPED if isinstance(done.error, StoppedError) else LOST
            run = replace(begun, end=self._now(), reason=reason, detail=done.failure)
        if not (run.went_well or run.detail):
            detail = f"its log says more: {site_folder(run.site)}/logs/{run.stamp}.log"
            run = replace(run, detail=detail)
        try:
            self._history.write(run)
        except CorpusError as error:
            self._display.said(f"{run.site}: the history cannot be written: {one_line(error)}")
        release()
        self._next.pop(run.site, None)
        self.ended.append(run)
        self._display.ended(run)
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
