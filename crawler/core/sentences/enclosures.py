"""Quotation marks and brackets that belong together."""

# ruff: noqa: RUF001 - quotation marks and brackets are this module's data

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Enclosure", "outermost_enclosures"]

_PAIRS = dict(zip("([{（［【〔「『《〈〖｢“„‘‚«»‹›", ")]}）］】〕」』》〉〗｣”“’’»«›‹", strict=True))
# Pairs whose closing mark has a second form.
_ALSO_CLOSE = {"„": "”", "‚": "‘", "“": "„", "”": "”"}
_BRACKETS = frozenset("([{（［【〔")
_TOKEN = re.compile(r"""[()\[\]{}（）［］【】〔〕「」『』《》〈〉〖〗｢｣“”„‘’‚«»‹›"']""")
_OPENS_AFTER = frozenset(" \t\n\r\xa0\u3000([{（「『“„«—–-:,/=>")
# A mark with no partner within reach is a slip, an apostrophe or a sign for inches.
_REACH = 500
_REACH_SINGLE = 200
_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A pair of marks: the offsets of the opening and of the closing one.

    ``bracket`` tells brackets from quotation marks.
    """

    opening: int
    closing: int
    bracket: bool


def outermost_enclosures(text: str) -> list[Enclosure]:
    """Return the pairs that stand within no other pair, in order. Takes linear time."""
    found: list[Enclosure] = []
    opened: list[tuple[int, str]] = []
    for token in _TOKEN.finditer(text):
        at, mark = token.start(), token[0]
        if mark in "'’" and _is_apostrophe(text, at):
            continue
        opens = _can_open(text, at, mark)
        partner = None if opens and mark in "\"'" else _partner(opened, mark, at)
        if partner is None:
            if opens:
                opened.append((at, mark))
                del opened[:-_DEPTH]
            continue
        opening, opener = opened[partner]
        del opened[partner:]
        while found and found[-1].opening > opening:
            found.pop()
        found.append(Enclosure(opening, at, opener in _BRACKETS))
    return found


def _partner(opened: list[tuple[int, str]], mark: str, at: int) -> int | None:
    """Find the innermost open mark that this one closes."""
    for number in range(len(opened) - 1, -1, -1):
        opening, opener = opened[number]
        reach = _REACH_SINGLE if opener in "'‘‚" else _REACH
        if at - opening <= reach and _closes(opener, mark):
            return number
    return None


def _closes(opener: str, mark: str) -> bool:
    if opener in "\"'":
        return mark == opener
    return _PAIRS[opener] == mark or _ALSO_CLOSE.get(opener) == mark


def _can_open(text: str, at: int, mark: str) -> bool:
    if mark not in "\"'":
        return mark in _PAIRS
    return (at == 0 or text[at - 1] in _OPENS_AFTER) and not text[at + 1 : at + 2].isspace()


def _is_apostrophe(text: str, at: int) -> bool:
    """Tell "don't" from a quotation mark. Hangul and Han know no apostrophe."""
    if at == 0:
        return False
    before, after = text[at - 1], text[at + 1 : at + 2]
    return before.isalpha() and after.isalpha() and after < "\u0600"
