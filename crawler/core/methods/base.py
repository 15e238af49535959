"""The interface that every text method has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawler.core.document import Document
    from crawler.core.frequency import SiteView

__all__ = ["Label", "TextMethod"]


@dataclass(frozen=True, slots=True)
class Label:
    """What a method says of one block.

    ``kept``
        Whether the block is main text.
    ``reason``
        Why, as a short slug: ``text`` for what is kept; ``frequent``, ``links``, … for what is not.
    ``frequency``
        On how many distinct pages of the site the block stands; 0 where that is not known.
    """

    kept: bool
    reason: str
    frequency: int = 0


@runtime_checkable
class TextMethod(Protocol):
    """A way to tell main text from boilerplate.

    A method is pure: it reads one document and one frozen view and changes neither, so that pages
    may be judged in any order and in several processes.
    """

    @property
    def name(self) -> str:
        """The name under which items and reports mention the method."""

    def label(self, document: Document, view: SiteView) -> Sequence[Label]:
        """Return one label for each block of the document, in order."""
