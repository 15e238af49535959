"""The folder of CSV files: names, files, the index, and what a second crawl does."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest

from crawler.core.errors import OptionError
from crawler.items import PageItem
from crawler.tablefolder import INDEX, INDEX_COLUMNS, TableFolder, check_folder, file_name

if TYPE_CHECKING:
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
        url=f"https://s.example/{name}", site="s.example", tables=list(tables), fetched_at=time
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
]


@pytest.mark.parametrize(("url", "site"), HOSTILE)
def test_names_are_safe_whatever_the_address(url: str, site: str) -> None:
    name = file_name(url, site, 7)
    folder, _, rest = name.partition("/")
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-./")
    assert "/" not in rest
    assert not folder.startswith((".", "-"))
    assert not rest.startswith((".", "-"))
    assert folder.partition(".")[0] not in {"con", "nul", ""}
    assert len(name) < 160


def test_names_differ_where_addresses_do() -> None:
    pages = [*HOSTILE, *((f"https://s.example/{n}?", "s.example") for n in ("a", "A", "a/", "a//"))]
    names = {file_name(url, site, number).lower() for url, site in pages for number in range(3)}
    assert len(names) == 3 * len(pages)
    assert file_name("https://s.example/Tea%20shop/", "s.example", 0).startswith(
        "s.example/tea-shop-"
    )


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
        'Na me,=1+1\n"two lines, ""quoted""",@x\n가\\ud800,\n'
    )
    assert tuple(first) == INDEX_COLUMNS
    assert first == {
        "file": first["file"], "url": "https://s.example/tea", "site": "s.example", "number": "0",
        "heading": "", "caption": "Prices", "kind": "table", "rows": "2", "columns": "2",
        "header_rows": "1", "header_columns": "0", "records": "1",
        "types": '{"Name":"string","Price":"real"}', "method": "rules", "reason": "caption",
        "fetched_at": "2024",
    }  # fmt: skip
    assert json.loads(second["types"]) == {"Na\nme": "", "=1+1": ""}


def test_the_index_is_right_while_the_crawl_runs(tmp_path: Path) -> None:
    folder = TableFolder(tmp_path)
    folder.put(page("a", table(0), table(1)))
    assert [row["file"] for row in index(tmp_path)] == files(tmp_path)


def test_a_second_crawl_replaces_the_tables_of_its_pages_and_leaves_others(tmp_path: Path) -> None:
    first = TableFolder(tmp_path)
    first.put(page("a", table(0), table(1)))
    first.put(page("b", table(0)))
    first.put(page("c", table(0)))
    first.close()
    second = TableFolder(tmp_path)
    assert (first.found, second.found) == (0, 4)
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
    (tmp_path / file_name("https://s.example/gone", "s.example", 0)).unlink()
    whole = (tmp_path / INDEX).read_bytes().splitlines(keepends=True)
    outside = whole[1].replace(b"s.example/a-", b"../../a-", 1)
    (tmp_path / INDEX).write_bytes(b"".join([*whole, outside, b"x,y\n", b'"open\n', whole[1][:-3]]))
    TableFolder(tmp_path).close()
    (row,) = index(tmp_path)
    assert row["url"] == "https://s.example/a"


def test_a_folder_that_cannot_be_used_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OptionError, match="is a file, not a folder"):
        check_folder(tmp_path / "file")
    (tmp_path / INDEX).write_text("my,own\n1,2\n")
    with pytest.raises(OptionError, match="is no index of tables"):
        TableFolder(tmp_path)
    assert (tmp_path / INDEX).read_text() == "my,own\n1,2\n"
    check_folder(tmp_path / "new" / "folder")
    assert not (tmp_path / "new").exists()
