"""Addresses as people give them: typed, several in a text, or listed in a file."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from w3lib.url import safe_url_string

from crawler.core.errors import ArgumentError, UnreadableInputError
from crawler.core.page.page import DEFAULT_PORTS
from crawler.store.files import system_errors

_COLUMN = "url"
_HAS_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://")
_LOOKS_LIKE_HOST = re.compile(
    # A host is all up to the first of these marks, and has a dot inside.
    r"(?:localhost|(?=[^/?#@:]+\.[^/?#@:])[^/?#@:]++|\[[0-9A-Fa-f:.]+\])(?::\d+)?(?:[/?#]|$)"
)
_LIST_SEPARATOR = re.compile(r"\s*,\s*(?=https?://)|\s+", re.IGNORECASE)
_BAD_HOST = re.compile(r"[\s<>\"\\^`{|},%\ufffd]")


def complete_address(text: str) -> str | None:
    """Make a fetchable address of what a person typed; ``None`` when it is not one.

    ``http://`` is added where the scheme is missing: servers that want ``https`` redirect.
    """
    text = text.strip()
    if not text or any(character.isspace() for character in text):
        return None
    if not _HAS_SCHEME.match(text):
        # Without a scheme a bare word or a mail address could pass for a host.
        if not _LOOKS_LIKE_HOST.match(text):
            return None
        text = f"http://{text}"
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
        _ = parts.port  # a port out of range raises when it is looked at
        safe_url_string(text)
    except ValueError:
        return None
    if parts.scheme not in DEFAULT_PORTS or not host or _BAD_HOST.search(host):
        return None
    return text


def check_address(text: str) -> None:
    """Refuse what is no http or https address with its scheme.

    Raises:
        ArgumentError: it is none.
    """
    if not _HAS_SCHEME.match(text) or complete_address(text) is None:
        raise ArgumentError(
            f"{text} is no http(s) address; give one such as https://blog.example/a"
        ).about("no-address", text)


def split_addresses(text: str) -> list[str]:
    """Split a list of addresses at white space, and at commas in front of ``http``.

    Other commas are left alone, because an address may contain them.
    """
    return [part for part in _LIST_SEPARATOR.split(text.strip().strip(",")) if part]


@dataclass(frozen=True, slots=True)
class ListedAddress:
    """One entry of a list.

    Attributes:
        line: Its line number from 1.
        text: What stands there.
        address: What to fetch; ``None`` where the entry holds no address.
    """

    line: int
    text: str
    address: str | None


def check_address_list(path: Path) -> None:
    """Make sure that a list can be read before a crawl starts.

    Raises:
        UnreadableInputError: There is no such file, it cannot be opened, or it is a CSV file
            without a column ``url``.
    """
    what = f"cannot read the list of addresses {path}"
    with system_errors(what, "Check the file.", UnreadableInputError):
        next(read_address_list(path), None)


def given_addresses(texts: Iterable[str], file: str = "") -> Iterator[ListedAddress]:
    """Give addresses as they were given, numbered as lines are, and those of a file."""
    for number, text in enumerate(texts, start=1):
        yield ListedAddress(number, text, complete_address(text))
    if file:
        yield from read_address_list(Path(file))


def read_address_list(path: Path) -> Iterator[ListedAddress]:
    """Read a list lazily.

    The form follows from the file's ending: ``.jsonl`` and ``.ndjson`` hold objects with a key
    ``url``, ``.csv`` a header with a column ``url``, anything else one address a line, where blank
    lines and lines beginning with ``#`` are skipped. UTF-8, with or without a byte order mark.

    Raises:
        UnreadableInputError: It is a CSV file without a column ``url``.
        OSError: It cannot be read.
    """
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as lines:
        if path.suffix.lower() == ".csv":
            for number, row, typed in _csv_entries(lines, path):
                yield ListedAddress(number, row, complete_address(typed))
            return
        is_json = path.suffix.lower() in {".jsonl", ".ndjson"}
        for number, line in enumerate(map(str.strip, lines), start=1):
            if line and (is_json or not line.startswith("#")):
                typed = _json_address(line) if is_json else line
                yield ListedAddress(number, line, complete_address(typed))


def _json_address(text: str) -> str:
    value = None
    with suppress(ValueError, RecursionError, AttributeError):
        value = json.loads(text).get(_COLUMN)
    return value if isinstance(value, str) else ""


def _csv_entries(lines: Iterable[str], path: Path) -> Iterator[tuple[int, str, str]]:
    rows = csv.reader(lines)
    names: list[str] = []
    with suppress(csv.Error):
        names = [name.strip().lower() for name in next(rows, [])]
    if _COLUMN not in names:
        raise UnreadableInputError(
            f"the list of addresses {path} has no column named '{_COLUMN}' in its first line",
        )
    column = names.index(_COLUMN)
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error:
            yield rows.line_num, "a row that is no CSV", ""
            continue
        if row:
            yield rows.line_num, ",".join(row), row[column] if column < len(row) else ""
