"""Feeds that have more rows than items: one row a sentence.

A feed's exporter gets whole items; these write of each page item its parts, and of other items
nothing. They are formats like any other: ``-O sentences.csv:sentences-csv``.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, ClassVar

from scrapy.exporters import JsonLinesItemExporter

from crawler.exporters import CorpusCsvItemExporter, ParquetItemExporter
from crawler.items import PageItem

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "SentenceCsvExporter",
    "SentenceJsonLinesExporter",
    "SentenceParquetExporter",
    "SentenceRow",
    "sentence_rows",
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


class _SentenceRows:
    """Mixed into an exporter: it writes of each item its sentences."""

    item_type: ClassVar[type[Any]] = SentenceRow

    def __init__(self, file: IO[bytes], **kwargs: Any) -> None:  # noqa: ANN401 - as the exporter it is mixed into
        # FEED_EXPORT_FIELDS names fields of pages; a row has the fields it has.
        fields = [field.name for field in dataclasses.fields(SentenceRow)]
        super().__init__(file, **{**kwargs, "fields_to_export": fields})  # type: ignore[call-arg] # the exporter's own

    def export_item(self, item: Any) -> None:  # noqa: ANN401 - any item type of Scrapy
        """Write the sentences of one item, a row each."""
        for row in sentence_rows(item):
            super().export_item(row)  # type: ignore[misc] # the exporter's own


class SentenceJsonLinesExporter(_SentenceRows, JsonLinesItemExporter):
    """JSON Lines of :class:`SentenceRow`: the format ``sentences-jsonl``."""


class SentenceCsvExporter(_SentenceRows, CorpusCsvItemExporter):
    """CSV of :class:`SentenceRow`: the format ``sentences-csv``."""


class SentenceParquetExporter(_SentenceRows, ParquetItemExporter):
    """Parquet of :class:`SentenceRow`: the format ``sentences-parquet``."""
