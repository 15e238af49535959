"""A place in a passage where a sentence may end, and the words around it."""

# ruff: noqa: RUF001 - quotation marks of many languages are this module's data

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler.core.sentences.marks import HARD_MARKS, QUOTES

if TYPE_CHECKING:
    from crawler.core.sentences.habits import Habits

__all__ = ["LOOK_BACK", "Place", "begins_sentence", "token_before"]

# Characters enough to see the word before a mark, and the word behind it.
LOOK_BACK = 40
_FIRST_WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*")
_BEFORE_TOKEN = re.compile(r"[\s(\[\"'“„«‘’/]")
_APOSTROPHE = re.compile("['’]")


@dataclass(frozen=True, slots=True)
class Place:
    """A run of end marks in a passage.

    ``start``, ``run``
        Where it stands, and the run itself: end marks and what is closed with them.
    ``end``
        Where a sentence would end: after the run, and after a face or laughter behind it.
    ``following``
        Where the next character stands that is no white space.
    ``letter``
        Where the next character stands that is neither white space nor an opening mark nor a dash.
    ``is_proposed``
        Whether sentencex ends a sentence here.
    """

    start: int
    run: str
    end: int
    following: int
    letter: int
    is_proposed: bool

    @property
    def hard(self) -> bool:
        """Whether a question or an exclamation mark is among the marks, or one of its kin."""
        return not HARD_MARKS.isdisjoint(self.run)

    @property
    def ellipsis(self) -> bool:
        """Whether the marks trail off."""
        return "…" in self.run or "‥" in self.run or ".." in self.run

    @property
    def closes_quote(self) -> bool:
        """Whether quoted speech is closed with the marks."""
        return not QUOTES.isdisjoint(self.run[1:])

    @property
    def unspaced(self) -> bool:
        """Whether the next character follows at once."""
        return self.following == self.start + len(self.run)


def token_before(text: str, start: int) -> str:
    """Return what stands before a mark at ``start``, up to a space or an opening mark."""
    return _BEFORE_TOKEN.split(text[max(0, start - LOOK_BACK) : start])[-1]


def begins_sentence(text: str, at: int, habits: Habits) -> bool:
    """Tell whether a word stands at ``at`` that begins sentences and is no name."""
    word = _FIRST_WORD.match(text, at, at + LOOK_BACK)
    if word is None:
        return False
    initial = len(word[0]) == 1 and text[word.end() : word.end() + 1] == "."
    return not initial and _APOSTROPHE.split(word[0])[0].lower() in habits.starters
