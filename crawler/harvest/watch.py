"""A harvest in the foreground: begins what is due when it is due, until it is told to stop."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from crawler.core.errors import CorpusError, one_line
from crawler.core.wording import counted
from crawler.harvest.plan import PlanError
from crawler.harvest.planfile import read_plan
from crawler.harvest.readers import read_all
from crawler.harvest.schedule import planned_times

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from crawler.harvest.harvesting import Harvest, Listener
    from crawler.harvest.history import History
    from crawler.harvest.plan import Plan, SitePlan

__all__ = ["PlanWatch", "Watch"]

_LOOK_SECONDS: Final = 1.0
_AGAIN: Final = timedelta(minutes=1)
# Some ten seconds.
_PATIENT_LOOKS: Final = 10
_SET_BACK: Final = timedelta(minutes=1)


class PlanWatch:
    """A plan that is read again when its file has changed.

    Args:
        plan: as it was read.
        tell: called with words when the file has changed.
    """

    def __init__(self, plan: Plan, tell: Callable[[str], None]) -> None:
        self.plan = plan
        self._tell = tell
        self._looks_without = 0
        self._seen: tuple[int, int, int] | None = None
        self._seen = self._stamp()

    def has_changed(self) -> bool:
        """Read a changed file; False where it is the same, or wrong and the old one holds."""
        stamp = self._stamp()
        if stamp == self._seen:
            return False
        self._seen = stamp
        try:
            plan = read_plan(self.plan.path)
        except PlanError as error:
            for line in error.lines:
                self._tell(line)
            self._tell(f"{self.plan.path} has changed and is wrong: the plan before it holds")
            return False
        if plan.output != self.plan.output:
            self._tell(
                f"{plan.path}: 'output' has changed; stop and begin anew to move the harvest"
            )
            return False
        self._tell(f"{plan.path} has changed and was read: {counted(len(plan.sites), 'site')}")
        self.plan = plan
        return True

    def _stamp(self) -> tuple[int, int, int] | None:
        try:
            stat = self.plan.path.stat()
        except OSError as error:
            # Editors may take a file away before they put the new one in place.
            self._looks_without += 1
            if self._looks_without == _PATIENT_LOOKS:
                words = f"cannot be read any more ({error.strerror}): what it said holds"
                self._tell(f"{self.plan.path} {words}")
            return self._seen
        self._looks_without = 0
        return stat.st_mtime_ns, stat.st_size, stat.st_ino


class Watch:
    """Looks at the clock.

    Args:
        harvest: runs the sites.
        history: tells what was run before.
        plans: the plan, which may change.
        listener: is told of trouble.
        now: tells the time, aware.
        look_seconds: how long it waits at most until it looks again.
    """

    def __init__(  # noqa: PLR0913 - each of them is another thing that it looks at
        self,
        *,
        harvest: Harvest,
        history: History,
        plans: PlanWatch,
        listener: Listener,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        look_seconds: float = _LOOK_SECONDS,
    ) -> None:
        self._harvest = harvest
        self._history = history
        self._plans = plans
        self._listener = listener
        self._now = now
        self._look_seconds = look_seconds
        self._next: dict[str, datetime | None] = {}
        self._unreadable: dict[str, str] = {}
        self._looked = now()

    def run(self, should_stop: Callable[[], bool]) -> None:
        """Run what is due until ``should_stop`` says yes, and what runs then has ended."""
        while not should_stop():
            self.step()
        self._harvest.stop()
        while not self._harvest.is_idle:
            self._harvest.go_on(self._look_seconds)
        self._harvest.keep()

    def step(self) -> None:
        """Look once: begin what is due, and wait until something is due or has ended."""
        now = self._now()
        # What was planned by a clock that was set back since may be far off by this one.
        if self._plans.has_changed() or now < self._looked - _SET_BACK:
            self._next.clear()
        self._looked = now
        wait = self._look_seconds
        idle = [site for site in self._plans.plan.sites if not self._harvest.is_busy(site.id)]
        self._read_all(idle, now)
        for site in idle:
            planned = self._planned(site, now)
            if planned is None:
                continue
            if planned <= now:
                self._harvest.want(site, self._plans.plan.alerts, only_due=True)
            else:
                wait = min(wait, (planned - now).total_seconds())
        planned, of = self._next_run()
        if planned is not None or self._harvest.is_idle:
            self._listener.waits(planned, of)
        step = self._harvest.go_on(wait)
        for site_id in (*step.ended, *step.declined):
            self._next.pop(site_id, None)
        for site in self._plans.plan.sites:
            if site.id in step.declined:
                planned = self._planned(site, now)
                if planned is not None and planned <= now:
                    # Another harvest has it, or there is trouble: no need to ask at once.
                    self._next[site.id] = now + _AGAIN

    def _next_run(self) -> tuple[datetime | None, str]:
        """Return what is planned next of the sites that do not run, and of which."""
        sites = (site.id for site in self._plans.plan.sites)
        times = ((self._next.get(site), site) for site in sites if not self._harvest.is_busy(site))
        return min(((time, site) for time, site in times if time), default=(None, ""))

    def _planned(self, site: SitePlan, now: datetime) -> datetime | None:
        """Return the next planned time that needs a run; it may have passed."""
        if site.id not in self._next:
            self._next[site.id] = self._read(site, now)
        return self._next[site.id]

    def _read_all(self, sites: Iterable[SitePlan], now: datetime) -> None:
        """Read the histories of sites whose next time is not known, as of all at the beginning."""
        unknown = [site for site in sites if site.id not in self._next]
        times = read_all(lambda site: self._read(site, now), unknown)
        self._next.update(zip((site.id for site in unknown), times, strict=True))

    def _read(self, site: SitePlan, now: datetime) -> datetime | None:
        try:
            last = self._history.standing(site, now).handled
        except (CorpusError, OSError) as error:
            words = one_line(error)
            if self._unreadable.get(site.id) != words:
                self._unreadable[site.id] = words
                tried = "the history cannot be read, and is tried again each minute"
                self._listener.said(f"{site.id}: {tried}: {words}")
            return now + _AGAIN
        if self._unreadable.pop(site.id, None):
            self._listener.said(f"{site.id}: the history can be read again")
        return next(planned_times(site, last), None)
