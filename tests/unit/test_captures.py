"""Which of the captures of an address is exported."""

from __future__ import annotations

import pytest

from crawler.core.page.page import Page
from crawler.journey.page_joiner import Captures


def capture(url: str, fetched_at: str = "", site: str = "") -> Page:
    return Page(url, b"", fetched_at=fetched_at, site=site)


def wanted(pages: list[Page], *, latest_alone: bool = True) -> list[int]:
    """Return the numbers of the pages that a second reading gives."""
    captures = Captures(latest_alone=latest_alone)
    added = [captures.add(page) for page in pages]
    given = list(captures.wanted(iter(pages)))
    assert sum(added) == len(given)
    numbers = [number for number, page in enumerate(pages) if any(page is one for one in given)]
    assert len(numbers) == len(given)
    return numbers


@pytest.mark.parametrize(
    ("times", "latest"),
    [
        (["2024-05-01T10:00:00Z", "2024-05-02T10:00:00Z"], 1),
        (["2024-05-02T10:00:00Z", "2024-05-01T10:00:00Z"], 0),
        (["2024-05-01T10:00:00Z", "2024-05-01T10:00:00Z"], 1),
        (["2024-05-01T10:00:00.5Z", "2024-05-01T10:00:00Z"], 0),
        (["2024-05-01T10:00:00+00:00", "2024-05-01T18:00:00+09:00"], 0),
        (["2024-05-01T10:00:00", "2024-05-01T09:59:59Z"], 0),
        (["2024-05-01T10:00:00Z", ""], 0),
        (["2024-05-01T10:00:00Z", "yesterday"], 0),
        (["0001-01-01T00:00:00+09:00", ""], 1),
        (["", "", ""], 2),
        (["2024-05-02T10:00:00Z", "2024-05-01T10:00:00Z", "2024-05-03T10:00:00Z"], 2),
    ],
)
def test_the_latest_is_wanted(times: list[str], latest: int) -> None:
    assert wanted([capture("http://a.example/", time) for time in times]) == [latest]


def test_addresses_and_sites_are_told_apart() -> None:
    pages = [
        capture("http://a.example/1"),
        capture("http://a.example/2"),
        capture("http://a.example/1", site="one"),
        capture("http://a.example/1", site="two"),
        capture("http://a.example/1", site="one"),
    ]
    assert wanted(pages) == [0, 1, 3, 4]
    assert wanted(pages, latest_alone=False) == [0, 1, 2, 3, 4]


def test_what_cannot_be_read_takes_no_other_captures_place() -> None:
    captures = Captures(latest_alone=True)
    pages = [capture("http://a.example/", time) for time in ("2024-05-01", "2024-05-02")]
    assert captures.add(pages[0])
    captures.pass_over()
    assert list(captures.wanted(pages)) == pages[:1]


def test_what_came_after_the_first_reading_is_given() -> None:
    captures = Captures(latest_alone=True)
    pages = [capture(f"http://a.example/{number}") for number in range(3)]
    assert all(captures.add(page) for page in pages[:2])
    assert list(captures.wanted(pages)) == pages
