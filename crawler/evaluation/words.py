"""Words as the measures count them: the same in every language, with no dictionary.

A word is a run of letters and digits, lower-cased; every Han, Hiragana and Katakana character is a
word of its own, because those scripts write no spaces. *Letters and digits* are the characters for
which :meth:`str.isalnum` is true. A combining mark belongs to the word (or the single character)
it follows, so the vowel signs of Hindi or Thai do not tear words apart; a mark that follows no
letter or digit is no word. Everything else (punctuation, underscores, zero-width characters)
separates words.

Text is brought to Unicode normal form C first, so that a letter and its accent count the same
whether they were written as one character or as two. Compatibility variants (full-width letters,
ligatures) stay different: a method that changed them would have changed the text.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

__all__ = ["words"]

# Letters and numbers of the three scripts only; their punctuation and symbols separate words.
_OWN_WORD_RANGES = (
    (0x3005, 0x3007),  # ideographic iteration mark, closing mark, zero
    (0x3021, 0x3029),  # Hangzhou numerals
    (0x3031, 0x3035),  # kana repeat marks
    (0x3038, 0x303C),
    (0x3041, 0x3096),  # Hiragana
    (0x309D, 0x309F),
    (0x30A1, 0x30FA),  # Katakana
    (0x30FC, 0x30FF),  # prolonged sound mark, iteration marks
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # Han, extension A
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),  # Han compatibility forms
    (0xFF66, 0xFF9F),  # half-width Katakana with its sound marks
    (0x16FE3, 0x16FE3),  # old Chinese iteration mark
    (0x1AFF0, 0x1AFFE),  # Kana extensions
    (0x1B000, 0x1B16F),
    (0x20000, 0x2FFFD),  # planes 2 and 3 are set aside for Han
    (0x30000, 0x3FFFD),
)

# Combining marks stand in these stretches alone, and scanning all of Unicode would take longer.
_MARK_STRETCHES = (range(0x300, 0x20000), range(0xE0100, 0xE01F0))


def words(text: str) -> list[str]:
    """Return the words of ``text`` in their order, repetitions included."""
    return _pattern().findall(unicodedata.normalize("NFC", text).lower())


@cache
def _pattern() -> re.Pattern[str]:
    own = "".join(f"{chr(first)}-{chr(last)}" for first, last in _OWN_WORD_RANGES)
    marks = "".join(f"{chr(first)}-{chr(last)}" for first, last in _mark_ranges())
    letter = rf"[^\W_{own}]"
    return re.compile(rf"[{own}][{marks}]*|{letter}+(?:[{marks}]+{letter}*)*")


def _mark_ranges() -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for stretch in _MARK_STRETCHES:
        for point in stretch:
            if unicodedata.category(chr(point))[0] != "M":
                continue
            if ranges and ranges[-1][1] == point - 1:
                ranges[-1] = (ranges[-1][0], point)
            else:
                ranges.append((point, point))
    return ranges
