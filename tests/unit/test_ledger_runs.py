"""The ledger's runs and parts: pages count as exported with their whole part, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import StoreError
from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import Fetched, Found, Part, Run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAY = "2024-05-01T10:00:00Z"
JUNE = "2024-06-01T10:00:00Z"
NAME = "pages-{}.jsonl".format
A, B = "https://news.example/a", "https://news.example/b"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "news.example.sqlite") as opened:
        opened.add_found([Found(A, "start", MAY), Found(B, "start", MAY)])
        opened.mark_fetched(Fetched(A, 200, MAY, "a1"))
        opened.mark_fetched(Fetched(B, 200, MAY, "b1"))
        opened.begin_run("one", MAY)
        yield opened


def owed(ledger: Ledger) -> set[str]:
    return {row.address for row in ledger.rows("owed")}


def test_runs_are_kept_in_order_with_what_they_say(ledger: Ledger) -> None:
    ledger.end_run("one", JUNE, "finished", {"pages": 3, "kinds": ["기사"]})
    ledger.begin_run("two", JUNE)
    assert ledger.runs() == [
        Run("one", MAY, JUNE, "finished", {"pages": 3, "kinds": ["기사"]}),
        Run("two", JUNE),
    ]
    ledger.begin_run("one", JUNE)
    assert ledger.runs()[0].ended == "", "it goes on"
    assert ledger.runs()[0].started == MAY


def test_pages_count_with_their_finished_part(ledger: Ledger) -> None:
    assert ledger.begin_part("one", NAME, MAY) == Part("one", 1, "pages-1.jsonl", MAY)
    ledger.mark_exported("one", A, "a1", 1)
    ledger.mark_exported("one", A, "a1", 1)
    ledger.mark_exported("one", B, "b1", 1)
    ledger.mark_fetched(Fetched(B, 200, MAY, "b2"))
    assert owed(ledger) == {A, B}
    assert ledger.parts(unfinished=True) == [Part("one", 1, "pages-1.jsonl", MAY, pages=2)]
    ledger.finish_part("one", 1, JUNE)
    assert ledger.parts() == [Part("one", 1, "pages-1.jsonl", MAY, JUNE, 2)]
    assert ledger.parts(unfinished=True) == []
    assert owed(ledger) == {B}, "an earlier version of it was exported"
    assert {row.address: row.exported_hash for row in ledger.rows()} == {A: "a1", B: "b1"}


def test_a_discarded_part_leaves_its_pages_owed(ledger: Ledger) -> None:
    part = ledger.begin_part("one", NAME, MAY).number
    ledger.mark_exported("one", A, "a1", part)
    ledger.discard_part("one", part)
    assert owed(ledger) == {A, B}
    assert ledger.parts() == []
    assert ledger.begin_part("one", NAME, MAY).number == part


def test_parts_are_numbered_for_each_run(ledger: Ledger) -> None:
    ledger.begin_run("two", JUNE)
    numbers = [ledger.begin_part(run, NAME, MAY).number for run in ("one", "one", "two", "one")]
    assert numbers == [1, 2, 1, 3]


def test_what_was_not_begun_cannot_be_used(ledger: Ledger) -> None:
    with pytest.raises(StoreError):
        ledger.begin_part("two", NAME, MAY)
    with pytest.raises(StoreError, match="part 1 of run one"):
        ledger.mark_exported("one", A, "a1", 1)
    with pytest.raises(StoreError, match="ISO 8601"):
        ledger.begin_run("two", "")
    part = ledger.begin_part("one", NAME, MAY).number
    with pytest.raises(StoreError, match="add_found"):
        ledger.mark_exported("one", A + "x", "a1", part)
    ledger.finish_part("one", part, MAY)
    with pytest.raises(StoreError, match="part 1 of run one"):
        ledger.mark_exported("one", A, "a1", part)
    with pytest.raises(StoreError, match="part 1 of run one"):
        ledger.discard_part("one", part)
