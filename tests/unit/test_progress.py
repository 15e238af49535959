from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from scrapy import Spider
from scrapy.http import HtmlResponse, Response
from scrapy.logformatter import LogFormatter
from scrapy.utils.test import get_crawler

from crawler.core.wording import fit_width
from crawler.discovery.frontier import Visit
from crawler.extensions.logs import shorten_start
from crawler.extensions.progress import Progress
from crawler.extensions.summary import summary
from crawler.items import PageItem
from crawler.spiders.site import SiteSpider

FULL: dict[str, Any] = {
    "finish_reason": "finished",
    "elapsed_time_seconds": 185.4,
    "corpus/pages/fetched": 1240,
    "corpus/pages/exported": 1195,
    "corpus/pages/broken": 3,
    "corpus/pages/near_duplicates": 9,
    "corpus/skipped/empty": 2,
    "corpus/skipped/binary": 30,
    "corpus/skipped/near-duplicate": 2,
    "corpus/failed/http-404": 8,
    "corpus/cut/nofollow": 5,
    "corpus/pages/dropped": 1,
    "corpus/sites": 2,
    "corpus/blocks/kept": 9000,
    "corpus/blocks/dropped": 41000,
    "corpus/top_dropped": [
        {"text": "메뉴 " * 30, "pages": 1200},
        {"text": "a\n b\x1b[31m", "pages": 3},
    ],
    "log_count/ERROR": 4,
}


def test_the_summary_says_what_happened() -> None:
    lines = summary(FULL, ["pages.jsonl (1,200 items)"])
    assert lines == [
        "Crawl finished after 3 min 5 s",
        "  pages       1,240 fetched, 1,195 exported, 7 of them near-duplicates",
        "  skipped     34 (binary 30, empty 2, near-duplicate 2)",
        "  dropped     1 by item pipelines",
        "  broken      3: an item pipeline failed on them",
        "  waiting     7 not exported",
        "  failed      8 (http-404 8)",
        "  not visited 5 (nofollow 5)",
        "  sites       2",
        "  blocks      9,000 kept, 41,000 dropped",
        "  errors      4, see the log",
        "  dropped most often:",
        "      1,200 pages  " + ("메뉴 " * 14)[:-1].rstrip() + "…",
        "          3 pages  a b[31m",
        "  output      pages.jsonl (1,200 items)",
    ]


def test_a_crawl_without_pages_says_so() -> None:
    lines = summary({"finish_reason": "shutdown", "elapsed_time_seconds": 0.25}, [])
    assert lines == [
        "Crawl ended early (shutdown) after 0.2 s",
        "  pages       0 fetched, 0 exported",
        "  output      none: name a file with -O pages.jsonl",
    ]


def test_the_figures_of_fetched_pages_add_up() -> None:
    lines = summary(FULL, [])
    numbers = {
        line.split()[0]: int(line.split()[1].strip(":").replace(",", "")) for line in lines[1:6]
    }
    assert numbers.pop("pages") == FULL["corpus/pages/fetched"]
    assert sum(numbers.values()) + 1195 == FULL["corpus/pages/fetched"]
    whole = summary({"corpus/pages/fetched": 3, "corpus/pages/exported": 3}, [])
    assert not any("waiting" in line for line in whole)


def test_trouble_is_told() -> None:
    stats = {
        "feedexport/failed_count/FileFeedStorage": 1,
        "corpus/feeds/missing": 1200,
        "corpus/tables/failed": 4,
        "corpus/drain_errors": 1,
        "corpus/counts/failed": 2,
        "corpus/items/flawed": 3,
    }
    assert summary(stats, ["a"])[2:-1] == [
        "  feeds       1 could not be stored",
        "  feeds       1,200 items are missing from the output",
        "  folder      it lacks tables of 4 pages, see the log",
        "  held pages  could not all be read back, see the log",
        "  counts      2 could not be kept or read, see the log",
        "  items       3 with url and html were no pages, see the log",
    ]
    missing = summary({"corpus/feeds/missing": 2}, ["a"])
    assert missing[2] == "  feeds       2 items are missing from the output"


def test_pages_that_came_cut_and_pages_without_a_date_are_told() -> None:
    lines = summary({"corpus/responses/wrong_length": 3, "corpus/pages/undated": 1200}, ["a"])
    told = {line[:12].strip(): line[14:].split()[0] for line in lines[1:]}
    assert told["cut short"] == "3"
    assert told["undated"] == "1,200"


def test_the_documented_summary_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs/getting-started.md").read_text("utf-8")
    sample = page[page.index("Crawl ended early") :].partition("```")[0].splitlines()
    monkeypatch.chdir(tmp_path)
    spool = Path(sample[-2].split()[-1])
    spool.parent.mkdir(parents=True)
    spool.touch()
    stats = {
        "finish_reason": "shutdown",
        "elapsed_time_seconds": 1264,
        "corpus/pages/fetched": 1240,
        "corpus/pages/exported": 1190,
        "corpus/pages/near_duplicates": 12,
        "corpus/skipped/duplicate-address": 30,
        "corpus/skipped/not-html": 8,
        "corpus/skipped/empty": 3,
        "corpus/pages/dropped": 4,
        "corpus/pages/broken": 2,
        "corpus/failed/http-404": 7,
        "corpus/failed/robots": 1,
        "corpus/failed/timeout": 1,
        "corpus/cut/page-limit": 200,
        "corpus/cut/nofollow": 10,
        "downloader/response_status_count/200": 1243,
        "downloader/response_status_count/301": 1,
        "downloader/response_status_count/404": 8,
        "corpus/discovery/listings": 2,
        "corpus/discovery/failed/http-404": 1,
        "corpus/sites": 1,
        "corpus/blocks/kept": 9310,
        "corpus/blocks/dropped": 41022,
        "log_count/ERROR": 2,
        "corpus/top_dropped": [
            {"text": "All rights reserved by the makers of this blog", "pages": 1190},
            {"text": "Read this next", "pages": 874},
        ],
        "corpus/spool": str(spool),
        "corpus/spool_kept_because": "pages that a pipeline failed on: 2",
    }
    assert summary(stats, ["pages.jsonl (1,190 items)"]) == sample


def test_it_is_told_why_held_pages_are_kept(tmp_path: Path) -> None:
    stats = {"corpus/spool": str(tmp_path), "corpus/spool_kept_because": "A feed failed"}
    assert summary(stats, ["a"])[-2:] == [
        f"  held pages  {tmp_path}",
        "              kept because: A feed failed",
    ]


def test_held_pages_are_named_only_while_they_are_there(tmp_path: Path) -> None:
    gone = summary({"corpus/spool": str(tmp_path / "gone")}, ["a"])
    kept = summary({"corpus/spool": str(tmp_path)}, ["a"])
    removed = summary({"corpus/spool": None}, ["a"])
    assert kept == [*gone, f"  held pages  {tmp_path}"]
    assert removed == gone


def test_many_outputs_are_shortened() -> None:
    lines = summary({}, [f"{number}.csv" for number in range(20)])
    assert lines[-2:] == ["  output      10.csv", "  output      and 9 more"]


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("가나다라", 8, "가나다라"),
        ("가나다라", 7, "가나다…"),
        ("가나다라", 6, "가나…"),
        ("e\u0301e\u0301", 2, "e\u0301e\u0301"),
        ("two\n lines\t\u202e!", 20, "two lines !"),
        ("", 5, ""),
    ],
)
def test_width_is_counted_in_terminal_columns(text: str, width: int, shown: str) -> None:
    assert fit_width(text, width) == shown


def progress(**settings: object) -> Progress:
    crawler = get_crawler(Spider, {"CORPUS_PROGRESS": "off", **settings})
    return Progress.from_crawler(crawler)


def response(url: str) -> Response:
    return HtmlResponse(url, body=b"")


def test_the_line_follows_the_stats() -> None:
    shown = progress()
    stats = shown.stats
    stats.set_value("response_received_count", 13)
    stats.set_value("corpus/pages/fetched", 12)
    stats.set_value("corpus/pages/held", 10)
    shown.response_received(response("https://blog.example/a"))
    assert shown._line() == ("fetching: 12 pages fetched · 10 held · 0.0 pages/s · blog.example")
    shown.response_received(response("data:,pages"))
    shown.item_scraped(PageItem(url="https://other.example/", site="other.example"))
    assert shown._line() == (
        "reading: 12 pages fetched · 10 held · 12 to come · 0.0 pages/s · other.example"
    )


def test_the_rate_is_right_from_the_first_line(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("crawler.extensions.progress.time.monotonic", lambda: clock[0])
    shown = progress(LOGSTATS_INTERVAL=0)
    shown.spider_opened()
    clock[0] += 4
    shown.stats.set_value("corpus/pages/fetched", 8)
    assert " 2.0 pages/s" in shown._line()
    clock[0] += 100
    shown.response_received(response("data:,pages"))
    clock[0] += 1
    shown.stats.set_value("corpus/pages/exported", 5)
    assert " 3 to come · 5.0 pages/s · 0.6 s left" in shown._line()


def test_the_line_tells_how_many_known_pages_are_to_come() -> None:
    shown = progress()
    spider = SiteSpider(url="http://blog.example/", max_pages=20)
    frontier = spider.frontier
    frontier.max_pages = 20
    site = frontier.add_root("http://blog.example/")
    for number in range(30):
        frontier.add(Visit(f"http://blog.example/{number}", site, 1, "article"))
    shown.crawler.spider = spider
    assert " 20 to come " in shown._line()
    assert len(frontier.next_visits(site)) == 20
    assert frontier.to_come() == 20
    for number in range(5):
        frontier.take(f"http://blog.example/{number}", site)
    assert frontier.to_come() == 15


@pytest.mark.parametrize(
    ("mode", "exported", "phase"),
    [
        ("two-pass", 0, "fetching"),
        ("two-pass", 1, "reading"),
        ("archive", 0, "counting"),
        ("archive", 1, "reading"),
        ("streaming", 1, "streaming"),
    ],
)
def test_the_phase_follows_mode_and_export(mode: str, exported: int, phase: str) -> None:
    shown = progress()
    shown.stats.set_value("corpus/mode", mode)
    shown.stats.set_value("corpus/pages/exported", exported)
    assert shown._line().startswith(f"{phase}: ")


def test_off_a_terminal_the_summary_is_one_log_record(caplog: pytest.LogCaptureFixture) -> None:
    shown = progress(LOGSTATS_INTERVAL=0)
    shown.spider_opened()
    shown.stats.set_value("corpus/pages/fetched", 3)
    with caplog.at_level(logging.INFO):
        shown.report()
    assert [record.levelname for record in caplog.records] == ["INFO"]
    assert "pages       3 fetched" in caplog.text


def test_log_lines_name_an_item_without_its_text() -> None:
    crawler = get_crawler(Spider)
    spider = Spider.from_crawler(crawler, name="s")
    formatter = LogFormatter()
    item = PageItem(url="https://blog.example/1", text="long text")
    error = ValueError("why")
    for result in (
        formatter.scraped(item, None, spider),
        formatter.dropped(item, error, None, spider),
        formatter.item_error(item, error, None, spider),
    ):
        assert "https://blog.example/1" in result["msg"] % result["args"]
        assert "long text" not in result["msg"] % result["args"]


def test_lists_at_the_start_are_for_debugging(caplog: pytest.LogCaptureFixture) -> None:
    shorten_start()
    with caplog.at_level(logging.INFO):
        logging.getLogger("scrapy.middleware").info("Enabled %s", "[...]")
        logging.getLogger("scrapy.crawler").info("Received %s", "SIGINT")
    assert [record.getMessage() for record in caplog.records] == ["Received SIGINT"]
