"""Two processes at once: the second is refused in one line, or both are right."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from crawler.demo.server import serve
from support.crawling import Held, Project, small_site

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
