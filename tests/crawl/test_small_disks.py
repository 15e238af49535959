"""A disk that is full, or read-only, at each file that is written: it is told, and nothing is lost.

The disk is a small one in memory, mounted for one command alone. What is on it afterwards is
copied. With room, the same command then does all that it was to do.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING

import pytest

from support.archives import made_pages, write_archive
from support.crawling import ROOT, Project, Site, article, html, small_site

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.demo.server import Answer

    MakeSite = Callable[[Mapping[str, Answer]], Site]

PAGES = 12
TABLE = "<table><tr><th>Name<th>Age<th>Town{}</table>".format(
    "".join(f"<tr><td>N{n}<td>{n}<td>T{n}" for n in range(6))
)
MOUNT = "mount -t tmpfs -o size={size} none disk && mkdir disk/f"
READ_ONLY = "mount -o remount,ro none disk"
COPY = '"$@"; code=$?; cp -r disk/f seen; exit $code'
PLAN = """
output = "disk/f/h"
[defaults]
settings = { DOWNLOAD_DELAY = 0, AUTOTHROTTLE_ENABLED = false, ROBOTSTXT_OBEY = false,\
 CORPUS_PAGE_TYPES = "all" }
[[site]]
id = "one"
addresses = "SITE"
incremental = true
"""


def crawl(*more: str, **settings: str) -> tuple[str, ...]:
    given = [f"CORPUS_{name}={value}" for name, value in settings.items()]
    return ("crawl", "site", "-a", "url=SITE", *more, *(x for each in given for x in ("-s", each)))


OUT = ("-O", "out.jsonl")
FEEDS = 'FEEDS={"disk/f/out.parquet": {"format": "parquet", "overwrite": true}}'
COMMANDS = {
    "feed": (crawl("-O", "disk/f/out.jsonl"), "out.jsonl"),
    "Parquet feed": (crawl("-s", FEEDS), "out.parquet"),
    "tables": (crawl(*OUT, TABLES_FOLDER="disk/f/t"), "t/*/*.csv"),
    "structure": (crawl(*OUT, STRUCTURE_FOLDER="disk/f/t", STRUCTURE_MODEL="news"), "t/*/*.xml"),
    "report": (crawl(*OUT, CRAWL_REPORT="disk/f/r.json"), "r.json"),
    "spool and counts": (crawl(*OUT, DIR="disk/f/c"), "c/counts/*/*.npz"),
    "ledger": (crawl(INCREMENTAL="True", DIR="disk/f/c"), "c/ledger/*.sqlite"),
    "parts": (crawl(INCREMENTAL="True", OUTPUT="disk/f/p"), "p/*/*.jsonl"),
    "Parquet parts": (
        crawl(INCREMENTAL="True", OUTPUT="disk/f/p", OUTPUT_FORMAT="parquet"),
        "p/*/*.parquet",
    ),
    "data card": (crawl(*OUT, DATA_CARD="disk/f/README.md"), "README.md"),
    "log": (crawl(*OUT, "--logfile", "disk/f/log.txt"), "log.txt"),
    "requests": (crawl(*OUT, "-s", "JOBDIR=disk/f/job"), "job/requests.seen"),
    "history": (("harvest", "run", "plan.toml"), "h/history.sqlite"),
    "archive": (
        ("harvest", "archive", "warcs", "-O", "disk/f/out", "--work", "disk/f/work"),
        "out/*.jsonl",
    ),
}


@cache
def may_mount() -> bool:
    """Say whether a disk can be mounted here, by somebody who seems to be root."""
    if shutil.which("unshare") is None:
        return False
    return not subprocess.run(
        ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False
    ).returncode


@pytest.fixture
def run(project: Project, make_site: MakeSite) -> Callable[..., tuple[int, str]]:
    """Run a command, on a small disk where a script that mounts it is given."""
    pages = {f"/a/{n}": html(article(n, extra=TABLE)) for n in range(PAGES)}
    site = make_site({**small_site(PAGES), **pages})
    folder = project.folder
    (folder / "plan.toml").write_text(PLAN.replace("SITE", site.url), "utf-8")
    (folder / "warcs").mkdir()
    write_archive(folder / "warcs", made_pages(2, 12), 4)
    (folder / "disk" / "f").mkdir(parents=True)

    def run(arguments: tuple[str, ...], *mount: str) -> tuple[int, str]:
        call = [sys.executable, "-m", "scrapy", *(x.replace("SITE", site.url) for x in arguments)]
        if mount:
            script = f"{' && '.join(mount)} || exit 9; {COPY}"
            call = ["unshare", "-rm", "sh", "-c", script, "sh", *call]
        env = {**os.environ, "COLUMNS": "", "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}
        done = subprocess.run(
            call, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False
        )
        return done.returncode, done.stderr

    return run


# What the log says of a disk, each of the words once in a line.
SAYS = re.compile("No space left|is full|Read-only|nothing may be added|disk I/O error")


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(not may_mount(), reason="no disk can be mounted here")
@pytest.mark.parametrize("size", ["4k", "24k", "read-only"])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_disk_without_room_is_told_and_loses_nothing(
    project: Project, run: Callable[..., tuple[int, str]], name: str, size: str
) -> None:
    arguments, made = COMMANDS[name]
    read_only = size == "read-only"
    mount = (MOUNT.format(size="1m"), READ_ONLY) if read_only else (MOUNT.format(size=size),)
    code, err = run(arguments, *mount)
    assert code in ({1, 2} if read_only else {0, 1}), err
    assert "Traceback" not in err
    told = [line for line in err.splitlines() if SAYS.search(line)]
    assert len(told) <= 1, err
    assert told or code == 0, err
    assert code or not told or name == "log", "no crawl depends on its log"
    for path in (project.folder / "seen").rglob("*.sqlite"):
        with closing(sqlite3.connect(path)) as database:
            assert database.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
    shutil.rmtree(project.folder / "disk")
    (project.folder / "disk").mkdir()
    (project.folder / "seen").rename(project.folder / "disk" / "f")
    code, err = run(arguments)
    assert code == 0, err
    assert [*(project.folder / "disk" / "f").glob(made)]
