"""What a killed crawl has left is said, and a JOBDIR is for one crawl at a time."""

from __future__ import annotations

import pickle
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from scrapy.utils.test import get_crawler

from crawler.core.errors import OptionError, StoreError
from crawler.extensions.leftovers import Leftovers
from crawler.store.spool import Spool, waiting_spools

if TYPE_CHECKING:
    from pathlib import Path

MAY = "2026-05-01T10:00:00Z"


def begin(folder: Path, **settings: object) -> Leftovers:
    own = {"CORPUS_DIR": str(folder), **settings}
    crawler = get_crawler(settings_dict=own)
    crawler.engine = SimpleNamespace(spider=None)  # type: ignore[assignment] # it has stopped
    return Leftovers.from_crawler(crawler)


def end(leftovers: Leftovers) -> None:
    """End a crawl in order; there is nothing to wait for."""
    with pytest.raises(StopIteration):
        leftovers.engine_stopped().send(None)


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
    with pytest.raises(StoreError):
        begin(tmp_path, JOBDIR=str(tmp_path / "job"))
    end(first)
    end(begin(tmp_path, JOBDIR=str(tmp_path / "job")))


def test_a_jobdir_of_a_killed_crawl_is_said_to_lack_pages(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    job = str(tmp_path / "job")
    end(begin(tmp_path, JOBDIR=job))
    killed = begin(tmp_path, JOBDIR=job)
    assert job not in caplog.text
    killed._release()
    end(begin(tmp_path, JOBDIR=job))
    assert job in caplog.text


def test_a_jobdir_that_cannot_be_made_ends_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "job").touch()
    with pytest.raises(StoreError):
        begin(tmp_path, JOBDIR=str(tmp_path / "job"))


def test_spools_that_wait_are_named_in_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    spools = [Spool.create(tmp_path / "spool", name, started=MAY) for name in ("a", "b", "c")]
    for spool in spools:
        spool.close()
    begin(tmp_path).spider_opened()
    (record,) = caplog.records
    assert all(str(spool.path) in record.getMessage() for spool in spools)


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_crawl_that_goes_on_does_not_replace_its_items(
    tmp_path: Path, *, is_killed: bool
) -> None:
    file, job = tmp_path / "out.jsonl", str(tmp_path / "job")
    replaced = {str(file): {"format": "jsonlines", "overwrite": True}}
    file.write_text("{}")
    first = begin(tmp_path, JOBDIR=job, FEEDS=replaced)
    assert first.stats.get_value("corpus/resumed") is None
    if is_killed:
        first._release()
    else:
        end(first)
    with pytest.raises(OptionError, match="add to this one"):
        begin(tmp_path, JOBDIR=job, FEEDS=replaced)
    added = begin(tmp_path, JOBDIR=job, FEEDS={str(file): {"format": "jsonlines"}})
    assert added.stats.get_value("corpus/resumed") == 1
    end(added)
    file.unlink()
    end(begin(tmp_path, JOBDIR=job, FEEDS=replaced))


STATE, SEEN, CHUNK = "spider.state", "requests.seen", "requests.queue/s/0/q00000"
ACTIVE, INFO = "requests.queue/active.json", "requests.queue/s/0/info.json"


def paused(folder: Path) -> Path:
    """Make a JOBDIR as a crawl leaves it that was stopped by Ctrl-C."""
    job = folder / "job"
    crawl = begin(folder, JOBDIR=str(job))
    (job / CHUNK).parent.mkdir(parents=True)
    (job / STATE).write_bytes(pickle.dumps({"corpus_frontier": list(range(99))}))
    (job / SEEN).write_bytes(b"\0\x14" + bytes(20))
    (job / CHUNK).write_bytes(b"\0\0\0\4abcd")
    (job / ACTIVE).write_text('{"s": [0]}')
    (job / INFO).write_text('{"size": 1}')
    end(crawl)
    return job


@pytest.mark.parametrize("name", [STATE, SEEN, CHUNK, ACTIVE, INFO, "corpus.seal"])
@pytest.mark.parametrize("kind", ["cut", "flipped", "empty", "missing"])
def test_a_damaged_jobdir_is_refused(tmp_path: Path, name: str, kind: str) -> None:
    job = paused(tmp_path)
    whole = (job / name).read_bytes()
    flipped = whole[:5] + bytes([whole[5] ^ 1]) + whole[6:]
    if kind == "missing":
        (job / name).unlink()
    else:
        (job / name).write_bytes({"cut": whole[:-3], "flipped": flipped, "empty": b""}[kind])
    if name == "corpus.seal" and kind == "missing":
        end(begin(tmp_path, JOBDIR=str(job)))
        return
    for _ in range(2):
        with pytest.raises(StoreError) as caught:
            begin(tmp_path, JOBDIR=str(job))
        assert name in str(caught.value) or name == "corpus.seal"
    (job / name).write_bytes(whole)
    end(begin(tmp_path, JOBDIR=str(job)))


@pytest.mark.parametrize("noted", [b"5", b"[1]", b'{"spider.state": [1]}'])
def test_a_seal_that_is_no_seal_is_damage(tmp_path: Path, noted: bytes) -> None:
    job = paused(tmp_path)
    (job / "corpus.seal").write_bytes(noted)
    with pytest.raises(StoreError):
        begin(tmp_path, JOBDIR=str(job))


@pytest.mark.parametrize("name", [STATE, ACTIVE, INFO])
def test_a_file_that_a_killed_crawl_wrote_in_part_is_refused(tmp_path: Path, name: str) -> None:
    job = paused(tmp_path)
    begin(tmp_path, JOBDIR=str(job))._release()
    (job / name).write_bytes((job / name).read_bytes()[:-3])
    with pytest.raises(StoreError):
        begin(tmp_path, JOBDIR=str(job))


def test_an_output_is_for_one_crawl_at_a_time(tmp_path: Path) -> None:
    file, dated = tmp_path / "out.jsonl", tmp_path / "%(time)s.jsonl"
    feeds = {str(path): {"format": "jsonlines"} for path in (file, dated)}
    first = begin(tmp_path, FEEDS=feeds)
    with pytest.raises(StoreError):
        begin(tmp_path, FEEDS=feeds)
    end(begin(tmp_path, FEEDS={str(dated): {"format": "jsonlines"}}))
    end(first)
    end(begin(tmp_path, FEEDS=feeds))
    assert list(tmp_path.iterdir()) == []
