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
            "corpus/pages/broken": 4,
            "corpus/parts/failed": 1,
            "feedexport/failed_count/FileFeedStorage": 1,
        }
    )
    assert figures["errors"] == {"timeout": 3, "item": 5, "pipeline": 4, "output": 2}
    assert (figures["pages"], figures["items"], figures["reason"]) == (9, 2, "finished")


def test_pages_without_an_item_are_told_by_reason() -> None:
    figures = figures_of(
        {
            "finish_reason": "finished",
            "corpus/pages/fetched": 20,
            "corpus/pages/exported": 6,
            "corpus/pages/joined": 2,
            "corpus/pages/skipped": 8,
            "corpus/skipped/unchanged": 5,
            "corpus/skipped/not-article": 2,
            "corpus/skipped/empty": 0,
            "corpus/skipped/error": 1,
            "corpus/pages/broken": 3,
            "item_dropped_count": 1,
        }
    )
    skipped, errors = figures["skipped"], figures["errors"]
    assert skipped == {"not-article": 2, "unchanged": 5, "joined": 2, "dropped": 1}
    # All pages that came are told of.
    assert figures["items"] + sum(skipped.values()) + sum(errors.values()) == figures["pages"]


def test_why_a_crawl_ended_has_the_names_of_a_harvest() -> None:
    names = ("shutdown", "memusage_exceeded", "closespider_timeout", "ledger_failed")
    ends = [figures_of({"finish_reason": name})["reason"] for name in names]
    assert ends == ["stopped", "memory", "time", "ledger_failed"]
    assert figures_of({"finish_reason": "finished"})["errors"] == {}
