"""What the counts of a site say of a name on a page: whether it belongs to the site's template."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from crawler.core.counting.site_counts import SiteView
from crawler.core.metadata.dates import find_dates
from crawler.core.metadata.names import begins_as_byline
from crawler.core.page.blocks import Block
from crawler.core.words import fold_name

# The share of pages that is nearly all of them, and the fewest pages of which that can be said.
_NEARLY_ALL = 0.8
_FEWEST_PAGES = 3
# Characters for each letter and digit of a text; blocks with more are none of its words alone.
_MOST_LETTERS = 3
# A block with more of its characters in hyperlinks is none of the page's own.
_MOST_LINKED = 0.5


class Template:
    """The blocks of a page that stand on nearly all pages of its site.

    Args:
        blocks: the page's blocks.
        view: the counts of its site, with this page in them.
    """

    def __init__(self, blocks: Sequence[Block], view: SiteView) -> None:
        self._blocks, self._view = blocks, view

    def repeats(self, text: str) -> bool:
        """Tell whether a text stands in such blocks alone, none of which is a byline.

        A byline begins as bylines do, or has a date.
        """
        places = self._places(text)
        return bool(places) and not any(map(_is_byline, (self._blocks[at].text for at in places)))

    def has_block(self, text: str) -> bool:
        """Tell whether a text is a block of the page that is not on nearly all pages."""
        name = fold_name(text)
        return bool(name) and any(
            not recurs and block.link_share < _MOST_LINKED and fold_name(block.text) == name
            for block, recurs in zip(self._blocks, self._recurs, strict=True)
            if len(block.text) <= _MOST_LETTERS * len(name)
        )

    def is_in_frame(self, text: str, title: str | None) -> bool:
        """Tell whether a text stands in such blocks alone, before or after what is the page's own.

        Its own are its title and the texts that stand on no other page.
        """
        places = self._places(text)
        if not places:
            return False
        name = fold_name(title or "")
        own = [
            at for at, block in enumerate(self._blocks) if name and fold_name(block.text) == name
        ]
        first, last = min((*own, *self._own[:1])), max((*own, *self._own[-1:]))
        return all(not first <= at <= last for at in places)

    def _places(self, text: str) -> list[int]:
        """Return the blocks that have a text; none where one of them is not on nearly all pages."""
        if self._view.pages < _FEWEST_PAGES or not self._own:
            return []
        places = [at for at, block in enumerate(self._blocks) if text in block.text]
        return places if all(map(self._recurs.__getitem__, places)) else []

    @cached_property
    def _recurs(self) -> list[bool]:
        least = _NEARLY_ALL * self._view.pages
        found = self._view.page_frequencies([block.key for block in self._blocks])
        return [frequency >= least for frequency in found]

    @cached_property
    def _own(self) -> list[int]:
        pages = self._view.page_text_frequencies([block.key for block in self._blocks])
        return [
            at
            for at, (block, count) in enumerate(zip(self._blocks, pages, strict=True))
            if count == 1 and block.link_share < _MOST_LINKED
        ]


def _is_byline(text: str) -> bool:
    return begins_as_byline(text) or next(find_dates(text), None) is not None
