"""The work of ``scrapy counts``: the counts that crawls have kept, as tables."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from crawler.core.errors import ArgumentError
from crawler.core.methods import CutoffMethod, get_method
from crawler.core.methods.frequency import TextFrequency
from crawler.core.wording import counted, listed
from crawler.reports.chart import Histogram, block_histogram, sum_histograms
from crawler.reports.stdout import print_error, print_line
from crawler.reports.text_tables import Table, write_tables
from crawler.settings import Options
from crawler.store.counts import CountStore

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from scrapy.settings import Settings

    from crawler.core.flow import SiteView, TextMethod

_BLOCKS = "visible blocks, by distinct pages"


def show_counts(args: Sequence[str], _: argparse.Namespace, settings: Settings) -> None:
    """Print the sites that have counts, or the frequencies of one.

    Args:
        args: a site, or nothing for all.
        _: the options of the command, which has none of its own.
        settings: those of the project and of the call.

    Raises:
        CorpusError: the call is wrong.
    """
    options = Options.from_settings(settings)
    if len(args) > 1:
        raise ArgumentError("name one site at a time, or none for all")
    method = get_method(options.text_method)
    store = CountStore(options.dir / "counts")
    names = store.sites()
    there_are = (
        f"there are those of: {listed(names)}"
        if names
        else "crawl a site first, or set CORPUS_DIR to the folder of a crawl"
    )
    if args and args[0] not in names:
        raise ArgumentError(f"no counts of {args[0]} in {store.folder}; {there_are}")
    if not names:
        print_line(f"No counts in {store.folder}: {there_are}.")
        return
    similarity = options.near_duplicate_similarity
    sites = [_SiteCounts.load(store, name, similarity) for name in (args or names)]
    if args:
        write_tables(sites[0].heading, sites[0].tables(method), sys.stdout)
    else:
        number = counted(len(sites), "site")
        write_tables(f"counts in {store.folder}: {number}", (_list(sites),), sys.stdout)


@dataclass(frozen=True, slots=True)
class _SiteCounts:
    """A site's counts: how many crawls have counted it, and all of that together."""

    name: str
    crawls: int
    view: SiteView

    @classmethod
    def load(cls, store: CountStore, name: str, similarity: float) -> _SiteCounts:
        counts = store.load(name, partial(print_error, "counts"))
        return cls(name, len(store.files(name)), counts.view(similarity))

    @property
    def histograms(self) -> dict[str, Histogram]:
        """By what is counted: the blocks, and what methods had added up."""
        sums = sum_histograms(self.view)
        return {_BLOCKS: block_histogram(self.view)} | {
            _sums_title(name): histogram for name, histogram in sums.items()
        }

    @property
    def heading(self) -> str:
        view = self.view
        return (
            f"{self.name}: {counted(view.pages_seen, 'page')} seen in "
            f"{counted(self.crawls, 'crawl')}, {view.pages:,} distinct, "
            f"{counted(len(view.duplicate_of), 'near-duplicate')}; snapshot {view.snapshot or '-'}"
        )

    def tables(self, method: TextMethod) -> tuple[Table, ...]:
        """Return the frequencies, and the thresholds of the methods that have one."""
        thresholds = []
        names = dict.fromkeys((method.name, "frequency-adaptive", "frequency"))
        for one in (method if name == method.name else get_method(name) for name in names):
            title = _sums_title("text-nodes") if isinstance(one, TextFrequency) else _BLOCKS
            if isinstance(one, CutoffMethod) and title in self.histograms:
                threshold = one.cutoff(self.view).threshold
                name = f"{one.name} (in use)" if one.name == method.name else one.name
                thresholds.append((name, title, "all" if threshold is None else f"{threshold:,}"))
        return (
            *(
                Table(title, ("distinct", "occurrences"), histogram.rows())
                for title, histogram in self.histograms.items()
            ),
            Table("method", ("frequency of", "keeps at most"), tuple(thresholds)),
        )


def _sums_title(name: str) -> str:
    return f"{name}, by occurrences"


def _list(sites: Sequence[_SiteCounts]) -> Table:
    columns = ("pages seen", "distinct", "near-duplicates", "blocks", "crawls")
    rows = []
    for site in sites:
        view = site.view
        blocks = sum(block_histogram(view).blocks)
        numbers = (view.pages_seen, view.pages, len(view.duplicate_of), blocks, site.crawls)
        rows.append((site.name, *(f"{number:,}" for number in numbers)))
    return Table("site", columns, tuple(rows))
