"""What one page contributes to the counts of its site."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from crawler.core.page.blocks import Block

_MAX_WEIGHT = 65_535


# No slots: the levels of a large site are computed once.
@dataclass(frozen=True)
class KeyCounts:
    """A figure for each of some 64-bit keys.

    ``keys``
        Distinct, ascending, uint64.
    ``counts``
        The figure of each, uint32.
    """

    keys: NDArray[np.uint64]
    counts: NDArray[np.uint32]

    @classmethod
    def of(cls, counts: Mapping[int, int]) -> Self:
        """Make key counts of a mapping.

        Raises:
            OverflowError: a key is no unsigned 64-bit number, or a figure no unsigned 32-bit one.
        """
        keys = np.fromiter(counts.keys(), dtype=np.uint64, count=len(counts))
        figures = np.fromiter(counts.values(), dtype=np.uint32, count=len(counts))
        order = np.argsort(keys)
        return cls(keys[order], figures[order])

    @cached_property
    def levels(self) -> NDArray[np.uint32]:
        """The distinct figures, ascending."""
        return np.unique(self.counts)

    def look_up(self, keys: Sequence[int]) -> list[int]:
        """Return the figure of each of some keys; 0 for a key that has none."""
        return look_up(self.keys, self.counts, keys, 0)


def look_up(
    keys: NDArray[np.uint64], figures: NDArray[np.uint32], wanted: Sequence[int], otherwise: int
) -> list[int]:
    """Look up the figures of some keys.

    Args:
        keys: distinct, ascending.
        figures: the figure of each.
        wanted: the keys to look up.
        otherwise: the figure of a key that has none.
    """
    if not len(wanted) or not len(keys):
        return [otherwise] * len(wanted)
    asked = np.array(wanted, dtype=np.uint64)
    places = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    found: list[int] = np.where(keys[places] == asked, figures[places], otherwise).tolist()
    return found


@dataclass(frozen=True, slots=True)
class Observation:
    """What one page contributes to the counts: its blocks, and how much text each has.

    ``url``
        The page's address.
    ``keys``
        Distinct block keys of the page, ascending, uint64.
    ``weights``
        For each key the characters of its block that are not hyperlink text, uint16 (capped).
        Near-duplicate pages are recognised by them.
    ``sums``
        What a method adds up over the site, by the method's own names.
    """

    url: str
    keys: NDArray[np.uint64]
    weights: NDArray[np.uint16]
    sums: Mapping[str, KeyCounts] = field(default_factory=dict)

    def union(self, other: Observation) -> Observation:
        """Join two observations of one address: all blocks, each with its larger weight.

        What the page adds to a sum is the larger of both. Returns ``self`` where the observations
        are equal.
        """
        if self._equals(other):
            return self
        keys, weights = _larger(self.keys, self.weights, other.keys, other.weights)
        sums = {}
        for name in self.sums.keys() | other.sums.keys():
            one, two = self.sums.get(name, _NO_COUNTS), other.sums.get(name, _NO_COUNTS)
            sums[name] = KeyCounts(*_larger(one.keys, one.counts, two.keys, two.counts))
        return Observation(url=self.url, keys=keys, weights=weights, sums=sums)

    def _equals(self, other: Observation) -> bool:
        return (
            np.array_equal(self.keys, other.keys)
            and np.array_equal(self.weights, other.weights)
            and self.sums.keys() == other.sums.keys()
            and all(
                np.array_equal(counts.keys, other.sums[name].keys)
                and np.array_equal(counts.counts, other.sums[name].counts)
                for name, counts in self.sums.items()
            )
        )


def observe_blocks(
    url: str, blocks: Iterable[Block], sums: Mapping[str, Mapping[int, int]] | None = None
) -> Observation:
    """Observe one page: each distinct block counts once.

    Args:
        url: the page's address.
        blocks: its visible blocks.
        sums: what else is added up over the site, by name: 64-bit key to what it adds.

    Raises:
        ValueError: a name is empty, which is the name of the blocks.
        OverflowError: a key or a figure is out of its range.
    """
    if sums and "" in sums:
        raise ValueError("what a method counts needs a name that is not empty")
    weights: dict[int, int] = {}
    for block in blocks:
        weight = min(block.chars - block.link_chars, _MAX_WEIGHT)
        weights[block.key] = max(weight, weights.get(block.key, 0))
    keys = np.fromiter(weights.keys(), dtype=np.uint64, count=len(weights))
    sizes = np.fromiter(weights.values(), dtype=np.uint16, count=len(weights))
    order = np.argsort(keys)
    key_counts = {name: KeyCounts.of(counts) for name, counts in (sums or {}).items()}
    return Observation(url, keys[order], sizes[order], key_counts)


def _larger(
    keys: NDArray[np.uint64],
    figures: NDArray[Any],
    other_keys: NDArray[np.uint64],
    other_figures: NDArray[Any],
) -> tuple[NDArray[np.uint64], NDArray[Any]]:
    """Join keys, each with the larger of its figures."""
    joined = np.union1d(keys, other_keys)
    largest = np.zeros(len(joined), dtype=figures.dtype)
    largest[np.searchsorted(joined, keys)] = figures
    places = np.searchsorted(joined, other_keys)
    largest[places] = np.maximum(largest[places], other_figures)
    return joined, largest


_NO_COUNTS = KeyCounts.of({})
