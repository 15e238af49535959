"""The files to copy in docs/deploy are what their pages say, as far as it can be seen here."""

from __future__ import annotations

import configparser
import re
import subprocess
import sys
import tomllib
from argparse import ArgumentParser
from functools import cache
from types import CodeType
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import Settings

from crawler.commands.harvest import HarvestCommand
from crawler.harvest.plan import read_plan
from support.crawling import ROOT

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = ROOT / "docs" / "deploy"
TOML = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PYTHON = sorted(FOLDER.rglob("*.py"))


@pytest.fixture
def manifests() -> list[dict[str, Any]]:
    yaml = pytest.importorskip("yaml")
    return list(yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text("utf-8")))


def containers(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    spec = manifest["spec"]
    if manifest["kind"] == "CronJob":
        spec = spec["jobTemplate"]["spec"]
    found: list[dict[str, Any]] = spec["template"]["spec"]["containers"]
    return found


@cache
def options_of_harvest() -> set[str]:
    parser = ArgumentParser()
    command = HarvestCommand()
    command.settings = Settings()
    command.add_options(parser)
    (verbs,) = [action.choices for action in parser._actions if action.dest == "verb"]
    assert verbs is not None
    actions = dict(verbs)["run"]._actions
    return {option for action in actions for option in action.option_strings}


@cache
def options_of_dask(command: str) -> set[str]:
    main = pytest.importorskip(f"distributed.cli.dask_{command}").main
    return {option for each in main.params for option in (*each.opts, *each.secondary_opts)}


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: path.name)
def test_python_compiles(path: Path) -> None:
    assert isinstance(compile(path.read_text("utf-8"), str(path), "exec"), CodeType)


def test_each_file_is_named_on_a_page() -> None:
    pages = "".join(page.read_text("utf-8") for page in (ROOT / "docs").glob("deploy-*.md"))
    files = [path for path in FOLDER.rglob("*") if path.is_file() and path.stem != "__init__"]
    assert files
    for path in files:
        if "__pycache__" not in path.parts:
            assert f"(deploy/{path.relative_to(FOLDER).as_posix()})" in pages


def test_the_batch_script_is_one() -> None:
    script = FOLDER / "harvest.sbatch"
    subprocess.run(["bash", "-n", str(script)], check=True, timeout=20)
    text = script.read_text("utf-8").replace("\\\n", " ")
    for line in text.splitlines():
        # Behind the program that is started, such as srun.
        used = set(re.findall(r" (--[a-z-]+)", line[max(0, line.find("dask ")) :]))
        if "scrapy harvest" in line:
            assert used <= options_of_harvest()
        elif match := re.search(r"dask (scheduler|worker) ", line):
            assert used
            assert used <= options_of_dask(match[1])


def test_the_manifests_fit_together(manifests: list[dict[str, Any]]) -> None:
    by_name = {(one["kind"], one["metadata"]["name"]): one for one in manifests}
    assert set(by_name) == {
        ("ConfigMap", "harvest-plan"), ("Deployment", "dask-scheduler"),
        ("Service", "dask-scheduler"), ("Deployment", "dask-worker"), ("CronJob", "harvest"),
    }  # fmt: skip
    for one in manifests:
        if one["kind"] == "Deployment":
            labels = one["spec"]["template"]["metadata"]["labels"]
            assert one["spec"]["selector"]["matchLabels"] == labels
    scheduler = by_name["Deployment", "dask-scheduler"]
    service = by_name["Service", "dask-scheduler"]["spec"]
    assert service["selector"] == scheduler["spec"]["template"]["metadata"]["labels"]
    ports = {port["name"]: port["containerPort"] for port in containers(scheduler)[0]["ports"]}
    assert {port["targetPort"]: port["port"] for port in service["ports"]} == ports


def test_the_commands_of_the_manifests_exist(manifests: list[dict[str, Any]]) -> None:
    commands = [
        one["command"]
        for manifest in manifests
        if manifest["kind"] in {"Deployment", "CronJob"}
        for one in containers(manifest)
    ]
    assert len(commands) == 3
    for command in commands:
        assert all(isinstance(word, str) for word in command)
        used = {word for word in command if word.startswith("--")}
        known = options_of_dask(command[1]) if command[0] == "dask" else options_of_harvest()
        assert used <= known


def test_the_plan_of_the_manifests_is_right(
    manifests: list[dict[str, Any]], tmp_path: Path
) -> None:
    path = tmp_path / "harvest.toml"
    path.write_text(manifests[0]["data"]["harvest.toml"], "utf-8")
    plan = read_plan(path)
    assert plan.output.startswith("s3://")
    assert [site.id for site in plan.sites] == ["news"]


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("deploy-*.md")), ids=lambda p: p.stem)
def test_settings_in_pages_are_toml(page: Path) -> None:
    for block in re.findall(
        r"^```toml\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL
    ):
        assert tomllib.loads(block)


def test_the_project_for_scrapyd_is_what_its_files_say() -> None:
    folder = FOLDER / "scrapyd"
    cfg = configparser.ConfigParser()
    cfg.read(folder / "scrapy.cfg")
    package, _, module = cfg["settings"]["default"].partition(".")
    assert (folder / package / f"{module}.py").is_file()
    listed = subprocess.run(
        [sys.executable, "-m", "scrapy", "list"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={"PYTHONPATH": f"{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert listed.stdout.split() == ["archive", "replay", "site", "urls", "wrapper"]
