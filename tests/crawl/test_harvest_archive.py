"""Archives in shards, in real processes: what a live crawl gave, and ``scrapy crawl archive``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from distributed import LocalCluster

from crawler.harvest.daskexec import DaskExecutor
from crawler.store.archive import read_pages
from support.archives import (
    harvest,
    lines_of,
    made_pages,
    one_process,
    options_for,
    site_pages,
    write_archive,
)
from support.crawling import ROOT, Project, Site, html

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from crawler.demo.server import Answer

    MakeSite = Callable[[Mapping[str, Answer]], Site]

SHARD_BYTES = 70_000
# As a harvest of its own process, to be killed.
PROGRAM = """
import sys
from pathlib import Path
from crawler.harvest.executors import LocalExecutor
from support.archives import harvest, options_for

folder = Path(sys.argv[1])
with LocalExecutor(2) as executor:
    harvest(sorted((folder / "in").iterdir()), folder, options_for(folder), executor, 8_000)
"""


@pytest.fixture
def cluster() -> Iterator[str]:
    # Dask's own functions have no types.
    make: Any = LocalCluster
    with make(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as made:
        yield made.scheduler_address


def crawl_live(project: Project, make_site: MakeSite) -> list[bytes]:
    """Crawl some sites, and keep their pages as an archive; return the lines of the items."""
    addresses: list[str] = []
    for _ in range(2):
        site = make_site({})
        base = site.url.rstrip("/")
        pages = site_pages(base, 60)
        site.pages |= {url.removeprefix(base): html(page) for url, page in pages.items()}
        addresses += pages
    (project.folder / "urls.txt").write_text("\n".join(addresses), "utf-8")
    call = ("crawl", "urls", "-a", "file=urls.txt", "-O", "live.jsonl")
    project.run(*call, "-s", "CORPUS_KEEP_SPOOL=True", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=8")
    lines = (project.folder / "live.jsonl").read_bytes().splitlines()
    return sorted(line.replace(b'"mode": "two-pass"', b'"mode": "archive"') for line in lines)


@pytest.mark.timeout(900)  # two crawls, some twenty jobs, and a cluster
def test_the_same_corpus_as_the_live_crawl_and_the_archive_crawl(
    project: Project, make_site: MakeSite, cluster: str, tmp_path: Path
) -> None:
    live = crawl_live(project, make_site)
    spools = list((project.folder / "corpus-data" / "spool").rglob("*.warc.gz"))
    pages = list(read_pages(spools, on_skip=lambda *told: pytest.fail(str(told))))
    assert len(pages) > 250
    paths = write_archive(project.folder / "in", pages, 2)
    (project.folder / "scrapy.cfg").write_text("[settings]\ndefault = settings.archive\n", "utf-8")
    named = "|".join(str(path) for path in paths)
    every = ("-s", "CORPUS_PAGE_TYPES=all")
    project.run("crawl", "archive", "-a", f"path={named}", "-O", "archive.jsonl", *every)
    assert sorted((project.folder / "archive.jsonl").read_bytes().splitlines()) == live

    call = ("harvest", "archive", *map(str, paths), "-O", "out", "--work", "work", *every)
    _, err = project.run(*call, "--processes", "2")
    assert lines_of(project.folder) == live
    assert f"{len(live)} items" in err
    assert err.endswith("scrapy harvest archive: the items are in out\n")

    options = options_for(tmp_path, PAGE_TYPES="all")
    with DaskExecutor(cluster) as executor:
        summary = harvest(paths, tmp_path, options, executor, SHARD_BYTES)
    assert summary.is_complete, summary.failed
    assert summary.shards > len(paths)
    assert lines_of(tmp_path) == live


def test_killed_at_any_time_it_goes_on_and_gives_each_item_once(tmp_path: Path) -> None:
    paths = write_archive(tmp_path / "in", made_pages(2, 10), 2)
    options = options_for(tmp_path)
    lines, _ = one_process(paths, options)
    for least in (1, 5):
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(tmp_path)], cwd=ROOT / "tests", env=environment()
        )
        until = time.monotonic() + 60
        while results(tmp_path) < least and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        there = lines_of(tmp_path)
        assert set(there) <= set(lines)
        assert len(set(there)) == len(there)
    done = results(tmp_path)
    summary = harvest(paths, tmp_path, options, shard_bytes=8_000)
    assert lines_of(tmp_path) == lines
    assert summary.is_complete
    assert summary.begun + done <= results(tmp_path) + 1, "what was done is not done again"
    told = json.loads((tmp_path / "out" / "archive.json").read_text("utf-8"))
    assert told["items"] == len(lines)


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}


def results(folder: Path) -> int:
    """Count the results of jobs that are there."""
    work = folder / "work"
    kinds = ("observed/*.json", "merged/*/0*.json", "judged/*/*.json")
    return sum(len(list(work.glob(kind))) for kind in kinds)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ([], "name the WARC files to read"),
        (["scrapy.cfg"], "scrapy.cfg is no WARC file by its name"),
        (["in.warc", "--due"], "--due belongs to 'run', not to 'archive'"),
        (["in.warc", "-s", "CORPUS_TABLES_FOLDER=t"], "CORPUS_TABLES_FOLDER is set"),
    ],
    ids=["nothing", "name", "option", "folder"],
)
def test_a_wrong_call_is_one_line_and_leaves_with_2(
    project: Project, call: list[str], words: str
) -> None:
    _, err = project.run("harvest", "archive", *call, code=2)
    told = [line for line in err.splitlines() if "item pipelines" not in line]
    assert len(told) == 1
    assert words in told[0]
