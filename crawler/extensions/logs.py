"""Short logs: no lists of settings and components at the start of a crawl."""

from __future__ import annotations

import logging

from scrapy.utils.log import get_scrapy_root_handler


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
