"""``kill -9`` at random moments of a crawl that remembers: no page is lost, and none doubled."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from crawler.store.ledger.database import ledger_path
from crawler.store.ledger.ledger import Ledger
from support.crawling import Project, Site, html, small_site
from support.forking import ENVIRONMENT, LOG

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.demo.server import Answer

KILLS = 50
PAGES = 500


@pytest.mark.timeout(600)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes it has forked")
def test_fifty_kills_of_a_crawl_lose_and_double_nothing(
    project: Project, make_site: Callable[[Mapping[str, Answer]], Site]
) -> None:
    site = make_site({**small_site(PAGES), "/robots.txt": html("User-agent: *", kind="text/plain")})
    project.append("ownsettings.py", 'ITEM_PIPELINES = {}\nLOG_LEVEL = "WARNING"')
    project.append("ownsettings.py", 'CORPUS_PAGE_TYPES = "article"\nCORPUS_PROGRESS = "off"')
    killed = subprocess.run(
        [
            *(sys.executable, "-m", "support.killing", str(project.folder), str(KILLS)),
            *("0.8", "crawl", "site", "-a", f"url={site.url}", "-a", "from=links"),
            *("-s", "CORPUS_INCREMENTAL=True", "-s", "CORPUS_PART_ITEMS=37"),
        ],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    log = (project.folder / LOG).read_text("utf-8")
    assert killed.returncode == 0, killed.stderr + log[-5000:]
    assert "ERROR" not in log, log[-5000:]
    corpora = sorted(project.folder.glob("corpus-*"))
    assert corpora
    for corpus in corpora:
        name = site.url.split("/")[2]
        parts = sorted((corpus / "articles").glob("*/*"))
        assert {part.suffix for part in parts} == {".jsonl"}
        items = [
            json.loads(line) for part in parts for line in part.read_text("utf-8").split("\n")[:-1]
        ]
        assert sorted(item["url"] for item in items) == sorted(
            f"{site.url}a/{number}" for number in range(PAGES)
        )
        assert {item["change"] for item in items} == {"new"}
        assert len({item["text"] for item in items}) == PAGES
        assert list((corpus / "spool").glob("*")) == []
        with closing(sqlite3.connect(ledger_path(corpus / "ledger", name))) as raw:
            assert raw.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
        with Ledger(ledger_path(corpus / "ledger", name)) as ledger:
            assert ledger.parts(unfinished=True) == []
            assert all(run.ended for run in ledger.runs())
            assert list(ledger.rows("owed")) == []
            assert ledger.figures()["exported"] == PAGES
