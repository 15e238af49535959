"""A folder with files of each page and an index: names, rows, and writing in one step.

Each file is written beside its place and renamed, so that it is complete or not there. Its row is
added to the index at once. The next crawl goes on with the folder of a crawl that was killed.
"""

from __future__ import annotations

import csv
import io
import os
import re
from contextlib import suppress
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, ClassVar, Final
from urllib.parse import unquote

from crawler.core.errors import OptionError, StoreError
from crawler.exporters.feeds import unwritable
from crawler.store.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from crawler.items import PageItem

INDEX: Final = "index.csv"
"""The name of the file that lists the others."""

_LINE_CHARS: Final = 1_000
# File systems take names of 255 bytes; paths are short enough for all of them.
_SLUG_CHARS: Final = 60
_HOST: Final = re.compile(r"^[a-z][a-z0-9+.-]*://[^/]*")
_NOT_IN_NAMES: Final = re.compile(r"[^a-z0-9]+")
_NOT_IN_FOLDERS: Final = re.compile(r"[^a-z0-9.]+")
# Names that mean devices on Windows, with any extension.
_DEVICES: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)")


class PageFolder:
    """The files and their index, a CSV file with one row a file.

    Args:
        folder: where; made when missing.

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
                if file.readline(_LINE_CHARS).rstrip("\r\n") != ",".join(cls.columns):
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
        """Write a file and add its row to the index.

        Raises:
            StoreError: one of both could not be done; then the file is not there.
        """
        path = self.folder / name
        write_whole(path, [data])
        try:
            _append_whole(self.folder / INDEX, as_csv([row]))
        except OSError as error:
            # The row of an earlier crawl would describe the new file wrongly.
            path.unlink(missing_ok=True)
            raise StoreError(f"{self.folder / INDEX}: {error.strerror or error}") from error

    def remove(self, name: str) -> None:
        """Remove a file that may be there.

        Raises:
            StoreError: it cannot be removed.
        """
        try:
            (self.folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{self.folder / name}: {error.strerror or error}") from error

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
                        yield row

    def close(self) -> None:
        """Rewrite the index with one row for each file that is there.

        Raises:
            StoreError: it could not be rewritten, and stays as it is.
        """
        # The index is read twice, so that no more than the names of files is in memory.
        try:
            last = {row[0]: at for at, row in enumerate(self.rows())}
        except OSError as error:
            raise StoreError(f"{self.folder / INDEX}: {error.strerror or error}") from error
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
    return f"{folder}/{slug}-{page_key(url, site):016x}"


def page_key(url: str, site: str) -> int:
    """Return the hash of site and address that the names of a page's files contain."""
    key = f"{site}\n{url}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(key, digest_size=8).digest())


def as_csv(rows: Iterable[Sequence[str]]) -> bytes:
    """Write rows as UTF-8, each on one line: white space within a text is folded."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([" ".join(cell.split()) for cell in row] for row in rows)
    return text.getvalue().encode("utf-8", "backslashreplace")


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
