"""Two processes at once: the second is refused in one line, or both are right."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from crawler.core.page.page import Page
from crawler.demo.server import serve
from crawler.harvest.archive.run import locked
from support.archives import write_archive
from support.crawling import Held, Project, article, small_site
from support.harvests import quick_plan

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES = 6


@pytest.fixture
def held() -> Iterator[tuple[Held, str]]:
    """A site that answers two requests, and the others when it is told to."""
    pages = Held(small_site(PAGES - 1), first=2)
    with serve(pages) as url:
        yield pages, url
        pages.let_go.set()


@pytest.mark.parametrize(
    "shared",
    [
        ("-O", "new.jsonl"),
        ("-O", "old.jsonl"),
        ("-o", "old.jsonl"),
        ("-O", "one.jsonl", "-s", "JOBDIR=job"),
        ("-O", "one.jsonl", "-s", "CORPUS_TABLES_FOLDER=tables"),
        ("-O", "one.jsonl", "-s", "CORPUS_INCREMENTAL=1"),
    ],
)
def test_the_second_crawl_is_refused_in_one_line(
    project: Project, held: tuple[Held, str], shared: tuple[str, ...]
) -> None:
    pages, url = held
    (project.folder / "old.jsonl").write_text('{"url": "of an earlier crawl"}\n', "utf-8")
    crawl = ("crawl", "site", "-a", f"url={url}/", *shared)
    first = project.start(*crawl)
    project.wait_for(lambda: bool(project.spools()), first)
    second = [argument.replace("one.", "two.") for argument in crawl]
    _, err = project.run(*second, code=1)
    assert "Traceback" not in err
    assert len([line for line in err.splitlines() if re.search("in use by|written by", line)]) == 1
    pages.let_go.set()
    assert first.wait(120) == 0
    items = [item["url"] for item in project.items(shared[1])]
    assert len(set(items)) == len(items) == PAGES + (shared[0] == "-o")
    assert not (project.folder / "two.jsonl").exists()
    left = [path.name for path in project.folder.glob(".*.lock")]
    assert left == []


def test_crawls_of_one_state_folder_are_both_whole(
    project: Project, held: tuple[Held, str]
) -> None:
    pages, url = held
    started = [
        project.start("crawl", "site", "-a", f"url={url}/", "-O", f"{name}.jsonl")
        for name in ("one", "two")
    ]
    project.wait_for(lambda: bool(project.spools()), started[0])
    pages.let_go.set()
    for process in started:
        assert process.wait(120) == 0
    for name in ("one", "two"):
        items = {item["url"] for item in project.items(f"{name}.jsonl")}
        assert len(items) == PAGES
    out, _ = project.run("counts")
    assert f" {PAGES} " in out


def test_the_second_harvest_of_a_site_says_that_it_runs(
    project: Project, held: tuple[Held, str]
) -> None:
    pages, url = held
    plan = quick_plan(f'[[site]]\nid = "held"\naddresses = ["{url}/"]')
    (project.folder / "harvest.toml").write_text(plan, "utf-8")
    folder = project.folder / "out" / "sites" / "held"
    first = project.start("harvest", "run", "harvest.toml")
    project.wait_for(lambda: any(folder.glob("spool/*.gz")), first)
    _, err = project.start("harvest", "run", "harvest.toml").communicate()
    assert err.count("a run of this site is under way elsewhere") == 1
    assert "Traceback" not in err
    pages.let_go.set()
    assert first.wait(120) == 0
    parts = folder.glob("articles/**/*.jsonl")
    lines = [line for part in parts for line in part.read_text("utf-8").splitlines()]
    assert len({json.loads(line)["url"] for line in lines}) == len(lines) == PAGES


def test_the_second_command_on_an_archive_is_refused_in_one_line(project: Project) -> None:
    page = Page("https://a.example/1", article(1).encode(), fetched_at="2026-05-01T10:00:00Z")
    (path,) = write_archive(project.folder / "in", [page], 1)
    call = ("harvest", "archive", str(path), "-O", "out", "--work", "work")
    for folder in ("out", "work"):
        with locked(project.folder / folder, "-O"):
            _, err = project.run(*call, code=2)
        assert len([line for line in err.splitlines() if "is in use already" in line]) == 1
        assert "Traceback" not in err
    project.run(*call)
