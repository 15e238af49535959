"""Archives read by real processes give what a live crawl and ``scrapy crawl archive`` give."""

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

from crawler.harvest.cluster import DaskEngine
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

# As a harvest of its own process, to be killed.
PROGRAM = """
import sys
from pathlib import Path
from crawler.harvest.engine import ProcessEngine
from support.archives import harvest, options_for

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    with ProcessEngine(2) as engine:
        harvest(sorted((folder / "in").iterdir()), folder, options_for(folder), engine)
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


@pytest.mark.cluster
@pytest.mark.slow
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
    with DaskEngine(cluster) as engine:
        summary = harvest(paths, tmp_path, options, engine)
    assert summary.is_complete, summary.failed
    assert lines_of(tmp_path) == live


@pytest.mark.slow
def test_killed_at_any_time_it_goes_on_and_gives_each_item_once(tmp_path: Path) -> None:
    paths = write_archive(tmp_path / "in", made_pages(2, 10), 6)
    options = options_for(tmp_path)
    lines, _ = one_process(paths, options)
    for least in (1, 5):
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(tmp_path)], cwd=ROOT / "tests", env=environment()
        )
        until = time.monotonic() + 60
        while len(results(tmp_path)) < least and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        there = lines_of(tmp_path)
        assert set(there) <= set(lines)
        assert len(set(there)) == len(there)
    before = results(tmp_path)
    assert len(before) >= 5
    assert harvest(paths, tmp_path, options).is_complete
    assert lines_of(tmp_path) == lines
    after = results(tmp_path)
    assert {path: after[path] for path in before} == before, "what was done is not done again"
    told = json.loads((tmp_path / "out" / "archive.json").read_text("utf-8"))
    assert told["items"] == len(lines)


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}


def results(folder: Path) -> dict[Path, int]:
    """Return the done markers that are there, each with its time."""
    return {path: path.stat().st_mtime_ns for path in (folder / "work").glob("*/**/*.json")}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ([], "FILE"),
        (["scrapy.cfg"], "scrapy.cfg is no WARC file"),
        (["in.warc", "--due"], "--due"),
        (["in.warc", "-s", "CORPUS_TABLES_FOLDER=t"], "CORPUS_TABLES_FOLDER is set"),
    ],
    ids=["nothing", "name", "option", "folder"],
)
@pytest.mark.slow
def test_a_wrong_call_leaves_with_2_and_says_why(
    project: Project, call: list[str], words: str
) -> None:
    _, err = project.run("harvest", "archive", *call, code=2)
    told = [line for line in err.splitlines() if "item pipelines" not in line]
    assert words in told[-1]
    assert "Traceback" not in err
