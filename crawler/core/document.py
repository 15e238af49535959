"""A page after reading: what the rest of the journey needs, without the tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crawler.core.blocks import Block
    from crawler.core.page import Page

__all__ = ["Document"]


@dataclass(frozen=True, slots=True)
class Document:
    """One page, read: its blocks and what it says of itself.

    ``title``, ``language`` (as declared), ``canonical_url`` (absolute) are None where the page
    does not give them. ``encoding`` is the one the page was really read in.
    """

    page: Page
    title: str | None
    language: str | None
    canonical_url: str | None
    encoding: str
    blocks: tuple[Block, ...]
