"""A harvest whose clock, engine and locks are made: no process, no waiting."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from crawler.harvest.engine import Call, Done, StoppedError
from crawler.harvest.history import History, Run
from crawler.harvest.plan import Alerts, Plan, SitePlan
from crawler.harvest.runner import Harvest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MONDAY = datetime(2026, 11, 2, tzinfo=UTC)
HOUR = timedelta(hours=1)


class FakeEngine:
    """Crawls sites by letting time pass: an hour with each look."""

    def __init__(self, places: int = 2, **hours: float) -> None:
        self.time = MONDAY
        self.until = MONDAY + timedelta(days=36500)
        self.places = places
        self.hours = hours
        self.running: dict[str, tuple[Call, datetime]] = {}
        self.begun: list[tuple[str, datetime]] = []
        self.results: dict[str, dict[str, Any] | BaseException] = {}
        self.is_stopping = False

    def now(self) -> datetime:
        return self.time

    @property
    def free(self) -> int:
        return 0 if self.is_stopping else self.places - len(self.running)

    def submit(self, call: Call) -> None:
        assert call.name not in self.running
        self.begun.append((call.name, self.time))
        self.running[call.name] = call, self.time + timedelta(hours=self.hours.get(call.name, 0.1))

    def wait(self, seconds: float) -> list[Done]:
        assert seconds > 0
        ends = [self.time] if self.is_stopping else [end for _, end in self.running.values()]
        self.time = max(self.time, min([self.time + HOUR, *ends]))
        ended = [n for n, (_, end) in self.running.items() if self.is_stopping or end <= self.time]
        done = [self._done(self.running.pop(name)[0]) for name in ended]
        self.is_stopping = self.is_stopping or self.time >= self.until
        return done

    def _done(self, call: Call) -> Done:
        result = self.results.get(call.name, figures())
        if self.is_stopping:
            result = StoppedError("it was told to stop")
        if isinstance(result, BaseException):
            return Done(call, error=result)
        return Done(call, result)


class Listener:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.begun: list[Run] = []
        self.over: list[Run] = []
        self.words: list[str] = []

    def started(self, run: Run) -> None:
        self.begun.append(run)

    def ended(self, run: Run) -> None:
        self.over.append(run)

    def said(self, text: str) -> None:
        self.words.append(text)


class World:
    """A harvest in a real folder, whose crawls and whose time are made up."""

    def __init__(self, folder: Path, places: int = 2, **hours: float) -> None:
        self.folder = folder
        self.engine = FakeEngine(places, **hours)
        self.listener = Listener()
        self.history = History(folder / "out" / "history.sqlite")
        self.held: set[str] = set()
        self.elsewhere: set[str] = set()

    def lock(self, site: str) -> Callable[[], None] | None:
        if site in self.elsewhere:
            return None
        assert site not in self.held
        self.held.add(site)
        return lambda: self.held.remove(site)

    def harvest(self, *sites: SitePlan, alerts: Alerts | None = None) -> Harvest:
        plan = Plan(self.folder / "harvest.toml", "out", sites, alerts or Alerts())
        return self.harvest_of(plan)

    def harvest_of(self, plan: Plan) -> Harvest:
        return Harvest(
            plan,
            engine=self.engine,  # type: ignore[arg-type]
            history=self.history,
            lock=self.lock,
            display=self.listener,  # type: ignore[arg-type]
            now=self.engine.now,
        )

    def run(self, *sites: SitePlan, due: bool = True, alerts: Alerts | None = None) -> Harvest:
        harvest = self.harvest(*sites, alerts=alerts)
        harvest.run(sites, only_due=due)
        return harvest

    def watch(self, plan: Plan, until: datetime) -> Harvest:
        """Watch until a time; the plan's file need not be there."""
        harvest = self.harvest_of(plan)
        self.engine.until, self.engine.is_stopping = until, False
        harvest.watch()
        return harvest


def figures(**other: object) -> dict[str, Any]:
    return {"reason": "finished", "detail": "", "pages": 5, "items": 4, "new": 3,
            "changed": 1, "gone": 0, "errors": {"404": 1}, "skipped": {}, **other}  # fmt: skip


def site(name: str, cron: str = "0 5 * * *") -> SitePlan:
    return SitePlan(name, (f"http://{name}.example/",), cron=cron)


def quick_plan(sites: str, defaults: str = "") -> str:
    """Return the text of a plan whose crawls of loopback sites do not wait.

    Args:
        sites: the tables of its sites.
        defaults: what holds of all of them.
    """
    return f"""output = "out"
[defaults]
{defaults}
[defaults.settings]
DOWNLOAD_DELAY = 0
AUTOTHROTTLE_ENABLED = false
ROBOTSTXT_OBEY = false
CORPUS_PAGE_TYPES = "all"
{sites}
"""


def plan_file(folder: Path, *sites: str) -> Path:
    path = folder / "harvest.toml"
    tables = "".join(
        f'[[site]]\nid = "{name}"\naddresses = "{name}.example"\ncron = "{cron}"\n'
        for name, _, cron in (line.partition(" ") for line in sites)
    )
    path.write_text(f'output = "out"\n{tables}', "utf-8")
    return path
