"""Near-duplicate pages: one article under several addresses must count as one page.

Two pages are near-duplicates when the blocks they share carry most of what is particular to
either. A block weighs its characters outside hyperlinks times ``log((n + 1) / f)``, with f the
number of the site's n pages it stands on, so that what stands on every page (navigation, a long
legal notice) says next to nothing about whether two pages are the same. Similarity is weighted
Jaccard: the weight shared over the weight of both together.

Pages are compared only where a block brings them side by side: for each block, the pages it
stands on in the order of their addresses, each with the next few. Copies of one article share all
its blocks and so meet at many of them; pairs that meet at enough are compared in full. Exact
copies are found beforehand, whoever stands between them. The work is linear in the number of block
occurrences, and the result depends on the set of pages alone.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from xxhash import xxh3_128_digest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["duplicate_groups"]

# Pages with less text of their own than this many weighted characters are told apart by chance
# only: empty shells, link lists, log-in forms.
_MIN_CONTENT = 100.0
# With how many of its followers a page is compared at a block: one of several copies may lack a
# block, and pages that only quote an article may stand between two copies of it.
_REACH = 3
# Pairs whose meetings carry less than this share of the similarity asked for are not compared.
_PROMISING = 0.4


def duplicate_groups(
    keys: NDArray[np.uint64],
    pages: NDArray[np.uint32],
    weights: NDArray[np.uint16],
    page_count: int,
    similarity: float,
) -> NDArray[np.uint32]:
    """Group near-duplicate pages.

    Args:
        keys: block keys, one an occurrence, page after page; within one page ascending, each once.
        pages: for each occurrence its page's number, ascending, 0 to ``page_count`` - 1.
        weights: for each occurrence its characters outside hyperlinks.
        page_count: how many pages there are.
        similarity: least weighted Jaccard similarity of near-duplicates; above 1 groups nothing.

    Returns:
        For each page the smallest page number of its group, uint32; its own for a page alone.
    """
    groups = np.arange(page_count, dtype=np.uint32)
    if page_count == 1 or similarity > 1 or not len(keys):
        return groups
    numbers: NDArray[np.int64] = pages.astype(np.int64)
    _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    rarity = np.log((page_count + 1) / counts)
    mass: NDArray[np.float64] = weights.astype(np.float64) * rarity[inverse]
    totals = np.bincount(numbers, mass, minlength=page_count).astype(np.float64)
    ends = np.searchsorted(numbers, np.arange(page_count + 1))
    for left, right in _exact_copies(keys, weights, ends.tolist()):
        if totals[left] >= _MIN_CONTENT:
            _join(groups, left, right)
    for left, right in _meetings(keys, numbers, mass, totals, similarity):
        one, other = slice(*ends[left : left + 2]), slice(*ends[right : right + 2])
        shared = _shared(keys[one], mass[one], keys[other], mass[other])
        if shared >= similarity * (totals[left] + totals[right] - shared):
            _join(groups, left, right)
    return np.array([_root(groups, page) for page in range(page_count)], dtype=np.uint32)


def _exact_copies(
    keys: NDArray[np.uint64], weights: NDArray[np.uint16], ends: list[int]
) -> Iterator[tuple[int, int]]:
    """Pair each page with the first that has the same blocks, of the same weights."""
    first: dict[bytes, int] = {}
    for page, (start, end) in enumerate(pairwise(ends)):
        signature = xxh3_128_digest(keys[start:end].tobytes() + weights[start:end].tobytes())
        other = first.setdefault(signature, page)
        if other != page:
            yield other, page


def _meetings(
    keys: NDArray[np.uint64],
    pages: NDArray[np.int64],
    mass: NDArray[np.float64],
    totals: NDArray[np.float64],
    similarity: float,
) -> list[tuple[int, int]]:
    """Return the pairs of pages that meet at blocks of enough weight to be worth comparing."""
    order = np.lexsort((pages, keys))
    keys, pages, mass = keys[order], pages[order], mass[order]
    meetings, shares = [], []
    for step in range(1, _REACH + 1):
        here = np.flatnonzero((keys[step:] == keys[:-step]) & (mass[:-step] > 0))
        meetings.append(pages[here] * len(totals) + pages[here + step])
        # The pages give a block the same rarity but may give it different weights (one has it as a
        # link): the smaller is shared.
        shares.append(np.minimum(mass[here], mass[here + step]))
    pairs, inverse = np.unique(np.concatenate(meetings), return_inverse=True)
    met = np.bincount(inverse, np.concatenate(shares), minlength=len(pairs))
    left, right = np.divmod(pairs, len(totals))
    enough = np.minimum(totals[left], totals[right]) >= _MIN_CONTENT
    promising = met >= _PROMISING * similarity * np.maximum(totals[left], totals[right])
    chosen = enough & promising
    return list(zip(left[chosen].tolist(), right[chosen].tolist(), strict=True))


def _shared(
    keys: NDArray[np.uint64],
    mass: NDArray[np.float64],
    other_keys: NDArray[np.uint64],
    other_mass: NDArray[np.float64],
) -> float:
    """Return the weight that two pages share."""
    _, here, there = np.intersect1d(keys, other_keys, assume_unique=True, return_indices=True)
    return float(np.minimum(mass[here], other_mass[there]).sum())


def _join(groups: NDArray[np.uint32], left: int, right: int) -> None:
    one, other = _root(groups, left), _root(groups, right)
    groups[max(one, other)] = min(one, other)


def _root(groups: NDArray[np.uint32], page: int) -> int:
    while (parent := int(groups[page])) != page:
        groups[page] = groups[parent]
        page = parent
    return page
