"""``article``: a judge that learned how articles look, and what the site's pages tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crawler.core.methods.adaptive import AdaptiveFrequency
from crawler.core.methods.article.cues import CUES
from crawler.core.methods.article.features import evidence
from crawler.core.methods.article.judge import Judge, chosen, expected_f1
from crawler.core.methods.article.layout import FAR
from crawler.core.methods.article.site import PageSays, SiteEvidence
from crawler.core.methods.base import Label
from crawler.core.trees import sigmoid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from crawler.core.counting.site_counts import SiteView
    from crawler.core.methods.article.features import Evidence
    from crawler.core.methods.base import Cutoff
    from crawler.core.page.blocks import Block
    from crawler.core.page.page import Document

__all__ = ["Article", "confidence"]

_TEXT, _OUTSIDE = "text", "outside"
# Fewer pages repeat nothing.
_SITE = 2
# Evidence takes some two kilobytes a block and fifty bytes a character. No article is larger, and
# pages that are have to be judged all the same: they are by the rule of frequency.
_MOST_BLOCKS, _MOST_CHARS = 20_000, 2_000_000
_LINKS_FROM = 0.9
# Why a block is none of the article, by the nearest names around it, first what tells most.
_REASONS = (
    ("cookie", "cookie"), ("caption", "caption"), ("author", "byline"), ("date", "byline"),
    ("share", "share"), ("letter", "newsletter"), ("promo", "promotion"), ("related", "related"),
    ("popular", "related"), ("topics", "topics"), ("nav", "navigation"), ("foot", "footer"),
    ("side", "sidebar"),
)  # fmt: skip
_NEAR = 3
# Names of what accompanies an article. They count on a block's own element and the one around it:
# farther out they name columns and whole pages.
_APART = [
    CUES.index(cue)
    for cue in ("caption", "author", "date", "share", "letter", "promo", "related", "popular",
                "topics", "cookie")
]  # fmt: skip
_APART_NEAR = 1
_CAPTION = "figcaption"


class Article:
    """Keep the blocks that are likely of the page's article, by page and site together.

    Args:
        judge: what has learned to tell; the shipped one without.
        site: how the site's counts are weighed.
    """

    name = "article"

    def __init__(self, judge: Judge | None = None, site: SiteEvidence | None = None) -> None:
        self._judge = judge
        self._site = SiteEvidence() if site is None else site
        self._rule = AdaptiveFrequency()

    def label(self, document: Document, view: SiteView) -> list[Label]:
        """Label each block ``text``, or by what it is instead.

        Reasons are ``comment``, ``frequent``, ``links``, and by the names around it ``cookie``,
        ``caption``, ``byline``, ``share``, ``newsletter``, ``promotion``, ``related``, ``topics``,
        ``navigation``, ``footer``, ``sidebar``; else ``outside``. ``score`` is how likely a block
        is main text.
        """
        blocks = document.blocks
        if not blocks:
            return []
        if len(blocks) > _MOST_BLOCKS or sum(len(block.text) for block in blocks) > _MOST_CHARS:
            return self._rule.label(document, view)
        judge = self._judge or Judge.shipped()
        found = evidence(document)
        looked = judge.first_look(found)
        if view.pages < _SITE:
            # What a page says of itself is in the evidence.
            ruled = [Label(kept=False, reason=_OUTSIDE, frequency=view.pages)] * len(blocks)
            site = np.zeros(len(blocks))
        else:
            ruled = self._rule.label(document, view)
            says = PageSays(sigmoid(looked), found.comments, _apart(blocks, found))
            site = self._site.margins(blocks, ruled, view.pages, says)
        likelihoods = judge.likelihoods(found, site, looked)
        kept = chosen(blocks, likelihoods)
        if not kept.any():
            # A page of a few words is like nothing that was learned, and yet says something.
            kept = np.array([label.kept for label in self._rule.label(document, view)])
        reasons = _reasons(found)
        return [
            Label(
                kept=bool(keep),
                reason=_TEXT if keep else _reason(block, rule, reason, in_comments=bool(comment)),
                frequency=rule.frequency,
                score=float(score),
            )
            for block, rule, reason, keep, comment, score in zip(
                blocks, ruled, reasons, kept, found.comments, likelihoods, strict=True
            )
        ]

    def cutoff(self, view: SiteView) -> Cutoff:
        """Return the threshold of the rule of frequency, and the ranks there are."""
        return self._rule.cutoff(view)


def _reason(block: Block, rule: Label, reason: str, *, in_comments: bool) -> str:
    if in_comments:
        return "comment"
    if rule.reason == "frequent":
        return rule.reason
    if block.tag == _CAPTION:
        return "caption"
    if not reason and block.link_share >= _LINKS_FROM:
        return "links"
    return reason or _OUTSIDE


def _apart(blocks: Sequence[Block], found: Evidence) -> NDArray[np.bool_]:
    """Tell of each block whether it is called something that accompanies an article."""
    layout = found.layout
    near = layout.distance[:, _APART].min(axis=1) <= _APART_NEAR
    captions = np.array([block.tag == _CAPTION for block in blocks], np.bool_)
    apart: NDArray[np.bool_] = near[layout.at] | captions
    return apart


def _reasons(found: Evidence) -> list[str]:
    """Return for each block what the nearest names around it say it is; empty where none do."""
    layout = found.layout
    columns = [CUES.index(cue) for cue, _ in _REASONS]
    near = layout.distance[:, columns]
    best = np.argmin(near, axis=1)
    close = near[np.arange(len(best)), best] <= min(_NEAR, FAR - 1)
    names: NDArray[np.int64] = np.where(close, best, -1)[layout.at]
    return ["" if number < 0 else _REASONS[number][1] for number in names.tolist()]


def confidence(blocks: Sequence[Block], labels: Sequence[Label]) -> float | None:
    """Return the F1 that is to be expected of a page's main text, 0 to 1.

    Blocks weigh as much as they have characters. None where the method gives no scores.
    """
    scores = [label.score for label in labels if label.score is not None]
    if not labels or len(scores) < len(labels):
        return None
    return expected_f1(
        np.array(scores),
        np.array([block.chars for block in blocks], np.float64),
        np.array([label.kept for label in labels]),
    )
