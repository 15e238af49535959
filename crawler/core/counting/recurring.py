"""Recurring blocks: those on more than one page of a site.

More than half of a site's blocks are on one page alone. They say nothing about the other pages, and
are only counted here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_64_digest, xxh3_128_digest

from crawler.core.counting.arrays import ArraySpace, Partitions
from crawler.core.counting.observation import BLOCKS, ObservationLog

if TYPE_CHECKING:
    _Found: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32]]

_WEIGHT_BITS = np.uint64(16)
_WEIGHT = np.uint64(0xFFFF)
_SIGNATURE = 24
UNIT = 2**16
"""Rarity is a whole number of this part of 1, so that sums of it are the same in any order."""


# Of a site of which few pages are known, an article in three versions is on a large share. With as
# many pages more, on which its blocks are not, they keep two thirds of their weight.
_OTHER_PAGES = 32


def rarity(frequencies: NDArray[np.uint32], pages: int) -> NDArray[np.uint64]:
    """Return the inverse document frequency of blocks, the weight of each of their characters.

    ``log((pages + 1) / frequency)``, in whole numbers: 65,536 are 1. Of blocks on at most half of
    the pages, which may be an article's, it is ``log((pages + 32) / frequency)``, scaled so that a
    block of one page weighs the same by both.

    Args:
        frequencies: on how many pages each block is.
        pages: how many pages of the site are known.
    """
    scale = math.log(pages + 1) / math.log(pages + _OTHER_PAGES)
    logarithms: NDArray[np.float64] = np.where(
        2 * frequencies.astype(np.int64) > pages,
        np.log((pages + 1) / frequencies),
        np.log((pages + _OTHER_PAGES) / frequencies) * scale,
    )
    return np.rint(logarithms * UNIT).astype(np.uint64)


class SitePages:
    """A site's pages, numbered in the order of their addresses, shorter ones first.

    Args:
        log: the site's observations.
        partitions: where to put all occurrences of blocks: page's number and weight by key.

    Attributes:
        urls: Their addresses.
        signatures: A digest of each page's blocks and their weights, uint8, of one page a row.
        sizes: How many blocks each page has, int64.
        weights: The characters of each page's blocks outside hyperlinks, int64.
        texts: How many occurrences of blocks have text outside hyperlinks.
    """

    def __init__(self, log: ObservationLog, partitions: Partitions) -> None:
        urls = log.urls()
        count = len(urls)
        order = np.array(sorted(range(count), key=urls.__getitem__))
        lengths = np.fromiter(map(len, urls), dtype=np.int64, count=count)
        order = order[np.argsort(lengths[order], kind="stable")]
        numbers = np.empty(count, dtype=np.int64)
        numbers[order] = np.arange(count)
        self.urls = [urls[place] for place in order]
        signatures = bytearray(_SIGNATURE * count)
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
            keys, figures = rows.keys.view(np.uint8).data, rows.figures.view(np.uint8).data
            for number, (start, stop) in zip(here.tolist(), pairwise(ends.tolist()), strict=True):
                of_keys = xxh3_128_digest(keys[8 * start : 8 * stop])
                of_figures = xxh3_64_digest(figures[2 * start : 2 * stop])
                place = _SIGNATURE * number
                signatures[place : place + _SIGNATURE] = of_keys + of_figures
        self.signatures = np.frombuffer(signatures, dtype=np.uint8).reshape(count, _SIGNATURE)

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
        occurrences = values[recurs]
        occurrences = occurrences[np.lexsort((occurrences, np.cumsum(begins)))]
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
