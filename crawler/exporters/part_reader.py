"""The numbered parts that crawls have written, read back row by row from any format.

A row is a dictionary with the fields of the item, as JSON Lines hold them. Cells of CSV and columns
of Parquet are converted to that, as far as the format allows: an empty cell is no value, or empty
text in a field that always has text.
"""

from __future__ import annotations

import csv
import dataclasses
import json
import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from crawler.core.errors import UnreadableInputError
from crawler.exporters.columns import EXTRA, PAGE_COLUMNS, import_pyarrow
from crawler.items import PageItem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Row = dict[str, Any]

ASIDE: Final = ".aside"
"""Ending of the names of parts that are not whole."""

_NAME = re.compile(r"(?P<run>.+)-(?P<number>[0-9]{5,})\.(?P<format>jsonl|csv|parquet)", re.DOTALL)
_ROWS_AT_ONCE: Final = 200
# The module csv allows 128 KB a cell; this is the most that any system allows.
_CELL_CHARS: Final = 2**31 - 1
_MAY_BE_NONE: Final = {
    field.name for field in dataclasses.fields(PageItem) if str(field.type).endswith("None")
}


@dataclass(frozen=True, slots=True, order=True)
class PartFile:
    """A part: its place among the others (``run``, then ``number``), its format and its file."""

    run: str
    number: int
    format: str
    path: Path


def find_parts(folder: Path) -> tuple[list[PartFile], list[str]]:
    """Return the parts in a folder in their order, and the names of other files.

    Raises:
        UnreadableInputError: the folder cannot be read.
    """
    parts: list[PartFile] = []
    others: list[str] = []
    try:
        for path in folder.iterdir():
            if (name := _NAME.fullmatch(path.name)) and path.is_file():
                parts.append(PartFile(name["run"], int(name["number"]), name["format"], path))
            else:
                others.append(path.name)
    except OSError as error:
        raise UnreadableInputError(
            f"{folder} cannot be read ({error.strerror or error}). Name a folder of parts."
        ) from error
    return sorted(parts), sorted(others)


def read_rows(part: PartFile) -> Iterator[Row]:
    """Yield the rows of a part.

    Raises:
        UnreadableInputError: the part is damaged or cannot be read.
        OptionError: it is Parquet, and pyarrow is not installed.
    """
    readers = {"jsonl": _json_rows, "csv": _csv_rows, "parquet": _parquet_rows}
    return readers[part.format](part.path)


@contextmanager
def _reading(path: Path, place: str = "") -> Iterator[None]:
    """Raise errors as UnreadableInputErrors that name the part, the place, and what to do."""
    try:
        yield
    except (OSError, ValueError, RecursionError, csv.Error) as error:
        where = f", {place}" if place else ""
        raise UnreadableInputError(
            f"{path}{where}: the part cannot be read ({error}). Put a copy of it in its place, or "
            "move it elsewhere to do without its articles."
        ) from error


def _json_rows(path: Path) -> Iterator[Row]:
    with _reading(path), path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.isspace():
                continue
            with _reading(path, f"line {number}"):
                row = json.loads(line.decode("utf-8"))
                if not isinstance(row, dict):
                    raise ValueError("the line is no JSON object")  # noqa: TRY004 - as the others here
            yield row


def _csv_rows(path: Path) -> Iterator[Row]:
    limit = csv.field_size_limit(_CELL_CHARS)
    try:
        with _reading(path), path.open(encoding="utf-8", newline="") as file:
            lines = csv.reader(file, strict=True)
            header = next(lines, [])
            for cells in lines:
                with _reading(path, f"line {lines.line_num}"):
                    pairs = zip(header, cells, strict=True)
                    row = {name: _value_of(name, cell) for name, cell in pairs}
                yield row
    finally:
        csv.field_size_limit(limit)


def _value_of(name: str, cell: str) -> Any:  # noqa: ANN401 - whatever the field holds
    kind = PAGE_COLUMNS.get(name)
    if not cell:
        return "" if kind == "text" and name not in _MAY_BE_NONE else None
    if kind is None or kind == "text":
        return cell
    try:
        return json.loads(cell)
    except ValueError:
        # A pipeline may have put some text there.
        return cell


def _parquet_rows(path: Path) -> Iterator[Row]:
    _, parquet = import_pyarrow()
    with _reading(path), parquet.ParquetFile(path) as file:
        as_json = {
            field.name
            for field in file.schema_arrow
            if (field.metadata or {}).get(b"encoding") == b"json"
        }
        for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE):
            for row in batch.to_pylist():
                yield _unpacked(row, as_json)


def _unpacked(row: Row, as_json: set[str]) -> Row:
    """Undo the conversions by which :mod:`crawler.exporters.columns` makes values fit."""
    for name in as_json & row.keys():
        if row[name] is not None:
            row[name] = json.loads(row[name])
    for block in row.get("blocks") or ():
        if isinstance(block, dict) and isinstance(block.get("details"), str):
            block.update(json.loads(block.pop("details")))
    fields = row.get("fields")
    extra = row.pop(EXTRA, None)
    if extra is None and isinstance(fields, dict):
        extra = fields.pop(EXTRA, None)
    return {**row, **extra} if isinstance(extra, dict) else row
