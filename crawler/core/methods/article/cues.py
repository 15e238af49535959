"""Cues in the names that authors give to elements: ``class="post-content"``, ``id="sidebar"``.

A *cue* is a group of word stems that mean the same to a reader of markup: an entry of
``data/cues.json``. Names are compared in lower case, word by word, and stems may stand anywhere in
a word, since authors write words together; ``^`` marks where a stem has to begin or end a word.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from crawler.core.words import any_part, read_data

if TYPE_CHECKING:
    from collections.abc import Mapping

_STEMS: Final[Mapping[str, list[str]]] = {
    cue: stems.split() for cue, stems in read_data("crawler.core.methods.article", "cues").items()
}
CUES = tuple(_STEMS)
"""Names of the cues; a cue's number is its place here, and the bit it has in a mask."""


def _stem(stem: str) -> str:
    begin = "(?<![a-z])" if stem.startswith("^") else ""
    end = "(?![a-z])" if stem.endswith("^") else ""
    return f"{begin}{stem.strip('^')}{end}"


# A longer stem that begins like a shorter one has to be tried first.
_PATTERN = re.compile(
    "|".join(
        f"(?P<{cue}>{'|'.join(map(_stem, stems))})"
        for cue, stems in sorted(_STEMS.items(), key=lambda item: -max(map(len, item[1])))
    )
)


_ANY = re.compile(any_part(stem.strip("^") for stems in _STEMS.values() for stem in stems))
_BITS: Final = {cue: 1 << place for place, cue in enumerate(CUES)}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_WORD_CHARS = 40


# Pages of a site share their names, and sites their words.
@lru_cache(maxsize=1 << 15)
def _cues_of(word: str) -> int:
    """Return the cues in one word, as bits."""
    word = word[:_WORD_CHARS].lower()
    found = 0
    if _ANY.search(word) is not None:  # most words have none
        for match in _PATTERN.finditer(word):
            found |= _BITS[match.lastgroup or ""]
    return found


@lru_cache(maxsize=1 << 15)
def cues_in(names: str) -> int:
    """Return the cues in some names, as ``related-topics`` and ``shareBar``, as bits."""
    found = 0
    for word in _WORD.findall(names):
        found |= _cues_of(word)
    return found
