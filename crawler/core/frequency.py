"""Site evidence: on how many of a site's pages each block stands.

Three verbs. *Observe* turns one page into a small record and looks at nothing else. *Merge* joins
what was observed, in any order and any grouping. The *view* is computed once from all of it, and
is frozen: whatever decides about a page reads a view and never counts. So no result depends on the
order in which pages came.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from xxhash import xxh3_64_intdigest, xxh3_128_hexdigest

from crawler.core.duplicates import duplicate_groups

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from crawler.core.blocks import Block

__all__ = ["KeyCounts", "Observation", "SiteCounts", "SiteView", "observe_blocks", "page_id"]

DEFAULT_SIMILARITY = 0.7
_MAX_WEIGHT = 65_535


def page_id(url: str) -> int:
    """Return the 64-bit identity of a page's address."""
    return xxh3_64_intdigest(url.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
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
        """Make key counts of a mapping."""
        keys = np.fromiter(counts.keys(), dtype=np.uint64, count=len(counts))
        figures = np.fromiter(counts.values(), dtype=np.uint32, count=len(counts))
        order = np.argsort(keys)
        return cls(keys[order], figures[order])

    @property
    def levels(self) -> NDArray[np.uint32]:
        """The distinct figures, ascending."""
        return np.unique(self.counts)

    def look_up(self, keys: Sequence[int]) -> list[int]:
        """Return the figure of each of some keys; 0 for a key that has none."""
        return _look_up(self.keys, self.counts, keys)


@dataclass(frozen=True, slots=True)
class Observation:
    """What one page tells the counts: its address, its blocks, and how much text each carries.

    ``keys``
        Distinct block keys of the page, ascending, uint64.
    ``weights``
        For each key the characters of its block that are not hyperlink text, uint16 (capped):
        what near-duplicate pages are recognised by.
    ``sums``
        What a method wants added up over the site, by the method's own names.
    """

    url: str
    keys: NDArray[np.uint64]
    weights: NDArray[np.uint16]
    sums: Mapping[str, KeyCounts] = field(default_factory=dict)


def observe_blocks(
    url: str, blocks: Iterable[Block], sums: Mapping[str, Mapping[int, int]] | None = None
) -> Observation:
    """Observe one page: each of its blocks once, however often it stands there.

    Args:
        url: the page's address.
        blocks: its visible blocks.
        sums: what else is to be added up over the site, by name: 64-bit key to what it adds.
    """
    weights: dict[int, int] = {}
    for block in blocks:
        weight = min(block.chars - block.link_chars, _MAX_WEIGHT)
        weights[block.key] = max(weight, weights.get(block.key, 0))
    keys = np.fromiter(weights.keys(), dtype=np.uint64, count=len(weights))
    sizes = np.fromiter(weights.values(), dtype=np.uint16, count=len(weights))
    order = np.argsort(keys)
    return Observation(
        url=url,
        keys=keys[order],
        weights=sizes[order],
        sums={name: KeyCounts.of(counts) for name, counts in (sums or {}).items()},
    )


@dataclass(frozen=True, slots=True)
class SiteView:
    """The page frequencies of one site, as they stood when its pages had been seen.

    ``pages_seen``
        Addresses observed.
    ``pages``
        Distinct pages among them: near-duplicates count as one. 0 for a site never counted.
    ``snapshot``
        Identity of these counts: the same pages give the same snapshot.
    ``keys``, ``frequencies``, ``text_frequencies``
        Sorted block keys; for each the number of distinct pages it stands on, and the number of
        those on which it is more than a hyperlink: a headline stands once as text, and as a link
        on every page that leads to it.
    ``duplicate_of``
        Address of a near-duplicate page → address of the page that stands for it.
    ``sums``
        What methods wanted added up, over all addresses; see :class:`Observation`.
    """

    pages_seen: int
    pages: int
    snapshot: str
    keys: NDArray[np.uint64]
    frequencies: NDArray[np.uint32]
    text_frequencies: NDArray[np.uint32]
    duplicate_of: Mapping[str, str]
    sums: Mapping[str, KeyCounts] = field(default_factory=dict)

    @classmethod
    def unknown(cls) -> Self:
        """Return the view of a site of which nothing is known."""
        return cls(
            pages_seen=0,
            pages=0,
            snapshot="",
            keys=np.empty(0, dtype=np.uint64),
            frequencies=np.empty(0, dtype=np.uint32),
            text_frequencies=np.empty(0, dtype=np.uint32),
            duplicate_of={},
        )

    @property
    def is_known(self) -> bool:
        """Whether any page of the site was counted. Unknown is not the same as zero."""
        return self.pages > 0

    @property
    def text_ranks(self) -> int:
        """How many distinct frequencies the site's blocks have, as more than hyperlinks."""
        return len(np.unique(self.text_frequencies[self.text_frequencies > 0]))

    def page_frequencies(self, keys: Sequence[int]) -> list[int]:
        """Return for each key the number of distinct pages it stands on; 0 for one never seen."""
        return _look_up(self.keys, self.frequencies, keys)

    def page_text_frequencies(self, keys: Sequence[int]) -> list[int]:
        """Return for each key the number of distinct pages where it is more than a hyperlink."""
        return _look_up(self.keys, self.text_frequencies, keys)


class SiteCounts:
    """All observations of one site so far. Adding and merging commute; pages count once each."""

    def __init__(self) -> None:
        self._pages: dict[str, Observation] = {}

    def __len__(self) -> int:
        """Return the number of pages observed."""
        return len(self._pages)

    def add(self, observation: Observation) -> None:
        """Count a page. A page seen again under its address counts once, with all its blocks."""
        known = self._pages.get(observation.url)
        self._pages[observation.url] = observation if known is None else _union(known, observation)

    def merge(self, other: SiteCounts) -> None:
        """Add all that ``other`` observed."""
        for observation in other.observations():
            self.add(observation)

    def observations(self) -> Iterable[Observation]:
        """Return what was observed, one record a page."""
        return self._pages.values()

    def view(self, similarity: float = DEFAULT_SIMILARITY) -> SiteView:
        """Freeze the counts: fold near-duplicate pages, then count pages for each block.

        Args:
            similarity: from what weighted Jaccard similarity two pages are one
                (:mod:`crawler.core.duplicates`); above 1 folds nothing.
        """
        if not self._pages:
            return SiteView.unknown()
        # Sorted by address, so that what follows is the same in whatever order pages came.
        pages = sorted(self._pages.values(), key=lambda page: (len(page.url), page.url))
        keys = np.concatenate([page.keys for page in pages])
        weights = np.concatenate([page.weights for page in pages])
        numbers = np.repeat(
            np.arange(len(pages), dtype=np.uint32), [len(page.keys) for page in pages]
        )
        groups = duplicate_groups(keys, numbers, weights, len(pages), similarity)
        groups_of = groups[numbers]
        distinct, frequencies = _page_frequencies(keys, groups_of)
        as_text = weights > 0
        texts, text_frequencies = _page_frequencies(keys[as_text], groups_of[as_text])
        all_text_frequencies = np.zeros(len(distinct), dtype=np.uint32)
        all_text_frequencies[np.searchsorted(distinct, texts)] = text_frequencies
        return SiteView(
            pages_seen=len(pages),
            pages=len(np.unique(groups)),
            snapshot=_snapshot(pages, distinct, frequencies),
            keys=distinct,
            frequencies=frequencies,
            text_frequencies=all_text_frequencies,
            duplicate_of={
                page.url: pages[group].url
                for number, (page, group) in enumerate(zip(pages, groups.tolist(), strict=True))
                if group != number
            },
            sums=_added_up(page.sums for page in pages),
        )


def _union(one: Observation, other: Observation) -> Observation:
    keys = np.union1d(one.keys, other.keys)
    weights = np.zeros(len(keys), dtype=np.uint16)
    for part in (one, other):
        places = np.searchsorted(keys, part.keys)
        weights[places] = np.maximum(weights[places], part.weights)
    return Observation(url=one.url, keys=keys, weights=weights, sums=_larger(one.sums, other.sums))


def _larger(one: Mapping[str, KeyCounts], other: Mapping[str, KeyCounts]) -> dict[str, KeyCounts]:
    """Join the sums of one page seen twice: what it adds is what it added at most."""
    joined = {}
    for name in one.keys() | other.keys():
        parts = [part[name] for part in (one, other) if name in part]
        keys = np.unique(np.concatenate([part.keys for part in parts]))
        counts = np.zeros(len(keys), dtype=np.uint32)
        for part in parts:
            places = np.searchsorted(keys, part.keys)
            counts[places] = np.maximum(counts[places], part.counts)
        joined[name] = KeyCounts(keys, counts)
    return joined


def _added_up(pages: Iterable[Mapping[str, KeyCounts]]) -> dict[str, KeyCounts]:
    """Add the sums of all pages."""
    parts: dict[str, list[KeyCounts]] = {}
    for page in pages:
        for name, counts in page.items():
            parts.setdefault(name, []).append(counts)
    totals = {}
    for name, found in parts.items():
        keys, places = np.unique(np.concatenate([part.keys for part in found]), return_inverse=True)
        added = np.bincount(places, np.concatenate([part.counts for part in found]), len(keys))
        totals[name] = KeyCounts(keys, added.astype(np.uint32))
    return totals


def _look_up(
    keys: NDArray[np.uint64], figures: NDArray[np.uint32], wanted: Sequence[int]
) -> list[int]:
    if not len(wanted) or not len(keys):
        return [0] * len(wanted)
    asked = np.array(wanted, dtype=np.uint64)
    places = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    found: list[int] = np.where(keys[places] == asked, figures[places], 0).tolist()
    return found


def _page_frequencies(
    keys: NDArray[np.uint64], groups: NDArray[np.uint32]
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Count for each distinct key the distinct groups it occurs in."""
    order = np.lexsort((groups, keys))
    keys, groups = keys[order], groups[order]
    first = np.ones(len(keys), dtype=bool)
    first[1:] = (keys[1:] != keys[:-1]) | (groups[1:] != groups[:-1])
    distinct, counts = np.unique(keys[first], return_counts=True)
    return distinct, counts.astype(np.uint32)


def _snapshot(
    pages: Sequence[Observation], keys: NDArray[np.uint64], frequencies: NDArray[np.uint32]
) -> str:
    parts: tuple[Any, ...] = (
        "\n".join(page.url for page in pages).encode("utf-8", "surrogatepass"),
        keys.astype("<u8").tobytes(),
        frequencies.astype("<u4").tobytes(),
    )
    return xxh3_128_hexdigest(b"\0".join(parts))[:16]
