"""Counts of characters in many texts at once: letters, figures, marks of any script.

All texts of a page are one array of code points, so that a page costs a few passes over an array
and no loop over its characters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from crawler.core.hot_loops import class_counts, gram_hits

_PLANE = 0x10000
_GRAM = 3

_LETTER, _UPPER, _DIGIT, _DENSE, _COMMA, _STOP, _SPACE, _OTHER = (1 << bit for bit in range(8))
CLASSES = {"letter": _LETTER, "upper": _UPPER, "digit": _DIGIT, "stop": _STOP, "other": _OTHER}
"""The classes of characters that are asked of a text's ends, as bits."""
_COMMAS = frozenset(",،、，;；")  # noqa: RUF001 - the marks of several scripts
_STOPS = frozenset(".!?。！？…।؟۔")  # noqa: RUF001 - as above
_DENSE_RANGES = ((0x1100, 0x11FF), (0x3040, 0x30FF), (0x3400, 0x9FFF), (0xAC00, 0xD7AF),
                 (0xF900, 0xFAFF))  # fmt: skip

LETTER_COUNTS = ("letters", "uppers", "digits", "dense", "commas", "stops", "spaces", "others",
                 "words", "ends")  # fmt: skip
"""What is counted: letters, those in upper case, digits, letters of scripts that write a syllable
or a word with one, commas and the like, full stops and the like, spaces, other marks, words (every
two letters of such scripts count as one), and stops that end a sentence before a space or a line's
end."""
_DENSE_LETTERS, _WORDS = LETTER_COUNTS.index("dense"), LETTER_COUNTS.index("words")


@cache
def _classes() -> NDArray[np.uint8]:
    """Return the classes of the code points of the basic plane, as bits."""
    table = np.zeros(_PLANE, np.uint8)
    for code in range(_PLANE):
        char = chr(code)
        if char.isalpha():
            table[code] = _LETTER | (_UPPER if char.isupper() else 0)
        elif char.isspace():
            table[code] = _SPACE
        elif char.isdigit():
            table[code] = _DIGIT
        elif char in _COMMAS:
            table[code] = _COMMA
        elif char in _STOPS:
            table[code] = _STOP
        elif not unicodedata.category(char).startswith("M"):
            table[code] = _OTHER
    for first, last in _DENSE_RANGES:
        table[first : last + 1] |= _DENSE
    return table


@cache
def _lower() -> NDArray[np.uint32]:
    return np.array([ord(chr(code).lower()[0]) for code in range(_PLANE)], np.uint32)


class Letters:
    """The characters of some texts.

    Attributes:
        counts: one row a text, one column for each of :data:`LETTER_COUNTS`, float64.
        first, last: class of the first and of the last character of each text, as bits.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        """Count the characters of at least one text; none may be empty."""
        self._sizes = np.fromiter(map(len, texts), np.intp, len(texts))
        self._ends = np.cumsum(self._sizes + 1) - 1
        self._text = "\n".join((*texts, ""))
        found = class_counts(self._text, self._ends, _classes())
        self.first, self.last = found[-2:]
        lines = found[:-2].astype(np.float64)
        lines[_WORDS] += lines[_DENSE_LETTERS] / 2
        self.counts = lines.T

    def shared(
        self, others: Sequence[str]
    ) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Return how much of each text, and of each of some others, is common to both.

        Compared are runs of three characters, as numbers of 16 bits.

        Args:
            others: eight texts at most.

        Returns:
            For each of the others two figures a text: the share of its runs that the other has, and
            how many these are over the number of the other's runs, 1 at most.
        """
        hits = gram_hits(self._text, self._ends, others, _lower())
        runs = np.array([[max(len(other) - _GRAM + 1, 1)] for other in others])
        shares, covered = hits / (self._sizes + 1), np.minimum(hits / runs, 1.0)
        return list(zip(shares, covered, strict=True))
