"""Cells of workbooks, and of CSV files: what a spreadsheet would run is marked, and read back.

Spreadsheets take a cell that begins with ``=``, ``+``, ``-`` or ``@`` for a formula, which may
start programs or send data away, in wide forms too where East Asian languages are set, and some
drop a tab or line break in front of it (OWASP, "CSV Injection"). An apostrophe in front makes it
text to them.
"""

from __future__ import annotations

import re
from typing import Any, Final

from crawler.core.page.text import in_xml

MOST_CHARS: Final = 32_767
"""The most characters that a cell of Excel holds, counted in UTF-16."""

# Signs without a letter or digit behind, as dashes for "nothing", are no formula.
_RUNS: Final = re.compile(r"'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_WORD: Final = re.compile(r"\w")
_NUMBER: Final = re.compile(r"[+-]?(?:\d[\d,. ]*|[.,]\d+)(?:[eE][+-]?\d+)?[ ]?%?")


def to_cell(text: str) -> str:
    """Return text as a cell that no spreadsheet runs; numbers stay as they are."""
    return f"'{text}" if _is_formula(text) and not _NUMBER.fullmatch(text) else text


def from_cell(cell: str) -> str:
    """Return the text of a cell that :func:`to_cell` made."""
    return cell[1:] if cell.startswith("'") and _is_formula(cell) else cell


def _is_formula(text: str) -> bool:
    return _RUNS.match(text) is not None and _WORD.search(text) is not None


def excel_text(sheet: Any, text: str) -> Any:  # noqa: ANN401 - of openpyxl
    """Return a text as a cell of a workbook, cut where it is longer than a cell may be.

    A text that begins with ``=`` stays text. What XML cannot hold is left out.
    """
    from openpyxl.cell import WriteOnlyCell  # noqa: PLC0415 - of an extra

    units = in_xml(text).encode("utf-16-le", "replace")[: 2 * MOST_CHARS]
    cell = WriteOnlyCell(sheet, units.decode("utf-16-le", "ignore"))
    cell.data_type = "s"
    return cell


def is_cut(text: str) -> bool:
    """Tell whether :func:`excel_text` cuts a text."""
    return len(text.encode("utf-16-le", "replace")) > 2 * MOST_CHARS
