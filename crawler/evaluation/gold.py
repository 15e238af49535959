"""Gold pages: JSON Lines of ``{site, html, gold_text}``, plain or gzip, read as a stream."""

from __future__ import annotations

import gzip
import json
import stat
import zlib
from dataclasses import dataclass
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, cast
from urllib.parse import quote

from crawler.core.errors import UnreadableInputError
from crawler.core.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["GoldPage", "read_gold"]

_GZIP_MAGIC = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class GoldPage:
    """A page and the main text a reader would copy from it."""

    page: Page
    gold_text: str


def read_gold(files: Iterable[Path], limit: int | None = None) -> Iterator[GoldPage]:
    """Yield the pages of ``files``, read as one set, line by line.

    ``limit`` ends the set after that many pages. Where a line names no ``url`` the page gets
    ``https://<site>/<id>``, or its number in the set where it has no ``id``. Empty lines are
    skipped.

    Raises:
        UnreadableInputError: A file cannot be read, or a line is no gold page. The message names
            the file and the line.
    """
    return islice(_pages(files), limit)


def _pages(files: Iterable[Path]) -> Iterator[GoldPage]:
    number = 0
    for path in files:
        for where, line in _lines(path):
            number += 1
            yield _gold_page(line, where, number)


def _lines(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every line that is not empty, with a name for error messages."""
    number = 0
    try:
        with _open(path) as stream:
            for number, line in enumerate(stream, start=1):
                text = line.removeprefix(_BOM).strip() if number == 1 else line.strip()
                if text:
                    yield f"{path}, line {number}", text
    except EOFError as error:
        raise UnreadableInputError(
            f"{path}, after line {number}: the gzip data end too early; fetch the file again"
        ) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise UnreadableInputError(
            f"{path}, after line {number}: the gzip data are damaged ({error})"
        ) from error
    except OSError as error:
        raise UnreadableInputError(
            f"{path}: cannot be read ({error.strerror or error}); check the path"
        ) from error


def _open(path: Path) -> IO[bytes]:
    """Open a plain or gzip file by what it holds, whatever its name says."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise UnreadableInputError(
            f"{path}: is not a file; gold pages are read twice, so name a file on disk"
        )
    with path.open("rb") as plain:
        zipped = plain.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
    return cast("IO[bytes]", gzip.open(path)) if zipped else path.open("rb")


def _gold_page(line: bytes, where: str, number: int) -> GoldPage:
    try:
        row = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise UnreadableInputError(f"{where}: not UTF-8 ({error.reason})") from error
    except (ValueError, RecursionError) as error:
        raise UnreadableInputError(f"{where}: not JSON ({error})") from error
    if not isinstance(row, dict):
        raise UnreadableInputError(
            f"{where}: a {type(row).__name__} where an object with site, html and gold_text belongs"
        )
    site = _text(row, "site", where)
    if not site:
        raise UnreadableInputError(f"{where}: 'site' is empty; name the site the page belongs to")
    html, gold_text = _text(row, "html", where), _text(row, "gold_text", where)
    url = _url(row, site, where, number)
    return GoldPage(Page.from_text(url, html, site=site), gold_text)


def _text(row: dict[str, Any], key: str, where: str) -> str:
    if key not in row:
        raise UnreadableInputError(
            f"{where}: no '{key}'; every line needs site, html and gold_text"
        )
    value = row[key]
    if not isinstance(value, str):
        raise UnreadableInputError(f"{where}: '{key}' must be a string, not {_kind(value)}")
    return value


def _url(row: dict[str, Any], site: str, where: str, number: int) -> str:
    url, identifier = row.get("url"), row.get("id")
    if not (url is None or isinstance(url, str)):
        raise UnreadableInputError(f"{where}: 'url' must be a string or null, not {_kind(url)}")
    if isinstance(identifier, bool) or not (
        identifier is None or isinstance(identifier, str | int)
    ):
        raise UnreadableInputError(
            f"{where}: 'id' must be a string, a number or null, not {_kind(identifier)}"
        )
    if url:
        return url
    name = number if identifier is None or identifier == "" else identifier
    # Lone surrogates are legal in JSON strings and illegal in addresses.
    return f"https://{quote(site, ':', errors='replace')}/{quote(str(name), errors='replace')}"


def _kind(value: object) -> str:
    names = {"NoneType": "null", "dict": "an object", "list": "a list", "bool": "a truth value"}
    kind = type(value).__name__
    return names.get(kind, "a number" if isinstance(value, int | float) else kind)
