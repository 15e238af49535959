"""What text would be found by frequency alone: precision, recall and F1 at each threshold.

The distinct frequencies of a site's blocks are its ranks, the rarest first. For each rank the
blocks of at most that rank are taken as a page's text and compared with its gold text, as in Kim
and Kim (2021), figure 5. For the paper's own method, ``frequency``, these are its text blocks by
their occurrences over the site; for every other method the visible blocks that are more than a
hyperlink, by the distinct pages on which they are.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
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

_SHOWN = 20
_EXCERPT = 160
_REMOVED = "removed"


class FrequentBlock(NamedTuple):
    """A block that occurs on many pages: how many, the site, and the beginning of its text."""

    frequency: int
    site: str
    text: str


@dataclass(slots=True)
class SiteCurve:
    """One site's blocks by frequency, and what would be found at each threshold.

    ``site``, ``pages``
        Its name, and how many gold pages it has; both ``pages`` and ``sums`` grow page by page.
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
    """Collects what the curves are drawn from, page by page.

    The levels of a site are known before its first page, by its frozen counts.
    """

    def __init__(self, method: TextMethod) -> None:
        self._method = method
        self._sites: dict[str, SiteCurve] = {}
        # The most frequent blocks so far, by site and key, and the lowest frequency among them.
        self._top: dict[tuple[str, int], FrequentBlock] = {}
        self._lowest = 0

    def add(self, site: str, view: SiteView, annotation: Annotation | None, gold_text: str) -> None:
        """Take one page in.

        Args:
            site: the site's name.
            view: its counts, frozen.
            annotation: the page as the method judged it; None where it could not be read.
            gold_text: the page's right text.
        """
        if site not in self._sites:
            self._sites[site] = self._new_site(site, view)
        curve = self._sites[site]
        blocks = [] if annotation is None else list(self._blocks(annotation, view))
        curve.pages += 1
        curve.sums += _scores(blocks, gold_text, curve.histogram.levels)
        for block, frequency in blocks:
            if frequency >= self._lowest:
                self._add_top(block, FrequentBlock(frequency, site, block.text[:_EXCERPT]))

    def curves(self, own: Score) -> Curves:
        """Return the curves of what was taken in; ``own`` are the method's own means over pages."""
        by_node = isinstance(self._method, TextFrequency)
        return Curves(
            unit="text nodes" if by_node else "blocks",
            counted="occurrences" if by_node else "pages",
            method=self._method.name,
            own=own,
            sites=tuple(self._sites[name] for name in sorted(self._sites)),
            top=tuple(sorted(self._top.values(), key=_order)[:_SHOWN]),
        )

    def _new_site(self, site: str, view: SiteView) -> SiteCurve:
        histogram = block_histogram(view)
        if isinstance(self._method, TextFrequency):
            # The counts were made for this method alone: its own sums are all there are.
            histogram = next(iter(sum_histograms(view).values()), Histogram((), ()))
        own_rank = None
        if isinstance(self._method, CutoffMethod):
            own_rank = histogram.ranks_within(self._method.cutoff(view).threshold)
        sums = np.zeros((3, len(histogram.levels) + 1))
        return SiteCurve(site, 0, histogram, sums, own_rank)

    def _blocks(self, annotation: Annotation, view: SiteView) -> Iterator[tuple[Block, int]]:
        """Yield the blocks of a page that may be text, each with its frequency."""
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

    def _add_top(self, block: Block, found: FrequentBlock) -> None:
        # A block may read "1 comment" here and "7 comments" there: the first in order is shown.
        key = (found.site, block.key)
        self._top[key] = min(found, self._top.get(key, found), key=_order)
        if len(self._top) > 10 * _SHOWN:
            kept = sorted(self._top.items(), key=lambda item: _order(item[1]))[:_SHOWN]
            self._top = dict(kept)
            self._lowest = kept[-1][1].frequency


def _order(block: FrequentBlock) -> tuple[int, str, str]:
    return -block.frequency, block.site, block.text


def _scores(
    blocks: Iterable[tuple[Block, int]], gold_text: str, levels: Sequence[int]
) -> NDArray[np.float64]:
    """Compare a page's blocks up to each frequency with its gold text.

    Args:
        blocks: the blocks with their frequencies.
        gold_text: the right text.
        levels: the frequencies of the site, ascending.

    Returns:
        Precision, recall and F1: where nothing is kept, then up to each level; shape
        (3, levels + 1).
    """
    by_level: dict[int, list[str]] = {}
    for block, frequency in blocks:
        # Each block is split on its own, so that no word reaches from one into the next.
        by_level.setdefault(frequency, []).extend(words(block.text))
    missing = Counter(words(gold_text))
    gold = missing.total()
    page_levels = sorted(by_level)
    common, found = [0], [0]
    for level in page_levels:
        hits = missing & Counter(by_level[level])
        missing -= hits
        common.append(common[-1] + hits.total())
        found.append(found[-1] + len(by_level[level]))
    places = [0, *np.searchsorted(page_levels, levels, side="right")]
    hit, kept = np.array(common)[places], np.array(found)[places]
    # Where nothing was to be found and nothing is, that is right: see Overlap.score.
    right = (kept == 0) & (gold == 0)
    shares = (hit / np.maximum(kept, 1), hit / max(gold, 1), 2 * hit / np.maximum(kept + gold, 1))
    return np.where(right, 1.0, np.stack(shares))


def _score(sums: NDArray[np.float64], pages: int) -> Score:
    precision, recall, f1 = (sums / pages).tolist()
    return Score(precision, recall, f1)
