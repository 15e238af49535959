"""Files of a folder that a crawl fills: their names, and how they are written whole."""

from __future__ import annotations

import csv
import io
import os
import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

__all__ = ["INDEX", "append_whole", "as_csv", "page_key", "page_name", "write_whole"]

INDEX: Final = "index.csv"
"""The name of the file that lists the others."""

# File systems take names of 255 bytes; paths are short enough for all of them.
_SLUG_CHARS = 60
_HOST = re.compile(r"^[a-z][a-z0-9+.-]*://[^/]*")
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")
_NOT_IN_FOLDERS = re.compile(r"[^a-z0-9.]+")
# Names that mean devices on Windows, with whatever ending.
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)")


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


def append_whole(path: Path, line: bytes) -> None:
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
