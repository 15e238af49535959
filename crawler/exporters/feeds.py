"""The feed formats Parquet, and CSV whose cells hold proper JSON.

JSON Lines are written by Scrapy's own exporter.
"""

from __future__ import annotations

import csv
import logging
import os
from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, ClassVar, Final, cast

from scrapy.exporters import BaseItemExporter, CsvItemExporter
from scrapy.settings import BaseSettings

from crawler.core.cells import to_cell
from crawler.core.errors import OptionError
from crawler.exporters.columns import (
    PAGE_COLUMNS,
    FirstItems,
    Kind,
    arrow_schema,
    arrow_table,
    choose_columns,
    import_openpyxl,
    import_pyarrow,
)
from crawler.exporters.formats import FEED_EXPORTERS, FORMATS_TOLD, known_formats, whole_file
from crawler.exporters.whole_file import WholeFileExporter, offset, path_of
from crawler.items import PageItem, value_to_text
from crawler.store.files import local_path

logger = logging.getLogger(__name__)

# What formats need, by their endings.
_NEEDS: Final = {"parquet": import_pyarrow, "xlsx": import_openpyxl}


def check_feeds(settings: BaseSettings) -> None:
    """Refuse feeds that could not be written, before a page has been fetched.

    Scrapy drops all feeds when one has an unknown format, and finds the other faults only when the
    first item arrives.

    Raises:
        OptionError: A feed has no options or an unknown format, is Parquet while pyarrow is
            missing, would be appended to a file that cannot be added to, or cannot be written.
    """
    formats = known_formats(settings)
    for uri, feed in settings.getdict("FEEDS").items():
        if not isinstance(feed, dict):
            raise OptionError(
                f"The feed {uri} is {feed!r} in FEEDS. It needs a dictionary of options."
            )
        chosen = feed.get("format")
        if chosen is None:
            continue
        if chosen not in formats:
            raise OptionError(
                f"The feed {uri} has the format {chosen!r}. Known formats are "
                f"{', '.join(formats)}; others go into the setting FEED_EXPORTERS. {FORMATS_TOLD}."
            )
        path = local_path(str(uri))
        if path is not None and (flaw := unwritable(path)):
            raise OptionError(f"{path} cannot be written: {flaw}")
        if chosen in FEED_EXPORTERS and (needs := _NEEDS.get(chosen.rpartition("-")[2])):
            needs()
        holds_data = path is not None and path.is_file() and path.stat().st_size > 0
        if (name := whole_file(chosen)) and holds_data and not feed.get("overwrite", False):
            raise OptionError(
                f"{uri} exists, and {name} cannot be appended to. Replace it (-O, or "
                "overwrite in FEEDS), or give another name."
            )


def unwritable(path: Path) -> str | None:
    """Say why a file cannot be written, None where nothing prevents it."""
    try:
        if path.is_dir():
            return "it is a folder. Name a file in it."
        if path.exists():
            return None if os.access(path, os.W_OK) else "it is write-protected."
        # Names with %(time)s and the like are not known yet; their folder is made when missing.
        folder = next(folder for folder in path.absolute().parents if folder.exists())
        if not folder.is_dir():
            return f"{folder} is a file, not a folder. Give another name."
        if not os.access(folder, os.W_OK | os.X_OK):
            return f"nothing may be added to {folder}. Give another name."
        # Not every file system that permits it does it.
        with TemporaryFile(dir=folder):
            return None
    except OSError as error:
        return f"{error.strerror or error}. Give another name."


class ParquetItemExporter(WholeFileExporter):
    """Writes items as rows of a Parquet file, one row group after the other.

    The columns of :class:`~crawler.items.PageItem` have fixed types. Those of other items are
    found in the first row group. A value that fits no column later is kept as JSON in the column
    ``_extra`` (for page items: under the key ``_extra`` of ``fields``), so that nothing is lost
    and no item stops the feed.
    """

    item_type: ClassVar[type[Any]] = PageItem
    """The items expected, whose columns are fixed."""
    columns: ClassVar[Mapping[str, Kind]] = PAGE_COLUMNS
    """Their columns."""

    def __init__(
        self,
        file: IO[bytes],
        *,
        row_group_rows: int = 2000,
        row_group_bytes: int = 16 * 1024 * 1024,
        compression: str = "zstd",
        **kwargs: Any,  # noqa: ANN401 - whatever the base class takes
    ) -> None:
        """Prepare a file.

        Args:
            file: Where to write, opened for bytes.
            row_group_rows: Rows after which a row group is written.
            row_group_bytes: Bytes of text, roughly, after which a row group is written; bounds the
                memory used.
            compression: A codec of Parquet: ``zstd``, ``snappy``, ``gzip``, ``none``, …
            kwargs: ``fields_to_export`` and the other options of Scrapy's exporters.

        Raises:
            OptionError: pyarrow is not installed.
        """
        super().__init__(file, **kwargs)
        import_pyarrow()
        self._rows_limit = row_group_rows
        self._bytes_limit = row_group_bytes
        self._compression = compression
        self._first: Any = None
        self._columns: dict[str, Kind] = {}
        self._rows: list[dict[str, Any]] = []
        self._bytes = 0
        self._writer: Any = None

    def export_item(self, item: Any) -> None:  # noqa: ANN401 - any item type of Scrapy
        """Add one row. It is written with its row group."""
        row = dict(self.get_serialized_fields(item, default_value=None, include_empty=True))
        self._first = item if self._first is None else self._first
        self._rows.append(row)
        self._bytes += sum(_weight(value) for value in row.values())
        if len(self._rows) >= self._rows_limit or self._bytes >= self._bytes_limit:
            self._write_rows()

    def write_end(self) -> None:
        """Write the last row group and the footer that makes the file readable."""
        if self._rows or self._writer is None:
            self._write_rows()
        self._writer.close()

    def _named_columns(self) -> dict[str, str] | None:
        """Map the columns asked for to the item's fields; None when all fields are wanted."""
        wanted: Any = self.fields_to_export
        if not wanted:
            return None
        pairs = wanted.items() if hasattr(wanted, "items") else zip(wanted, wanted, strict=True)
        return {column: field for field, column in pairs}

    def _write_rows(self) -> None:
        if self._writer is None:
            self._open()
        table, misfits = arrow_table(self._columns, self._rows, self._writer.schema)
        if misfits:
            self.count("corpus/exports/misfits", misfits)
        self._writer.write_table(table, row_group_size=max(len(self._rows), 1))
        self._rows = []
        self._bytes = 0

    def _open(self) -> None:
        pyarrow, parquet = import_pyarrow()
        is_expected = self._first is None or isinstance(self._first, self.item_type)
        self._columns = choose_columns(
            self._rows,
            self.columns if is_expected else {},
            self._named_columns(),
            has_fields=self.item_type is PageItem,
        )
        self._writer = parquet.ParquetWriter(
            pyarrow.PythonFile(self._file, mode="w"),
            arrow_schema(self._columns),
            compression=self._compression,
        )


def _weight(value: object) -> int:
    """Estimate the bytes of a value, text by its length, so that row groups stay bounded."""
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, dict):
        return sum(_weight(inner) for inner in value.values())
    if isinstance(value, list | tuple):
        return sum(_weight(inner) for inner in value)
    return 8


class CorpusCsvItemExporter(CsvItemExporter):
    """Scrapy's CSV with cells a program can read back.

    Lists, objects and nested items are compact JSON, no value is an empty cell, truth values are
    ``true`` and ``false``. The header is written even when no item came, and not again when a file
    with the same header is appended to. What a spreadsheet would run has an apostrophe in front.
    """

    def __init__(
        self,
        file: IO[bytes],
        *,
        errors: str | None = "backslashreplace",
        formulas: bool = False,
        **kwargs: Any,  # noqa: ANN401 - whatever the base class takes
    ) -> None:
        """Prepare a file.

        Args:
            file: Where to write, opened for bytes.
            errors: What becomes of characters that the encoding lacks.
            formulas: Whether cells that a spreadsheet would run stay as they are.
            kwargs: ``fields_to_export`` and the other options of Scrapy's exporters.
        """
        # A feed that is appended to may have a header already.
        self._appending_to = path_of(file) if offset(file) else None
        super().__init__(cast("BytesIO", file), errors=errors, **kwargs)
        self._formulas = formulas
        self._is_begun = False
        self._first = FirstItems(self._row_of)

    def serialize_field(self, field: Mapping[str, Any], name: str, value: Any) -> Any:  # noqa: ANN401 - as Scrapy has it
        """Write a value as the text of a cell: lists are not joined but become JSON."""
        text = value_to_text(BaseItemExporter.serialize_field(self, field, name, value))
        return text if self._formulas else to_cell(text)

    def export_item(self, item: Any) -> None:  # noqa: ANN401 - any item type of Scrapy
        """Write one row, after the header if it is the first."""
        if self.fields_to_export:
            self._begin()
            super().export_item(item)
        else:
            self._write(self._first.add(item))

    def finish_exporting(self) -> None:
        """Write what waits, or the header of a feed without items, then release the file."""
        if not self._is_begun:
            self._write(self._first.begin())
            self._begin()
        super().finish_exporting()

    def _row_of(self, item: object) -> dict[str, Any]:
        return dict(self.get_serialized_fields(item, default_value="", include_empty=True))

    def _write(self, rows: Iterable[Mapping[str, Any]]) -> None:
        for row in rows:
            self._begin()
            self.csv_writer.writerow([row.get(name, "") for name in self._first.columns or ()])

    def _begin(self) -> None:
        """Choose the columns, and write the header where the file does not have it."""
        if self._is_begun:
            return
        self._is_begun = True
        # Where this is set, Scrapy warns of fields of later items that have no column.
        self._autodetected_fields = not self.fields_to_export
        wanted: Any = self.fields_to_export or self._first.columns
        self.fields_to_export = wanted
        header = list(wanted.values() if hasattr(wanted, "values") else wanted)
        if self._appending_to is not None and self.include_headers_line:
            with self._appending_to.open(
                encoding=self.encoding, errors="replace", newline=""
            ) as file:
                present = next(csv.reader(file, self.csv_writer.dialect), [])
            self.include_headers_line = present != header
            if present != header:
                logger.warning(
                    "%s has the columns %s, and the rows added now have %s: a second header marks "
                    "the change. Use -O to replace the file.",
                    self._appending_to,
                    ", ".join(present),
                    ", ".join(header),
                )
        if self.include_headers_line:
            self.csv_writer.writerow(header)
            self.include_headers_line = False


class ExcelCsvItemExporter(CorpusCsvItemExporter):
    """CSV with a byte order mark, by which Excel reads it as UTF-8."""

    def __init__(self, file: IO[bytes], **kwargs: Any) -> None:  # noqa: ANN401 - as the parent's
        super().__init__(file, **{**kwargs, "encoding": "utf-8-sig"})
