"""Harvests with a clock of their own: what runs when, and what is kept of it."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import StoreError
from crawler.harvest.engine import LostError
from crawler.harvest.history import Run
from crawler.harvest.plan import Alerts, read_plan
from support.harvests import HOUR, MONDAY, World, figures, plan_file, site

if TYPE_CHECKING:
    from pathlib import Path

    from crawler.harvest.engine import Done

DAY = timedelta(days=1)


def test_due_runs_nothing_before_its_time_and_each_time_once(tmp_path: Path) -> None:
    world = World(tmp_path)
    daily = site("blog")
    world.run(daily)
    assert world.engine.begun == []
    world.engine.time = MONDAY + 2 * DAY + 9 * HOUR
    first = world.run(daily)
    world.run(daily)
    assert [name for name, _ in world.engine.begun] == ["blog"]
    missed, run = world.history.runs("blog")
    assert (missed.missed, run.planned) == (2, MONDAY + 2 * DAY + 5 * HOUR)
    assert first.missed == 2


def test_missed_times_are_counted_up_to_a_thousand(tmp_path: Path) -> None:
    world = World(tmp_path)
    minutes = site("blog", cron="* * * * *")
    world.run(minutes)
    world.engine.time = MONDAY + 365 * DAY
    assert world.run(minutes).missed == 1000
    missed, run = world.history.runs("blog")
    assert run.planned == MONDAY + 365 * DAY
    assert missed.planned == run.planned - timedelta(minutes=1)
    assert missed.detail.startswith("1,000 planned runs or more, from ")


def test_a_run_by_hand_is_the_one_that_was_due(tmp_path: Path) -> None:
    world = World(tmp_path)
    daily = site("blog")
    world.run(daily)
    world.engine.time = MONDAY + 6 * HOUR
    world.run(daily, due=False)
    world.run(daily)
    (run,) = world.history.runs("blog")
    assert run.planned == MONDAY + 5 * HOUR
    world.run(daily, due=False)
    assert world.history.runs("blog")[-1].planned is None


def test_a_site_that_runs_elsewhere_is_left_alone_and_stays_due(tmp_path: Path) -> None:
    world = World(tmp_path)
    daily = site("blog")
    world.run(daily)
    world.engine.time = MONDAY + 6 * HOUR
    world.elsewhere.add("blog")
    assert world.run(daily).went_well
    assert world.run(daily, due=False).ended[-1].reason == "busy"
    assert world.history.runs("blog") == []
    assert world.engine.begun == []
    world.elsewhere.clear()
    world.run(daily)
    assert [name for name, _ in world.engine.begun] == ["blog"]


def test_no_more_sites_run_at_once_than_there_are_places(tmp_path: Path) -> None:
    world = World(tmp_path, places=2)
    sites = [site(f"s{number}") for number in range(5)]
    world.run(*sites, due=False)
    assert [name for name, _ in world.engine.begun] == [one.id for one in sites]
    times = Counter(time for _, time in world.engine.begun)
    assert list(times.values()) == [2, 2, 1]


def test_the_end_of_each_run_is_kept(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.engine.results = {
        "good": figures(skipped={"not-article": 2}),
        "late": figures(reason="time", items=2, detail="!"),
        "bad": StoreError("it\nraised"),
        "odd": LostError("too many workers died"),
        "quiet": figures(reason="ledger_failed"),
    }
    world.run(*(site(name) for name in world.engine.results), due=False)
    kept = {name: world.history.runs(name)[0] for name in world.engine.results}
    assert {name: (run.reason, run.items, run.went_well) for name, run in kept.items()} == {
        "good": ("finished", 4, True), "late": ("time", 2, False), "bad": ("failed", 0, False),
        "odd": ("lost", 0, False), "quiet": ("ledger_failed", 4, False),
    }  # fmt: skip
    assert kept["bad"].detail == "it raised"
    assert kept["quiet"].detail.startswith("its log says more: sites/quiet/logs/2026")
    assert (kept["good"].errors, kept["good"].skipped) == ({"404": 1}, {"not-article": 2})
    assert kept["good"].seconds == 360


def test_a_schedule_that_was_changed_is_not_caught_up_on(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.run(site("blog", "0 5 1 * *"))
    world.engine.time = MONDAY + 20 * HOUR
    world.run(site("blog", "0 * * * *"))
    assert world.engine.begun == []
    world.engine.time += HOUR
    world.run(site("blog", "0 * * * *"))
    assert [run.planned for run in world.history.runs("blog")] == [MONDAY + 21 * HOUR]
    # A site that had no schedule for days has missed nothing.
    world.run(site("blog", ""))
    world.engine.time += 3 * DAY
    assert world.run(site("blog", "0 * * * *")).missed == 0


def test_sites_wait_for_an_engine_without_places(tmp_path: Path) -> None:
    world = World(tmp_path, places=0)
    harvest = world.harvest(site("blog"))
    look = world.engine.wait

    def worker_comes(seconds: float) -> list[Done]:
        world.engine.places = 1
        return look(seconds)

    world.engine.wait = worker_comes  # type: ignore[method-assign]
    harvest.run([site("blog")], only_due=False)
    assert harvest.went_well
    assert len(world.engine.begun) == 1


def test_a_run_whose_harvest_died_is_lost(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.run(site("blog"))
    world.history.write(Run("blog", MONDAY, planned=MONDAY))
    world.engine.time = MONDAY + 6 * HOUR
    world.run(site("blog"))
    first, second = world.history.runs("blog")
    assert (first.reason, first.end) == ("lost", MONDAY + 6 * HOUR)
    assert second.reason == "finished"


def test_runs_are_lost_with_their_cluster(tmp_path: Path) -> None:
    world = World(tmp_path)

    def gone(seconds: float) -> list[Done]:  # noqa: ARG001 - as an engine has it
        raise StoreError("the scheduler is gone")

    world.engine.wait = gone  # type: ignore[method-assign]
    with pytest.raises(StoreError, match="the scheduler is gone"):
        world.run(site("blog"), due=False)
    assert world.history.runs("blog")[0].reason == "lost"
    assert not world.held


def test_stopping_begins_no_more_and_keeps_what_ran(tmp_path: Path) -> None:
    world = World(tmp_path, places=1)
    world.engine.until = MONDAY
    harvest = world.run(site("one"), site("two"), site("three"), due=False)
    assert [name for name, _ in world.engine.begun] == ["one"]
    assert harvest.left == 2
    assert not harvest.went_well


def test_a_history_that_cannot_be_kept_begins_nothing(tmp_path: Path) -> None:
    world = World(tmp_path)
    (tmp_path / "out").write_text("a file where a folder belongs")
    harvest = world.run(site("one"), site("two"), due=False)
    assert {run.reason for run in harvest.ended} == {"not-begun"}
    assert world.engine.begun == []
    assert not world.held


def test_trouble_that_is_no_part_of_the_history_is_alerted_once(tmp_path: Path) -> None:
    world = World(tmp_path)
    sent = tmp_path / "sent"
    (tmp_path / "out").write_text("a file where a folder belongs")
    alerts = Alerts(command=("sh", "-c", f"cat >> '{sent}'; echo >> '{sent}'"))
    world.run(site("one"), site("two"), due=False, alerts=alerts)
    found = [json.loads(line) for line in sent.read_text().splitlines()]
    assert [(one["site"], one["kind"], one["run"]["reason"]) for one in found] == [
        ("one", "failed", "not-begun"), ("two", "failed", "not-begun"),
    ]  # fmt: skip


def test_a_clock_that_was_set_back_keeps_no_site_from_being_run(tmp_path: Path) -> None:
    world = World(tmp_path)
    daily = site("blog")
    world.engine.time = MONDAY + timedelta(days=3650)
    world.run(daily)
    world.engine.time += DAY
    world.run(daily)
    world.engine.time = MONDAY
    world.run(daily)
    world.engine.time += DAY
    world.run(daily)
    world.run(daily)
    runs = world.history.runs("blog", now=world.engine.time)
    assert [run.planned for run in runs] == [MONDAY + 5 * HOUR]


def test_a_week_of_watching_runs_what_is_due_once_and_keeps_what_it_missed(tmp_path: Path) -> None:
    # "slow" takes 20 hours, and is due each 8.
    world = World(tmp_path, slow=20)
    plan = read_plan(
        plan_file(tmp_path, "daily 30 5 * * *", "often 15 */6 * * *", "slow 0 */8 * * *",
                  "weekly 0 7 * * WED", "never 0 0 1 1 *")
    )  # fmt: skip
    harvest = world.watch(plan, MONDAY + 7 * DAY)
    begun = Counter(name for name, _ in world.engine.begun)
    assert begun == {"daily": 7, "often": 28, "weekly": 1, "slow": begun["slow"]}
    times = {name: [run.planned for run in world.history.runs(name)] for name in ("daily", "often")}
    assert times["daily"] == [MONDAY + timedelta(days=day, hours=5.5) for day in range(7)]
    assert times["often"] == [MONDAY + timedelta(hours=6 * n + 0.25) for n in range(28)]
    slow = world.history.runs("slow")
    runs = [run for run in slow if run.is_run]
    assert [run.planned for run in runs][:2] == [MONDAY + 8 * HOUR, MONDAY + 24 * HOUR]
    assert runs[-1].planned is not None
    assert len(runs) + sum(run.missed for run in slow) == (runs[-1].planned - MONDAY) / (8 * HOUR)
    assert len(harvest.ended) == len(world.listener.over)
    assert not world.held


def test_a_machine_that_slept_catches_up_with_one_run(tmp_path: Path) -> None:
    world = World(tmp_path)
    plan = read_plan(plan_file(tmp_path, "daily 0 5 * * *"))
    world.watch(plan, MONDAY + DAY + 6 * HOUR)
    world.engine.time = MONDAY + 5 * DAY + 12 * HOUR
    world.watch(plan, MONDAY + 5 * DAY + 14 * HOUR)
    runs = world.history.runs("daily")
    assert [(run.reason, run.missed) for run in runs] == [
        ("finished", 0), ("finished", 0), ("missed", 3), ("finished", 0),
    ]  # fmt: skip
    assert runs[-1].planned == MONDAY + 5 * DAY + 5 * HOUR
    assert runs[-1].start == MONDAY + 5 * DAY + 12 * HOUR


def test_a_watch_tries_again_what_runs_elsewhere(tmp_path: Path) -> None:
    world = World(tmp_path)
    plan = read_plan(plan_file(tmp_path, "one 0 5 * * *", "two 0 3 * * *"))
    world.elsewhere.add("one")
    world.watch(plan, MONDAY + 7 * HOUR)
    assert [name for name, _ in world.engine.begun] == ["two"]
    assert world.listener.words.count("one: a run of this site is under way elsewhere") == 1
    world.elsewhere.clear()
    world.watch(plan, MONDAY + 9 * HOUR)
    assert [name for name, _ in world.engine.begun] == ["two", "one"]


def test_a_watch_goes_on_when_the_history_can_be_read_again(tmp_path: Path) -> None:
    world = World(tmp_path)
    plan = read_plan(plan_file(tmp_path, "one 0 * * * *"))
    (tmp_path / "out").write_text("a file where a folder belongs")
    world.watch(plan, MONDAY + 3 * HOUR)
    assert [run.reason for run in world.listener.over] == ["not-begun"]
    (tmp_path / "out").unlink()
    world.watch(plan, MONDAY + 6 * HOUR)
    assert [run.reason for run in world.listener.over[1:]] == ["finished", "finished"]
