"""``all-text``: the whole page, M1 of Lee (2009), against which methods are measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.core.methods.base import Label

if TYPE_CHECKING:
    from crawler.core.document import Document
    from crawler.core.frequency import SiteView

__all__ = ["AllText"]


class AllText:
    """Keep every visible block. Recall is as high as segmentation allows; precision is not."""

    name = "all-text"

    def label(self, document: Document, view: SiteView) -> list[Label]:
        """Return a kept label for each block."""
        frequencies = view.page_frequencies([block.key for block in document.blocks])
        return [Label(kept=True, reason="text", frequency=seen) for seen in frequencies]
