"""Feeds that have more rows than items: one row a sentence, a table, or a record of a table.

A feed's exporter gets whole items; these write of each page item its parts, and of other items
nothing. They are formats like any other: ``-O sentences.csv:sentences-csv``.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, ClassVar

from scrapy.exporters import JsonLinesItemExporter

from crawler.exporters.feeds import CorpusCsvItemExporter, ParquetItemExporter
from crawler.items import PageItem

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "RecordCsvExporter",
    "RecordJsonLinesExporter",
    "RecordParquetExporter",
    "RecordRow",
    "SentenceCsvExporter",
    "SentenceJsonLinesExporter",
    "SentenceParquetExporter",
    "SentenceRow",
    "TableCsvExporter",
    "TableJsonLinesExporter",
    "TableParquetExporter",
    "TableRow",
    "record_rows",
    "sentence_rows",
    "table_rows",
]


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """One sentence of a corpus.

    Attributes:
        url: Address of its page.
        site: Site of its page.
        language: Language that the page declares.
        number: Its place among the sentences of its page, from 0.
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
        number: Its place among all tables of its page, from 0.
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
        is_genuine: Whether it is no layout.
        method: Name of the method that says so.
        reason: What decided.
        rule: Number of the rule that decided, 0 for none.
        coherency: The syntactic coherency, 0 to 1, where it was measured.
        confidence: How sure the method is, 0.5 to 1, where it says so.
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
        number: Its place among the records of its table, from 0.
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
    if not isinstance(item, PageItem):
        return
    for number, sentence in enumerate(item.sentences or ()):
        yield SentenceRow(
            url=item.url,
            site=item.site,
            language=item.language,
            number=number,
            block=sentence["block"],
            text=sentence["text"],
        )


_OF_VERDICT = ("is_genuine", "method", "reason", "rule", "coherency", "confidence")
_OF_PAGE = ("url", "site", "language")
_OF_TABLE = tuple(
    field.name
    for field in dataclasses.fields(TableRow)
    if field.name not in (*_OF_PAGE, *_OF_VERDICT)
)


def table_rows(item: object) -> Iterator[TableRow]:
    """Give the tables of a page item in order; of anything else, none."""
    if not isinstance(item, PageItem):
        return
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


class _Rows:
    """Mixed into an exporter: it writes of each item its parts, a row each, and counts the rows."""

    item_type: ClassVar[type[Any]]
    rows_of: ClassVar[staticmethod[[object], Iterator[object]]]

    def __init__(self, file: IO[bytes], **kwargs: Any) -> None:  # noqa: ANN401 - as the exporter it is mixed into
        # FEED_EXPORT_FIELDS names fields of pages; a row has the fields it has.
        fields = [field.name for field in dataclasses.fields(self.item_type)]
        super().__init__(file, **{**kwargs, "fields_to_export": fields})  # type: ignore[call-arg] # the exporter's own
        self.rows_written = 0

    def export_item(self, item: Any) -> None:  # noqa: ANN401 - any item type of Scrapy
        """Write the parts of one item."""
        for row in self.rows_of(item):
            super().export_item(row)  # type: ignore[misc] # the exporter's own
            self.rows_written += 1


class _SentenceRows(_Rows):
    item_type = SentenceRow
    rows_of = staticmethod(sentence_rows)


class _TableRows(_Rows):
    item_type = TableRow
    rows_of = staticmethod(table_rows)


class _RecordRows(_Rows):
    item_type = RecordRow
    rows_of = staticmethod(record_rows)


class SentenceJsonLinesExporter(_SentenceRows, JsonLinesItemExporter):
    """JSON Lines of :class:`SentenceRow`: the format ``sentences-jsonl``."""


class SentenceCsvExporter(_SentenceRows, CorpusCsvItemExporter):
    """CSV of :class:`SentenceRow`: the format ``sentences-csv``."""


class SentenceParquetExporter(_SentenceRows, ParquetItemExporter):
    """Parquet of :class:`SentenceRow`: the format ``sentences-parquet``."""


class TableJsonLinesExporter(_TableRows, JsonLinesItemExporter):
    """JSON Lines of :class:`TableRow`: the format ``tables-jsonl``."""


class TableCsvExporter(_TableRows, CorpusCsvItemExporter):
    """CSV of :class:`TableRow`: the format ``tables-csv``."""


class TableParquetExporter(_TableRows, ParquetItemExporter):
    """Parquet of :class:`TableRow`: the format ``tables-parquet``."""


class RecordJsonLinesExporter(_RecordRows, JsonLinesItemExporter):
    """JSON Lines of :class:`RecordRow`: the format ``records-jsonl``."""


class RecordCsvExporter(_RecordRows, CorpusCsvItemExporter):
    """CSV of :class:`RecordRow`: the format ``records-csv``."""


class RecordParquetExporter(_RecordRows, ParquetItemExporter):
    """Parquet of :class:`RecordRow`: the format ``records-parquet``."""
