"""Harvests with a clock of their own: what runs when, and what is kept of it."""

from __future__ import annotations

import os
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import pytest

from crawler.harvest.calls import ExecutorCall
from crawler.harvest.calls import run as run_harvest
from crawler.harvest.harvesting import run_all
from crawler.harvest.history import Run
from crawler.harvest.jobs import FAILED, TIME, Outcome
from crawler.harvest.locks import Claim
from crawler.harvest.planfile import read_plan
from crawler.harvest.storage import Storage
from support.harvests import (
    HOUR,
    MONDAY,
    QUIET,
    World,
    figures,
    plan_file,
    site,
)

if TYPE_CHECKING:
    from collections.abc import Callable


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


def test_a_run_that_the_history_did_not_take_is_kept_later_and_never_lost(tmp_path: Path) -> None:
    world = World(tmp_path)
    daily = site("blog")
    world.due(daily)
    world.clock.time = MONDAY + 6 * HOUR
    world.harvest.want(daily, QUIET, only_due=True)
    world.harvest.go_on(0)
    (entry,) = (tmp_path / "out" / "history" / "blog").glob("2*.json")
    # As where the store is away when the run ends.
    entry.unlink()
    entry.mkdir()
    run_all(world.harvest, lambda: False)
    assert "the history cannot be written" in world.listener.words[0]
    entry.rmdir()
    world.clock.time += 24 * HOUR
    world.due(daily)
    assert [run.reason for run in world.history.runs("blog")] == ["finished", "finished"]
    assert len(world.listener.words) == 1


def test_a_store_that_takes_long_to_say_no_does_not_keep_a_harvest_from_stopping(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path)

    def take(_: str) -> Callable[[], None] | None:
        # More than a look may take.
        time.sleep(0.6)
        return None

    monkeypatch.setattr(world.locks, "take", take)
    for number in range(20):
        world.harvest.want(site(f"s{number}"), QUIET, only_due=False)
    step = world.harvest.go_on(1)
    assert len(step.declined) == 1
    assert world.listener.words == []
    run_all(world.harvest, lambda: True)
    assert world.harvest.tally.left == 19


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
def test_a_harvest_goes_on_where_nothing_can_be_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = read_plan(plan_file(tmp_path, "one 0 5 * * *", "two 0 5 * * *"))
    storage = Storage.of(plan.output)
    with (
        storage.lock("harvest one", Claim("another")),
        storage.lock("harvest two", Claim("another")),
        Path("/dev/full").open("w", encoding="utf-8", buffering=1) as full,
    ):
        monkeypatch.setattr(sys, "stderr", full)
        went_well = run_harvest(plan, plan.sites, ExecutorCall(), only_due=False)
        monkeypatch.undo()
        _forget(full)
    assert not went_well


def _forget(file: TextIO) -> None:
    """Let a file be closed that still holds what it could not write."""
    with Path(os.devnull).open("w", encoding="utf-8") as null:
        os.dup2(null.fileno(), file.fileno())
