from __future__ import annotations

import random
import re
import tracemalloc

import pytest

from crawler.core.structure.patterns import MOST_CHARS, Pattern, PatternError
from support.pace import within


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"\d{4}", "in 1999 and 20011", ["1999", "2001"]),
        (r"\b\d{4}\b", "in 1999 and 20011", ["1999"]),
        (r"(19|20)\d\d( ?[-~] ?(19|20)\d\d)?", "1998 - 2000, 2001", ["1998 - 2000", "2001"]),
        (r"[\w.]+@[\w-]+(\.[\w-]+)+", "to a.b@example.org.", ["a.b@example.org"]),
        (r"ph\.?d", "Ph.D and PHD", ["Ph.D", "PHD"]),
        (r"^a+", "aab aa", ["aa"]),
        (r"a+$", "aab aa", ["aa"]),
        (r"[^a-c\s]+", "abcd efa", ["d", "ef"]),
        (r"(?:ab){2,}", "ab ababab", ["ababab"]),
        (r"x{0}y", "xy", ["y"]),
        (r"[]-]+", "a]-b", ["]-"]),
        (r"\(\)\\", r"()\ ", ["()\\"]),
        (r".", "a\nb", ["a", "b"]),
        (r"평점 ?\d", "평점 3", ["평점 3"]),
    ],
)  # fmt: skip
def test_matches_are_the_longest_from_the_left(pattern: str, text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in Pattern(pattern).find(text)] == found


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("(a", "never closed"), ("a)", "closes no group"), ("[a", "never closed"),
        ("a**", "follows a quantifier"), ("*a", "repeats nothing"), ("(?=a)b", "linear time"),
        (r"(a)\1", "not known"), (r"\q", "not known"), ("a{2", "no repeat count"),
        ("a{3,2}", "turn it round"), ("a{99}", "above 60"), ("a?", "empty text"), ("a|", "empty"),
        ("((a{60}){60}){60}", "too large"), ("(" * 40 + "a" + ")" * 40, "nest deeper"),
        ("\\", "ends it"), ("[z-a]", "bad character range"),
    ],
)  # fmt: skip
def test_a_wrong_expression_is_told(pattern: str, told: str) -> None:
    with pytest.raises(PatternError, match=re.escape(told)):
        Pattern(pattern)


def test_nested_quantifiers_take_time_by_the_length_of_the_text_alone() -> None:
    pattern = Pattern("(a+)+b")
    with within(10):
        assert list(pattern.find("a" * 5_000)) == []


def test_what_is_kept_for_later_texts_is_bounded() -> None:
    draw, source = random.Random(7), "[ab]*a[ab]{20}"
    texts = [" ".join("".join(draw.choices("ab", k=80)) for _ in range(4)) for _ in range(60)]
    pattern, largest = Pattern(source), 0
    tracemalloc.start()
    for text in texts:
        found = [text[start:end] for start, end in pattern.find(text)]
        assert found == re.findall(source, text)
        largest = max(largest, tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert largest < 3_000_000


def test_a_match_is_bounded() -> None:
    assert list(Pattern("a+").find("a" * (MOST_CHARS + 1))) == [(0, MOST_CHARS), (160, 161)]


def test_a_whole_text_is_covered_or_not() -> None:
    assert Pattern(r"\d+").covers("123")
    assert not Pattern(r"\d+").covers("123 a")
    assert not Pattern(r"\d+").covers("")
