"""Pages to look at: frequencies and curves, each page one HTML file that needs nothing else."""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import TYPE_CHECKING, Final

from crawler.core.wording import counted as number_of
from crawler.evaluation.chart import STYLE, Axis, Mark, Series, count_axis, draw, legend
from crawler.evaluation.histogram import Histogram
from crawler.reports.text_tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from crawler.evaluation.curve import Curves, SiteCurve
    from crawler.evaluation.scores import Score

__all__ = ["counts_page", "curve_page"]

_PAGE_STYLE: Final = """
:root { --ink: #1c1c1c; --soft: #5a5a5a; --faint: #e3e3e3; --paper: #ffffff;
  --a: #0b5cad; --b: #b3500a; --c: #1d7a46; --face: system-ui, sans-serif; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --soft: #a9a9a9; --faint: #3a3a3a; --paper: #161616;
    --a: #6db3f2; --b: #f0a35e; --c: #69c98f; } }
body { margin: 2rem auto; padding: 0 1rem; max-width: 70rem; color: var(--ink);
  background: var(--paper); font: 16px/1.5 var(--face); }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
p { max-width: 46rem; }
.legend span { margin-right: 1.2rem; white-space: nowrap; }
.several { display: grid; gap: 1.2rem; margin: 1.5rem 0;
  grid-template-columns: repeat(auto-fill, minmax(300px, 1fr)); }
figure { margin: 0; break-inside: avoid; overflow-x: auto; }
svg.large { min-width: 560px; }
figcaption { font-size: .85rem; color: var(--soft); overflow-wrap: anywhere; }
table { border-collapse: collapse; font-size: .9rem; margin: 1rem 0; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid var(--faint); text-align: right;
  vertical-align: top; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.words th, .words td, th:first-child, td:first-child { text-align: left; }
tr { break-inside: avoid; }
@media print { body { margin: 0; max-width: none; font-size: 11pt; } h2 { break-after: avoid; } }
"""
_LARGE: Final = (760, 380)
_SMALL: Final = (330, 230)
# Charts of more sites than these nobody looks at; all are in the figures over all.
_MOST_SITES: Final = 24
# Each of so many ranks is drawn; below them, some at ever larger distances.
_EACH_RANK: Final = 60
# An axis that begins above so many tenths has a tick at each.
_FEW_TENTHS: Final = 4
_NAMED_DROPS: Final = (0, 1, 2, 3, 4, 9, 19, 49, 99, 199, 499, 999, 1999, 4999, 9999)
_LISTED_DROPS: Final = range(6)
_MEANING: Final = {
    "pages": "the distinct pages of the site on which they are more than a hyperlink",
    "occurrences": "how often the same text stands on the site's pages",
}


def curve_page(curves: Curves) -> str:
    """Return the page of ``scrapy evaluate text --curve``."""
    unit, counted = curves.unit, curves.counted
    sites = sorted(curves.sites, key=lambda site: (-site.pages, site.site))
    shown = sites[:_MOST_SITES] if len(sites) > 1 else []
    whole = curves.histogram
    parts = [
        _paragraph(
            f"Method {curves.method}; {number_of(curves.pages, 'page')} with gold text, of "
            f"{number_of(len(sites), 'site')}. The frequency of {unit} is {_MEANING[counted]}. The "
            "distinct frequencies of a site are its ranks, the rarest first."
        ),
        _left_out(len(sites)),
        f"<h2>1. {unit.capitalize()} by frequency</h2>",
        _paragraph(
            f"How many distinct {unit} have which frequency, and how many {counted} they take up "
            "together. Equal steps are equal factors."
        ),
        legend(_histogram_series(whole, counted)),
        _figure(_scope(sites), _histogram_chart(whole, counted)),
        _several(
            (
                f"{site.site}: {number_of(site.pages, 'page')}, {number_of(site.ranks, 'rank')}",
                _histogram_chart(site.histogram, counted, size=_SMALL),
            )
            for site in shown
        ),
        "<h2>2. What is found at each threshold</h2>",
        _paragraph(
            f"Kept are all {unit} up to some rank, and nothing else decides, as in figure 5 of Kim "
            "and Kim (2021). At the right everything is kept; a step to the left the highest of a "
            "site's k ranks is dropped, and so on. Words are compared with those of the gold text; "
            "each figure is the mean over the pages."
        ),
        legend(_score_series(())),
        _figure(_scope(sites), _overall_chart(curves)),
        _score_table(curves),
        _several(
            (f"{site.site}: {number_of(site.pages, 'page')}", _site_chart(site))
            for site in shown
            if site.ranks
        ),
        f"<h2>3. The most frequent {unit}</h2>",
        _grid(
            Table(
                counted,
                ("site", "text"),
                tuple((f"{top.frequency:,}", top.site, top.text) for top in curves.top),
            ),
            look="words",
        ),
    ]
    return _document(f"Frequency and accuracy: {curves.method}", parts)


def counts_page(
    title: str,
    sites: Mapping[str, Mapping[str, Histogram]],
    marks: Mapping[str, Sequence[Mark]],
) -> str:
    """Return the page of ``scrapy counts --curve``.

    Args:
        title: what the counts are of.
        sites: of each site the histograms, by what is counted.
        marks: by what is counted, what is marked in the histogram over all.
    """
    parts = [
        _paragraph(
            "How many distinct blocks have which frequency, and how often they stand on the site "
            "together. Equal steps are equal factors. Counts hold keys of blocks and no text: "
            "which block is which is shown by scrapy extract --explain, page by page."
        )
    ]
    for kind in dict.fromkeys(kind for found in sites.values() for kind in found):
        own = {site: found[kind] for site, found in sites.items() if kind in found}
        largest = sorted(own, key=lambda site: (-sum(own[site].blocks), site))[:_MOST_SITES]
        whole = Histogram.total(own.values())
        parts += [
            f"<h2>{escape(_printable(kind.capitalize()))}</h2>{_left_out(len(own))}",
            legend(_histogram_series(whole)),
            _figure(_scope(own), _histogram_chart(whole, marks=marks.get(kind, ()))),
            _several(
                (site, _histogram_chart(own[site], size=_SMALL)) for site in largest if len(own) > 1
            ),
            _grid(Table("frequency", ("distinct", "occurrences"), whole.rows())),
        ]
    return _document(title, parts)


def _histogram_series(histogram: Histogram, counted: str = "occurrences") -> tuple[Series, Series]:
    levels = histogram.levels
    return (
        Series(counted, tuple(zip(levels, histogram.occurrences, strict=True)), "b", dots=True),
        Series("distinct", tuple(zip(levels, histogram.blocks, strict=True)), "a", dots=True),
    )


def _histogram_chart(
    histogram: Histogram,
    counted: str = "occurrences",
    *,
    marks: Sequence[Mark] = (),
    size: tuple[int, int] = _LARGE,
) -> str:
    levels = histogram.levels
    return draw(
        f"Distinct ones and {counted} by frequency",
        count_axis("frequency", max(levels, default=1)),
        count_axis("how many", max(histogram.occurrences, default=1)),
        _histogram_series(histogram, counted),
        marks=marks,
        size=size,
    )


def _score_series(scores: Sequence[tuple[int, Score]]) -> tuple[Series, Series, Series]:
    """Return the three figures over how many ranks are dropped."""
    return (
        Series("precision", tuple((drop + 1, score.precision) for drop, score in scores), "b"),
        Series("recall", tuple((drop + 1, score.recall) for drop, score in scores), "c"),
        Series("F1", tuple((drop + 1, score.f1) for drop, score in scores), "a"),
    )


def _score_chart(
    scores: Sequence[tuple[int, Score]], marks: Sequence[Mark], size: tuple[int, int], low: int = 0
) -> str:
    """Draw the three figures from ``low`` tenths on."""
    most = max((drop for drop, _ in scores), default=0)
    ticks = tuple((drop + 1, _rank_name(drop)) for drop in _NAMED_DROPS if drop <= most)
    x = Axis("highest rank that is kept", 1, most + 1, ticks, log=True, reverse=True)
    tenths = range(low, 11, 1 if low >= _FEW_TENTHS else 2)
    y_ticks = tuple((tenth / 10, f"{tenth / 10:.1f}") for tenth in tenths)
    y = Axis("precision, recall and F1 in words", low / 10, 1, y_ticks)
    title = "Precision, recall and F1 by the highest rank that is kept"
    return draw(title, x, y, _score_series(scores), marks=marks, size=size)


def _overall_chart(curves: Curves) -> str:
    scores = [(drop, curves.score(drop)) for drop in _drops(curves.most_ranks)]
    own = Counter(
        site.ranks - site.own_rank for site in curves.sites if site.own_rank is not None
    ).most_common(1)
    marks = []
    for drop, sites in own:
        of_all = f" on {sites:,} of {len(curves.sites):,} sites" if len(curves.sites) > 1 else ""
        marks.append(Mark(drop + 1, f"the method's own: {_rank_name(drop)}{of_all}"))
    # A curve that nowhere falls far would be flat on an axis from 0.
    lowest = min((min(score.as_json().values()) for _, score in scores), default=0.0)
    return _score_chart(scores, marks, _LARGE, low=2 * int(lowest * 4.5))


def _site_chart(site: SiteCurve) -> str:
    scores = [(drop, site.score(site.ranks - drop)) for drop in _drops(site.ranks)]
    marks = []
    if site.own_rank:
        drop = site.ranks - site.own_rank
        marks.append(Mark(drop + 1, f"own: {_rank_name(drop)}"))
    return _score_chart(scores, marks, _SMALL)


def _drops(ranks: int) -> list[int]:
    """Return how many ranks are dropped where the curve is drawn; at least one is left."""
    drops = list(range(min(ranks, _EACH_RANK)))
    while drops and drops[-1] < ranks - 1:
        drops.append(min(ranks - 1, drops[-1] + 1 + drops[-1] // 20))
    return drops


def _rank_name(dropped: int) -> str:
    return f"k\N{MINUS SIGN}{dropped:,}" if dropped else "k"


def _score_table(curves: Curves) -> str:
    """List the figures near the drop, and those of the method beside them."""
    rows = [
        (f"up to rank {_rank_name(drop)}", curves.score(drop))
        for drop in _LISTED_DROPS
        if drop < curves.most_ranks
    ]
    if (at_threshold := curves.own_threshold()) is not None:
        rows.append(("at each site's own threshold", at_threshold))
    rows.append((f"the method {curves.method} as a whole", curves.own))
    cells = tuple(
        (name, f"{score.precision:.3f}", f"{score.recall:.3f}", f"{score.f1:.3f}")
        for name, score in rows
    )
    return _grid(Table("kept", ("precision", "recall", "F1"), cells))


def _scope(sites: Iterable[SiteCurve] | Iterable[str]) -> str:
    names = [site if isinstance(site, str) else site.site for site in sites]
    return names[0] if len(names) == 1 else f"All {len(names):,} sites together"


def _left_out(sites: int) -> str:
    if sites <= _MOST_SITES:
        return ""
    return _paragraph(
        f"Charts of their own have the {_MOST_SITES} largest of the {sites:,} sites; the chart "
        "over all holds all of them."
    )


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _figure(caption: str, chart: str) -> str:
    return f"<figure>{chart}<figcaption>{escape(caption)}</figcaption></figure>"


def _several(charts: Iterable[tuple[str, str]]) -> str:
    figures = "\n".join(_figure(caption, chart) for caption, chart in charts)
    return f'<div class="several">{figures}</div>' if figures else ""


def _grid(table: Table, look: str = "numbers") -> str:
    def row(cells: Iterable[str], kind: str) -> str:
        # A cell may hold what strangers' pages hold: it may not turn the direction of the others.
        shown = (f"<{kind} dir=auto>{escape(_printable(cell))}</{kind}>" for cell in cells)
        return f"<tr>{''.join(shown)}</tr>"

    head = row((table.title, *table.columns), "th")
    body = "\n".join(row(cells, "td") for cells in table.rows)
    return f'<table class="{look}"><thead>{head}</thead><tbody>{body}</tbody></table>'


def _document(title: str, parts: Iterable[str]) -> str:
    body = "\n".join(part for part in parts if part)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(_printable(title))}</title>\n<style>{_PAGE_STYLE}{STYLE}</style></head>\n"
        f"<body><h1>{escape(_printable(title))}</h1>\n{body}\n</body></html>\n"
    )


def _printable(text: str) -> str:
    """Drop control and format characters, which browsers act upon."""
    return "".join(char for char in text if char.isprintable())
