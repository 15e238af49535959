"""Site counts: on how many of a site's pages each block is (its document frequency).

*Observe* turns one page into a small record and reads nothing else. *Merge* joins observations, in
any order and any grouping. The *view* is computed once from all of them, and is frozen: a decision
about a page reads a view and never counts. So no result depends on the order in which pages came,
nor on whether they were counted in memory or on disk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_128

from crawler.core.counting.arrays import ArraySpace, Partitions
from crawler.core.counting.near_duplicates import duplicate_groups
from crawler.core.counting.observation import (
    BLOCKS,
    KeyCounts,
    Observation,
    ObservationLog,
    look_up,
    observe_blocks,
)
from crawler.core.counting.recurring import RecurringBlocks, SitePages

__all__ = ["KeyCounts", "Observation", "SiteCounts", "SiteView", "observe_blocks"]

DEFAULT_SIMILARITY = 0.7
_LARGEST_COUNT = 2**32 - 1
_FEWEST_PAGES = 20
_SHARE_OF_MEAN = 0.5


@dataclass(frozen=True, slots=True)
class SiteView:
    """The page frequencies of one site, as they stood when its pages had been seen.

    Attributes:
        pages_seen: Addresses observed.
        pages: Distinct pages among them: near-duplicates count as one. 0 for a site never counted.
        snapshot: Identity of these counts: the same pages give the same snapshot.
        keys, frequencies, text_frequencies: The keys of the blocks that are on at least two
            distinct pages, ascending, uint64; for each the number of distinct pages that have it,
            and the number of those where it has text outside hyperlinks, uint32: a headline is text
            on one page, and a link on every page that leads to it.
        single_blocks, single_texts: How many other blocks there are, which are all on one distinct
            page; and how many of those have text outside hyperlinks there.
        duplicate_of: Address of a near-duplicate page → address of the page that represents its
            group.
        sums: What methods add up, over all addresses; see :class:`Observation`.
    """

    pages_seen: int = 0
    pages: int = 0
    snapshot: str = ""
    keys: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))
    frequencies: NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, np.uint32))
    text_frequencies: NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, np.uint32))
    single_blocks: int = 0
    single_texts: int = 0
    duplicate_of: Mapping[str, str] = field(default_factory=dict)
    sums: Mapping[str, KeyCounts] = field(default_factory=dict)

    @property
    def is_known(self) -> bool:
        """Whether any page of the site was counted. Unknown is not the same as zero."""
        return self.pages > 0

    def text_levels(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Count the blocks of each frequency, as text outside hyperlinks.

        Returns:
            The distinct frequencies from 1 on, ascending, and for each how many blocks have it,
            with those that are on one page.
        """
        counts = np.bincount(self.text_frequencies, minlength=2)
        counts[0] = 0
        counts[1] += self.single_texts
        levels = np.flatnonzero(counts)
        return levels.astype(np.uint32), counts[levels]

    def page_frequencies(self, keys: Sequence[int]) -> list[int]:
        """Return for each key the number of distinct pages that have its block.

        A block that does not recur on a known site has 1: that of the page in question. On an
        unknown site every block has 0.
        """
        return look_up(self.keys, self.frequencies, keys, otherwise=int(self.is_known))

    def page_text_frequencies(self, keys: Sequence[int]) -> list[int]:
        """Return for each key the number of distinct pages where it is text outside hyperlinks.

        A block that does not recur on a known site has 1, also where it is a hyperlink on its only
        page. On an unknown site every block has 0.
        """
        return look_up(self.keys, self.text_frequencies, keys, otherwise=int(self.is_known))

    def has_template_of(self, observation: Observation) -> bool:
        """Say whether a page has the template of the counted pages: their recurring blocks.

        Some blocks of a page recur on its site: its menu, its footer. Where their share is less
        than half of the mean of the counted pages, the page has another template, as after a
        redesign, or none.

        Args:
            observation: a page that was not counted. No page matches a site of fewer than 20 pages,
                nor one whose counts lack the sums of the text method.
        """
        if self.pages < _FEWEST_PAGES or observation.sums.keys() - self.sums.keys():
            return False
        recurring = int(self.frequencies.sum(dtype=np.int64))
        mean = recurring / max(1, recurring + self.single_blocks)
        known = np.count_nonzero(np.isin(observation.keys, self.keys, assume_unique=True))
        return bool(known >= _SHARE_OF_MEAN * mean * len(observation.keys))


class SiteCounts(ObservationLog):
    """All observations of one site so far. Adding and merging commute; pages count once each."""

    def view(self, similarity: float = DEFAULT_SIMILARITY) -> SiteView:
        """Freeze the counts: group near-duplicate pages, then count pages for each block.

        Args:
            similarity: least weighted Jaccard similarity of two pages that count as one
                (:mod:`crawler.core.counting.near_duplicates`); above 1 groups nothing.

        Raises:
            StoreError: the observations cannot be read from disk.
        """
        if not len(self):
            return SiteView()
        with self.space.scratch() as space:
            site = RecurringBlocks(self, space)
            groups = duplicate_groups(site, self.blocks, similarity, space)
            frequencies, text_frequencies = _group_frequencies(site, groups)
        several = frequencies > 1
        once, once_as_text = frequencies == 1, (frequencies == 1) & (text_frequencies == 1)
        urls = site.pages.urls
        with self.space.scratch() as space:
            names = [name for name in self.sections if name != BLOCKS]
            sums = {name: _added_up(self, name, space) for name in names}
        return SiteView(
            pages_seen=len(urls),
            pages=len(np.unique(groups)),
            snapshot=_snapshot(site.pages, groups, sums),
            keys=site.keys[several],
            frequencies=frequencies[several],
            text_frequencies=text_frequencies[several],
            single_blocks=site.single_blocks + int(np.count_nonzero(once)),
            single_texts=site.single_texts + int(np.count_nonzero(once_as_text)),
            duplicate_of={
                urls[page]: urls[groups[page]]
                for page in np.flatnonzero(groups != np.arange(len(urls))).tolist()
            },
            sums=sums,
        )


def _group_frequencies(
    site: RecurringBlocks, groups: NDArray[np.uint32]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Count for each recurring block the groups of pages that have it, and those as text."""
    frequencies, text_frequencies = site.frequencies.copy(), site.text_frequencies.copy()
    grouped = np.bincount(groups, minlength=len(groups))[groups] > 1
    if not grouped.any():
        return frequencies, text_frequencies
    for part in site.parts():
        for counts, chosen in (
            (frequencies, grouped[part.pages]),
            (text_frequencies, grouped[part.pages] & (part.weights > 0)),
        ):
            blocks = part.blocks[chosen]
            group_of = groups[part.pages[chosen]]
            group_of = group_of[np.lexsort((group_of, blocks))]
            repeated = (blocks[1:] == blocks[:-1]) & (group_of[1:] == group_of[:-1])
            repeats = np.bincount(blocks[1:][repeated]).astype(np.uint32)
            counts[part.first : part.first + len(repeats)] -= repeats
    return frequencies, text_frequencies


def _added_up(log: ObservationLog, section: str, space: ArraySpace) -> KeyCounts:
    partitions = Partitions(space, log.entries(section))
    for rows in log.rows(section):
        partitions.add(rows.keys, rows.figures.astype(np.uint64))
    keys, counts = [np.empty(0, np.uint64)], [np.empty(0, np.uint32)]
    for part, figures, repeats in partitions.runs():
        starts = np.flatnonzero(~repeats)
        added = np.minimum(np.add.reduceat(figures, starts), _LARGEST_COUNT)
        keys.append(part[starts])
        counts.append(added.astype(np.uint32))
    return KeyCounts(np.concatenate(keys), np.concatenate(counts))


def _snapshot(pages: SitePages, groups: NDArray[np.uint32], sums: Mapping[str, KeyCounts]) -> str:
    """Identify a set of pages with their blocks, their groups, and what methods counted."""
    digest = xxh3_128(groups.astype("<u4").tobytes())
    for url, signature in zip(pages.urls, pages.signatures, strict=True):
        address = url.encode("utf-8", "surrogatepass")
        digest.update(len(address).to_bytes(8, "little") + address + signature.tobytes())
    for name, counts in sorted(sums.items()):
        digest.update(name.encode("utf-8", "surrogatepass") + b"\0")
        digest.update(counts.keys.astype("<u8").tobytes() + counts.counts.astype("<u4").tobytes())
    return digest.hexdigest()[:16]
