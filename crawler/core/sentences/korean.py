"""Korean: sentences that end without a mark, found by their last word's ending.

Verbs stand last in Korean, and the ending of the last verb says that the sentence is over. Blogs
and chats leave the full stop away. Without a model of the language an ending is taken to be final
where its form is hardly ever anything else, and where no word follows that takes the clause up
("…다고", "…다 하더라도").
"""

# ruff: noqa: RUF001 - quotation marks are this module's data

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crawler.core.sentences.general import GeneralSplitter
from crawler.core.sentences.korean_endings import TAKES_UP, is_final
from crawler.core.sentences.marks import TRAIL
from crawler.core.sentences.unmarked import split_pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crawler.core.sentences.data import Sentence

__all__ = ["KoreanSplitter", "final_words", "not_taken_up"]

# A word whose last syllable may end a sentence, and what follows it.
_CANDIDATE = re.compile(
    r"(?<!\S)[^\s\u2600-\u27bf\U0001f300-\U0001faff]*[다요죠쥬까음슴임함됨줌네니냐줘오아나만먼라용당여때야ㅋㅎㅠㅜ~♡♥^](?=\s|[\u2600-\u27bf\U0001f300-\U0001faff])"
)
_WORD = re.compile(r"[\w\"'“‘「『《<\[*※#]")
_LONGEST_WORD = 40
# Characters enough to see the word that follows.
_LOOK_AHEAD = 24


class KoreanSplitter:
    """End marks by the general rules, endings without a mark by their form."""

    name = "rule"

    def __init__(self) -> None:
        self._general = GeneralSplitter("ko")

    def split(self, text: str) -> tuple[Sentence, ...]:
        """Return the sentences of ``text``."""
        return split_pieces(text, self._general.split(text), _ends)


def final_words(piece: str) -> Iterator[int]:
    """Yield where words end whose form says that a sentence is over."""
    for found in _CANDIDATE.finditer(piece):
        if is_final(found[0][-_LONGEST_WORD:]):
            yield found.end()


def not_taken_up(piece: str, ends: Iterable[int]) -> Iterator[int]:
    """Move each end behind laughter; leave out those behind which a word takes the clause up."""
    for word_end in ends:
        trail = TRAIL.match(piece, word_end)
        end = trail.end() if trail else word_end
        following = piece[end : end + _LOOK_AHEAD].lstrip()
        if _WORD.match(following) and TAKES_UP.match(following) is None:
            yield end


def _ends(piece: str) -> Iterator[int]:
    return not_taken_up(piece, final_words(piece))
