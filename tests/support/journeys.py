"""A crawl's pages from arrival to finished items, without Scrapy: for tests of the journey."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.core.flow import SiteView, read
from crawler.core.pagetype.judge import page_type
from crawler.journey.item_page import Figures, ItemPage, Mode, new_item
from crawler.journey.main_text import MainText
from crawler.journey.session import Crawl
from crawler.journey.stages import ResultFilters, default_stages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from crawler.core.methods import BlockMethod
    from crawler.core.page.page import Page
    from crawler.items import PageItem
    from crawler.journey import item_page
    from crawler.journey.crawl_ledgers import CrawlLedgers
    from crawler.settings import Options
    from crawler.store.spool import Spool


Tally = Figures


class Journey:
    """A crawl and its stages, of some settings or of keyword arguments."""

    def __init__(
        self,
        options: Options,
        name: str,
        tally: item_page.Tally,
        *,
        mode: str,
        ledgers: CrawlLedgers | None = None,
    ) -> None:
        self.crawl = Crawl(options, name, tally, mode=Mode(mode), ledgers=ledgers)
        self.stages = default_stages(options, tally, ledgers)
        self.session = self.crawl
        self.count = self.crawl.count
        self.save_counts = self.crawl.evidence.save

    @property
    def sites(self) -> tuple[str, ...]:
        return self.crawl.evidence.sites

    @property
    def lost(self) -> int:
        return self.session.lost

    def use(self, method: BlockMethod) -> None:
        """Observe and judge by a method of a test's own."""
        self.session.method = method
        main_text = self.stages[0]
        assert isinstance(main_text, MainText)
        main_text.method = method

    def hold(self, page: Page, spool: Spool) -> bool:
        before = len(spool)
        assert self.crawl.take(page, lambda: spool) is None
        return len(spool) > before

    def stream(self, page: Page) -> PageItem | None:
        return self.take(page, lambda: pytest.fail("the page is held"))

    def take(self, page: Page, open_spool: Callable[[], Spool]) -> PageItem | None:
        return self._finished(self.crawl.take(page, open_spool))

    def items(self, pages: Iterable[Page]) -> Iterator[PageItem]:
        for item in self.session.items(pages):
            if (finished := self._finished(item)) is not None:
                yield finished

    def figures(self) -> dict[str, object]:
        return {name: value for stage in self.stages for name, value in stage.figures().items()}

    def _finished(self, item: PageItem | None) -> PageItem | None:
        return None if item is None else self.session.finish(item, self.stages)


def item_of(
    page: Page, options: Options, view: SiteView | None = None, tally: Tally | None = None
) -> PageItem:
    """Return what the stages make of a page by itself, whatever filters would say."""
    document = read(page)
    travelling = ItemPage((document,), view or SiteView(), page_type(document))
    item = new_item(travelling, Mode.SINGLE)
    for each in default_stages(options, Tally() if tally is None else tally):
        if not isinstance(each, ResultFilters):
            each.process(item, travelling)
    return item
