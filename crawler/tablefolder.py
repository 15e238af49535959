"""A folder of CSV files, one a table, with an index: the setting ``CORPUS_TABLES_FOLDER``."""

from __future__ import annotations

import csv
import json
import logging
import re
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Self

from crawler.core.errors import OptionError
from crawler.exporters import unwritable
from crawler.folderfiles import INDEX, append_whole, as_csv, page_key, page_name, write_whole
from crawler.items import PageItem
from crawler.options import Options

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scrapy.crawler import Crawler

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


def check_folder(folder: Path) -> None:
    """Refuse a folder that tables could not be written to, without making it.

    Raises:
        OptionError: it cannot be written to, or holds an ``index.csv`` that is no index of tables.
    """
    index = folder / INDEX
    if flaw := unwritable(index):
        raise OptionError(
            f"CORPUS_TABLES_FOLDER is {folder}, and {index} cannot be written: {flaw}"
        )
    if index.is_file():
        with index.open(encoding="utf-8", errors="replace") as file:
            if file.readline(_CELL_CHARS).rstrip("\r\n") != ",".join(INDEX_COLUMNS):
                raise OptionError(
                    f"{index} is no index of tables. Name another folder in CORPUS_TABLES_FOLDER."
                )


class TableFolder:
    """The files and their index.

    Each file is written beside its place and renamed, so that it is whole or not there. Its row is
    added to the index at once; :meth:`close` rewrites the index without the rows of files that are
    gone or were written again.

    Args:
        folder: where; made when missing.

    Raises:
        OptionError: see :func:`check_folder`.
    """

    def __init__(self, folder: Path) -> None:
        check_folder(folder)
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        # A crawl that was killed may have left half a row at its end.
        self._rewrite_index()
        # The tables of each page, by the hash in the names of its files.
        self._numbers: dict[int, list[int]] = {}
        for row in self._rows():
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
            append_whole(self.folder / INDEX, as_csv([_index_row(name, item, table)]))
        except OSError:
            # A row of an earlier crawl would say of it what is no longer so.
            path.unlink(missing_ok=True)
            raise

    def close(self) -> None:
        """Leave an index that has one row a file.

        Raises:
            OSError: it could not be rewritten, and stays as it is.
        """
        self._rewrite_index()

    def _rewrite_index(self) -> None:
        # Twice read, so that no more than the names of files is in memory.
        last = {row[0]: at for at, row in enumerate(self._rows())}
        kept = (row for at, row in enumerate(self._rows()) if last[row[0]] == at)
        # An index may be changed by anybody: only names that are of this form are looked up.
        ours = (row for row in kept if _NAME.fullmatch(row[0]))
        there = (row for row in ours if (self.folder / row[0]).is_file())
        rows = chain([INDEX_COLUMNS], there)
        write_whole(self.folder / INDEX, (as_csv([row]) for row in rows))

    def _rows(self) -> Iterator[list[str]]:
        """Read the rows of the index, whole ones alone."""
        path = self.folder / INDEX
        with (
            suppress(FileNotFoundError),
            path.open(encoding="utf-8", errors="replace", newline="\n") as file,
        ):
            next(file, None)
            for line in file:
                # Each row is one line, so a flawed one costs no other.
                with suppress(csv.Error):
                    (row,) = csv.reader([line])
                    if line.endswith("\n") and len(row) == len(INDEX_COLUMNS):
                        yield row


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


class TableFolderPipeline:
    """The last item pipeline: it writes the tables of each page item into the folder.

    An item whose tables cannot be written goes on, since the folder is an output beside the feeds.
    It is counted in ``corpus/tables/failed``, and the first of them is logged.
    """

    def __init__(self, folder: Path, crawler: Crawler) -> None:
        assert crawler.stats is not None  # noqa: S101 - Scrapy sets it before building components
        self._path = folder
        self._folder: TableFolder | None = None
        self._is_told = False
        self._stats = crawler.stats

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

    def open_spider(self) -> None:
        """Make the folder, and say what is there already."""
        self._stats.set_value("corpus/tables/folder", str(self._path))
        try:
            self._folder = self._open()
        except OSError as error:
            self._tell(error)

    def process_item(self, item: Any) -> Any:  # noqa: ANN401 - any item type of Scrapy
        """Write the tables of a page item; let other items pass."""
        if isinstance(item, PageItem) and (self._folder is not None or item.tables):
            try:
                # A folder that could not be opened is tried again: a disk may have room by now.
                self._folder = self._folder or self._open()
                self._stats.inc_value("corpus/tables/files", self._folder.put(item))
            except OSError as error:
                self._stats.inc_value("corpus/tables/failed")
                self._tell(error)
        return item

    def _open(self) -> TableFolder:
        folder = TableFolder(self._path)
        if folder.found:
            logger.info(
                "%s holds %d tables of earlier crawls: those of pages that come again are replaced,"
                " the others stay",
                self._path,
                folder.found,
            )
        return folder

    def _tell(self, error: OSError) -> None:
        if not self._is_told:
            logger.error(
                "Tables cannot be written to %s: %s. The items go on; pages whose tables the folder"
                " lacks are counted in corpus/tables/failed",
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
