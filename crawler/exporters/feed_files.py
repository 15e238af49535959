"""Feeds in files: an earlier file stays until the new one is whole, and errors are one line."""

from __future__ import annotations

import io
import logging
import os
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final

from scrapy import Spider
from scrapy.extensions import feedexport

from crawler.core.errors import one_line

_ASIDE: Final = ".aside"
_ADVICE: Final = "Free some space there, or name another file"


class _Raw(io.FileIO):
    """A file that takes no more after its first error, which is kept.

    Exporters write on, and the log would have the same error with each item.
    """

    error: OSError | None = None

    def write(self, data: Any) -> int:  # noqa: ANN401 - any buffer
        """Write bytes; after an error nothing, and say that all is well."""
        if self.error is None:
            try:
                return super().write(data)
            except OSError as error:
                self.error = error
        return memoryview(data).nbytes


class FileFeedStorage(feedexport.FileFeedStorage):
    """A feed in a file.

    What replaces an earlier file is written beside it, and takes its place when it is whole.
    """

    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        super().__init__(uri, feed_options=feed_options)
        self._raw: _Raw | None = None
        self._aside: Path | None = None
        logging.getLogger(feedexport.__name__).addFilter(_without_trace)

    def open(self, spider: Spider) -> IO[bytes]:  # noqa: ARG002 - as the parent's
        """Open the file, or the one beside it. An error is kept until the feed is stored."""
        path = Path(self.path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if self.write_mode == "wb" and path.is_file() and path.stat().st_size:
                path = self._aside = path.with_name(path.name + _ASIDE)
            self._raw = _Raw(str(path), self.write_mode)
        except OSError as error:
            self._raw = _Raw(os.devnull, "wb")
            self._raw.error = error
        return io.BufferedWriter(self._raw)

    def store(self, file: IO[bytes]) -> None:
        """Close the file; one that was written beside an earlier one takes its place.

        Raises:
            OSError: not all could be written. An earlier file is as it was.
        """
        file.close()
        error = None if self._raw is None else self._raw.error
        if error is None and self._aside is not None:
            self._aside.replace(self.path)
        elif error is not None:
            with suppress(OSError):
                if self._aside is not None:
                    self._aside.unlink()
            raise error


def _without_trace(record: logging.LogRecord) -> bool:
    """Have the log tell of an error of the system in one line that says what to do."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, OSError):
        record.msg = f"{record.getMessage()}: {one_line(error.strerror or error)}. {_ADVICE}"
        record.args, record.exc_info = (), None
    return True
