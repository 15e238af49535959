"""Feeds as workbooks of Excel: items as rows of one sheet, or tables as a sheet each."""

from __future__ import annotations

from datetime import date
from typing import IO, Any, Final

from crawler.core.cells import excel_text, is_cut
from crawler.exporters.columns import FirstItems, import_openpyxl
from crawler.exporters.rows import TABLE_COLUMNS, table_rows
from crawler.exporters.whole_file import WholeFileExporter
from crawler.items import PageItem, value_to_text

MOST_ROWS: Final = 1_048_576
"""The most rows that a sheet of Excel holds."""
_EXACT: Final = 10**15
# Each is longer than a cell may be on most pages, and has feeds of its own.
_LEFT_OUT: Final = frozenset({"sentences", "tables", "blocks"})
_INDEX: Final = [name for name, kind in TABLE_COLUMNS.items() if kind != "json"]


def excel_cell(sheet: Any, value: object) -> object:  # noqa: ANN401 - of openpyxl
    """Return a value as a cell of a sheet: numbers and dates as such, all else as text.

    A text that begins with ``=`` stays text. One that is longer than a cell may be is cut. What XML
    cannot hold is left out.
    """
    is_exact = isinstance(value, float) or (isinstance(value, int) and abs(value) < _EXACT)
    # Excel knows no time zones.
    is_day = isinstance(value, date) and getattr(value, "tzinfo", None) is None
    if value is None or is_exact or is_day:
        return value
    return excel_text(sheet, value_to_text(value))


class ExcelItemExporter(WholeFileExporter):
    """Writes items as rows: page items without their sentences, tables and blocks.

    Lists of texts are joined by ``"; "``; other lists and objects are JSON. Columns are those of
    pages, then those of other items that came before the first page. A sheet that is full is
    followed by another.

    Raises:
        OptionError: openpyxl is not installed.
    """

    def __init__(self, file: IO[bytes], **kwargs: Any) -> None:  # noqa: ANN401 - as the base class
        super().__init__(file, **kwargs)
        self._book = import_openpyxl().Workbook(write_only=True)
        self._sheet: Any = None
        self._first = FirstItems(self._row)
        self._rows = 0

    def export_item(self, item: Any) -> None:  # noqa: ANN401 - any item type of Scrapy
        """Add one row."""
        self._write(self._first.add(item))

    def write_end(self) -> None:
        """Save the workbook, which is kept in temporary files until then."""
        if self._first.columns is None:
            self._write(self._first.begin())
        if self._sheet is None:
            self._begin()
        self._book.save(self._file)

    def _write(self, items: list[Any]) -> None:
        for row in map(self._row, items):
            if self._sheet is None or self._rows == MOST_ROWS:
                self._begin()
            self._append([_joined(row.get(name)) for name in self._first.columns or ()])

    def _row(self, item: Any) -> dict[str, Any]:  # noqa: ANN401 - any item type of Scrapy
        """Return the values of an item by their columns."""
        fields = self.get_serialized_fields(item, default_value=None, include_empty=True)
        is_chosen = bool(self.fields_to_export) or not isinstance(item, PageItem)
        return {name: value for name, value in fields if is_chosen or name not in _LEFT_OUT}

    def _begin(self) -> None:
        self._sheet, self._rows = self._book.create_sheet(), 0
        self._sheet.freeze_panes = "A2"
        self._append(self._first.columns or [])

    def _append(self, row: list[Any]) -> None:
        self._rows += 1
        texts = (value for value in row if isinstance(value, str))
        if cut := sum(map(is_cut, texts)):
            self.count("corpus/exports/cut", cut)
        self._sheet.append([excel_cell(self._sheet, value) for value in row])


class TableExcelExporter(WholeFileExporter):
    """Writes each genuine table as a sheet of its own, behind a sheet that lists them.

    A value that can be read in one way only is a number, with its unit shown behind it.

    Raises:
        OptionError: openpyxl is not installed.
    """

    def __init__(self, file: IO[bytes], **kwargs: Any) -> None:  # noqa: ANN401 - as the base class
        super().__init__(file, **kwargs)
        self._book = import_openpyxl().Workbook(write_only=True)
        self._index = self._book.create_sheet("tables")
        self._index.freeze_panes = "A2"
        self._index.append(["sheet", *_INDEX])
        self.rows_written = 0

    def export_item(self, item: Any) -> None:  # noqa: ANN401 - any item type of Scrapy
        """Add the tables of a page item; of anything else, none."""
        for table in table_rows(item):
            if table["is_genuine"] and table["types"]:
                self.rows_written += 1
                self._add(table, str(self.rows_written))

    def write_end(self) -> None:
        """Save the workbook."""
        self._book.save(self._file)

    def _add(self, table: dict[str, Any], name: str) -> None:
        index = self._index
        index.append([name, *(excel_cell(index, table[column]) for column in _INDEX)])
        sheet = self._book.create_sheet(name)
        sheet.freeze_panes = "A2"
        sheet.append([excel_cell(sheet, field) for field in table["types"]])
        for record, values in zip(table["records"], table["values"], strict=True):
            sheet.append(
                [_table_cell(sheet, text, values.get(field)) for field, text in record.items()]
            )
        # Its rows are in a file of their own from now on.
        sheet.close()


def _table_cell(sheet: Any, text: str, value: dict[str, str] | None) -> object:  # noqa: ANN401 - of openpyxl
    """Return the cell of a table as a number where it is one, with its unit as the format."""
    try:
        number = float((value or {})["value"])
    except (KeyError, ValueError):
        return excel_cell(sheet, text)
    unit = (value or {}).get("unit", "")
    if not unit or '"' in unit:
        return number
    from openpyxl.cell import WriteOnlyCell  # noqa: PLC0415 - of an extra

    cell = WriteOnlyCell(sheet, number)
    cell.number_format = f'General "{unit}"'
    return cell


def _joined(value: object) -> object:
    """Return a list of texts as one text, and any other value as it is."""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "; ".join(value)
    return value if isinstance(value, int | float | date) or value is None else value_to_text(value)
