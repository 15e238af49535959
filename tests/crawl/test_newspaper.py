"""A newspaper that is crawled daily for a month: little is fetched twice, and nothing is missed."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from support.forking import Forks
from support.newspaper.pages import Newspaper
from support.newspaper.server import Asked, serve_newspaper

if TYPE_CHECKING:
    from pathlib import Path

    from support.crawling import Project

DAYS = 30


def articles(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the last version of each article that is there."""
    items: dict[str, dict[str, Any]] = {}
    for part in sorted(folder.glob("articles/*/*.jsonl")):
        for line in part.read_text("utf-8").split("\n")[:-1]:
            item = json.loads(line)
            items[item["url"]] = item
    return {url: item for url, item in items.items() if item["change"] != "gone"}


@pytest.mark.timeout(900)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="runs crawls in forked processes")
def test_a_month_of_daily_crawls_is_as_good_as_one_full_crawl(project: Project) -> None:
    project.append("ownsettings.py", 'ITEM_PIPELINES = {}\nCORPUS_PAGE_TYPES = "article"')
    project.append("ownsettings.py", "CORPUS_SENTENCES = CORPUS_TABLES = False")
    project.append("ownsettings.py", "ROBOTSTXT_OBEY = True")
    paper, asked = Newspaper(days=DAYS), list[Asked]()
    with serve_newspaper(paper, asked) as base, Forks(project.folder) as forks:
        crawl = ("crawl", "site", "-a", f"url={base}/", "-s", "CORPUS_INCREMENTAL=True")
        for paper.day in range(1, DAYS + 1):
            forks.run(*crawl, "-s", "CORPUS_DIR=daily")
        bodies = sum(each.is_article_body for each in asked)
        # What one full crawl of each day would have fetched.
        daily = sum(len(paper.out(day)) for day in range(1, DAYS + 1))
        forks.run(*crawl, "-s", "CORPUS_DIR=full")
    assert bodies <= 1.1 * (len(paper.stories) + paper.edits())
    assert daily > 30_000
    union, full = articles(project.folder / "daily"), articles(project.folder / "full")
    printed = paper.articles(base=base)
    assert set(union) == set(full) == set(printed)
    told = {url: (item["title"], item["text"]) for url, item in union.items()}
    assert told == {url: (item["title"], item["text"]) for url, item in full.items()}
    for url, story in printed.items():
        assert full[url]["title"] == story.title
        lines = full[url]["text"].split("\n")
        assert [line for line in lines if line in story.paragraphs] == list(story.paragraphs)
    assert {item["change"] for item in full.values()} == {"new"}
    assert sum(item["change"] == "changed" for item in union.values()) >= 100
