"""What text would be found by frequency alone: the figures over every threshold of rank.

The distinct frequencies of a site's blocks are its ranks, the rarest first. For each rank the
blocks of at most that rank are taken as a page's text and compared with its gold text, as in Kim
and Kim (2021), figure 5. For the paper's own method, ``frequency``, these are its text blocks by
their occurrences over the site; for every other method the visible blocks that are more than a
hyperlink, by the distinct pages on which they are.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from crawler.core.methods import CutoffMethod
from crawler.core.methods.frequency import TextFrequency
from crawler.evaluation.scores import Score, words
from crawler.reports.histogram import Histogram, block_histogram, sum_histograms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from crawler.core.flow import Annotation, SiteView, TextMethod
    from crawler.core.page.blocks import Block

__all__ = ["CurveBoard", "Curves", "FrequentBlock", "SiteCurve"]

_SHOWN = 20
_EXCERPT = 160
_REMOVED = "removed"


class FrequentBlock(NamedTuple):
    """A block that stands on many pages: how many, the site, and the beginning of its text."""

    frequency: int
    site: str
    text: str


@dataclass(frozen=True, slots=True)
class SiteCurve:
    """One site's blocks by frequency, and what would be found at each threshold.

    ``site``, ``pages``
        Its name, and how many gold pages it has.
    ``histogram``
        Its blocks by frequency. ``histogram.levels`` are the ranks.
    ``sums``
        Precision, recall and F1, each added up over the pages: where nothing is kept, then up to
        each rank; shape (3, ranks + 1).
    ``own_rank``
        The highest rank that the method itself keeps, 0 to the number of ranks; None where the
        method has no threshold of frequency.
    """

    site: str
    pages: int
    histogram: Histogram
    sums: NDArray[np.float64]
    own_rank: int | None

    @property
    def ranks(self) -> int:
        """How many distinct frequencies there are: k in the paper."""
        return len(self.histogram.levels)

    def score(self, rank: int) -> Score:
        """Return the means over the pages where blocks up to a rank are kept; at 0 none are."""
        return _score(self.sums[:, rank], self.pages)


@dataclass(frozen=True, slots=True)
class Curves:
    """The curves of all sites measured.

    ``unit``, ``counted``
        What the blocks are, and what their frequency counts, each as a noun in the plural.
    ``method``, ``own``
        The method measured, and its own means over all pages.
    ``top``
        The most frequent blocks, most frequent first.
    """

    unit: str
    counted: str
    method: str
    own: Score
    sites: tuple[SiteCurve, ...]
    top: tuple[FrequentBlock, ...]

    @property
    def pages(self) -> int:
        """How many gold pages there are."""
        return sum(site.pages for site in self.sites)

    @property
    def most_ranks(self) -> int:
        """The number of ranks of the site that has most."""
        return max(site.ranks for site in self.sites)

    @property
    def histogram(self) -> Histogram:
        """The blocks of all sites; a block that several sites have counts for each."""
        return Histogram.total(site.histogram for site in self.sites)

    def score(self, dropped: int) -> Score:
        """Return the means over all pages where so many of each site's highest ranks are dropped.

        A site of no more ranks than that keeps its rarest.
        """
        ranks = ((site, max(min(1, site.ranks), site.ranks - dropped)) for site in self.sites)
        return _score(sum((site.sums[:, rank] for site, rank in ranks), np.zeros(3)), self.pages)

    def own_threshold(self) -> Score | None:
        """Return the means over all pages at each site's own threshold; None where one has none."""
        total = np.zeros(3)
        for site in self.sites:
            if site.own_rank is None:
                return None
            total += site.sums[:, site.own_rank]
        return _score(total, self.pages)


class CurveBoard:
    """Collects what the curves are drawn from, page by page."""

    def __init__(self, method: TextMethod) -> None:
        self._method = method
        self._pages: dict[str, list[_Steps]] = {}
        self._views: dict[str, SiteView] = {}
        self._top = _Top()

    def add(self, site: str, view: SiteView, annotation: Annotation | None, gold_text: str) -> None:
        """Take one page in.

        Args:
            site: the site's name.
            view: its counts, frozen.
            annotation: the page as the method judged it; None where it could not be read.
            gold_text: the page's right text.
        """
        self._views[site] = view
        blocks = [] if annotation is None else list(self._blocks(annotation, view))
        for block, frequency in blocks:
            self._top.add(block.key, FrequentBlock(frequency, site, block.text[:_EXCERPT]))
        steps = _Steps.of(((frequency, block.text) for block, frequency in blocks), gold_text)
        self._pages.setdefault(site, []).append(steps)

    def curves(self, own: Score) -> Curves:
        """Return the curves of what was taken in; ``own`` are the method's own means over pages."""
        by_node = isinstance(self._method, TextFrequency)
        return Curves(
            unit="text nodes" if by_node else "blocks",
            counted="occurrences" if by_node else "pages",
            method=self._method.name,
            own=own,
            sites=tuple(self._site(name) for name in sorted(self._pages)),
            top=self._top.most(_SHOWN),
        )

    def _site(self, name: str) -> SiteCurve:
        view, pages = self._views[name], self._pages[name]
        histogram = block_histogram(view)
        if isinstance(self._method, TextFrequency):
            # Counted was for this method alone, so that what it added up is all there is.
            histogram = next(iter(sum_histograms(view).values()), Histogram((), ()))
        own_rank = None
        if isinstance(self._method, CutoffMethod):
            own_rank = histogram.ranks_within(self._method.cutoff(view).threshold)
        levels = np.array(histogram.levels, dtype=np.int64)
        sums = np.zeros((3, len(levels) + 1))
        for page in pages:
            sums += page.scores(levels)
        return SiteCurve(name, len(pages), histogram, sums, own_rank)

    def _blocks(self, annotation: Annotation, view: SiteView) -> Iterator[tuple[Block, int]]:
        """Go through what may be text on a page, each block with its frequency."""
        if isinstance(self._method, TextFrequency):
            for block, label in annotation.pairs():
                if label.reason != _REMOVED:
                    yield block, label.frequency
            return
        blocks = annotation.document.blocks
        frequencies = view.page_text_frequencies([block.key for block in blocks])
        for block, frequency in zip(blocks, frequencies, strict=True):
            if block.chars > block.link_chars:
                yield block, frequency


@dataclass(frozen=True, slots=True)
class _Steps:
    """One page: how many words are found, and how many of them are right, up to each frequency.

    ``common`` and ``found`` are one longer than ``levels``: they begin with what is found where no
    block is kept, which is nothing.
    """

    levels: NDArray[np.int64]
    common: NDArray[np.int64]
    found: NDArray[np.int64]
    gold: int

    @classmethod
    def of(cls, blocks: Iterable[tuple[int, str]], gold_text: str) -> _Steps:
        """Compare a page's blocks with its gold text, the rarest first."""
        by_level: dict[int, list[str]] = {}
        for frequency, text in blocks:
            # Blocks stand on lines of their own, so that no word reaches from one into the next.
            by_level.setdefault(frequency, []).extend(words(text))
        wanted = Counter(words(gold_text))
        gold = wanted.total()
        levels = sorted(by_level)
        common = [0, *accumulate(_taken(wanted, by_level[level]) for level in levels)]
        found = [0, *accumulate(len(by_level[level]) for level in levels)]
        return cls(
            np.array(levels, dtype=np.int64),
            np.array(common, dtype=np.int64),
            np.array(found, dtype=np.int64),
            gold,
        )

    def scores(self, levels: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return precision, recall and F1 where nothing is kept, and at each of a site's levels."""
        places = np.concatenate([[0], np.searchsorted(self.levels, levels, side="right")])
        common, found = self.common[places], self.found[places]
        # Where nothing was to be found and nothing is, that is right: see Overlap.score.
        right = (found == 0) & (self.gold == 0)
        return np.stack(
            [
                np.where(right, 1.0, common / np.maximum(found, 1)),
                np.where(right, 1.0, common / max(self.gold, 1)),
                np.where(right, 1.0, 2 * common / np.maximum(found + self.gold, 1)),
            ]
        )


def _taken(wanted: Counter[str], found: Sequence[str]) -> int:
    """Take words out of those wanted; return how many were wanted."""
    taken = 0
    for word in found:
        if wanted[word] > 0:
            wanted[word] -= 1
            taken += 1
    return taken


@dataclass(slots=True)
class _Top:
    """The most frequent blocks so far, each once a site."""

    blocks: dict[tuple[str, int], FrequentBlock] = field(default_factory=dict)
    least: int = 0

    def add(self, key: int, block: FrequentBlock) -> None:
        if block.frequency < self.least:
            return
        # One block may read "1 comment" here and "7 comments" there; always the same is shown.
        name = (block.site, key)
        self.blocks[name] = min(block, self.blocks.get(name, block), key=_order)
        if len(self.blocks) > 10 * _SHOWN:
            # What is left out here can come back only with a text that goes first.
            kept = sorted(self.blocks.items(), key=lambda item: _order(item[1]))[:_SHOWN]
            self.blocks = dict(kept)
            self.least = kept[-1][1].frequency

    def most(self, number: int) -> tuple[FrequentBlock, ...]:
        return tuple(sorted(self.blocks.values(), key=_order)[:number])


def _order(block: FrequentBlock) -> tuple[int, str, str]:
    return -block.frequency, block.site, block.text


def _score(sums: NDArray[np.float64], pages: int) -> Score:
    precision, recall, f1 = (sums / pages).tolist()
    return Score(precision, recall, f1)
