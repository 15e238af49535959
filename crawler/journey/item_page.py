"""The page of an item while the item travels: what stages, and a project's own pipelines, work on.

An item has its page as ``item.page`` until it is exported; no export ever holds it. The page is
parsed already: nothing here parses again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crawler.core.metadata import read_metadata
from crawler.items import PageItem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsel import Selector

    from crawler.core.flow import Annotation, Document, SiteView
    from crawler.core.metadata import Metadata
    from crawler.core.methods import Label
    from crawler.core.page.blocks import Block
    from crawler.core.pagetype import PageType
    from crawler.journey.mode import Mode


@dataclass(slots=True, eq=False)
class ItemPage:
    """One page, or the parts of an article that its site cuts into several pages.

    ``documents``
        The page, read; of an article in several pages its parts, in order.
    ``view``
        The counts that the page is judged by.
    ``kind``
        What kind of page it is, and how likely; of several parts the first one's.
    ``annotations``
        The judged blocks, one annotation a document. Empty before the stage ``MainText``.
    ``blocks``, ``labels``
        All blocks of all documents, numbered through, and one label a block. Empty before the
        stage ``MainText``. A pipeline that takes the place of that stage sets both.
    """

    documents: tuple[Document, ...]
    view: SiteView
    kind: PageType
    annotations: tuple[Annotation, ...] = ()
    blocks: tuple[Block, ...] = ()
    labels: tuple[Label, ...] = ()
    _metadata: tuple[Metadata, ...] = field(default=(), repr=False)
    _selector: Selector | None = field(default=None, repr=False)

    @property
    def document(self) -> Document:
        """The page; of several parts the first."""
        return self.documents[0]

    @property
    def metadata(self) -> tuple[Metadata, ...]:
        """What each document says of itself, read at the first use."""
        if not self._metadata:
            self._metadata = tuple(
                read_metadata(document.parsed, document.page.url, document.page.fetched_at or None)
                for document in self.documents
            )
        return self._metadata

    @property
    def selector(self) -> Selector:
        """A parsel selector over the tree of the page; of several parts over the first one's."""
        if self._selector is None:
            from parsel import Selector  # noqa: PLC0415 - only a project's own pipelines need it

            self._selector = Selector(root=self.document.parsed.roots[0], type="html")
        return self._selector

    @property
    def title(self) -> str | None:
        """The title of what the page is about; that of its document where no other is found."""
        return self.metadata[0].title or self.document.title

    def language(self, part: int = 0) -> str | None:
        """Return the language that a document declares, such as ``ko``; None where it does not."""
        return self.metadata[part].language or self.documents[part].language

    def pairs(self) -> Iterator[tuple[Block, Label]]:
        """Go through the blocks with their labels."""
        return zip(self.blocks, self.labels, strict=True)


def new_item(page: ItemPage, mode: Mode) -> PageItem:
    """Make the item of a page, with what is known before any stage has worked on it.

    Args:
        page: the page, which the item carries from now on.
        mode: by which counts it is judged.
    """
    fetched, view = page.document.page, page.view
    item = PageItem(
        url=fetched.url,
        site=fetched.site_name,
        page_type=page.kind.kind,
        robots=sorted({name for each in page.documents for name in each.robots}),
        fetched_at=fetched.fetched_at,
        encoding=page.document.encoding,
        mode=mode.value,
        site_pages=view.pages,
        counts_snapshot=view.snapshot,
        near_duplicate_of=view.duplicate_of.get(fetched.url),
        fields=dict(fetched.fields),
    )
    item.page = page
    return item
