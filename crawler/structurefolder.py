"""A folder of XML files, one a page, with an index: the setting ``CORPUS_STRUCTURE_FOLDER``."""

from __future__ import annotations

import csv
import logging
import re
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Self

from crawler.core.errors import OptionError
from crawler.exporters import unwritable
from crawler.folderfiles import INDEX, append_whole, as_csv, page_name, write_whole
from crawler.items import PageItem
from crawler.options import Options

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scrapy.crawler import Crawler

__all__ = [
    "STRUCTURE_COLUMNS",
    "StructureFolder",
    "StructureFolderPipeline",
    "check_structure_folder",
]

logger = logging.getLogger(__name__)

STRUCTURE_COLUMNS: Final = ("file", "url", "site", "language", "title", "elements", "fetched_at")
"""Columns of the index."""

_CELL_CHARS = 1_000
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,79}/[a-z0-9][a-z0-9-]{0,79}-[0-9a-f]{16}\.xml")
# Text is escaped in XML, so that this stands at the beginning of an element alone.
_ELEMENT = re.compile(r"<[A-Za-z]")


def check_structure_folder(folder: Path) -> None:
    """Refuse a folder that structures could not be written to, without making it.

    Raises:
        OptionError: it cannot be written to, or holds an ``index.csv`` that is not one of these.
    """
    index = folder / INDEX
    if flaw := unwritable(index):
        raise OptionError(
            f"CORPUS_STRUCTURE_FOLDER is {folder}, and {index} cannot be written: {flaw}"
        )
    if index.is_file():
        with index.open(encoding="utf-8", errors="replace") as file:
            if file.readline(_CELL_CHARS).rstrip("\r\n") != ",".join(STRUCTURE_COLUMNS):
                raise OptionError(
                    f"{index} is no index of structures. Name another folder in "
                    "CORPUS_STRUCTURE_FOLDER."
                )


class StructureFolder:
    """The files and their index.

    Each file is written beside its place and renamed, so that it is whole or not there. Its row is
    added to the index at once; :meth:`close` rewrites the index without the rows of files that are
    gone or were written again. A crawl that was killed leaves a folder that the next goes on with.

    Args:
        folder: where; made when missing.

    Raises:
        OptionError: see :func:`check_structure_folder`.
    """

    def __init__(self, folder: Path) -> None:
        check_structure_folder(folder)
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        # A crawl that was killed may have left half a row at its end.
        self.close()

    def put(self, item: PageItem) -> bool:
        """Write the structure of a page in place of the one that it had; say whether it has any.

        Raises:
            OSError: it could not be written, or the old one not be removed.
        """
        name = f"{page_name(item.url, item.site)}.xml"
        path = self.folder / name
        if not item.structure:
            path.unlink(missing_ok=True)
            return False
        path.parent.mkdir(exist_ok=True)
        write_whole(path, [item.structure.encode("utf-8", "backslashreplace")])
        cells = (
            name, item.url, item.site, item.language or "", (item.title or "")[:_CELL_CHARS],
            str(len(_ELEMENT.findall(item.structure))), item.fetched_at,
        )  # fmt: skip
        append_whole(self.folder / INDEX, as_csv([cells]))
        return True

    def close(self) -> None:
        """Leave an index that has one row a file.

        Raises:
            OSError: it could not be rewritten, and stays as it is.
        """
        # Twice read, so that no more than the names of files is in memory.
        last = {row[0]: at for at, row in enumerate(self._rows())}
        kept = (row for at, row in enumerate(self._rows()) if last[row[0]] == at)
        # An index may be changed by anybody: only names that are of this form are looked up.
        ours = (row for row in kept if _NAME.fullmatch(row[0]))
        there = (row for row in ours if (self.folder / row[0]).is_file())
        rows = chain([STRUCTURE_COLUMNS], there)
        write_whole(self.folder / INDEX, (as_csv([row]) for row in rows))

    def _rows(self) -> Iterator[list[str]]:
        """Read the rows of the index, whole ones alone."""
        with (
            suppress(FileNotFoundError),
            (self.folder / INDEX).open(encoding="utf-8", errors="replace", newline="\n") as file,
        ):
            next(file, None)
            for line in file:
                with suppress(csv.Error):
                    (row,) = csv.reader([line])
                    if line.endswith("\n") and len(row) == len(STRUCTURE_COLUMNS):
                        yield row


class StructureFolderPipeline:
    """The last item pipeline but one: it writes the structure of each page item into the folder.

    An item whose structure cannot be written goes on, since the folder is an output beside the
    feeds. It is counted in ``corpus/structure/failed``, and the first of them is logged.
    """

    def __init__(self, folder: Path, crawler: Crawler) -> None:
        assert crawler.stats is not None  # noqa: S101 - Scrapy sets it before building components
        self._path = folder
        self._folder: StructureFolder | None = None
        self._is_told = False
        self._stats = crawler.stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Take the folder from the settings.

        Raises:
            OptionError: they name none.
        """
        folder = Options.from_settings(crawler.settings).structure_folder
        if folder is None:
            raise OptionError(
                "StructureFolderPipeline needs a folder: set CORPUS_STRUCTURE_FOLDER."
            )
        return cls(folder, crawler)

    def process_item(self, item: Any) -> Any:  # noqa: ANN401 - any item type of Scrapy
        """Write the structure of a page item; let other items pass."""
        if isinstance(item, PageItem):
            try:
                # A folder that could not be opened is tried again: a disk may have room by now.
                self._folder = self._folder or StructureFolder(self._path)
                self._stats.inc_value("corpus/structure/files", int(self._folder.put(item)))
            except OSError as error:
                self._stats.inc_value("corpus/structure/failed")
                self._tell(error)
        return item

    def _tell(self, error: OSError) -> None:
        if not self._is_told:
            logger.error(
                "Structures cannot be written to %s: %s. The items go on; pages that the folder "
                "lacks are counted in corpus/structure/failed",
                self._path,
                error.strerror or error,
            )
        self._is_told = True

    def close_spider(self) -> None:
        """Finish the index."""
        if self._folder is None:
            return
        try:
            self._folder.close()
        except OSError as error:
            logger.warning(
                "%s cannot be rewritten: %s. It may name a file twice, or one that is gone, until "
                "the next crawl into the folder",
                self._path / INDEX,
                error.strerror or error,
            )
