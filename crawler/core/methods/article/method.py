"""``article``: a learned judge of how articles look, and evidence from the site's pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crawler.core.counting.site_counts import SiteView
from crawler.core.hot_loops import made
from crawler.core.methods import Cutoff, Label
from crawler.core.methods.adaptive import AdaptiveFrequency
from crawler.core.methods.article.coherence import Coherence
from crawler.core.methods.article.features import Evidence
from crawler.core.methods.article.judge import LIKELY, Judge, chosen, expected_f1
from crawler.core.methods.article.layout import CUES
from crawler.core.methods.article.notices import notices, settle_credits
from crawler.core.methods.article.teaser_lists import teaser_lists
from crawler.core.methods.article.teasers import teasers
from crawler.core.methods.article.trace import NO_TRACE, Trace
from crawler.core.methods.article.whole_tables import with_whole_tables
from crawler.core.page.blocks import Block, Holder
from crawler.core.page.page import Document
from crawler.core.trees import sigmoid

if TYPE_CHECKING:
    _PageSays: TypeAlias = tuple[
        NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]
    ]

_TEXT, _OUTSIDE = "text", "outside"
# From so many pages on a site is known.
_SITE = 2
# Evidence takes two kilobytes a block and fifty bytes a character. Larger pages, which hold no
# article, are judged by the rule of frequency.
_MOST_BLOCKS, _MOST_CHARS = 20_000, 2_000_000
_LINKS_FROM = 0.9
# Reasons by the nearest names around a block, the most reliable first.
_REASONS = (
    ("cookie", "cookie"), ("caption", "caption"), ("author", "byline"), ("date", "byline"),
    ("share", "share"), ("letter", "newsletter"), ("promo", "promotion"), ("related", "related"),
    ("popular", "related"), ("topics", "topics"), ("nav", "navigation"), ("foot", "footer"),
    ("side", "sidebar"),
)  # fmt: skip
_REASON_BITS = [(1 << CUES.index(cue), reason) for cue, reason in _REASONS]
_REASON_CUES = np.uint64(sum(bit for bit, _ in _REASON_BITS))
_NEAR = 3
# log2 of the number of distinct pages from which on a site is fully known: 16.
_KNOWN_AT = 4.0
# The factor of a block on 16 pages or more, in place of 1 at most: it is boilerplate, however the
# page judges it.
_SURELY = 2.0
# A sentence of so many characters on two of at least six pages is no boilerplate.
_TWICE, _FEW_PAGES, _SENTENCE = 2, 6, 60
# The factors by which a site's counts are weighed, and their unit, in log odds.
_AGAINST, _ALONE, _RULE, _BEHIND, _COMMENTS = 2.0, 1.0, 2.0, 3.0, 6.0
_UNIT = 2.6
# An element with so many kept blocks directly in it is a container of text; paragraphs are children
# of it, items one level deeper.
_HOLDS, _STEPS = 2, 2


def site_margins(
    blocks: Sequence[Block], labels: Sequence[Label], pages: int, page: _PageSays
) -> NDArray[np.float64]:
    """Return the log odds that the counts of a site add for each block.

    The unit is 2.6. With n distinct pages of the site known, *known* is log2(n) / 4, 1 at most, and
    0 where the page stands alone. A block on f > 1 of them has 2 x log2(f) / log2(n) against it,
    where n counts as 16 at most: a part of a large site may have boilerplate of its own. One on 16
    pages or more has 4 against it, however it looks. A block on its own page alone has 1 x known
    for it.

    What the rule of frequency (``frequency-adaptive``) keeps has 2 x known for it besides. Links,
    and what it finds outside the article, have as much against them; what it finds outside behind
    the last block that it keeps has 3 x known against it: first paragraphs stand outside by
    mistake, teasers behind the article do not. The headline counts as kept by the rule where it
    stands on its own page alone. What the rule says is left out where a block stands on two pages
    of six or more, if it is a sentence; where it is links of its own page alone between blocks that
    the rule keeps; and where the rule finds it outside, if it stands on its own page alone, is
    likely for the page, and stands beside two blocks that the rule keeps.

    Captions, bylines and boxes of links are unlike from page to page as articles are. So nothing
    speaks for a block that is called so and is unlikely for the page. Readers' comments are too:
    nothing speaks for them, and 6 x known against them.

    Args:
        blocks: the page's blocks.
        labels: what the rule of frequency says of each, with its page frequency.
        pages: distinct pages of the site, 2 at least.
        page: what the page alone says of each: how likely it is main text; whether it stands among
            readers' comments; whether it is called something that accompanies an article; whether
            it is the headline.
    """
    likelihoods, comments, apart, titled = page
    known = min(1.0, np.log2(pages) / _KNOWN_AT)
    frequency = np.array([label.frequency for label in labels], np.float64)
    recurs = frequency > 1
    spread = np.log2(np.maximum(frequency, 1.0)) / min(np.log2(pages), _KNOWN_AT)
    spread = np.where(frequency >= 2**_KNOWN_AT, _SURELY, np.minimum(spread, 1.0))
    margins = np.where(recurs, -_AGAINST * spread, _ALONE * known)
    kept = np.array([label.kept for label in labels])
    reasons = np.array([label.reason for label in labels])
    links = reasons == "links"
    between = np.zeros(len(blocks), np.bool_)
    behind = np.zeros(len(blocks), np.bool_)
    if kept.any():
        end = len(kept) - np.argmax(kept[::-1])
        between[np.argmax(kept) : end] = True
        behind[end:] = True
    own_links = links & between & ~recurs
    chars = np.array([block.chars for block in blocks])
    twice = (frequency == _TWICE) & (pages >= _FEW_PAGES) & (chars >= _SENTENCE)
    ruled = np.where(kept, _RULE, 0.0)
    outside = reasons == "outside"
    ruled[links | outside] = -_RULE
    ruled[outside & behind] = -_BEHIND
    likely = likelihoods > LIKELY
    cut_off = outside & ~recurs & likely & _beside(blocks, kept)
    ruled[twice | own_links | cut_off] = 0.0
    ruled[titled & ~recurs] = _RULE
    margins += ruled * known
    margins = np.where(comments | (apart & ~likely), np.minimum(margins, 0.0), margins)
    found: NDArray[np.float64] = margins - _COMMENTS * known * comments
    return _UNIT * found


def _beside(blocks: Sequence[Block], kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for each block whether an element near around it directly holds kept blocks."""
    around = [block.holder.parent if block.holder else None for block in blocks]
    holds = Counter(around[number] for number in np.flatnonzero(kept).tolist())
    return np.array([_is_in_text(holder, holds) for holder in around], np.bool_)


def _is_in_text(holder: Holder | None, holds: Counter[Holder | None]) -> bool:
    for _ in range(_STEPS):
        if holder is None:
            return False
        if holds[holder] >= _HOLDS:
            return True
        holder = holder.parent
    return False


class Article:
    """Keep the blocks that are likely of the page's article, by page and site together.

    Args:
        judge: what has learned to tell; the shipped one without.
    """

    name = "article"

    def __init__(self, judge: Judge | None = None) -> None:
        self._judge = judge
        self._rule = AdaptiveFrequency()

    def label(self, document: Document, view: SiteView, trace: Trace = NO_TRACE) -> list[Label]:
        """Label each block ``text``, or with the reason why it is not.

        Reasons are ``comment``, ``frequent``, ``links``, and by the names around it ``cookie``,
        ``caption``, ``byline``, ``share``, ``newsletter``, ``promotion``, ``related``, ``topics``,
        ``navigation``, ``footer``, ``sidebar``; else ``outside``. ``score`` is how likely a block
        is main text. A trace is told each step on the way.
        """
        blocks = document.blocks
        if not blocks:
            return []
        if len(blocks) > _MOST_BLOCKS or sum([len(block.text) for block in blocks]) > _MOST_CHARS:
            return self._rule.label(document, view)
        judge = self._judge or Judge.shipped()
        found = Evidence(document)
        margins = judge.margins(found)
        likely = sigmoid(margins)
        if view.pages < _SITE:
            # The page itself is in the evidence already.
            ruled = [Label(kept=False, reason=_OUTSIDE, frequency=view.pages)] * len(blocks)
            site = np.zeros(len(blocks))
        else:
            ruled = self._rule.label(document, view)
            says = (likely, found.comments, found.apart, found.titled)
            site = site_margins(blocks, ruled, view.pages, says)
        likelihoods = sigmoid(margins + site)
        trace.judged(found, site, ruled)
        kept = chosen(blocks, likelihoods)
        trace.step("copies", kept)
        reasons = _reasons(found)
        if kept.any():
            whole = Coherence(document, found, likely)
            listed = teaser_lists(blocks, found, kept, likelihoods, whole.links)
            kept &= ~listed
            trace.step("teasers", kept)
            for name, add in whole.steps(ruled, view.pages):
                add(kept)
                trace.step(name, kept)
            apart = dict.fromkeys(settle_credits(blocks, found, kept), "caption")
            led = np.flatnonzero(teasers(document, kept, found.own, whole.links)).tolist()
            apart.update(dict.fromkeys(led, "related"))
            apart.update(dict.fromkeys(np.flatnonzero(listed & ~kept).tolist(), "related"))
            apart.update(notices(blocks, kept, ruled))
            for number, reason in apart.items():
                kept[number], reasons[number] = False, reason
            trace.step("apart", kept)
        else:
            # A page of a few words is unlike the training data, and yet has text.
            kept = np.array([label.kept for label in self._rule.label(document, view)])
            trace.step("rule", kept)
        said = _said(found, ruled, reasons, kept)
        seen = [rule.frequency for rule in ruled]
        labels = made(Label, kept.tolist(), said, seen, likelihoods.tolist())
        return with_whole_tables(document, labels, view.pages)

    def cutoff(self, view: SiteView) -> Cutoff:
        """Return the threshold of the rule of frequency, and the ranks there are."""
        return self._rule.cutoff(view)


def _said(
    found: Evidence, ruled: Sequence[Label], named: Sequence[str], kept: NDArray[np.bool_]
) -> list[str]:
    """Return for each block why it is kept or not.

    Args:
        found: the evidence of the blocks.
        ruled: what the rule of frequency says of each.
        named: the reason by the names around each; may be empty.
        kept: whether each is kept.
    """
    said = [name or _OUTSIDE for name in named]
    # The later reason counts.
    for number in np.flatnonzero(found.link_share >= _LINKS_FROM).tolist():
        said[number] = named[number] or "links"
    of_rule = [number for number, rule in enumerate(ruled) if rule.reason == "frequent"]
    for numbers, reason in (
        (np.flatnonzero(found.captions).tolist(), "caption"),
        (of_rule, "frequent"),
        (np.flatnonzero(found.comments).tolist(), "comment"),
        (np.flatnonzero(kept).tolist(), _TEXT),
    ):
        for number in numbers:
            said[number] = reason
    return said


def _reasons(found: Evidence) -> list[str]:
    """Return for each block the reason by the nearest names around it, or an empty text."""
    signs, parent = found.layout.signs & _REASON_CUES, found.layout.parent
    nearest, around = signs, parent
    for _ in range(_NEAR):
        nearest, around = np.where(nearest > 0, nearest, signs[around]), parent[around]
    return list(map(_reason_of, nearest[found.layout.at].tolist()))


@lru_cache(maxsize=1 << 12)
def _reason_of(cues: int) -> str:
    return next((reason for bit, reason in _REASON_BITS if cues & bit), "")


def confidence(blocks: Sequence[Block], labels: Sequence[Label]) -> float | None:
    """Return the F1 in characters that is to be expected of a page's main text, 0 to 1.

    None where the method gives no scores.
    """
    scores = [label.score for label in labels if label.score is not None]
    if not labels or len(scores) < len(labels):
        return None
    sizes = np.array([block.chars for block in blocks], np.float64)
    kept = np.array([label.kept for label in labels], np.bool_)
    return expected_f1(kept, np.array(scores, np.float64), sizes)
