"""The page of ``scrapy evaluate text --curve``: frequencies, and accuracy at each threshold."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from crawler.core.wording import counted
from crawler.reports.chart import LARGE, SMALL, Axis, Chart, Mark, Series
from crawler.reports.histogram import MOST_SITES, left_out, scope
from crawler.reports.html import render_page
from crawler.reports.text_tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawler.evaluation.curve import Curves, SiteCurve
    from crawler.evaluation.scores import Score

# Each of so many ranks is drawn; below them, some at growing distances.
_EACH_RANK: Final = 60
# An axis that begins above so many tenths has a tick at each tenth.
_FEW_TENTHS: Final = 4
_LABELLED_DROPS: Final = (0, 1, 2, 3, 4, 9, 19, 49, 99, 199, 499, 999, 1999, 4999, 9999)
_LISTED_DROPS: Final = range(6)
_MEANING: Final = {
    "pages": "the distinct pages of the site on which they are more than a hyperlink",
    "occurrences": "how often the same text occurs on the site's pages",
}


def curve_page(curves: Curves) -> str:
    """Return the page as HTML."""
    sites = sorted(curves.sites, key=lambda site: (-site.pages, site.site))
    shown = sites[:MOST_SITES] if len(sites) > 1 else []
    scope_of_all = scope([site.site for site in sites])
    return render_page(
        "curve.html",
        title=f"Frequency and accuracy: {curves.method}",
        curves=curves,
        pages=counted(curves.pages, "page"),
        sites=counted(len(sites), "site"),
        unit=curves.unit,
        meaning=_MEANING[curves.counted],
        left_out=left_out(len(sites)),
        histogram=curves.histogram.chart(scope_of_all, curves.counted),
        site_histograms=[
            site.histogram.chart(
                f"{site.site}: {counted(site.pages, 'page')}, {counted(site.ranks, 'rank')}",
                curves.counted,
                size=SMALL,
            )
            for site in shown
        ],
        scores=_overall_chart(curves, scope_of_all),
        kept=_score_table(curves),
        site_scores=[_site_chart(site) for site in shown if site.ranks],
        top=Table(
            curves.counted,
            ("site", "text"),
            tuple((f"{top.frequency:,}", top.site, top.text) for top in curves.top),
        ),
    )


def _score_chart(
    caption: str,
    scores: Sequence[tuple[int, Score]],
    marks: Sequence[Mark],
    size: tuple[int, int],
    low: int = 0,
) -> Chart:
    """Return a chart of precision, recall and F1 over dropped ranks.

    Args:
        caption: the line below the chart.
        scores: how many ranks are dropped, and the score then.
        marks: vertical lines.
        size: width and height in pixels.
        low: where the axis of scores begins, in tenths.
    """
    most = max((drop for drop, _ in scores), default=0)
    ticks = tuple((drop + 1, _rank_label(drop)) for drop in _LABELLED_DROPS if drop <= most)
    tenths = range(low, 11, 1 if low >= _FEW_TENTHS else 2)
    return Chart(
        title="Precision, recall and F1 by the highest rank that is kept",
        caption=caption,
        x=Axis("highest rank that is kept", 1, most + 1, ticks, log=True, reverse=True),
        y=Axis(
            "precision, recall and F1 in words",
            low / 10,
            1,
            tuple((tenth / 10, f"{tenth / 10:.1f}") for tenth in tenths),
        ),
        series=tuple(
            Series(name, tuple((drop + 1, getattr(score, key)) for drop, score in scores), look)
            for name, key, look in (
                ("precision", "precision", "b"),
                ("recall", "recall", "c"),
                ("F1", "f1", "a"),
            )
        ),
        marks=tuple(marks),
        size=size,
    )


def _overall_chart(curves: Curves, caption: str) -> Chart:
    scores = [(drop, curves.score(drop)) for drop in _drops(curves.most_ranks)]
    own = Counter(
        site.ranks - site.own_rank for site in curves.sites if site.own_rank is not None
    ).most_common(1)
    marks = []
    for drop, sites in own:
        of_all = f" on {sites:,} of {len(curves.sites):,} sites" if len(curves.sites) > 1 else ""
        marks.append(Mark(drop + 1, f"the method's own: {_rank_label(drop)}{of_all}"))
    # A curve that is high everywhere would be flat on an axis from 0.
    lowest = min((min(score.as_json().values()) for _, score in scores), default=0.0)
    return _score_chart(caption, scores, marks, LARGE, low=2 * int(lowest * 4.5))


def _site_chart(site: SiteCurve) -> Chart:
    scores = [(drop, site.score(site.ranks - drop)) for drop in _drops(site.ranks)]
    marks = []
    if site.own_rank:
        drop = site.ranks - site.own_rank
        marks.append(Mark(drop + 1, f"own: {_rank_label(drop)}"))
    return _score_chart(f"{site.site}: {counted(site.pages, 'page')}", scores, marks, SMALL)


def _drops(ranks: int) -> list[int]:
    """Return how many ranks are dropped where the curve is drawn; at least one is left."""
    drops = list(range(min(ranks, _EACH_RANK)))
    while drops and drops[-1] < ranks - 1:
        drops.append(min(ranks - 1, drops[-1] + 1 + drops[-1] // 20))
    return drops


def _rank_label(dropped: int) -> str:
    return f"k\N{MINUS SIGN}{dropped:,}" if dropped else "k"


def _score_table(curves: Curves) -> Table:
    """Return the scores near the right end of the curve, and those of the method."""
    rows = [
        (f"up to rank {_rank_label(drop)}", curves.score(drop))
        for drop in _LISTED_DROPS
        if drop < curves.most_ranks
    ]
    if (at_threshold := curves.own_threshold()) is not None:
        rows.append(("at each site's own threshold", at_threshold))
    rows.append((f"the method {curves.method} as a whole", curves.own))
    return Table(
        "kept", ("precision", "recall", "F1"), tuple((name, *score.cells()) for name, score in rows)
    )
