"""The add-on: ``ADDONS = {"crawler.addon.CorpusAddon": 500}`` makes any Scrapy project a corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crawler.core.methods import get_method
from crawler.exporters import check_feeds
from crawler.hold import DrainingItems, Hold, SpoolDownloadHandler
from crawler.manners import POLITE_SETTINGS, CrawlDelay
from crawler.options import Options
from crawler.progress import Progress

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

__all__ = ["CorpusAddon"]

_PRIORITY = "addon"
_FORMATS = {
    "parquet": "crawler.exporters.ParquetItemExporter",
    "csv": "crawler.exporters.CorpusCsvItemExporter",
}
# Next to the engine: a project's own spider middlewares see pages as its spiders yield them.
_HOLD_ORDER = 10


class CorpusAddon:
    """Switches the components on, in order. What a project has set itself stays as it is."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components and the polite defaults.

        Raises:
            OptionError: a ``CORPUS_*`` setting or a feed's format is wrong. Raised before the
                crawl starts, since Scrapy switches all feeds off at one unknown format.
        """
        options = Options.from_settings(settings)
        get_method(options.text_method)
        for name, value in POLITE_SETTINGS.items():
            settings.set(name, value, _PRIORITY)
        settings.set("FEED_EXPORT_ENCODING", "utf-8", _PRIORITY)
        # A page that reloads or moves on after more seconds than these is there to be read.
        settings.set("METAREFRESH_MAXDELAY", 5, _PRIORITY)
        settings.set("ITEM_PROCESSOR", DrainingItems, _PRIORITY)
        settings.setdefault_in_component_priority_dict("SPIDER_MIDDLEWARES", Hold, _HOLD_ORDER)
        settings.setdefault_in_component_priority_dict("EXTENSIONS", CrawlDelay, 500)
        settings.setdefault_in_component_priority_dict("EXTENSIONS", Progress, 500)
        _add_default(settings, "DOWNLOAD_HANDLERS", {"spool": SpoolDownloadHandler})
        _add_default(settings, "FEED_EXPORTERS", _FORMATS)
        check_feeds(settings)


def _add_default(settings: BaseSettings, name: str, entries: dict[str, Any]) -> None:
    """Add entries to a dictionary setting where the project has none of that key."""
    merged = {**entries, **settings.getdict(name)}
    settings.set(name, merged, max(settings.getpriority(name) or 0, 15))
