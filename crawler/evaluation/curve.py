"""The table of ``scrapy evaluate text --curve``: accuracy at each threshold of frequency.

The distinct frequencies of a site's blocks are its ranks, the rarest first. For each rank the
blocks of at most that rank are taken as a page's text and compared with its gold text, as in Kim
and Kim (2021), figure 5. For the paper's own method, ``frequency``, these are its text blocks by
their occurrences over the site; for every other method the visible blocks that are more than a
hyperlink, by the distinct pages on which they are.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from crawler.core.flow import Annotation, SiteView, TextMethod
from crawler.core.methods.published import TextFrequency
from crawler.core.page.blocks import Block
from crawler.evaluation.scores import Score, words

# Each of so many ranks has a row; below them, some at growing distances.
_EACH_RANK: Final = 60


@dataclass(slots=True)
class SiteCurve:
    """What would be found on one site at each threshold.

    ``pages``
        How many gold pages it has; both ``pages`` and ``sums`` grow page by page.
    ``levels``
        The distinct frequencies of its blocks, ascending: the ranks.
    ``sums``
        Precision, recall and F1, each added up over the pages: where nothing is kept, then up to
        each rank; shape (3, ranks + 1).
    """

    pages: int
    levels: NDArray[np.integer[Any]]
    sums: NDArray[np.float64]

    @property
    def ranks(self) -> int:
        """How many distinct frequencies there are: k in the paper."""
        return len(self.levels)

    def score(self, rank: int) -> Score:
        """Return the means over the pages where blocks up to a rank are kept; at 0 none are."""
        return _mean(self.sums[:, rank], self.pages)


class Curves:
    """The curves of all sites measured, collected page by page.

    The levels of a site are known before its first page, by its frozen counts.
    """

    def __init__(self, method: TextMethod) -> None:
        self._method = method
        self._by_node = isinstance(method, TextFrequency)
        self.sites: dict[str, SiteCurve] = {}

    def add(self, site: str, view: SiteView, annotation: Annotation | None, gold_text: str) -> None:
        """Take one page in.

        Args:
            site: the site's name.
            view: its counts, frozen.
            annotation: the page as the method judged it; None where it could not be read.
            gold_text: the page's right text.
        """
        if site not in self.sites:
            self.sites[site] = self._new_site(view)
        curve = self.sites[site]
        blocks = () if annotation is None else self._blocks(annotation, view)
        curve.pages += 1
        curve.sums += _scores(blocks, gold_text, curve.levels)

    def _new_site(self, view: SiteView) -> SiteCurve:
        levels, _ = view.text_levels()
        if self._by_node:
            # The counts were made for this method alone: its own sums are all there are.
            counts = next(iter(view.sums.values())).counts if view.sums else np.array([], int)
            levels = np.unique(counts[counts > 0])
        return SiteCurve(0, levels, np.zeros((3, len(levels) + 1)))

    def _blocks(self, annotation: Annotation, view: SiteView) -> Iterator[tuple[Block, int]]:
        """Yield the blocks of a page that may be text, each with its frequency."""
        if self._by_node:
            for block, label in annotation.pairs():
                if label.reason != "removed":
                    yield block, label.frequency
            return
        blocks = annotation.document.blocks
        frequencies = view.page_text_frequencies([block.key for block in blocks])
        for block, frequency in zip(blocks, frequencies, strict=True):
            if block.chars > block.link_chars:
                yield block, frequency

    def score(self, dropped: int) -> Score:
        """Return the means over all pages where so many of each site's highest ranks are dropped.

        A site of no more ranks than that keeps its rarest.
        """
        sums = (
            site.sums[:, max(min(1, site.ranks), site.ranks - dropped)]
            for site in self.sites.values()
        )
        return _mean(sum(sums, np.zeros(3)), sum(site.pages for site in self.sites.values()))

    def table(self, own: Score) -> str:
        """Return the curve as CSV; ``own`` are the method's own means over all pages.

        ``kept`` says up to which rank blocks are kept: k is the highest of each site.
        """
        most = max(site.ranks for site in self.sites.values())
        rows = [(f"k-{drop}" if drop else "k", self.score(drop)) for drop in _drops(most)]
        rows.append((f"method {self._method.name}", own))
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(("kept", *own.as_json()))
        writer.writerows((name, *score.as_json().values()) for name, score in rows)
        return stream.getvalue()


def _scores(
    blocks: Iterable[tuple[Block, int]], gold_text: str, levels: NDArray[np.integer[Any]]
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


def _mean(sums: NDArray[np.float64], pages: int) -> Score:
    precision, recall, f1 = (sums / pages).tolist()
    return Score(precision, recall, f1)


def _drops(ranks: int) -> list[int]:
    """Return the numbers of dropped ranks that have a row; at least one rank is left."""
    drops = list(range(min(ranks, _EACH_RANK)))
    while drops and drops[-1] < ranks - 1:
        drops.append(min(ranks - 1, drops[-1] + 1 + drops[-1] // 20))
    return drops
