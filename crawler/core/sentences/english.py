"""English: headings and lines without an end mark, run together with the sentence behind them.

"Fresh and friendly This place is worth a visit" is two sentences. A word such as "This" has a
capital where a sentence begins, and in titles, where the next word has one too.
"""

# ruff: noqa: RUF001 - apostrophes are this module's data

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crawler.core.sentences.general import GeneralSplitter
from crawler.core.sentences.unmarked import split_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.core.sentences.data import Sentence

__all__ = ["EnglishSplitter"]

_BEGINS = (
    "This|These|The|If|We|They|You|He|She|It|There|When|While|My|Our|Your|His|Her|Please|Thanks|But"
    "|So|And|Here|Also"
)
_END = re.compile(
    rf"(?<=[\w)])(?=\s+(?:{_BEGINS})(?:['’][a-z]+)?\s+[a-z])"
    r"|(?<=[\w\s])[:;]-?[)(DP]++(?=\s+[A-Z])"
)
# What either of them has, told at less cost.
_MAY_END = re.compile(rf"[\s:;](?:-?[)(DP]|{_BEGINS})")
# Words behind which a sentence is not over.
_GOES_ON = re.compile(
    r"\b(?:[Tt]he|[Aa]n?|[Oo]f|[Ii]n|[Oo]n|[Aa]t|[Tt]o|[Ff]or|[Ff]rom|[Ww]ith|[Bb]y|[Aa]nd|[Oo]r|as|is|"
    r"are|was|called|titled|named|says?|said|that|like|than)\Z"
)
_LOOK_BACK = 12


class EnglishSplitter:
    """The general rules, and lines without a mark."""

    name = "rule"

    def __init__(self) -> None:
        self._general = GeneralSplitter("en")

    def split(self, text: str) -> tuple[Sentence, ...]:
        """Return the sentences of ``text``."""
        return split_pieces(text, self._general.split(text), _ends)


def _ends(piece: str) -> Iterator[int]:
    if _MAY_END.search(piece) is None:
        return
    for found in _END.finditer(piece):
        before = piece[max(0, found.start() - _LOOK_BACK) : found.start()]
        if found.start() and _GOES_ON.search(before) is None:
            yield found.end()
