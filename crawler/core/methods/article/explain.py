"""Why a page's blocks have the labels that the method ``article`` gave them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from crawler.core.counting.site_counts import SiteView
from crawler.core.methods import Label
from crawler.core.methods.article.judge import LIKELY
from crawler.core.methods.article.layout import FAR, SIGNS, Layout
from crawler.core.methods.article.method import Article
from crawler.core.methods.article.trace import Recorder
from crawler.core.page.page import Document

STEPS = ("copies", "teasers", "lead", "lists", "headings", "between", "lines", "apart", "rule",
         "tables", "head")  # fmt: skip
"""The steps after the judge, each of which may change what is kept.

``copies`` drops what comes again, ``teasers`` lists of them behind the article, ``apart`` lines
within the text that are none of it, ``rule`` takes the rule of frequency where the judge keeps
nothing, ``tables`` keeps tables whole, ``head`` settles headline and byline. The others are those
of :class:`~crawler.core.methods.article.coherence.Coherence`.
"""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What decided on one block.

    Attributes:
        site: what the counts of its site say for (above 0) or against it, as log odds.
        rule: the reason that the rule of frequency gives; empty where nothing is known of the site.
        in_comments: whether it stands among readers' comments.
        signs: names and tags of the elements around it, as cues, the nearest first: each with the
            steps outwards to its element.
        changes: the steps that changed the verdict, in order, and whether it is kept after each.
    """

    site: float
    rule: str
    in_comments: bool
    signs: tuple[tuple[str, int], ...]
    changes: tuple[tuple[str, bool], ...]

    @property
    def changed_by(self) -> str:
        """The step that had the last word; empty where that was the judge."""
        return self.changes[-1][0] if self.changes else ""


def explain(document: Document, view: SiteView, labels: Sequence[Label]) -> list[Explanation]:
    """Explain the labels of a page; return one explanation a block.

    It judges the page again, so that pages whose labels nobody asks about cost nothing. Empty for a
    page so large that the rule of frequency alone judged it.

    Args:
        document: the page.
        view: the counts of its site by which it was judged.
        labels: the labels in question: those of the method, with the head of the article settled.
    """
    trace = Recorder()
    own = Article().label(document, view, trace)
    found = trace.found
    if found is None:
        return []
    steps = [
        *trace.steps,
        ("tables", [label.kept for label in own]),
        ("head", [label.kept for label in labels]),
    ]
    signs = _signs(found.layout)
    return [
        Explanation(
            site=trace.site[number],
            rule=trace.ruled[number].reason if view.is_known else "",
            in_comments=bool(found.comments[number]),
            signs=signs[int(found.layout.at[number])],
            changes=_changes(label, [(name, kept[number]) for name, kept in steps]),
        )
        for number, label in enumerate(own)
    ]


def _signs(layout: Layout) -> list[tuple[tuple[str, int], ...]]:
    """Return for each element the signs around it, the nearest first."""
    elements, signs = np.nonzero(layout.distance < FAR)
    steps = layout.distance[elements, signs]
    order = np.lexsort((signs, steps, elements))
    nearest = zip(signs[order].tolist(), steps[order].tolist(), strict=True)
    pairs = [(SIGNS[sign], step) for sign, step in nearest]
    ends = np.cumsum(np.bincount(elements, minlength=len(layout.distance))).tolist()
    return [tuple(pairs[begin:end]) for begin, end in pairwise([0, *ends])]


def _changes(label: Label, steps: Sequence[tuple[str, bool]]) -> tuple[tuple[str, bool], ...]:
    before = label.score is not None and label.score > LIKELY
    changes = []
    for name, kept in steps:
        if kept != before:
            changes.append((name, kept))
        before = kept
    return tuple(changes)
