"""The corpus as it is now, from the numbered parts of all crawls: ``scrapy articles``.

The parts are read twice. The first time finds for each address the number of its last item; the
second time writes these items as they are read. No more of an item is in memory than a hash and a
number.

A row of a part is a dictionary with the fields of the item, as JSON Lines hold them. Cells of CSV
and columns of Parquet are converted to that, as far as the format allows: an empty cell is no
value, or empty text in a field that always has text.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

import xxhash
from scrapy.exporters import BaseItemExporter
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from crawler.core.cells import from_cell
from crawler.core.errors import ArgumentError, UnreadableInputError
from crawler.core.page.addresses import canonical_address
from crawler.core.wording import counted, listed
from crawler.exporters.columns import EXTRA, PAGE_COLUMNS, import_pyarrow
from crawler.exporters.feeds import unwritable
from crawler.exporters.formats import FEED_EXPORTERS, format_of, without_format
from crawler.exporters.part_writer import parts_folder
from crawler.items import FIELD_ORDER, PageItem
from crawler.reports.stdout import print_error
from crawler.settings import Options
from crawler.store.files import known_sites, replacing, site_asked, site_named, system_errors

Row = dict[str, Any]

_NAME = re.compile(r"(?P<run>.+)-(?P<number>[0-9]{5,})\.(?P<format>jsonl|csv|parquet)", re.DOTALL)
_ROWS_AT_ONCE: Final = 200
# The module csv allows 128 KB a cell; this is the most that any system allows.
_CELL_CHARS: Final = 2**31 - 1
_MAY_BE_NONE: Final = {
    field.name for field in dataclasses.fields(PageItem) if str(field.type).endswith("None")
}
# Formats that take rows with any fields; the others take page items.
_OF_ROWS: Final = {"json", "jsonl", "jsonlines", "jl", "csv", "csv-excel"}
_NAMES_SHOWN = 3


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
    with system_errors(f"{folder} cannot be read", "Name a folder of parts", UnreadableInputError):
        for path in folder.iterdir():
            if (name := _NAME.fullmatch(path.name)) and path.is_file():
                parts.append(PartFile(name["run"], int(name["number"]), name["format"], path))
            else:
                others.append(path.name)
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
                    row = {name: _value_of(name, from_cell(cell)) for name, cell in pairs}
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
            yield from (_unpacked(row, as_json) for row in batch.to_pylist())


def _unpacked(row: Row, as_json: set[str]) -> Row:
    """Undo the conversions by which :mod:`crawler.exporters.columns` makes values fit."""
    for name in as_json & row.keys():
        if row[name] is not None:
            row[name] = json.loads(row[name])
    fields = row.get("fields")
    extra = row.pop(EXTRA, None)
    if extra is None and isinstance(fields, dict):
        extra = fields.pop(EXTRA, None)
    return {**row, **extra} if isinstance(extra, dict) else row


class LastItems:
    """Which items of some parts are the last of their addresses.

    An item replaces all earlier ones of its ``url``, and those of the other pages of its article
    (``parts``), whose text is now in it. Addresses are compared in their canonical form. The parts
    are given in the order in which they were written.

    Raises:
        UnreadableInputError: a part is damaged, empty, or has an item without an address.
    """

    def __init__(self, parts: Sequence[PartFile]) -> None:
        self.parts = parts
        self.items = 0
        self.fields: tuple[str, ...] = ()
        """Names of all fields: those of page items first, in their order."""
        self._last: dict[bytes, int] = {}
        fields: dict[str, None] = {}
        for part in parts:
            before = self.items
            for row in read_rows(part):
                url, pages = row.get("url"), row.get("parts")
                if not isinstance(url, str) or not url:
                    raise UnreadableInputError(
                        f"{part.path}: item {self.items - before + 1} has no url, as all items of "
                        "parts have. Move the file elsewhere if it is no part of a crawl."
                    )
                for page in (url, *(pages if isinstance(pages, list) else ())):
                    self._last[_key(str(page))] = self.items
                self.items += 1
                fields.update(dict.fromkeys(row))
            if self.items == before:
                raise UnreadableInputError(
                    f"{part.path} holds no item, as no part of a crawl does. Put a copy of it in "
                    "its place, or move it elsewhere."
                )
        known = [name for name in FIELD_ORDER if name in fields]
        self.fields = (*known, *(name for name in fields if name not in FIELD_ORDER))

    def rows(self) -> Iterator[Row]:
        """Give the last items, those of pages that are gone too, in the order of the parts."""
        number = 0
        for part in self.parts:
            for row in read_rows(part):
                if self._last.get(_key(str(row.get("url")))) == number:
                    yield row
                number += 1
        if number != self.items:
            raise UnreadableInputError(
                f"the parts in {self.parts[0].path.parent} changed while they were read. Try again."
            )


def _key(url: str) -> bytes:
    # Two of a hundred million addresses have the same 128-bit key with a probability of 10⁻²³.
    return xxhash.xxh3_128_digest(canonical_address(url).encode("utf-8", "surrogatepass"))


def write_articles(last: LastItems, file: IO[bytes], ending: str) -> tuple[int, int, int]:
    """Write the last items of those pages that are not gone, and count.

    Args:
        last: the items.
        file: where to write, opened for bytes; it is not closed.
        ending: a format of feeds.

    Returns:
        How many items were written, how many later ones have replaced, and how many pages are gone.

    Raises:
        UnreadableInputError: a part is damaged, or was changed meanwhile.
        OptionError: the package that writes the format is not installed.
    """
    # Parquet columns have fixed types where the fields are those of page items.
    typed = ending == "parquet" and set(last.fields) <= set(FIELD_ORDER)
    has_columns = ending.startswith("csv") or (ending == "parquet" and not typed)
    columns = {"fields_to_export": [*last.fields]} if has_columns else {}
    exporter: BaseItemExporter = load_object(FEED_EXPORTERS[ending])(
        file, encoding="utf-8", **columns
    )
    is_of_rows = ending in _OF_ROWS or has_columns
    articles = gone = 0
    exporter.start_exporting()
    for row in last.rows():
        if row.get("change") == "gone":
            gone += 1
            continue
        # A column of Parquet shows that a field is missing; others need its empty value.
        fields: dict[str, Any] = {
            name: row.get(name) for name in FIELD_ORDER if typed or row.get(name) is not None
        }
        exporter.export_item(row if is_of_rows else PageItem(**fields))
        articles += 1
    exporter.finish_exporting()
    return articles, last.items - articles - gone, gone


def main(args: Sequence[str], opts: argparse.Namespace, settings: Settings) -> int:
    """Write the articles of a site.

    Args:
        args: one site, or one folder of parts.
        opts: the options of the command, of which ``output`` is the file to write; ``-`` for JSON
            Lines on standard output.
        settings: of the project and of the command.

    Raises:
        CorpusError: the call is wrong, a part is damaged, or the file cannot be written.
    """
    options = Options.from_settings(settings)
    if len(args) != 1:
        names = _sites(parts_folder(options, "site").parent)
        there = f"; there are: {listed(names)}" if names and not args else ""
        raise ArgumentError(f"name one site, or one folder of parts{there}")
    path, ending = _output(opts.output)
    folder = _folder_of(args[0], options)
    parts, others = find_parts(folder)
    if not parts:
        raise ArgumentError(
            f"no numbered parts in {folder}; call 'scrapy corpus ADDRESS --daily' first, "
            "or name the folder in which its parts are"
        )
    if path and path.exists() and any(part.path.samefile(path) for part in parts):
        raise ArgumentError(f"-O is '{path}', which is one of the parts; give another name")
    if others:
        # A crawl is writing them, the next one begins with them, or somebody put them there.
        names_shown = listed(others, _NAMES_SHOWN)
        print_error("articles", f"what is no whole part is left out ({len(others)}): {names_shown}")
    last = LastItems(parts)
    if path is None:
        articles, passed_over, gone = write_articles(last, sys.stdout.buffer, ending)
    else:
        with replacing(path.resolve()) as aside, aside.open("wb") as file:
            articles, passed_over, gone = write_articles(last, file, ending)
    found = (
        f"{counted(articles, 'article')}, from {counted(len(parts), 'part')} in "
        f"{folder}; {counted(passed_over, 'earlier version')} passed over, "
        f"{gone:,} gone"
    )
    print(found, file=sys.stderr if path is None else sys.stdout)
    return 0


def _output(output: str | None) -> tuple[Path | None, str]:
    """Return the file to write, None for standard output, and its format."""
    if not output:
        raise ArgumentError("give -O FILE, or -O - for JSON Lines on standard output")
    if output == "-":
        return None, "jsonl"
    if flaw := without_format([output], FEED_EXPORTERS):
        raise ArgumentError(flaw)
    output, ending = format_of(output, FEED_EXPORTERS)
    if output == "-":
        return None, ending
    path = Path(output)
    if flaw := unwritable(path):
        raise ArgumentError(f"-O is '{output}': {flaw}")
    if path.exists() and not path.is_file():
        raise ArgumentError(f"-O is '{output}', which is no file; use -O - and a pipe")
    return path, ending


def _sites(folder: Path) -> list[str]:
    """Return the sites whose folders of parts are in a folder."""
    return sorted(site_named(path.name) for path in folder.glob("*/") if path.is_dir())


def _folder_of(name: str, options: Options) -> Path:
    """Return the folder of a site's parts, or the named folder itself."""
    site = site_asked(name)
    folder = parts_folder(options, site)
    for found in (folder, Path(name)) if name else ():
        if found.is_dir():
            return found
    names = _sites(folder.parent)
    known = (
        known_sites(site, names)
        if names
        else "call 'scrapy corpus ADDRESS --daily' first, or set CORPUS_DIR or CORPUS_OUTPUT "
        "to the folder of a crawl"
    )
    raise ArgumentError(f"no articles of '{site}' in {folder.parent}, and no such folder; {known}")
