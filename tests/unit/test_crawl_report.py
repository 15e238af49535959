"""The report that a crawl writes for the program that started it."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from pathlib import Path

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector

from crawler.extensions.crawl_report import CrawlReport


def crawler(**settings: object) -> Crawler:
    made = Crawler(Spider, Settings(settings))
    made.stats = MemoryStatsCollector(made)
    return made


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="no such device here")
def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.symlink_to("/dev/null")
    CrawlReport.from_crawler(crawler(CORPUS_CRAWL_REPORT=str(path))).engine_stopped()
    assert [*tmp_path.iterdir()] == [path]
    assert path.is_symlink()


def test_a_report_has_the_end_and_all_statistics(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "report.json"
    ended = crawler(CORPUS_CRAWL_REPORT=str(path))
    assert ended.stats is not None
    start = datetime(2026, 11, 2, 5, tzinfo=UTC)
    ended.stats.set_stats(
        {"start_time": start, "finish_reason": "shutdown", "elapsed_time_seconds": 3.5,
         "corpus/pages/fetched": 7, "corpus/left_alone": [{"site": "blog.example"}]}
    )  # fmt: skip
    CrawlReport.from_crawler(ended).engine_stopped()

    report = json.loads(path.read_text("utf-8"))
    assert report["reason"] == "shutdown"
    assert (report["start"], report["end"]) == ("2026-11-02T05:00:00+00:00", None)
    assert report["seconds"] == 3.5
    assert report["stats"]["corpus/pages/fetched"] == 7
    assert report["stats"]["corpus/left_alone"] == [{"site": "blog.example"}]


def test_a_crawl_reports_only_where_it_is_asked_to() -> None:
    with pytest.raises(NotConfigured):
        CrawlReport.from_crawler(crawler())


def test_a_report_that_cannot_be_written_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("a file where a folder belongs")
    path = tmp_path / "file" / "report.json"
    with caplog.at_level(logging.ERROR):
        CrawlReport.from_crawler(crawler(CORPUS_CRAWL_REPORT=str(path))).engine_stopped()
    assert [record.levelname for record in caplog.records] == ["ERROR"]
