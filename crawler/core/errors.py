"""The project's errors: one root, each telling the reader what to do next."""

from __future__ import annotations

__all__ = [
    "ArgumentError",
    "CorpusError",
    "OptionError",
    "StoreError",
    "UnknownMethodError",
    "UnreadableInputError",
    "UnreadablePageError",
]


class CorpusError(Exception):
    """Root of all errors raised by scrapy-corpus. Catch it to catch them all."""


class OptionError(CorpusError):
    """A ``CORPUS_*`` setting has a wrong name or value. Correct it in the project's settings."""


class ArgumentError(CorpusError):
    """A spider or command argument is missing or wrong. The message names the right ones."""


class UnknownMethodError(CorpusError):
    """No method of that name is registered. The message lists those that are."""


class StoreError(CorpusError):
    """A file kept by a crawl (spool, counts) cannot be read or written. The message names it."""


class UnreadableInputError(CorpusError):
    """An input file (archive, list, gold data) cannot be used. The message says why."""


class UnreadablePageError(CorpusError):
    """A page gives no text to work on; it is counted under ``reason`` and left out.

    ``reason`` is a short slug (``empty``, ``binary``, ``no-markup``, …) under which crawls count
    the page in ``corpus/skipped/<reason>``.
    """

    def __init__(self, url: str, reason: str, detail: str) -> None:
        super().__init__(f"{url}: {detail}")
        self.url = url
        self.reason = reason
        self.detail = detail
