"""Lists of addresses in files: one a line, JSON Lines, or CSV."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler.core.errors import UnreadableInputError
from crawler.discovery.addresses import complete_address

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["ListedAddress", "check_address_list", "read_address_list"]

_COLUMN = "url"


@dataclass(frozen=True, slots=True)
class ListedAddress:
    """One entry of a list.

    ``line`` is its line number from 1, ``text`` what stands there, ``address`` what to fetch, or
    ``None`` when it is no address.
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
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as lines:
            if path.suffix.lower() == ".csv":
                _csv_column(csv.reader(lines), path)
            else:
                lines.read(1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UnreadableInputError(f"cannot read the list of addresses {path}: {reason}") from None


def read_address_list(path: Path) -> Iterator[ListedAddress]:
    """Read a list lazily; entries that hold no address come with ``address=None``.

    The form goes by the file's ending: ``.jsonl`` holds objects with a key ``url``, ``.csv`` a
    header with a column ``url``, anything else one address a line, where blank lines and lines
    beginning with ``#`` are passed over. UTF-8, with or without a byte order mark.
    """
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as lines:
        suffix = path.suffix.lower()
        if suffix == ".csv":
            entries = _csv_entries(lines, path)
        elif suffix in {".jsonl", ".ndjson"}:
            entries = _json_entries(lines)
        else:
            entries = _plain_entries(lines)
        for line, text, typed in entries:
            yield ListedAddress(line, text, complete_address(typed))


def _plain_entries(lines: Iterable[str]) -> Iterator[tuple[int, str, str]]:
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if text and not text.startswith("#"):
            yield number, text, text


def _json_entries(lines: Iterable[str]) -> Iterator[tuple[int, str, str]]:
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if text:
            yield number, text, _json_address(text)


def _json_address(text: str) -> str:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    value = record.get(_COLUMN) if isinstance(record, dict) else None
    return value if isinstance(value, str) else ""


def _csv_column(rows: Iterator[list[str]], path: Path) -> int:
    try:
        names = [name.strip().lower() for name in next(rows, [])]
    except csv.Error:
        names = []
    if _COLUMN not in names:
        raise UnreadableInputError(
            f"the list of addresses {path} has no column named '{_COLUMN}' in its first line",
        )
    return names.index(_COLUMN)


def _csv_entries(lines: Iterable[str], path: Path) -> Iterator[tuple[int, str, str]]:
    rows = csv.reader(lines)
    column = _csv_column(rows, path)
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
