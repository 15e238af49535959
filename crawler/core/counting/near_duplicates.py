"""Near-duplicate pages: one article under several addresses must count as one page.

The weight of a block on a page is the number of its characters outside hyperlinks times its rarity
(:func:`crawler.core.counting.recurring.rarity`). So a block of every page (navigation, a long legal
notice) has next to no weight. Two pages are near-duplicates when their weighted Jaccard similarity
is high: the weight of the blocks that they share, divided by the weight of the blocks of both
together.

Most pages cannot be near-duplicates of any: too much of their weight is in blocks of one page. Of
the others, candidate pairs are found by their blocks: for each block, the pages that have it are
taken in the order of their addresses, and each is paired with the next few. Copies of one article
share all its blocks, so that they are paired at many of them; pairs with enough weight in common
there are compared in full. Exact copies are found beforehand. The work is linear in the number of
block occurrences, and the result depends on the set of pages alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crawler.core.counting.arrays import ArraySpace, Partitions
from crawler.core.counting.recurring import UNIT, RecurringBlocks, rarity

if TYPE_CHECKING:
    _Blocks: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.uint16]]

# What lighter pages have for themselves is too little to compare: empty pages, link lists, log-in
# forms, pages that scripts fill.
_MIN_CONTENT = 100.0 * UNIT
# With how many of the next pages a page is paired at a block: one of several copies may lack a
# block, and pages that only quote an article may come between two copies of it.
_REACH = 3
# Pairs with less than this share of the similarity in common where they were paired are dropped.
_PROMISING = 0.4


def duplicate_groups(
    site: RecurringBlocks, blocks_of: Callable[[str], _Blocks], similarity: float, space: ArraySpace
) -> NDArray[np.uint32]:
    """Group near-duplicate pages.

    Args:
        site: the site's pages, and the blocks that several of them have.
        blocks_of: gives, for the address of a page, its block keys, ascending, and their weights.
        similarity: least weighted Jaccard similarity of near-duplicates; above 1 groups nothing.
        space: where to keep what does not fit memory.

    Returns:
        For each page the smallest page number of its group, uint32; its own for a page alone.
    """
    count = len(site.pages)
    groups = np.arange(count, dtype=np.uint32)
    if count == 1 or similarity > 1:
        return groups
    # The recurring blocks of a near-duplicate have enough of its weight.
    candidates = site.masses >= _MIN_CONTENT
    candidates &= site.shared_masses >= similarity * site.masses
    # Exact copies have the same blocks, of the same weights.
    pages = np.flatnonzero(candidates)
    signatures = site.pages.signatures[pages].view(np.uint64)
    order = np.lexsort(signatures.T)
    is_first = np.ones(len(pages), dtype=np.bool_)
    is_first[1:] = (signatures[order[1:]] != signatures[order[:-1]]).any(axis=1)
    groups[pages[order]] = pages[order[is_first]][np.cumsum(is_first) - 1]
    # Pairs come in order, so that most have the same left page as the pair before.
    last_blocks = lru_cache(1)(lambda page: blocks_of(site.pages.urls[page]))
    for left, right, known in _pairs(site, candidates, similarity, space):
        if _root(groups, left) == _root(groups, right):
            continue
        both = site.masses[left] + site.masses[right]
        # They share at least the blocks at which they were paired, and mostly that is enough.
        shared: float = known
        if shared < similarity * (both - shared):
            shared = _shared(site, last_blocks(left), blocks_of(site.pages.urls[right]))
        if shared >= similarity * (both - shared):
            _join(groups, left, right)
    while not np.array_equal(groups, roots := groups[groups]):
        groups = roots
    return groups


def _pairs(
    site: RecurringBlocks, candidates: NDArray[np.bool_], similarity: float, space: ArraySpace
) -> Iterator[tuple[int, int, int]]:
    """Give the pairs of candidates that have enough weight in common where they were paired.

    Yields:
        The two pages, the pairs in ascending order, and that weight.
    """
    count = len(candidates)
    expected = _REACH * int(site.pages.sizes[candidates].sum())
    shared = Partitions(space, expected, bits=(count * count - 1).bit_length())
    for part in site.parts():
        chosen = candidates[part.pages]
        blocks, pages, weights = part.blocks[chosen], part.pages[chosen], part.weights[chosen]
        frequencies = site.frequencies[part.first :][blocks]
        masses = weights * rarity(frequencies, count)
        for step in range(1, _REACH + 1):
            # A block has the same rarity on both pages but may have different weights, as a link
            # on one of them: the smaller is shared.
            shares = np.minimum(masses[step:], masses[:-step])
            here = np.flatnonzero((blocks[step:] == blocks[:-step]) & (shares > 0))
            left, right = pages[here], pages[here + step]
            least = np.minimum(site.shared_masses[left], site.shared_masses[right])
            possible = least >= similarity * np.maximum(site.masses[left], site.masses[right])
            here, left, right = here[possible], left[possible], right[possible]
            shared.add((left * count + right).astype(np.uint64), shares[here])
    for pairs, shares, repeats in shared.runs():
        starts = np.flatnonzero(~repeats)
        known = np.add.reduceat(shares, starts)
        left, right = np.divmod(pairs[starts].astype(np.int64), count)
        promising = known >= _PROMISING * similarity * np.maximum(
            site.masses[left], site.masses[right]
        )
        columns = (left[promising], right[promising], known[promising])
        yield from zip(*(column.tolist() for column in columns), strict=True)


def _shared(site: RecurringBlocks, left: _Blocks, right: _Blocks) -> float:
    common, here, there = np.intersect1d(left[0], right[0], assume_unique=True, return_indices=True)
    frequencies = site.frequencies[np.searchsorted(site.keys, common)]
    least = np.minimum(left[1][here], right[1][there])
    return float((least * rarity(frequencies, len(site.pages))).sum())


def _join(groups: NDArray[np.uint32], left: int, right: int) -> None:
    one, other = _root(groups, left), _root(groups, right)
    groups[max(one, other)] = min(one, other)


def _root(groups: NDArray[np.uint32], page: int) -> int:
    while (parent := int(groups[page])) != page:
        groups[page] = groups[parent]
        page = parent
    return page
