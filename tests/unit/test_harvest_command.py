"""The command line of harvests: what it answers, and how it leaves."""

from __future__ import annotations

import importlib.abc
import json
import os
import sys
from typing import TYPE_CHECKING

import pytest
from lxml import html
from scrapy.cmdline import ScrapyArgumentParser
from scrapy.commands import ScrapyHelpFormatter
from scrapy.settings import Settings

from crawler.commands.harvest import HarvestCommand

if TYPE_CHECKING:
    from pathlib import Path

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
    parser = ScrapyArgumentParser(
        formatter_class=ScrapyHelpFormatter,
        usage=f"scrapy harvest {command.syntax()}",
        conflict_handler="resolve",
        description=command.long_desc(),
    )
    command.add_options(parser)
    try:
        options, rest = parser.parse_known_args(arguments)
        command.process_options(rest, options)
    except SystemExit as exit_:
        return int(exit_.code or 0)
    command.run(rest, options)
    return command.exitcode


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "run, watch, status, check, archive"),
        (("go", "PLAN"), "go"),
        (("run",), "PLAN"),
        (("run", "PLAN", "PLAN"), "harvest.toml"),
        (("run", "PLAN", "--duu"), "--duu"),
        (("watch", "PLAN", "--due"), "--due"),
        (("status", "PLAN", "--processes", "2"), "--processes"),
        (("run", "PLAN", "--site", "blok"), "blog"),
        (("status", "PLAN", "--site", "x"), "blog, news"),
        (("status", "PLAN", "--last", "-1"), "--last"),
        (("status", "PLAN", "--json", "--html", "x"), "--html"),
        (("check", "PLAN", "--times", "two"), "--times"),
        (("run", "PLAN", "--processes", "0"), "--processes"),
        (("run", "PLAN", "--executor", "dask"), "--scheduler"),
        (("run", "PLAN", "--scheduler", "tcp://x"), "--scheduler"),
        (("-s", "LOG_LEVEL=INFO", "run", "PLAN"), "-s"),
        (("check", "none.toml"), "none.toml"),
    ],
)
def test_wrong_calls_leave_with_2(
    arguments: tuple[str, ...], words: str, plan: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert harvest(*(plan if one == "PLAN" else one for one in arguments)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err.splitlines()[-1]
    assert "Traceback" not in err


def test_each_verb_has_the_help_of_its_own_options(capsys: pytest.CaptureFixture[str]) -> None:
    texts = {}
    for verb in ("run", "watch", "status", "check", "archive"):
        assert harvest(verb, "-h") == 0
        texts[verb] = capsys.readouterr().out
        assert f"usage: scrapy harvest {verb}" in texts[verb]
    own = {
        "--site": {"run", "status", "check"}, "--due": {"run"}, "--html": {"status"},
        "--scheduler": {"run", "watch", "archive"}, "--work": {"archive"},
        "--set": {"archive"},
    }  # fmt: skip
    for option, verbs in own.items():
        assert {verb for verb, text in texts.items() if option in text} == verbs


def test_check_says_each_mistake_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(PLAN.replace("Seoul", "Seol").replace("[[site]]\nid", "[[site]]\nidd", 1))
    assert harvest("check", str(path)) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[3] for line in lines] == ["site[0].idd", "site[0].time_zone", "site[0].id"]


def test_check_shows_when_sites_would_run_and_how(
    plan: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert harvest("check", plan, "--times", "2") == 0
    first, output, blog, one, two, command, news, _ = capsys.readouterr().out.splitlines()
    assert first == f"{plan}: 2 sites"
    assert output == f"output: {plan.replace('harvest.toml', 'out')}"
    assert blog == "blog: 0 5 * * * Asia/Seoul, put off by up to 1 min 30 s"
    # Five in Seoul is eight in the evening in UTC.
    assert one != two
    assert {line.strip().split()[1][:4] for line in (one, two)} == {"20:0"}
    assert "scrapy crawl site -a url=http://127.0.0.1:1/ " in command
    assert news.startswith("news: ")


@pytest.mark.parametrize(
    "output", ["nope://x/y", "memory://x", "file/out", "file", "file://{folder}/file/out"]
)
def test_check_refuses_an_output_where_nothing_can_be_kept(
    output: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("where a folder belongs")
    path = tmp_path / "harvest.toml"
    path.write_text(PLAN.replace('"out"', f'"{output.format(folder=tmp_path)}"'), "utf-8")
    assert harvest("check", str(path)) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes all")
def test_check_says_that_a_folder_may_not_be_written_to(
    plan: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tmp_path.chmod(0o500)
    try:
        assert harvest("check", plan) == 0
    finally:
        tmp_path.chmod(0o700)
    assert f"(you may not write to {tmp_path})" in capsys.readouterr().out


def test_status_shows_a_history_that_is_not_there_yet(
    plan: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert harvest("status", plan) == 0
    assert "never run" in capsys.readouterr().out
    assert harvest("status", plan, "--json", "--site", "news") == 0
    assert [one["site"] for one in json.loads(capsys.readouterr().out)] == ["news"]
    page = tmp_path / "page.html"
    assert harvest("status", plan, "--html", str(page)) == 0
    assert "never run" in str(html.fromstring(page.read_text("utf-8")).xpath("string()"))
    (tmp_path / "file").write_text("where a folder belongs")
    assert harvest("status", plan, "--html", str(tmp_path / "file" / "page.html")) == 1
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
    assert "Traceback" not in err


def test_a_store_that_crawls_copy_from_takes_one_harvest_at_a_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from crawler.harvest.storage import Storage  # noqa: PLC0415 - only here

    url = f"file://{tmp_path}/store"
    release = Storage(url).lock("harvest")
    assert release is not None
    path = tmp_path / "copied.toml"
    path.write_text(PLAN.replace('"out"', f'"{url}"'), "utf-8")
    assert harvest("run", str(path)) == 1
    assert url in capsys.readouterr().err
    release()
    assert harvest("run", str(path), "--due") == 0


def test_ctrl_c_while_modules_are_loaded_has_a_line_as_any(
    plan: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(importlib.abc.MetaPathFinder):
        def find_spec(self, name: str, *_: object) -> None:
            if name == "crawler.harvest.verbs":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "crawler.harvest.verbs", raising=False)
    monkeypatch.delattr("crawler.harvest.verbs", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupted(), *sys.meta_path])
    assert harvest("status", plan) == 1
    assert capsys.readouterr().err == "scrapy harvest: ended at once\n"
