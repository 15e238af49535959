"""No pattern takes time by the square of its text: each is tried on repeated parts of itself."""

from __future__ import annotations

import re
from typing import Any

import pytest

from crawler.core.errors import PageTimeError
from crawler.discovery.addresses import complete_address
from crawler.journey.page_time import PageTime
from support.pumping import cpu_seconds, patterns, texts

SMALL, LARGE = 2_500, 10_000
# Processor time in seconds that no linear pattern needs for the large text.
FLOOR = 0.01
# Four times the text is four times the work where it is linear, and sixteen times where it is not.
GROWTH = 9.0
ENOUGH = 5.0
BOUNDED = {
    "crawler.core.listings.formats._IS_SITEMAP": "addresses of a listing are bounded",
    "crawler.core.structure.medl._AMBIGUOUS": "a pattern of a model has 2,000 characters at most",
    "crawler.core.structure.medl._GROUP": "as above",
    "crawler.core.structure.medl._LEXEME": "the reader stops at the first mark that is wrong",
    "crawler.core.wrapper.shapes._COMMENT": "a document type that the user gives",
    "crawler.core.wrapper.shapes._OTHERS": "as above",
    "crawler.core.metadata.names.byline_words": "matched at the beginning of a byline alone",
    "crawler.demo.pages._LINK": "the text of the demo",
}


@pytest.mark.slow
def test_no_pattern_takes_time_by_the_square_of_a_text() -> None:
    slow = {
        place: text[:40]
        for pattern, (place, only_matched) in patterns().items()
        if place not in BOUNDED
        for text in sorted(texts(pattern, LARGE))
        if _grows(pattern, text, only_matched=only_matched)
    }
    assert slow == {}


def _grows(pattern: re.Pattern[Any], text: str, *, only_matched: bool) -> bool:
    def work(text: str) -> float:
        return cpu_seconds(pattern, text, only_matched=only_matched)

    try:
        if PageTime(ENOUGH).spend(lambda: work(text)) < FLOOR:
            return False
        # Whatever else the machine does adds to both: the least of several is the work itself.
        large = min(work(text) for _ in range(3))
        small = min(work(text[: SMALL - 1] + text[-1]) for _ in range(3))
    except PageTimeError:
        return True
    return large > FLOOR and large > GROWTH * small


def test_a_long_line_is_no_address_at_once() -> None:
    def work(line: str) -> None:
        assert complete_address(line) is None

    for line in ("a." * 50_000 + "@", "." * 100_000 + "@", "a" * 100_000):
        PageTime(ENOUGH).spend(lambda line=line: work(line))  # type: ignore[misc] # bound early
