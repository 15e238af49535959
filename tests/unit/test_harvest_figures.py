"""What a harvest takes from the figures of a crawl."""

from __future__ import annotations

from crawler.harvest.sitetask import figures_of


def test_all_that_was_lost_is_counted_as_errors() -> None:
    figures = figures_of(
        {
            "finish_reason": "finished",
            "corpus/pages/fetched": 9,
            "corpus/pages/exported": 2,
            "corpus/failed/timeout": 3,
            "corpus/failed/dns": 0,
            "corpus/skipped/not-article": 2,
            "corpus/skipped/error": 5,
            "corpus/parts/failed": 1,
            "feedexport/failed_count/FileFeedStorage": 1,
        }
    )
    assert figures["errors"] == {"timeout": 3, "item": 5, "output": 2}
    assert (figures["pages"], figures["items"], figures["reason"]) == (9, 2, "finished")


def test_why_a_crawl_ended_has_the_names_of_a_harvest() -> None:
    names = ("shutdown", "memusage_exceeded", "closespider_timeout", "ledger_failed")
    ends = [figures_of({"finish_reason": name})["reason"] for name in names]
    assert ends == ["stopped", "memory", "time", "ledger_failed"]
    assert figures_of({"finish_reason": "finished"})["errors"] == {}
