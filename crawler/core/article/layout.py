"""Where blocks stand: the elements around them, what these are called, and how much they hold.

Elements are numbered so that one comes after those around it, and are worked on level by level:
time grows with the number of elements and of levels, whatever the page looks like.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from crawler.core.article.cues import CUES, cues_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from crawler.core.blocks import Block, Holder

__all__ = ["FAR", "SIGNS", "Layout"]

_TAGS = ("article", "main", "aside", "nav", "header", "footer", "section", "form", "figure",
         "figcaption", "blockquote", "ul", "ol", "table", "p")  # fmt: skip
_TAG_BITS: Mapping[str, int] = MappingProxyType(
    {tag: 1 << (len(CUES) + place) for place, tag in enumerate(_TAGS)}
)
SIGNS = (*CUES, *(f"<{tag}>" for tag in _TAGS))
"""What an element may show: the cues of its names, and its tag."""
_COMMENT = np.uint64(1 << CUES.index("comment"))
FAR = 12
"""Distance of a sign that no element near enough around a block shows."""
_NO_BLOCK = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The elements that blocks stand in.

    ``at``
        For each block the number of the element that holds it.
    ``parent``
        For each element the number of the one around it; itself for a root.
    ``outer``
        The nearest element around it that holds more blocks than it does; itself for a root.
    ``depth``
        From 0 at a root.
    ``signs``
        What each element itself shows, as bits in the order of :data:`SIGNS`.
    ``distance``
        How many steps outwards the nearest element stands that shows a sign; one row an element,
        one column a sign, uint8; 0 is the element itself, :data:`FAR` is none or too far.
    ``begin``, ``end``
        The blocks within each element: a range, since blocks stand in document order.
    ``kinds``
        For each element a number that it shares with those of its path and signs.
    """

    at: NDArray[np.int64]
    parent: NDArray[np.int64]
    outer: NDArray[np.int64]
    depth: NDArray[np.int64]
    signs: NDArray[np.uint64]
    distance: NDArray[np.uint8]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    kinds: NDArray[np.int64]

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> Layout:
        """Lay out the blocks of a page."""
        holders, parents, at = _numbered(blocks)
        parent = np.array(parents, np.int64)
        depth = np.array([holder.depth for holder in holders], np.int64)
        signs = np.array(
            [cues_in(holder.names) | _TAG_BITS.get(holder.tag, 0) for holder in holders],
            np.uint64,
        )
        levels = _levels(depth)
        begin = np.full(len(parent), _NO_BLOCK)
        end = np.zeros(len(parent), np.int64)
        places = np.array(at, np.int64)
        np.minimum.at(begin, places, np.arange(len(at)))
        np.maximum.at(end, places, np.arange(len(at)) + 1)
        for level in reversed(levels[1:]):
            np.minimum.at(begin, parent[level], begin[level])
            np.maximum.at(end, parent[level], end[level])
        distance = _distances(signs, parent, levels)
        outer = parent.copy()
        for level in levels[1:]:
            around = parent[level]
            same = (begin[around] == begin[level]) & (end[around] == end[level])
            outer[level] = np.where(same, outer[around], around)
        kinds: dict[tuple[str, int, int], int] = {}
        alike = [
            kinds.setdefault((holder.path, own, around), len(kinds))
            for holder, own, around in zip(
                holders, signs.tolist(), signs[parent].tolist(), strict=True
            )
        ]
        return cls(
            at=places, parent=parent, outer=outer, depth=depth - depth[0], signs=signs,
            distance=distance, begin=begin, end=end, kinds=np.array(alike, np.int64),
        )  # fmt: skip

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up for each element what its blocks have; one row an element."""
        totals = np.concatenate((np.zeros((1, values.shape[1])), np.cumsum(values, axis=0)))
        found: NDArray[np.float64] = totals[self.end] - totals[self.begin]
        return found

    def comments(self, headline: int, prose: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tell of each block whether it stands among readers' comments.

        That is in an element which is called so, does not hold the headline, and comes after prose
        that is no comment. So an opinion column, or an article whose page "has-comments", is none.

        Args:
            headline: number of the block most like the page's title.
            prose: whether each block is a text of some length.
        """
        called = (self.signs & _COMMENT) > 0
        within = self.distance[self.at, CUES.index("comment")] < FAR
        first = np.argmax(prose & ~within) if (prose & ~within).any() else len(prose)
        zone = called & (self.begin > first) & ((headline < self.begin) | (headline >= self.end))
        for level in _levels(self.depth)[1:]:
            zone[level] |= zone[self.parent[level]]
        found: NDArray[np.bool_] = zone[self.at]
        return found

    def steps_to(self, target: int) -> NDArray[np.int64]:
        """Return for each block how many elements around ``target`` it takes to hold both."""
        common = np.full(len(self.parent), -1)
        here = target
        while common[here] < 0:
            common[here] = self.depth[here]
            here = int(self.parent[here])
        for level in _levels(self.depth)[1:]:
            unknown = level[common[level] < 0]
            common[unknown] = common[self.parent[unknown]]
        found: NDArray[np.int64] = self.depth[target] - common[self.at]
        return found


def _numbered(blocks: Sequence[Block]) -> tuple[list[Holder], list[int], list[int]]:
    """Number elements outside first: the elements, the one around each, and that of each block."""
    numbers: dict[Holder, int] = {}
    holders: list[Holder] = []
    parents: list[int] = []
    at: list[int] = []
    for block in blocks:
        new: list[Holder] = []
        here = block.holder
        while here is not None and here not in numbers:
            new.append(here)
            here = here.parent
        for holder in reversed(new):
            number = numbers[holder] = len(holders)
            holders.append(holder)
            parents.append(number if holder.parent is None else numbers[holder.parent])
        if block.holder is None:
            raise ValueError("the blocks of a layout have to stand in elements")
        at.append(numbers[block.holder])
    return holders, parents, at


def _levels(depth: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the numbers of the elements of each depth, outside first."""
    order = np.argsort(depth, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(depth[order])) + 1)


def _distances(
    signs: NDArray[np.uint64], parent: NDArray[np.int64], levels: Sequence[NDArray[np.int64]]
) -> NDArray[np.uint8]:
    octets = signs.astype("<u8").view(np.uint8).reshape(-1, 8)
    own = np.unpackbits(octets, axis=1, bitorder="little")[:, : len(SIGNS)].astype(np.bool_)
    distance = np.where(own, 0, FAR).astype(np.uint8)
    for level in levels[1:]:
        around = np.minimum(distance[parent[level]] + 1, FAR)
        distance[level] = np.where(own[level], 0, around)
    return distance
