"""The ledger's file: one writer, sound after any end, and a clear word where it cannot be used."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from crawler.core.errors import StoreError
from crawler.store.ledger.database import SCHEMA_VERSION, ledger_path, move_aside
from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import Found

if TYPE_CHECKING:
    from pathlib import Path

MAY = "2024-05-01T10:00:00Z"
SITES = [
    "news.example",
    "News.example",
    "",
    ".",
    "..",
    "a/b",
    "../up",
    "con",
    "가" * 300,
    "a\0",
    "%",
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "corpus-data" / "ledger" / "news.example.sqlite"


def fill(path: Path, pages: int = 2000) -> None:
    with Ledger(path) as ledger:
        ledger.add_found(
            Found(f"https://news.example/{n}", "sitemap", MAY, kind=f"kind {n}" * 5)
            for n in range(pages)
        )


def quick_check(path: Path) -> str:
    with closing(sqlite3.connect(path)) as raw:
        (found,) = raw.execute("PRAGMA quick_check(1)").fetchone()
    return str(found)


def damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[8192:-4096] = b"\xa5" * (len(content) - 8192 - 4096)
    path.write_bytes(content)


def test_each_site_has_a_file_of_its_own(tmp_path: Path) -> None:
    paths = [ledger_path(tmp_path, site) for site in SITES]
    assert {path.parent for path in paths} == {tmp_path}
    assert len({path.name.casefold() for path in paths}) == len(SITES)
    assert ledger_path(tmp_path, "news.example").name == "news.example.sqlite"
    for path in paths:
        with Ledger(path) as ledger:
            ledger.add_found([Found("https://news.example/", "start", MAY)])


def test_what_was_added_is_there_when_the_ledger_is_opened_again(path: Path) -> None:
    fill(path)
    with Ledger(path) as ledger:
        assert ledger.pending() == 2000
        assert quick_check(path) == "ok"
    names = [path.name, *(f"{path.name}.{kind}" for kind in ("lock", "sum"))]
    assert sorted(file.name for file in path.parent.iterdir()) == names
    ledger.close()
    with pytest.raises(StoreError):
        ledger.pending()


def test_one_process_writes_and_others_may_look(path: Path) -> None:
    with Ledger(path) as ledger:
        with pytest.raises(StoreError, match="in use by another crawl"):
            Ledger(path)
        with pytest.raises(StoreError, match="in use"):
            move_aside(path)
        with Ledger(path, read_only=True) as looking:
            ledger.add_found([Found("https://news.example/", "start", MAY)])
            assert looking.pending() == 1
            with pytest.raises(StoreError):
                looking.add_found([Found("https://news.example/b", "start", MAY)])
    with Ledger(path) as ledger:
        assert ledger.pending() == 1


def test_looking_makes_no_ledger(path: Path) -> None:
    with pytest.raises(StoreError, match="does not exist"):
        Ledger(path, read_only=True)
    assert not path.parent.exists()
    path.parent.mkdir(parents=True)
    path.touch()
    with pytest.raises(StoreError, match="is empty"):
        Ledger(path, read_only=True)
    fill(path, 1)  # an empty file is what a kill at the very beginning leaves


def add_and_fail(ledger: Ledger) -> None:
    with ledger.transaction():
        ledger.add_found([Found("https://news.example/a", "start", MAY)])
        ledger.requeue("https://news.example/unknown")


def test_a_transaction_is_kept_whole_or_not_at_all(path: Path) -> None:
    with Ledger(path) as ledger:
        with pytest.raises(StoreError, match="add_found"):
            add_and_fail(ledger)
        assert ledger.pending() == 0
        with ledger.transaction():
            ledger.add_found([Found("https://news.example/a", "start", MAY)])
            with pytest.raises(StoreError):
                ledger.mark_fetching("https://news.example/a", "https://news.example/unknown")
            assert next(ledger.rows()).state == "queued", "the inner one left nothing"
        assert ledger.pending() == 1


def test_a_later_version_is_refused_and_left_alone(path: Path) -> None:
    fill(path, 1)
    with closing(sqlite3.connect(path)) as raw:
        raw.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(StoreError, match="Upgrade scrapy-corpus"):
            Ledger(path, read_only=read_only)
    assert path.read_bytes() == before


def test_another_database_is_no_ledger(path: Path) -> None:
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("CREATE TABLE pages (url TEXT)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="no ledger of this project"):
        Ledger(path)
    assert path.read_bytes() == before


def test_a_file_of_something_else_is_named_and_moved_on_request_alone(path: Path) -> None:
    path.parent.mkdir(parents=True)
    content = b"<!doctype html>" * 1000
    path.write_bytes(content)
    for _ in range(2):
        with pytest.raises(StoreError, match="is damaged"):
            Ledger(path)
    assert path.read_bytes() == content
    assert move_aside(path).read_bytes() == content
    fill(path, 1)
    assert move_aside(path).name == f"{path.name}.aside-2"
    with pytest.raises(StoreError, match="does not exist"):
        move_aside(path)


def test_damage_within_is_found_where_it_is_met(path: Path) -> None:
    fill(path)
    damage(path)
    with Ledger(path) as ledger, pytest.raises(StoreError, match="is damaged"):
        list(ledger.rows())
    assert quick_check(path) != "ok"


def test_a_file_that_was_cut_is_damaged(path: Path) -> None:
    fill(path)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    with pytest.raises(StoreError, match="is damaged"), Ledger(path) as ledger:
        list(ledger.rows())


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be locked"):
        Ledger(tmp_path / "file" / "news.example.sqlite")
    (tmp_path / "folder.sqlite").mkdir()
    with pytest.raises(StoreError, match="permissions"):
        Ledger(tmp_path / "folder.sqlite")


def test_a_full_disk_is_told_and_loses_nothing(path: Path) -> None:
    fill(path, 10)
    with Ledger(path) as ledger:
        (pages,) = ledger._connection.execute("PRAGMA page_count").fetchone()
        ledger._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        many = [Found(f"https://news.example/more/{n}", "link", MAY) for n in range(1000)]
        with pytest.raises(StoreError, match="disk is full"):
            ledger.add_found(many)
        assert ledger.pending() == 10
        assert quick_check(path) == "ok"
