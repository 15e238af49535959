"""Where sentences may end in texts, in Python: the reference of the compiled loops."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

_Kind = TypeVar("_Kind", bound=tuple[str, int, int])

# Whether a sentence ends at a mark: it does not, it does, it does where the library sentencex ends
# one too, or what is around the mark has to be read.
GOES_ON, ENDS, PROPOSED, UNKNOWN = range(4)
# What words tell: that no sentence ends behind one and a dot; that one does, before a capital; that
# one begins a sentence.
NEVER_LAST, LAST, FIRST = 1, 2, 4
# Characters of a plain word before a dot at most; and of a dot, a space and the word behind them.
WORD_CHARS = 40
# Closing marks behind the last mark of a text at most.
CLOSING_CHARS = 20
# Letters of a marker of a list, as "xiv", at most.
MARKER_CHARS = 4
# Equal signs in a row that are a line.
SIGNS = 10
_PLAIN_DOT = re.compile(
    rf"\. ([A-Z][A-Za-z]{{0,{WORD_CHARS - 3}}}+)(?![A-Za-z]|[^\0-\x7f]|[.-](?:[A-Za-z]|[^\0-\x7f]))"
)
_MARKERS = "ivxIVX"
_SPOT = re.compile(
    # One class of characters in front is found many times as fast as several ways to begin.
    r"[A-Z,:;@*_=#~-](?:(?<=[\w)\],\s]\s[A-Z])[a-z]*+(?=['\u2019,.!]|\s++[a-z,.!])|(?<=[,:])(?=\s+[A-Z])"
    r"|(?<=[:;])(?=[-)(DP/])|(?<=:)(?=\d)|(?<=@)(?=\S)"
    rf"|(?<=([*_=#~-]))(?=\1{{{SIGNS - 1}}}))"
)


def cut(kind: type[_Kind], text: str, ends: Iterable[int]) -> tuple[_Kind, ...]:
    """Cut a text at ascending offsets; drop white space around the pieces, and empty pieces.

    Args:
        kind: what is made of each piece: a named tuple of its text, and where it begins and ends.
        text: the text.
        ends: the offsets; one that is no greater than one before cuts nothing.
    """
    found: list[_Kind] = []
    start = 0
    for at in (*ends, len(text)):
        end = max(start, at)
        if body := text[start:end].strip():
            first = text.index(body[0], start)
            found.append(tuple.__new__(kind, (body, first, first + len(body))))
        start = end
    return tuple(found)


class EndMarks:
    """Where sentences may end in texts of a language, and whether plain words tell that they do.

    Args:
        marks: characters that end sentences, of the basic plane, as all of these.
        breaks: those that break lines.
        closers: those that close quotations and brackets behind a mark.
        enclosing: those that open or close quotations and brackets, apostrophes among them.
        words: what words in small letters tell, as bits: :data:`NEVER_LAST`, :data:`LAST`,
            :data:`FIRST`.
    """

    def __init__(
        self, marks: str, breaks: str, closers: str, enclosing: str, words: Mapping[str, int]
    ) -> None:
        own, closing = re.escape(marks), re.escape(marks + closers)
        self._within = re.compile(
            f"[{own}{re.escape(breaks)}](?![{closing}]{{0,{CLOSING_CHARS}}}+\\Z)"
        )
        self._mark = re.compile(f"[{own}]")
        self._enclosing = re.compile(
            f"[{re.escape(enclosing)}](?!(?<=[A-Za-z]['\u2019])(?=[A-Za-z]))"
        )
        self._words = dict(words)

    def within(self, texts: Sequence[str]) -> list[int]:
        """Return the numbers of the texts that have a break or a mark before their last marks."""
        return [number for number, text in enumerate(texts) if self._within.search(text)]

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where the marks of a text are, and whether a sentence ends there.

        That is told of dots between plain words, the second with a capital; all else is
        :data:`UNKNOWN`.
        """
        for mark in self._mark.finditer(text):
            yield mark.start(), self._judged(text, mark.start())

    def encloses(self, text: str) -> bool:
        """Tell whether anything in a text may be in quotation marks or brackets."""
        return self._enclosing.search(text) is not None

    def _judged(self, text: str, at: int) -> int:
        dot = _PLAIN_DOT.match(text, at)
        word = text[max(0, at - WORD_CHARS - 1) : at].rpartition(" ")[2]
        is_plain = 1 < len(word) <= WORD_CHARS and word.isascii() and word.isalpha()
        if dot is None or not is_plain:
            return UNKNOWN
        if len(word) <= MARKER_CHARS and not word.strip(_MARKERS):
            return UNKNOWN
        its = self._words.get(word.lower(), 0)
        if its & (NEVER_LAST | LAST):
            return GOES_ON if its & NEVER_LAST else ENDS
        is_initial = len(dot[1]) == 1 and text[dot.end() : dot.end() + 1] == "."
        begins = not is_initial and self._words.get(dot[1].lower(), 0) & FIRST
        return ENDS if begins else PROPOSED


def hint_spots(text: str, words: Container[str]) -> Iterator[int]:
    """Yield where an English sentence may end although no end mark stands there.

    That is before a word of ``words`` that has a capital within a line, and at the signs of times,
    faces, addresses, letters and lines.
    """
    for spot in _SPOT.finditer(text):
        if not "A" <= text[spot.start()] <= "Z" or spot[0].lower() in words:
            yield spot.start()
