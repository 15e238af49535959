"""What pages ask of robots: in their headers, in themselves, and of whom."""

from __future__ import annotations

import pytest

from crawler.core.page.page import Page
from crawler.core.page.parse import ParsedPage, parse
from crawler.core.page.robots_meta import DIRECTIVES, may_hold_directives, read_directives

BASE = "http://a.example"


def asked(page: str = "", *tags: str, tdm: str = "") -> set[str]:
    parsed: ParsedPage | None = None
    if page:
        assert may_hold_directives(page.encode())
        parsed = parse(Page.from_text(f"{BASE}/", f"<html><head>{page}</head><p>Text</p></html>"))
    return set(read_directives(tags, tdm, parsed))


def test_directives_are_read_from_headers_and_from_the_page() -> None:
    assert asked('<meta name="ROBOTS" content="noindex, NoFollow">') == {"noindex", "nofollow"}
    assert asked('<meta name="robots" content="none">') == {"noindex", "nofollow"}
    assert asked('<meta name="robots" content="noai, noimageai">') == {"noai"}
    assert asked('<meta name="tdm-reservation" content="1">') == {"tdm"}
    assert asked('<meta name="tdm-reservation" content="0">') == set()
    assert asked("", "noindex", "nofollow") == {"noindex", "nofollow"}
    assert asked("", "otherbot: noindex, nofollow") == set()
    assert asked("", "scrapy-corpus: noai") == {"noai"}
    assert asked("", "unavailable_after: 25 Jun 2026 15:00:00 PST, noindex") == {"noindex"}
    assert asked("", tdm="1") == {"tdm"}
    assert not may_hold_directives(b"<html><p>Text</p>")


def test_what_is_asked_in_both_is_asked_once_and_has_a_name() -> None:
    both = asked('<meta name="robots" content="none"><meta name="tdm-reservation" content="1">',
                 "noindex, noai", tdm=" 1 ")  # fmt: skip
    assert both == set(DIRECTIVES)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
def test_a_page_of_two_bytes_a_character_may_ask(encoding: str) -> None:
    assert may_hold_directives('<meta name="robots" content="noindex">'.encode(encoding))


def test_what_stands_far_below_is_asked_too() -> None:
    page = f"<html><body>{'<p>Text</p>' * 30_000}<META NAME=Robots CONTENT=noai></body></html>"
    assert may_hold_directives(page.encode())
    assert read_directives((), page=parse(Page.from_text(f"{BASE}/", page))) == {"noai"}
