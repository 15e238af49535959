"""The work of ``scrapy counts``: the counts that crawls have kept, as tables and as a page."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from crawler.core.errors import ArgumentError
from crawler.core.methods import CutoffMethod, get_method
from crawler.core.methods.frequency import TextFrequency
from crawler.core.wording import counted, listed
from crawler.reports.chart import Histogram, Mark, block_histogram, scope, sum_histograms
from crawler.reports.html import render_page
from crawler.reports.stdout import check_target, print_error, print_line, write_file
from crawler.reports.text_tables import Table, write_tables
from crawler.settings import Options
from crawler.store.counts import CountStore

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from scrapy.settings import Settings

    from crawler.core.flow import SiteView, TextMethod

_BLOCKS = "visible blocks, by distinct pages"


def show_counts(args: Sequence[str], opts: argparse.Namespace, settings: Settings) -> None:
    """Print the sites that have counts, or the frequencies of one; draw them where asked.

    Args:
        args: a site, or nothing for all.
        opts: the options of the command.
        settings: those of the project and of the call.

    Raises:
        CorpusError: the call is wrong, or the page cannot be written.
    """
    options, curve = Options.from_settings(settings), opts.curve
    if len(args) > 1:
        raise ArgumentError("name one site at a time, or none for all")
    if curve is not None:
        check_target("--curve", curve)
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
    if not names and curve is not None:
        raise ArgumentError(f"no counts in {store.folder} to draw; {there_are}")
    if not names:
        print_line(f"No counts in {store.folder}: {there_are}.")
        return
    similarity = options.near_duplicate_similarity
    sites = [_SiteCounts.load(store, name, similarity) for name in (args or names)]
    number = counted(len(sites), "site")
    if args:
        write_tables(sites[0].heading, sites[0].tables(method), sys.stdout)
    else:
        write_tables(f"counts in {store.folder}: {number}", (_list(sites),), sys.stdout)
    if curve is not None:
        # Several sites have several thresholds; those of one site are marked.
        marks = sites[0].marks(method) if len(sites) == 1 else {}
        histograms = {site.name: site.histograms for site in sites}
        write_file(
            curve, counts_page(f"Counts of {args[0] if args else number}", histograms, marks)
        )


def counts_page(
    title: str,
    sites: Mapping[str, Mapping[str, Histogram]],
    marks: Mapping[str, tuple[Mark, ...]],
) -> str:
    """Return the page of ``scrapy counts --curve``.

    Args:
        title: what the counts are of.
        sites: of each site the histograms, by what is counted.
        marks: by what is counted, what is marked in the histogram over all sites.
    """
    kinds = dict.fromkeys(kind for found in sites.values() for kind in found)
    parts = [
        _part(kind, {site: found[kind] for site, found in sites.items() if kind in found}, marks)
        for kind in kinds
    ]
    return render_page("counts.html", title=title, parts=parts)


def _part(
    kind: str, own: Mapping[str, Histogram], marks: Mapping[str, tuple[Mark, ...]]
) -> dict[str, Any]:
    """Return the chart and the table of one kind of counts."""
    whole = Histogram.total(own.values())
    return {
        "title": kind,
        "chart": whole.chart(scope(list(own)), marks=marks.get(kind, ())),
        "table": Table("frequency", ("distinct", "occurrences"), whole.rows()),
    }


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
        thresholds = tuple(
            (
                f"{one.name} (in use)" if one.name == method.name else one.name,
                title,
                "all" if threshold is None else f"{threshold:,}",
            )
            for one, title, threshold in self._thresholds(method)
        )
        return (
            *(
                Table(title, ("distinct", "occurrences"), histogram.rows())
                for title, histogram in self.histograms.items()
            ),
            Table("method", ("frequency of", "keeps at most"), thresholds),
        )

    def marks(self, method: TextMethod) -> dict[str, tuple[Mark, ...]]:
        """Return the thresholds as marks of a chart, by what is counted."""
        marks: dict[str, tuple[Mark, ...]] = {}
        for one, title, threshold in self._thresholds(method):
            if threshold is not None:
                # Between the last frequency that is kept and the first that is not.
                mark = Mark(threshold + 0.5, f"{one.name} keeps up to {threshold:,}")
                marks[title] = (*marks.get(title, ()), mark)
        return marks

    def _thresholds(self, method: TextMethod) -> Iterator[tuple[TextMethod, str, int | None]]:
        """Yield the methods with a threshold: what they count, and what they keep at most."""
        names = dict.fromkeys((method.name, "frequency-adaptive", "frequency"))
        for one in (method if name == method.name else get_method(name) for name in names):
            title = _sums_title("text-nodes") if isinstance(one, TextFrequency) else _BLOCKS
            if isinstance(one, CutoffMethod) and title in self.histograms:
                yield one, title, one.cutoff(self.view).threshold


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
