"""Sentences in any language: the library sentencex, and what it leaves to be mended.

sentencex knows the abbreviations and end marks of some 300 languages, and finds the places where a
sentence may end. Each of them, and each run of end marks it passed over, is then judged by what
stands around it (:mod:`crawler.core.sentences.verdict`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from crawler.core.sentences.data import Sentence, sentences_between
from crawler.core.sentences.enumerations import items
from crawler.core.sentences.lines import passages
from crawler.core.sentences.marks import LEAD, TRAIL, end_runs, for_sentencex
from crawler.core.sentences.place import Place
from crawler.core.sentences.proposals import library_ends, readable_ends
from crawler.core.sentences.verdict import Judge

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["GeneralSplitter", "SentencexSplitter"]

_SPACES = re.compile(r"\s*+")


class SentencexSplitter:
    """The library as it comes, to be measured against."""

    name = "sentencex"

    def __init__(self, language: str) -> None:
        self._language = language or "en"

    def split(self, text: str) -> tuple[Sentence, ...]:
        """Return the library's sentences, without white space around them."""
        return sentences_between(text, library_ends(text, self._language))


class GeneralSplitter:
    """The rules for every language that has none of its own.

    Args:
        language: primary subtag of a BCP 47 tag; "" for an unknown language of Latin script.
    """

    name = "rule"

    def __init__(self, language: str) -> None:
        self._language = language or "en"
        self._runs = end_runs(self._language)

    def split(self, text: str) -> tuple[Sentence, ...]:
        """Return the sentences of ``text``."""
        cuts: list[int] = []
        for start, end in passages(text):
            first = start
            for item in items(text[start:end]):
                cuts += self._cuts(text, first, start + item)
                first = start + item
            cuts += self._cuts(text, first, end)
        return sentences_between(text, cuts)

    def _cuts(self, text: str, start: int, end: int) -> Iterator[int]:
        """Yield where the sentences of a passage end, its own end too."""
        for cut in self._inner_cuts(text[start:end]):
            yield start + cut
        yield end

    def _inner_cuts(self, passage: str) -> Iterator[int]:
        judge: Judge | None = None
        library: list[int] = []
        for run in self._runs.finditer(passage):
            trail = TRAIL.match(passage, run.end())
            end = trail.end() if trail else run.end()
            after = _SPACES.match(passage, end)
            following = after.end() if after else end
            if following == len(passage):
                return
            if judge is None:  # few passages hold more than one sentence
                judge = Judge(passage, self._language)
                library = readable_ends(for_sentencex(passage), self._language)
            lead = LEAD.match(passage, following)
            letter = lead.end() if lead else following
            place = Place(
                start=run.start(),
                run=run[0],
                end=end,
                following=following,
                letter=letter,
                is_proposed=_any_within(library, run.start(), letter),
            )
            if judge.ends(place):
                judge.cut(end)
                yield end


def _any_within(ends: list[int], after: int, until: int) -> bool:
    """Tell whether one of the ascending ``ends`` lies in (after, until]."""
    return bisect_right(ends, until) > bisect_right(ends, after)
