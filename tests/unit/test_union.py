"""The corpus as it is now: the last version of each article, from parts in any format."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest
from itemadapter import ItemAdapter
from pyarrow import parquet
from scrapy.exporters import JsonLinesItemExporter

from crawler.core.errors import UnreadableInputError
from crawler.exporters.feeds import CorpusCsvItemExporter, ParquetItemExporter
from crawler.exporters.formats import format_of, without_format
from crawler.exporters.merge_parts import LastItems, find_parts, read_rows, write_articles
from crawler.items import FIELD_ORDER, PageItem
from crawler.store.files import file_name, known_sites, site_named

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

EXPORTERS = {
    "jsonl": JsonLinesItemExporter,
    "csv": CorpusCsvItemExporter,
    "parquet": ParquetItemExporter,
}
FORMATS = sorted(EXPORTERS)
SITE = "https://news.example"


def write_part(folder: Path, number: int, items: Sequence[Any], ending: str = "jsonl") -> Path:
    """Write a part as crawls do."""
    path = folder / f"20261127-060000-000000-{4000 + number}-00001.{ending}"
    with path.open("wb") as file:
        exporter = EXPORTERS[ending](file, encoding="utf-8")
        exporter.start_exporting()
        for item in items:
            exporter.export_item(item)
        exporter.finish_exporting()
    return path


def article(path: str, text: str = "", **fields: Any) -> PageItem:  # noqa: ANN401 - as items have
    return PageItem(f"{SITE}{path}", **{"text": text, "change": "new", **fields})


def gone(path: str) -> PageItem:
    return article(path, change="gone")


def full(path: str) -> PageItem:
    """Make an item whose fields have values of all kinds, some of which do not fit all formats."""
    return article(
        path,
        'One "line",\nand\u2028another\x85 한글 ;',
        title="",
        authors=["A, B", "편집부"],
        confidence=0.1 + 0.2,
        frequency_threshold=3,
        sentences=[{"block": 0, "text": "One."}],
        tables=[{"cells": [["1", None]]}],
        blocks=[{"text": "a", "kept": True, "reason": "", "frequency": 1, "score": 0.5}],
        fields={"section": "news", "seen": [1, 2]},
    )


def now(folder: Path, ending: str = "jsonl") -> tuple[tuple[int, int, int], bytes]:
    file = io.BytesIO()
    parts, _ = find_parts(folder)
    return write_articles(LastItems(parts), file, ending), file.getvalue()


def texts(folder: Path) -> dict[str, str]:
    """Return the text of each article that is there, by the path of its address."""
    lines = now(folder)[1].decode().split("\n")[:-1]
    return {
        item["url"].removeprefix(SITE): item["text"]
        for item in (json.loads(line) for line in lines)
    }


@pytest.mark.parametrize("ending", FORMATS)
def test_the_last_version_of_each_article_stays(tmp_path: Path, ending: str) -> None:
    write_part(tmp_path, 1, [article("/a", "1"), article("/b", "1"), article("/c", "1")], ending)
    write_part(tmp_path, 2, [article("/b", "2"), gone("/c"), article("/a", "2")], ending)
    write_part(tmp_path, 3, [gone("/a"), article("/d", "3"), article("/d", "4")], ending)
    assert texts(tmp_path) == {"/b": "2", "/d": "4"}
    assert now(tmp_path)[0] == (2, 5, 2)


def test_one_that_came_back_is_there(tmp_path: Path) -> None:
    write_part(tmp_path, 1, [article("/a", "1")])
    write_part(tmp_path, 2, [gone("/a")])
    write_part(tmp_path, 3, [article("/a", "1")])
    assert texts(tmp_path) == {"/a": "1"}


def test_addresses_are_compared_as_ledgers_know_them(tmp_path: Path) -> None:
    write_part(tmp_path, 1, [article("/a?b=1&a=2", "1"), article("/%7Eb#top", "1")])
    write_part(tmp_path, 2, [gone("/a?a=2&b=1"), article("/~b", "2")])
    assert texts(tmp_path) == {"/~b": "2"}


def test_an_article_of_several_pages_replaces_what_its_pages_were(tmp_path: Path) -> None:
    pages = [f"{SITE}/a", f"{SITE}/a?p=2"]
    write_part(tmp_path, 1, [article("/a", "1"), article("/a?p=2", "2")])
    write_part(tmp_path, 2, [article("/a", "1 and 2", parts=pages)])
    assert texts(tmp_path) == {"/a": "1 and 2"}
    write_part(tmp_path, 3, [gone("/a?p=2")])
    assert texts(tmp_path) == {"/a": "1 and 2"}, "its crawl has it changed where it changed"
    write_part(tmp_path, 4, [article("/a?p=2", "a page of its own")])
    assert texts(tmp_path) == {"/a": "1 and 2", "/a?p=2": "a page of its own"}


def test_parts_follow_one_another_by_run_and_number(tmp_path: Path) -> None:
    for number in (99_999, 100_000, 7):
        path = write_part(tmp_path, number, [article("/a", str(number))])
        path.rename(tmp_path / f"run-{number:05}.jsonl")
    assert texts(tmp_path) == {"/a": "100000"}
    assert [part.number for part in find_parts(tmp_path)[0]] == [7, 99_999, 100_000]


@pytest.mark.parametrize("read", FORMATS)
def test_articles_are_written_in_the_formats_of_pages(tmp_path: Path, read: str) -> None:
    write_part(tmp_path, 1, [full("/a"), article("/b", "Two.")], read)
    written, book = now(tmp_path, "xlsx")
    assert written == (2, 0, 0)
    rows = list(openpyxl.load_workbook(io.BytesIO(book)).worksheets[0].values)
    assert [row[0] for row in rows] == ["url", f"{SITE}/a", f"{SITE}/b"]
    assert now(tmp_path, "tei")[1].count(b"<TEI ") == 2
    assert [row["text"] for row in json.loads(now(tmp_path, "json")[1])][1] == "Two."


def test_only_known_formats_are_written() -> None:
    known = ("jsonl", "tei", "prevertical")
    assert format_of("a.jsonl", known) == ("a.jsonl", "jsonl")
    assert format_of("s3://a/b.xml:tei", known) == ("s3://a/b.xml", "tei")
    assert without_format(["a.jsonl", "b.vert:prevertical"], known) is None
    assert "q.vert:prevertical?" in str(without_format(["a.jsonl", "q.vert"], known))
    assert "q.txt" in str(without_format(["q.txt"], known))
    assert "-:jsonl?" in str(without_format(["-"], known))


@pytest.mark.parametrize("read", FORMATS)
@pytest.mark.parametrize("write", FORMATS)
def test_every_format_becomes_every_other(tmp_path: Path, read: str, write: str) -> None:
    items = [full("/a"), article("/b", "=1+1"), article("/c", "'-x")]
    write_part(tmp_path, 1, items, read)
    written, data = now(tmp_path, write)
    assert written == (3, 0, 0)
    (there := tmp_path / "there").mkdir()
    (there / f"run-00001.{write}").write_bytes(data)
    (part,), _ = find_parts(there)
    expected = [ItemAdapter(item).asdict() for item in items]
    if "csv" in {read, write}:
        # An empty cell is no value.
        expected[0]["title"] = None
    assert list(read_rows(part)) == expected


@pytest.mark.parametrize("ending", FORMATS)
def test_parts_of_several_formats_are_read_together(tmp_path: Path, ending: str) -> None:
    for number, read in enumerate(FORMATS):
        write_part(tmp_path, number, [full(f"/{read}"), article("/a", read)], read)
    assert list(texts(tmp_path)) == ["/csv", "/jsonl", "/parquet", "/a"]
    written, data = now(tmp_path, ending)
    assert written == (4, 2, 0)
    if ending == "parquet":
        schema = parquet.read_schema(io.BytesIO(data))
        assert schema.equals(parquet.read_schema(write_part(tmp_path, 9, [full("/")], "parquet")))


def test_fields_that_only_some_items_have_are_in_every_format(tmp_path: Path) -> None:
    write_part(tmp_path, 1, [{"url": f"{SITE}/a", "text": "1"}])
    write_part(tmp_path, 2, [{"url": f"{SITE}/b", "own": {"x": 1}, "text": "2"}])
    rows = list(csv.DictReader(io.StringIO(now(tmp_path, "csv")[1].decode(), newline="")))
    assert rows == [
        {"url": f"{SITE}/a", "text": "1", "own": ""},
        {"url": f"{SITE}/b", "text": "2", "own": '{"x":1}'},
    ]
    table = parquet.read_table(io.BytesIO(now(tmp_path, "parquet")[1])).to_pylist()
    assert [row["own"] for row in table] == [None, '{"x":1}']
    assert json.loads(now(tmp_path)[1].splitlines()[0]) == {"url": f"{SITE}/a", "text": "1"}


@pytest.mark.parametrize("ending", FORMATS)
def test_a_corpus_of_nothing_is_a_file_without_items(tmp_path: Path, ending: str) -> None:
    write_part(tmp_path, 1, [gone("/a")])
    written, data = now(tmp_path, ending)
    assert written == (0, 0, 1)
    if ending == "jsonl":
        assert data == b""
    elif ending == "csv":
        assert data.decode().strip().split(",") == list(FIELD_ORDER)
    else:
        assert parquet.read_table(io.BytesIO(data)).num_rows == 0


def test_values_that_fit_no_column_of_parquet_come_back(tmp_path: Path) -> None:
    strange = article("/a", "1", fields={"a": 1})
    strange.site_pages = "many"  # type: ignore[assignment] # as a pipeline may do
    write_part(tmp_path, 1, [strange], "parquet")
    (item,) = [json.loads(line) for line in now(tmp_path)[1].splitlines()]
    assert item["site_pages"] == "many"
    assert item["fields"] == {"a": 1}


def test_long_cells_are_read_and_the_limit_of_others_stays(tmp_path: Path) -> None:
    limit = csv.field_size_limit()
    write_part(tmp_path, 1, [article("/a", "x" * (limit + 1))], "csv")
    assert len(texts(tmp_path)["/a"]) == limit + 1
    assert csv.field_size_limit() == limit


def test_what_is_no_part_is_named_apart(tmp_path: Path) -> None:
    part = write_part(tmp_path, 1, [article("/a")])
    (tmp_path / f"{part.name}.aside").write_bytes(b"half")
    (tmp_path / "notes.jsonl").write_text("{}")
    (tmp_path / "run-00001.jsonl.gz").write_bytes(b"")
    (tmp_path / "folder-00001.jsonl").mkdir()
    parts, others = find_parts(tmp_path)
    assert [one.path for one in parts] == [part]
    assert others == [
        f"{part.name}.aside", "folder-00001.jsonl", "notes.jsonl", "run-00001.jsonl.gz",
    ]  # fmt: skip


BROKEN = [
    ("jsonl", b'{"url": "https://a.example/", "te', "line 1: the part cannot be read"),
    ("jsonl", b'{"url": "https://a.example/"}\n\xff\n', "line 2: the part cannot be read"),
    ("jsonl", b"[1]\n", "the line is no JSON object"),
    ("jsonl", b"[" * 100_000, "line 1: the part cannot be read"),
    ("jsonl", b'{"url": "https://a.example/"}\n{"text": ""}\n', "item 2 has no url"),
    ("jsonl", b'{"url": 3}\n', "item 1 has no url"),
    ("jsonl", b"", "holds no item"),
    ("csv", b"", "holds no item"),
    ("csv", b"url,text\r\n", "holds no item"),
    ("csv", b"url,text\r\nhttps://a.example/\r\n", "line 2: the part cannot be read"),
    ("csv", b'url,text\r\nhttps://a.example/,"x', "the part cannot be read"),
    ("csv", b"url,text\r\nhttps://a.example/,\xff\r\n", "the part cannot be read"),
    ("parquet", b"", "the part cannot be read"),
    ("parquet", b"PAR1" + b"\0" * 100 + b"PAR1", "the part cannot be read"),
]


@pytest.mark.parametrize(("ending", "data", "words"), BROKEN)
def test_a_broken_part_is_an_error_and_nothing_is_passed_over(
    tmp_path: Path, ending: str, data: bytes, words: str
) -> None:
    write_part(tmp_path, 1, [article("/a")])
    broken = tmp_path / f"run-00001.{ending}"
    broken.write_bytes(data)
    with pytest.raises(UnreadableInputError, match=words) as caught:
        LastItems(find_parts(tmp_path)[0])
    assert str(broken) in str(caught.value)


def test_a_cut_part_of_parquet_is_an_error(tmp_path: Path) -> None:
    path = write_part(tmp_path, 1, [full(f"/{number}") for number in range(50)], "parquet")
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(UnreadableInputError, match="the part cannot be read"):
        LastItems(find_parts(tmp_path)[0])


def test_parts_that_change_meanwhile_are_an_error(tmp_path: Path) -> None:
    path = write_part(tmp_path, 1, [article("/a")])
    last = LastItems(find_parts(tmp_path)[0])
    path.write_bytes(path.read_bytes() * 2)
    with pytest.raises(UnreadableInputError, match="changed while they were read"):
        write_articles(last, io.BytesIO(), "jsonl")
    path.unlink()
    with pytest.raises(UnreadableInputError, match="cannot be read"):
        write_articles(last, io.BytesIO(), "jsonl")


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInputError, match="cannot be read"):
        find_parts(tmp_path / "none")


@pytest.mark.parametrize("site", ["news.example", "127.0.0.1:8000", "Große.example", "con", ".a"])
def test_sites_are_named_as_their_files_are(site: str) -> None:
    assert site_named(file_name(site)) == site


def test_names_that_nobody_can_read_back_stay() -> None:
    assert site_named(file_name("x" * 500)) == file_name("x" * 500)
    assert site_named("%FF") == "%FF"


def test_who_asks_for_a_site_is_told_of_the_nearest() -> None:
    names = ["news.example", "blog.example"]
    assert known_sites("https://news.example/", names) == "the nearest name is news.example"
    assert known_sites("zzz", names) == "there are: news.example, blog.example"
    assert known_sites("zzz", [str(n) for n in range(10)]).endswith("6, 7 and 2 more")
