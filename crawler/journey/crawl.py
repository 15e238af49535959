"""The pages of a crawl as they come: counted, held on disk, or judged at once."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from crawler.core.errors import StoreError
from crawler.core.pagination import may_be_part, next_part
from crawler.journey.evidence import CrawlEvidence, declared_original
from crawler.journey.item_page import Mode
from crawler.journey.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from crawler.core.flow import Document, Observation
    from crawler.core.page.page import Page
    from crawler.core.page.parse import ParsedPage
    from crawler.items import PageItem
    from crawler.journey.crawl_ledgers import CrawlLedgers
    from crawler.journey.item_page import Tally
    from crawler.settings import Options
    from crawler.store.spool import Spool


def crawl_name(started: datetime) -> str:
    """Name a crawl so that names sort by time and two crawls of one second differ."""
    return f"{started:%Y%m%d-%H%M%S}-{started.microsecond:06}-{os.getpid()}"


class Crawl:
    """One crawl: its evidence, and the session that judges its pages.

    Args:
        options: the crawl's settings.
        name: the crawl's name, under which its counts are kept.
        tally: where figures are added up.
        mode: by which counts its pages are judged.
        ledgers: those of an incremental crawl.
    """

    def __init__(
        self,
        options: Options,
        name: str,
        tally: Tally,
        *,
        mode: Mode,
        ledgers: CrawlLedgers | None = None,
    ) -> None:
        self.options = options
        self.name = name
        self.mode = mode
        self.evidence = CrawlEvidence(
            options,
            name,
            lambda: tally.inc_value("corpus/counts/failed"),
            with_earlier=ledgers is not None,
            latest_alone=mode is Mode.ARCHIVE,
        )
        self.session = Session(
            options,
            tally,
            mode=mode,
            evidence=self.evidence,
            ledgers=ledgers,
            reraise=(StoreError,),
        )

    def count(self, page: Page) -> bool:
        """Read a page and count its blocks; False where it cannot be read."""
        seen = self.session.observe(page)
        if seen is not None:
            self.evidence.count(*seen)
            self.evidence.link(seen[0])
        return seen is not None

    def hold(self, page: Page, spool: Spool, parsed: ParsedPage | None = None) -> bool:
        """Put a page on disk until all pages are judged; False where it cannot be read.

        Args:
            page: the page.
            spool: where it is put.
            parsed: its tree, where it was parsed already.

        Raises:
            StoreError: the spool cannot take it; then it is not counted either.
        """
        seen = self.session.observe(page, parsed)
        if seen is not None:
            self._hold(*seen, spool)
        return seen is not None

    def stream(self, page: Page, parsed: ParsedPage | None = None) -> PageItem | None:
        """Judge a page by the counts of earlier crawls, and count it for later ones."""
        seen = self.session.observe(page, parsed)
        if seen is None:
            return None
        document, observation = seen
        self.evidence.count(document, observation)
        view = self.evidence.streaming_view(page.site_name, observation, self.session.method.name)
        return self.session.item(document, view)

    def stream_or_hold(
        self, page: Page, open_spool: Callable[[], Spool], parsed: ParsedPage | None = None
    ) -> PageItem | None:
        """Judge a page by the counts of earlier crawls if they know its template, else hold it.

        They do not know pages of a site that was never counted, nor those of a new design: how
        often the blocks of such a page stand on the site is known when this crawl has counted more
        of them. Pages that may be aliases or parts of an article are held as well.

        Args:
            page: the page.
            open_spool: gives the spool, which is made when it is first needed.
            parsed: the page's tree, where it was parsed already.

        Raises:
            StoreError: the spool cannot take it; then it is not counted either.
        """
        seen = self.session.observe(page, parsed)
        if seen is None:
            return None
        document, observation = seen
        view = self.evidence.earlier_view(page.site_name)
        if not view.has_template_of(observation) or self._needs_others(document):
            self._hold(document, observation, open_spool())
            return None
        self.evidence.count(document, observation)
        self.session.tally.inc_value("corpus/pages/streamed")
        return self.session.item(document, view)

    def _hold(self, document: Document, observation: Observation, spool: Spool) -> None:
        spool.append(document.page)
        self.evidence.count(document, observation)
        self.evidence.link(document)
        self.session.tally.inc_value("corpus/pages/held")

    def _needs_others(self, document: Document) -> bool:
        """Say whether a page may be an alias of another, or a part of an article."""
        if declared_original(document) is not None:
            return True
        url = document.page.url
        return self.options.join_parts and (
            may_be_part(url) or next_part(document.parsed, url) is not None
        )
