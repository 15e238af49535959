"""The page of ``scrapy evaluate text --curve``: frequencies, and accuracy at each threshold.

The distinct frequencies of a site's blocks are its ranks, the rarest first. For each rank the
blocks of at most that rank are taken as a page's text and compared with its gold text, as in Kim
and Kim (2021), figure 5. For the paper's own method, ``frequency``, these are its text blocks by
their occurrences over the site; for every other method the visible blocks that are more than a
hyperlink, by the distinct pages on which they are.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from crawler.core.methods import CutoffMethod
from crawler.core.methods.frequency import TextFrequency
from crawler.core.wording import counted
from crawler.evaluation.scores import Score, words
from crawler.reports.chart import (
    Axis,
    Chart,
    Histogram,
    Mark,
    Series,
    block_histogram,
    scope,
    sum_histograms,
)
from crawler.reports.html import render_page
from crawler.reports.text_tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from crawler.core.flow import Annotation, SiteView, TextMethod
    from crawler.core.page.blocks import Block

# Each of so many ranks is drawn; below them, some at growing distances.
_EACH_RANK: Final = 60
_LABELLED_DROPS: Final = (0, 1, 2, 3, 4, 9, 19, 49, 99, 199, 499, 999, 1999, 4999, 9999)
_LISTED_DROPS: Final = range(6)
# An axis that begins above so many tenths has a tick at each tenth.
_FEW_TENTHS: Final = 4


@dataclass(slots=True)
class SiteCurve:
    """One site's blocks by frequency, and what would be found at each threshold.

    ``pages``
        How many gold pages it has; both ``pages`` and ``sums`` grow page by page.
    ``histogram``
        Its blocks by frequency. ``histogram.levels`` are the ranks.
    ``sums``
        Precision, recall and F1, each added up over the pages: where nothing is kept, then up to
        each rank; shape (3, ranks + 1).
    ``own_rank``
        The highest rank that the method itself keeps, 0 to the number of ranks; None where the
        method has no threshold of frequency.
    """

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
        curve.sums += _scores(blocks, gold_text, curve.histogram.levels)

    def _new_site(self, view: SiteView) -> SiteCurve:
        histogram = block_histogram(view)
        if self._by_node:
            # The counts were made for this method alone: its own sums are all there are.
            histogram = next(iter(sum_histograms(view).values()), Histogram((), ()))
        own_rank = None
        if isinstance(self._method, CutoffMethod):
            own_rank = histogram.ranks_within(self._method.cutoff(view).threshold)
        return SiteCurve(0, histogram, np.zeros((3, len(histogram.levels) + 1)), own_rank)

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

    @property
    def pages(self) -> int:
        """How many gold pages there are."""
        return sum(site.pages for site in self.sites.values())

    def score(self, dropped: int) -> Score:
        """Return the means over all pages where so many of each site's highest ranks are dropped.

        A site of no more ranks than that keeps its rarest.
        """
        sums = [
            site.sums[:, max(min(1, site.ranks), site.ranks - dropped)]
            for site in self.sites.values()
        ]
        return _mean(sum(sums, np.zeros(3)), self.pages)

    def own_threshold(self) -> Score | None:
        """Return the means over all pages at each site's own threshold; None where one has none."""
        total = np.zeros(3)
        for site in self.sites.values():
            if site.own_rank is None:
                return None
            total += site.sums[:, site.own_rank]
        return _mean(total, self.pages)

    def page(self, own: Score) -> str:
        """Return the curves as an HTML page; ``own`` are the method's own means over all pages."""
        counts = "occurrences" if self._by_node else "pages"
        histogram = Histogram.total(site.histogram for site in self.sites.values())
        caption = scope(sorted(self.sites))
        return render_page(
            "curve.html",
            title=f"Frequency and accuracy: {self._method.name}",
            method=self._method.name,
            pages=counted(self.pages, "page"),
            sites=counted(len(self.sites), "site"),
            unit="text nodes" if self._by_node else "blocks",
            counted=counts,
            histogram=histogram.chart(caption, counts),
            scores=self._chart(caption),
            kept=self._table(own),
        )

    def _chart(self, caption: str) -> Chart:
        """Return a chart of precision, recall and F1 over dropped ranks."""
        most = max(site.ranks for site in self.sites.values())
        scores = [(drop + 1, self.score(drop).as_json()) for drop in _drops(most)]
        # A curve that is high everywhere would be flat on an axis from 0.
        lowest = min((min(score.values()) for _, score in scores), default=0.0)
        low = 2 * int(lowest * 4.5)
        tenths = range(low, 11, 1 if low >= _FEW_TENTHS else 2)
        ticks = tuple((drop + 1, _rank_label(drop)) for drop in _LABELLED_DROPS if drop < most)
        return Chart(
            title="Precision, recall and F1 by the highest rank that is kept",
            caption=caption,
            x=Axis("highest rank that is kept", 1, max(most, 1), ticks, log=True, reverse=True),
            y=Axis(
                "precision, recall and F1 in words",
                low / 10,
                1,
                tuple((tenth / 10, f"{tenth / 10:.1f}") for tenth in tenths),
            ),
            series=tuple(
                Series(name, tuple((rank, score[key]) for rank, score in scores), look)
                for name, key, look in (
                    ("precision", "precision", "b"),
                    ("recall", "recall", "c"),
                    ("F1", "f1", "a"),
                )
            ),
            marks=tuple(self._marks()),
        )

    def _marks(self) -> Iterator[Mark]:
        """Yield the threshold that the method has on most sites."""
        sites = self.sites.values()
        own = Counter(site.ranks - site.own_rank for site in sites if site.own_rank is not None)
        for drop, number in own.most_common(1):
            of_all = f" on {number:,} of {len(sites):,} sites" if len(sites) > 1 else ""
            yield Mark(drop + 1, f"the method's own: {_rank_label(drop)}{of_all}")

    def _table(self, own: Score) -> Table:
        """Return the scores near the right end of the curve, and those of the method."""
        most = max(site.ranks for site in self.sites.values())
        rows = [
            (f"up to rank {_rank_label(drop)}", self.score(drop))
            for drop in _LISTED_DROPS
            if drop < most
        ]
        if (at_threshold := self.own_threshold()) is not None:
            rows.append(("at each site's own threshold", at_threshold))
        rows.append((f"the method {self._method.name} as a whole", own))
        return Table(
            "kept",
            ("precision", "recall", "F1"),
            tuple((name, *(f"{x:.3f}" for x in score.as_json().values())) for name, score in rows),
        )


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


def _mean(sums: NDArray[np.float64], pages: int) -> Score:
    precision, recall, f1 = (sums / pages).tolist()
    return Score(precision, recall, f1)


def _drops(ranks: int) -> list[int]:
    """Return how many ranks are dropped where the curve is drawn; at least one is left."""
    drops = list(range(min(ranks, _EACH_RANK)))
    while drops and drops[-1] < ranks - 1:
        drops.append(min(ranks - 1, drops[-1] + 1 + drops[-1] // 20))
    return drops


def _rank_label(dropped: int) -> str:
    return f"k\N{MINUS SIGN}{dropped:,}" if dropped else "k"
