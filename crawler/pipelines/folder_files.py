"""A folder of files that a crawl fills: their names, their index, and how they are written whole.

Each file is written beside its place and renamed, so that it is whole or not there. Its row is
added to the index at once. A crawl that was killed leaves a folder that the next one goes on with.
"""

from __future__ import annotations

import csv
import io
import logging
import os
import re
from abc import ABC, abstractmethod
from contextlib import suppress
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol
from urllib.parse import unquote

from crawler.core.errors import OptionError
from crawler.exporters.feeds import unwritable
from crawler.items import PageItem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from scrapy.crawler import Crawler

__all__ = [
    "FolderPipeline",
    "Index",
    "PageFolder",
    "as_csv",
    "page_key",
    "page_name",
    "write_whole",
]

logger = logging.getLogger(__name__)

INDEX: Final = "index.csv"
"""The name of the file that lists the others."""

_LINE_CHARS = 1_000

# File systems take names of 255 bytes; paths are short enough for all of them.
_SLUG_CHARS = 60
_HOST = re.compile(r"^[a-z][a-z0-9+.-]*://[^/]*")
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")
_NOT_IN_FOLDERS = re.compile(r"[^a-z0-9.]+")
# Names that mean devices on Windows, with whatever ending.
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)")


class Index:
    """The CSV file of a folder that lists its other files, a row each, their names first.

    Args:
        folder: the folder.
        columns: names of the columns; the first is that of a file within the folder.
        names: what such a name looks like.
        what: what the files hold, for errors; the setting ``CORPUS_…_FOLDER`` has the same name.
    """

    def __init__(
        self, folder: Path, columns: Sequence[str], names: re.Pattern[str], what: str
    ) -> None:
        self.path = folder / INDEX
        self._columns = columns
        self._names = names
        self._what = what

    def check(self) -> None:
        """Refuse a folder that could not be written to, without making it.

        Raises:
            OptionError: it cannot be written to, or holds an ``index.csv`` that is another one.
        """
        setting = f"CORPUS_{self._what.upper()}_FOLDER"
        if flaw := unwritable(self.path):
            raise OptionError(
                f"{setting} is {self.path.parent}, and {self.path} cannot be written: {flaw}"
            )
        if self.path.is_file():
            with self.path.open(encoding="utf-8", errors="replace") as file:
                if file.readline(_LINE_CHARS).rstrip("\r\n") != ",".join(self._columns):
                    raise OptionError(
                        f"{self.path} is no index of {self._what}. Name another folder in "
                        f"{setting}."
                    )

    def add(self, cells: Sequence[str]) -> None:
        """Add a row, or leave the index as it was.

        Raises:
            OSError: it could not be written.
        """
        _append_whole(self.path, as_csv([cells]))

    def rows(self) -> Iterator[list[str]]:
        """Read the rows, whole ones alone; a missing index has none."""
        with (
            suppress(FileNotFoundError),
            self.path.open(encoding="utf-8", errors="replace", newline="\n") as file,
        ):
            next(file, None)
            for line in file:
                # Each row is one line, so a flawed one costs no other.
                with suppress(csv.Error):
                    (row,) = csv.reader([line])
                    if line.endswith("\n") and len(row) == len(self._columns):
                        yield row

    def rewrite(self) -> None:
        """Leave one row a file: none of files that are gone, or that were written again.

        Raises:
            OSError: it could not be rewritten, and stays as it is.
        """
        # Twice read, so that no more than the names of files is in memory.
        last = {row[0]: at for at, row in enumerate(self.rows())}
        kept = (row for at, row in enumerate(self.rows()) if last[row[0]] == at)
        # An index may be changed by anybody: only names that are of this form are looked up.
        ours = (row for row in kept if self._names.fullmatch(row[0]))
        there = (row for row in ours if (self.path.parent / row[0]).is_file())
        rows = chain([self._columns], there)
        write_whole(self.path, (as_csv([row]) for row in rows))


class PageFolder(Protocol):
    """A folder that gets files of each page."""

    def put(self, item: PageItem) -> int:
        """Write the files of a page in place of those that it had; return how many.

        Raises:
            OSError: not all could be written, or old ones not be removed.
        """

    def close(self) -> None:
        """Finish the index.

        Raises:
            OSError: it could not be rewritten.
        """


class FolderPipeline(ABC):
    """The last item pipelines: what writes files of each page item into a folder.

    An item whose files cannot be written goes on, since the folder is an output beside the feeds.
    It is counted in ``<figures>/failed``, and the first of them is logged.

    Args:
        path: the folder.
        crawler: whose items.
    """

    figures: ClassVar[str]
    what: ClassVar[str]

    def __init__(self, path: Path, crawler: Crawler) -> None:
        assert crawler.stats is not None  # noqa: S101 - Scrapy sets it before building components
        self.path = path
        self.stats = crawler.stats
        self.folder: PageFolder | None = None
        self._is_told = False

    @abstractmethod
    def open_folder(self) -> PageFolder:
        """Open the folder, which is made where it is missing.

        Raises:
            OSError: it cannot be opened.
        """

    @abstractmethod
    def wants(self, item: PageItem) -> bool:
        """Say whether there is anything to do about an item."""

    def open_spider(self) -> None:
        """Make the folder, and say what is there already."""
        self.stats.set_value(f"{self.figures}/folder", str(self.path))
        try:
            self.folder = self.open_folder()
        except OSError as error:
            self._tell(error)

    def process_item(self, item: Any) -> Any:  # noqa: ANN401 - any item type of Scrapy
        """Write the files of a page item; let other items pass."""
        if isinstance(item, PageItem) and self.wants(item):
            try:
                # A folder that could not be opened is tried again: a disk may have room by now.
                self.folder = self.folder or self.open_folder()
                self.stats.inc_value(f"{self.figures}/files", self.folder.put(item))
            except OSError as error:
                self.stats.inc_value(f"{self.figures}/failed")
                self._tell(error)
        return item

    def _tell(self, error: OSError) -> None:
        if not self._is_told:
            logger.error(
                "%s cannot be written to %s: %s. The items go on; pages whose files the folder"
                " lacks are counted in %s/failed",
                self.what,
                self.path,
                error.strerror or error,
                self.figures,
            )
        self._is_told = True

    def close_spider(self) -> None:
        """Finish the index."""
        if self.folder is None:
            return
        try:
            self.folder.close()
        except OSError as error:
            logger.warning(
                "%s cannot be rewritten: %s. It may name a file twice, or one that is gone, until "
                "the next crawl into the folder",
                self.path / INDEX,
                error.strerror or error,
            )


def page_name(url: str, site: str) -> str:
    """Return where files of a page stand within a folder, without what tells them apart.

    The site's folder and the beginning of the name are there to be read. What makes the name one
    page's own is a hash of site and address, 64 bits of BLAKE2b. A folder that would have the name
    of a device, or of the index, begins with ``site-``.

    >>> page_name("https://blog.example/prices/?of=bread", "blog.example")
    'blog.example/prices-of-bread-edf8875939dc0af8'
    """
    folder = _NOT_IN_FOLDERS.sub("-", site.lower())[:_SLUG_CHARS].strip("-.") or "site"
    if folder == INDEX or _DEVICES.match(folder):
        folder = f"site-{folder}"
    path = _HOST.sub("", unquote(url[: 20 * _SLUG_CHARS]).lower())
    slug = _NOT_IN_NAMES.sub("-", path).strip("-")[:_SLUG_CHARS].strip("-") or "page"
    return f"{folder}/{slug}-{page_key(url, site):016x}"


def page_key(url: str, site: str) -> int:
    """Return the hash of site and address that stands in the names of a page's files."""
    key = f"{site}\n{url}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(key, digest_size=8).digest())


def write_whole(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file beside its place and rename it; what failed leaves nothing."""
    aside = path.with_name(f".{path.name}.part")
    try:
        with aside.open("wb") as file:
            file.writelines(pieces)
        aside.replace(path)
    except OSError:
        aside.unlink(missing_ok=True)
        raise


def _append_whole(path: Path, line: bytes) -> None:
    """Add a line to a file, or leave the file as it was."""
    with path.open("ab", buffering=0) as file:
        end = file.seek(0, os.SEEK_END)
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[file.write(rest) :]
        except OSError:
            file.truncate(end)
            raise


def as_csv(rows: Iterable[Sequence[str]]) -> bytes:
    """Write rows as UTF-8, each on one line: white space within a text is folded."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([" ".join(cell.split()) for cell in row] for row in rows)
    return text.getvalue().encode("utf-8", "backslashreplace")
