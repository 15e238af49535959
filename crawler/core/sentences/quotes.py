"""Quotations and brackets: their pairs, and whether a sentence goes on behind quoted speech."""

# ruff: noqa: RUF001 - quotation marks and words in many scripts are this module's data

from __future__ import annotations

import re
from dataclasses import dataclass

_PAIRS = dict(zip("([{（［【〔「『《〈〖｢“„‘‚«»‹›", ")]}）］】〕」』》〉〗｣”“’’»«›‹", strict=True))
# Pairs whose closing mark has a second form.
_ALSO_CLOSE = {"„": "”", "‚": "‘", "“": "„", "”": "”"}
_BRACKETS = frozenset("([{（［【〔")
_MARK = re.compile(r"""[()\[\]{}（）［］【】〔〕「」『』《》〈〉〖〗｢｣“”„‘’‚«»‹›"']""")
_OPENS_AFTER = frozenset(" \t\n\r\xa0\u3000([{（「『“„«—–-:,/=>")
# A mark with no partner within this many characters is a slip, an apostrophe or a sign for inches.
_REACH = 500
_REACH_SINGLE = 200
_DEPTH = 8

# Korean particles and verbs that take up the words before them.
_QUOTING = r"이?라(?:고|며|는|면서|던|니|든지|도)(?=[\s,.]|\Z)|이?란\s"
_SAYING = r"하(?:고|며|면서|는|자)(?=[\s,.]|\Z)"
_QUOTING_KO = re.compile(_QUOTING)
_ASKING_KO = re.compile(rf"{_QUOTING}|{_SAYING}")
_AFTER_QUOTE_KO = re.compile(
    rf"{_QUOTING}|{_SAYING}|(?:고(?:는|도)?|며|는)(?=[\s,.]|\Z)|등(?:의|을|이)?\s"
)
_HANGUL = re.compile("[가-힣]")
_QUOTING_JA = re.compile(
    r"と(?![こてもにりき])|って|は(?![いじる])|が(?!ん)|を|に(?![ほし])|の(?!ち)|も(?![うしっ])|で(?![もす])"
    r"|な(?:ど|んて)|だ[とっ]|、|，"
)
_SAYS_ZH = re.compile("[^。，！？；：“”「」『』\\s]{0,10}?[说說问問道喊叫答想写寫讲講嚷骂罵]")
_TAKES_UP_ZH = re.compile("[的地得之等里裡中，、；]")
_TITLE_CLOSERS = frozenset("》〉")
_ASKING_MARKS = frozenset("？！?!")
_SAYS_EN = re.compile(
    r"\s*(?:(?:Mr|Mrs|Ms|Dr)\.\s)?[A-Z][\w'’-]+(?:\s[A-Z][\w'’-]+)?\s(?:said|says|asked|asks|cried|"
    r"replied|shouted|whispered|answered|added|exclaimed|muttered|wrote|called|yelled|laughed|"
    r"beams|beamed|wondered|continued|agreed|insisted|declared)\b"
)
_LOOK_AHEAD = 80


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A pair of marks: the offsets of the opening and of the closing one.

    ``bracket`` is false for quotation marks.
    """

    opening: int
    closing: int
    bracket: bool


def outermost_enclosures(text: str) -> list[Enclosure]:
    """Return the pairs that are inside no other pair, in order. Takes linear time."""
    found: list[Enclosure] = []
    opened: list[tuple[int, str]] = []
    for token in _MARK.finditer(text):
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
    """Tell "don't" from a quotation mark. Hangul and Han have no apostrophe."""
    if at == 0:
        return False
    before, after = text[at - 1], text[at + 1 : at + 2]
    return before.isalpha() and after.isalpha() and after < "\u0600"


def goes_on_after_quote(
    text: str, language: str, run: str, end: int, *, at_start: bool = True
) -> bool:
    """Tell whether a sentence goes on right behind a closing quotation mark: "…?" she asked.

    Args:
        text: the text.
        language: primary language subtag.
        run: the end marks and the closing marks.
        end: offset behind the run.
        at_start: whether the sentence began with the quotation.
    """
    after = text[end : end + _LOOK_AHEAD]
    if language == "ko":
        return bool(_HANGUL.match(after) or _AFTER_QUOTE_KO.match(after.lstrip()))
    if language == "ja":
        return _QUOTING_JA.match(after) is not None
    if language == "zh":
        if not _TITLE_CLOSERS.isdisjoint(run) or _TAKES_UP_ZH.match(after):
            return True
        asked = not _ASKING_MARKS.isdisjoint(run)
        return at_start and asked and _SAYS_ZH.match(after) is not None
    return language == "en" and at_start and _SAYS_EN.match(after) is not None


def is_taken_up(text: str, at: int, *, asked: bool) -> bool:
    """Tell whether a Korean sentence goes on at ``at`` with a word that takes up what is before.

    Args:
        text: the text.
        at: offset of the word.
        asked: whether a question or an exclamation mark is before it.
    """
    return (_ASKING_KO if asked else _QUOTING_KO).match(text, at) is not None
