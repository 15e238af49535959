"""What the pages of a site say for and against a block, as log odds.

A single page shows how an article looks; a site shows what it repeats. Nothing here is learned: the
counts are facts, and the handful of factors was chosen on a coarse grid.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from crawler.core.methods.base import Label
    from crawler.core.page.blocks import Block, Holder

__all__ = ["PageSays", "SiteEvidence"]

# From so many pages on, 15 distinct ones, a site is known as well as it will be.
_KNOWN_AT = 4.0
# A sentence that a writer repeats, not a label that two pages share.
_TWICE, _FEW_PAGES, _SENTENCE = 2, 6, 60
_LIKELY = 0.5
# So many blocks of text directly within an element make it one that holds text; a paragraph stands
# in it itself, an item in a list within it.
_HOLDS, _STEPS = 2, 2


@dataclass(frozen=True, slots=True, eq=False)
class PageSays:
    """What a page alone says of its blocks, one value a block.

    ``likelihoods``
        How likely each is main text, 0 to 1.
    ``comments``
        Whether each stands among readers' comments.
    ``apart``
        Whether each is called something that accompanies an article: caption, byline, share links.
    """

    likelihoods: NDArray[np.float64]
    comments: NDArray[np.bool_]
    apart: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class SiteEvidence:
    """The factors by which a site's counts are weighed.

    With n distinct pages of the site known, *known* is log2(n) / 4, 1 at most, and 0 where the page
    stands alone. A block on f > 1 of them has ``against`` x log2(f) / log2(n) against it; one on
    its own page alone has ``alone`` x known for it. What the rule of frequency
    (``frequency-adaptive``) keeps has ``rule`` x known for it; what it finds outside the article,
    or links, as much against it, and what it finds on too many pages ``frequent`` x known against
    it. Not counted against a block is that it stands on two pages of six or more, if it is a
    sentence; that it is links of its own page alone between blocks that the rule keeps; nor that
    the rule finds it outside, if it stands on its own page alone, is likely for the page, and
    stands beside two blocks that the rule keeps.

    Captions, bylines and boxes of links are unlike from page to page as articles are. So nothing
    speaks for a block that is called so and is unlikely for the page. Readers' comments are too:
    nothing speaks for them, and ``comments`` x known against them.
    """

    against: float = 2.0
    alone: float = 1.0
    rule: float = 2.0
    frequent: float = 1.0
    comments: float = 6.0

    def margins(
        self,
        blocks: Sequence[Block],
        labels: Sequence[Label],
        pages: int,
        page: PageSays,
    ) -> NDArray[np.float64]:
        """Return the log odds that a site adds for each block.

        Args:
            blocks: the page's blocks.
            labels: what the rule of frequency says of each, with its page frequency.
            pages: distinct pages of the site, 2 at least.
            page: what the page alone says of each.
        """
        known = min(1.0, np.log2(pages) / _KNOWN_AT)
        frequency = np.array([label.frequency for label in labels], np.float64)
        recurs = frequency > 1
        spread = np.log2(np.maximum(frequency, 1.0)) / np.log2(pages)
        margins = np.where(recurs, -self.against * spread, self.alone * known)
        kept = np.array([label.kept for label in labels])
        reasons = np.array([label.reason for label in labels])
        links = reasons == "links"
        between = np.zeros(len(blocks), np.bool_)
        if kept.any():
            between[np.argmax(kept) : len(kept) - np.argmax(kept[::-1])] = True
        own_links = links & between & ~recurs
        chars = np.array([block.chars for block in blocks])
        twice = (frequency == _TWICE) & (pages >= _FEW_PAGES) & (chars >= _SENTENCE)
        ruled = np.where(kept, self.rule, 0.0)
        outside = reasons == "outside"
        ruled[links | outside] = -self.rule
        ruled[reasons == "frequent"] = -self.frequent
        likely = page.likelihoods > _LIKELY
        cut_off = outside & ~recurs & likely & _beside(blocks, kept)
        ruled[twice | own_links | cut_off] = 0.0
        margins += ruled * known
        nothing_for = page.comments | (page.apart & ~likely)
        margins = np.where(nothing_for, np.minimum(margins, 0.0), margins)
        found: NDArray[np.float64] = margins - self.comments * known * page.comments
        return found


def _beside(blocks: Sequence[Block], kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell of each block whether an element near around it holds some kept ones directly."""
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
