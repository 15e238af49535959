"""Item pipelines that write files of pages into folders.

``CORPUS_TABLES_FOLDER`` gets a CSV file for each genuine table, ``CORPUS_STRUCTURE_FOLDER`` an XML
file for each page.
"""

from __future__ import annotations

import json
import logging
import re
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from crawler.core.errors import OptionError, StoreError
from crawler.core.structure.model import GROUP, TEXT
from crawler.items import PageItem
from crawler.pipelines.page_folder import INDEX, PageFolder, as_csv, page_key, page_name
from crawler.settings import Options

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

# A longer text is cut in the index; the item has all of it.
_CELL_CHARS: Final = 1_000
_TYPES_CHARS: Final = 20_000
_PAGE: Final = r"[a-z0-9][a-z0-9.-]{0,79}/[a-z0-9][a-z0-9-]{0,79}-([0-9a-f]{16})"
# An element of XML begins so; text is escaped. Elements that the model does not know have one of
# these two names.
_ELEMENT: Final = re.compile(rf"<(?!(?:{TEXT}|{GROUP})[ />])[A-Za-z]")


class TableFolder(PageFolder):
    """A CSV file for each genuine table that has cells."""

    content = "tables"
    columns = (
        "file", "url", "site", "language", "number", "path", "heading", "caption", "kind", "rows",
        "columns", "title_rows", "header_rows", "header_columns", "rows_left_out", "records",
        "types", "method", "reason", "confidence", "fetched_at",
    )  # fmt: skip
    names = re.compile(rf"{_PAGE}-(\d{{1,9}})\.csv")

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        # The numbers of each page's tables, by the hash in the names of its files.
        self._numbers: dict[int, list[int]] = {}
        for row in self.rows():
            if found := self.names.fullmatch(row[0]):
                self._numbers.setdefault(int(found[1], 16), []).append(int(found[2]))
        if number := sum(map(len, self._numbers.values())):
            logger.info(
                "%s holds %d tables of earlier crawls: those of pages that come again are replaced,"
                " the others stay",
                folder,
                number,
            )

    def put(self, item: PageItem) -> int:
        """Write the tables of a page in place of those that it had; return how many.

        Raises:
            StoreError: not all could be written, or old ones not be removed. The files that the
                index names are complete in that case too.
        """
        page, key = page_name(item.url, item.site), page_key(item.url, item.site)
        before = set(self._numbers.get(key, ()))
        written: list[int] = []
        for table in item.tables or ():
            if table["verdict"]["is_genuine"] and table["types"]:
                name = f"{page}-{table['number']}.csv"
                self.write(name, _table_csv(table), _table_row(name, item, table))
                written.append(table["number"])
                self._numbers[key] = [*before.union(written)]
        for number in before.difference(written):
            self.remove(f"{page}-{number}.csv")
        self._numbers.pop(key, None)
        if written:
            self._numbers[key] = written
        return len(written)


def _table_csv(table: dict[str, Any]) -> bytes:
    names = list(table["types"])
    return as_csv((names, *([record[name] for name in names] for record in table["records"])))


def _table_row(name: str, item: PageItem, table: dict[str, Any]) -> list[str]:
    types = json.dumps(table["types"], ensure_ascii=False, separators=(",", ":"))
    values: dict[str, Any] = {
        **table,
        **{key: (table[key] or "")[:_CELL_CHARS] for key in ("path", "heading", "caption")},
        **{key: table["verdict"][key] for key in ("method", "reason", "confidence")},
        **{key: getattr(item, key) for key in ("url", "site", "language", "fetched_at")},
        "file": name,
        "records": len(table["records"]),
        "types": types if len(types) <= _TYPES_CHARS else "",
    }
    columns = TableFolder.columns
    return ["" if (value := values[key]) is None else str(value) for key in columns]


class StructureFolder(PageFolder):
    """An XML file for each page."""

    content = "structure"
    columns = (
        "file", "url", "site", "language", "title", "elements", "problems", "fetched_at",
    )  # fmt: skip
    names = re.compile(rf"{_PAGE}\.xml")

    def put(self, item: PageItem) -> int:
        """Write the structure of a page in place of the one that it had; return how many it has.

        Raises:
            StoreError: it could not be written, or the old one not be removed.
        """
        name = f"{page_name(item.url, item.site)}.xml"
        if not item.structure:
            self.remove(name)
            return 0
        row = (
            name,
            item.url,
            item.site,
            item.language or "",
            (item.title or "")[:_CELL_CHARS],
            str(len(_ELEMENT.findall(item.structure))),
            "; ".join(item.structure_problems or ())[:_CELL_CHARS],
            item.fetched_at,
        )
        self.write(name, item.structure.encode("utf-8", "backslashreplace"), row)
        return 1


class FolderPipeline:
    """Writes files of each page item into a folder.

    An item whose files cannot be written goes on, since the folder is an output beside the feeds.
    It is counted in ``corpus/…/failed``, and the first of them is logged.

    Args:
        path: the folder.
        crawler: the crawler of the items.
    """

    kind: ClassVar[type[PageFolder]]

    def __init__(self, path: Path, crawler: Crawler) -> None:
        assert crawler.stats is not None  # noqa: S101 - Scrapy sets it before building components
        self.path = path
        self.stats = crawler.stats
        self.folder: PageFolder | None = None
        self._is_logged = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Take the folder from the settings.

        Raises:
            OptionError: they name none.
        """
        content = cls.kind.content
        folder = getattr(Options.from_settings(crawler.settings), f"{content}_folder")
        if folder is None:
            raise OptionError(
                f"{cls.__name__} needs a folder: set CORPUS_{content.upper()}_FOLDER."
            )
        return cls(folder, crawler)

    def open_spider(self) -> None:
        """Make the folder."""
        self.stats.set_value(f"corpus/{self.kind.content}/folder", str(self.path))
        try:
            self.folder = self.kind(self.path)
        except StoreError as error:
            self._log(error)

    def process_item(self, item: Any) -> Any:  # noqa: ANN401 - any item type of Scrapy
        """Write the files of a page item; return any item as it is."""
        content = self.kind.content
        # A page without files may have had some.
        if isinstance(item, PageItem) and (self.folder or getattr(item, content)):
            try:
                # A folder that could not be opened is tried again: the disk may have room by now.
                self.folder = self.folder or self.kind(self.path)
                self.stats.inc_value(f"corpus/{content}/files", self.folder.put(item))
            except StoreError as error:
                self.stats.inc_value(f"corpus/{content}/failed")
                self._log(error)
        return item

    def close_spider(self) -> None:
        """Finish the index."""
        if self.folder is None:
            return
        try:
            self.folder.close()
        except StoreError as error:
            logger.warning(
                "%s cannot be rewritten: %s. It may name a file twice, or one that is gone, until "
                "the next crawl into the folder",
                self.path / INDEX,
                error,
            )

    def _log(self, error: StoreError) -> None:
        if not self._is_logged:
            logger.error(
                "The folder of %s cannot be written: %s. The items go on; pages whose files the "
                "folder lacks are counted in corpus/%s/failed",
                self.kind.content,
                error,
                self.kind.content,
            )
        self._is_logged = True


class TableFolderPipeline(FolderPipeline):
    """Writes the tables of each page item."""

    kind = TableFolder


class StructureFolderPipeline(FolderPipeline):
    """Writes the structure of each page item."""

    kind = StructureFolder
