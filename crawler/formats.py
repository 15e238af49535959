"""The feed formats that the project adds to Scrapy's, as the setting ``FEED_EXPORTERS``.

Imports nothing, so that settings modules and commands may import it.
"""

from __future__ import annotations

__all__ = ["FEED_EXPORTERS"]

FEED_EXPORTERS = {
    "csv": "crawler.exporters.CorpusCsvItemExporter",
    "parquet": "crawler.exporters.ParquetItemExporter",
    "sentences-jsonl": "crawler.rowfeeds.SentenceJsonLinesExporter",
    "sentences-csv": "crawler.rowfeeds.SentenceCsvExporter",
    "sentences-parquet": "crawler.rowfeeds.SentenceParquetExporter",
    "tables-jsonl": "crawler.rowfeeds.TableJsonLinesExporter",
    "tables-csv": "crawler.rowfeeds.TableCsvExporter",
    "tables-parquet": "crawler.rowfeeds.TableParquetExporter",
    "records-jsonl": "crawler.rowfeeds.RecordJsonLinesExporter",
    "records-csv": "crawler.rowfeeds.RecordCsvExporter",
    "records-parquet": "crawler.rowfeeds.RecordParquetExporter",
}
