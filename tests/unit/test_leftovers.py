"""What a killed crawl has left is said, and a JOBDIR is for one crawl at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scrapy.utils.test import get_crawler

from crawler.extensions.leftovers import JobdirExit, Leftovers
from crawler.store.spool import Spool, waiting_spools

if TYPE_CHECKING:
    from pathlib import Path

MAY = "2026-05-01T10:00:00Z"


def begin(folder: Path, **settings: object) -> Leftovers:
    own = {"CORPUS_DIR": str(folder), **settings}
    return Leftovers.from_crawler(get_crawler(settings_dict=own))


@pytest.mark.parametrize("incremental", [False, True])
def test_spools_that_wait_are_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, *, incremental: bool
) -> None:
    left, used = (Spool.create(tmp_path / "spool", name, started=MAY) for name in ("a", "b"))
    left.close()
    assert list(waiting_spools(tmp_path / "spool")) == [left.path]
    begin(tmp_path, CORPUS_INCREMENTAL=incremental).spider_opened()
    assert (str(left.path) in caplog.text) is not incremental
    assert str(used.path) not in caplog.text
    used.close()


def test_a_jobdir_is_for_one_crawl_at_a_time(tmp_path: Path) -> None:
    first = begin(tmp_path, JOBDIR=str(tmp_path / "job"))
    with pytest.raises(JobdirExit):
        begin(tmp_path, JOBDIR=str(tmp_path / "job"))
    first.engine_stopped()
    begin(tmp_path, JOBDIR=str(tmp_path / "job")).engine_stopped()


def test_a_jobdir_of_a_killed_crawl_is_said_to_lack_pages(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    job = str(tmp_path / "job")
    begin(tmp_path, JOBDIR=job).engine_stopped()
    killed = begin(tmp_path, JOBDIR=job)
    assert job not in caplog.text
    assert killed._lock is not None
    killed._lock.release()
    begin(tmp_path, JOBDIR=job).engine_stopped()
    assert job in caplog.text


def test_a_jobdir_that_cannot_be_made_ends_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "job").touch()
    with pytest.raises(JobdirExit):
        begin(tmp_path, JOBDIR=str(tmp_path / "job"))
