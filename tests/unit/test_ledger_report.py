"""What ``scrapy ledger`` tells of ledgers, of sound ones and of others."""

from __future__ import annotations

import argparse
import json
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import Settings

from crawler.commands.ledger import LedgerCommand
from crawler.core.errors import StoreError
from crawler.reports.ledger import LISTS, read_site
from crawler.store.ledger.database import ledger_path
from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import GONE_HASH, Fetched, Found

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
    opts = {**dict.fromkeys([*LISTS, "json", "move_aside"], False), "limit": 20, **options}
    settings = Settings({"CORPUS_DIR": str(path.parent.parent)})
    command = LedgerCommand()
    command.settings = settings
    command.run(list(args), argparse.Namespace(**opts))
    assert command.exitcode == code


def test_a_site_is_told_by_state_with_its_runs_and_parts(path: Path) -> None:
    report = read_site(SITE, path)
    assert report["states"] == {
        "queued": 2,
        "fetching": 1,
        "fetched": 1,
        "gone": 2,
        "refused": 1,
        "failed": 2,
    }
    assert report["articles"] == 2, "one of three is exported as gone"
    assert [run["id"] for run in report["runs"]] == ["one", "two"]
    assert report["runs"][0]["figures"]["corpus/incremental/new"] == 3
    assert report["runs"][-1] == {
        "id": "two",
        "started": JUNE,
        "ended": None,
        "reason": None,
        "figures": {},
    }
    parts = [(part["name"], part["pages"]) for part in report["unfinished_parts"]]
    assert parts == [("two-00002.jsonl", 0)]
    assert not report.keys() & LISTS.keys()


def listed(report: dict[str, Any], name: str) -> tuple[int, list[tuple[object, ...]]]:
    return report[name]["number"], [tuple(one.values()) for one in report[name]["first"]]


def test_addresses_are_listed_with_reason_and_date(path: Path) -> None:
    report = read_site(SITE, path, tuple(LISTS))
    assert list(report["failed"]["first"][0]) == ["address", "date", "status", "tries", "reason"]
    assert listed(report, "failed") == (
        2,
        [
            (page(4), JULY, 500, 2, "HTTP status 500"),
            (page(3), JUNE, 0, 1, "timeout [기사]"),
        ],
    )
    assert listed(report, "gone") == (
        2,
        [
            (page(1), JULY, 410, 0, "the next crawl exports it as gone"),
            (page(0), JUNE, 404, 0, "exported as gone"),
        ],
    )
    assert listed(report, "refused") == (1, [(page(6), JUNE, 0, 0, f"duplicate: {page(2)}")])
    assert listed(report, "waiting") == (
        3,
        [
            (page(7), MAY, 0, 0, "under way"),
            (page(8), MAY, 0, 0, "found by sitemap"),
            (page(5), JULY, 0, 1, "failed before: reset"),
        ],
    )


@pytest.mark.parametrize("name", LISTS)
def test_a_limit_gives_the_first_of_a_list_and_their_number(path: Path, name: Any) -> None:  # noqa: ANN401 - a literal
    number, first = listed(read_site(SITE, path, (name,)), name)
    for limit in range(1, number + 2):
        assert listed(read_site(SITE, path, (name,), limit), name) == (number, first[:limit])


def test_lists_of_nothing(tmp_path: Path) -> None:
    path = tmp_path / "empty.sqlite"
    Ledger(path).close()
    report = read_site("empty", path, tuple(LISTS))
    assert [listed(report, name) for name in LISTS] == [(0, [])] * len(LISTS)
    assert report["runs"] == []


def test_other_reasons(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with Ledger(path) as ledger:
        ledger.add_found([Found(page(n), "link", MAY) for n in range(2)])
        ledger.mark_fetched(Fetched(page(0), 404, MAY))
        ledger.mark_fetched(Fetched(page(1), 200, MAY, "h"))
        ledger.requeue(page(1))
    report = read_site("other", path, ("gone", "waiting"))
    assert [one["reason"] for one in report["gone"]["first"]] == ["never exported"]
    assert [one["reason"] for one in report["waiting"]["first"]] == ["asked for again"]


def test_a_ledger_is_read_beside_a_crawl_that_writes_it(path: Path) -> None:
    with Ledger(path) as ledger:
        before = read_site(SITE, path)["states"]
        with ledger.transaction():
            ledger.mark_fetching(page(8))
            assert read_site(SITE, path)["states"] == before
        assert read_site(SITE, path)["states"]["fetching"] == before["fetching"] + 1
        ledger.mark_failed(page(8), "the crawl writes on", at=JULY)


def test_a_damaged_ledger_says_what_to_do(path: Path) -> None:
    for sidecar in path.parent.glob("*-*"):
        sidecar.unlink()
    data = path.read_bytes()
    for damage in (b"x" * 5000, data[:4096] + b"\x99" * (len(data) - 4096)):
        path.write_bytes(damage)
        with pytest.raises(StoreError, match=r"damaged.*'scrapy ledger news.example --move-aside'"):
            read_site(SITE, path)


def test_damage_that_sqlite_does_not_see_is_an_error_too(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE pages SET state = 77 WHERE state = 5")
    connection.close()
    with pytest.raises(StoreError, match=r"the ledger is damaged.*--move-aside"):
        read_site(SITE, path)


def test_one_that_is_no_ledger_keeps_its_own_advice(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (a)")
    connection.close()
    with pytest.raises(StoreError, match=r"no ledger of this project. Move it away.*folder\.$"):
        read_site("other", path)


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
    assert ["waiting", "to", "be", "fetched", "2"] in rows
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


def test_json_holds_the_same(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(path, SITE, json=True, failed=True, limit=1)
    told = json.loads(capsys.readouterr().out)
    assert told["states"]["gone"] == 2
    assert told["articles"] == 2
    assert told["runs_in_all"] == 2
    assert [run["id"] for run in told["runs"]] == ["two"]
    assert told["runs"][0]["ended"] is None
    assert told["unfinished_parts"][0]["name"] == "two-00002.jsonl"
    assert told["failed"]["number"] == 2
    assert [one["address"] for one in told["failed"]["first"]] == [page(4)]
    call(path, json=True)
    assert [one["site"] for one in json.loads(capsys.readouterr().out)["sites"]] == [SITE]


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
    ([SITE], {"move_aside": True, "json": True}, "--move-aside takes no other option"),
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
