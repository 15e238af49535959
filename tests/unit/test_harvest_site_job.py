"""The job of a site: its command line, and what is kept of the report of its crawl."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import BaseSettings

from crawler.harvest.history import Run
from crawler.harvest.plan import SitePlan
from crawler.harvest.site_job import _result, crawl_command, figures_of

if TYPE_CHECKING:
    from pathlib import Path


def options_of(site: SitePlan) -> tuple[dict[str, str], dict[str, str]]:
    """Return the arguments and the settings of a command line."""
    crawl, spider, *options = crawl_command(site, "/out/sites/blog", "run")
    assert (crawl, spider) == ("crawl", "site")
    pairs = list(zip(options[::2], options[1::2], strict=True))
    assert {flag for flag, _ in pairs} <= {"-a", "-s"}
    arguments, settings = (
        dict(text.split("=", 1) for flag, text in pairs if flag == wanted)
        for wanted in ("-a", "-s")
    )
    return arguments, settings


def test_a_plan_is_a_command_line() -> None:
    site = SitePlan(
        "blog", ("http://blog.example/",), languages=("ko", "en"), arguments={"max_pages": 5},
        time_limit=90.0, memory_limit=10**9, method="density",
    )  # fmt: skip
    arguments, settings = options_of(site)
    assert arguments == {"url": "http://blog.example/", "lang": "ko,en", "max_pages": "5"}
    assert settings == {
        "CORPUS_DIR": "/out/sites/blog", "CORPUS_INCREMENTAL": "True",
        "CORPUS_OUTPUT_FORMAT": "jsonl",
        "CORPUS_TEXT_METHOD": "density", "CLOSESPIDER_TIMEOUT": "90.0", "MEMUSAGE_LIMIT_MB": "762",
    }  # fmt: skip


def test_a_site_that_is_not_incremental_has_a_feed_for_each_run() -> None:
    _, settings = options_of(SitePlan("blog", incremental=False, output_format="csv"))
    (address,) = json.loads(settings["FEEDS"])
    assert address == "file:///out/sites/blog/articles/run.csv.part"
    assert json.loads(settings["FEEDS"])[address]["format"] == "csv"


def test_settings_mean_on_a_command_line_what_they_mean_in_a_plan() -> None:
    given: dict[str, Any] = {
        "DOWNLOAD_DELAY": 0.5, "ROBOTSTXT_OBEY": False, "RETRY_HTTP_CODES": [500, 503],
        "ITEM_PIPELINES": {"my.Pipeline": 300}, "ADDONS": {"my.Addon": 1}, "USER_AGENT": "a=b, c",
    }  # fmt: skip
    _, settings = options_of(SitePlan("blog", settings=given))
    read = BaseSettings({name: settings[name] for name in given})
    assert read.getfloat("DOWNLOAD_DELAY") == 0.5
    assert read.getbool("ROBOTSTXT_OBEY") is False
    assert [int(code) for code in read.getlist("RETRY_HTTP_CODES")] == [500, 503]
    assert read.getdict("ITEM_PIPELINES") == {"my.Pipeline": 300}
    assert read.getdict("ADDONS") == {"crawler.addon.CorpusAddon": 500, "my.Addon": 1}
    assert read["USER_AGENT"] == "a=b, c"


def report(**stats: object) -> dict[str, Any]:
    return {"reason": "finished", "seconds": 2.0, "stats": stats}


def test_all_that_was_lost_is_counted_as_errors() -> None:
    figures = figures_of(
        report(
            **{
                "corpus/pages/fetched": 9,
                "corpus/pages/exported": 2,
                "corpus/failed/timeout": 3,
                "corpus/failed/dns": 0,
                "corpus/skipped/not-article": 2,
                "corpus/skipped/error": 5,
                "corpus/pages/broken": 4,
                "corpus/parts/failed": 1,
                "feedexport/failed_count/FileFeedStorage": 1,
            }
        )
    )
    assert figures["errors"] == {"timeout": 3, "item": 5, "pipeline": 4, "output": 2}
    assert (figures["pages"], figures["items"], figures["reason"]) == (9, 2, "finished")


def test_pages_without_an_item_are_counted_by_reason() -> None:
    figures = figures_of(
        report(
            **{
                "corpus/pages/fetched": 20,
                "corpus/pages/exported": 6,
                "corpus/pages/joined": 2,
                "corpus/pages/skipped": 8,
                "corpus/skipped/unchanged": 5,
                "corpus/skipped/not-article": 2,
                "corpus/skipped/empty": 0,
                "corpus/skipped/error": 1,
                "corpus/pages/broken": 3,
                "corpus/pages/dropped": 1,
            }
        )
    )
    skipped, errors = figures["skipped"], figures["errors"]
    assert skipped == {"not-article": 2, "unchanged": 5, "joined": 2, "dropped": 1}
    # All pages that came are told of.
    assert figures["items"] + sum(skipped.values()) + sum(errors.values()) == figures["pages"]


@pytest.mark.parametrize(
    ("scrapy", "harvest"),
    [("shutdown", "stopped"), ("memusage_exceeded", "memory"), ("closespider_timeout", "time"),
     ("ledger_failed", "ledger_failed"), ("finished", "finished")],
)  # fmt: skip
def test_why_a_crawl_ended_has_the_names_of_a_harvest(scrapy: str, harvest: str) -> None:
    assert figures_of({**report(), "reason": scrapy})["reason"] == harvest


def test_a_crawl_that_fetched_nothing_did_not_go_well() -> None:
    figures = figures_of(report(**{"corpus/failed/timeout": 2}))
    assert (figures["reason"], figures["errors"]) == ("no-page", {"timeout": 2})
    assert "timeout 2" in figures["detail"]
    # A start page that was not modified is none to worry about.
    assert figures_of(report())["reason"] == "finished"


@pytest.mark.parametrize(
    ("told", "scrapy", "reason", "detail"),
    [("time", "shutdown", "time", "the time limit of 10 s"), ("stopped", "shutdown", "stopped", ""),
     ("", "shutdown", "stopped", ""), ("time", "finished", "finished", ""),
     ("time", "ledger_failed", "ledger_failed", "")],
)  # fmt: skip
def test_a_crawl_that_was_told_to_end_at_its_limit_was_not_stopped_by_a_person(
    tmp_path: Path, told: str, scrapy: str, reason: str, detail: str
) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps({**report(), "reason": scrapy}))
    result = _result(0, told, path, "", SitePlan("blog", time_limit=10.0))
    assert (result["reason"], result["detail"]) == (reason, detail)


@pytest.mark.parametrize(
    ("scrapy", "reason"),
    [("finished", "failed"), ("shutdown", "failed"), ("closespider_itemcount", "failed"),
     ("spool_failed", "spool_failed")],
)  # fmt: skip
def test_a_crawl_whose_held_pages_cannot_be_read_back_did_not_go_well(
    scrapy: str, reason: str
) -> None:
    stats = {"corpus/pages/fetched": 5, "corpus/pages/exported": 2, "corpus/drain_errors": 1}
    figures = figures_of({**report(**stats), "reason": scrapy})
    assert figures["reason"] == reason
    assert ("read back" in figures["detail"]) == (reason == "failed")
    assert not Run("blog", datetime.now(UTC), **figures).went_well
