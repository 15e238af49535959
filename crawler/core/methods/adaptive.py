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
    site as more than a hyperlink: near-duplicate pages count as one, text is normalised, digits
    that only count or date are masked, and a headline is not held to recur because other pages
    link to it. A block is *links only* when at least ``link_share`` of its characters are
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
        keys = [block.key for block in document.blocks]
        anyhow, as_text = view.page_frequencies(keys), view.page_text_frequencies(keys)
        labels = []
        for block, frequency, text_frequency in zip(document.blocks, anyhow, as_text, strict=True):
            if block.link_share >= self.link_share:
                label = Label(kept=False, reason="links", frequency=frequency)
            elif text_frequency > limit:
                label = Label(kept=False, reason="frequent", frequency=text_frequency)
            else:
                label = Label(kept=True, reason="text", frequency=text_frequency)
            labels.append(label)
        return labels
