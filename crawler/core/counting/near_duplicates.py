"""Near-duplicate pages: one article under several addresses must count as one page.

Two pages are near-duplicates when the blocks they share carry most of what is particular to
either. A block weighs its characters outside hyperlinks times ``log((n + 1) / f)``, with f the
number of the site's n pages it stands on, so that what stands on every page (navigation, a long
legal notice) says next to nothing about whether two pages are the same. Similarity is weighted
Jaccard: the weight shared over the weight of both together.

Most pages are out of the question beforehand: too much of their weight is in blocks that stand
nowhere else. The others are compared only where a block brings them side by side: for each block,
those of them that it stands on in the order of their addresses, each with the next few. Copies of
one article share all its blocks and so meet at many of them; pairs that meet at enough are compared
in full. Exact copies are found beforehand, whoever stands between them. The work is linear in the
number of block occurrences, and the result depends on the set of pages alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from crawler.core.counting.partitions import Partitions
from crawler.core.counting.recurring import UNIT, rarity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from crawler.core.counting.recurring import Recurring
    from crawler.core.counting.spill_arrays import Space

    BlocksOf: TypeAlias = Callable[[str], tuple[NDArray[np.uint64], NDArray[np.uint16]]]

__all__ = ["duplicate_groups"]

# Pages with less text of their own than this many weighted characters are told apart by chance
# only: empty shells, link lists, log-in forms.
_MIN_CONTENT = 100.0 * UNIT
# With how many of its followers a page is compared at a block: one of several copies may lack a
# block, and pages that only quote an article may stand between two copies of it.
_REACH = 3
# Pairs whose meetings carry less than this share of the similarity asked for are not compared.
_PROMISING = 0.4


def duplicate_groups(
    site: Recurring, blocks_of: BlocksOf, similarity: float, space: Space
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
    candidates = _candidates(site, similarity)
    if not candidates.any():
        return groups
    for left, right in _exact_copies(site.pages.signatures, candidates):
        _join(groups, left, right)
    pages = _Pages(site, blocks_of)
    for left, right, met in _meetings(site, candidates, similarity, space):
        if _root(groups, left) == _root(groups, right):
            continue
        both = site.masses[left] + site.masses[right]
        # They share at least what they met with, and mostly that is enough.
        if met >= similarity * (both - met):
            _join(groups, left, right)
        else:
            shared = pages.shared(left, right)
            if shared >= similarity * (both - shared):
                _join(groups, left, right)
    return np.array([_root(groups, page) for page in range(count)], dtype=np.uint32)


def _candidates(site: Recurring, similarity: float) -> NDArray[np.bool_]:
    """Return for each page whether what it shares with any others could be enough."""
    enough: NDArray[np.bool_] = site.masses >= _MIN_CONTENT
    return enough & (site.shared_masses >= similarity * site.masses)


def _exact_copies(
    signatures: list[bytes], candidates: NDArray[np.bool_]
) -> Iterator[tuple[int, int]]:
    """Pair each page with the first that has the same blocks, of the same weights."""
    first: dict[bytes, int] = {}
    for page in np.flatnonzero(candidates).tolist():
        other = first.setdefault(signatures[page], page)
        if other != page:
            yield other, page


def _meetings(
    site: Recurring, candidates: NDArray[np.bool_], similarity: float, space: Space
) -> Iterator[tuple[int, int, int]]:
    """Return the pairs of candidates that meet at blocks of enough weight to be worth comparing.

    Yields:
        The two pages, the pairs in ascending order, and the weight at which they met.
    """
    count = len(candidates)
    expected = _REACH * int(site.pages.sizes[candidates].sum())
    meetings = Partitions(space, expected, bits=(count * count - 1).bit_length())
    for part in site.parts():
        chosen = candidates[part.pages]
        blocks, pages, weights = part.blocks[chosen], part.pages[chosen], part.weights[chosen]
        frequencies = site.frequencies[part.first :][blocks]
        masses = weights * rarity(frequencies, count)
        for step in range(1, _REACH + 1):
            # The pages give a block the same rarity but may give it different weights (one has it
            # as a link): the smaller is shared.
            shares = np.minimum(masses[step:], masses[:-step])
            here = np.flatnonzero((blocks[step:] == blocks[:-step]) & (shares > 0))
            left, right = pages[here], pages[here + step]
            least = np.minimum(site.shared_masses[left], site.shared_masses[right])
            possible = least >= similarity * np.maximum(site.masses[left], site.masses[right])
            here, left, right = here[possible], left[possible], right[possible]
            meetings.add((left * count + right).astype(np.uint64), shares[here])
    for pairs, shares, repeats in meetings.runs():
        starts = np.flatnonzero(~repeats)
        met = np.add.reduceat(shares, starts)
        left, right = np.divmod(pairs[starts].astype(np.int64), count)
        promising = met >= _PROMISING * similarity * np.maximum(
            site.masses[left], site.masses[right]
        )
        columns = (left[promising], right[promising], met[promising])
        yield from zip(*(column.tolist() for column in columns), strict=True)


class _Pages:
    """Pages compared in full."""

    def __init__(self, site: Recurring, blocks_of: BlocksOf) -> None:
        self._site = site
        self._blocks_of = blocks_of
        self._left = -1
        self._blocks = np.empty(0, np.uint64), np.empty(0, np.uint16)

    def shared(self, left: int, right: int) -> float:
        """Return the weight that two pages share."""
        urls, count = self._site.pages.urls, len(self._site.pages)
        if left != self._left:
            # Pairs come in order, so that most have the left page of the one before.
            self._left, self._blocks = left, self._blocks_of(urls[left])
        keys, weights = self._blocks
        other_keys, other_weights = self._blocks_of(urls[right])
        common, here, there = np.intersect1d(
            keys, other_keys, assume_unique=True, return_indices=True
        )
        frequencies = self._site.frequencies[np.searchsorted(self._site.keys, common)]
        least = np.minimum(weights[here], other_weights[there])
        return float((least * rarity(frequencies, count)).sum())


def _join(groups: NDArray[np.uint32], left: int, right: int) -> None:
    one, other = _root(groups, left), _root(groups, right)
    groups[max(one, other)] = min(one, other)


def _root(groups: NDArray[np.uint32], page: int) -> int:
    while (parent := int(groups[page])) != page:
        groups[page] = groups[parent]
        page = parent
    return page
