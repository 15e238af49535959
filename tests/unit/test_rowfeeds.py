"""Feeds of one row a sentence, a table or a record, in every format."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crawler.exporters.feeds import ParquetItemExporter
from crawler.exporters.rows import (
    RECORD_COLUMNS,
    TABLE_COLUMNS,
    RecordCsvExporter,
    RecordJsonLinesExporter,
    RecordParquetExporter,
    SentenceCsvExporter,
    SentenceJsonLinesExporter,
    SentenceParquetExporter,
    TableCsvExporter,
    TableJsonLinesExporter,
    TableParquetExporter,
    sentence_rows,
)
from crawler.items import PageItem

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.exporters import BaseItemExporter

DOCS = Path(__file__).parents[2] / "docs/output.md"
ITEMS: list[Any] = [
    PageItem(
        url="https://s.example/1",
        site="s.example",
        language="ko",
        sentences=[{"block": 3, "text": "하나."}, {"block": 7, "text": 'Two, "quoted".'}],
    ),
    PageItem(url="https://s.example/2", site="s.example", sentences=[]),
    PageItem(url="https://s.example/3", site="s.example", sentences=None),
    {"remark": "not a page"},
    PageItem(url="https://s.example/4", site="s.example", sentences=[{"block": 0, "text": "End."}]),
]
ROWS: list[list[Any]] = [
    ["https://s.example/1", "s.example", "ko", 0, 3, "하나."],
    ["https://s.example/1", "s.example", "ko", 1, 7, 'Two, "quoted".'],
    ["https://s.example/4", "s.example", None, 0, 0, "End."],
]
COLUMNS = ["url", "site", "language", "number", "block", "text"]


def written(exporter_type: Callable[..., BaseItemExporter], items: list[Any]) -> bytes:
    file = io.BytesIO()
    # FEED_EXPORT_FIELDS names fields of pages: it must not empty the rows.
    exporter = exporter_type(file, fields_to_export=["title", "text"], encoding="utf-8")
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    data_before_end = file.getvalue()
    exporter.finish_exporting()
    return data_before_end if file.closed else file.getvalue()


def test_rows_are_in_order_and_numbered_within_their_page() -> None:
    rows = [row for item in ITEMS for row in sentence_rows(item)]
    assert [[row[name] for name in COLUMNS] for row in rows] == ROWS


def test_json_lines() -> None:
    lines = written(SentenceJsonLinesExporter, ITEMS).decode().splitlines()
    found = [json.loads(line) for line in lines]
    assert found == [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]


def test_csv() -> None:
    text = written(SentenceCsvExporter, ITEMS).decode()
    cells = [["" if cell is None else str(cell) for cell in row] for row in ROWS]
    assert list(csv.reader(io.StringIO(text, newline=""))) == [COLUMNS, *cells]


@pytest.mark.parametrize("items", [ITEMS, []])
def test_parquet_has_its_own_columns_with_and_without_rows(items: list[Any]) -> None:
    table = pq.read_table(io.BytesIO(written(SentenceParquetExporter, items)))
    assert table.column_names == COLUMNS
    assert table.schema.field("number").type == pa.int64()
    assert table.schema.field("text").type == pa.string()
    assert table.to_pylist() == [
        dict(zip(COLUMNS, row, strict=True)) for row in (ROWS if items else [])
    ]


VERDICT = {
    "is_genuine": True, "method": "rules", "reason": "syntactic", "rule": 0, "coherency": 0.875,
    "main_type": "real", "attribute_class": "", "confidence": 0.75,
}  # fmt: skip
TABLE: dict[str, Any] = {
    "number": 2,
    "path": "html/body/table",
    "heading": "Laden",
    "caption": None,
    "kind": "table",
    "rows": 3,
    "columns": 2,
    "title_rows": 0,
    "header_rows": 1,
    "header_columns": 0,
    "rows_left_out": 0,
    "cells": [["Ware", "Preis"], ["빵", "1,50 €"], ["Salz", "-"]],
    "types": {"Ware": "string", "Preis": "currency"},
    "records": [{"Ware": "빵", "Preis": "1,50 €"}, {"Ware": "Salz", "Preis": "-"}],
    "values": [{"Preis": {"value": "1.50", "unit": "EUR"}}, {}],
    "verdict": VERDICT,
}
LAYOUT: dict[str, Any] = {
    **TABLE,
    "number": 3,
    "types": {},
    "records": [],
    "values": [],
    "verdict": {**VERDICT, "is_genuine": False, "coherency": None},
}
WITH_TABLES: list[Any] = [
    PageItem(url="https://s.example/1", site="s.example", language="de", tables=[TABLE, LAYOUT]),
    PageItem(url="https://s.example/2", tables=None),
    {"tables": [TABLE]},
]
OF_PAGE = {"url": "https://s.example/1", "site": "s.example", "language": "de"}


def table_row(table: dict[str, Any]) -> dict[str, Any]:
    names = ("is_genuine", "method", "reason", "rule", "coherency", "confidence")
    verdict = {name: table["verdict"][name] for name in names}
    order = ["types", "cells", "records", "values"]
    first = {name: table[name] for name in table if name not in ("verdict", *order)}
    return {**OF_PAGE, **first, **verdict, **{name: table[name] for name in order}}


RECORD_ROWS = [
    {
        **OF_PAGE, "table": 2, "number": number, "heading": "Laden", "caption": None,
        "fields": fields, "types": TABLE["types"], "values": values,
    }
    for number, (fields, values) in enumerate(zip(TABLE["records"], TABLE["values"], strict=True))
]  # fmt: skip
TABLE_FEEDS = [
    (TableJsonLinesExporter, TableCsvExporter, TableParquetExporter, [TABLE, LAYOUT]),
    (RecordJsonLinesExporter, RecordCsvExporter, RecordParquetExporter, None),
]


def plain(row: dict[str, Any]) -> dict[str, Any]:
    """Read the JSON in the columns that hold it."""
    nested = ("types", "cells", "records", "values", "fields")
    return {key: json.loads(row[key]) if key in nested else row[key] for key in row}


@pytest.mark.parametrize(("as_lines", "as_csv", "as_parquet", "tables"), TABLE_FEEDS)
def test_rows_of_tables_and_records_in_each_format(
    as_lines: Callable[..., BaseItemExporter],
    as_csv: Callable[..., BaseItemExporter],
    as_parquet: Callable[..., BaseItemExporter],
    tables: list[dict[str, Any]] | None,
) -> None:
    wanted = RECORD_ROWS if tables is None else [table_row(table) for table in tables]
    lines = written(as_lines, WITH_TABLES).decode().splitlines()
    assert [json.loads(line) for line in lines] == wanted

    cells = list(csv.DictReader(io.StringIO(written(as_csv, WITH_TABLES).decode(), newline="")))
    assert [plain(row)["types"] for row in cells] == [row["types"] for row in wanted]
    assert [row["number"] for row in cells] == [str(row["number"]) for row in wanted]
    assert list(cells[0]) == list(json.loads(lines[0]))

    table = pq.read_table(io.BytesIO(written(as_parquet, WITH_TABLES)))
    assert [plain(row) for row in table.to_pylist()] == wanted
    empty = pq.read_table(io.BytesIO(written(as_parquet, [])))
    assert empty.schema.equals(table.schema)
    assert table.schema.field("number").type == pa.int64()
    if tables is not None:
        assert table.schema.field("is_genuine").type == pa.bool_()
        assert table.schema.field("coherency").type == pa.float64()


@pytest.mark.parametrize(
    ("columns", "kind"),
    [(TABLE_COLUMNS, "table"), (RECORD_COLUMNS, "record")],
    ids=["table", "record"],
)
def test_every_column_is_documented_in_its_order(columns: dict[str, str], kind: str) -> None:
    prose = DOCS.read_text("utf-8").partition(f"A row of a **{kind}**")[2].partition("\n\n")[0]
    named = [name for name in re.findall(r"`(\w+)`", prose) if name.islower()]
    assert named == list(columns)


def test_rows_are_counted() -> None:
    exporter = SentenceJsonLinesExporter(io.BytesIO())
    for item in ITEMS:
        exporter.export_item(item)
    assert exporter.rows_written == len(ROWS)


def test_a_page_item_with_tables_in_csv_and_parquet() -> None:
    file = io.BytesIO()
    exporter = ParquetItemExporter(file)
    exporter.export_item(WITH_TABLES[0])
    exporter.export_item(WITH_TABLES[1])
    exporter.finish_exporting()
    first, second = pq.read_table(io.BytesIO(file.getvalue())).to_pylist()
    assert json.loads(first["tables"]) == [TABLE, LAYOUT]
    assert second["tables"] is None
