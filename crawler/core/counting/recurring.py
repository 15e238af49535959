"""Recurring blocks, those on more than one page of a site, and the near-duplicate pages they show.

More than half of a site's blocks are on one page alone. They say nothing about the other pages, and
are only counted here.

One article under several addresses must count as one page. The weight of a block on a page is the
number of its characters outside hyperlinks times ``log((n + 1) / f)``, with f the number of the
site's n pages that have it. So a block of every page (navigation, a long legal notice) has next to
no weight. Two pages are near-duplicates when their weighted Jaccard similarity is high: the weight
of the blocks that they share, divided by the weight of the blocks of both together.

Most pages cannot be near-duplicates of any: too much of their weight is in blocks of one page. Of
the others, candidate pairs are found by their blocks: for each block, the pages that have it are
taken in the order of their addresses, and each is paired with the next few. Copies of one article
share all its blocks, so that they are paired at many of them; pairs with enough weight in common
there are compared in full. Exact copies are found beforehand. The work is linear in the number of
block occurrences, and the result depends on the set of pages alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_64_digest, xxh3_128_digest

from crawler.core.counting.arrays import ArraySpace, Partitions, sorted_within
from crawler.core.counting.observation import BLOCKS, ObservationLog, Rows

if TYPE_CHECKING:
    _Found: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32]]
    _Blocks: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.uint16]]

_WEIGHT_BITS = np.uint64(16)
_WEIGHT = np.uint64(0xFFFF)
UNIT = 2**16
"""Rarity is a whole number of this part of 1, so that sums of it are the same in any order."""
# The text of lighter pages is too short to compare: empty pages, link lists, log-in forms.
_MIN_CONTENT = 100.0 * UNIT
# With how many of the next pages a page is paired at a block: one of several copies may lack a
# block, and pages that only quote an article may come between two copies of it.
_REACH = 3
# Pairs with less than this share of the similarity in common where they were paired are dropped.
_PROMISING = 0.4


def rarity(frequencies: NDArray[np.uint32], pages: int) -> NDArray[np.uint64]:
    """Return the inverse document frequency of blocks, the weight of each of their characters.

    ``log((pages + 1) / frequency)``, in whole numbers: 65,536 are 1.

    Args:
        frequencies: on how many pages each block is.
        pages: how many pages the site has.
    """
    logarithms: NDArray[np.float64] = np.log((pages + 1) / frequencies)
    return np.rint(logarithms * UNIT).astype(np.uint64)


class SitePages:
    """A site's pages, numbered in the order of their addresses, shorter ones first.

    Args:
        log: the site's observations.
        partitions: where to put all occurrences of blocks: page's number and weight by key.

    Attributes:
        urls: Their addresses.
        signatures: A digest of each page's blocks and their weights.
        sizes: How many blocks each page has, int64.
        weights: The characters of each page's blocks outside hyperlinks, int64.
        texts: How many occurrences of blocks have text outside hyperlinks.
    """

    def __init__(self, log: ObservationLog, partitions: Partitions) -> None:
        urls = log.urls()
        count = len(urls)
        order = sorted(range(count), key=lambda place: (len(urls[place]), urls[place]))
        numbers = np.empty(count, dtype=np.int64)
        numbers[order] = np.arange(count)
        self.urls = [urls[place] for place in order]
        self.signatures = [b""] * count
        self.sizes, self.weights = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        self.texts = done = 0
        for rows in log.rows(BLOCKS):
            here = numbers[done : done + len(rows)]
            done += len(rows)
            values = np.repeat(here.astype(np.uint64) << _WEIGHT_BITS, rows.sizes)
            values |= rows.figures
            partitions.add(rows.keys, values)
            ends = np.concatenate(([0], np.cumsum(rows.sizes)))
            running = np.concatenate(([0], np.cumsum(rows.figures, dtype=np.int64)))
            self.sizes[here] = rows.sizes
            self.weights[here] = np.diff(running[ends])
            self.texts += int(np.count_nonzero(rows.figures))
            for number, signature in zip(here.tolist(), _signatures(rows, ends), strict=True):
                self.signatures[number] = signature

    def __len__(self) -> int:
        """Return the number of pages."""
        return len(self.urls)


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the recurring blocks, with all their occurrences.

    Attributes:
        first: Index of the first of these blocks among all that recur.
        blocks, pages, weights: For each occurrence its block's number, from 0 at ``first`` on,
            ascending, int64; its page's number, within a block ascending, int64; and its block's
            weight on the page, uint64.
    """

    first: int
    blocks: NDArray[np.int64]
    pages: NDArray[np.int64]
    weights: NDArray[np.uint64]


class RecurringBlocks:
    """The blocks that are on several pages of a site, near-duplicate pages not grouped.

    Args:
        log: the site's observations, of one page at least.
        space: where to keep what does not fit memory.

    Attributes:
        pages: The site's pages.
        keys: Of each block its key, ascending, uint64.
        frequencies: On how many pages each block is, uint32.
        text_frequencies: On how many of them it has text outside hyperlinks, uint32.
        single_blocks: How many other blocks there are, which are on one page.
        single_texts: How many of those have text outside hyperlinks.
        masses: Of each page the sum of its blocks' weights times their rarity, whole numbers in
            float64.
        shared_masses: The same, of the recurring blocks alone.
    """

    def __init__(self, log: ObservationLog, space: ArraySpace) -> None:
        partitions = Partitions(space, log.entries(BLOCKS))
        self.pages = SitePages(log, partitions)
        self.single_blocks = 0
        self.shared_masses = np.zeros(len(self.pages))
        self._weights = np.zeros(len(self.pages))
        self._occurrences = space.array(np.uint64)
        # Where parts end, in blocks and in occurrences, from before the first part on.
        self._part_ends = [(0, 0)]
        found = [_no_blocks()]
        found += [self._collect(*part) for part in partitions.runs()]
        self.keys, self.frequencies, self.text_frequencies = map(
            np.concatenate, zip(*found, strict=True)
        )
        self.single_texts = self.pages.texts - int(self.text_frequencies.sum(dtype=np.int64))
        once = rarity(np.ones(1, dtype=np.uint32), len(self.pages)).astype(np.float64)
        self.masses = self.shared_masses + (self.pages.weights - self._weights) * once

    def _collect(
        self, keys: NDArray[np.uint64], values: NDArray[np.uint64], repeats: NDArray[np.bool_]
    ) -> _Found:
        """Collect the recurring blocks of a part: their keys, and both of their frequencies."""
        recurs = repeats.copy()
        recurs[:-1] |= repeats[1:]
        begins = ~repeats[recurs]
        starts = np.flatnonzero(begins)
        self.single_blocks += len(keys) - int(np.count_nonzero(recurs))
        if not len(starts):
            return _no_blocks()
        count = len(self.pages)
        bits = int(_WEIGHT_BITS) + count.bit_length()
        occurrences = sorted_within(np.cumsum(begins) - 1, values[recurs], bits)
        frequencies = np.diff(starts, append=len(occurrences)).astype(np.uint32)
        pages, weights = (occurrences >> _WEIGHT_BITS).view(np.int64), occurrences & _WEIGHT
        rarities = np.repeat(rarity(frequencies, count), frequencies)
        self.shared_masses += np.bincount(pages, weights * rarities, count)
        self._weights += np.bincount(pages, weights, count)
        self._occurrences.append(occurrences)
        blocks, _ = self._part_ends[-1]
        self._part_ends.append((blocks + len(starts), len(self._occurrences)))
        text_frequencies = np.add.reduceat(weights > 0, starts, dtype=np.uint32)
        return keys[recurs & ~repeats], frequencies, text_frequencies

    def parts(self) -> Iterator[Part]:
        """Give the blocks part by part, in the order of their keys."""
        for (first, start), (last, stop) in pairwise(self._part_ends):
            occurrences = self._occurrences.read(start, stop)
            frequencies = self.frequencies[first:last]
            yield Part(
                first=first,
                blocks=np.repeat(np.arange(last - first, dtype=np.int64), frequencies),
                pages=(occurrences >> _WEIGHT_BITS).view(np.int64),
                weights=occurrences & _WEIGHT,
            )


def _no_blocks() -> _Found:
    return np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0, np.uint32)


def _signatures(rows: Rows, ends: NDArray[np.int64]) -> Iterator[bytes]:
    keys, weights = rows.keys.view(np.uint8).data, rows.figures.view(np.uint8).data
    for start, stop in pairwise(ends.tolist()):
        yield xxh3_128_digest(keys[8 * start : 8 * stop]) + xxh3_64_digest(
            weights[2 * start : 2 * stop]
        )


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
    first: dict[bytes, int] = {}
    for page in np.flatnonzero(candidates).tolist():
        _join(groups, first.setdefault(site.pages.signatures[page], page), page)
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
    return np.array([_root(groups, page) for page in range(count)], dtype=np.uint32)


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
