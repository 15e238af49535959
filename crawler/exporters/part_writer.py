"""Output in numbered parts, each written under another name and renamed when it is whole.

Incremental crawls write their items here, beside any feeds: those are whole only when a crawl ends
well. The ledger counts a page as exported when the part that holds it is whole.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from itemadapter import ItemAdapter, is_item
from scrapy.crawler import Crawler
from scrapy.exporters import BaseItemExporter
from scrapy.utils.misc import build_from_crawler, load_object

from crawler.core.errors import StoreError
from crawler.extensions.component import Component
from crawler.extensions.output_guard import RefusedItem
from crawler.items import PageItem
from crawler.journey.crawl_ledgers import CrawlLedgers
from crawler.journey.parts import aside_of, now
from crawler.settings import Options
from crawler.store.files import file_name
from crawler.store.ledger.rows import GONE_HASH, Part

logger = logging.getLogger(__name__)


def parts_folder(options: Options, site: str) -> Path:
    """Return the folder that holds the parts of a site's output."""
    return (options.output or options.dir / "articles") / file_name(site)


@dataclass(slots=True)
class _OpenPart:
    part: Part
    path: Path
    file: IO[bytes]
    exporter: BaseItemExporter
    items: int = 0


class NumberedParts(Component):
    """Writes each item that has passed all pipelines, and notes it in its site's ledger.

    Args:
        crawler: whose items.
        ledgers: those of their sites.
        save: called before a part counts as whole, to keep what else has to be kept by then.
    """

    handlers = ("item_scraped", "item_dropped", "spider_closed")

    def __init__(self, crawler: Crawler, ledgers: CrawlLedgers, save: Callable[[], None]) -> None:
        super().__init__(crawler)
        self._ledgers = ledgers
        self._save = save
        self._open: dict[str, _OpenPart] = {}
        self._failed: set[str] = set()
        # A killed crawl of a site may have left parts, to be finished or discarded.
        for site in ledgers.runs:
            ledgers.repair(site, parts_folder(self.options, site))

    def item_scraped(self, item: Any) -> None:  # noqa: ANN401 - any item type of Scrapy
        """Write an item, and begin another part where this one has enough."""
        urls = _urls_of(item)
        site = self._ledgers.site_of(urls[0]) if urls else None
        if site is None or not self._ledgers.knows(urls[0]):
            self.warn_once(
                "corpus/parts/passed_over",
                "An item without the address of a crawled page as its url is not written into the "
                "parts: no crawl could tell whether it is new. Feeds (-O FILE) have it",
            )
            return
        name = ItemAdapter(item).get("content_hash") or "unnamed"
        self._write(site, item, urls, name)

    def item_dropped(self, item: Any, exception: BaseException) -> None:  # noqa: ANN401 - any item type of Scrapy
        """Record that a project's pipeline dropped an item: this version of its page gives none.

        What a stage refuses has been recorded by the session, with its reason.
        """
        if isinstance(exception, RefusedItem):
            return
        self._ledgers.mark_without_item(_urls_of(item))

    def spider_closed(self) -> None:
        """Export that pages are gone, and finish all parts."""
        for site in self._ledgers.runs:
            try:
                self._write_gone(site)
            except StoreError as error:
                # The parts of the other sites are finished all the same.
                self._fail(site, error)
        for site in tuple(self._open):
            self._finish(site)

    def _write_gone(self, site: str) -> None:
        run = self._ledgers.runs[site]
        run.trouble.keep_known(run.new_pages)
        for row in self._ledgers.ledger(site).gone_to_export():
            item = PageItem(
                url=row.address,
                site=site,
                change="gone",
                previous_hash=row.exported_hash,
                fetched_at=row.fetched_at,
            )
            self._write(site, item, [row.address], GONE_HASH)
            self.stats.inc_value("corpus/incremental/gone")

    def _write(self, site: str, item: Any, urls: list[str], name: str) -> None:  # noqa: ANN401 - as above
        try:
            if site not in self._open:
                self._open[site] = self._begin(site)
            part = self._open[site]
            part.exporter.export_item(item)
            self._ledgers.mark_exported(urls, name, part.part)
            part.items += 1
            if part.items >= self.options.part_items:
                self._finish(site)
        except (OSError, StoreError) as error:
            self._fail(site, error)

    def _begin(self, site: str) -> _OpenPart:
        folder = parts_folder(self.options, site)
        folder.mkdir(parents=True, exist_ok=True)
        ending = self.options.output_format
        output = self._ledgers.runs[site].output
        part = self._ledgers.ledger(site).begin_part(
            self._ledgers.run, lambda number: f"{output}-{number:05}.{ending}", now()
        )
        file = aside_of(folder, part).open("wb")
        known = self.crawler.settings.getwithbase("FEED_EXPORTERS")
        exporter = build_from_crawler(
            load_object(known[ending]), self.crawler, file, encoding="utf-8"
        )
        exporter.start_exporting()
        return _OpenPart(part, folder / part.name, file, exporter)

    def _finish(self, site: str) -> None:
        """Make a part whole: on the disk, under its name, and in the ledger."""
        part = self._open[site]
        try:
            # The counts must not be lost where the items are kept.
            self._save()
            part.exporter.finish_exporting()
            part.file.flush()
            os.fsync(part.file.fileno())
            part.file.close()
            aside_of(part.path.parent, part.part).replace(part.path)
            self._ledgers.ledger(site).finish_part(part.part.run, part.part.number, now())
        except (OSError, StoreError) as error:
            self._fail(site, error)
            return
        del self._open[site]
        self.stats.inc_value("corpus/parts/written")
        self.stats.set_value("corpus/parts/folder", str(part.path.parent.parent))

    def _fail(self, site: str, error: Exception) -> None:
        """Give up a part. Its pages are still to be exported, by the next crawl."""
        self.stats.inc_value("corpus/parts/failed")
        part = self._open.pop(site, None)
        if part is not None:
            with suppress(OSError):
                part.file.close()
        if site in self._failed:
            return
        self._failed.add(site)
        logger.error(
            "The output of %s cannot be written (%s): run the crawl again when it can, "
            "and it goes on with these pages.",
            site,
            error,
        )


def _urls_of(item: Any) -> list[str]:  # noqa: ANN401 - any item type of Scrapy
    """Return the addresses of the pages that an item was made of; empty where it names none."""
    if not is_item(item):
        return []
    fields = ItemAdapter(item)
    url, parts = fields.get("url"), fields.get("parts")
    if not isinstance(url, str):
        return []
    return [url, *(part for part in parts or () if isinstance(part, str) and part != url)]
