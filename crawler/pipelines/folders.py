"""Item pipelines that write files of pages into folders, each with an index.

``CORPUS_TABLES_FOLDER`` gets a CSV file for each genuine table, ``CORPUS_STRUCTURE_FOLDER`` an XML
file for each page. Each file is written beside its place and renamed, so that it is complete or not
there. Its row is added to the index at once. The next crawl goes on with the folder of a crawl that
was killed.
"""

from __future__ import annotations

import csv
import io
import json
import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Final
from urllib.parse import unquote

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from crawler.core.cells import from_cell, to_cell
from crawler.core.errors import OptionError, StoreError
from crawler.core.structure.model import GROUP, TEXT
from crawler.exporters.feeds import unwritable
from crawler.extensions.component import Component
from crawler.items import PageItem
from crawler.store.files import append_whole, system_errors, write_whole

logger = logging.getLogger(__name__)

INDEX: Final = "index.csv"
"""The name of the file that lists the others."""

_ADVICE: Final = "Free some space there, or name another folder"
_LINE_CHARS: Final = 1_000
# File systems take names of 255 bytes; paths are short enough for all of them.
_SLUG_CHARS: Final = 60
_HOST: Final = re.compile(r"^[a-z][a-z0-9+.-]*://[^/]*")
_NOT_IN_NAMES: Final = re.compile(r"[^a-z0-9]+")
_NOT_IN_FOLDERS: Final = re.compile(r"[^a-z0-9.]+")
# Names that mean devices on Windows, with any extension.
_DEVICES: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)")
# A longer text is cut in the index; the item has all of it.
_CELL_CHARS: Final = 1_000
_TYPES_CHARS: Final = 20_000
_PAGE: Final = r"[a-z0-9][a-z0-9.-]{0,79}/[a-z0-9][a-z0-9-]{0,79}-([0-9a-f]{16})"
# An element of XML begins so; text is escaped. Elements that the model does not know have one of
# these two names.
_ELEMENT: Final = re.compile(rf"<(?!(?:{TEXT}|{GROUP})[ />])[A-Za-z]")


class PageFolder:
    """The files and their index, a CSV file with one row a file. The folder is made when missing.

    Raises:
        OptionError: see :meth:`check`.
        StoreError: the folder or its index cannot be written.
    """

    content: ClassVar[str]
    """What the files hold: the name of the item's field, and of the setting ``CORPUS_…_FOLDER``."""
    columns: ClassVar[tuple[str, ...]]
    """Columns of the index; the first is the name of a file within the folder."""
    names: ClassVar[re.Pattern[str]]
    """What such a name looks like."""

    def __init__(self, folder: Path) -> None:
        self.check(folder)
        self.folder = folder
        # A crawl that was killed may have left half a row at its end.
        self.close()

    @classmethod
    def check(cls, folder: Path) -> None:
        """Refuse a folder that could not be written to, without making it.

        Raises:
            OptionError: it cannot be written to, or holds an ``index.csv`` that is another one.
        """
        setting, index = f"CORPUS_{cls.content.upper()}_FOLDER", folder / INDEX
        if flaw := unwritable(index):
            raise OptionError(f"{setting} is {folder}, and {index} cannot be written: {flaw}")
        if index.is_file():
            with index.open(encoding="utf-8", errors="replace") as file:
                header = file.readline(_LINE_CHARS).rstrip("\r\n")
            if header != ",".join(cls.columns):
                raise OptionError(
                    f"{index} is no index of {cls.content}. Name another folder in {setting}."
                )

    def put(self, item: PageItem) -> int:
        """Write the files of a page in place of those that it had; return how many.

        Raises:
            StoreError: not all could be written, or old ones not be removed.
        """
        raise NotImplementedError

    def write(self, name: str, data: bytes, row: Sequence[str]) -> None:
        """Write a file and add its row to the index, or raise StoreError and leave none."""
        path = self.folder / name
        write_whole(path, [data])
        try:
            with (
                system_errors(f"{self.folder / INDEX} cannot be written", _ADVICE),
                (self.folder / INDEX).open("ab", buffering=0) as file,
            ):
                append_whole(file, as_csv([row]))
        except StoreError:
            # The row of an earlier crawl would describe the new file wrongly.
            path.unlink(missing_ok=True)
            raise

    def remove(self, name: str) -> None:
        """Remove a file that may be there; raise StoreError where that fails."""
        with system_errors(f"{self.folder / name} cannot be removed", _ADVICE):
            (self.folder / name).unlink(missing_ok=True)

    def rows(self) -> Iterator[list[str]]:
        """Read the complete rows of the index; a missing index has none."""
        with (
            suppress(FileNotFoundError),
            (self.folder / INDEX).open(encoding="utf-8", errors="replace", newline="\n") as file,
        ):
            next(file, None)
            for line in file:
                # Each row is one line, so that a flawed one spoils no other.
                with suppress(csv.Error):
                    (row,) = csv.reader([line])
                    if line.endswith("\n") and len(row) == len(self.columns):
                        yield list(map(from_cell, row))

    def close(self) -> None:
        """Rewrite the index with one row for each file that is there.

        Raises:
            StoreError: it could not be rewritten, and stays as it is.
        """
        # The index is read twice, so that no more than the names of files is in memory.
        with system_errors(f"{self.folder / INDEX} cannot be read", _ADVICE):
            last = {row[0]: at for at, row in enumerate(self.rows())}
        kept = (row for at, row in enumerate(self.rows()) if last[row[0]] == at)
        # Anybody may have changed the index: only names of this form are looked up.
        own = (row for row in kept if self.names.fullmatch(row[0]))
        there = (row for row in own if (self.folder / row[0]).is_file())
        write_whole(self.folder / INDEX, (as_csv([row]) for row in chain([self.columns], there)))


def page_name(url: str, site: str) -> str:
    """Return the path of a page's files within a folder, without number and extension.

    The site's folder and the beginning of the name are for readers. The hash of site and address,
    64 bits of BLAKE2b, makes the name unique. A folder that would have the name of a device, or of
    the index, begins with ``site-``.

    >>> page_name("https://blog.example/prices/?of=bread", "blog.example")
    'blog.example/prices-of-bread-edf8875939dc0af8'
    """
    folder = _NOT_IN_FOLDERS.sub("-", site.lower())[:_SLUG_CHARS].strip("-.") or "site"
    if folder == INDEX or _DEVICES.match(folder):
        folder = f"site-{folder}"
    path = _HOST.sub("", unquote(url[: 20 * _SLUG_CHARS]).lower())
    slug = _NOT_IN_NAMES.sub("-", path).strip("-")[:_SLUG_CHARS].strip("-") or "page"
    key = f"{site}\n{url}".encode("utf-8", "surrogatepass")
    return f"{folder}/{slug}-{blake2b(key, digest_size=8).hexdigest()}"


def as_csv(rows: Iterable[Sequence[str]]) -> bytes:
    """Write rows as UTF-8, each on one line: white space within a text is folded.

    What a spreadsheet would run has an apostrophe in front.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([to_cell(" ".join(cell.split())) for cell in row] for row in rows)
    return text.getvalue().encode("utf-8", "backslashreplace")


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
        """Write the tables of a page in place of those that it had; return how many."""
        page = page_name(item.url, item.site)
        key = int(page[-16:], 16)
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
        """Write the structure of a page in place of the one that it had; return how many."""
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


class FolderPipeline(Component):
    """Writes files of each page item into a folder.

    An item whose files cannot be written goes on, since the folder is an output beside the feeds.
    It is counted in ``corpus/…/failed``, and the first of them is logged.

    Raises:
        NotConfigured: the settings name no folder.
    """

    kind: ClassVar[type[PageFolder]]

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._content = self.kind.content
        path = getattr(self.options, f"{self._content}_folder")
        if path is None:
            raise NotConfigured
        self.path: Path = path
        self.folder: PageFolder | None = None

    def open_spider(self) -> None:
        """Make the folder; where that fails, the first page with files tells."""
        self.stats.set_value(f"corpus/{self._content}/folder", str(self.path))
        with suppress(StoreError):
            self.folder = self.kind(self.path)

    def process_item(self, item: Any) -> Any:  # noqa: ANN401 - any item type of Scrapy
        """Write the files of a page item; return any item as it is."""
        # A page without files may have had some.
        if isinstance(item, PageItem) and (self.folder or getattr(item, self._content)):
            try:
                # A folder that could not be opened is tried again: the disk may have room by now.
                self.folder = self.folder or self.kind(self.path)
                self.stats.inc_value(f"corpus/{self._content}/files", self.folder.put(item))
            except StoreError as error:
                why = "The folder of %s cannot be written: %s. The items go on"
                self.warn_once(f"corpus/{self._content}/failed", why, self._content, error)
        return item

    def close_spider(self) -> None:
        """Finish the index."""
        try:
            if self.folder is not None:
                self.folder.close()
        except StoreError as error:
            is_told = self.stats.get_value(f"corpus/{self._content}/failed")
            logger.log(
                logging.DEBUG if is_told else logging.WARNING,
                "%s cannot be rewritten: %s. It may name a file twice, or one that is gone, until "
                "the next crawl into the folder",
                self.path / INDEX,
                error,
            )


class TableFolderPipeline(FolderPipeline):
    """Writes the tables of each page item."""

    kind = TableFolder


class StructureFolderPipeline(FolderPipeline):
    """Writes the structure of each page item."""

    kind = StructureFolder
