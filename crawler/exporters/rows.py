"""Feeds with several rows an item: one row a sentence, a table, or a record of a table.

Of other items than page items nothing is written. The exporters are formats like any other:
``-O sentences.csv:sentences-csv``.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from scrapy.exporters import BaseItemExporter, JsonLinesItemExporter

from crawler.exporters.feeds import CorpusCsvItemExporter, ParquetItemExporter
from crawler.items import PageItem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """One sentence of a corpus.

    Attributes:
        url: Address of its page.
        site: Site of its page.
        language: Language that the page declares.
        number: Its index among the sentences of its page, from 0.
        block: The number of its block on the page.
        text: The sentence.
    """

    url: str
    site: str
    language: str | None
    number: int
    block: int
    text: str


@dataclass(frozen=True, slots=True)
class TableRow:
    """One table of a corpus.

    Attributes:
        url: Address of its page.
        site: Site of its page.
        language: Language that the page declares.
        number: Its index among all tables of its page, from 0.
        path: Names of the elements around it and its own.
        heading: The last heading before it.
        caption: What the page calls it.
        kind: ``table``, ``div`` or ``list``.
        rows: Rows of its grid.
        columns: Columns of its grid.
        title_rows: How many first rows are a title of the table.
        header_rows: How many rows below those are headers.
        header_columns: How many first columns are headers.
        rows_left_out: How many last rows ``cells`` lacks.
        is_genuine: Whether it is a table of data, not of layout.
        method: Name of the method that decided so.
        reason: What decided.
        rule: Number of the rule that decided, 0 for none.
        coherency: The syntactic coherency, 0 to 1, where it was measured.
        confidence: The method's confidence, 0.5 to 1, where it gives one.
        types: Data type of each field of its records, by name.
        cells: The text in each place, row by row.
        records: Its records, a mapping each.
        values: The values of each record that can be read in one way only.
    """

    url: str
    site: str
    language: str | None
    number: int
    path: str
    heading: str | None
    caption: str | None
    kind: str
    rows: int
    columns: int
    title_rows: int
    header_rows: int
    header_columns: int
    rows_left_out: int
    is_genuine: bool
    method: str
    reason: str
    rule: int
    coherency: float | None
    confidence: float | None
    types: dict[str, Any]
    cells: list[list[str]]
    records: list[dict[str, Any]]
    values: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class RecordRow:
    """One record of a table of a corpus.

    Attributes:
        url: Address of its page.
        site: Site of its page.
        language: Language that the page declares.
        table: Number of its table on the page, from 0.
        number: Its index among the records of its table, from 0.
        heading: The last heading before its table.
        caption: What the page calls its table.
        fields: Text of each field, by name.
        types: Data type of each field, by name.
        values: The values that can be read in one way only, by names of their fields.
    """

    url: str
    site: str
    language: str | None
    table: int
    number: int
    heading: str | None
    caption: str | None
    fields: dict[str, Any]
    types: dict[str, Any]
    values: dict[str, Any]


def sentence_rows(item: object) -> Iterator[SentenceRow]:
    """Give the sentences of a page item in order; of anything else, none."""
    if isinstance(item, PageItem):
        for number, sentence in enumerate(item.sentences or ()):
            yield SentenceRow(item.url, item.site, item.language, number, **sentence)


_OF_VERDICT = ("is_genuine", "method", "reason", "rule", "coherency", "confidence")
_OF_PAGE = ("url", "site", "language")
_OF_TABLE = tuple(
    field.name
    for field in dataclasses.fields(TableRow)
    if field.name not in (*_OF_PAGE, *_OF_VERDICT)
)


def table_rows(item: object) -> Iterator[TableRow]:
    """Give the tables of a page item in order; of anything else, none."""
    if isinstance(item, PageItem):
        for table in item.tables or ():
            yield TableRow(
                **{name: getattr(item, name) for name in _OF_PAGE},
                **{name: table["verdict"][name] for name in _OF_VERDICT},
                **{name: table[name] for name in _OF_TABLE},
            )


def record_rows(item: object) -> Iterator[RecordRow]:
    """Give the records of a page item's tables in order; of anything else, none."""
    for table in table_rows(item):
        for number, fields in enumerate(table.records):
            yield RecordRow(
                url=table.url,
                site=table.site,
                language=table.language,
                table=table.number,
                number=number,
                heading=table.heading,
                caption=table.caption,
                fields=fields,
                types=table.types,
                values=table.values[number],
            )


def _exporter_of_rows(
    exporter: type[BaseItemExporter],
    row_type: type[Any],
    rows_of: Callable[[object], Iterator[Any]],
) -> type[Any]:
    """Make an exporter that writes rows of each item, and counts them as ``rows_written``.

    Args:
        exporter: the exporter of the format.
        row_type: the dataclass of the rows.
        rows_of: gives the rows of an item.
    """
    # FEED_EXPORT_FIELDS names fields of pages; a row always has all its fields.
    fields = [field.name for field in dataclasses.fields(row_type)]

    class RowsExporter(exporter):  # type: ignore[valid-type, misc] # a class that is an argument
        item_type = row_type

        def __init__(self, file: IO[bytes], **kwargs: Any) -> None:  # noqa: ANN401 - as the exporter's
            super().__init__(file, **{**kwargs, "fields_to_export": fields})
            self.rows_written = 0

        def export_item(self, item: Any) -> None:  # noqa: ANN401 - any item type of Scrapy
            for row in rows_of(item):
                super().export_item(row)
                self.rows_written += 1

    return RowsExporter


SentenceJsonLinesExporter = _exporter_of_rows(JsonLinesItemExporter, SentenceRow, sentence_rows)
SentenceCsvExporter = _exporter_of_rows(CorpusCsvItemExporter, SentenceRow, sentence_rows)
SentenceParquetExporter = _exporter_of_rows(ParquetItemExporter, SentenceRow, sentence_rows)
TableJsonLinesExporter = _exporter_of_rows(JsonLinesItemExporter, TableRow, table_rows)
TableCsvExporter = _exporter_of_rows(CorpusCsvItemExporter, TableRow, table_rows)
TableParquetExporter = _exporter_of_rows(ParquetItemExporter, TableRow, table_rows)
RecordJsonLinesExporter = _exporter_of_rows(JsonLinesItemExporter, RecordRow, record_rows)
RecordCsvExporter = _exporter_of_rows(CorpusCsvItemExporter, RecordRow, record_rows)
RecordParquetExporter = _exporter_of_rows(ParquetItemExporter, RecordRow, record_rows)
