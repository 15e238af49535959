"""Harvests with a clock of their own: what runs when, what is kept of it, and what is missed."""

from __future__ import annotations

import json
import shutil
import threading
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from crawler.harvest.alerts import Alerter
from crawler.harvest.harvesting import Harvest, run_all
from crawler.harvest.history import History, Run, Standing
from crawler.harvest.jobs import DONE, FAILED, STOPPED, TIME, Outcome
from crawler.harvest.plan import Alerts, Plan, SitePlan
from crawler.harvest.planfile import read_plan
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


def test_a_week_of_watching_runs_what_is_due_once_and_says_what_it_missed(tmp_path: Path) -> None:
    # "slow" takes 20 hours, and is due each 8.
    world = World(tmp_path, slow=20)
    plan = read_plan(
        plan_file(tmp_path, "daily 30 5 * * *", "often 15 */6 * * *", "slow 0 */8 * * *",
                  "weekly 0 7 * * WED", "never 0 0 1 1 *")
    )  # fmt: skip
    world.watch(plan).run(until(world, MONDAY + timedelta(days=7)))
    begun = Counter(name for name, _ in world.crew.begun)
    assert begun["daily"] == 7
    assert begun["often"] == 28
    assert begun["weekly"] == 1
    assert begun["never"] == 0
    assert [time for name, time in world.crew.begun if name == "weekly"] == [
        MONDAY + timedelta(days=2, hours=7)
    ]
    times = {name: [run.planned for run in world.history.runs(name) if run.is_run]
             for name in ("daily", "often")}  # fmt: skip
    assert times["daily"] == [MONDAY + timedelta(days=day, hours=5.5) for day in range(7)]
    assert times["often"] == [MONDAY + timedelta(hours=6 * n + 0.25) for n in range(28)]
    # Planned at 8 of Monday, it ends at 4 of Tuesday: 16 was missed, 0 begins then, and so on.
    slow = world.history.runs("slow")
    assert [run.planned for run in slow if run.is_run][:2] == [
        MONDAY + 8 * HOUR, MONDAY + 24 * HOUR,
    ]  # fmt: skip
    runs, missed = (sum(run.is_run for run in slow), sum(run.missed for run in slow))
    last = [run for run in slow if run.is_run][-1]
    assert last.planned is not None
    assert runs + missed == (last.planned - MONDAY) / (8 * HOUR) > 15
    assert any(
        words.startswith("slow: missed 1 planned run, from") for words in world.listener.words
    )
    assert world.harvest.tally.number == len(world.listener.over)
    assert world.harvest.tally.totals["items"] == 4 * len(world.crew.begun)
    assert not any("daily" in words or "often" in words for words in world.listener.words)
    assert not world.locks.held


def test_a_machine_that_slept_catches_up_with_one_run(tmp_path: Path) -> None:
    world = World(tmp_path)
    watch = world.watch(read_plan(plan_file(tmp_path, "daily 0 5 * * *")))
    end = MONDAY + timedelta(days=1, hours=6)
    while world.clock.time < end:
        watch.step()
    world.clock.time = MONDAY + timedelta(days=5, hours=12)
    watch.step()
    watch.step()
    runs = world.history.runs("daily")
    assert [(run.reason, run.missed) for run in runs] == [
        ("finished", 0), ("finished", 0), ("missed", 3), ("finished", 0),
    ]  # fmt: skip
    assert runs[-1].planned == MONDAY + timedelta(days=5, hours=5)
    assert runs[-1].start == MONDAY + timedelta(days=5, hours=12)
    assert "3 planned runs, from 2026-11-04 05:00 to 2026-11-06 05:00 UTC" in runs[2].detail


def test_due_runs_nothing_before_its_time_and_each_time_once(tmp_path: Path) -> None:
    world = World(tmp_path)
    daily = site("blog")
    world.due(daily)
    assert world.crew.begun == []
    world.clock.time = MONDAY + timedelta(days=2, hours=9)
    world.due(daily)
    world.due(daily)
    assert [name for name, _ in world.crew.begun] == ["blog"]
    (missed, run) = world.history.runs("blog")
    assert (missed.missed, run.planned) == (2, MONDAY + timedelta(days=2, hours=5))
    assert world.harvest.tally.missed == 2


def test_a_run_by_hand_is_the_one_that_was_due(tmp_path: Path) -> None:
    world = World(tmp_path)
    daily = site("blog")
    world.due(daily)
    world.clock.time = MONDAY + 6 * HOUR
    world.harvest.want(daily, QUIET, only_due=False)
    run_all(world.harvest, lambda: False)
    world.due(daily)
    (run,) = world.history.runs("blog")
    assert run.planned == MONDAY + 5 * HOUR
    world.harvest.want(daily, QUIET, only_due=False)
    run_all(world.harvest, lambda: False)
    assert world.history.runs("blog")[-1].planned is None


def test_a_site_that_runs_elsewhere_is_left_alone_and_stays_due(tmp_path: Path) -> None:
    world = World(tmp_path)
    daily = site("blog")
    world.due(daily)
    world.clock.time = MONDAY + 6 * HOUR
    world.locks.elsewhere.add("blog")
    world.due(daily)
    assert world.crew.begun == []
    assert world.listener.words == ["blog: a run of this site is under way elsewhere"]
    world.harvest.want(daily, QUIET, only_due=False)
    run_all(world.harvest, lambda: False)
    assert world.harvest.tally.runs["blog"].reason == "busy"
    assert world.history.runs("blog") == []
    world.locks.elsewhere.clear()
    world.due(daily)
    assert [name for name, _ in world.crew.begun] == ["blog"]


def test_no_more_sites_run_at_once_than_there_are_places(tmp_path: Path) -> None:
    world = World(tmp_path, places=2)
    sites = [site(f"s{number}") for number in range(5)]
    for one in sites:
        world.harvest.want(one, QUIET, only_due=False)
        world.harvest.want(one, QUIET, only_due=False)
    world.harvest.go_on(0)
    assert len(world.crew.running) == 2
    run_all(world.harvest, lambda: False)
    assert [name for name, _ in world.crew.begun] == [one.id for one in sites]


def test_what_came_of_a_run_is_kept(tmp_path: Path) -> None:
    world = World(tmp_path)
    for name, outcome in {
        "good": Outcome("good", value=figures()),
        "late": Outcome("late", value=figures(reason="stopped", items=2), reason=TIME, detail="!"),
        "bad": Outcome("bad", reason=FAILED, detail="it\nraised"),
        "none": Outcome("none", value=figures(pages=0, items=0, errors={"timeout": 2})),
        "odd": Outcome("odd", value=[1, 2]),
    }.items():
        world.crew.outcomes[name] = outcome
        world.harvest.want(site(name), QUIET, only_due=False)
    run_all(world.harvest, lambda: False)
    kept = {name: world.history.runs(name)[0] for name in world.harvest.tally.runs}
    assert {name: (run.reason, run.items, run.went_well) for name, run in kept.items()} == {
        "good": ("finished", 4, True), "late": ("time", 2, False), "bad": ("failed", 0, False),
        "none": ("no-page", 0, False), "odd": ("done", 0, False),
    }  # fmt: skip
    assert kept["bad"].detail == "it raised"
    assert kept["none"].detail == "no page could be fetched (timeout 2)"
    assert kept["good"].errors == {"404": 1}
    assert kept["good"].seconds == 360


def test_a_schedule_that_was_changed_is_not_caught_up_on(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.due(site("blog", "0 5 1 * *"))
    world.clock.time = MONDAY + 20 * HOUR
    world.due(site("blog", "0 * * * *"))
    assert world.crew.begun == []
    world.clock.time += HOUR
    world.due(site("blog", "0 * * * *"))
    assert [run.planned for run in world.history.runs("blog")] == [MONDAY + 21 * HOUR]
    # A site that had no schedule for days has missed nothing.
    world.due(site("blog", ""))
    world.clock.time += timedelta(days=3)
    world.due(site("blog", "0 * * * *"))
    assert world.harvest.tally.missed == 0


def test_a_crew_without_places_is_waited_for_and_told_of_once(tmp_path: Path) -> None:
    world = World(tmp_path, places=0)
    world.harvest.want(site("blog"), QUIET, only_due=False)
    world.harvest.go_on(1)
    world.harvest.go_on(1)
    assert len(world.listener.words) == 1
    world.crew.places = 1
    run_all(world.harvest, lambda: False)
    assert world.harvest.tally.went_well


def test_a_run_whose_harvest_died_is_told_as_lost(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.due(site("blog"))
    world.history.write(Run("blog", MONDAY, planned=MONDAY))
    world.clock.time = MONDAY + 6 * HOUR
    world.due(site("blog"))
    first, second = world.history.runs("blog")
    assert (first.reason, first.end) == ("lost", world.clock.time - 0.1 * HOUR)
    assert second.reason == "finished"
    assert "blog: the run of 2026-11-02 00:00 was lost" in world.listener.words


def test_stopping_begins_no_more_and_keeps_what_ran(tmp_path: Path) -> None:
    world = World(tmp_path, places=1)
    for name in ("one", "two"):
        world.harvest.want(site(name), QUIET, only_due=False)
    run_all(world.harvest, lambda: bool(world.crew.begun))
    assert [name for name, _ in world.crew.begun] == ["one"]
    assert world.history.runs("one")[0].reason == "stopped"
    assert world.history.runs("two") == []
    assert world.harvest.tally.left == 1
    assert not world.harvest.tally.went_well
    assert world.harvest.is_idle


def test_a_history_that_cannot_be_kept_ends_no_other_site(tmp_path: Path) -> None:
    world = World(tmp_path)
    folder = tmp_path / "out" / "history"
    folder.mkdir(parents=True)
    (folder / "bad").write_text("a file where a folder belongs")
    for name in ("bad", "good"):
        world.harvest.want(site(name), QUIET, only_due=False)
    run_all(world.harvest, lambda: False)
    assert world.harvest.tally.runs["bad"].reason == "not-begun"
    assert world.harvest.tally.runs["good"].reason == "finished"
    assert not world.locks.held


def test_what_is_no_part_of_the_history_is_told_all_the_same(tmp_path: Path) -> None:
    world = World(tmp_path)
    (tmp_path / "out").mkdir()
    alerts = Alerts(
        command=("sh", "-c", f"cat >> '{tmp_path}/alerts'; echo >> '{tmp_path}/alerts'")
    )
    world.crew.outcomes["late"] = Outcome("late", value=figures(reason="ledger_failed"))
    for name in ("late", "never"):
        world.harvest.want(site(name), alerts, only_due=False)
        if name == "late":
            world.harvest.go_on(0)
            # From now on nothing can be written.
            shutil.rmtree(tmp_path / "out" / "history")
            (tmp_path / "out" / "history").write_text("a file where a folder belongs")
    run_all(world.harvest, lambda: False)
    told = [json.loads(line) for line in (tmp_path / "alerts").read_text().splitlines()]
    assert [(one["site"], one["kind"], one["run"]["reason"]) for one in told] == [
        ("never", "failed", "not-begun"),
        ("late", "failed", "ledger_failed"),
    ]
    assert told[1]["run"]["detail"].startswith("its log says more: sites/late/logs/2026")


def test_entries_that_cannot_be_read_are_told_once_and_passed_over(tmp_path: Path) -> None:
    world = World(tmp_path)
    run = Run("blog", MONDAY, end=MONDAY, reason="finished", items=3)
    world.history.write(run)
    folder = tmp_path / "out" / "history" / "blog"
    for number, text in enumerate(("", "[1]", '{"site": "blog", "start": "now"}', '{"x": 1}')):
        (folder / f"2026110{number}.json").write_text(text)
    assert world.history.runs("blog") == [run]
    assert world.history.runs("blog") == [run]
    assert len(world.listener.words) == 4
    assert all("cannot be read and is passed over" in words for words in world.listener.words)


def test_a_history_whose_last_entry_cannot_be_read_goes_by_the_one_before(tmp_path: Path) -> None:
    world = World(tmp_path)
    daily = site("blog")
    world.due(daily)
    run = Run("blog", MONDAY, MONDAY + 5 * HOUR, MONDAY, "finished", items=3)
    world.history.write(run)
    folder = tmp_path / "out" / "history" / "blog"
    for name in ("99990101-000000-000000.json", "since.json"):
        (folder / name).write_text('{"since": "9999-99-99", "start": Infinity, "items": Infinity}')
    world.clock.time = MONDAY + timedelta(days=1, hours=6)
    standing = world.history.standing(daily, world.clock.time)
    # Since when it is planned is not known any more, so it is from now on.
    assert (standing.last, standing.handled) == (run, world.clock.time)
    assert len(world.listener.words) == 2
    assert not world.harvest.may_be_due(daily)
    world.clock.time += timedelta(days=1)
    assert world.harvest.may_be_due(daily)


def test_a_clock_that_was_set_back_keeps_no_site_from_being_run(tmp_path: Path) -> None:
    world = World(tmp_path)
    daily = site("blog")
    world.clock.time = MONDAY + timedelta(days=3650)
    world.due(daily)
    world.clock.time += timedelta(days=1)
    world.due(daily)
    wrong = [run.name for run in world.history.runs("blog")]
    assert len(wrong) == 1

    world.clock.time = MONDAY
    world.due(daily)
    world.clock.time += timedelta(days=1)
    world.due(daily)
    world.due(daily)
    runs = world.history.runs("blog", now=world.clock.time)
    assert [run.planned for run in runs] == [MONDAY + 5 * HOUR]
    words = "is of the future, as if the clock had been set back, and is passed over; delete it"
    assert world.listener.words == [f"{wrong[0]} {words}"]


def test_clocks_of_machines_may_be_a_little_apart(tmp_path: Path) -> None:
    world = World(tmp_path)
    daily = site("blog")
    world.due(daily)
    planned = MONDAY + 5 * HOUR
    world.history.write(Run("blog", planned + timedelta(seconds=50), planned, reason="finished"))
    world.clock.time = planned + timedelta(seconds=20)
    assert not world.harvest.may_be_due(daily)
    assert world.listener.words == []


def test_a_watch_reads_the_histories_of_its_sites_side_by_side(tmp_path: Path) -> None:
    plan = read_plan(plan_file(tmp_path, "one 0 5 * * *", "two 0 5 * * *", "three 0 5 * * *"))
    world = World(tmp_path)
    together = threading.Barrier(3)

    class Slow(History):
        def standing(self, site: SitePlan, now: datetime) -> Standing:
            together.wait(10)
            return super().standing(site, now)

    world.history = Slow(Storage.of(str(tmp_path / "out")), world.listener.said)
    world.watch(plan).step()
    assert world.crew.begun == []
    assert world.listener.words == []


def test_a_watch_looks_again_when_the_clock_is_set_back(tmp_path: Path) -> None:
    plan = read_plan(plan_file(tmp_path, "blog 0 5 * * *"))
    world = World(tmp_path)
    world.clock.time = MONDAY + timedelta(days=3650)
    watch = world.watch(plan)
    watch.step()
    world.clock.time = MONDAY
    watch.run(until(world, MONDAY + timedelta(days=1)))
    assert [run.planned for run in world.history.runs("blog")] == [MONDAY + 5 * HOUR]


def test_entries_are_read_as_they_were_written(tmp_path: Path) -> None:
    world = World(tmp_path)
    run = Run("blog", MONDAY, MONDAY, MONDAY + HOUR, "finished", 9, 8, 7, 6, 5, {"dns": 2}, "…", 0)
    missed = Run("blog", MONDAY + HOUR, MONDAY, MONDAY, "missed", missed=3)
    world.history.write(run)
    world.history.write(missed)
    assert world.history.runs("blog") == [run, missed]
    assert world.history.runs("blog", 1) == [missed]
    written = json.loads((tmp_path / "out" / run.name).read_text("utf-8"))
    assert (written["seconds"], written["start"]) == (3600, "2026-11-02T00:00:00+00:00")


def test_a_plan_that_changes_is_read_again_and_a_wrong_one_is_not(tmp_path: Path) -> None:
    world = World(tmp_path)
    path = plan_file(tmp_path, "one 0 5 * * *")
    plans = PlanWatch(read_plan(path), world.listener.said)
    assert not plans.has_changed()
    plan_file(tmp_path, "one 0 5 * * *", "two 0 6 * * *")
    assert plans.has_changed()
    assert [one.id for one in plans.plan.sites] == ["one", "two"]
    path.write_text("output = ", "utf-8")
    assert not plans.has_changed()
    assert not plans.has_changed()
    assert [one.id for one in plans.plan.sites] == ["one", "two"]
    assert "is no TOML" in world.listener.words[1]
    assert world.listener.words[2].endswith("is wrong: the plan before it holds")
    path.write_text(plan_file(tmp_path, "one 0 5 * * *").read_text().replace('"out"', '"in"'))
    assert not plans.has_changed()
    assert "'output' has changed" in world.listener.words[-1]
    path.unlink()
    assert not plans.has_changed()


def test_a_watch_takes_sites_from_a_changed_plan(tmp_path: Path) -> None:
    world = World(tmp_path)
    watch = world.watch(read_plan(plan_file(tmp_path, "one 0 5 * * *")))
    watch.step()
    plan_file(tmp_path, "two 0 3 * * *", "other 0 4 * * *")
    end = MONDAY + 6 * HOUR
    while world.clock.time < end:
        watch.step()
    assert [name for name, _ in world.crew.begun] == ["two", "other"]
    assert world.listener.next[:2] == [(MONDAY + 5 * HOUR, "one"), (MONDAY + 3 * HOUR, "two")]


def test_a_watch_asks_again_for_a_site_that_runs_elsewhere(tmp_path: Path) -> None:
    world = World(tmp_path)
    watch = world.watch(read_plan(plan_file(tmp_path, "one 0 5 * * *")))
    world.locks.elsewhere.add("one")
    while world.clock.time < MONDAY + 5.5 * HOUR:
        watch.step()
    assert world.crew.begun == []
    assert 2 <= len(world.listener.words) <= 31
    world.locks.elsewhere.clear()
    while world.clock.time < MONDAY + 6 * HOUR:
        watch.step()
    assert [name for name, _ in world.crew.begun] == ["one"]
