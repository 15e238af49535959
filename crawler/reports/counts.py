"""The work of ``scrapy counts``: the counts that crawls have kept, as tables."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crawler.core.errors import ArgumentError
from crawler.core.flow import SiteView, TextMethod
from crawler.core.methods import CutoffMethod
from crawler.core.methods.published import TextFrequency
from crawler.core.methods.registry import get_method
from crawler.core.wording import counted, listed
from crawler.reports.html import render_page
from crawler.reports.plots import Plot, curve_plot
from crawler.reports.stdout import (
    Table,
    check_target,
    print_error,
    print_line,
    write_file,
    write_tables,
)
from crawler.settings import Options
from crawler.store.counts import CountStore
from crawler.store.files import site_asked

if TYPE_CHECKING:
    from scrapy.settings import Settings

_MOST_ROWS = 12
_EACH_LEVEL = 4
BLOCKS = "blocks"
"""The name of the frequencies of blocks."""
TEXT_NODES = "text-nodes"
"""The name of the frequencies that the method of Kim and Kim (2021) counts."""
PAPER = "frequency"
"""The paper's method, which counts text nodes and is asked what to count beside blocks."""
PLOTTED = ("frequency-adaptive", PAPER)
"""Methods whose thresholds plots show."""


def show_counts(args: Sequence[str], opts: argparse.Namespace, settings: Settings) -> None:
    """Print the sites that have counts, or the frequencies of one; or write a page of these.

    Args:
        args: a site, by name or address, or nothing for all.
        opts: the option ``html``.
        settings: those of the project and of the command.

    Raises:
        CorpusError: the call is wrong.
    """
    options = Options.from_settings(settings)
    if len(args) > 1:
        raise ArgumentError("name one site at a time, or none for all")
    if opts.html is not None:
        check_target("--html", opts.html)
    method = get_method(options.text_method)
    store = CountStore(options.dir / "counts")
    names = store.sites()
    there_are = (
        f"there are those of: {listed(names)}"
        if names
        else "crawl a site first, or set CORPUS_DIR to the folder of a crawl"
    )
    asked = [site_asked(name) for name in args]
    if asked and asked[0] not in names:
        raise ArgumentError(f"no counts of {asked[0]} in {store.folder}; {there_are}")
    if not names:
        print_line(f"No counts in {store.folder}: {there_are}.")
        return
    rows, sections = [], []
    for name in asked or names:
        crawls = len(store.files(name))
        counts = store.load(name, partial(print_error, "counts"))
        view = counts.view(options.near_duplicate_similarity)
        blocks = int(view.text_levels()[1].sum())
        numbers = (view.pages_seen, view.pages, len(view.duplicate_of), blocks, crawls)
        rows.append((name, *(f"{number:,}" for number in numbers)))
        if opts.html is not None:
            sections.append((name, [site_plot(view)], _site_tables(view, method)))
    columns = ("pages seen", "distinct", "near-duplicates", "blocks", "crawls")
    tables = (Table("site", columns, tuple(rows)), *(_site_tables(view, method) if args else ()))
    of = f"snapshot {view.snapshot or '-'}" if args else counted(len(names), "site")
    heading = f"counts in {store.folder}: {of}"
    if opts.html is None:
        write_tables(heading, tables, sys.stdout)
        return
    page = render_page(
        "report.html",
        title="Counts",
        summary=f"{heading}. Text that stands on many pages of a site is dropped.",
        tables=tables[:1],
        sections=sections,
    )
    write_file(opts.html, page)
    print_line(f"{opts.html} shows {counted(len(rows), 'site')}")


def frequency_rows(levels: Sequence[int], blocks: Sequence[int]) -> tuple[tuple[str, ...], ...]:
    """Return table rows: frequency, distinct blocks, occurrences; many levels are grouped.

    Args:
        levels: the distinct frequencies, ascending, from 1 on.
        blocks: how many distinct blocks have each.
    """
    groups: dict[tuple[int, int], tuple[int, int]] = {}
    few = len(levels) <= _MOST_ROWS
    for level, number in zip(levels, blocks, strict=True):
        group = (level, level) if few else _group(level)
        known, times = groups.get(group, (0, 0))
        groups[group] = (known + number, times + level * number)
    return tuple(
        (f"{low:,}" if low == high else f"{low:,}-{high:,}", f"{number:,}", f"{times:,}")
        for (low, high), (number, times) in groups.items()
    )


def _group(level: int) -> tuple[int, int]:
    """Return the lowest and highest level of a level's row: 5 to 8, 9 to 16, 17 to 32."""
    if level <= _EACH_LEVEL:
        return level, level
    high = 2 ** (level - 1).bit_length()
    return high // 2 + 1, high


@dataclass(frozen=True, slots=True)
class Threshold:
    """Up to which frequency a method keeps blocks; None where nothing is too frequent.

    ``of`` is the name of the frequencies that it is compared with.
    """

    method: str
    of: str
    keeps: int | None


def frequencies(view: SiteView) -> dict[str, tuple[NDArray[Any], NDArray[Any]]]:
    """Return by name what was counted: the distinct frequencies, and how many blocks have each."""
    sums = ((name, one.counts) for name, one in sorted(view.sums.items()))
    found = {name: np.unique(counts[counts > 0], return_counts=True) for name, counts in sums}
    return {BLOCKS: view.text_levels(), **found}


def thresholds(view: SiteView, methods: Iterable[TextMethod]) -> list[Threshold]:
    """Return the thresholds of methods; those whose frequencies were not counted have none."""
    found = []
    for one in methods:
        of = TEXT_NODES if isinstance(one, TextFrequency) else BLOCKS
        if isinstance(one, CutoffMethod) and (of == BLOCKS or of in view.sums):
            found.append(Threshold(one.name, of, one.cutoff(view).threshold))
    return found


def site_plot(view: SiteView) -> Plot:
    """Return the curve of a site's frequencies, with the thresholds of methods."""
    curves, rows = {}, []
    for name, (levels, numbers) in frequencies(view).items():
        if name in {BLOCKS, TEXT_NODES}:
            curves[name] = list(zip(levels.tolist(), numbers.tolist(), strict=True))
            rows += [(name, *row) for row in frequency_rows(levels.tolist(), numbers.tolist())]
    series = list(curves)
    lines = [
        (one.keeps, series.index(one.of))
        for one in thresholds(view, map(get_method, PLOTTED))
        if one.keeps is not None
    ]
    table = Table("of", ("frequency", "distinct", "occurrences"), tuple(rows))
    title = "How many distinct blocks have which frequency"
    return curve_plot("frequencies", title, curves, lines, table)


def _site_tables(view: SiteView, method: TextMethod) -> tuple[Table, ...]:
    """Return the frequencies, and the thresholds of the methods that have one."""
    columns = ("distinct", "occurrences")
    tables = [
        Table(_title(name), columns, frequency_rows(levels.tolist(), blocks.tolist()))
        for name, (levels, blocks) in frequencies(view).items()
    ]
    names = dict.fromkeys((method.name, *PLOTTED))
    methods = [method if name == method.name else get_method(name) for name in names]
    rows = tuple(
        (
            f"{one.method} (in use)" if one.method == method.name else one.method,
            _title(one.of),
            "all" if one.keeps is None else f"{one.keeps:,}",
        )
        for one in thresholds(view, methods)
    )
    return (*tables, Table("method", ("frequency of", "keeps at most"), rows))


def _title(name: str) -> str:
    return "visible blocks, by distinct pages" if name == BLOCKS else f"{name}, by occurrences"
