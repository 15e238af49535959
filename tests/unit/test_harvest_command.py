"""The command line of harvests: what it answers, and how it leaves."""

from __future__ import annotations

import argparse
import importlib.abc
import json
import os
import sys
from typing import TYPE_CHECKING, NoReturn

import pytest
from lxml import html
from scrapy.settings import Settings

from crawler.commands.harvest import HarvestCommand
from crawler.core.errors import ArgumentError
from crawler.harvest.calls import ExecutorCall
from crawler.harvest.executors import LocalExecutor

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from crawler.harvest.jobs import Job

PLAN = """output = "out"
[[site]]
id = "blog"
addresses = ["http://127.0.0.1:1/"]
cron = "0 5 * * *"
time_zone = "Asia/Seoul"
jitter = "90s"
[[site]]
id = "news"
addresses = ["http://127.0.0.1:1/"]
"""


@pytest.fixture
def plan(tmp_path: Path) -> str:
    """Write a plan; return its path."""
    path = tmp_path / "harvest.toml"
    path.write_text(PLAN, "utf-8")
    return str(path)


def harvest(*arguments: str) -> int:
    """Call the command as Scrapy does; return what it leaves with."""
    command = HarvestCommand()
    command.settings = Settings()
    parser = argparse.ArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    options, rest = parser.parse_known_args(arguments)
    command.process_options(rest, options)
    command.run(rest, options)
    return command.exitcode


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "say what to do: one of run, watch, status, check"),
        (("go", "PLAN"), "say what to do: one of run, watch, status, check"),
        (("runn", "PLAN"), "say what to do: one of run, watch, status, check, archive; did you me"),
        (("my.toml",), "watch, status, check, archive, as in: scrapy harvest check my.toml"),
        (("run",), "give one plan: scrapy harvest run harvest.toml"),
        (("run", "PLAN", "PLAN"), "give one plan: scrapy harvest run harvest.toml"),
        (("run", "PLAN", "--duu"), "unknown option --duu; 'scrapy harvest -h' lists them"),
        (("watch", "PLAN", "--due"), "--due belongs to 'run', not to 'watch'"),
        (("status", "PLAN", "--processes", "2"), "--processes belongs to 'run' and 'watch' and"),
        (("run", "PLAN", "--site", "blok"), "has no site 'blok'; did you mean 'blog'?"),
        (("status", "PLAN", "--site", "x"), "has no site 'x'; it has blog, news"),
        (("status", "PLAN", "--last", "-1"), "--last is -1; give 0 or more"),
        (("status", "PLAN", "--json", "--html", "x"), "--html and --json are two answers"),
        (("check", "PLAN", "--times", "-1"), "--times is -1; give 0 or more"),
        (("check", "PLAN", "--fetch", "-1"), "--fetch is -1; give 0 or more"),
        (("run", "PLAN", "--processes", "0"), "--processes is 0; give 1 or more"),
        (("run", "PLAN", "--executor", "dask"), "needs --scheduler ADDRESS"),
        (("run", "PLAN", "--scheduler", "tcp://x"), "--scheduler is for --executor dask"),
        (("run", "PLAN", "-s", "LOG_LEVEL=INFO"), "settings of the sites stand in the plan"),
        (("check", "none.toml"), "none.toml: there is no such file; name the plan, or write one"),
    ],
    ids=range(20),
)
def test_wrong_calls_are_told_in_a_line(
    arguments: tuple[str, ...], words: str, plan: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert harvest(*(plan if one == "PLAN" else one for one in arguments)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = err.splitlines()
    assert line.startswith("scrapy harvest: ")
    assert words in line


def test_a_plan_behind_an_option_that_takes_it_for_its_number_is_told(
    plan: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        harvest("check", "--fetch", plan)
    assert "is no number; PLAN stands before --fetch" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        harvest("check", plan, "--times", "two")
    assert "argument --times: 'two' is no whole number" in capsys.readouterr().err


def test_check_tells_each_mistake_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(PLAN.replace("Seoul", "Seol").replace("[[site]]\nid", "[[site]]\nidd", 1))
    assert harvest("check", str(path)) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(", line ")[1].split(":")[0] for line in lines] == ["2", "3", "6"]


def test_check_shows_when_sites_would_run(plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert harvest("check", plan, "--times", "2") == 0
    first, output, blog, one, two, news = capsys.readouterr().out.splitlines()
    assert first == f"{plan}: 2 sites"
    assert output == f"output: {plan.replace('harvest.toml', 'out')}"
    assert blog == "blog: 0 5 * * * Asia/Seoul, put off by up to 1 min 30 s"
    # Five in Seoul is eight in the evening in UTC.
    assert one != two
    assert {line.strip().split()[1][:4] for line in (one, two)} == {"20:0"}
    assert news == "news: never by itself (no 'cron')"


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("nope://x/y", "nope://x/y names no storage: "),
        ("memory://x", "memory://x keeps nothing beyond one process"),
    ],
)
def test_check_tells_of_an_output_where_nothing_can_be_kept(
    output: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "harvest.toml"
    path.write_text(PLAN.replace('"out"', f'"{output}"'), "utf-8")
    assert harvest("check", str(path)) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"scrapy harvest: {words}")


@pytest.mark.parametrize("output", ["file/out", "file", "file://{folder}/file/out"])
def test_check_tells_of_a_folder_that_cannot_be_made(
    output: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("where a folder belongs")
    path = tmp_path / "harvest.toml"
    path.write_text(PLAN.replace('"out"', f'"{output.format(folder=tmp_path)}"'), "utf-8")
    assert harvest("check", str(path)) == 1
    words = f"{tmp_path / 'file'} is no folder; name another one in the plan"
    assert capsys.readouterr() == ("", f"scrapy harvest: output: {words}\n")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes all")
def test_check_tells_of_a_folder_that_may_not_be_written_to(
    plan: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tmp_path.chmod(0o500)
    try:
        assert harvest("check", plan) == 0
    finally:
        tmp_path.chmod(0o700)
    assert (
        f"output: {tmp_path / 'out'} (you may not write to {tmp_path})" in capsys.readouterr().out
    )


def test_status_shows_a_history_that_is_not_there_yet(
    plan: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert harvest("status", plan) == 0
    assert "never run" in capsys.readouterr().out
    assert harvest("status", plan, "--json", "--site", "news") == 0
    assert [one["site"] for one in json.loads(capsys.readouterr().out)] == ["news"]
    page = tmp_path / "page.html"
    assert harvest("status", plan, "--html", str(page)) == 0
    assert capsys.readouterr().out == f"{page} shows 2 sites\n"
    assert "never run" in str(html.fromstring(page.read_text("utf-8")).xpath("string()"))
    assert harvest("status", plan, "--html", str(tmp_path / "none" / "page.html")) == 1
    assert "cannot be written: No such file" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_due_runs_nothing_where_nothing_is_due(
    plan: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert harvest("run", plan, "--due") == 0
    assert capsys.readouterr() == ("Nothing was due\n", "")


def test_an_output_that_cannot_be_written_fails_each_site(
    plan: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").write_text("a file where a folder belongs")
    assert harvest("run", plan) == 1
    out, err = capsys.readouterr()
    assert "not well    2 sites: blog (not-begun), news (not-begun)" in out
    assert "blog: not-begun, " in err
    assert "Traceback" not in err


def test_a_look_at_what_sites_have_ends_soon_when_it_is_interrupted(
    plan: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs: list[Job] = []

    def interrupted(_: LocalExecutor, asked: Iterable[Job]) -> NoReturn:
        jobs.extend(asked)
        raise KeyboardInterrupt

    monkeypatch.setattr(LocalExecutor, "run", interrupted)
    assert harvest("check", plan, "--fetch") == 1
    # Nothing of it is kept, so its processes have no time to end in order.
    assert [job.grace for job in jobs] == [1, 1]
    assert capsys.readouterr().err == "scrapy harvest: ended at once\n"


def test_ctrl_c_while_modules_are_loaded_has_a_line_as_any(
    plan: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(importlib.abc.MetaPathFinder):
        def find_spec(self, name: str, *_: object) -> None:
            if name == "crawler.harvest.planfile":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "crawler.harvest.planfile")
    monkeypatch.setattr(sys, "meta_path", [Interrupted(), *sys.meta_path])
    assert harvest("status", plan) == 1
    assert capsys.readouterr().err == "scrapy harvest: ended at once\n"


def test_executors_are_made_of_options() -> None:
    with ExecutorCall(processes=3).make() as executor:
        assert isinstance(executor, LocalExecutor)
        assert executor.places() == 3
    with pytest.raises(ArgumentError, match="--processes is for --executor local"):
        ExecutorCall("dask", 2, "tcp://127.0.0.1:1").make()
