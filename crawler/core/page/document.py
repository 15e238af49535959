"""A page after reading: what the rest of the journey needs of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crawler.core.page.blocks import Block
    from crawler.core.page.page import Page
    from crawler.core.page.parse import ParsedPage

__all__ = ["Document"]


@dataclass(frozen=True, slots=True)
class Document:
    """One page, read: its blocks and what it says of itself.

    ``title``, ``language`` (as declared), ``canonical_url`` (absolute) are None where the page
    does not give them. ``encoding`` is the one the page was really read in. ``parsed`` is the page
    as a tree, for methods that need more than blocks: a document is worked on and let go, and goes
    neither into a container nor to another process.
    """

    page: Page
    title: str | None
    language: str | None
    canonical_url: str | None
    encoding: str
    blocks: tuple[Block, ...]
    parsed: ParsedPage = field(repr=False, compare=False)
