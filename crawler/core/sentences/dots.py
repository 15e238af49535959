"""Whether a full stop ends a sentence: abbreviations, initials, numbers, and small letters."""

# ruff: noqa: RUF001 - dashes of many languages are this module's data

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crawler.core.sentences.habits import LIST_ENDS
from crawler.core.sentences.marks import WEBLIKE
from crawler.core.sentences.place import LOOK_BACK, begins_sentence, token_before
from crawler.core.sentences.proposals import is_abbreviation

if TYPE_CHECKING:
    from crawler.core.sentences.habits import Habits
    from crawler.core.sentences.place import Place

__all__ = ["ends_before_small", "ends_by_dot", "ends_unspaced"]

_NUMBER = re.compile(r"\(?[-–]?(?:\d+\.?[-–/])*(\d+)")
_MONTH = re.compile(
    r"(?:jan|feb|fév|m[aäá]r|apr|avr|ma[ijy]|máj|ju[nl]|jú[nl]|aug|sep|o[kc]t|nov|de[zc])",
    re.IGNORECASE,
)
_INITIAL = re.compile(r"(?:.*[-.])?[^\W\d_]", re.DOTALL)
_ACRONYM = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
# Ordinals and days have no more digits; years have.
_ORDINAL_DIGITS = 2
# Two letters or figures before a dot without a space: fewer are an abbreviation or an initial.
_WORD_ENOUGH = 2
_DOT_AHEAD = 3


def ends_by_dot(text: str, place: Place, language: str, habits: Habits) -> bool:
    """Tell whether a sentence ends at a dot with a space and no small letter behind it."""
    token = token_before(text, place.start)
    following = text[place.letter : place.letter + 1]
    if number := _NUMBER.fullmatch(token):
        return _ends_after_number(text, place, number[1], language, habits)
    word = token.lower()
    if word in habits.never or (following.isdigit() and word in habits.before_number):
        return False
    capital = following.isupper()
    if capital and (_is_common(word, habits) or begins_sentence(text, place.letter, habits)):
        return True
    if _INITIAL.fullmatch(token) and (capital or not following.isalpha()):
        return _ACRONYM.fullmatch(token) is not None and place.is_proposed and not capital
    return place.is_proposed


def ends_before_small(text: str, place: Place, language: str, habits: Habits) -> bool:
    """Tell whether a sentence ends at a dot although a small letter follows.

    Careless writers begin sentences so. The word before the dot must be no abbreviation, and the
    word behind it one that begins sentences.
    """
    token = token_before(text, place.start)
    if place.run != "." or len(token) <= _WORD_ENOUGH or not token.isalpha():
        return False
    word = token.lower()
    short = word in habits.never or word in habits.shortened or word in LIST_ENDS
    return not short and not is_abbreviation(token, language)


def ends_unspaced(text: str, place: Place, habits: Habits) -> bool:
    """Tell whether a sentence ends where a letter follows the mark at once, as in "end.The"."""
    at = place.following
    if text[at] in "¿¡":
        return True
    before = text[max(0, place.start - _WORD_ENOUGH) : place.start]
    is_word = before.isdigit() or (before.isalpha() and before.islower())
    if len(before) < _WORD_ENOUGH or not is_word or not text[at].isupper():
        return False
    if not place.is_proposed and not begins_sentence(text, at, habits):
        return False
    around = text[max(0, place.start - LOOK_BACK) : at + LOOK_BACK]
    return WEBLIKE.search(around) is None and "." not in text[at : at + _DOT_AHEAD]


def _is_common(word: str, habits: Habits) -> bool:
    """Tell a short word from an abbreviation, or one with which lists end."""
    return word in LIST_ENDS or (len(word) > 1 and word in habits.starters)


def _ends_after_number(text: str, place: Place, digits: str, language: str, habits: Habits) -> bool:
    following = text[place.letter : place.letter + 1]
    if language == "ko" or (language in {"ja", "zh"} and following.isdigit()):
        return False
    if len(digits) <= _ORDINAL_DIGITS and following.isalpha():
        if habits.ordinals:
            return begins_sentence(text, place.letter, habits)
        if language != "en" and _MONTH.match(text, place.letter):
            return False
    return place.is_proposed or following.isupper()
