"""The stages of the work on a page, each as an item pipeline.

A pipeline runs its stage (:mod:`crawler.journey.stages`) on items that have their page with them
(``item.page``); other items pass. What a stage refuses is dropped, counted and logged with its
reason.
"""

from __future__ import annotations

import logging
from itertools import takewhile
from typing import Any, ClassVar

from itemadapter import ItemAdapter, is_item
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from crawler.core.errors import StoreError
from crawler.extensions.component import Component
from crawler.extensions.output_guard import RefusedItem
from crawler.items import PageItem
from crawler.journey.item_page import Stage
from crawler.journey.main_text import MainText
from crawler.journey.stages import Metadata, ResultFilters, Sentences, Structure, Tables
from crawler.middlewares.two_pass import TwoPass

logger = logging.getLogger(__name__)


class StagePipeline(Component):
    """An item pipeline that runs one stage. Derived classes say which.

    Raises:
        NotConfigured: the settings switch the stage off.
    """

    is_stage: ClassVar = True
    """Whether it fills items and takes them nowhere."""
    stage: ClassVar[type[Stage]]

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._two_pass: TwoPass | None = None
        if self.stage.needs and not getattr(self.options, self.stage.needs):
            raise NotConfigured
        self._stage = self.stage(self.options, self.stats)

    def open_spider(self) -> None:
        """Find the middleware whose session counts what is refused and what fails."""
        self._two_pass = self.crawler.get_spider_middleware(TwoPass)

    def process_item(self, item: Any) -> Any:  # noqa: ANN401 - any item type of Scrapy
        """Run the stage on an item that has its page with it.

        Raises:
            RefusedItem: the page gives no item.
        """
        if self._two_pass is None:
            return item
        if not isinstance(item, PageItem) or item.page is None:
            self._warn_of_copy(item, self._two_pass.session.mode.value)
            return item
        try:
            if self._two_pass.session.run(self._stage, item):
                return item
        except StoreError as error:
            # The page stays owed, so that the next crawl exports it.
            self._two_pass.end_for_ledger(error)
        item.page = None
        raise RefusedItem("it gives no item", log_level="DEBUG")

    def _warn_of_copy(self, item: Any, mode: str) -> None:  # noqa: ANN401 - as above
        """Warn of an item of this crawl that another pipeline replaced: its page is gone."""
        if not is_item(item):
            return
        fields = ItemAdapter(item)
        # Items that the spider made itself say nothing of the counts of this crawl.
        if "counts_snapshot" not in fields or fields.get("mode") != mode:
            return
        self.warn_once(
            "corpus/items/unfilled",
            "%s cannot fill the item of %s: a pipeline before it returned a copy or a dictionary, "
            "which has no page. Change the item itself, or give that pipeline a number above 160",
            type(self).__name__,
            fields.get("url"),
        )

    def close_spider(self) -> None:
        """Give the figures that are known when all items have passed."""
        for name, value in self._stage.figures().items():
            self.stats.set_value(name, value)
        self._stage.close()


class MainTextPipeline(StagePipeline):
    """Fills ``text`` and all that depends on which blocks are kept."""

    stage = MainText


class MetadataPipeline(StagePipeline):
    """Fills title, authors, dates, language and the other metadata."""

    stage = Metadata


class FiltersPipeline(StagePipeline):
    """Drops pages by their text and metadata: no text, unchanged since the last crawl."""

    stage = ResultFilters

    def open_spider(self) -> None:
        """Find the ledgers of an incremental crawl: the filters depend on them."""
        super().open_spider()
        ledgers = None if self._two_pass is None else self._two_pass.ledgers
        self._stage = ResultFilters(self.options, self.stats, ledgers)
        assert self.crawler.engine is not None  # noqa: S101 - it opened the spider
        processor: Any = self.crawler.engine.scraper.itemproc
        before = [*takewhile(lambda each: each is not self, processor.middlewares)]
        if not any(isinstance(each, MainTextPipeline) or not _is_stage(each) for each in before):
            logger.warning(
                "No item pipeline in front of FiltersPipeline fills 'text', so every page is "
                "dropped as one without text (no-text): MainTextPipeline is switched off, or has a "
                "higher number in ITEM_PIPELINES. Put it in front, or switch FiltersPipeline off"
            )


def _is_stage(pipeline: object) -> bool:
    return getattr(pipeline, "is_stage", False)


class SentencesPipeline(StagePipeline):
    """Fills ``sentences``; switched off by ``CORPUS_SENTENCES``."""

    stage = Sentences


class TablesPipeline(StagePipeline):
    """Fills ``tables``; switched off by ``CORPUS_TABLES``."""

    stage = Tables


class StructurePipeline(StagePipeline):
    """Fills ``structure`` where ``CORPUS_STRUCTURE_MODEL`` names a document model."""

    stage = Structure
