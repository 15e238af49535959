"""A harvest whose clock, crew and locks are made: no process, no waiting."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from crawler.harvest.alerts import Alerter
from crawler.harvest.harvesting import Harvest, run_all
from crawler.harvest.history import History, Run
from crawler.harvest.jobs import DONE, STOPPED, Outcome
from crawler.harvest.plan import Alerts, Plan, SitePlan
from crawler.harvest.storage import Storage
from crawler.harvest.watch import PlanWatch, Watch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MONDAY = datetime(2026, 11, 2, tzinfo=UTC)
HOUR = timedelta(hours=1)
QUIET = Alerts()


class Clock:
    """A clock that goes on when somebody waits."""

    def __init__(self) -> None:
        self.time = MONDAY

    def now(self) -> datetime:
        return self.time


class Crew:
    """Crawls sites by letting time pass."""

    def __init__(self, clock: Clock, places: int = 2, **hours: float) -> None:
        self.clock = clock
        self.places = places
        self.hours = hours
        self.running: dict[str, datetime] = {}
        self.begun: list[tuple[str, datetime]] = []
        self.outcomes: dict[str, Outcome] = {}
        self.stopped = False

    def free(self) -> int:
        return self.places - len(self.running)

    def start(self, site: SitePlan, run: str) -> None:
        assert site.id not in self.running
        assert run
        self.begun.append((site.id, self.clock.time))
        took = timedelta(hours=self.hours.get(site.id, 0.1))
        self.running[site.id] = self.clock.time + took

    def wait(self, seconds: float) -> list[Outcome]:
        until = self.clock.time + timedelta(seconds=seconds)
        ends = [self.clock.time] if self.stopped else list(self.running.values())
        self.clock.time = max(self.clock.time, min([until, *ends]))
        ended = [
            site for site, end in self.running.items() if self.stopped or end <= self.clock.time
        ]
        for site in ended:
            del self.running[site]
        return [self._outcome(site) for site in ended]

    def stop(self) -> None:
        self.stopped = True

    def _outcome(self, site: str) -> Outcome:
        if self.stopped:
            return Outcome(site, value=figures(reason="stopped"), reason=STOPPED)
        return self.outcomes.get(site) or Outcome(site, value=figures(), reason=DONE)


class Locks:
    """Locks that somebody else may hold."""

    def __init__(self) -> None:
        self.held: set[str] = set()
        self.elsewhere: set[str] = set()

    def take(self, site: str) -> Callable[[], None] | None:
        if site in self.elsewhere:
            return None
        assert site not in self.held
        self.held.add(site)
        return lambda: self.held.remove(site)


class Listener:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.begun: list[Run] = []
        self.over: list[Run] = []
        self.words: list[str] = []
        self.next: list[tuple[datetime | None, str]] = []

    def started(self, run: Run) -> None:
        self.begun.append(run)

    def ended(self, run: Run) -> None:
        self.over.append(run)

    def said(self, text: str) -> None:
        self.words.append(text)

    def waits(self, planned: datetime | None, site: str) -> None:
        if (planned, site) not in self.next[-1:]:
            self.next.append((planned, site))


class World:
    """A harvest on a real folder, whose crawls and whose time are made up."""

    def __init__(self, folder: Path, places: int = 2, **hours: float) -> None:
        self.folder = folder
        self.clock = Clock()
        self.crew = Crew(self.clock, places, **hours)
        self.locks = Locks()
        self.listener = Listener()
        storage = Storage.of(str(folder / "out"))
        self.history = History(storage, self.listener.said)
        self.harvest = Harvest(
            crew=self.crew,
            history=self.history,
            locks=self.locks,
            alerter=Alerter(storage, self.listener.said),
            listener=self.listener,
            now=self.clock.now,
        )

    def due(self, *sites: SitePlan) -> None:
        for site in sites:
            self.harvest.want(site, QUIET, only_due=True)
        run_all(self.harvest, lambda: False)

    def watch(self, plan: Plan) -> Watch:
        return Watch(
            harvest=self.harvest,
            history=self.history,
            plans=PlanWatch(plan, self.listener.said),
            listener=self.listener,
            now=self.clock.now,
            look_seconds=3600,
        )


def figures(**other: object) -> dict[str, Any]:
    return {"reason": "finished", "pages": 5, "items": 4, "new": 3, "changed": 1, "gone": 0,
            "errors": {"404": 1}, **other}  # fmt: skip


def site(name: str, cron: str = "0 5 * * *") -> SitePlan:
    return SitePlan(name, (f"http://{name}.example/",), cron=cron)


def plan_file(folder: Path, *sites: str) -> Path:
    path = folder / "harvest.toml"
    tables = "".join(
        f'[[site]]\nid = "{name}"\naddresses = "{name}.example"\ncron = "{cron}"\n'
        for name, _, cron in (line.partition(" ") for line in sites)
    )
    path.write_text(f'output = "out"\n{tables}', "utf-8")
    return path


def until(world: World, end: datetime) -> Callable[[], bool]:
    return lambda: world.clock.time >= end
