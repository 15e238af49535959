"""The table of ``scrapy evaluate text --curve``: accuracy at each threshold of frequency.

The distinct frequencies of a site's blocks are its ranks, the rarest first. For each rank the
blocks of at most that rank are taken for main text, as in Kim and Kim (2021), figure 5. For the
paper's own method, ``frequency``, these are its text blocks by their occurrences over the site; for
every other method the visible blocks that are more than a hyperlink, by the distinct pages on which
they are.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from crawler.core.flow import Annotation, SiteView, TextMethod
from crawler.core.methods.published import TextFrequency
from crawler.core.page.blocks import Block
from crawler.evaluation.blocks import main_by_gold
from crawler.evaluation.scores import Confusion
from crawler.reports.html import render_page
from crawler.reports.plots import share_plot
from crawler.reports.stdout import Table


@dataclass(frozen=True, slots=True)
class SiteCurve:
    """The blocks of the gold pages of one site.

    Attributes:
        levels: the distinct frequencies of all blocks of the site, ascending: the ranks.
        counts: how many blocks are main text by the gold, or not, and have a frequency.
    """

    levels: Sequence[int]
    counts: Counter[tuple[bool, int]] = field(default_factory=Counter)

    def confusion(self, dropped: int) -> Confusion:
        """Return what is right and wrong where so many of the highest ranks are dropped.

        A site of no more ranks than that keeps its rarest.
        """
        highest = max(self.levels[: max(1, len(self.levels) - dropped)], default=0)
        found = Confusion()
        for (is_main, frequency), number in self.counts.items():
            found[is_main, frequency <= highest] += number
        return found


class Curves:
    """The curves of all sites measured, collected page by page.

    The levels of a site are known before its first page, by its frozen counts.
    """

    def __init__(self, method: TextMethod) -> None:
        self._method = method
        self._by_node = isinstance(method, TextFrequency)
        self.sites: dict[str, SiteCurve] = {}

    def add(self, site: str, view: SiteView, annotation: Annotation, gold_text: str) -> None:
        """Take one page in.

        Args:
            site: the name of the site, or of the collection.
            view: its counts, frozen.
            annotation: the page as the method judged it.
            gold_text: the page's right text.
        """
        if site not in self.sites:
            self.sites[site] = SiteCurve(self._levels(view))
        self.sites[site].counts.update(main_by_gold(self._blocks(annotation, view), gold_text))

    def _levels(self, view: SiteView) -> list[int]:
        levels, _ = view.text_levels()
        if self._by_node:
            # The counts were made for this method alone: its own sums are all there are.
            counts = next(iter(view.sums.values())).counts if view.sums else np.array([], int)
            levels = np.unique(counts[counts > 0])
        return [int(level) for level in levels]

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

    def confusion(self, dropped: int) -> Confusion:
        """Return what is right and wrong where so many of each site's highest ranks are dropped."""
        found = Confusion()
        for site in self.sites.values():
            found.update(site.confusion(dropped))
        return found

    def table(self, own: Confusion) -> str:
        """Return the curve as CSV.

        ``kept`` says up to which rank blocks are kept: k is the highest of each site. The last row
        is that of ``own``, what the method as a whole gets right and wrong.
        """
        most = max((len(site.levels) for site in self.sites.values()), default=0)
        rows = [(f"k-{drop}" if drop else "k", self.confusion(drop)) for drop in range(most)]
        rows.append((f"method {self._method.name}", own))
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(("kept", *own.figures()))
        writer.writerows((name, *found.figures().values()) for name, found in rows)
        return stream.getvalue()


def curve_page(table: str, of: str) -> str:
    """Return a table of :meth:`Curves.table` as an HTML page with a plot.

    Args:
        table: the table, as CSV.
        of: what was measured, in words.
    """
    header, *rows = csv.reader(io.StringIO(table))
    ranks = [row for row in rows if not row[0].startswith("method ")]
    series = {name: [float(row[at]) for row in ranks] for at, name in enumerate(header) if at}
    title = "Right and wrong blocks, by how many ranks are dropped"
    plot = share_plot("curve", title, [row[0] for row in ranks], series)
    method = Table("", tuple(header[1:]), tuple((name, *map(_short, row)) for name, *row in rows))
    summary = "Kept are the blocks of the rarest ranks of frequency; the method as a whole is last."
    return render_page(
        "report.html",
        title="Accuracy by frequency",
        summary=summary,
        tables=(),
        sections=[(of, [plot], [method])],
    )


def _short(figure: str) -> str:
    return f"{float(figure):.3f}"
