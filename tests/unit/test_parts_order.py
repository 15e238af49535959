"""The names of parts sort in the order in which they were written, by any clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.core.page.page import Page
from crawler.journey.crawl_ledgers import CrawlLedgers
from crawler.journey.parts import mend_parts, name_after
from crawler.store.ledger.database import ledger_path
from crawler.store.ledger.ledger import Ledger
from crawler.store.spool import Spool

if TYPE_CHECKING:
    from pathlib import Path

SITE = "news.example"
MAY = "2026-05-01T10:00:00Z"
AHEAD, SOON, LATER = (f"{day}-060000-000000-7" for day in ("21340501", "20260502", "20260503"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    return tmp_path / "parts"


def open_ledger(tmp_path: Path) -> Ledger:
    return Ledger(ledger_path(tmp_path / "ledger", SITE))


def write_parts(ledger: Ledger, folder: Path, run: str, output: str, *, parts: int) -> None:
    ledger.begin_run(run, MAY)
    for _ in range(parts):
        part = ledger.begin_part(run, lambda number: f"{output}-{number:05}.jsonl", MAY)
        (folder / part.name).write_text(run)
        ledger.finish_part(run, part.number, MAY)


def test_a_name_follows_that_of_a_clock_ahead() -> None:
    assert name_after(SOON, "") == name_after(SOON, "20260501-060000-000000-9") == SOON
    assert name_after(SOON, AHEAD) == "21340501-060000-000001-7"
    assert name_after(SOON, SOON.replace("-7", "-9")) == "20260502-060000-000001-7"
    assert name_after(SOON, "part") == SOON
    assert name_after("mine", AHEAD) == "mine"


def test_parts_of_a_clock_ahead_come_before_those_written_later(
    tmp_path: Path, folder: Path
) -> None:
    with open_ledger(tmp_path) as ledger:
        for run, parts in ((AHEAD, 2), (SOON, 2), ("20260502-070000-000000-7", 1)):
            output = mend_parts(ledger, folder, run)
            write_parts(ledger, folder, run, output, parts=parts)
        names = [part.name for part in ledger.parts()]
        assert names == sorted(path.name for path in folder.iterdir())
        assert [(folder / name).read_text() for name in names][-1] == "20260502-070000-000000-7"
        assert mend_parts(ledger, folder, LATER) > names[-1].rpartition("-")[0]


def test_a_ledger_that_is_begun_anew_follows_the_parts_that_are_there(
    tmp_path: Path, folder: Path
) -> None:
    (folder / f"{AHEAD}-00003.jsonl").touch()
    (folder / "notes-of-mine.txt").touch()
    with open_ledger(tmp_path) as ledger:
        ledger.begin_run(SOON, MAY)
        assert mend_parts(ledger, folder, SOON) == name_after(SOON, AHEAD)


def test_the_spool_written_last_is_read_first(tmp_path: Path) -> None:
    url = f"https://{SITE}/a"
    for run, text in ((AHEAD, "old"), (SOON, "new")):
        with open_ledger(tmp_path) as ledger:
            ledger.begin_run(run, MAY)
        spool = Spool.create(tmp_path / "spool", run, started=MAY)
        spool.append(Page.from_text(url, text))
        spool.close()
    ledgers = CrawlLedgers(tmp_path, LATER, count=lambda _key, _number: None)
    ledgers.open(SITE)
    assert [spool.info.crawl_id for spool in ledgers._left_spools()] == [SOON, AHEAD]
    ledgers.close("finished", {})
