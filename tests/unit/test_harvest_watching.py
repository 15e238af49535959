"""Watching a plan with a clock of its own: what runs when, and what is missed."""

from __future__ import annotations

import shutil
import threading
from collections import Counter
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from crawler.harvest.history import History, Standing
from crawler.harvest.planfile import read_plan
from crawler.harvest.storage import Storage
from crawler.harvest.watch import PlanWatch
from support.harvests import (
    HOUR,
    MONDAY,
    World,
    plan_file,
    until,
)

if TYPE_CHECKING:
    from pathlib import Path

    from crawler.harvest.plan import SitePlan


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


def test_a_plan_that_is_gone_for_long_is_told_once(tmp_path: Path) -> None:
    path = plan_file(tmp_path, "one 0 5 * * *")
    words: list[str] = []
    plans = PlanWatch(read_plan(path), words.append)
    text = path.read_text()
    for looks, told in ((5, []), (30, ["cannot be read any more (No such file or directory)"])):
        path.unlink()
        assert not any(plans.has_changed() for _ in range(looks))
        assert [one for one in told if one not in words[-1]] == []
        assert len(words) == len(told)
        path.write_text(text)
        assert plans.has_changed()
        assert words.pop() == f"{path} has changed and was read: 1 site"


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
    assert world.listener.words == ["one: a run of this site is under way elsewhere"]
    world.locks.elsewhere.clear()
    while world.clock.time < MONDAY + 6 * HOUR:
        watch.step()
    assert [name for name, _ in world.crew.begun] == ["one"]


def test_a_watch_does_not_say_that_nothing_is_planned_when_its_sites_wait(tmp_path: Path) -> None:
    world = World(tmp_path)
    watch = world.watch(read_plan(plan_file(tmp_path, "one 0 * * * *", "two 0 * * * *")))
    while world.clock.time < MONDAY + 1.5 * HOUR:
        watch.step()
    assert len(world.crew.begun) == 2
    assert world.listener.next
    assert all(time is not None for time, _ in world.listener.next)


def test_a_watch_tells_once_of_a_history_that_cannot_be_read(tmp_path: Path) -> None:
    world = World(tmp_path)
    watch = world.watch(read_plan(plan_file(tmp_path, "one 0 * * * *", "two 0 * * * *")))
    folder = tmp_path / "out" / "history" / "one"
    folder.parent.mkdir(parents=True)
    folder.write_text("a file where a folder belongs")
    while world.clock.time < MONDAY + 0.9 * HOUR:
        watch.step()
    (words,) = world.listener.words
    assert words.startswith("one: the history cannot be read, and is tried again each minute: hist")
    (tried,) = world.listener.over
    assert (tried.site, tried.reason) == ("one", "not-begun")
    folder.unlink()
    while world.clock.time < MONDAY + 2.5 * HOUR:
        watch.step()
    assert world.listener.words[1:] == ["one: the history can be read again"]
    assert Counter(name for name, _ in world.crew.begun) == {"one": 2, "two": 2}
    # What comes again after it went well is told again.
    shutil.rmtree(folder)
    folder.write_text("a file where a folder belongs")
    while world.clock.time < MONDAY + 3.5 * HOUR:
        watch.step()
    assert [run.reason for run in world.listener.over if run.site == "one"].count("not-begun") == 2
