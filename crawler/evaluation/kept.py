"""The work of ``scrapy counts``: what crawls have kept, as tables and as a page to look at."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler.core.errors import ArgumentError, CorpusError, one_line
from crawler.core.methods import CutoffMethod, get_method
from crawler.core.methods.frequency import TextFrequency
from crawler.core.wording import counted
from crawler.evaluation.chart import Mark
from crawler.evaluation.histogram import block_histogram, sum_histograms
from crawler.evaluation.pages import counts_page
from crawler.evaluation.targets import check_target, write_file
from crawler.reports.text_tables import Table, write_tables
from crawler.settings import Options
from crawler.store.counts import CountStore

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from scrapy.settings import Settings

    from crawler.core.flow import SiteView, TextMethod
    from crawler.evaluation.histogram import Histogram

__all__ = ["main"]

_BLOCKS = "visible blocks, by distinct pages"
_NAMED_SITES = 8


def main(args: Sequence[str], opts: argparse.Namespace, settings: Settings) -> int:
    """Show the counts; return the exit code: 0, 1 or 2, as the errors that are met have it."""
    try:
        _show(args, opts.curve, Options.from_settings(settings))
    except CorpusError as error:
        _tell(error)
        return error.exit_code
    return 0


def _tell(error: CorpusError) -> None:
    print(f"scrapy counts: {one_line(error)}", file=sys.stderr)  # noqa: T201 - a command speaks here


def _show(args: Sequence[str], curve: str | None, options: Options) -> None:
    if unknown := [arg for arg in args if arg.startswith("-")]:
        raise ArgumentError(f"unknown option {unknown[0]}; the only one is --curve")
    if len(args) > 1:
        raise ArgumentError("name one site at a time, or none for all")
    if curve is not None:
        check_target("--curve", curve)
    method = get_method(options.text_method)
    store = CountStore(options.dir / "counts")
    names = store.sites()
    if args and args[0] not in names:
        raise ArgumentError(f"no counts of {args[0]} in {store.folder}; {_known(names)}")
    if not names:
        if curve is not None:
            raise ArgumentError(f"no counts in {store.folder} to draw; {_known(names)}")
        print(f"No counts in {store.folder}: {_known(names)}.")  # noqa: T201 - a command speaks here
        return
    sites = [
        _KeptSite.load(store, name, options.near_duplicate_similarity) for name in (args or names)
    ]
    if args:
        site = sites[0]
        title = f"Counts of {site.name}"
        write_tables(_heading(site), _site_tables(site, method), sys.stdout)
    else:
        count = counted(len(sites), "site")
        title = f"Counts of {count}"
        write_tables(f"counts in {store.folder}: {count}", (_list(sites),), sys.stdout)
    if curve is not None:
        known = {site.name: site.histograms for site in sites}
        write_file(curve, counts_page(title, known, _marks(sites, method)))


def _known(names: Sequence[str]) -> str:
    if not names:
        return "crawl a site first, or set CORPUS_DIR to the folder of a crawl"
    more = f" and {len(names) - _NAMED_SITES} more" if len(names) > _NAMED_SITES else ""
    return f"there are those of: {', '.join(names[:_NAMED_SITES])}{more}"


@dataclass(frozen=True, slots=True)
class _KeptSite:
    """A site's counts: how many crawls have counted it, and all of that together."""

    name: str
    crawls: int
    view: SiteView

    @classmethod
    def load(cls, store: CountStore, name: str, similarity: float) -> _KeptSite:
        return cls(name, len(store.files(name)), store.load(name, _tell).view(similarity))

    @property
    def histograms(self) -> dict[str, Histogram]:
        """By what is counted: the blocks, and whatever methods had added up."""
        sums = sum_histograms(self.view)
        return {_BLOCKS: block_histogram(self.view)} | {
            _sums_title(name): histogram for name, histogram in sums.items()
        }


def _sums_title(name: str) -> str:
    return f"{name}, by occurrences"


def _list(sites: Sequence[_KeptSite]) -> Table:
    return Table(
        "site",
        ("pages seen", "distinct", "near-duplicates", "blocks", "crawls"),
        tuple(
            (
                site.name,
                f"{site.view.pages_seen:,}",
                f"{site.view.pages:,}",
                f"{len(site.view.duplicate_of):,}",
                f"{sum(block_histogram(site.view).blocks):,}",
                f"{site.crawls:,}",
            )
            for site in sites
        ),
    )


def _heading(site: _KeptSite) -> str:
    view = site.view
    return (
        f"{site.name}: {counted(view.pages_seen, 'page')} seen in "
        f"{counted(site.crawls, 'crawl')}, {view.pages:,} distinct, "
        f"{counted(len(view.duplicate_of), 'near-duplicate')}; snapshot {view.snapshot or '-'}"
    )


def _site_tables(site: _KeptSite, method: TextMethod) -> tuple[Table, ...]:
    tables = [
        Table(title, ("distinct", "occurrences"), histogram.rows())
        for title, histogram in site.histograms.items()
    ]
    rows = tuple(
        (
            f"{one.name} (in use)" if one.name == method.name else one.name,
            title,
            "all" if threshold is None else f"{threshold:,}",
        )
        for one, title, threshold in _thresholds(site, method)
    )
    return (*tables, Table("method", ("frequency of", "keeps at most"), rows))


def _thresholds(site: _KeptSite, method: TextMethod) -> list[tuple[TextMethod, str, int | None]]:
    """Return the methods that go by frequency: what they count, and what they keep at most."""
    names = dict.fromkeys((method.name, "frequency-adaptive", "frequency"))
    found: list[tuple[TextMethod, str, int | None]] = []
    for one in (method if name == method.name else get_method(name) for name in names):
        title = _counted_by(one)
        if isinstance(one, CutoffMethod) and title in site.histograms:
            found.append((one, title, one.cutoff(site.view).threshold))
    return found


def _counted_by(method: TextMethod) -> str:
    return _sums_title("text-nodes") if isinstance(method, TextFrequency) else _BLOCKS


def _marks(sites: Sequence[_KeptSite], method: TextMethod) -> dict[str, list[Mark]]:
    """Return the thresholds of a single site; several sites have each its own."""
    marks: dict[str, list[Mark]] = {}
    if len(sites) == 1:
        for one, title, threshold in _thresholds(sites[0], method):
            if threshold is not None:
                # Between the last frequency that is kept and the first that is not.
                mark = Mark(threshold + 0.5, f"{one.name} keeps up to {threshold:,}")
                marks.setdefault(title, []).append(mark)
    return marks
