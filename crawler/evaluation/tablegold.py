"""Labelled tables: gold pages of ``{html, tables}``, each table tied to its element.

Each table is ``{tabid or tid, leaf, genuine}``; the attribute ``TABID`` or ``data-tid`` of the
element ties it to its label. ``confidence`` and ``header`` may stand beside, and ``id``, ``site``,
``lang`` and ``source`` beside the page.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawler.core.errors import UnreadableInputError, UnreadablePageError
from crawler.core.page.page import Page
from crawler.core.page.parse import parse
from crawler.core.tables.markup import find_tables
from crawler.evaluation.gold import kind_of, read_rows, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import Any

    from crawler.core.tables.grid import Grid

__all__ = ["HEADERS", "NEEDS", "GoldPage", "GoldTable", "read_tables_gold"]

NEEDS = "html and tables"
HEADERS = ("first_row", "first_column", "both", "none")
"""Where the attributes of a genuine table stand."""
_SURE = "sure"
_IDENTIFIERS = (("tabid", "tabid"), ("tid", "data-tid"))


@dataclass(frozen=True, slots=True)
class GoldTable:
    """A table and its label.

    ``key``
        The attribute that ties them, and its value.
    ``header``
        One of ``HEADERS``; None where the label does not say.
    ``is_judged``
        Whether figures count it: it holds no other table, and its label is sure.
    ``grid``
        The table as it is found on its page; None where it is not found.
    """

    key: tuple[str, str]
    genuine: bool
    header: str | None
    is_judged: bool
    grid: Grid | None = None


@dataclass(frozen=True, slots=True)
class GoldPage:
    """The labelled tables of one page.

    ``identifier``, ``site``, ``language``, ``source``
        What the gold says of the page, "" where it does not.
    ``unreadable``
        Why the page could not be read; "" where it was.
    """

    tables: tuple[GoldTable, ...]
    identifier: str = ""
    site: str = ""
    language: str = ""
    source: str = ""
    unreadable: str = ""


def read_tables_gold(files: Iterable[Path]) -> Iterator[GoldPage]:
    """Yield the pages of ``files``, read as one set, line by line.

    Raises:
        UnreadableInputError: A file cannot be read, or a line is no gold page of tables. The
            message names the file and the line.
    """
    for where, row in read_rows(files, NEEDS):
        html = text_of(row, "html", where, NEEDS)
        labels = _labels(row, where)
        grids: dict[tuple[str, str], Grid] = {}
        unreadable = ""
        try:
            found = find_tables(parse(Page.from_text("https://gold.example/", html)))
        except UnreadablePageError as error:
            unreadable, found = error.reason, ()
        for table in found:
            for _, attribute in _IDENTIFIERS:
                key = (attribute, table.element.get(attribute) or "")
                if key in labels:
                    grids.setdefault(key, table.grid)
        yield GoldPage(
            tables=tuple(replace(gold, grid=grids.get(key)) for key, gold in labels.items()),
            identifier=_said(row, "id"),
            site=_said(row, "site"),
            language=_said(row, "lang"),
            source=_said(row, "source"),
            unreadable=unreadable,
        )


def _said(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


def _labels(row: dict[str, Any], where: str) -> dict[tuple[str, str], GoldTable]:
    if "tables" not in row:
        raise UnreadableInputError(f"{where}: no 'tables'; every line needs {NEEDS}")
    tables = row["tables"]
    if not isinstance(tables, list):
        raise UnreadableInputError(f"{where}: 'tables' must be a list, not {kind_of(tables)}")
    labels: dict[tuple[str, str], GoldTable] = {}
    for table in tables:
        if not isinstance(table, dict):
            raise UnreadableInputError(f"{where}: a table must be an object, not {kind_of(table)}")
        key = _key(table, where)
        leaf, genuine = _flag(table, "leaf", where), _flag(table, "genuine", where)
        judged = leaf and table.get("confidence") in (None, _SURE)
        if judged or key not in labels:
            labels[key] = GoldTable(key, genuine, _header(table, where), judged)
    return labels


def _key(table: dict[str, Any], where: str) -> tuple[str, str]:
    for name, attribute in _IDENTIFIERS:
        value = table.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            return attribute, str(value)
    raise UnreadableInputError(
        f"{where}: a table without 'tabid' or 'tid'; give the value of its element's TABID or "
        "data-tid attribute"
    )


def _flag(table: dict[str, Any], name: str, where: str) -> bool:
    value = table.get(name)
    if not isinstance(value, bool):
        raise UnreadableInputError(
            f"{where}: '{name}' of a table must be true or false, not {kind_of(value)}"
        )
    return value


def _header(table: dict[str, Any], where: str) -> str | None:
    value = table.get("header")
    if value is not None and value not in HEADERS:
        raise UnreadableInputError(
            f"{where}: 'header' of a table must be null or one of {', '.join(HEADERS)}"
        )
    return value
