"""Gold data: JSON Lines, plain or gzip, read as a stream."""

from __future__ import annotations

import gzip
import json
import stat
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from crawler.core.errors import UnreadableInputError
from crawler.core.page.page import LOCAL_SITE, Page, site_of

GOLD_URL = "https://gold.example/"
"""The address of pages whose gold names none."""

T = TypeVar("T")

_NEEDS = "html and gold_text, and site or url"
_BOM = b"\xef\xbb\xbf"
_KINDS = {
    "NoneType": "null",
    "dict": "an object",
    "list": "a list",
    "bool": "a truth value",
    "str": "a string",
    "int": "a number",
    "float": "a number",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A JSON object of a gold file. Reading a value of another type is UnreadableInputError.

    Attributes:
        where: its place, for errors: the file and the line.
        needs: the keys that an object of its kind has, for errors, as in "text and sentences".
    """

    where: str
    values: dict[str, Any]
    needs: str

    @property
    def identity(self) -> dict[str, Any]:
        """What says which object it is: its place, and its id and site where it has them."""
        known = {"gold": self.where} | {key: self.values.get(key) for key in ("id", "site")}
        return {key: name for key, name in known.items() if name is not None}

    def flaw(self, message: str) -> UnreadableInputError:
        """Return the error of an object that cannot be used; it names the place."""
        return UnreadableInputError(f"{self.where}: {message}")

    def required(self, key: str) -> Any:  # noqa: ANN401 - a JSON value
        """Return the value under a key that may not be missing."""
        if key not in self.values:
            raise self.flaw(f"no '{key}'; every line needs {self.needs}")
        return self.values[key]

    def text(self, key: str) -> str:
        """Return the string under a key that may not be missing."""
        value = self.required(key)
        if not isinstance(value, str):
            raise self.flaw(f"'{key}' must be a string, not {kind_of(value)}")
        return value

    def optional(self, key: str) -> str | None:
        """Return the string under a key; None where it is missing or null."""
        return None if self.values.get(key) is None else self.text(key)

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the list of strings under a key that may not be missing."""
        return tuple(self._items(key, str, "strings"))

    def objects(self, key: str) -> list[Row]:
        """Return the list of objects under a key that may not be missing."""
        return [Row(self.where, each, self.needs) for each in self._items(key, dict, "objects")]

    def _items(self, key: str, kind: type[T], name: str) -> list[T]:
        value = self.required(key)
        if not isinstance(value, list):
            raise self.flaw(f"'{key}' must be a list, not {kind_of(value)}")
        for each in value:
            if not isinstance(each, kind):
                raise self.flaw(f"'{key}' must hold {name}, not {kind_of(each)}")
        return value


def kind_of(value: object) -> str:
    """Name what kind of JSON value this is, for error messages."""
    return _KINDS[type(value).__name__]


def read_rows(files: Iterable[Path], needs: str) -> Iterator[Row]:
    """Yield the JSON object of each line that is not empty.

    Args:
        files: gold files, read as one set.
        needs: the keys of such an object, as in "text and sentences".

    Raises:
        UnreadableInputError: a file cannot be read, or a line is no JSON object. The message names
            the file and the line.
    """
    for path in files:
        number = 0
        try:
            if not stat.S_ISREG(path.stat().st_mode):
                raise UnreadableInputError(
                    f"{path}: is not a file; gold pages are read twice, so name a file on disk"
                )
            # Known by its content, whatever its name is.
            with path.open("rb") as plain:
                opener: Any = gzip.open if plain.read(2) == b"\x1f\x8b" else open
            with opener(path, "rb") as stream:
                for number, line in enumerate(stream, start=1):
                    text = line.removeprefix(_BOM) if number == 1 else line
                    if text.strip():
                        yield _row(text, f"{path}, line {number}", needs)
        # Damaged gzip data raise any of these.
        except (EOFError, zlib.error, OSError) as error:
            raise UnreadableInputError(
                f"{path}, after line {number}: cannot be read ({error}); check the file"
            ) from error


def _row(line: bytes, where: str, needs: str) -> Row:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UnreadableInputError(f"{where}: not JSON in UTF-8 ({error})") from error
    if not isinstance(values, dict):
        raise UnreadableInputError(
            f"{where}: {kind_of(values)} where an object with {needs} belongs"
        )
    return Row(where, values, needs)


@dataclass(frozen=True, slots=True)
class GoldPage:
    """A page and the main text that a reader would copy from it.

    Attributes:
        gold_text: None where it is not known: the page is counted with its site, and not judged.
        kind: the kind of page, where the gold names it; else empty.
        identity: what says in a table which page it is.
    """

    page: Page
    gold_text: str | None
    kind: str = ""
    identity: Mapping[str, Any] = field(default_factory=dict)


def read_gold(files: Iterable[Path], limit: int | None = None) -> Iterator[GoldPage]:
    """Yield the pages of ``files``, read as one set.

    ``limit`` ends the set after that many pages. Where a line names no ``site`` the page belongs to
    that of its ``url``, and is a site of its own where it has none. Where it names no ``url`` the
    page gets ``https://<site>/<id>``, or its number in the set where it has no ``id``.

    Raises:
        UnreadableInputError: a file cannot be read, or a line is no gold page.
    """
    for number, row in enumerate(islice(read_rows(files, _NEEDS), limit), start=1):
        html = row.text("html")
        gold_text = None if row.required("gold_text") is None else row.text("gold_text")
        name = row.values.get("id")
        if isinstance(name, bool) or not isinstance(name, str | int | None):
            raise row.flaw(f"'id' must be a string, a number or null, not {kind_of(name)}")
        name = number if name in (None, "") else name
        site, url = row.optional("site"), row.optional("url")
        if site == "":
            raise row.flaw("'site' is empty; name the site the page belongs to")
        if site is None:
            site = site_of(url or "")
            site = f"page {name}" if site == LOCAL_SITE else site
        # Lone surrogates are legal in JSON strings and illegal in addresses.
        place = f"{quote(site, ':', errors='replace')}/{quote(str(name), errors='replace')}"
        page = Page.from_text(url or f"https://{place}", html, site=site)
        identity = {**row.identity, "site": site}
        yield GoldPage(page, gold_text, row.optional("page_type") or "", identity)
