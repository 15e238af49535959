"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import re

import pytest

from crawler.core.patterns import compiled_later


def test_a_pattern_compiled_later_finds_what_a_compiled_one_finds() -> None:
    later, known = (
        compiled_later("(?P<a>a+)b", re.IGNORECASE),
        re.compile("(?P<a>a+)b", re.IGNORECASE),
    )
    text = "xAABab"
    assert later.pattern == known.pattern
    assert [found.span() for found in later.finditer(text)] == [(1, 4), (4, 6)]
    assert later.sub("-", text) == known.sub("-", text) == "x--"
    assert later.fullmatch("aab") is not None
    assert later.flags == known.flags
    assert later.groupindex == known.groupindex


def test_a_wrong_pattern_fails_where_it_is_first_used() -> None:
    wrong = compiled_later("(")
    with pytest.raises(re.error):
        wrong.search("")
