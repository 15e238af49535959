"""The history of a harvest where it cannot be kept or read, or the clock was set."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from crawler.harvest.harvesting import run_all
from crawler.harvest.history import Run
from crawler.harvest.jobs import DONE, Outcome
from crawler.harvest.plan import Alerts
from support.harvests import (
    HOUR,
    MONDAY,
    QUIET,
    World,
    figures,
    site,
)

if TYPE_CHECKING:
    from pathlib import Path


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


def test_why_pages_gave_no_item_is_kept_of_each_run(tmp_path: Path) -> None:
    world = World(tmp_path)
    skipped = {"not-article": 2, "unchanged": 1}
    world.crew.outcomes["blog"] = Outcome("blog", value=figures(skipped=skipped), reason=DONE)
    for name in ("blog", "older"):
        world.harvest.want(site(name), QUIET, only_due=False)
    run_all(world.harvest, lambda: False)
    (blog,), (older,) = (world.history.runs(name) for name in ("blog", "older"))
    # A worker of an older release tells none.
    assert (blog.skipped, older.skipped) == (skipped, {})


def test_an_entry_is_read_as_it_was_written_and_without_what_older_releases_lack() -> None:
    run = Run("blog", MONDAY, reason="finished", errors={"dns": 1}, skipped={"unchanged": 7})
    values = run.as_json()
    assert Run.from_json(json.loads(json.dumps(values))) == run
    del values["skipped"]
    assert Run.from_json(values) == replace(run, skipped={})
    with pytest.raises(ValueError, match="many"):
        Run.from_json({**values, "skipped": {"unchanged": "many"}})


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
