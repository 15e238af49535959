"""``frequency-adaptive``: visible blocks that are rare on their site and not only links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.core.methods.base import Label

if TYPE_CHECKING:
    from crawler.core.document import Document
    from crawler.core.frequency import SiteView

__all__ = ["AdaptiveFrequency"]


class AdaptiveFrequency:
    """Keep a block that stands on one distinct page, or on few of many, and is no list of links.

    A block recurs when it stands on more than ``max(1, share x pages)`` distinct pages of its
    site: near-duplicate pages count as one, text is normalised, and digits that only count or date
    are masked. A block is *links only* when at least ``link_share`` of its characters are
    hyperlink text. On a site never counted the links alone decide.

    Args:
        share: of a site's distinct pages, on how many a block may stand and still be an article's
            own. At 0.01 that is one page on small sites and three of 300: a phrase that a writer
            repeats is kept, a notice that stands in one section is not.
        link_share: from what share of hyperlink text on a block is links only.
    """

    name = "frequency-adaptive"

    def __init__(self, share: float = 0.01, link_share: float = 0.9) -> None:
        self.share = share
        self.link_share = link_share

    def label(self, document: Document, view: SiteView) -> list[Label]:
        """Label each block ``frequent``, ``links`` or ``text``."""
        limit = max(1, int(self.share * view.pages))
        frequencies = view.page_frequencies([block.key for block in document.blocks])
        labels = []
        for block, seen in zip(document.blocks, frequencies, strict=True):
            if seen > limit:
                reason = "frequent"
            elif block.link_share >= self.link_share:
                reason = "links"
            else:
                reason = "text"
            labels.append(Label(kept=reason == "text", reason=reason, frequency=seen))
        return labels
