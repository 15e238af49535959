"""Why nothing was exported is told by what happened most often."""

from __future__ import annotations

import pytest
from scrapy.exceptions import CannotResolveHostError, IgnoreRequest

from crawler.extensions.verdict import why_nothing
from crawler.middlewares.robots import RobotsUnreachableError
from crawler.spiders.base import failure_reason


@pytest.mark.parametrize(
    ("stats", "reason"),
    [
        ({"failed/dns": 1}, "dns 1"),
        ({"failed/http-404": 2, "skipped/not-article": 1}, "http-404 2"),
        ({"failed/http-503": 2}, "http-503 2"),
        ({"failed/http-404": 1, "skipped/not-article": 3}, "not-article 3"),
        ({"skipped/duplicate-address": 9, "skipped/no-text": 1}, "no-text 1"),
        ({"skipped/not-article": 1, "cut/allow": 1200, "cut/file-type": 5000}, "allow 1,200"),
        ({"pages/broken": 4, "skipped/not-article": 1}, "broken 4"),
        ({"skipped/date": 2, "cut/date": 2, "skipped/no-text": 3}, "date 4"),
        ({"resumed": 1, "failed/dns": 1}, "dns 1"),
        ({"failed/somebodys-own": 1}, "somebodys-own 1"),
    ],
)
def test_the_reason_is_the_most_frequent_one(stats: dict[str, int], reason: str) -> None:
    told = why_nothing({f"corpus/{name}": number for name, number in stats.items()})
    assert told.endswith(f" ({reason})")
    assert "\n" not in told


def test_what_scrapy_counts_of_spiders_of_others_is_told() -> None:
    ignored = {
        "httperror/response_ignored_status_count/404": 2,
        "httperror/response_ignored_count": 2,
    }
    assert why_nothing(ignored).endswith(" (http-404 2)")
    assert why_nothing({**ignored, "corpus/failed/dns": 1}).endswith(" (dns 1)")


def test_a_jobdir_whose_crawl_has_ended_is_named() -> None:
    assert "JOBDIR" in why_nothing({"corpus/resumed": 1})
    assert "JOBDIR" not in why_nothing({})


def test_a_crawl_that_was_stopped_does_not_blame_its_pages() -> None:
    pages = {"corpus/skipped/not-article": 1}
    stopped = why_nothing({**pages, "finish_reason": "shutdown"})
    assert "CORPUS_PAGE_TYPES" in why_nothing({**pages, "finish_reason": "finished"})
    assert "CORPUS_PAGE_TYPES" not in stopped
    assert "run it again" in stopped


def test_an_export_that_is_read_as_an_archive_is_told_what_it_lacks() -> None:
    assert "'html'" in why_nothing({"corpus/skipped/malformed": 35})


@pytest.mark.parametrize("name", ["pages", "vain"])
def test_a_browser_is_proposed_only_where_none_has_read_the_pages(name: str) -> None:
    empty = {"corpus/skipped/no-text": 3}
    assert "scrapy-corpus[browser]" in why_nothing(empty)
    assert "scrapy-corpus[browser]" not in why_nothing({**empty, f"corpus/browser/{name}": 3})


def test_there_may_be_no_reason() -> None:
    assert why_nothing({"finish_reason": "finished"})


def test_a_host_that_is_not_there_is_no_matter_of_its_rules() -> None:
    for cause, reason in (
        (CannotResolveHostError("x"), "dns"),
        (IgnoreRequest("status 503"), "robots-unreachable"),
    ):
        error = RobotsUnreachableError("the robots.txt of x")
        error.__cause__ = cause
        assert failure_reason(error) == reason
