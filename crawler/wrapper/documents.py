"""The results of many pages as one document: XML, JSON Lines or CSV."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from xml.sax.saxutils import quoteattr

from crawler.core.cells import to_cell
from crawler.core.wrapper.output import Result
from crawler.core.wrapper.output_forms import as_xml, columns_of
from crawler.core.wrapper.project import Element
from crawler.items import nested_to_json, value_to_text
from crawler.wrapper.running import page_rows


def table_columns(schema: Element) -> list[str]:
    """Return the columns of a table of all pages: the address, then those of the schema."""
    return list(dict.fromkeys(["url", *columns_of(schema)]))


def document(
    form: str, schema: Element, results: Iterable[Result], *, alone: bool, by_record: bool = False
) -> Iterator[str]:
    """Yield the output as one document, piece by piece.

    Args:
        form: ``xml``, ``jsonl`` or ``csv``.
        schema: the schema of the pages.
        results: the pages.
        alone: whether there is one page, which is the document in XML. Several are in an element
            ``pages``, each in an element ``page`` with its address.
        by_record: in JSON Lines, a line a record and not a page.
    """
    if form == "xml":
        yield '<?xml version="1.0" encoding="UTF-8"?>\n' + ("" if alone else "<pages>\n")
        for result in results:
            # Not indented further: the lines of a text would change.
            url = quoteattr("".join(filter(str.isprintable, result.url)))
            xml = as_xml(result.root)
            yield xml if alone else f"<page url={url}>\n{xml}</page>\n"
        yield "" if alone else "</pages>\n"
    elif form == "jsonl":
        for result in results:
            rows = page_rows(result, schema, by_record=by_record)
            yield "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    else:
        # Its method writerow returns what the method write returns, a line.
        lines = csv.writer(SimpleNamespace(write=str), lineterminator="\n")
        columns = table_columns(schema)
        yield lines.writerow(columns)
        for result in results:
            rows = page_rows(result, schema, by_record=True)
            cells = ([to_cell(cell_of(row.get(name))) for name in columns] for row in rows)
            yield "".join(map(lines.writerow, cells))


def cell_of(value: object) -> str:
    """Return a value as a cell of a table; lists and groups are JSON."""
    return nested_to_json(value) if isinstance(value, list | dict) else value_to_text(value)
