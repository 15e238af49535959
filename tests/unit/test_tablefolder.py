"""The folder of CSV files: names, files, the index, and what a second crawl does."""

from __future__ import annotations

import csv
import json
import resource
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Spider
from scrapy.utils.test import get_crawler

from crawler.core.errors import OptionError, StoreError
from crawler.extensions.output_guard import OutputGuard
from crawler.items import PageItem
from crawler.pipelines.folders import INDEX, TableFolder, TableFolderPipeline, page_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def table(number: int = 0, **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - any key
    return {
        "number": number,
        "path": "html/body/table",
        "heading": None,
        "caption": "Prices",
        "kind": "table",
        "rows": 2,
        "columns": 2,
        "title_rows": 0,
        "header_rows": 1,
        "header_columns": 0,
        "rows_left_out": 0,
        "cells": [["Name", "Price"], ["Tea", "1.50"]],
        "types": {"Name": "string", "Price": "real"},
        "records": [{"Name": "Tea", "Price": "1.50"}],
        "values": [{"Price": {"value": "1.50"}}],
        "verdict": {
            "is_genuine": True, "method": "rules", "reason": "caption", "rule": 1,
            "coherency": None, "main_type": "", "attribute_class": "", "confidence": None,
        },
        **changes,
    }  # fmt: skip


def page(name: str, *tables: dict[str, Any], time: str = "2024") -> PageItem:
    return PageItem(
        url=f"https://s.example/{name}",
        site="s.example",
        language="en",
        tables=list(tables),
        fetched_at=time,
    )


def index(folder: Path) -> list[dict[str, str]]:
    with (folder / INDEX).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def files(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.name != INDEX
    )


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """Let no file grow beyond ``size`` bytes, as on a disk that is full."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)


HOSTILE = [
    ("https://s.example/../../etc/passwd", "s.example"),
    ("https://s.example/%2e%2e%2f%2e%2e%2fetc", "../../.."),
    ("https://s.example/" + "a" * 5000, "x" * 5000),
    ("https://s.example/a\x00b\nc", "s\x00\n.example"),
    ("C:\\con\\nul", "CON"),
    ("", ""),
    ("file:///tmp/x", "/etc"),
    ("https://글.example/글", "글.example"),
    ("https://s.example/?a=../..&b=$(rm)", "~"),
    ("\ud800", "\udfff"),
    ("https://index.csv/", "Index.csv"),
]


@pytest.mark.parametrize(("url", "site"), HOSTILE)
def test_names_are_safe_whatever_the_address(url: str, site: str) -> None:
    name = f"{page_name(url, site)}-7.csv"
    assert TableFolder.names.fullmatch(name)
    folder, _, rest = name.partition("/")
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-./")
    assert "/" not in rest
    assert not folder.startswith((".", "-"))
    assert not rest.startswith((".", "-"))
    assert folder.partition(".")[0] not in {"con", "nul", ""}
    assert folder != INDEX
    assert len(name) < 160


def test_names_differ_where_addresses_do() -> None:
    pages = [*HOSTILE, *((f"https://s.example/{n}?", "s.example") for n in ("a", "A", "a/", "a//"))]
    names = {page_name(url, site).lower() for url, site in pages}
    assert len(names) == len(pages)
    assert page_name("https://s.example/Tea%20shop/", "s.example").startswith("s.example/tea-shop-")


def test_each_genuine_table_is_a_file_with_a_header_and_a_line_a_record(tmp_path: Path) -> None:
    folder = TableFolder(tmp_path / "not" / "yet")
    odd = table(
        4,
        types={"Na\nme": "", "=1+1": ""},
        records=[
            {"Na\nme": 'two\nlines, "quoted"', "=1+1": "@x"},
            {"Na\nme": "가\ud800", "=1+1": ""},
        ],
    )
    layout = table(2, verdict={**table()["verdict"], "is_genuine": False})
    empty = table(3, types={}, records=[], values=[])
    assert folder.put(page("tea", table(0), layout, empty, odd)) == 2
    assert folder.put(page("none")) == 0
    assert folder.put(PageItem(url="https://s.example/off", tables=None)) == 0
    folder.close()
    first, second = index(folder.folder)
    assert files(folder.folder) == sorted((first["file"], second["file"]))
    assert (folder.folder / first["file"]).read_text("utf-8") == "Name,Price\nTea,1.50\n"
    assert (folder.folder / second["file"]).read_text("utf-8") == (
        'Na me,\'=1+1\n"two lines, ""quoted""",\'@x\n가\\ud800,\n'
    )
    assert tuple(first) == TableFolder.columns
    assert first == {
        "file": first["file"], "url": "https://s.example/tea", "site": "s.example",
        "language": "en", "number": "0", "path": "html/body/table", "heading": "",
        "caption": "Prices", "kind": "table", "rows": "2", "columns": "2", "title_rows": "0",
        "header_rows": "1", "header_columns": "0", "rows_left_out": "0", "records": "1",
        "types": '{"Name":"string","Price":"real"}', "method": "rules", "reason": "caption",
        "confidence": "", "fetched_at": "2024",
    }  # fmt: skip
    assert json.loads(second["types"]) == {"Na\nme": "", "=1+1": ""}


def test_the_index_is_right_while_the_crawl_runs(tmp_path: Path) -> None:
    folder = TableFolder(tmp_path)
    folder.put(page("a", table(0), table(1)))
    assert [row["file"] for row in index(tmp_path)] == files(tmp_path)


def test_a_second_crawl_replaces_the_tables_of_its_pages_and_leaves_others(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = TableFolder(tmp_path)
    first.put(page("a", table(0), table(1)))
    first.put(page("b", table(0)))
    first.put(page("c", table(0)))
    first.close()
    with caplog.at_level("INFO"):
        second = TableFolder(tmp_path)
    assert "holds 4 tables of earlier crawls" in caplog.text
    second.put(page("a", table(1, caption="New"), time="2025"))
    second.put(page("b", time="2025"))
    assert second.put(page("with a space", table(0))) == 1
    third = TableFolder(tmp_path)
    third.put(page("with a space"))
    third.close()
    second.close()
    rows = {
        row["file"]: (row["url"][-1], row["caption"], row["fetched_at"]) for row in index(tmp_path)
    }
    assert sorted(rows.values()) == [("a", "New", "2025"), ("c", "Prices", "2024")]
    assert sorted(rows) == files(tmp_path)


def test_of_an_address_that_comes_twice_the_last_holds(tmp_path: Path) -> None:
    folder = TableFolder(tmp_path)
    folder.put(page("a", table(0), table(1)))
    folder.put(page("a", table(0, caption="Again")))
    folder.close()
    assert [row["caption"] for row in index(tmp_path)] == ["Again"]
    assert len(files(tmp_path)) == 1


def test_what_a_killed_crawl_left_is_set_right(tmp_path: Path) -> None:
    killed = TableFolder(tmp_path)
    killed.put(page("a", table(0)))
    killed.put(page("gone", table(0)))
    (tmp_path / f"{page_name('https://s.example/gone', 's.example')}-0.csv").unlink()
    whole = (tmp_path / INDEX).read_bytes().splitlines(keepends=True)
    outside = whole[1].replace(b"s.example/a-", b"../../a-", 1)
    (tmp_path / INDEX).write_bytes(b"".join([*whole, outside, b"x,y\n", b'"open\n', whole[1][:-3]]))
    TableFolder(tmp_path).close()
    (row,) = index(tmp_path)
    assert row["url"] == "https://s.example/a"


def test_a_folder_that_cannot_be_used_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OptionError, match="is a file, not a folder"):
        TableFolder.check(tmp_path / "file")
    (tmp_path / INDEX).write_text("my,own\n1,2\n")
    with pytest.raises(OptionError, match="is no index of tables"):
        TableFolder(tmp_path)
    assert (tmp_path / INDEX).read_text() == "my,own\n1,2\n"
    TableFolder.check(tmp_path / "new" / "folder")
    assert not (tmp_path / "new").exists()


def test_a_row_that_cannot_be_written_whole_costs_no_other(tmp_path: Path) -> None:
    folder = TableFolder(tmp_path)
    folder.put(page("a", table(0)))
    folder.put(page("b", table(0)))
    before = (tmp_path / INDEX).read_bytes()
    with files_up_to(len(before) + 20), pytest.raises(StoreError, match="too large"):
        folder.put(page("b", table(0), table(1)))
    assert (tmp_path / INDEX).read_bytes() == before
    folder.put(page("c", table(0)))
    folder.close()
    assert sorted(row["url"][-1] for row in index(tmp_path)) == ["a", "c"]
    assert files(tmp_path) == sorted(row["file"] for row in index(tmp_path))


def test_tables_that_failed_half_way_are_replaced_by_the_page_that_comes_again(
    tmp_path: Path,
) -> None:
    folder = TableFolder(tmp_path)
    long = table(1, records=[{"Name": "Tea " * 300, "Price": "1.50"}])
    with files_up_to(1_000), pytest.raises(StoreError, match="too large"):
        folder.put(page("a", table(0), long))
    assert len(files(tmp_path)) == 1, "nothing half written is left"
    folder.put(page("a", table(2)))
    folder.close()
    (row,) = index(tmp_path)
    assert (row["number"], files(tmp_path)) == ("2", [row["file"]])


def test_a_full_disk_is_told_once_and_counted_and_the_items_go_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    crawler = get_crawler(Spider, {"CORPUS_TABLES_FOLDER": str(tmp_path / "t")})
    pipeline = TableFolderPipeline.from_crawler(crawler)
    pages = [page(str(number), table(0)) for number in range(3)]
    with files_up_to(0):
        pipeline.open_spider()
        assert pipeline.process_item(page("none")).url.endswith("none")
        assert pipeline.process_item(pages[0]) is pages[0]
        assert pipeline.process_item(pages[1]) is pages[1]
    assert pipeline.process_item(pages[2]) is pages[2]
    with files_up_to(0):
        pipeline.close_spider()
    assert crawler.stats is not None
    assert crawler.stats.get_value("corpus/tables/failed") == 2
    assert crawler.stats.get_value("corpus/tables/files") == 1
    (told,) = [record.getMessage() for record in caplog.records]
    assert "The folder of tables cannot be written" in told
    assert all(record.exc_info is None for record in caplog.records)
    assert [row["url"][-1] for row in index(tmp_path / "t")] == ["2"]
    assert not list(tmp_path.rglob("*.part"))


def test_pages_whose_tables_are_lost_are_a_reason_to_keep_the_held_ones(tmp_path: Path) -> None:
    feeds = {str(tmp_path / "o.jsonl"): {"format": "jsonlines"}}
    crawler = get_crawler(Spider, {"FEEDS": feeds})
    watch = OutputGuard.from_crawler(crawler)
    assert crawler.stats is not None
    assert watch.failure() is None
    crawler.stats.set_value("corpus/tables/failed", 2)
    assert watch.failure() == "pages whose tables could not be written: 2"
