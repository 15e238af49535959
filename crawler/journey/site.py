"""Many pages, judged by all of them: the library's class :class:`Site`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from crawler.items import PageItem
from crawler.journey.extract import GivenPage, library_options, page_of
from crawler.journey.item_page import Figures, Mode
from crawler.journey.page_joiner import Captures
from crawler.journey.parts import now
from crawler.journey.session import Crawl
from crawler.journey.stages import default_stages
from crawler.store.spool import Spool


class Site:
    """Takes the pages of a site, and gives an item of each, judged by all of them.

    Pages are counted as they come and held in a file on disk; when the last has come, they are read
    once more and judged. So memory stays small whatever their number. The items are those of a
    crawl of an archive with these pages: articles alone unless ``page_types`` says otherwise, the
    parts of an article as one item, of an address that comes twice the latest page. Pages of
    several hosts are counted by host.

    Args:
        folder: where the pages are held until their items are given; by default where the system
            keeps temporary files. The space is about that of the pages packed by gzip.
        settings: values of ``CORPUS_*`` settings, by their names in small letters without the
            prefix, such as ``page_types="all"``.

    Raises:
        OptionError: a setting is not known, has a wrong value, or is for crawls alone.
        CorpusError: a method, model or wrapper that a setting names cannot be used.
    """

    def __init__(self, folder: str | Path | None = None, **settings: object) -> None:
        self._folder = folder
        self._options = library_options(settings)
        self.stats = Figures()
        """What became of the pages so far, as docs/statistics.md lists it."""
        for stage in default_stages(self._options, self.stats):
            stage.close()

    def items(self, pages: Iterable[GivenPage]) -> Iterator[PageItem]:
        """Give the items of pages, in the order of the pages; the parts of articles come last.

        The first item comes when the last page was taken. A page that cannot be read, is refused
        or fails costs nothing but its own item: ``stats`` counts it by its reason, and the log
        (``logging``) names it.

        Raises:
            StoreError: the pages cannot be held: the disk is full, or the folder cannot be written.
            TypeError: one of the pages is neither a page nor a pair of address and HTML.
        """
        with TemporaryDirectory(prefix="scrapy-corpus-", dir=self._folder) as folder:
            options = replace(self._options, dir=Path(folder))
            crawl = Crawl(options, "pages", self.stats, mode=Mode.ARCHIVE)
            spool = Spool.create(folder, "pages", started=now())
            stages = default_stages(options, self.stats)
            try:
                captures = _hold(pages, crawl, spool)
                for item in crawl.items(captures.wanted(spool.pages())):
                    if crawl.finish(item, stages) is not None:
                        self.stats.inc_value("corpus/pages/exported")
                        yield item
            finally:
                spool.close()
                for stage in stages:
                    stage.close()


def _hold(pages: Iterable[GivenPage], crawl: Crawl, spool: Spool) -> Captures:
    """Count pages and put them on disk; return which of them are wanted."""
    captures = Captures(latest_alone=True)
    for page in map(page_of, pages):
        crawl.tally.inc_value("corpus/pages/fetched")
        before = len(spool)
        crawl.take(page, lambda: spool)
        if len(spool) > before and not captures.add(page):
            crawl.skip("duplicate-address", f"{page.url}: one page of it gives an item")
    return captures
