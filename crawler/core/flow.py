"""A page's journey, whole: read, observe, annotate.

Crawls, archives and evaluations all go through these three functions and no others::

    counts = SiteCounts()
    for page in pages:                       # any order, any number of processes
        counts.add(observe(read(page)))
    view = counts.view()                     # frozen
    for page in pages:
        annotation = annotate(read(page), view, method)

Reading a page twice costs some milliseconds; holding what was read costs memory without bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler.core.blocks import segment
from crawler.core.document import Document
from crawler.core.frequency import Observation, SiteCounts, SiteView, observe_blocks
from crawler.core.methods import DEFAULT_METHOD, Label, TextMethod, get_method, method_names
from crawler.core.page import Page
from crawler.core.parse import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.core.blocks import Block

__all__ = [
    "DEFAULT_METHOD",
    "Annotation",
    "Document",
    "Observation",
    "Page",
    "SiteCounts",
    "SiteView",
    "TextMethod",
    "annotate",
    "get_method",
    "method_names",
    "observe",
    "read",
]


@dataclass(frozen=True, slots=True)
class Annotation:
    """A document with the verdict on each of its blocks.

    ``labels`` has one label a block, in order. ``duplicate_of`` is the address of the page that
    this one is a near-duplicate of, or None.
    """

    document: Document
    labels: tuple[Label, ...]
    duplicate_of: str | None

    @property
    def text(self) -> str:
        """The main text: the kept blocks in order, one a line."""
        return "\n".join(block.text for block, label in self.pairs() if label.kept)

    def pairs(self) -> Iterator[tuple[Block, Label]]:
        """Go through the blocks with their labels."""
        return zip(self.document.blocks, self.labels, strict=True)


def read(page: Page, max_bytes: int | None = None) -> Document:
    """Decode, parse once, and cut into blocks.

    Args:
        page: the page as it came.
        max_bytes: a larger body is refused as ``too-large``; None for no limit.

    Raises:
        UnreadablePageError: the page gives no text to work on; its ``reason`` says why.
    """
    parsed = parse(page, max_bytes)
    return Document(
        page=page,
        title=parsed.title,
        language=parsed.language,
        canonical_url=parsed.canonical_url,
        encoding=parsed.encoding,
        blocks=segment(parsed),
    )


def observe(document: Document) -> Observation:
    """Record what a page tells about its site. Depends on this page alone."""
    return observe_blocks(document.page.url, document.blocks)


def annotate(document: Document, view: SiteView, method: TextMethod) -> Annotation:
    """Judge a page by the frozen counts of its site.

    Raises:
        ValueError: the method does not give one label a block.
    """
    labels = tuple(method.label(document, view))
    if len(labels) != len(document.blocks):
        raise ValueError(
            f"text method {method.name!r} gave {len(labels)} labels for "
            f"{len(document.blocks)} blocks; it must give one for each, in order"
        )
    return Annotation(
        document=document,
        labels=labels,
        duplicate_of=view.duplicate_of.get(document.page.url),
    )
