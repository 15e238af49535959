"""Gold data: JSON Lines, plain or gzip, read as a stream; pages of ``{site, html, gold_text}``."""

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
from crawler.core.page.page import LOCAL_SITE, Page, site_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["GoldPage", "kind_of", "read_gold", "read_rows", "text_of"]

_GZIP_MAGIC = b"\x1f\x8b"
_NEEDS = "html and gold_text, and site or url"
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class GoldPage:
    """A page and the main text a reader would copy from it.

    ``gold_text``
        None where nobody has said what it is: the page is counted with its site, and not judged.
    ``kind``
        What kind of page it is, where the gold says so; else empty.
    """

    page: Page
    gold_text: str | None
    kind: str = ""


def read_gold(files: Iterable[Path], limit: int | None = None) -> Iterator[GoldPage]:
    """Yield the pages of ``files``, read as one set, line by line.

    ``limit`` ends the set after that many pages. Where a line names no ``site`` the page belongs to
    that of its ``url``, and is a site of its own where it has none. Where it names no ``url`` the
    page gets ``https://<site>/<id>``, or its number in the set where it has no ``id``. Empty lines
    are skipped.

    Raises:
        UnreadableInputError: A file cannot be read, or a line is no gold page. The message names
            the file and the line.
    """
    return islice(_pages(files), limit)


def _pages(files: Iterable[Path]) -> Iterator[GoldPage]:
    for number, (where, row) in enumerate(read_rows(files, _NEEDS), start=1):
        yield _gold_page(row, where, number)


def read_rows(files: Iterable[Path], needs: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each line that is not empty as a JSON object, with its place for error messages.

    ``needs`` names the keys of such an object, as in "text and sentences".

    Raises:
        UnreadableInputError: A file cannot be read, or a line is no JSON object.
    """
    for path in files:
        for where, line in _lines(path):
            yield where, _row(line, where, needs)


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


def _row(line: bytes, where: str, needs: str) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise UnreadableInputError(f"{where}: not UTF-8 ({error.reason})") from error
    except (ValueError, RecursionError) as error:
        raise UnreadableInputError(f"{where}: not JSON ({error})") from error
    if not isinstance(row, dict):
        raise UnreadableInputError(
            f"{where}: a {type(row).__name__} where an object with {needs} belongs"
        )
    return row


def _gold_page(row: dict[str, Any], where: str, number: int) -> GoldPage:
    html = text_of(row, "html", where, _NEEDS)
    if "gold_text" in row and row["gold_text"] is None:
        gold_text = None
    else:
        gold_text = text_of(row, "gold_text", where, _NEEDS)
    site = _site(row, where, number)
    url = _url(row, site, where, number)
    kind = text_of(row, "page_type", where, _NEEDS) if row.get("page_type") is not None else ""
    return GoldPage(Page.from_text(url, html, site=site), gold_text, kind)


def _site(row: dict[str, Any], where: str, number: int) -> str:
    if row.get("site") is None:
        url = row.get("url")
        named = site_of(url) if isinstance(url, str) else LOCAL_SITE
        return f"page {row.get('id', number)}" if named == LOCAL_SITE else named
    site = text_of(row, "site", where, _NEEDS)
    if not site:
        raise UnreadableInputError(f"{where}: 'site' is empty; name the site the page belongs to")
    return site


def text_of(row: dict[str, Any], key: str, where: str, needs: str) -> str:
    """Return the string under ``key``.

    Raises:
        UnreadableInputError: It is missing, or no string.
    """
    if key not in row:
        raise UnreadableInputError(f"{where}: no '{key}'; every line needs {needs}")
    value = row[key]
    if not isinstance(value, str):
        raise UnreadableInputError(f"{where}: '{key}' must be a string, not {kind_of(value)}")
    return value


def _url(row: dict[str, Any], site: str, where: str, number: int) -> str:
    url, identifier = row.get("url"), row.get("id")
    if not (url is None or isinstance(url, str)):
        raise UnreadableInputError(f"{where}: 'url' must be a string or null, not {kind_of(url)}")
    if isinstance(identifier, bool) or not (
        identifier is None or isinstance(identifier, str | int)
    ):
        raise UnreadableInputError(
            f"{where}: 'id' must be a string, a number or null, not {kind_of(identifier)}"
        )
    if url:
        return url
    name = number if identifier is None or identifier == "" else identifier
    # Lone surrogates are legal in JSON strings and illegal in addresses.
    return f"https://{quote(site, ':', errors='replace')}/{quote(str(name), errors='replace')}"


def kind_of(value: object) -> str:
    """Name what kind of JSON value this is, for error messages."""
    names = {
        "NoneType": "null",
        "dict": "an object",
        "list": "a list",
        "bool": "a truth value",
        "str": "a string",
    }
    kind = type(value).__name__
    return names.get(kind, "a number" if isinstance(value, int | float) else kind)
