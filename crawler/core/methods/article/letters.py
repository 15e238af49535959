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

_PLANE = 0x10000
_GRAM, _GRAM_BITS = 3, 16
_NO_RUNS = np.zeros(0, np.uint32)

_LETTER, _UPPER, _DIGIT, _DENSE, _COMMA, _STOP, _SPACE, _OTHER = (1 << bit for bit in range(8))
CLASSES = {"letter": _LETTER, "upper": _UPPER, "digit": _DIGIT, "stop": _STOP, "other": _OTHER}
"""The classes of characters that are asked of a text's ends, as bits."""
_COMMAS = frozenset(",،、，;；")  # noqa: RUF001 - the marks of several scripts
_STOPS = frozenset(".!?。！？…।؟۔")  # noqa: RUF001 - as above
_DENSE_RANGES = ((0x1100, 0x11FF), (0x3040, 0x30FF), (0x3400, 0x9FFF), (0xAC00, 0xD7AF),
                 (0xF900, 0xFAFF))  # fmt: skip

LETTER_COUNTS = ("letters", "uppers", "digits", "dense", "commas", "stops", "others", "words",
                 "ends")  # fmt: skip
"""What is counted: letters, those in upper case, digits, letters of scripts that write a syllable
or a word with one, commas and the like, full stops and the like, other marks, words (every two
letters of such scripts count as one), and stops that end a sentence before a space or a line's
end."""


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


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _grams(codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return a number of 16 bits for each three neighbouring characters, case folded."""
    low = _lower()[np.minimum(codes, _PLANE - 1)]
    mixed = low[:-2] * np.uint32(0x9E3779B1) + low[1:-1] * np.uint32(0x85EBCA77)
    mixed += low[2:] * np.uint32(0xC2B2AE3D)
    mixed ^= mixed >> np.uint32(15)
    grams: NDArray[np.uint32] = mixed & np.uint32((1 << _GRAM_BITS) - 1)
    return grams


class Letters:
    """The characters of some texts.

    Attributes:
        counts: one row a text, one column for each of :data:`LETTER_COUNTS`, float32.
        first, last: class of the first and of the last character of each text, as bits.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        """Count the characters of at least one text; none may be empty."""
        codes = _codes("\n".join(texts) + "\n")
        sizes = np.fromiter(map(len, texts), np.int64, len(texts))
        starts = np.concatenate(([0], np.cumsum(sizes + 1)[:-1]))
        classes = _classes()[np.minimum(codes, _PLANE - 1)]
        word = (classes & (_LETTER | _DIGIT)) > 0
        dense = (classes & _DENSE) > 0
        begins = word & ~dense
        begins[1:] &= ~word[:-1] | dense[:-1]
        stops = (classes & _STOP) > 0
        ends = stops.copy()
        ends[:-1] &= (classes[1:] & (_SPACE | _OTHER)) > 0
        masks = (
            (classes & _LETTER) > 0, (classes & _UPPER) > 0, (classes & _DIGIT) > 0, dense,
            (classes & _COMMA) > 0, stops, (classes & _OTHER) > 0, begins, ends,
        )  # fmt: skip
        counts = np.stack(
            [np.add.reduceat(mask, starts, dtype=np.int32) for mask in masks], axis=1
        ).astype(np.float32)
        counts[:, 7] += counts[:, 3] / 2
        self.counts = counts
        self.first, self.last = classes[starts], classes[starts + sizes - 1]
        self._grams = _grams(np.concatenate((codes, codes[-1:], codes[-1:])))
        self._starts, self._sizes = starts, sizes

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
        known = np.zeros(1 << _GRAM_BITS, np.uint8)
        runs = [_grams(_codes(other)) if len(other) >= _GRAM else _NO_RUNS for other in others]
        for bit, own in enumerate(runs):
            known[own] |= 1 << bit
        found = known[self._grams]
        shared = []
        for bit, own in enumerate(runs):
            hits = np.add.reduceat((found & (1 << bit)) > 0, self._starts, dtype=np.int32)
            shared.append((hits / (self._sizes + 1), np.minimum(hits / max(len(own), 1), 1.0)))
        return shared
