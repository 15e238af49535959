"""One crawl's pages from arrival to finished item: count, hold, judge.

Knows nothing of Scrapy. Live crawls, archives and replays are all served by :class:`Journey`; what
differs is only who calls it and when:

=========  =====================================================================
two-pass   ``hold`` each page as it comes; when no more come, ``items`` of the spool
streaming  ``stream`` each page and export what it returns at once
archive    ``count`` each page of the archive; then ``items`` of the archive again
replay     as archive, of the spool that a killed crawl left behind
=========  =====================================================================
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol, TypeVar

from crawler.core.errors import StoreError, UnreadablePageError
from crawler.core.flow import (
    Document,
    Observation,
    SiteCounts,
    SiteView,
    annotate,
    get_method,
    observe,
    read,
)
from crawler.core.observationlog import ObservationLog
from crawler.core.pagetype import page_type
from crawler.core.pagetype.kinds import ARTICLE
from crawler.dropped import DroppedBlocks
from crawler.making import ItemMaker
from crawler.options import OPTIONS, PREFIX
from crawler.store.counts import CountStore
from crawler.store.tapes import DiskSpace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from crawler.core.flow import Annotation
    from crawler.core.page import Page
    from crawler.items import PageItem
    from crawler.options import Options
    from crawler.store.spool import Spool

__all__ = ["REPLAYED", "Journey", "Tally"]

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

_OF_THE_CALL = {
    f"{PREFIX}{name}" for name in ("MODE", "DIR", "KEEP_SPOOL", "TABLES_FOLDER", "PROGRESS")
}
REPLAYED = tuple(option.name for option in OPTIONS if option.name not in _OF_THE_CALL)
"""The settings that decide what a page's item says: a replay takes over those of the crawl."""

# What was to be whole and is not; the other reasons are part of any crawl or archive.
_LOSSES = frozenset({"corrupt", "truncated", "unreadable", "no-page"})


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
        self._maker = ItemMaker(options, self.method, mode=mode, count=tally.inc_value)
        self.lost = 0
        """Pages that were counted and held, and could not be made an item of."""
        self._wanted = options.wanted_types
        # Pages left out by their kind, and the near-duplicate that is exported in place of each.
        self._left_out: dict[str, str | None] = {}
        self._tally = tally
        # All sites share the memory that counts may take; beyond it they go to disk.
        self._space = DiskSpace(options.dir)
        self._counts: dict[str, SiteCounts] = {}
        self._views: dict[str, SiteView] = {}
        self._store = CountStore(options.dir / "counts")

    @property
    def cutoffs(self) -> dict[str, dict[str, int | None]]:
        """By site: the threshold that its items were judged by, k, and the pages behind them."""
        return self._maker.cutoffs

    @property
    def sites(self) -> tuple[str, ...]:
        """The sites counted so far, in the order in which they were met."""
        return tuple(self._counts)

    def count(self, page: Page) -> bool:
        """Read a page and count its blocks; False where it cannot be read."""
        seen = self._observe(page)
        if seen is not None:
            self._add(*seen)
        return seen is not None

    def hold(self, page: Page, spool: Spool) -> bool:
        """Put a page on disk until :meth:`items`, and count it; False where it cannot be read.

        Raises:
            StoreError: the spool cannot take it; then it is not counted either.
        """
        seen = self._observe(page)
        if seen is None:
            return False
        spool.append(page)
        self._add(*seen)
        self._tally.inc_value("corpus/pages/held")
        return True

    def stream(self, page: Page) -> PageItem | None:
        """Judge a page by the counts of earlier crawls, and count it for later ones."""
        seen = self._observe(page)
        if seen is None:
            return None
        document, observation = seen
        self._add(document, observation)
        return self._item(document, self._stored_view(page.site_name, observation))

    def items(self, pages: Iterable[Page]) -> Iterator[PageItem]:
        """Judge pages that were counted, by the counts of this crawl, which are complete now."""
        for page in pages:
            document = self._read(page)
            if document is None:
                self.lost += 1
                continue
            item = self._item(document, self._own_view(page.site_name))
            if item is not None:
                yield item

    def skip(self, reason: str, detail: str) -> None:
        """Count and log what gives no item: ``reason`` is a slug, ``detail`` names it first."""
        self._tally.inc_value("corpus/pages/skipped")
        self._tally.inc_value(f"corpus/skipped/{reason}")
        level = logging.WARNING if reason in _LOSSES else logging.INFO
        logger.log(level, "Skipped (%s) %s", reason, detail)

    def save_counts(self) -> None:
        """Keep what this crawl observed for later crawls; an error is logged and counted."""
        for site, counts in self._counts.items():
            try:
                self._store.save(site, self.crawl, counts)
            except StoreError as error:
                # This crawl's own items do not need the file.
                self._tally.inc_value("corpus/counts/failed")
                logger.error("%s", error)  # noqa: TRY400 - the message says it all in one line

    def _observe(self, page: Page) -> tuple[Document, Observation] | None:
        """Read a page and observe it; None where that cannot be, which is counted and logged."""
        document = self._read(page)
        if document is None:
            return None
        observation = self._attempt(page, lambda: observe(document, self.method))
        return None if observation is None else (document, observation)

    def _read(self, page: Page) -> Document | None:
        return self._attempt(page, lambda: read(page, self.options.max_page_bytes))

    def _attempt(self, page: Page, work: Callable[[], _T]) -> _T | None:
        """Do one page's work; count and log whatever fails, for it must not cost the others."""
        try:
            return work()
        except UnreadablePageError as error:
            self.skip(error.reason, f"{page.url}: {error.detail}")
        except Exception:
            # The method may be anybody's.
            logger.exception("Unexpected error on %s; please report it", page.url)
            self.skip("error", f"{page.url}: see the error above")
        return None

    def _add(self, document: Document, observation: Observation) -> None:
        site = document.page.site_name
        if site not in self._counts:
            self._counts[site] = SiteCounts(ObservationLog(self._space))
        self._counts[site].add(observation)

    def _own_view(self, site: str) -> SiteView:
        if site not in self._views:
            self._views[site] = self._view(site, self._counts.get(site, SiteCounts()))
        return self._views[site]

    def _view(self, site: str, counts: SiteCounts) -> SiteView:
        try:
            return counts.view(self.options.near_duplicate_similarity)
        except StoreError as error:
            self._tally.inc_value("corpus/counts/failed")
            logger.error("%s. The pages of %s are judged by themselves alone", error, site)  # noqa: TRY400 - one line
            return SiteView.unknown()

    def _stored_view(self, site: str, observation: Observation) -> SiteView:
        if site not in self._views:
            self._views[site] = view = self._load_view(site)
            if view.is_known and (missing := observation.sums.keys() - view.sums.keys()):
                logger.warning(
                    "The counts of %s come from crawls with other text methods: %s finds no %s in "
                    "them, and judges as on a site never counted. Crawl it once with "
                    "CORPUS_MODE=two-pass and this method.",
                    site,
                    self.method.name,
                    ", ".join(sorted(missing)),
                )
        return self._views[site]

    def _load_view(self, site: str) -> SiteView:
        view = self._view(site, self._store.load(site, self._pass_over_counts, self._space))
        if not view.is_known:
            logger.warning(
                "No counts of %s yet: its pages are judged by themselves alone. "
                "Crawl it once with CORPUS_MODE=two-pass for better text.",
                site,
            )
        return view

    def _pass_over_counts(self, error: StoreError) -> None:
        self._tally.inc_value("corpus/counts/failed")
        logger.warning("Counts passed over: %s", error)

    def _item(self, document: Document, view: SiteView) -> PageItem | None:
        url = document.page.url
        kind = self._wanted_kind(document)
        if kind is None:
            return None
        annotation = self._attempt(document.page, lambda: annotate(document, view, self.method))
        if annotation is None:
            self.lost += 1
            return None
        if annotation.duplicate_of is not None:
            self._tally.inc_value("corpus/pages/near_duplicates")
            if self.options.drop_near_duplicates and (same := self._same(annotation)):
                self.skip("near-duplicate", f"{url}: of {same}")
                return None
        item = self._attempt(document.page, lambda: self._maker.make(annotation, view, kind))
        if item is None:
            self.lost += 1
            return None
        self._tally.inc_value("corpus/blocks/kept", item.blocks_kept)
        self._tally.inc_value("corpus/blocks/dropped", item.blocks_dropped)
        self.dropped.add(annotation)
        return item

    def _wanted_kind(self, document: Document) -> str | None:
        """Tell the kind of a page; None where it is not exported, which is counted and logged."""
        page = document.page
        found = self._attempt(page, lambda: page_type(document))
        if found is None:
            self.lost += 1
            return None
        self._tally.inc_value(f"corpus/page_types/{found.kind}")
        if found.is_among(self._wanted):
            return found.kind
        self._left_out[page.url] = None
        reason = "not-article" if self._wanted == {ARTICLE} else "page-type"
        self.skip(reason, f"{page.url}: {found.kind}")
        return None

    def _same(self, annotation: Annotation) -> str | None:
        """Return the exported page that a near-duplicate repeats.

        None where the page it repeats was left out: a front page may repeat a whole article. Then
        this one stands in for it.
        """
        original = annotation.duplicate_of
        if original is None or original not in self._left_out:
            return original
        stand_in = self._left_out[original]
        if stand_in is None:
            self._left_out[original] = annotation.document.page.url
        return stand_in
