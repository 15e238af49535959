"""The corpus as it is now, from the numbered parts of all crawls: ``scrapy articles``.

The parts are read twice. The first time tells for each address which item is its last, and keeps no
more of it than a hash and a number; the second time, these items are written as they are read.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

import xxhash

from crawler.core.errors import ArgumentError, CorpusError, UnreadableInputError, one_line
from crawler.core.page.addresses import canonical_address
from crawler.core.wording import counted
from crawler.exporters.feeds import CorpusCsvItemExporter, ParquetItemExporter, unwritable
from crawler.exporters.part_reader import ASIDE, column_names, find_parts, read_rows
from crawler.exporters.part_writer import parts_folder
from crawler.items import FIELD_ORDER, PageItem
from crawler.settings import Options
from crawler.store.files import known_sites, site_named

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy.settings import Settings

    from crawler.exporters.part_reader import PartFile, Row

__all__ = ["LastItems", "Written", "main", "write_articles"]

_ENDINGS = ("jsonl", "csv", "parquet")
_OUTPUT = "give -O FILE, whose name ends in .jsonl, .csv or .parquet, or -O - for standard output"
_NAMES_SHOWN = 3


class _Exporter(Protocol):
    """What is used of Scrapy's exporters."""

    def start_exporting(self) -> None: ...
    def export_item(self, item: Any) -> None: ...  # noqa: ANN401 - any item type of Scrapy
    def finish_exporting(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Written:
    """What became of the items of all parts.

    ``articles``
        Items written: the last of their addresses.
    ``passed_over``
        Items that a later one replaces.
    ``gone``
        Items that say last of their address that its page is gone.
    """

    articles: int
    passed_over: int
    gone: int


class LastItems:
    """Which items of some parts are the last of their addresses.

    An item replaces all earlier ones of its ``url``, and those of the other pages of its article
    (``parts``), whose text is now in it. Addresses are compared in their canonical form, as ledgers
    know them.

    Args:
        parts: in the order in which they were written.

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
            for row in read_rows(part, ("url", "change", "parts")):
                if not self._place(row):
                    raise UnreadableInputError(
                        f"{part.path}: item {self.items - before + 1} has no url, as all items of "
                        "parts have. Move the file elsewhere if it is no part of a crawl."
                    )
                fields.update(dict.fromkeys(row))
            if self.items == before:
                raise UnreadableInputError(
                    f"{part.path} holds no item, as no part of a crawl does. Put a copy of it in "
                    "its place, or move it elsewhere."
                )
            fields.update(dict.fromkeys(column_names(part)))
        known = [name for name in FIELD_ORDER if name in fields]
        self.fields = (*known, *(name for name in fields if name not in FIELD_ORDER))

    def _place(self, row: Row) -> bool:
        url, pages = row.get("url"), row.get("parts")
        if not isinstance(url, str) or not url:
            return False
        for page in (url, *(pages if isinstance(pages, list) else ())):
            self._last[_key(str(page))] = self.items
        self.items += 1
        return True

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
    # Two of a hundred million addresses share a key of 128 bits with a chance of 10⁻²³.
    return xxhash.xxh3_128_digest(canonical_address(url).encode("utf-8", "surrogatepass"))


class _JsonLines:
    """Writes rows as JSON Lines, with the letters of all scripts as they are."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def start_exporting(self) -> None:
        """Write nothing: the format has no header."""

    def export_item(self, item: Row) -> None:
        """Write a line."""
        try:
            line = json.dumps(item, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            # Half of a character pair, which only an escape can hold.
            line = json.dumps(item).encode()
        self._file.write(line + b"\n")

    def finish_exporting(self) -> None:
        """Write nothing: the format has no end."""


def write_articles(last: LastItems, file: IO[bytes], ending: str) -> Written:
    """Write the last items of those pages that are not gone.

    Args:
        last: the items.
        file: where to write, opened for bytes; it is not closed.
        ending: ``jsonl``, ``csv`` or ``parquet``.

    Raises:
        UnreadableInputError: a part is damaged, or was changed meanwhile.
        OptionError: Parquet is to be written, and pyarrow is not installed.
    """
    exporter = _exporter(file, ending, last.fields)
    # Parquet knows the types of all columns where these are those of page items.
    typed = ending == "parquet" and set(last.fields) <= set(FIELD_ORDER)
    articles = gone = 0
    exporter.start_exporting()
    for row in last.rows():
        if row.get("change") == "gone":
            gone += 1
            continue
        exporter.export_item(_page_item(row) if typed else row)
        articles += 1
    exporter.finish_exporting()
    return Written(articles, last.items - articles - gone, gone)


def _exporter(file: IO[bytes], ending: str, fields: Sequence[str]) -> _Exporter:
    if ending == "jsonl":
        return _JsonLines(file)
    if ending == "csv":
        return CorpusCsvItemExporter(file, encoding="utf-8", fields_to_export=list(fields))
    typed = set(fields) <= set(FIELD_ORDER)
    return ParquetItemExporter(file, fields_to_export=None if typed else list(fields))


def _page_item(row: Row) -> PageItem:
    """Make an item of a row. What the row does not have is None, and not what is usual."""
    item = PageItem(str(row["url"]))
    for name in FIELD_ORDER:
        setattr(item, name, row.get(name))
    return item


def main(args: Sequence[str], output: str | None, settings: Settings) -> int:
    """Write the articles of a site; return the exit code: 0, 1 or 2, as the errors have it."""
    try:
        _write(args, output, Options.from_settings(settings))
    except CorpusError as error:
        _tell(one_line(error))
        return error.exit_code
    return 0


def _tell(message: str) -> None:
    print(f"scrapy articles: {message}", file=sys.stderr)  # noqa: T201 - a command speaks here


def _write(args: Sequence[str], output: str | None, options: Options) -> None:
    if unknown := [arg for arg in args if arg.startswith("-")]:
        raise ArgumentError(f"unknown option {unknown[0]}; 'scrapy articles -h' lists them")
    if len(args) != 1:
        raise ArgumentError("name one site, or one folder of parts")
    if not output:
        raise ArgumentError(_OUTPUT)
    ending = "jsonl" if output == "-" else output.rpartition(".")[2].lower()
    if ending not in _ENDINGS:
        raise ArgumentError(f"-O is '{output}'; {_OUTPUT}")
    if output != "-" and (flaw := unwritable(Path(output))):
        raise ArgumentError(f"-O is '{output}': {flaw}")
    folder = _folder_of(args[0], options)
    parts, others = find_parts(folder)
    if not parts:
        raise ArgumentError(
            f"no numbered parts in {folder}; crawl the site with CORPUS_INCREMENTAL=True first, "
            "or name the folder in which its parts lie"
        )
    if any(_is_same(part.path, output) for part in parts):
        raise ArgumentError(f"-O is '{output}', which is one of the parts; give another name")
    _note(parts, others)
    last = LastItems(parts)
    with _target(output) as file:
        written = write_articles(last, file, ending)
    found = (
        f"{counted(written.articles, 'article')}, from {counted(len(parts), 'part')} in "
        f"{folder}; {counted(written.passed_over, 'earlier version')} passed over, "
        f"{written.gone:,} gone"
    )
    print(found, file=sys.stderr if output == "-" else sys.stdout)


def _folder_of(name: str, options: Options) -> Path:
    """Return the folder of a site's parts, or the one that is named itself.

    Raises:
        ArgumentError: there is neither.
    """
    folder = parts_folder(options, name)
    if name and folder.is_dir():
        return folder
    if name and Path(name).is_dir():
        return Path(name)
    around = folder.parent
    names = sorted(site_named(path.name) for path in around.glob("*/") if path.is_dir())
    known = (
        known_sites(name, names)
        if names
        else "crawl a site with CORPUS_INCREMENTAL=True first, or set CORPUS_DIR or CORPUS_OUTPUT "
        "to the folder of a crawl"
    )
    raise ArgumentError(f"no articles of '{name}' in {around}, and no such folder; {known}")


def _is_same(path: Path, output: str) -> bool:
    with suppress(OSError):
        return path.samefile(output)
    return False


def _note(parts: Sequence[PartFile], others: Sequence[str]) -> None:
    """Tell what a user may not expect of a folder."""
    formats = Counter(part.format for part in parts)
    if len(formats) > 1:
        mixed = ", ".join(f"{name} {number:,}" for name, number in sorted(formats.items()))
        _tell(f"the parts are of several formats, and all are read: {mixed}")
    if aside := [name for name in others if name.endswith(ASIDE)]:
        _tell(
            f"parts that are not whole are left out ({len(aside)}): a crawl is writing them, or "
            "the next one begins with them"
        )
    if strange := [name for name in others if not name.endswith(ASIDE)]:
        more = ", …" if len(strange) > _NAMES_SHOWN else ""
        names = ", ".join(map(one_line, strange[:_NAMES_SHOWN]))
        _tell(f"files that are no parts are left out ({len(strange)}): {names}{more}")


@contextmanager
def _target(output: str) -> Iterator[IO[bytes]]:
    """Open what is to be written: a file is there under its name when it is whole, or not at all.

    Raises:
        CorpusError: it cannot be written.
    """
    if output == "-":
        yield sys.stdout.buffer
        return
    path = Path(output)
    # A device or a pipe cannot be replaced, and is written as it is.
    is_file = path.is_file() or not path.exists()
    real = path.resolve() if is_file else path
    aside = real.with_name(f".{real.name}.{os.getpid()}{ASIDE}") if is_file else real
    try:
        if is_file:
            real.parent.mkdir(parents=True, exist_ok=True)
        with aside.open("wb") as file:
            yield file
        if is_file:
            aside.replace(real)
    except OSError as error:
        raise CorpusError(
            f"{output}: cannot be written ({error.strerror or error}); free some space there or "
            "give another name"
        ) from error
    finally:
        if is_file:
            aside.unlink(missing_ok=True)
