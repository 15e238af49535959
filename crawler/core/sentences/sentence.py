"""A sentence, a splitter, and the sentence of Lee (2009)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Of a run of marks the last one ends the sentence: white space or the end of the text follows it.
_PAPER_END = re.compile(r"[.?!](?=\s|\Z)")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and its place: ``text == source[start:end]``, counted in code points.

    It neither begins nor ends with white space.
    """

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Splitter:
    """A way to split texts of one language into sentences.

    ``name``
        What reports call the splitter.
    ``split``
        Returns the sentences of a text in order. They do not overlap and leave out nothing but
        white space. The function is pure: it may be called in any order and in several threads.
    """

    name: str
    split: Callable[[str], tuple[Sentence, ...]]


def sentences_between(text: str, ends: Iterable[int]) -> tuple[Sentence, ...]:
    """Cut ``text`` at ascending offsets; drop white space around the pieces, and empty pieces."""
    found: list[Sentence] = []
    start = 0
    for end in (*ends, len(text)):
        piece = text[start:end]
        body = piece.strip()
        if body:
            first = start + len(piece) - len(piece.lstrip())
            found.append(Sentence(body, first, first + len(body)))
        start = end
    return tuple(found)


def ended_sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text node by the rule of Lee (2009), and nothing else.

    A sentence is text ended by ``.``, ``?`` or ``!`` where the mark is followed by a space, a line
    break or a tag. The end of ``text`` counts as a tag, so pass the text between two tags. Text
    behind the last such mark is no sentence in the paper's sense, and is left out.
    """
    ends = [mark.end() for mark in _PAPER_END.finditer(text)]
    return sentences_between(text[: ends[-1]], ends) if ends else ()


def split_as_paper(text: str) -> tuple[Sentence, ...]:
    """Return the sentences by the paper's rule, and the rest as the last sentence."""
    return sentences_between(text, [mark.end() for mark in _PAPER_END.finditer(text)])
