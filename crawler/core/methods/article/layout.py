"""The layout of a page: the elements around its blocks, their names, and how much they hold.

A *cue* is a group of word stems that mean the same to a reader of markup
(``class="post-content"``, ``id="sidebar"``): an entry of ``data/cues.json``. Names are compared in
lower case, word by word, and stems may stand anywhere in a word, since authors write words
together; ``^`` marks where a stem has to begin or end a word.

Elements are numbered so that one comes after those around it, and what stands within one is a range
of blocks: time grows with the number of elements and blocks, whatever the page looks like.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crawler.core.hot_loops import distances, numbered
from crawler.core.page.blocks import Block
from crawler.core.words import any_of, read_data

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
# Few names hold the beginning of a stem.
_ANY = re.compile(
    any_of(stem.strip("^").partition("(")[0] for stems in _STEMS.values() for stem in stems)
)
_BITS: Final = {cue: 1 << place for place, cue in enumerate(CUES)}
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
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


class Layout:
    """The elements that blocks stand in.

    Attributes:
        holders: the elements, by their numbers.
        at: for each block the number of the element that holds it.
        parent: for each element the number of the one around it; itself for a root.
        outer: the nearest element around it that holds more blocks than it does; itself for a root.
        depth: from 0 at a root.
        signs: what each element itself shows, as bits in the order of :data:`SIGNS`.
        distance: how many steps outwards the nearest element stands that shows a sign; one row an
            element, one column a sign, uint8; 0 is the element itself, :data:`FAR` is none or too
            far.
        begin, end: the blocks within each element: a range, since blocks stand in document order.
        kinds: for each block a number that it shares with those in elements of one path and signs.
    """

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.holders, columns = numbered(blocks)
        self.at, self.parent, self.outer, self.begin, self.end = columns
        depth = np.array([holder.depth for holder in self.holders], np.int64)
        self.depth = depth - depth[0]
        shown = [cues_in(holder.names) | _TAG_BITS.get(holder.tag, 0) for holder in self.holders]
        self.signs = np.array(shown, np.uint64)
        self.distance = distances(self.signs, self.parent, len(SIGNS), FAR)
        kinds: dict[tuple[str, int, int], int] = {}
        alike = [
            kinds.setdefault((self.holders[its].path, shown[its], shown[around]), len(kinds))
            for its, around in zip(self.at.tolist(), self.parent[self.at].tolist(), strict=True)
        ]
        self.kinds = np.array(alike, np.int64)

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up for each element what its blocks have; one row an element."""
        totals = np.concatenate((np.zeros((1, values.shape[1])), np.cumsum(values, axis=0)))
        found: NDArray[np.float64] = totals[self.end] - totals[self.begin]
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
