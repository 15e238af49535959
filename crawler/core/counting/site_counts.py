"""Site evidence: on how many of a site's pages each block stands.

Three verbs. *Observe* turns one page into a small record and looks at nothing else. *Merge* joins
what was observed, in any order and any grouping. The *view* is computed once from all of it, and
is frozen: whatever decides about a page reads a view and never counts. So no result depends on the
order in which pages came, nor on whether they were counted in memory or on disk.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np
from xxhash import xxh3_64_intdigest, xxh3_128

from crawler.core.counting.near_duplicates import duplicate_groups
from crawler.core.counting.observation import KeyCounts, Observation, look_up, observe_blocks
from crawler.core.counting.observation_log import BLOCKS, ObservationLog
from crawler.core.counting.partitions import Partitions, sorted_within
from crawler.core.counting.recurring import Recurring

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from crawler.core.counting.recurring import SitePages
    from crawler.core.counting.spill_arrays import Space

__all__ = ["KeyCounts", "Observation", "SiteCounts", "SiteView", "observe_blocks", "page_id"]

DEFAULT_SIMILARITY = 0.7
_LARGEST_COUNT = 2**32 - 1


def page_id(url: str) -> int:
    """Return the 64-bit identity of a page's address."""
    return xxh3_64_intdigest(url.encode("utf-8", "surrogatepass"))


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
        The keys of the blocks that stand on at least two distinct pages, ascending, uint64; for
        each the number of distinct pages it stands on, and the number of those on which it is more
        than a hyperlink, uint32: a headline stands once as text, and as a link on every page that
        leads to it.
    ``single_blocks``, ``single_texts``
        How many other blocks there are, which all stand on one distinct page; and how many of
        those are more than a hyperlink there.
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
    single_blocks: int
    single_texts: int
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
            single_blocks=0,
            single_texts=0,
            duplicate_of={},
        )

    @property
    def is_known(self) -> bool:
        """Whether any page of the site was counted. Unknown is not the same as zero."""
        return self.pages > 0

    @property
    def text_ranks(self) -> int:
        """How many distinct frequencies the site's blocks have, as more than hyperlinks."""
        return len(self.text_levels()[0])

    def text_levels(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Return the distinct frequencies of blocks as more than hyperlinks, and their blocks.

        Returns:
            The frequencies from 1 on, ascending; for each how many blocks have it, those among
            them that stand on one page.
        """
        counts = np.bincount(self.text_frequencies, minlength=2)
        counts[0] = 0
        counts[1] += self.single_texts
        levels = np.flatnonzero(counts)
        return levels.astype(np.uint32), counts[levels]

    def page_frequencies(self, keys: Sequence[int]) -> list[int]:
        """Return for each key the number of distinct pages its block stands on.

        A block that stands on no two pages of a known site has 1: whoever asks has it from a page.
        Of an unknown site every block has 0.
        """
        return look_up(self.keys, self.frequencies, keys, otherwise=int(self.is_known))

    def page_text_frequencies(self, keys: Sequence[int]) -> list[int]:
        """Return for each key the number of distinct pages where it is more than a hyperlink.

        A block that stands on no two pages of a known site has 1, also where it is a hyperlink on
        the one that it stands on. Of an unknown site every block has 0.
        """
        return look_up(self.keys, self.text_frequencies, keys, otherwise=int(self.is_known))


class SiteCounts:
    """All observations of one site so far. Adding and merging commute; pages count once each.

    Args:
        log: where they are kept; in memory without.
    """

    def __init__(self, log: ObservationLog | None = None) -> None:
        self.log = ObservationLog() if log is None else log

    def __len__(self) -> int:
        """Return the number of pages observed."""
        return len(self.log)

    def add(self, observation: Observation) -> None:
        """Count a page. A page seen again under its address counts once, with all its blocks."""
        self.log.add(observation)

    def merge(self, other: SiteCounts) -> None:
        """Add all that ``other`` observed."""
        self.log.merge(other.log)

    def observations(self) -> Iterable[Observation]:
        """Return what was observed, one record a page."""
        return self.log.pages()

    def view(self, similarity: float = DEFAULT_SIMILARITY) -> SiteView:
        """Freeze the counts: fold near-duplicate pages, then count pages for each block.

        Args:
            similarity: from what weighted Jaccard similarity two pages are one
                (:mod:`crawler.core.counting.near_duplicates`); above 1 folds nothing.

        Raises:
            StoreError: what was observed cannot be read from where it is kept.
        """
        if not len(self.log):
            return SiteView.unknown()
        with self.log.space.scratch() as space:
            site = Recurring.find(self.log, space)
            groups = duplicate_groups(site, self.log.blocks, similarity, space)
            frequencies, text_frequencies = _folded(site, groups)
        several = frequencies > 1
        once, once_as_text = frequencies == 1, (frequencies == 1) & (text_frequencies == 1)
        urls = site.pages.urls
        sums = self._sums()
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

    def _sums(self) -> dict[str, KeyCounts]:
        names = [name for name in self.log.sections if name != BLOCKS]
        with self.log.space.scratch() as space:
            return {name: _added_up(self.log, name, space) for name in names}


def _folded(
    site: Recurring, groups: NDArray[np.uint32]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Count for each block that recurs the groups of pages it stands on, and those as text."""
    frequencies, text_frequencies = site.frequencies.copy(), site.text_frequencies.copy()
    folded = np.bincount(groups, minlength=len(groups))[groups] > 1
    if not folded.any():
        return frequencies, text_frequencies
    bits = len(groups).bit_length()
    for part in site.parts():
        for counts, chosen in (
            (frequencies, folded[part.pages]),
            (text_frequencies, folded[part.pages] & (part.weights > 0)),
        ):
            blocks, standing = part.blocks[chosen], groups[part.pages[chosen]]
            stands_for = sorted_within(blocks, standing.astype(np.uint64), bits)
            again = (blocks[1:] == blocks[:-1]) & (stands_for[1:] == stands_for[:-1])
            more = np.bincount(blocks[1:][again]).astype(np.uint32)
            counts[part.first : part.first + len(more)] -= more
    return frequencies, text_frequencies


def _added_up(log: ObservationLog, section: str, space: Space) -> KeyCounts:
    """Add what the pages want added up under one name."""
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
    """Name a set of pages with their blocks, which of them are one, and what methods counted."""
    digest = xxh3_128(groups.astype("<u4").tobytes())
    for url, signature in zip(pages.urls, pages.signatures, strict=True):
        address = url.encode("utf-8", "surrogatepass")
        digest.update(len(address).to_bytes(8, "little") + address + signature)
    for name, counts in sorted(sums.items()):
        digest.update(name.encode("utf-8", "surrogatepass") + b"\0")
        digest.update(counts.keys.astype("<u8").tobytes() + counts.counts.astype("<u4").tobytes())
    return digest.hexdigest()[:16]
