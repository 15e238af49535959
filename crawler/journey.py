"""One crawl's pages from arrival to finished item: count, hold, judge.

Knows nothing of Scrapy. Live crawls, archives and single pages are all served by :class:`Journey`;
what differs is only who calls it and when:

=========  =====================================================================
two-pass   ``take`` each page as it comes; when no more come, ``items`` of the spool
streaming  ``take`` each page and export what it returns at once
archive    ``count`` each page of the archive; then ``items`` of the archive again
=========  =====================================================================
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol

from crawler.core.errors import StoreError, UnreadablePageError
from crawler.core.flow import (
    Annotation,
    Document,
    SiteCounts,
    SiteView,
    annotate,
    get_method,
    observe,
    read,
)
from crawler.dropped import DroppedBlocks
from crawler.items import PageItem
from crawler.store.counts import CountStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crawler.core.page import Page
    from crawler.options import Options
    from crawler.store.spool import Spool

__all__ = ["Journey", "Tally", "page_item"]

logger = logging.getLogger(__name__)

_UNEXPECTED = "Unexpected error on %s; please report it"


class Tally(Protocol):
    """Where figures go: Scrapy's stats collector, or anything that adds up by name."""

    def inc_value(self, key: str, count: int = 1) -> None:
        """Add ``count`` to the figure ``key``."""


class Journey:
    """The pages of one crawl, over any number of sites.

    Args:
        options: the crawl's settings.
        crawl: the crawl's name, under which its counts are kept.
        tally: where figures are added up.
        mode: which counts its items are judged by, as the items say it.
    """

    def __init__(self, options: Options, crawl: str, tally: Tally, *, mode: str) -> None:
        self.options = options
        self.crawl = crawl
        self.mode = mode
        self.method = get_method(options.text_method)
        self.dropped = DroppedBlocks()
        self._tally = tally
        self._counts: dict[str, SiteCounts] = {}
        self._views: dict[str, SiteView] = {}
        self._store = CountStore(options.dir / "counts")

    @property
    def sites(self) -> tuple[str, ...]:
        """The sites counted so far, in the order in which they were met."""
        return tuple(self._counts)

    def count(self, page: Page) -> Document | None:
        """Read a page and count its blocks; None where it cannot be read, which is counted too."""
        document = self.read(page)
        if document is not None:
            counts = self._counts.setdefault(page.site_name, SiteCounts())
            counts.add(observe(document, self.method))
        return document

    def hold(self, page: Page, spool: Spool) -> bool:
        """Count a page and put it on disk until :meth:`items`; False where it cannot be read."""
        if self.count(page) is None:
            return False
        spool.append(page)
        self._tally.inc_value("corpus/pages/held")
        return True

    def stream(self, page: Page) -> PageItem | None:
        """Judge a page by the counts of earlier crawls, and count it for later ones."""
        document = self.count(page)
        return None if document is None else self._item(document, self._stored_view(page.site_name))

    def items(self, pages: Iterable[Page]) -> Iterator[PageItem]:
        """Judge pages by the counts of this crawl, which are complete now."""
        for page in pages:
            # What cannot be read was counted and logged in the first pass.
            document = self.read(page, again=True)
            if document is None:
                continue
            item = self._item(document, self._own_view(page.site_name))
            if item is not None:
                yield item

    def read(self, page: Page, *, again: bool = False) -> Document | None:
        """Read a page; None where it cannot be, counted and logged unless it is read ``again``."""
        try:
            return read(page, self.options.max_page_bytes)
        except UnreadablePageError as error:
            if not again:
                self.skip(page.url, error.reason, error.detail)
        except Exception:
            # One page must not end a crawl of thousands, whatever is wrong with it.
            if not again:
                logger.exception(_UNEXPECTED, page.url)
                self.skip(page.url, "error", "see the error above")
        return None

    def skip(self, url: str, reason: str, detail: str) -> None:
        """Count and log a page that gives no item."""
        self._tally.inc_value("corpus/pages/skipped")
        self._tally.inc_value(f"corpus/skipped/{reason}")
        logger.info("Skipped (%s) %s: %s", reason, url, detail)

    def save_counts(self) -> None:
        """Keep what this crawl observed for later crawls; an error is logged and counted."""
        for site, counts in self._counts.items():
            try:
                self._store.save(site, self.crawl, counts)
            except StoreError as error:
                # This crawl's own items do not need the file.
                self._tally.inc_value("corpus/counts/failed")
                logger.error("%s", error)  # noqa: TRY400 - the message says it all in one line

    def _own_view(self, site: str) -> SiteView:
        if site not in self._views:
            counts = self._counts.get(site, SiteCounts())
            self._views[site] = counts.view(self.options.near_duplicate_similarity)
        return self._views[site]

    def _stored_view(self, site: str) -> SiteView:
        if site not in self._views:
            self._views[site] = self._load_view(site)
        return self._views[site]

    def _load_view(self, site: str) -> SiteView:
        try:
            counts = self._store.load(site)
        except StoreError as error:
            self._tally.inc_value("corpus/counts/failed")
            logger.error("%s. The pages of %s are judged by themselves alone.", error, site)  # noqa: TRY400 - one line
            return SiteView.unknown()
        view = counts.view(self.options.near_duplicate_similarity)
        if not view.is_known:
            logger.warning(
                "No counts of %s yet: its pages are judged by themselves alone. "
                "Crawl it once with CORPUS_MODE=two-pass for better text.",
                site,
            )
        return view

    def _item(self, document: Document, view: SiteView) -> PageItem | None:
        try:
            annotation = annotate(document, view, self.method)
        except Exception:
            # The method may be anybody's, and one page must not cost the others.
            logger.exception(_UNEXPECTED, document.page.url)
            self.skip(document.page.url, "error", "see the error above")
            return None
        if annotation.duplicate_of is not None:
            self._tally.inc_value("corpus/pages/near_duplicates")
            if self.options.drop_near_duplicates:
                self.skip(document.page.url, "near-duplicate", f"of {annotation.duplicate_of}")
                return None
        item = page_item(
            annotation, view, self.method.name, mode=self.mode, blocks=self.options.item_blocks
        )
        self._tally.inc_value("corpus/blocks/kept", item.blocks_kept)
        self._tally.inc_value("corpus/blocks/dropped", item.blocks_dropped)
        self.dropped.add(annotation)
        return item


def page_item(
    annotation: Annotation, view: SiteView, method: str, *, mode: str, blocks: bool
) -> PageItem:
    """Make the item that is exported for an annotated page, with all its blocks if asked."""
    document = annotation.document
    page = document.page
    kept = sum(label.kept for label in annotation.labels)
    return PageItem(
        url=page.url,
        canonical_url=document.canonical_url,
        site=page.site_name,
        title=document.title,
        language=document.language,
        text=annotation.text,
        fetched_at=page.fetched_at,
        encoding=document.encoding,
        method=method,
        mode=mode,
        site_pages=view.pages,
        counts_snapshot=view.snapshot,
        near_duplicate_of=annotation.duplicate_of,
        blocks_kept=kept,
        blocks_dropped=len(annotation.labels) - kept,
        blocks=[
            {
                "index": block.index,
                "text": block.text,
                "tag": block.tag,
                "path": block.path,
                "kept": label.kept,
                "reason": label.reason,
                "frequency": label.frequency,
                "link_share": round(block.link_share, 3),
            }
            for block, label in annotation.pairs()
        ]
        if blocks
        else None,
        fields=dict(page.fields),
    )
