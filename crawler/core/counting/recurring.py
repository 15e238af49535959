"""The blocks of a site that stand on more than one of its pages, and what they weigh there.

More than half of a site's blocks stand on one page alone. They say nothing about the others, and
are only counted here.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from xxhash import xxh3_64_digest, xxh3_128_digest

from crawler.core.counting.observation_log import BLOCKS
from crawler.core.counting.partitions import Partitions, sorted_within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from crawler.core.counting.observation_log import ObservationLog, Rows
    from crawler.core.counting.spill_arrays import Space, Tape

__all__ = ["UNIT", "Part", "Recurring", "SitePages", "rarity"]

_WEIGHT_BITS = np.uint64(16)
_WEIGHT = np.uint64(0xFFFF)
# Rarity is measured in whole numbers of this part, so that sums of it are the same in any order.
UNIT = 2**16


def rarity(frequencies: NDArray[np.uint32], pages: int) -> NDArray[np.uint64]:
    """Return how much a character of a block counts that stands on so many of a site's pages.

    ``log((pages + 1) / frequency)``, in whole numbers: 65,536 are 1.
    """
    logarithms: NDArray[np.float64] = np.log((pages + 1) / frequencies)
    return np.rint(logarithms * UNIT).astype(np.uint64)


@dataclass(frozen=True, slots=True)
class SitePages:
    """A site's pages, numbered in the order of their addresses, the shortest first.

    ``urls``
        Their addresses.
    ``signatures``
        A digest of each page's blocks and their weights.
    ``sizes``
        How many blocks each page has, int64.
    ``weights``
        The characters of each page's blocks outside hyperlinks, int64.
    """

    urls: list[str]
    signatures: list[bytes]
    sizes: NDArray[np.int64]
    weights: NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of pages."""
        return len(self.urls)


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the blocks that recur, with all their occurrences.

    ``first``
        Place of the first of these blocks among all that recur.
    ``blocks``
        For each occurrence its block's number, from 0 at ``first`` on, ascending, int64.
    ``pages``
        For each occurrence its page's number, within a block ascending, int64.
    ``weights``
        For each occurrence its block's weight on the page, uint64.
    """

    first: int
    blocks: NDArray[np.int64]
    pages: NDArray[np.int64]
    weights: NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Recurring:
    """The blocks that stand on several pages of a site, each page taken for itself.

    ``pages``
        The site's pages.
    ``keys``, ``frequencies``, ``text_frequencies``
        Of each block its key, ascending, uint64; on how many pages it stands, and on how many of
        them as more than a hyperlink, uint32.
    ``single_blocks``, ``single_texts``
        How many blocks stand on one page, and how many of those as more than a hyperlink.
    ``masses``, ``shared_masses``
        Of each page the sum of its blocks' weights times their rarity: of all its blocks, and of
        those that recur; whole numbers in float64.
    """

    pages: SitePages
    keys: NDArray[np.uint64]
    frequencies: NDArray[np.uint32]
    text_frequencies: NDArray[np.uint32]
    single_blocks: int
    single_texts: int
    masses: NDArray[np.float64]
    shared_masses: NDArray[np.float64]
    _occurrences: Tape
    _part_ends: list[tuple[int, int]]

    @classmethod
    def find(cls, log: ObservationLog, space: Space) -> Self:
        """Find the blocks that recur on a site.

        Args:
            log: the site's observations, of one page at least.
            space: where to keep what does not fit memory.
        """
        partitions = Partitions(space, log.entries(BLOCKS))
        pages, texts = _number_pages(log, partitions)
        found = _Finder(len(pages), space)
        for keys, values, repeats in partitions.runs():
            found.add(keys, values, repeats)
        text_frequencies = _joined(found.text_frequencies, np.uint32)
        once = rarity(np.ones(1, dtype=np.uint32), len(pages))
        return cls(
            pages=pages,
            keys=_joined(found.keys, np.uint64),
            frequencies=_joined(found.frequencies, np.uint32),
            text_frequencies=text_frequencies,
            single_blocks=found.single_blocks,
            single_texts=texts - int(text_frequencies.sum(dtype=np.int64)),
            masses=found.masses + (pages.weights - found.weights) * once.astype(np.float64),
            shared_masses=found.masses,
            _occurrences=found.occurrences,
            _part_ends=found.part_ends,
        )

    def parts(self) -> Iterator[Part]:
        """Go through the blocks part by part, in the order of their keys."""
        for (first, start), (last, stop) in pairwise(self._part_ends):
            occurrences = self._occurrences.read(start, stop)
            frequencies = self.frequencies[first:last]
            yield Part(
                first=first,
                blocks=np.repeat(np.arange(last - first, dtype=np.int64), frequencies),
                pages=(occurrences >> _WEIGHT_BITS).view(np.int64),
                weights=occurrences & _WEIGHT,
            )


class _Finder:
    """Takes what recurs out of sorted entries, part after part."""

    def __init__(self, pages: int, space: Space) -> None:
        self.keys: list[NDArray[np.uint64]] = []
        self.frequencies: list[NDArray[np.uint32]] = []
        self.text_frequencies: list[NDArray[np.uint32]] = []
        self.single_blocks = 0
        self.masses = np.zeros(pages)
        self.weights = np.zeros(pages)
        self.occurrences = space.tape(np.uint64)
        # Where parts end, in blocks and in occurrences, from before the first on.
        self.part_ends = [(0, 0)]
        self._pages = pages
        self._bits = int(_WEIGHT_BITS) + pages.bit_length()

    def add(
        self, keys: NDArray[np.uint64], values: NDArray[np.uint64], repeats: NDArray[np.bool_]
    ) -> None:
        recurs = repeats.copy()
        recurs[:-1] |= repeats[1:]
        begins = ~repeats[recurs]
        starts = np.flatnonzero(begins)
        self.single_blocks += len(keys) - int(np.count_nonzero(recurs))
        if not len(starts):
            return
        occurrences = sorted_within(np.cumsum(begins) - 1, values[recurs], self._bits)
        frequencies = np.diff(starts, append=len(occurrences)).astype(np.uint32)
        pages, weights = (occurrences >> _WEIGHT_BITS).view(np.int64), occurrences & _WEIGHT
        rarities = np.repeat(rarity(frequencies, self._pages), frequencies)
        self.masses += np.bincount(pages, weights * rarities, self._pages)
        self.weights += np.bincount(pages, weights, self._pages)
        self.keys.append(keys[recurs & ~repeats])
        self.frequencies.append(frequencies)
        self.text_frequencies.append(np.add.reduceat(weights > 0, starts, dtype=np.uint32))
        self.occurrences.append(occurrences)
        blocks, _ = self.part_ends[-1]
        self.part_ends.append((blocks + len(starts), len(self.occurrences)))


def _number_pages(log: ObservationLog, partitions: Partitions) -> tuple[SitePages, int]:
    """Number the pages, and put all occurrences into partitions: page's number and weight by key.

    Returns:
        The pages, and how many occurrences are more than a hyperlink.
    """
    urls = log.urls()
    order = sorted(range(len(urls)), key=lambda place: (len(urls[place]), urls[place]))
    numbers = np.empty(len(urls), dtype=np.int64)
    numbers[order] = np.arange(len(urls))
    signatures = [b""] * len(urls)
    sizes = np.zeros(len(urls), dtype=np.int64)
    weights = np.zeros(len(urls), dtype=np.int64)
    texts = done = 0
    for rows in log.rows(BLOCKS):
        here = numbers[done : done + len(rows)]
        done += len(rows)
        values = np.repeat(here.astype(np.uint64) << _WEIGHT_BITS, rows.sizes)
        values |= rows.figures
        partitions.add(rows.keys, values)
        ends = np.concatenate(([0], np.cumsum(rows.sizes)))
        running = np.concatenate(([0], np.cumsum(rows.figures, dtype=np.int64)))
        sizes[here] = rows.sizes
        weights[here] = np.diff(running[ends])
        texts += int(np.count_nonzero(rows.figures))
        for number, signature in zip(here.tolist(), _signatures(rows, ends), strict=True):
            signatures[number] = signature
    return SitePages([urls[place] for place in order], signatures, sizes, weights), texts


def _signatures(rows: Rows, ends: NDArray[np.int64]) -> Iterator[bytes]:
    """Return a digest of each page's blocks and of their weights."""
    keys, weights = rows.keys.view(np.uint8).data, rows.figures.view(np.uint8).data
    for start, stop in pairwise(ends.tolist()):
        yield xxh3_128_digest(keys[8 * start : 8 * stop]) + xxh3_64_digest(
            weights[2 * start : 2 * stop]
        )


def _joined(arrays: list[NDArray[Any]], kind: type) -> NDArray[Any]:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype=kind)
