"""The spool: one owner, no page lost, no half page given."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from crawler.core.errors import StoreError
from crawler.core.page.page import Page
from crawler.store.archive import WarcWriter, read_pages
from crawler.store.spool import Spool, SpoolInfo, find_spools, spool_info

STARTED = "2024-05-01T10:00:00Z"
ROOT = Path(__file__).parents[2]


def made_page(number: int) -> Page:
    return Page(f"http://a.example/{number}", b"<p>%d</p>" % number * 500, "text/html")


def run(code: str, *arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


APPEND_FOR_EVER = """
import sys
from crawler.core.page.page import Page
from crawler.store.spool import Spool
spool = Spool.create(sys.argv[1], "killed", started="2024-05-01T10:00:00Z", spider="site")
number = 0
while True:
    spool.append(Page(f"http://a.example/{number}", b"<p>%d</p>" % number * 500, "text/html"))
    number += 1
    print(number, flush=True)
"""


def test_a_killed_process_loses_no_page_it_was_promised(tmp_path: Path) -> None:
    path = tmp_path / "killed.spool.warc.gz"
    with run(APPEND_FOR_EVER, tmp_path) as process:
        try:
            assert process.stdout is not None
            assert [int(process.stdout.readline()) for _ in range(50)] == [*range(1, 51)]
            with pytest.raises(StoreError, match="in use by another process"):
                Spool.open(path)
            assert [info.in_use for info in find_spools(tmp_path)] == [True]
        finally:
            process.kill()
        promised = [50, *map(int, process.stdout.read().split())][-1]
    spool = Spool.open(path)
    assert len(spool) >= promised
    assert list(spool.pages()) == [made_page(number) for number in range(len(spool))]
    spool.close()
    assert find_spools(tmp_path) == [SpoolInfo(path, "killed", STARTED, "site", {}, len(spool))]


def test_half_a_page_at_the_end_is_no_page(tmp_path: Path) -> None:
    spool = Spool.create(tmp_path, "cut", started=STARTED)
    for number in range(3):
        spool.append(made_page(number))
    spool.close()
    content = spool.path.read_bytes()
    spool.path.write_bytes(content[:-40])
    with_cut = Spool.open(spool.path)
    assert list(with_cut.pages()) == [made_page(0), made_page(1)]
    with_cut.close()
    assert find_spools(tmp_path)[0].pages == 2


def test_damage_in_the_middle_costs_one_page_and_is_known(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    spool = Spool.create(tmp_path, "hurt", started=STARTED)
    offsets = []
    for number in range(3):
        offsets.append(spool.path.stat().st_size)
        spool.append(made_page(number))
    spool.close()
    content = bytearray(spool.path.read_bytes())
    content[offsets[1] + 30] ^= 0xFF
    spool.path.write_bytes(content)
    with pytest.raises(StoreError, match="page 1 is damaged"):
        list(spool.pages())
    again = Spool.open(spool.path)
    assert list(again.pages()) == [made_page(0), made_page(2)]
    again.close()
    (damage,) = again.info.damage
    assert f"at byte {offsets[1]}" in damage
    assert spool_info(spool.path).damage == again.info.damage
    assert [info.damage for info in find_spools(tmp_path)] == [again.info.damage]
    # Whoever works on the pages tells of it, once.
    assert caplog.records == []


def test_pages_are_read_while_others_are_added(tmp_path: Path) -> None:
    spool = Spool.create(tmp_path, "live", started=STARTED)
    spool.append(made_page(0))
    reading = spool.pages()
    spool.append(made_page(1))
    assert list(reading) == [made_page(0)]
    assert list(spool.pages()) == [made_page(0), made_page(1)]
    spool.close()


def test_a_spool_keeps_what_a_replay_needs(tmp_path: Path) -> None:
    settings = {"CORPUS_MODE": "two-pass", "CORPUS_TEXT_METHOD": "빈도\r\nx: y", "n": [1, None]}
    spool = Spool.create(tmp_path / "new", "c", started=STARTED, spider="블로그", settings=settings)
    spool.append(made_page(0))
    assert spool.info.in_use
    spool.close()
    info = find_spools(tmp_path / "new")[0]
    assert info == spool.info
    assert (info.crawl_id, info.started, info.spider) == ("c", STARTED, "블로그")
    assert (info.settings, info.pages, info.drained) == (settings, 1, False)


def test_a_drained_spool_is_the_archive_of_its_crawl(tmp_path: Path) -> None:
    spool = Spool.create(tmp_path, "done", started=STARTED)
    spool.append(made_page(0))
    spool.finish(keep=True)
    assert spool.path == tmp_path / "done.warc.gz"
    assert list(spool.pages()) == [made_page(0)]
    assert [(info.path, info.drained) for info in find_spools(tmp_path)] == [(spool.path, True)]
    assert list(read_pages([spool.path], on_skip=lambda *_: None)) == [made_page(0)]
    with pytest.raises(StoreError, match="archive of a crawl of that name"):
        Spool.create(tmp_path, "done", started=STARTED)


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("name", ["done.warc.gz", "copy.gz", "spool.warc.gz"])
def test_what_is_no_waiting_spool_is_never_removed(
    tmp_path: Path, name: str, *, keep: bool
) -> None:
    made = Spool.create(tmp_path, "made", started=STARTED)
    made.append(made_page(0))
    made.close()
    archive = made.path.rename(tmp_path / name)
    spool = Spool.open(archive)
    spool.finish(keep=keep)
    assert spool.path == archive
    assert list(spool.pages()) == [made_page(0)]
    assert [path.name for path in tmp_path.glob("*.gz")] == [name]


def test_an_archive_is_not_replaced_by_a_spool_of_its_name(tmp_path: Path) -> None:
    spool = Spool.create(tmp_path, "twice", started=STARTED)
    (tmp_path / "twice.warc.gz").write_bytes(b"another crawl")
    with pytest.raises(StoreError, match=r"twice.warc.gz exists already"):
        spool.finish(keep=True)
    assert (tmp_path / "twice.warc.gz").read_bytes() == b"another crawl"
    assert spool.path.exists()


@pytest.mark.parametrize(
    "facts",
    [
        {"crawl_id": "a", "started": STARTED, "spider": None, "settings": {}},
        {"crawl_id": "a", "started": STARTED, "spider": "s", "settings": [1]},
        {"crawl_id": "../a", "started": STARTED, "spider": "s", "settings": {}},
        {"crawl_id": "a", "started": 5, "spider": "s", "settings": {}},
        {"crawl_id": "a", "started": STARTED, "speed": 9},
        {"crawl_id": "a"},
        ["a"],
        None,
    ],
)
def test_facts_that_no_crawl_wrote_make_no_spool(
    tmp_path: Path, facts: object, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "odd.spool.warc.gz"
    WarcWriter(path, date=STARTED, info={"x-corpus-spool": json.dumps(facts)}).close()
    for read in (Spool.open, spool_info):
        with pytest.raises(StoreError, match="is no spool"):
            read(path)
    assert find_spools(tmp_path) == []
    assert "odd.spool.warc.gz holds no spool" in caplog.text


def test_one_crawl_owns_its_spool(tmp_path: Path) -> None:
    spool = Spool.create(tmp_path, "mine", started=STARTED)
    with pytest.raises(StoreError, match="File exists"):
        Spool.create(tmp_path, "mine", started=STARTED)
    spool.close()
    with pytest.raises(StoreError, match="closed"):
        spool.append(made_page(0))
    reader = Spool.open(spool.path)
    with pytest.raises(StoreError, match="opened to read"):
        reader.append(made_page(0))
    with pytest.raises(StoreError, match="in use"):
        Spool.open(spool.path)
    reader.finish(keep=False)
    reader.finish(keep=False)
    assert find_spools(tmp_path) == []


def test_a_spool_taken_away_is_said(tmp_path: Path) -> None:
    spool = Spool.create(tmp_path, "gone", started=STARTED)
    spool.append(made_page(0))
    spool.path.unlink()
    with pytest.raises(StoreError, match="moved or deleted"):
        list(spool.pages())
    with pytest.raises(StoreError, match="cannot be renamed"):
        spool.finish(keep=True)
    spool.finish(keep=False)


def test_what_is_no_spool_is_told_apart(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "other.warc.gz").write_bytes(b"not even gzip")
    (tmp_path / "cut.spool.warc.gz").write_bytes(b"\x1f\x8b")
    (tmp_path / "notes.txt").write_text("x")
    assert find_spools(tmp_path) == []
    assert find_spools(tmp_path / "none") == []
    assert "cut.spool.warc.gz holds no spool" in caplog.text
    assert "other.warc.gz" not in caplog.text
    with pytest.raises(StoreError, match="is no spool"):
        Spool.open(tmp_path / "other.warc.gz")
    with pytest.raises(StoreError, match="Check the path"):
        Spool.open(tmp_path / "none.warc.gz")
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be made"):
        Spool.create(tmp_path / "file" / "spool", "a", started=STARTED)


FILL_THE_DISK = """
import random, resource, signal, sys
from crawler.core.errors import StoreError
from crawler.core.page.page import Page
from crawler.store.spool import Spool
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (22_000, 22_000))
spool = Spool.create(sys.argv[1], "full", started="2024-05-01T10:00:00Z")
try:
    for number in range(100):
        spool.append(Page(f"http://a.example/{number}", random.Random(number).randbytes(3000)))
except StoreError as error:
    print(error)
spool.append(Page("http://a.example/small", b"fits"))
print(len(spool), [page.url[-5:] for page in spool.pages()])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="file size limits are a Unix thing")
def test_a_full_disk_is_said_and_costs_no_page_held(tmp_path: Path) -> None:
    with run(FILL_THE_DISK, tmp_path) as process:
        try:
            output = process.communicate(timeout=60)[0]
        finally:
            process.kill()
    assert "full.spool.warc.gz cannot be written" in output
    assert "Free space" in output
    # Six pages of 3,000 random bytes fit; half of the seventh was taken off again.
    assert output.splitlines()[-1].startswith("7 [")
    assert output.splitlines()[-1].endswith("'small']")
    assert find_spools(tmp_path)[0].pages == 7
