"""Short log lines: items by their address, and no lists of settings and components."""

from __future__ import annotations

import logging
from typing import Any, Final

from itemadapter import ItemAdapter, is_item
from scrapy.logformatter import LogFormatter, LogFormatterResult
from scrapy.utils.log import get_scrapy_root_handler

_NAME_CHARS: Final = 200
"""Longest name of an item in a log line."""


class ShortLogFormatter(LogFormatter):
    """Names an item by its address; Scrapy's own formatter prints the whole item, page text too."""

    def scraped(self, item: Any, *where: Any) -> LogFormatterResult:  # noqa: ANN401 - any item type of Scrapy
        """Say that an item has passed all pipelines."""
        return _short(super().scraped(item, *where), "Exported %(name)s", item)

    def dropped(self, item: Any, exception: BaseException, *where: Any) -> LogFormatterResult:  # noqa: ANN401 - as above
        """Say which item a pipeline dropped, and why."""
        result = super().dropped(item, exception, *where)
        return _short(result, "Dropped %(name)s: %(exception)s", item, exception=exception)

    def item_error(self, item: Any, exception: BaseException, *where: Any) -> LogFormatterResult:  # noqa: ANN401 - as above
        """Say with which item a pipeline failed; the traceback follows."""
        return _short(
            super().item_error(item, exception, *where), "Error processing %(name)s", item
        )


def _short(
    result: LogFormatterResult, message: str, item: object, **values: object
) -> LogFormatterResult:
    """Return Scrapy's own log record with another message, in which ``name`` is the item's."""
    address = ItemAdapter(item).get("url") if is_item(item) else None
    text = str(address) if address else repr(item)
    name = text if len(text) <= _NAME_CHARS else text[: _NAME_CHARS - 1] + "…"
    return {"level": result["level"], "msg": message, "args": {"name": name, **values}}


def _is_wanted(record: logging.LogRecord) -> bool:
    """Keep the lists of components and settings for those who log at DEBUG."""
    name = record.args.get("componentname") if isinstance(record.args, dict) else None
    if name == "item pipeline" or not str(record.msg).startswith(
        ("Enabled ", "Overridden settings")
    ):
        return True
    handler = get_scrapy_root_handler()
    return handler is not None and handler.level <= logging.DEBUG


def shorten_start() -> None:
    """Take Scrapy's long lists at the start of a crawl out of logs above DEBUG.

    Scrapy has no setting for it; call this from a settings module.
    """
    for name in ("scrapy.addons", "scrapy.crawler", "scrapy.middleware"):
        logging.getLogger(name).addFilter(_is_wanted)
