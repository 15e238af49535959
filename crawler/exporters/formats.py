"""What the project adds to Scrapy's feeds: formats (``FEED_EXPORTERS``), and how files are written.

Imports nothing, so that settings modules and commands may import it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from scrapy.settings import BaseSettings

_JSON_LINES = "crawler.exporters.json_lines.CorpusJsonLinesItemExporter"
FEED_STORAGES = dict.fromkeys(("", "file"), "crawler.exporters.feed_files.FileFeedStorage")

FEED_EXPORTERS = {
    "json": "crawler.exporters.json_lines.CorpusJsonItemExporter",
    "jsonl": _JSON_LINES,
    "jsonlines": _JSON_LINES,
    "jl": _JSON_LINES,
    "csv": "crawler.exporters.feeds.CorpusCsvItemExporter",
    "csv-excel": "crawler.exporters.feeds.ExcelCsvItemExporter",
    "parquet": "crawler.exporters.feeds.ParquetItemExporter",
    "xlsx": "crawler.exporters.excel.ExcelItemExporter",
    "tei": "crawler.exporters.corpora.TeiExporter",
    "prevertical": "crawler.exporters.corpora.PreverticalExporter",
    "conllu": "crawler.exporters.corpora.ConlluExporter",
    "sentences-jsonl": "crawler.exporters.rows.SentenceJsonLinesExporter",
    "sentences-csv": "crawler.exporters.rows.SentenceCsvExporter",
    "sentences-parquet": "crawler.exporters.rows.SentenceParquetExporter",
    "tables-jsonl": "crawler.exporters.rows.TableJsonLinesExporter",
    "tables-csv": "crawler.exporters.rows.TableCsvExporter",
    "tables-parquet": "crawler.exporters.rows.TableParquetExporter",
    "tables-xlsx": "crawler.exporters.excel.TableExcelExporter",
    "records-jsonl": "crawler.exporters.rows.RecordJsonLinesExporter",
    "records-csv": "crawler.exporters.rows.RecordCsvExporter",
    "records-parquet": "crawler.exporters.rows.RecordParquetExporter",
}

# Formats whose files cannot be added to, and what such a file is called.
_WHOLE = {
    "parquet": "a Parquet file",
    "xlsx": "an Excel file",
    "tei": "a TEI file",
    "json": "a JSON file",
    "xml": "an XML file",
}

FORMATS_TOLD = (
    "The ending of the name is the format: .jsonl, .json, .csv, .xlsx, .parquet, .conllu. Others "
    "follow a colon: corpus.xml:tei, corpus.vert:prevertical, pages.csv:csv-excel, tables.xlsx:"
    "tables-xlsx, and sentences-, tables- or records- with jsonl, csv or parquet, as in "
    "records.csv:records-csv"
)
"""Which formats there are, and how one is chosen, in words for users."""


def whole_file(format_name: str) -> str | None:
    """Name the files of a format that cannot be added to; None where they can, or are unknown."""
    if format_name in _WHOLE or format_name in FEED_EXPORTERS:
        return _WHOLE.get(format_name.rpartition("-")[2])
    return None


def known_formats(settings: BaseSettings) -> list[str]:
    """Return the names of the formats that are switched on."""
    exporters = settings.getwithbase("FEED_EXPORTERS")
    return sorted(name for name in exporters if exporters[name] is not None)


def format_of(output: str, known: Collection[str]) -> tuple[str, str]:
    """Return the file and the format of a value of ``-O``: behind a colon, else the ending."""
    file, _, behind = output.rpartition(":")
    return (
        (file, behind) if file and behind in known else (output, output.rpartition(".")[2].lower())
    )


def without_format(outputs: Iterable[str], known: Collection[str]) -> str | None:
    """Say which of some values of ``-O`` has no known format, and which formats there are."""
    for output in outputs:
        ending = format_of(output, known)[1]
        if ending not in known:
            guess = "jsonl" if output == "-" else "prevertical" if ending.startswith("vert") else ""
            meant = f" Did you mean {output}:{guess}?" if guess else ""
            return f"'{output}' has no known format.{meant} {FORMATS_TOLD}"
    return None
