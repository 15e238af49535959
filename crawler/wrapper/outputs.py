"""Writing what a project made of pages: one document, or a line or row a page or record."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any, Protocol
from xml.sax.saxutils import quoteattr

from crawler.core.errors import ArgumentError
from crawler.core.wrapper.output import as_json, as_rows, as_xml
from crawler.core.wrapper.schema import GROUP
from crawler.items import nested_to_json, value_to_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from crawler.core.wrapper.applying import Result
    from crawler.core.wrapper.schema import Element

__all__ = ["FORMATS", "Form", "columns_of", "fields_of", "form_of", "format_of", "rows_of"]

FORMATS = ("xml", "jsonl", "csv")
"""What output can be written as."""

_URL = "url"


class Form(Protocol):
    """How pages are written."""

    def begin(self) -> str:
        """Return what stands before all pages."""

    def page(self, result: Result) -> str:
        """Return a page."""

    def end(self) -> str:
        """Return what stands behind all pages."""


def format_of(path: Path | None, asked: str | None) -> str:
    """Return the format of an output: what was asked for, else what its name says, else XML.

    Raises:
        ArgumentError: there is no such format, or the name says none.
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
            f"the name {path} does not say what to write; let it end in .xml, .jsonl or .csv, or "
            "add --format"
        )
    return ending


def form_of(name: str, schema: Element, *, rows: bool, alone: bool) -> Form:
    """Return a form by its name.

    Args:
        name: one of :data:`FORMATS`.
        schema: what pages are made to.
        rows: in JSON Lines, a line a record and not a page.
        alone: in XML, there is one page, which then is the document.
    """
    if name == "csv":
        return _Csv(schema)
    if name == "jsonl":
        return _Lines(schema, rows=rows)
    return _Alone() if alone else _Pages()


def fields_of(result: Result, schema: Element) -> dict[str, Any]:
    """Return a page as a JSON object: its ``url``, unless the schema has one, and its elements."""
    return {_URL: result.url, **as_json(result.root, schema)}


def rows_of(result: Result, schema: Element) -> Iterator[dict[str, Any]]:
    """Yield a page's rows (:func:`~crawler.core.wrapper.output.as_rows`), each with its ``url``.

    Each has all of :func:`columns_of`: a feed takes its columns from the first, and that may be of
    a page without records.
    """
    blank = dict.fromkeys(columns_of(schema))
    for row in as_rows(result.root, schema):
        yield {**blank, _URL: result.url, **row}


def columns_of(schema: Element) -> list[str]:
    """Return the keys of those rows, in order."""
    lists = [element for element in schema.elements if element.type == GROUP and element.repeat]
    names = [element.name for element in schema.elements]
    if len(lists) == 1:
        names.remove(lists[0].name)
        names += [
            f"{lists[0].name}.{child.name}" if child.name in names else child.name
            for child in lists[0].elements
        ]
    return list(dict.fromkeys([_URL, *names]))


class _Lines:
    """JSON Lines."""

    def __init__(self, schema: Element, *, rows: bool) -> None:
        self._schema = schema
        self._by_record = rows

    def begin(self) -> str:
        return ""

    def page(self, result: Result) -> str:
        if self._by_record:
            lines: Iterable[dict[str, Any]] = rows_of(result, self._schema)
        else:
            lines = [fields_of(result, self._schema)]
        return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)

    def end(self) -> str:
        return ""


class _Csv:
    """CSV with a header; lists and groups within a cell are JSON."""

    def __init__(self, schema: Element) -> None:
        self._schema = schema
        self._columns = columns_of(schema)

    def begin(self) -> str:
        return _csv_row(self._columns)

    def page(self, result: Result) -> str:
        return "".join(
            _csv_row([_cell(row.get(name)) for name in self._columns])
            for row in rows_of(result, self._schema)
        )

    def end(self) -> str:
        return ""


def _cell(value: object) -> str:
    return nested_to_json(value) if isinstance(value, list | dict) else value_to_text(value)


def _csv_row(cells: list[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(cells)
    return buffer.getvalue()


class _Alone:
    """An XML document of one page."""

    def begin(self) -> str:
        return '<?xml version="1.0" encoding="UTF-8"?>\n'

    def page(self, result: Result) -> str:
        return as_xml(result.root)

    def end(self) -> str:
        return ""


class _Pages(_Alone):
    """An XML document of several pages, each in an element ``page`` with its address."""

    def begin(self) -> str:
        return f"{super().begin()}<pages>\n"

    def page(self, result: Result) -> str:
        # Lines are not indented further: some of them may be within a text.
        url = quoteattr("".join(char for char in result.url if char.isprintable()))
        return f"<page url={url}>\n{super().page(result)}</page>\n"

    def end(self) -> str:
        return "</pages>\n"
