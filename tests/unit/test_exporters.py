from __future__ import annotations

import csv
import gc
import io
import json
import logging
import sys
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook
from scrapy import Field, Item
from scrapy.settings import Settings

from crawler.core.errors import OptionError
from crawler.exporters.excel import ExcelItemExporter
from crawler.exporters.feeds import CorpusCsvItemExporter, ParquetItemExporter, check_feeds
from crawler.exporters.json_lines import CorpusJsonItemExporter, CorpusJsonLinesItemExporter
from crawler.items import FIELD_ORDER, PageItem, nested_to_json

if TYPE_CHECKING:
    from pathlib import Path


BLOCK = {"text": "본문", "kept": True, "reason": "text", "frequency": 1, "tag": "p"}


def page(number: int = 1, **changes: object) -> PageItem:
    values: dict[str, Any] = {"text": "한글 text\nsecond line", "site_pages": 3, **changes}
    return PageItem(url=f"https://blog.example/{number}", **values)


def parquet(items: list[Any], **options: Any) -> pa.Table:  # noqa: ANN401 - any option
    file = io.BytesIO()
    exporter = ParquetItemExporter(file, **options)
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()
    exporter.finish_exporting()
    assert not file.closed
    return pq.read_table(io.BytesIO(file.getvalue()))


def as_csv(items: list[Any], **options: Any) -> list[list[str]]:  # noqa: ANN401 - any option
    file = io.BytesIO()
    exporter = CorpusCsvItemExporter(file, encoding="utf-8", **options)
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()
    return list(csv.reader(io.StringIO(file.getvalue().decode(), newline="")))


def test_page_items_have_fixed_columns_and_types() -> None:
    table = parquet([page(blocks=[BLOCK], fields={"tags": ["ㄱ", 1]}, title="T"), page(2)])
    assert table.column_names == list(FIELD_ORDER)
    assert table.schema.field("site_pages").type == pa.int64()
    assert table.schema.field("text").type == pa.string()
    assert table.schema.field("fields").metadata[b"encoding"] == b"json"
    first, second = table.to_pylist()
    assert first["text"] == "한글 text\nsecond line"
    assert json.loads(first["blocks"]) == [BLOCK]
    assert json.loads(first["fields"]) == {"tags": ["ㄱ", 1]}
    assert (second["blocks"], second["title"], second["fields"]) == (None, None, "{}")


def test_lists_of_texts_have_a_type_of_their_own() -> None:
    items = [page(authors=["Kim", "이"], metadata_sources={"authors": "meta"}), page(authors="Kim")]
    table = parquet(items)
    assert table.schema.field("authors").type == pa.list_(pa.string())
    first, second = table.to_pylist()
    assert (first["authors"], first["tags"]) == (["Kim", "이"], [])
    assert json.loads(first["metadata_sources"]) == {"authors": "meta"}
    assert second["authors"] is None
    assert json.loads(second["fields"]) == {"_extra": {"authors": "Kim"}}
    header, cells, _ = as_csv(items)
    assert cells[header.index("authors")] == '["Kim","이"]'
    assert cells[header.index("tags")] == "[]"


def test_no_items_give_a_valid_file_with_the_page_columns() -> None:
    table = parquet([])
    assert table.num_rows == 0
    assert table.column_names == list(FIELD_ORDER)


def test_a_page_value_of_a_wrong_type_is_kept() -> None:
    wrong = page(site_pages="many", title=["a", "b"], tags="none", fields={"k": 1})
    row = parquet([page(), wrong]).to_pylist()[1]
    assert row["site_pages"] is None
    assert row["title"] == '["a","b"]'
    assert json.loads(row["fields"]) == {
        "k": 1,
        "_extra": {"site_pages": "many", "tags": "none"},
    }


def test_sentences_of_another_form_are_kept() -> None:
    wrong = [{"block": 0, "text": "One.", "tag": "p"}]
    row = parquet([page(sentences=wrong)]).to_pylist()[0]
    assert row["sentences"] is None
    assert json.loads(row["fields"])["_extra"] == {"sentences": wrong}


def test_other_items_get_columns_by_their_first_row_group() -> None:
    items = [
        {
            "name": "a",
            "n": 1,
            "x": 1,
            "ok": True,
            "mixed": 1,
            "tags": ["t"],
            "day": date(2024, 1, 2),
        },
        {"name": "b", "n": 2, "x": 0.5, "ok": False, "mixed": "one", "late": None},
    ]
    table = parquet(items)
    types = {field.name: field.type for field in table.schema}
    assert types == {
        "name": pa.string(),
        "n": pa.int64(),
        "x": pa.float64(),
        "ok": pa.bool_(),
        "mixed": pa.string(),
        "tags": pa.string(),
        "day": pa.string(),
        "late": pa.string(),
        "_extra": pa.string(),
    }
    first, second = table.to_pylist()
    assert (first["mixed"], second["mixed"]) == ("1", '"one"')
    assert (first["day"], first["tags"], first["x"]) == ("2024-01-02", '["t"]', 1.0)
    assert second["_extra"] is None


def test_surprises_after_the_first_row_group_go_to_the_extra_column() -> None:
    items: list[Any] = [
        {"n": 1},
        {"n": "two", "new": {"deep": [1]}},
        {"n": 2**70},
        {"n": True},
        {"n": None, "_extra": "own"},
    ]
    rows = parquet(items, row_group_rows=1).to_pylist()
    assert [row["n"] for row in rows] == [1, None, None, None, None]
    assert [json.loads(row["_extra"] or "null") for row in rows] == [
        None,
        {"n": "two", "new": {"deep": [1]}},
        {"n": 2**70},
        {"n": True},
        {"_extra": "own"},
    ]


def test_fields_to_export_choose_order_and_rename() -> None:
    assert parquet([page()], fields_to_export=["title", "url"]).column_names == [
        "title",
        "url",
        "_extra",
    ]
    renamed = parquet([page()], fields_to_export={"url": "address", "site_pages": "n"})
    assert renamed.schema.field("n").type == pa.int64()
    assert renamed.to_pylist()[0]["address"] == "https://blog.example/1"
    assert parquet([], fields_to_export=["text"]).column_names == ["text", "_extra"]


@dataclass
class RatedPage(PageItem):
    rating: float = 0.0


def test_a_page_item_with_more_fields_gets_more_columns() -> None:
    table = parquet([RatedPage(url="https://blog.example/", rating=0.5)])
    assert table.column_names == [*FIELD_ORDER, "rating"]
    assert table.schema.field("rating").type == pa.float64()


def test_rows_are_written_in_bounded_groups() -> None:
    file = io.BytesIO()
    exporter = ParquetItemExporter(file, row_group_bytes=10_000)
    for number in range(50):
        exporter.export_item(page(number, text="x" * 1000))
    assert len(exporter._rows) < 10
    exporter.finish_exporting()
    found = pq.ParquetFile(io.BytesIO(file.getvalue()))
    assert found.metadata.num_rows == 50
    assert found.metadata.num_row_groups >= 5


def test_a_lone_surrogate_stops_no_format() -> None:
    for exporter in (CorpusJsonItemExporter, CorpusJsonLinesItemExporter):
        file = io.BytesIO()
        made = exporter(file, encoding="utf-8")
        made.start_exporting()
        made.export_item({"text": "가\ud800b"})
        made.finish_exporting()
        found = json.loads(file.getvalue().decode())
        assert found in ({"text": "가\ud800b"}, [{"text": "가\ud800b"}])
        assert "가" in file.getvalue().decode()
    assert parquet([page(text="a\ud800b")]).to_pylist()[0]["text"] == "a\ufffdb"
    assert as_csv([page(text="a\ud800b")])[1][FIELD_ORDER.index("text")] == "a\\ud800b"


def test_a_parquet_file_is_never_appended_to(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    target = tmp_path / "pages.parquet"
    target.write_bytes(b"earlier")
    with target.open("ab") as file, caplog.at_level(logging.ERROR):
        exporter = ParquetItemExporter(file)
        exporter.start_exporting()
        exporter.export_item(page())
        exporter.finish_exporting()
    assert target.read_bytes() == b"earlier"
    assert exporter.path == tmp_path / "pages-2.parquet"
    assert pq.read_table(exporter.path).num_rows == 1
    assert "cannot be appended" in caplog.text
    gc.collect()


def test_csv_cells_are_json_or_plain() -> None:
    header, row = as_csv(
        [page(blocks=[BLOCK], fields={"ok": True, "tags": ["가", "b"]}, title='a "b", c')]
    )
    assert header == list(FIELD_ORDER)
    cells = dict(zip(header, row, strict=True))
    assert cells["title"] == 'a "b", c'
    assert cells["text"] == "한글 text\nsecond line"
    assert cells["canonical_url"] == ""
    assert json.loads(cells["blocks"]) == [BLOCK]
    assert cells["fields"] == '{"ok":true,"tags":["가","b"]}'


def test_csv_of_plain_items() -> None:
    header, row = as_csv([{"a": True, "b": ["x", "y"], "c": None, "d": 1.5, "e": "=1+1"}])
    assert header == ["a", "b", "c", "d", "e"]
    assert row == ["true", '["x","y"]', "", "1.5", "'=1+1"]


def test_csv_says_which_fields_have_no_column(caplog: pytest.LogCaptureFixture) -> None:
    rows = as_csv([page(), {"url": "u", "late": 3}, {"late": 4}])
    assert rows[0] == list(FIELD_ORDER)
    assert [row[0] for row in rows[1:]] == ["https://blog.example/1", "u", ""]
    assert len(caplog.records) == 1


@pytest.mark.parametrize("exporter", [CorpusCsvItemExporter, ExcelItemExporter])
def test_columns_of_pages_come_first_where_other_items_came_before(
    exporter: type[CorpusCsvItemExporter | ExcelItemExporter],
) -> None:
    file = io.BytesIO()
    feed = exporter(file)
    feed.start_exporting()
    for item in ({"kind": "note", "url": "n"}, {"of": 1}, page(title="T"), {"kind": "late"}):
        feed.export_item(item)
    feed.finish_exporting()
    if exporter is CorpusCsvItemExporter:
        rows = list(csv.reader(io.StringIO(file.getvalue().decode())))
    else:
        sheet = load_workbook(io.BytesIO(file.getvalue())).worksheets[0]
        rows = [[str(cell or "") for cell in row] for row in sheet.iter_rows(values_only=True)]
    header, *others = rows
    assert header[0] == "url"
    assert header[-2:] == ["kind", "of"]
    found = [(row[0], row[header.index("title")], *row[-2:]) for row in others]
    assert found == [
        ("n", "", "note", ""),
        ("", "", "", "1"),
        ("https://blog.example/1", "T", "", ""),
        ("", "", "late", ""),
    ]


def test_an_item_that_cannot_be_written_costs_no_other_that_waits() -> None:
    class Measured(Item):
        value = Field(serializer=float)

    file = io.BytesIO()
    feed = CorpusCsvItemExporter(file)
    feed.start_exporting()
    feed.export_item(Measured(value=1))
    with pytest.raises(ValueError, match="n/a"):
        feed.export_item(Measured(value="n/a"))
    reused = {"value": 2}
    feed.export_item(reused)
    reused["value"] = 3
    feed.export_item(page())
    feed.finish_exporting()
    rows = list(csv.reader(io.StringIO(file.getvalue().decode())))
    assert [row[-1] for row in rows] == ["value", "1.0", "2", ""]


def test_a_time_with_its_zone_is_text_in_excel() -> None:
    file = io.BytesIO()
    feed = ExcelItemExporter(file)
    feed.start_exporting()
    for value in ("a", datetime(2026, 5, 1, tzinfo=UTC), "b"):
        feed.export_item({"value": value})
    feed.finish_exporting()
    sheet = load_workbook(io.BytesIO(file.getvalue())).worksheets[0]
    rows = [str(row[0]) for row in sheet.iter_rows(values_only=True)]
    assert rows == ["value", "a", "2026-05-01 00:00:00+00:00", "b"]


def test_columns_are_chosen_after_a_thousand_other_items() -> None:
    rows = as_csv([*({"a": 1} for _ in range(999)), {"b": 2}, {"c": 3}])
    assert rows[0] == ["a", "b"]
    assert len(rows) == 1002


def test_csv_options_of_scrapy_hold() -> None:
    assert as_csv([]) == [list(FIELD_ORDER)]
    assert as_csv([page()], fields_to_export={"url": "address"})[0] == ["address"]
    assert as_csv([page()], fields_to_export=["url"], include_headers_line=False) == [
        ["https://blog.example/1"]
    ]


@pytest.mark.parametrize(("old", "headers"), [("url,title", 1), ("other", 2)])
def test_csv_repeats_no_header_when_appending(tmp_path: Path, old: str, headers: int) -> None:
    target = tmp_path / "pages.csv"
    target.write_text(f"{old}\r\n", encoding="utf-8")
    with target.open("ab") as file:
        exporter = CorpusCsvItemExporter(file, fields_to_export=["url", "title"])
        exporter.export_item(page(title="T"))
        exporter.finish_exporting()
    lines = target.read_text(encoding="utf-8").split()
    assert len(lines) == headers + 1
    assert lines[-1] == "https://blog.example/1,T"


def feeds(uri: Path | str, **options: object) -> Settings:
    exporters = {"parquet": "crawler.exporters.feeds.ParquetItemExporter"}
    return Settings({"FEEDS": {uri: options}, "FEED_EXPORTERS": exporters})


def test_feeds_are_checked_before_the_crawl(tmp_path: Path) -> None:
    old = tmp_path / "old.parquet"
    old.write_bytes(b"PAR1")
    check_feeds(Settings())
    check_feeds(feeds(tmp_path / "new.parquet", format="parquet"))
    check_feeds(feeds(old, format="parquet", overwrite=True))
    check_feeds(feeds("s3://bucket/x.parquet", format="parquet"))
    with pytest.raises(OptionError, match="cannot be appended to"):
        check_feeds(feeds(old, format="parquet"))
    with pytest.raises(OptionError, match=r"'parqet'.*parquet"):
        check_feeds(feeds(old, format="parqet"))
    with pytest.raises(OptionError, match="needs a dictionary"):
        check_feeds(Settings({"FEEDS": {"x.csv": "csv"}}))


def test_a_missing_pyarrow_is_said_before_the_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(OptionError, match=r'pip install "scrapy-corpus\[parquet\]"'):
        check_feeds(feeds("new.parquet", format="parquet"))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
ITEMS = st.lists(st.dictionaries(st.sampled_from(["a", "b", "c", "_extra"]), VALUES), max_size=8)


@given(items=ITEMS, group=st.integers(1, 4))
def test_whatever_comes_no_value_is_lost(items: list[dict[str, Any]], group: int) -> None:
    table = parquet(items, row_group_rows=group)
    found = (recovered(row, table.schema) for row in table.to_pylist())
    for item, back in zip(items, found, strict=True):
        for name, value in item.items():
            assert back.get(name) == json.loads(nested_to_json(value)) or back.get(name) == value


def recovered(row: dict[str, Any], schema: pa.Schema) -> dict[str, Any]:
    extra = json.loads(row.pop("_extra") or "{}")
    values = {
        name: json.loads(cell) if is_json(schema.field(name)) and cell is not None else cell
        for name, cell in row.items()
    }
    # In a column of text a value of another type is written as JSON.
    for name, cell in values.items():
        if isinstance(cell, str) and not is_json(schema.field(name)):
            values[name] = Either(cell)
    return {**values, **extra}


class Either:
    """Equal to a text, and to the value that the text is the JSON of."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: object) -> bool:
        return self.text in (other, nested_to_json(other))

    def __hash__(self) -> int:
        return hash(self.text)


def is_json(field: pa.Field) -> bool:
    return bool(field.metadata and field.metadata.get(b"encoding") == b"json")
