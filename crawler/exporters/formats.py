"""The feed formats that the project adds to Scrapy's, as the setting ``FEED_EXPORTERS``.

Imports nothing, so that settings modules and commands may import it.
"""

from __future__ import annotations

FEED_EXPORTERS = {
    "csv": "crawler.exporters.feeds.CorpusCsvItemExporter",
    "parquet": "crawler.exporters.feeds.ParquetItemExporter",
    "sentences-jsonl": "crawler.exporters.rows.SentenceJsonLinesExporter",
    "sentences-csv": "crawler.exporters.rows.SentenceCsvExporter",
    "sentences-parquet": "crawler.exporters.rows.SentenceParquetExporter",
    "tables-jsonl": "crawler.exporters.rows.TableJsonLinesExporter",
    "tables-csv": "crawler.exporters.rows.TableCsvExporter",
    "tables-parquet": "crawler.exporters.rows.TableParquetExporter",
    "records-jsonl": "crawler.exporters.rows.RecordJsonLinesExporter",
    "records-csv": "crawler.exporters.rows.RecordCsvExporter",
    "records-parquet": "crawler.exporters.rows.RecordParquetExporter",
}
