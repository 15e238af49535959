"""A harvest that watches, in processes of its own: what is due is run, once, until Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from crawler.demo.server import serve
from crawler.harvest.history import History, Run
from crawler.harvest.plan import read_plan
from support.crawling import ROOT, small_site
from support.harvests import quick_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

PATIENCE = 60.0
DUE = datetime.now(UTC) - timedelta(minutes=10)


@pytest.fixture
def address() -> Iterator[str]:
    with serve(small_site(3)) as served:
        yield served


def write_plan(folder: Path, address: str, extra: str = "") -> None:
    """Write a plan of a site that was due ten minutes ago, and one that is not due for long."""
    sites = f"""[[site]]
id = "due"
addresses = ["{address}/"]
[[site]]
id = "later"
addresses = ["{address}/a/0"]
cron = "{DUE.minute} {DUE.hour} {(DUE + timedelta(days=15)).day} * *"
{extra}
"""
    aside = folder / "aside"
    cron = f'cron = "{DUE.minute} {DUE.hour} * * *"'
    aside.write_text(quick_plan(sites, cron), "utf-8")
    aside.replace(folder / "harvest.toml")


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    with (folder / f"{arguments[0]}-said").open("w", encoding="utf-8") as said:
        return subprocess.Popen(
            [sys.executable, "-m", "scrapy", "harvest", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
        )


def wait_for(is_there: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not is_there():
        assert time.monotonic() < until
        time.sleep(0.05)


def history(folder: Path) -> History:
    return History(folder / "out" / "history.sqlite")


def test_watching_runs_what_is_due_once(address: str, tmp_path: Path) -> None:
    write_plan(tmp_path, address)
    kept = history(tmp_path)
    before = DUE - timedelta(days=2, hours=5)
    for site in read_plan(tmp_path / "harvest.toml").sites:
        assert kept.standing(site, before) == (None, before)
        kept.write(Run(site.id, before, before, before, "finished", items=1))
    watch = start(tmp_path, "watch", "harvest.toml")
    try:
        said = tmp_path / "watch-said"
        wait_for(lambda: "due: finished" in said.read_text("utf-8"))
        watch.send_signal(signal.SIGINT)
        out, _ = watch.communicate(timeout=PATIENCE)
    finally:
        watch.kill()
        watch.wait()
    assert watch.returncode == 0
    words = said.read_text("utf-8")
    assert "due: missed 2 planned runs, from" in words
    assert "stopping: " in words
    assert "Traceback" not in words
    assert "  well        1 site\n" in out
    assert [run.reason for run in kept.runs("due")] == ["finished", "missed", "finished"]
    assert [run.reason for run in kept.runs("later")] == ["finished"]
    last = kept.runs("due")[-1]
    assert (last.pages, last.items, last.new, last.errors) == (4, 4, 4, {})


def test_ctrl_c_ends_the_crawl_that_runs_in_order(address: str, tmp_path: Path) -> None:
    write_plan(tmp_path, address)
    plan = tmp_path / "harvest.toml"
    plan.write_text(plan.read_text("utf-8").replace("DOWNLOAD_DELAY = 0", "DOWNLOAD_DELAY = 2"))
    run = start(tmp_path, "run", "harvest.toml", "--site", "due")
    try:
        logs = tmp_path / "out" / "sites" / "due" / "logs"
        wait_for(lambda: any(log.stat().st_size for log in logs.glob("*.log")))
        run.send_signal(signal.SIGINT)
        out, _ = run.communicate(timeout=PATIENCE)
    finally:
        run.kill()
        run.wait()
    assert run.returncode == 1
    assert "due (stopped)" in out
    (entry,) = history(tmp_path).runs("due")
    assert entry.reason == "stopped"
    assert entry.end is not None
