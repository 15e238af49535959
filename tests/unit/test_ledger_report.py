"""What ``scrapy ledger`` tells of ledgers, of sound ones and of others."""

from __future__ import annotations

import argparse
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import Settings

from crawler.commands.ledger import LedgerCommand
from crawler.core.errors import StoreError
from crawler.reports.ledger import LISTS, addresses, reading, reason
from crawler.store.ledger.database import ledger_path
from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import GONE_HASH, STATES, Fetched, Found

if TYPE_CHECKING:
    from pathlib import Path

MAY, JUNE, JULY = (f"2026-0{month}-01T10:00:00Z" for month in (5, 6, 7))
SITE = "news.example"


def page(number: int) -> str:
    return f"https://{SITE}/{number}"


def export(ledger: Ledger, run: str, at: str, names: dict[int, str]) -> None:
    part = ledger.begin_part(run, f"{run}-{{:05}}.jsonl".format, at)
    for number, name in names.items():
        ledger.mark_exported(run, page(number), name, part.number)
    ledger.finish_part(run, part.number, at)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Make the ledger of a site that was crawled twice, the second time not to the end."""
    path = ledger_path(tmp_path / "ledger", SITE)
    with Ledger(path) as ledger:
        ledger.begin_run("one", MAY)
        ledger.add_found(
            [Found(page(n), "sitemap", MAY, listed=f"2026-04-0{n + 1}") for n in range(9)]
        )
        for number in (0, 1, 2):
            ledger.mark_fetched(Fetched(page(number), 200, MAY, f"h{number}"))
        export(ledger, "one", MAY, {0: "h0", 1: "h1", 2: "h2"})
        figures = {"corpus/incremental/new": 3, "corpus/pages/fetched": 4}
        ledger.end_run("one", MAY, "finished", figures)
        ledger.begin_run("two", JUNE)
        ledger.mark_fetched(Fetched(page(0), 404, JUNE))
        ledger.mark_fetched(Fetched(page(1), 410, JULY))
        export(ledger, "two", JUNE, {0: GONE_HASH})
        ledger.mark_failed(page(5), "reset", at=JULY)
        ledger.retry_failed(1, now=JULY)
        ledger.mark_failed(page(3), "timeout [기사]", at=JUNE)
        ledger.mark_failed(page(4), "HTTP status 500", at=JULY, status=500)
        ledger.mark_failed(page(4), "HTTP status 500", at=JULY, status=500)
        ledger.mark_refused(page(6), "duplicate", at=JUNE, instead=page(2))
        ledger.mark_fetching(page(7))
        ledger.begin_part("two", "two-{:05}.jsonl".format, JULY)
    return path


def call(path: Path, *args: str, code: int = 0, **options: object) -> None:
    opts = {**dict.fromkeys([*LISTS, "move_aside"], False), "limit": 20, **options}
    settings = Settings({"CORPUS_DIR": str(path.parent.parent)})
    command = LedgerCommand()
    command.settings = settings
    command.run(list(args), argparse.Namespace(**opts))
    assert command.exitcode == code


def listed(path: Path, name: Any, limit: int = 0) -> tuple[int, list[tuple[object, ...]]]:  # noqa: ANN401 - a literal
    with reading(path) as ledger:
        number, rows = addresses(ledger, name, limit)
    return number, [(row.address, row.asked_at, row.status, row.tries, reason(row)) for row in rows]


def states(path: Path) -> dict[str, int]:
    with reading(path) as ledger:
        figures = ledger.figures()
        return {state: figures[state] for state in STATES}


def test_addresses_are_listed_with_reason_and_date(path: Path) -> None:
    assert listed(path, "failed") == (
        2,
        [
            (page(4), JULY, 500, 2, "HTTP status 500"),
            (page(3), JUNE, 0, 1, "timeout [기사]"),
        ],
    )
    assert listed(path, "gone") == (
        2,
        [
            (page(1), JULY, 410, 0, "the next crawl exports it as gone"),
            (page(0), JUNE, 404, 0, "exported as gone"),
        ],
    )
    assert listed(path, "refused") == (1, [(page(6), JUNE, 0, 0, f"duplicate: {page(2)}")])
    assert listed(path, "waiting") == (
        3,
        [
            (page(7), "", 0, 0, "under way"),
            (page(8), "", 0, 0, "found by sitemap"),
            (page(5), JULY, 0, 1, "failed before: reset"),
        ],
    )


@pytest.mark.parametrize("name", LISTS)
def test_a_limit_gives_the_first_of_a_list_and_their_number(path: Path, name: Any) -> None:  # noqa: ANN401 - a literal
    number, first = listed(path, name)
    for limit in range(1, number + 2):
        assert listed(path, name, limit) == (number, first[:limit])


def test_lists_of_nothing(tmp_path: Path) -> None:
    path = tmp_path / "empty.sqlite"
    Ledger(path).close()
    assert [listed(path, name) for name in LISTS] == [(0, [])] * len(LISTS)


def test_other_reasons(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with Ledger(path) as ledger:
        ledger.add_found([Found(page(n), "link", MAY) for n in range(2)])
        ledger.mark_fetched(Fetched(page(0), 404, MAY))
        ledger.mark_fetched(Fetched(page(1), 200, MAY, "h"))
        ledger.requeue(page(1))
    assert [one[-1] for one in listed(path, "gone")[1]] == ["never exported"]
    assert [one[-1] for one in listed(path, "waiting")[1]] == ["asked for again"]


def test_a_ledger_is_read_beside_a_crawl_that_writes_it(path: Path) -> None:
    with Ledger(path) as ledger:
        before = states(path)
        with ledger.transaction():
            ledger.mark_fetching(page(8))
            assert states(path) == before
        assert states(path)["fetching"] == before["fetching"] + 1
        ledger.mark_failed(page(8), "the crawl writes on", at=JULY)


def test_a_damaged_ledger_says_what_to_do(path: Path) -> None:
    for sidecar in path.parent.glob("*-*"):
        sidecar.unlink()
    data = path.read_bytes()
    for damage in (b"x" * 5000, data[:4096] + b"\x99" * (len(data) - 4096)):
        path.write_bytes(damage)
        with pytest.raises(StoreError, match=r"damaged.*'scrapy ledger news.example --move-aside'"):
            states(path)


def test_damage_that_sqlite_does_not_see_is_an_error_too(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE pages SET state = 77 WHERE state = 5")
    connection.close()
    with pytest.raises(StoreError, match=r"the ledger is damaged.*--move-aside"):
        listed(path, "failed")


def test_one_that_is_no_ledger_keeps_its_own_advice(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (a)")
    connection.close()
    with pytest.raises(StoreError, match=r"no ledger of this project. Move it away.*folder\.$"):
        states(path)


def test_sites_are_listed(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Ledger(ledger_path(path.parent, "127.0.0.1:80")).close()
    call(path)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"ledgers in {path.parent}: 2 sites"
    assert lines[3].split() == ["127.0.0.1:80", *"0000000", *"-----"]
    assert lines[4].split()[:8] == [SITE, "9", "3", "1", "1", "2", "2", "2"]
    assert lines[4].split()[8:] == [JUNE, "under", "way,", "or", "killed", *"---"]


def test_a_site_is_shown(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(path, SITE)
    out = capsys.readouterr().out
    assert out.startswith(f"{SITE}: 9 addresses, 2 articles in the corpus, 2 runs; {path}\n")
    rows = [line.split() for line in out.splitlines()]
    shown = {" ".join(row[:-1]): row[-1] for row in rows if row}
    told = ("waiting to be fetched", "under way", "fetched", "refused", "failed", "gone")
    assert [shown[name] for name in told] == ["2", "1", "1", "1", "2", "2"]
    assert [MAY, MAY, "finished", "4", "3", "0", "0", "0"] in rows
    assert [JUNE, "-", "under", "way,", "or", "killed", *"-----"] in rows
    assert ["two-00002.jsonl", JULY, "0"] in rows
    call(path, SITE, limit=1)
    out = capsys.readouterr().out
    assert "run (last 1)" in out
    assert MAY not in out


def test_lists_are_shown_as_far_as_the_limit(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call(path, SITE, failed=True, gone=True, limit=1)
    out = capsys.readouterr().out.splitlines()
    assert out[0] == f"{SITE}, failed (could not be fetched): 2"
    assert out[2].split() == [JULY, "500", "2", "HTTP", "status", "500", page(4)]
    assert out[3] == "and 1 more; --limit 0 lists all"
    assert out[4].startswith(f"{SITE}, gone (")
    call(path, SITE, failed=True, limit=0)
    assert "more; --limit" not in capsys.readouterr().out


def test_a_ledger_that_cannot_be_read_costs_no_other(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path.parent / "bad.example.sqlite").write_bytes(b"bad" * 1000)
    call(path, code=1)
    told = capsys.readouterr()
    assert SITE in told.out
    (line,) = told.err.splitlines()
    assert line.startswith("scrapy ledger: ")
    assert "bad.example --move-aside" in line


def test_a_ledger_is_moved_aside(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Ledger(path):
        call(path, SITE, move_aside=True, code=1)
    assert "in use by another crawl" in capsys.readouterr().err
    call(path, SITE, move_aside=True)
    assert capsys.readouterr().out.startswith(f"moved to {path}.aside-1; ")
    assert not path.exists()
    call(path)
    assert capsys.readouterr().out.startswith(f"No ledgers in {path.parent}: ")


MISTAKES: list[tuple[list[str], dict[str, object], str]] = [
    (["news.exampel"], {}, "no ledger of 'news.exampel' in"),
    (["https://news.exampel/"], {}, "the nearest name is news.example"),
    (["zzz"], {}, "there are: news.example"),
    (["a", "b"], {}, "name one site at a time"),
    (["--fail"], {}, "unknown option --fail"),
    ([], {"gone": True}, "name the site for --gone"),
    ([], {"move_aside": True}, "name the site for --move-aside"),
    ([SITE], {"move_aside": True, "gone": True}, "--move-aside takes no other option"),
]


@pytest.mark.parametrize(("args", "options", "words"), MISTAKES)
def test_a_mistake_is_one_line(
    path: Path,
    args: list[str],
    options: dict[str, object],
    words: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    call(path, *args, code=2, **options)
    told = capsys.readouterr()
    assert told.out == ""
    (line,) = told.err.splitlines()
    assert line.startswith("scrapy ledger: ")
    assert words in line
