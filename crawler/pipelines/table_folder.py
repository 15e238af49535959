"""A folder of CSV files, one a table, with an index: the setting ``CORPUS_TABLES_FOLDER``."""

from __future__ import annotations

import json
import logging
import re
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from crawler.core.errors import OptionError
from crawler.pipelines.folder_files import (
    INDEX,
    FolderPipeline,
    Index,
    as_csv,
    page_key,
    page_name,
    write_whole,
)
from crawler.settings import Options

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.crawler import Crawler

    from crawler.items import PageItem

__all__ = [
    "INDEX",
    "INDEX_COLUMNS",
    "TableFolder",
    "TableFolderPipeline",
    "check_folder",
    "file_name",
]

logger = logging.getLogger(__name__)

INDEX_COLUMNS: Final = (
    "file", "url", "site", "language", "number", "path", "heading", "caption", "kind", "rows",
    "columns", "title_rows", "header_rows", "header_columns", "rows_left_out", "records", "types",
    "method", "reason", "confidence", "fetched_at",
)  # fmt: skip

# What is longer in a row of the index is cut; the item has it whole.
_CELL_CHARS = 1_000
_TYPES_CHARS = 20_000
# What file_name makes: the hash, and the table's number.
_NAME = re.compile(
    r"[a-z0-9][a-z0-9.-]{0,79}/[a-z0-9][a-z0-9-]{0,79}-([0-9a-f]{16})-(\d{1,9})\.csv"
)


def file_name(url: str, site: str, number: int) -> str:
    """Return the path of a table's file within the folder, with ``/`` between its two parts.

    The site's folder and the beginning of the name are there to be read. What makes the name one
    table's own is a hash of site and address, 64 bits of BLAKE2b, and the table's number. A folder
    that would have the name of a device, or of the index, begins with ``site-``.

    >>> file_name("https://blog.example/prices/?of=bread", "blog.example", 2)
    'blog.example/prices-of-bread-edf8875939dc0af8-2.csv'
    """
    return f"{page_name(url, site)}-{number}.csv"


def _index(folder: Path) -> Index:
    return Index(folder, INDEX_COLUMNS, _NAME, "tables")


def check_folder(folder: Path) -> None:
    """Refuse a folder that tables could not be written to, without making it.

    Raises:
        OptionError: it cannot be written to, or holds an ``index.csv`` that is no index of tables.
    """
    _index(folder).check()


class TableFolder:
    """The files and their index.

    Args:
        folder: where; made when missing.

    Raises:
        OptionError: see :func:`check_folder`.
    """

    def __init__(self, folder: Path) -> None:
        check_folder(folder)
        self.folder = folder
        self._index = _index(folder)
        folder.mkdir(parents=True, exist_ok=True)
        # A crawl that was killed may have left half a row at its end.
        self._index.rewrite()
        # The tables of each page, by the hash in the names of its files.
        self._numbers: dict[int, list[int]] = {}
        for row in self._index.rows():
            if found := _NAME.fullmatch(row[0]):
                self._numbers.setdefault(int(found[1], 16), []).append(int(found[2]))
        self.found = sum(map(len, self._numbers.values()))
        """How many files of earlier crawls the folder holds."""

    def put(self, item: PageItem) -> int:
        """Write the genuine tables of a page that have cells, in place of those that it had.

        Returns:
            How many were written.

        Raises:
            OSError: not all could be written, or old ones not be removed. The files that the index
                names are whole in that case too.
        """
        key = page_key(item.url, item.site)
        before = set(self._numbers.get(key, ()))
        written: list[int] = []
        for table in item.tables or ():
            if not (table["verdict"]["is_genuine"] and table["types"]):
                continue
            self._put_table(item, table)
            written.append(table["number"])
            self._numbers[key] = [*before.union(written)]
        for number in before.difference(written):
            (self.folder / file_name(item.url, item.site, number)).unlink(missing_ok=True)
        if written:
            self._numbers[key] = written
        else:
            self._numbers.pop(key, None)
        return len(written)

    def _put_table(self, item: PageItem, table: dict[str, Any]) -> None:
        name = file_name(item.url, item.site, table["number"])
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        names, records = list(table["types"]), table["records"]
        lines = ([record[name] for name in names] for record in records)
        write_whole(path, [as_csv((names, *lines))])
        try:
            self._index.add(_index_row(name, item, table))
        except OSError:
            # A row of an earlier crawl would say of it what is no longer so.
            path.unlink(missing_ok=True)
            raise

    def close(self) -> None:
        """Leave an index that has one row a file.

        Raises:
            OSError: it could not be rewritten, and stays as it is.
        """
        self._index.rewrite()


def _index_row(name: str, item: PageItem, table: dict[str, Any]) -> list[str]:
    types = json.dumps(table["types"], ensure_ascii=False, separators=(",", ":"))
    values: dict[str, Any] = {
        **table,
        "path": table["path"][:_CELL_CHARS],
        "heading": (table["heading"] or "")[:_CELL_CHARS],
        "caption": (table["caption"] or "")[:_CELL_CHARS],
        "file": name,
        "url": item.url,
        "site": item.site,
        "records": len(table["records"]),
        "types": types if len(types) <= _TYPES_CHARS else "",
        **{key: table["verdict"][key] for key in ("method", "reason", "confidence")},
        "language": item.language,
        "fetched_at": item.fetched_at,
    }
    return ["" if (value := values[key]) is None else str(value) for key in INDEX_COLUMNS]


class TableFolderPipeline(FolderPipeline):
    """Writes the tables of each page item."""

    figures: ClassVar[str] = "corpus/tables"
    what: ClassVar[str] = "Tables"

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Take the folder from the settings.

        Raises:
            OptionError: they name none.
        """
        folder = Options.from_settings(crawler.settings).tables_folder
        if folder is None:
            raise OptionError("TableFolderPipeline needs a folder: set CORPUS_TABLES_FOLDER.")
        return cls(folder, crawler)

    def wants(self, item: PageItem) -> bool:
        """Say whether an item has tables, or may have had some."""
        return self.folder is not None or bool(item.tables)

    def open_folder(self) -> TableFolder:
        """Open the folder, and say what is there already."""
        folder = TableFolder(self.path)
        if folder.found:
            logger.info(
                "%s holds %d tables of earlier crawls: those of pages that come again are replaced,"
                " the others stay",
                self.path,
                folder.found,
            )
        return folder
