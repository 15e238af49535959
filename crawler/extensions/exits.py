"""How a crawl that cannot begin ends: a command in one line, a script with an ordinary error."""

from __future__ import annotations

import sys

from crawler.core.errors import CorpusError, one_line
from crawler.core.wording import without_secrets


def ending(error: CorpusError) -> BaseException:
    """Return what to raise for an error by which a crawl cannot begin.

    Where Scrapy's command line runs the process, it is an exit with the line of the error, since
    Scrapy would show any other exception as a traceback. It is an instance of the error's class,
    too. In a script it is the error itself: the crawls beside this one go on.
    """
    if "scrapy.cmdline" not in sys.modules:
        return error
    kind = type(error)
    ended: BaseException = type(kind.__name__, (_OneLineExit, kind), {})(str(error))
    return ended


class _OneLineExit(SystemExit):
    """Mixed into an error: where it is not caught, it ends the program with its one line."""

    def __init__(self, message: str) -> None:
        line = without_secrets(one_line(message))
        super().__init__(line)
        self.code = line
