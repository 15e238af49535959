"""The layout of a page: the elements around its blocks, their names, and how much they hold.

A *cue* is a group of word stems that mean the same to a reader of markup
(``class="post-content"``, ``id="sidebar"``): an entry of ``data/cues.json``. Names are compared in
lower case, word by word, and stems may stand anywhere in a word, since authors write words
together.

Elements are numbered so that one comes after those around it, and what stands within one is a range
of blocks: time grows with the number of elements and blocks, whatever the page looks like.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crawler.core.hot_loops import CueWords, cues_of_word, distances
from crawler.core.hot_loops.text import BEGIN_CHARS
from crawler.core.page.nesting import Nesting
from crawler.core.words import read_data

_STEMS: Final[Mapping[str, list[str]]] = {
    cue: stems.split() for cue, stems in read_data("crawler.core.methods.article", "cues").items()
}
CUES = tuple(_STEMS)
"""Names of the cues; a cue's number is its place here, and the bit it has in a mask."""


def _by_beginnings() -> dict[str, list[tuple[str, bool, str, int]]]:
    """Return the stems by their first letters.

    Each comes with whether it has to be the whole word (``^head^``), with what must not follow it
    (``comment(?!ar)``), and with the bit of its cue. Any other stem may stand anywhere in a word.
    """
    found: dict[str, list[tuple[str, bool, str, int]]] = {}
    # A longer stem that begins like a shorter one has to be tried first.
    for cue, stems in sorted(_STEMS.items(), key=lambda item: -max(map(len, item[1]))):
        for written in stems:
            stem, _, unless = written.strip("^").partition("(?!")
            begins = found.setdefault(stem[:BEGIN_CHARS], [])
            is_whole = written.startswith("^")
            begins.append((stem, is_whole, unless.rstrip(")"), 1 << CUES.index(cue)))
    return found


_BEGINS: Final = _by_beginnings()
_WORD_CHARS = 40

_TAGS = ("article", "main", "aside", "nav", "header", "footer", "section", "form", "figure",
         "figcaption", "blockquote", "ul", "ol", "table", "p")  # fmt: skip
_TAG_BITS: Final = {tag: 1 << (len(CUES) + place) for place, tag in enumerate(_TAGS)}
SIGNS = (*CUES, *(f"<{tag}>" for tag in _TAGS))
"""What an element may show: the cues of its names, and its tag."""
FAR = 12
"""Distance of a sign that no element near enough around a block shows."""


# Pages of a site share their names, and sites their words.
@lru_cache(maxsize=1 << 15)
def _cues_of(word: str) -> int:
    return cues_of_word(word[:_WORD_CHARS].lower(), _BEGINS)


_WORDS: Final = CueWords(_cues_of)


@lru_cache(maxsize=1 << 15)
def cues_in(names: str) -> int:
    """Return the cues in some names, as ``related-topics`` and ``shareBar``, as bits."""
    return int(cues_of_all((names,))[0])


def cues_of_all(texts: Sequence[str]) -> NDArray[np.uint64]:
    """Return the cues in each of some texts of names, as bits."""
    return _WORDS.masks(texts)


def _equal_numbers(values: NDArray[np.generic]) -> NDArray[np.intp]:
    """Return the rank of each of some values, which is the same where values are equal."""
    order = values.argsort()
    new = np.zeros(len(values), np.intp)
    new[1:] = values[order[1:]] != values[order[:-1]]
    found = np.empty(len(values), np.intp)
    found[order] = new.cumsum()
    return found


class Layout:
    """The elements that blocks stand in.

    Attributes:
        holders: the elements, by their numbers.
        at: for each block the number of the element that holds it.
        parent, outer, begin, end: as :class:`~crawler.core.page.nesting.Nesting` has them.
        depth: from 0 at a root.
        signs: what each element itself shows, as bits in the order of :data:`SIGNS`.
        distance: how many steps outwards the nearest element stands that shows a sign; one row an
            element, one column a sign, uint8; 0 is the element itself, :data:`FAR` is none or too
            far.
        kinds: for each block a number that it shares with those in elements of one path and signs.
    """

    def __init__(self, nesting: Nesting) -> None:
        self.holders, path = nesting.holders, nesting.path
        self.at, self.parent, self.outer = nesting.at, nesting.parent, nesting.outer
        self.begin, self.end = nesting.begin, nesting.end
        self.depth = nesting.depth - nesting.depth[0]
        tags = np.array([_TAG_BITS.get(tag, 0) for tag in nesting.tags], np.uint64)
        self.signs = cues_of_all(nesting.names)[nesting.name] | tags[nesting.tag]
        self.distance = distances(self.signs, self.parent, len(SIGNS), FAR)
        own, count = _equal_numbers(self.signs), len(self.holders)
        # The path, the signs and those of the element around, in one number: each is below count.
        self.kinds = _equal_numbers(((path * count + own) * count + own[self.parent])[self.at])

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up for each element what its blocks have: one line a value, one column an element."""
        totals = np.zeros((len(values), values.shape[1] + 1))
        np.cumsum(values, axis=1, out=totals[:, 1:])
        found: NDArray[np.float64] = totals.take(self.end, axis=1)
        found -= totals.take(self.begin, axis=1)
        return found

    def forget(self, sign: int, elements: Sequence[int]) -> None:
        """Take from some elements a sign that they show, by its number in :data:`SIGNS`."""
        if elements:
            self.signs[elements] &= ~np.uint64(1 << sign)
            self.distance = distances(self.signs, self.parent, len(SIGNS), FAR)

    def steps_to(self, target: int) -> NDArray[np.int64]:
        """Return for each block how many elements around ``target`` it takes to hold both."""
        around = [target]
        while self.parent[around[-1]] != around[-1]:
            around.append(int(self.parent[around[-1]]))
        # Blocks of other roots of the page are a step beyond the root.
        found = np.full(len(self.at), self.depth[target] + 1)
        for element in reversed(around):
            found[self.begin[element] : self.end[element]] = (
                self.depth[target] - self.depth[element]
            )
        return found
