"""Near-duplicate pages: one article under several addresses must count as one page.

Two pages are near-duplicates when the blocks they share carry most of what is particular to
either. A block weighs its characters outside hyperlinks times ``log((n + 1) / f)``, with f the
number of the site's n pages it stands on, so that what stands on every page (navigation, a long
legal notice) says next to nothing about whether two pages are the same. Similarity is weighted
Jaccard: the weight shared over the weight of both together.

Pages are compared only where a block of text brings them side by side: for each block, the pages
it stands on in the order of their addresses, each with the next. Copies of one article share all
its blocks and so meet at each of them. The work is linear in the number of block occurrences, and
the result depends on the set of pages alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["duplicate_groups"]

# Pages with less text of their own than this many weighted characters are told apart by chance
# only: empty shells, link lists, log-in forms.
_MIN_CONTENT = 100.0


def duplicate_groups(
    keys: NDArray[np.uint64],
    pages: NDArray[np.uint32],
    weights: NDArray[np.uint16],
    page_count: int,
    similarity: float,
) -> NDArray[np.uint32]:
    """Group near-duplicate pages.

    Args:
        keys: block keys, one an occurrence; within one page each key once.
        pages: for each occurrence its page's number, 0 to ``page_count`` - 1.
        weights: for each occurrence its characters outside hyperlinks.
        page_count: how many pages there are.
        similarity: least weighted Jaccard similarity of near-duplicates; above 1 groups nothing.

    Returns:
        For each page the smallest page number of its group, uint32; its own for a page alone.
    """
    groups = np.arange(page_count, dtype=np.uint32)
    if page_count == 1 or similarity > 1 or not len(keys):
        return groups
    order = np.lexsort((pages, keys))
    keys = keys[order]
    numbers: NDArray[np.int64] = pages[order].astype(np.int64)
    same = keys[1:] == keys[:-1]
    starts = np.flatnonzero(np.concatenate(([True], ~same)))
    counts = np.diff(np.append(starts, len(keys)))
    idf = np.log((page_count + 1) / counts)
    mass: NDArray[np.float64] = weights[order] * np.repeat(idf, counts)
    totals = np.bincount(numbers, mass, minlength=page_count).astype(np.float64)
    for left, right in _candidates(numbers, mass, same, totals, similarity):
        root_left, root_right = _root(groups, left), _root(groups, right)
        if root_left != root_right:
            groups[max(root_left, root_right)] = min(root_left, root_right)
    return np.array([_root(groups, page) for page in range(page_count)], dtype=np.uint32)


def _candidates(
    pages: NDArray[np.int64],
    mass: NDArray[np.float64],
    same: NDArray[np.bool_],
    totals: NDArray[np.float64],
    similarity: float,
) -> list[tuple[int, int]]:
    """Return the pairs of neighbouring pages that are similar enough."""
    here = np.flatnonzero(same)
    pairs = pages[here] * len(totals) + pages[here + 1]
    distinct, inverse = np.unique(pairs, return_inverse=True)
    # The two pages give a block the same idf but may give it different weights (one has it as a
    # link): the smaller is shared.
    shared = np.bincount(inverse, np.minimum(mass[here], mass[here + 1]))
    left, right = np.divmod(distinct, len(totals))
    enough = np.minimum(totals[left], totals[right]) >= _MIN_CONTENT
    similar = shared >= similarity * (totals[left] + totals[right] - shared)
    chosen = enough & similar
    return list(zip(left[chosen].tolist(), right[chosen].tolist(), strict=True))


def _root(groups: NDArray[np.uint32], page: int) -> int:
    while (parent := int(groups[page])) != page:
        groups[page] = groups[parent]
        page = parent
    return page
