"""The journey of a page: read, observe, annotate.

Crawls, archives and evaluations all go through these three functions and no others::

    counts = SiteCounts()
    for page in pages:                       # any order, any number of processes
        counts.add(observe(read(page), method))
    view = counts.view()                     # frozen
    for page in pages:
        annotation = annotate(read(page), view, method)

Reading a page twice costs some milliseconds; holding what was read costs memory without bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from crawler.core.counting.site_counts import Observation, SiteCounts, SiteView, observe_blocks
from crawler.core.methods import CountingMethod, Label, PieceMethod, TextMethod
from crawler.core.methods.registry import DEFAULT_METHOD, get_method, method_names
from crawler.core.page.blocks import Block
from crawler.core.page.page import Document, Page
from crawler.core.page.parse import ParsedPage, parse
from crawler.core.page.robots_meta import read_directives
from crawler.core.page.segment import segment
from crawler.core.page.supplement import supplement

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

    Attributes:
        blocks: what was judged, in order: the document's blocks, or the pieces that the method cut
            it into.
        labels: one label a block.
        duplicate_of: address of the page that this one is a near-duplicate of, or None.
    """

    document: Document
    blocks: tuple[Block, ...]
    labels: tuple[Label, ...]
    duplicate_of: str | None

    @property
    def text(self) -> str:
        """The main text: the kept blocks in order, one a line."""
        return "\n".join(block.text for block, label in self.pairs() if label.kept)

    @property
    def text_source(self) -> str | None:
        """Where text was found that the page does not show; None where none of it is kept."""
        added = self.document.added if self.blocks is self.document.blocks else ()
        is_kept = any(self.labels[number].kept for number in added)
        return self.document.text_source if is_kept else None

    def pairs(self) -> Iterator[tuple[Block, Label]]:
        """Go through the blocks with their labels."""
        return zip(self.blocks, self.labels, strict=True)


def read(page: Page, max_bytes: int | None = None, parsed: ParsedPage | None = None) -> Document:
    """Decode, parse once, and cut into blocks.

    Args:
        page: the page as it came.
        max_bytes: a larger body is refused as ``too-large``; None for no limit.
        parsed: the page's body, parsed already, where somebody has done that.

    Raises:
        UnreadablePageError: the page gives no text to work on; its ``reason`` says why.
    """
    parsed = parse(page, max_bytes) if parsed is None else replace(parsed, page=page)
    blocks, text_source, added = supplement(parsed, segment(parsed))
    return Document(
        page=page,
        title=parsed.title,
        language=parsed.language,
        canonical_url=parsed.canonical_url,
        encoding=parsed.encoding,
        blocks=blocks,
        robots=read_directives(page.robots_tags, page.tdm_reservation, parsed),
        parsed=parsed,
        text_source=text_source,
        added=added,
    )


def observe(document: Document, method: TextMethod | None = None) -> Observation:
    """Return what a page adds to the counts of its site. Depends on this page alone.

    Args:
        document: the page, read.
        method: the method that will judge; what it wants counted beside blocks is recorded too.
    """
    wanted: object = method
    sums = wanted.counts(document) if isinstance(wanted, CountingMethod) else None
    return observe_blocks(document.page.url, document.blocks, sums)


def annotate(document: Document, view: SiteView, method: TextMethod) -> Annotation:
    """Judge a page by the frozen counts of its site.

    Raises:
        ValueError: the method does not give one label a block.
    """
    if isinstance(method, PieceMethod):
        pairs = method.judge(document, view)
        blocks, labels = tuple(block for block, _ in pairs), tuple(label for _, label in pairs)
    else:
        blocks, labels = document.blocks, tuple(method.label(document, view))
        if len(labels) != len(blocks):
            raise ValueError(
                f"text method {method.name!r} gave {len(labels)} labels for {len(blocks)} blocks; "
                "it must give one for each, in order"
            )
    return Annotation(document, blocks, labels, view.duplicate_of.get(document.page.url))
