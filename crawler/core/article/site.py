"""What the pages of a site say for and against a block, as log odds.

A single page shows how an article looks; a site shows what it repeats. Nothing here is learned: the
counts are facts, and the handful of factors was chosen on a coarse grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from crawler.core.blocks import Block
    from crawler.core.methods.base import Label

__all__ = ["SiteEvidence"]

# From so many pages on, 15 distinct ones, a site is known as well as it will be.
_KNOWN_AT = 4.0
# A sentence that a writer repeats, not a label that two pages share.
_TWICE, _FEW_PAGES, _SENTENCE = 2, 6, 60


@dataclass(frozen=True, slots=True)
class SiteEvidence:
    """The factors by which a site's counts are weighed.

    With n distinct pages of the site known, *known* is log2(n) / 4, 1 at most, and 0 where the page
    stands alone. A block on f > 1 of them has ``against`` x log2(f) / log2(n) against it; one on
    its own page alone has ``alone`` x known for it. What the rule of frequency
    (``frequency-adaptive``) keeps has ``rule`` x known for it; what it finds outside the article,
    or links, as much against it, and what it finds on too many pages ``frequent`` x known against
    it. Not counted against a block is that it stands on two pages of six or more, if it is a
    sentence, nor that it is links of its own page alone between blocks that the rule keeps.
    Readers' comments are unlike from page to page as articles are, so nothing speaks for them, and
    ``comments`` x known against them.
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
        comments: NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        """Return the log odds that a site adds for each block.

        Args:
            blocks: the page's blocks.
            labels: what the rule of frequency says of each, with its page frequency.
            pages: distinct pages of the site, 2 at least.
            comments: whether each block stands among readers' comments.
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
        ruled[links | (reasons == "outside")] = -self.rule
        ruled[reasons == "frequent"] = -self.frequent
        ruled[twice | own_links] = 0.0
        margins += ruled * known
        found: NDArray[np.float64] = np.where(
            comments, np.minimum(margins, 0.0) - self.comments * known, margins
        )
        return found
