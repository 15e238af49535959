"""The files that start harvests, and the plans that are shown, are sound as far as can be told."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from crawler.harvest.plan import read_plan
from crawler.harvest.schedule import read_cron
from support.crawling import ROOT

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = ROOT / "docs" / "deploy"
UNITS = sorted([*FOLDER.glob("*.service"), *FOLDER.glob("*.timer")])
TOML = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CRON_LINE = re.compile(r"((?:\S+ ){4}\S+)  (.+)")


def test_the_crontab_is_one_and_the_page_shows_it() -> None:
    text = (FOLDER / "crontab").read_text("utf-8")
    assert f"```sh\n{text}```" in (ROOT / "docs" / "deploy-cron.md").read_text("utf-8")
    lines = [line for line in text.splitlines() if line and not re.match(r"[A-Z]+=", line)]
    (line,) = lines
    match = CRON_LINE.fullmatch(line)
    assert match is not None
    assert read_cron(match[1]) == match[1]
    # In a crontab a percent sign ends the command.
    assert "%" not in match[2]
    subprocess.run(["sh", "-n", "-c", match[2]], check=True, timeout=20)
    assert "scrapy harvest run harvest.toml --due" in match[2]


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_units_of_systemd_are_sound(unit: Path, tmp_path: Path) -> None:
    text = unit.read_text("utf-8")
    parser = configparser.ConfigParser(strict=True, interpolation=None)
    parser.read_string(text)
    assert parser.sections()[0] == "Unit"
    if unit.suffix == ".timer":
        assert unit.with_suffix(".service").exists()
    verify = shutil.which("systemd-analyze")
    if verify is None:
        return
    # The program that it names is on no machine that only tests.
    for path in UNITS:
        program = re.sub(r"(?m)^ExecStart=\S+", "ExecStart=/bin/true", path.read_text("utf-8"))
        (tmp_path / path.name).write_text(program, "utf-8")
    done = subprocess.run(
        [verify, "verify", "--man=no", str(tmp_path / unit.name)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert unit.name not in done.stderr, done.stderr


def test_the_plans_of_the_documentation_are_right(tmp_path: Path) -> None:
    pages = sorted((ROOT / "docs").glob("*.md"))
    shown = [
        block
        for page in pages
        for block in TOML.findall(page.read_text("utf-8"))
        if "[[site]]" in block
    ]
    assert shown
    for number, text in enumerate(shown):
        path = tmp_path / f"{number}.toml"
        path.write_text(text, "utf-8")
        assert read_plan(path).sites
