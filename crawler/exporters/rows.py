"""Feeds with several rows an item: one row a sentence, a table, or a record of a table.

Of other items than page items nothing is written. The exporters are formats like any other:
``-O sentences.csv:sentences-csv``. ``docs/output.md`` describes the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING, Any, Final

from scrapy.exporters import BaseItemExporter

from crawler.exporters.columns import Kind
from crawler.exporters.feeds import CorpusCsvItemExporter, ParquetItemExporter
from crawler.exporters.json_lines import CorpusJsonLinesItemExporter
from crawler.items import PageItem

if TYPE_CHECKING:
    Row = dict[str, Any]


def _columns(*runs: tuple[Kind, str]) -> dict[str, Kind]:
    """Return the kinds of columns by name, of runs of columns of one kind."""
    return {name: kind for kind, names in runs for name in names.split()}


_OF_PAGE: Final = _columns(("text", "url site language"))
SENTENCE_COLUMNS: Final = _OF_PAGE | _columns(("whole", "number block"), ("text", "text"))
TABLE_COLUMNS: Final = _OF_PAGE | _columns(
    ("whole", "number"),
    ("text", "path heading caption kind"),
    ("whole", "rows columns title_rows header_rows header_columns rows_left_out"),
    ("flag", "is_genuine"),
    ("text", "method reason"),
    ("whole", "rule"),
    ("real", "coherency confidence"),
    ("json", "types cells records values"),
)
RECORD_COLUMNS: Final = _OF_PAGE | _columns(
    ("whole", "table number"), ("text", "heading caption"), ("json", "fields types values")
)


def sentence_rows(item: object) -> Iterator[Row]:
    """Yield the sentences of a page item in order; of anything else, none."""
    if isinstance(item, PageItem):
        for number, sentence in enumerate(item.sentences or ()):
            yield {**_page_cells(item), "number": number, **sentence}


def table_rows(item: object) -> Iterator[Row]:
    """Yield the tables of a page item in order; of anything else, none."""
    if isinstance(item, PageItem):
        for table in item.tables or ():
            known = {**table, **table["verdict"], **_page_cells(item)}
            yield {name: known[name] for name in TABLE_COLUMNS}


def record_rows(item: object) -> Iterator[Row]:
    """Yield the records of a page item's tables in order; of anything else, none."""
    for table in table_rows(item):
        for number, fields in enumerate(table["records"]):
            values = table["values"][number]
            known = {**table, "table": table["number"], "fields": fields, "values": values}
            yield {name: (known | {"number": number})[name] for name in RECORD_COLUMNS}


def _page_cells(item: PageItem) -> Row:
    return {name: getattr(item, name) for name in _OF_PAGE}


def _exporter_of_rows(
    exporter: type[BaseItemExporter],
    row_columns: dict[str, Kind],
    rows_of: Callable[[object], Iterator[Row]],
) -> type[Any]:
    """Make an exporter that writes rows of each item, and counts them as ``rows_written``."""

    class RowsExporter(exporter):  # type: ignore[valid-type, misc] # a class that is an argument
        item_type = dict
        columns = row_columns

        def __init__(self, file: IO[bytes], **kwargs: Any) -> None:  # noqa: ANN401 - as the exporter's
            # FEED_EXPORT_FIELDS names fields of pages; a row always has all its fields.
            super().__init__(file, **{**kwargs, "fields_to_export": list(row_columns)})
            self.rows_written = 0

        def export_item(self, item: Any) -> None:  # noqa: ANN401 - any item type of Scrapy
            for row in rows_of(item):
                super().export_item(row)
                self.rows_written += 1

    return RowsExporter


SentenceJsonLinesExporter = _exporter_of_rows(
    CorpusJsonLinesItemExporter, SENTENCE_COLUMNS, sentence_rows
)
SentenceCsvExporter = _exporter_of_rows(CorpusCsvItemExporter, SENTENCE_COLUMNS, sentence_rows)
SentenceParquetExporter = _exporter_of_rows(ParquetItemExporter, SENTENCE_COLUMNS, sentence_rows)
TableJsonLinesExporter = _exporter_of_rows(CorpusJsonLinesItemExporter, TABLE_COLUMNS, table_rows)
TableCsvExporter = _exporter_of_rows(CorpusCsvItemExporter, TABLE_COLUMNS, table_rows)
TableParquetExporter = _exporter_of_rows(ParquetItemExporter, TABLE_COLUMNS, table_rows)
RecordJsonLinesExporter = _exporter_of_rows(
    CorpusJsonLinesItemExporter, RECORD_COLUMNS, record_rows
)
RecordCsvExporter = _exporter_of_rows(CorpusCsvItemExporter, RECORD_COLUMNS, record_rows)
RecordParquetExporter = _exporter_of_rows(ParquetItemExporter, RECORD_COLUMNS, record_rows)
