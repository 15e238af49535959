"""Short log lines: items by their address, and no lists of settings and components."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from itemadapter import ItemAdapter, is_item
from scrapy.logformatter import LogFormatter, LogFormatterResult
from scrapy.utils.log import get_scrapy_root_handler

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.http import Response
    from twisted.python.failure import Failure

_NAME_CHARS: Final = 200
"""Longest name of an item in a log line."""


class ShortLogFormatter(LogFormatter):
    """Names an item by its address; Scrapy's own formatter prints the whole item, page text too."""

    def scraped(
        self,
        item: Any,  # noqa: ANN401 - any item type of Scrapy
        response: Response | Failure | None,
        spider: Spider,
    ) -> LogFormatterResult:
        """Say that an item has passed all pipelines."""
        return _short(super().scraped(item, response, spider), "Exported %(name)s", item)

    def dropped(
        self,
        item: Any,  # noqa: ANN401 - any item type of Scrapy
        exception: BaseException,
        response: Response | Failure | None,
        spider: Spider,
    ) -> LogFormatterResult:
        """Say which item a pipeline dropped, and why."""
        result = super().dropped(item, exception, response, spider)
        return _short(result, "Dropped %(name)s: %(exception)s", item, exception=exception)

    def item_error(
        self,
        item: Any,  # noqa: ANN401 - any item type of Scrapy
        exception: BaseException,
        response: Response | Failure | None,
        spider: Spider,
    ) -> LogFormatterResult:
        """Say with which item a pipeline failed; the traceback follows."""
        result = super().item_error(item, exception, response, spider)
        return _short(result, "Error processing %(name)s", item)


def _short(
    result: LogFormatterResult, message: str, item: object, **values: object
) -> LogFormatterResult:
    """Return Scrapy's own log record with another message, in which ``name`` is the item's."""
    address = ItemAdapter(item).get("url") if is_item(item) else None
    text = str(address) if address else repr(item)
    name = text if len(text) <= _NAME_CHARS else text[: _NAME_CHARS - 1] + "…"
    return {"level": result["level"], "msg": message, "args": {"name": name, **values}}


class _StartFilter(logging.Filter):
    """Keeps the lists of components and settings for those who log at DEBUG."""

    def filter(self, record: logging.LogRecord) -> bool:
        name = record.args.get("componentname") if isinstance(record.args, dict) else None
        if name == "item pipeline" or not str(record.msg).startswith(
            ("Enabled ", "Overridden settings")
        ):
            return True
        handler = get_scrapy_root_handler()
        return handler is not None and handler.level <= logging.DEBUG


_START_FILTER: Final = _StartFilter()


def shorten_start() -> None:
    """Take Scrapy's long lists at the start of a crawl out of logs above DEBUG.

    Scrapy has no setting for it; call this from a settings module.
    """
    for name in ("scrapy.addons", "scrapy.crawler", "scrapy.middleware"):
        logging.getLogger(name).addFilter(_START_FILTER)
