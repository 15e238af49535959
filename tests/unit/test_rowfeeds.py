"""Feeds of one row a sentence, in every format."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crawler.items import PageItem
from crawler.rowfeeds import (
    SentenceCsvExporter,
    SentenceJsonLinesExporter,
    SentenceParquetExporter,
    sentence_rows,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.exporters import BaseItemExporter

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
    assert [[getattr(row, name) for name in COLUMNS] for row in rows] == ROWS


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
