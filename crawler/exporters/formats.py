"""What the project adds to Scrapy's feeds: formats (``FEED_EXPORTERS``), and how files are written.

Imports nothing, so that settings modules and commands may import it.
"""

from __future__ import annotations

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
