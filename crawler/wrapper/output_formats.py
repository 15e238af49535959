"""Outputs of pages as items and rows, and as documents: XML, JSON Lines, CSV."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

from crawler.core.errors import ArgumentError
from crawler.core.wrapper.output import as_json, as_rows, as_xml, columns_of
from crawler.items import nested_to_json, value_to_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from crawler.core.wrapper.output import Result
    from crawler.core.wrapper.schema import Element

FORMATS = ("xml", "jsonl", "csv")
"""The names of all formats."""

_URL = "url"


def format_name(path: Path | None, asked: str | None) -> str:
    """Return the format of an output: what was asked for, else by the name of its file, else XML.

    Raises:
        ArgumentError: there is no such format, or the name of the file has none.
    """
    if asked is not None:
        if asked not in FORMATS:
            raise ArgumentError(f"there is no format '{asked}'; give {', '.join(FORMATS)}")
        return asked
    if path is None:
        return FORMATS[0]
    ending = path.suffix.lower().removeprefix(".")
    ending = {"jl": "jsonl", "jsonlines": "jsonl"}.get(ending, ending)
    if ending not in FORMATS:
        raise ArgumentError(
            f"the name {path} has no known format; let it end in .xml, .jsonl or .csv, or add "
            "--format"
        )
    return ending


def fields_of(result: Result, schema: Element) -> dict[str, Any]:
    """Return a page as a JSON object: its ``url``, unless the schema has one, and its elements."""
    return {_URL: result.url, **as_json(result.root, schema)}


def rows_of(result: Result, schema: Element) -> Iterable[dict[str, Any]]:
    """Yield the rows of a page (:func:`~crawler.core.wrapper.output.as_rows`), with its ``url``."""
    return ({_URL: result.url, **row} for row in as_rows(result.root, schema))


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """Writes pages as one document: its head, each page, its tail.

    ``name``
        One of :data:`FORMATS`.
    ``schema``
        The schema of the pages.
    ``by_record``
        In JSON Lines, write a line a record and not a page.
    ``alone``
        In XML, there is one page, which is the document; several are in an element ``pages``, each
        in an element ``page`` with its address.
    """

    name: str
    schema: Element
    by_record: bool = False
    alone: bool = False

    def head(self) -> str:
        """Return what comes before all pages."""
        if self.name == "csv":
            return _csv_row(self._columns())
        if self.name == "jsonl":
            return ""
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ("" if self.alone else "<pages>\n")

    def page(self, result: Result) -> str:
        """Return a page. Lists and groups within a cell of CSV are JSON."""
        if self.name == "csv":
            columns = self._columns()
            rows = rows_of(result, self.schema)
            return "".join(_csv_row(_cell(row.get(name)) for name in columns) for row in rows)
        if self.name == "jsonl":
            one = [fields_of(result, self.schema)]
            rows = rows_of(result, self.schema) if self.by_record else one
            return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        if self.alone:
            return as_xml(result.root)
        # Not indented further: the lines of a text would change.
        url = quoteattr("".join(char for char in result.url if char.isprintable()))
        return f"<page url={url}>\n{as_xml(result.root)}</page>\n"

    def tail(self) -> str:
        """Return what comes after all pages."""
        return "" if self.alone or self.name != "xml" else "</pages>\n"

    def _columns(self) -> list[str]:
        return list(dict.fromkeys([_URL, *columns_of(self.schema)]))


def _cell(value: object) -> str:
    return nested_to_json(value) if isinstance(value, list | dict) else value_to_text(value)


def _csv_row(cells: Iterable[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(cells)
    return buffer.getvalue()
