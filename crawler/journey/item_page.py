"""The page of an item while the item travels: what stages, and a project's own pipelines, work on.

An item has its page as ``item.page`` until it is exported; no export ever holds it. The page is
parsed already: nothing here parses again. A :class:`Stage` fills its part of the item, or refuses
the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Protocol

from crawler.core.flow import Annotation, Document, SiteView
from crawler.core.metadata.read import Metadata, read_metadata
from crawler.core.metadata.template import Template
from crawler.core.methods import Label
from crawler.core.page.blocks import Block
from crawler.core.pagetype.judge import PageType
from crawler.items import PageItem
from crawler.journey.page_time import PageTime
from crawler.settings import Options

if TYPE_CHECKING:
    from parsel import Selector


def metadata_of(document: Document, view: SiteView) -> Metadata:
    """Return what a document says of itself and its site's counts do not refute."""
    template = Template(document.blocks, view) if view.is_known else None
    page = document.page
    return read_metadata(document.parsed, page.url, page.fetched_at or None, template)


class Mode(StrEnum):
    """By which counts pages are judged. The value is what items and statistics say.

    Two-pass: of this crawl. Streaming: of earlier crawls. Incremental: of earlier crawls, and of
    both for pages of new templates. Archive: of all its pages. Single: of earlier crawls, or of
    pages given.
    """

    TWO_PASS = "two-pass"  # noqa: S105 - no password
    STREAMING = "streaming"
    INCREMENTAL = "incremental"
    ARCHIVE = "archive"
    SINGLE = "single"

    @property
    def exports_while_fetching(self) -> bool:
        """Whether items leave while the crawl still fetches pages."""
        return self in {Mode.STREAMING, Mode.INCREMENTAL}


@dataclass(slots=True, eq=False)
class ItemPage:
    """One page, or the parts of an article that its site cuts into several pages.

    Attributes:
        documents: The page, read; of an article in several pages its parts, in order.
        view: The counts that the page is judged by.
        kind: What kind of page it is, and how likely; of several parts the first one's.
        annotations: The judged blocks, one annotation a document. Empty before the stage
            ``MainText``, as are the two others.
        time: The processor time that is left for the work on the page.
        blocks, labels: All blocks of all documents, numbered through, and one label a block. A
            pipeline that takes the place of ``MainText`` sets both.
    """

    documents: tuple[Document, ...]
    view: SiteView
    kind: PageType
    time: PageTime = field(default_factory=PageTime, repr=False)
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
        """What each document says of itself and its site's counts do not refute, read once."""
        if not self._metadata:
            self._metadata = tuple(metadata_of(each, self.view) for each in self.documents)
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

    def text_sources(self) -> list[str]:
        """Return where main text was found that the page does not show, sorted."""
        return sorted(set(filter(None, (each.text_source for each in self.annotations))))

    def pairs(self) -> Iterator[tuple[Block, Label]]:
        """Go through the blocks with their labels."""
        return zip(self.blocks, self.labels, strict=True)


def new_item(page: ItemPage, mode: Mode) -> PageItem:
    """Make the item of a page, which it carries, with what is known before any stage."""
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


class Tally(Protocol):
    """Where figures go: Scrapy's stats collector, or anything that adds up by name."""

    def inc_value(self, key: str, count: int = 1) -> None:
        """Add ``count`` to the figure ``key``."""


class Figures(Counter[str]):
    """Figures by name; those that were never counted are 0."""

    def inc_value(self, key: str, count: int = 1) -> None:
        """Add to a figure."""
        self[key] += count


class Refusal(Exception):  # noqa: N818 - filters return it, and stages raise it
    """Why a page gives no item.

    Args:
        reason: a slug, counted as ``corpus/skipped/REASON``.
        detail: one line for the log, behind the page's address.
        kind: what kind of page it is, where that is the reason.
        is_settled: whether the filter has told the ledger already.
    """

    def __init__(
        self, reason: str, detail: str, *, kind: str = "", is_settled: bool = False
    ) -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, detail
        self.kind, self.is_settled = kind, is_settled


class Stage:
    """One step of the work on a page.

    A stage of a project's own derives from this class, or is any item pipeline.

    Args:
        options: the crawl's settings.
        tally: where figures are added up.
    """

    needs: ClassVar[str] = ""
    """The option without which the stage is left out; empty where it is always there."""

    def __init__(self, options: Options, tally: Tally) -> None:
        self._options = options
        self._tally = tally

    def process(self, item: PageItem, page: ItemPage) -> None:
        """Fill this stage's part of an item, by its page.

        Raises:
            Refusal: the page gives no item.
        """
        raise NotImplementedError

    def figures(self) -> Mapping[str, object]:
        """Return the statistics that are known when all pages are done, by their names."""
        return {}

    def close(self) -> None:
        """End what was started for the work."""
