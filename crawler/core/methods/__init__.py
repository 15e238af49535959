"""Text methods: given a page's blocks and its site's frequencies, what is main text?

Here are their interfaces; :mod:`crawler.core.methods.registry` has the methods by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

from crawler.core.counting.site_counts import SiteView
from crawler.core.page.blocks import Block
from crawler.core.page.page import Document


# Nothing changes a label once it is made. It is not frozen: pages have hundreds of them, and frozen
# dataclasses take four times as long to make.
@dataclass(slots=True, unsafe_hash=True)
class Label:
    """The verdict of a method on one block.

    Attributes:
        kept: whether the block is main text.
        reason: why, as a short slug: ``text`` for what is kept; ``frequent``, ``links``, … for what
            is not.
        frequency: on how many distinct pages of the site the block stands, or, by a method that
            counts occurrences, how often; 0 where that is not known.
        score: how likely the block is main text, 0 to 1; None where the method does not say.
    """

    kept: bool
    reason: str
    frequency: int = 0
    score: float | None = None


@runtime_checkable
class BlockMethod(Protocol):
    """A method that labels the visible blocks of a page as main text or boilerplate.

    A method is pure: it reads one document and one frozen view and changes neither, so that pages
    may be judged in any order and in several processes.
    """

    @property
    def name(self) -> str:
        """The name under which items and reports mention the method."""

    def label(self, document: Document, view: SiteView) -> Sequence[Label]:
        """Return one label for each block of the document, in order."""


@runtime_checkable
class PieceMethod(Protocol):
    """A method that labels other pieces of the page: text nodes or sentences."""

    @property
    def name(self) -> str:
        """The name under which items and reports mention the method."""

    def judge(self, document: Document, view: SiteView) -> Sequence[tuple[Block, Label]]:
        """Return the pieces of the document in order, each with its label."""


@runtime_checkable
class CountingMethod(Protocol):
    """A method that needs counts over the site beside those of its blocks."""

    def counts(self, document: Document) -> Mapping[str, Mapping[int, int]]:
        """Return what one page adds to the counts, by a name of the method's choice and by key.

        Keys are unsigned 64-bit numbers, what is added unsigned 32-bit ones; names are not empty.

        The sums over the site's pages are in ``view.sums`` under that name. Like all counting it
        must depend on this page alone.
        """


@dataclass(frozen=True, slots=True)
class Cutoff:
    """The threshold of a method between rare and recurring blocks of a site.

    Attributes:
        threshold: the highest frequency that main text may have; None where nothing is too
            frequent.
        ranks: how many distinct frequencies the site's blocks have: k in Kim and Kim (2021).
    """

    threshold: int | None
    ranks: int


@runtime_checkable
class CutoffMethod(Protocol):
    """A method with a threshold of frequency, which items and statistics show."""

    def cutoff(self, view: SiteView) -> Cutoff:
        """Return its threshold for this site."""


TextMethod: TypeAlias = "BlockMethod | PieceMethod"
"""What :func:`crawler.core.methods.registry.get_method` returns."""
