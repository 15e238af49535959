"""Feeds whose files cannot be added to: Parquet, Excel, TEI."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import IO, Any, Self

from scrapy.crawler import Crawler
from scrapy.exporters import BaseItemExporter
from scrapy.statscollectors import StatsCollector

logger = logging.getLogger(__name__)


class WholeFileExporter(BaseItemExporter):
    """Writes a file from its beginning to its end, once.

    Args:
        file: where to write, opened for bytes.
        kwargs: ``fields_to_export`` and the other options of Scrapy's exporters.
    """

    def __init__(self, file: IO[bytes], **kwargs: Any) -> None:  # noqa: ANN401 - whatever the base class takes
        super().__init__(dont_fail=True, **kwargs)
        self.path: Path | None = None
        """The file written instead of the feed's own, where that could not be appended to."""
        self._file = file
        self._finished = False
        self._stats: StatsCollector | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: IO[bytes], **kwargs: Any) -> Self:  # noqa: ANN401 - what the class takes
        """Build the exporter for a feed of a crawl, whose statistics count what did not fit."""
        exporter = cls(file, **kwargs)
        exporter._stats = crawler.stats
        return exporter

    def start_exporting(self) -> None:
        """Choose a new file beside the feed's own if that is not empty."""
        if offset(self._file) == 0:
            return
        named = path_of(self._file)
        self._file, self.path = _new_file_beside(named or Path("export"))
        logger.error(
            "%s already holds data, and such a file cannot be appended to: the items go to %s. "
            "Use -O to replace a file.",
            named or "The output",
            self.path,
        )
        self.count("corpus/exports/moved")

    def finish_exporting(self) -> None:
        """Write, once, what makes the file complete."""
        if self._finished:
            return
        self._finished = True
        self.write_end()
        if self.path is not None:
            self._file.close()

    def write_end(self) -> None:
        """Write the end of the file; also of one without items."""
        raise NotImplementedError

    def count(self, key: str, count: int = 1) -> None:
        """Add to a statistic of the crawl, where there is one."""
        if self._stats is not None:
            self._stats.inc_value(key, count)


def offset(file: IO[bytes]) -> int:
    """Return the bytes in ``file`` before the exporter writes; 0 for a pipe, which cannot tell."""
    try:
        return file.tell()
    except (AttributeError, OSError):
        return 0


def path_of(file: IO[bytes]) -> Path | None:
    """Return the file on disk that a feed is written to."""
    # Scrapy wraps the file of a feed that is postprocessed (compressed).
    name = getattr(getattr(file, "file", file), "name", None)
    path = Path(name) if isinstance(name, str) else None
    return path if path is not None and path.is_file() else None


def _new_file_beside(path: Path) -> tuple[IO[bytes], Path]:
    number = 2
    while True:
        other = path.with_name(f"{path.stem}-{number}{path.suffix}")
        try:
            return other.open("xb"), other
        except FileExistsError:
            number += 1
