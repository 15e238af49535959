"""Tree to text blocks: what a reader sees as one paragraph, heading, list item or cell.

A *visible block* is the text of one block-level element with its inline elements joined, up to
the next block-level element or an empty line made of ``<br>``. Each piece of visible text belongs
to exactly one block, and blocks stand in document order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.core.page.walk import walk

try:
    from crawler.core.page.compiled_cutter import Cutter
# There was no compiler where the package was built.
except (ImportError, TypeError, ValueError):
    from crawler.core.page.cutter import Cutter

if TYPE_CHECKING:
    from lxml import etree

    from crawler.core.page.blocks import Block, Holder
    from crawler.core.page.parse import ParsedPage


def segment(parsed: ParsedPage) -> tuple[Block, ...]:
    """Cut a page into its visible blocks, in document order."""
    return Cutter(parsed.elements, parsed.title or "").cut()


def segment_part(
    root: etree._Element, title: str | None, around: Holder | None
) -> tuple[Block, ...]:
    """Cut one element into its visible blocks.

    Args:
        root: the element.
        title: the title of its page.
        around: the block-level element of the page that holds it; None for none.
    """
    return Cutter(walk(root), title or "", around).cut()
