"""The errors of the project: one root; each message says what to do."""

from __future__ import annotations

from typing import ClassVar, Self


class CorpusError(Exception):
    """Root of all errors raised by scrapy-corpus. Catch it to catch them all.

    ``kind``, a short slug, and ``data`` say to a program what the message says to a person, so that
    a window can say it in another language; they are empty where no window meets the error.
    ``exit_code`` is what a command that meets the error exits with: 2 where the call or what it was
    given is wrong, 1 where that is right and yet could not be done.
    """

    exit_code: ClassVar[int] = 1
    kind: str = ""
    data: tuple[str, ...] = ()

    def about(self, kind: str, *data: object) -> Self:
        """Return the error with its kind, and with what it is about."""
        self.kind, self.data = kind, tuple(map(str, data))
        return self


class OptionError(CorpusError):
    """A ``CORPUS_*`` setting has a wrong name or value. Correct it in the project's settings."""

    exit_code = 2


class ArgumentError(CorpusError):
    """A spider or command argument is missing or wrong. The message names the right ones."""

    exit_code = 2


class UnknownMethodError(CorpusError):
    """No method of that name is registered. The message lists those that are."""

    exit_code = 2


class MethodError(CorpusError):
    """A text method, or another step, failed on a page. The message names it; mend the method."""


class FetchError(CorpusError):
    """A page cannot be fetched. The message has the answer of the server or of the network."""


class ModelError(CorpusError):
    """A document model is wrong. The message names its file, line and column, and what to do."""

    exit_code = 2

    def __init__(self, name: str, line: int, column: int, detail: str) -> None:
        super().__init__(f"{name}, line {line}, column {column}: {detail}")
        self.about("model", name, line, column, detail)
        self.line = line
        self.column = column
        self.detail = detail


class StoreError(CorpusError):
    """A file kept by a crawl (spool, counts) cannot be read or written. The message names it."""


class UnreadableInputError(CorpusError):
    """An input file (archive, list, gold data) cannot be used. The message says why."""

    exit_code = 2


class UnreadablePageError(CorpusError):
    """A page gives no text to work on; it is counted under ``reason`` and left out.

    ``reason`` is a short slug (``empty``, ``binary``, ``not-html``, …) under which crawls count
    the page in ``corpus/skipped/<reason>``.
    """

    exit_code = 2

    def __init__(self, url: str, reason: str, detail: str) -> None:
        super().__init__(f"{url or 'the page'}: {detail}")
        self.about(f"page-{reason}", url)
        self.url = url
        self.reason = reason
        self.detail = detail


class PageTimeError(CorpusError):
    """The work on a page took more processor time than ``CORPUS_PAGE_SECONDS``; it is left out."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"the work on the page took more than {seconds:g} s of processor time, the limit that "
            "CORPUS_PAGE_SECONDS sets"
        )
        self.about("page-time", seconds)


def one_line(message: object) -> str:
    """Return a message as one line: names of files may hold line breaks, yet an error is a line.

    Characters that cannot be seen, on which terminals may act, become question marks.
    """
    line = " ".join(str(message).split())
    return "".join(char if char.isprintable() else "?" for char in line)
