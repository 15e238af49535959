"""A folder of XML files, one a page, with an index: the setting ``CORPUS_STRUCTURE_FOLDER``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Final, Self

from crawler.core.errors import OptionError
from crawler.core.structure.model import GROUP, TEXT
from crawler.pipelines.folder_files import FolderPipeline, Index, page_name, write_whole
from crawler.settings import Options

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.crawler import Crawler

    from crawler.items import PageItem

__all__ = [
    "STRUCTURE_COLUMNS",
    "StructureFolder",
    "StructureFolderPipeline",
    "check_structure_folder",
]

STRUCTURE_COLUMNS: Final = (
    "file", "url", "site", "language", "title", "elements", "problems", "fetched_at",
)  # fmt: skip
"""Columns of the index."""

# What is longer in a row of the index is cut; the item has it whole.
_CELL_CHARS = 1_000
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,79}/[a-z0-9][a-z0-9-]{0,79}-[0-9a-f]{16}\.xml")
# Text is escaped in XML, so that this stands at the beginning of an element alone. What no element
# of the model is has one of these two names.
_ELEMENT = re.compile(rf"<(?!(?:{TEXT}|{GROUP})[ />])[A-Za-z]")


def _index(folder: Path) -> Index:
    return Index(folder, STRUCTURE_COLUMNS, _NAME, "structure")


def check_structure_folder(folder: Path) -> None:
    """Refuse a folder that structures could not be written to, without making it.

    Raises:
        OptionError: it cannot be written to, or holds an ``index.csv`` that is not one of these.
    """
    _index(folder).check()


class StructureFolder:
    """The files and their index.

    Args:
        folder: where; made when missing.

    Raises:
        OptionError: see :func:`check_structure_folder`.
    """

    def __init__(self, folder: Path) -> None:
        check_structure_folder(folder)
        self.folder = folder
        self._index = _index(folder)
        folder.mkdir(parents=True, exist_ok=True)
        # A crawl that was killed may have left half a row at its end.
        self._index.rewrite()

    def put(self, item: PageItem) -> int:
        """Write the structure of a page in place of the one that it had; return how many it has.

        A page that has none loses the one that it had.

        Raises:
            OSError: it could not be written, or the old one not be removed.
        """
        name = f"{page_name(item.url, item.site)}.xml"
        path = self.folder / name
        if not item.structure:
            path.unlink(missing_ok=True)
            return 0
        path.parent.mkdir(exist_ok=True)
        write_whole(path, [item.structure.encode("utf-8", "backslashreplace")])
        problems = "; ".join(item.structure_problems or ())
        cells = (
            name, item.url, item.site, item.language or "", (item.title or "")[:_CELL_CHARS],
            str(len(_ELEMENT.findall(item.structure))), problems[:_CELL_CHARS], item.fetched_at,
        )  # fmt: skip
        try:
            self._index.add(cells)
        except OSError:
            # A row of an earlier crawl would say of it what is no longer so.
            path.unlink(missing_ok=True)
            raise
        return 1

    def close(self) -> None:
        """Leave an index that has one row a file.

        Raises:
            OSError: it could not be rewritten, and stays as it is.
        """
        self._index.rewrite()


class StructureFolderPipeline(FolderPipeline):
    """Writes the structure of each page item."""

    figures: ClassVar[str] = "corpus/structure"
    what: ClassVar[str] = "Structures"

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Take the folder from the settings.

        Raises:
            OptionError: they name none.
        """
        folder = Options.from_settings(crawler.settings).structure_folder
        if folder is None:
            raise OptionError("Set CORPUS_STRUCTURE_FOLDER: StructureFolderPipeline needs one.")
        return cls(folder, crawler)

    def wants(self, item: PageItem) -> bool:
        """Say whether an item has a structure, or may have had one."""
        return self.folder is not None or bool(item.structure)

    def open_folder(self) -> StructureFolder:
        """Open the folder."""
        return StructureFolder(self.path)
