"""Logs that are short and safe: no lists at the start, nothing that acts on a terminal."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import suppress
from copy import copy
from pathlib import Path
from typing import Final

from scrapy.settings import Settings
from scrapy.utils.log import get_scrapy_root_handler

from crawler.core.wording import harmless, without_secrets
from crawler.extensions.component import Component
from crawler.journey.statistics import progress_log


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


_given_up: Final[set[str]] = set()


def log_file_flaw(path: str) -> str | None:
    """Say why nothing can be written to the file of the log; None where it can.

    Where its disk is full later, one line on standard error says so, and the work goes on.
    """
    logging.FileHandler.handleError = _give_up  # type: ignore[assignment, method-assign] # Scrapy makes the handler, and leaves no choice
    try:
        with Path(path).open("ab"):
            return None
    except OSError as error:
        return f"the log file {path} cannot be written: {error.strerror}. Name another file"


def _give_up(handler: logging.Handler, record: logging.LogRecord) -> None:
    """Say once of a file that it cannot be written, and write no more to it."""
    error = sys.exception()
    if not isinstance(handler, logging.FileHandler) or not isinstance(error, OSError):
        logging.Handler.handleError(handler, record)
        return
    if handler.stream is not None:
        with suppress(OSError):
            handler.stream.close()
    handler.stream = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - the handler closes it
    if handler.baseFilename not in _given_up:
        _given_up.add(handler.baseFilename)
        words = f"{handler.baseFilename} cannot be written: {error.strerror}"
        sys.stderr.write(f"The log file {words}. The work goes on without it\n")


class SafeLog(Component):
    """Extension that lets no character of a page or server act on a terminal through the log."""

    handlers = ("spider_opened",)

    def spider_opened(self) -> None:
        """Take the place of the log's formatter; Scrapy installs it anew before each crawl."""
        handler = get_scrapy_root_handler()
        if handler is not None and not isinstance(handler.formatter, SafeFormatter):
            handler.setFormatter(SafeFormatter(handler.formatter or logging.Formatter()))


class SafeFormatter(logging.Formatter):
    """Formats as another formatter does, without control characters and credentials in messages."""

    def __init__(self, formatter: logging.Formatter) -> None:
        super().__init__()
        self._formatter = formatter

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of a record, tracebacks too."""
        safe = copy(record)
        safe.msg, safe.args = _safe(record.getMessage()), ()
        if record.exc_info:
            safe.exc_text = _safe(self._formatter.formatException(record.exc_info))
        return self._formatter.format(safe)


class _Shown(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        # Looked up at each line: the live line takes the stream's place.
        sys.stderr.write(f"{self.format(record)}\n")


def show_progress(settings: Settings) -> None:
    """Show progress and summary also where the log does not go to standard error, or is short."""
    is_kept = bool(settings["LOG_FILE"]) and settings.getbool("LOG_ENABLED")
    level = logging.getLevelNamesMapping().get(str(settings["LOG_LEVEL"]), logging.DEBUG)
    if is_kept or not settings.getbool("LOG_ENABLED") or level > logging.INFO:
        handler = _Shown(logging.INFO)
        handler.setFormatter(SafeFormatter(logging.Formatter()))
        progress_log.addHandler(handler)
        progress_log.propagate = is_kept


def _safe(text: str) -> str:
    return without_secrets(harmless(text))
