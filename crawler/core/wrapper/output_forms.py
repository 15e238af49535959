"""The forms of an output: XML, JSON, rows of a table."""

from __future__ import annotations

from typing import Any

from lxml import etree

from crawler.core.structure.tree import as_xml_text
from crawler.core.wrapper.output import Node
from crawler.core.wrapper.project import GROUP, Element
from crawler.core.wrapper.tree import TEXT


def as_xml(root: Node) -> str:
    """Return an output as an XML document, indented, with a newline at its end.

    Nodes named ``#text`` are written as text; characters that XML does not allow are left out.
    """
    element = _element(root)
    etree.indent(element)
    return etree.tostring(element, encoding="unicode") + "\n"


def _element(node: Node) -> etree._Element:
    element = etree.Element(node.name)
    element.text = _text(node)
    last: etree._Element | None = None
    for child in node.children:
        if child.name != TEXT:
            last = _element(child)
            element.append(last)
        elif last is None:
            element.text = (element.text or "") + (_text(child) or "")
        else:
            last.tail = (last.tail or "") + (_text(child) or "")
    return element


def _text(node: Node) -> str | None:
    return None if node.value is None else as_xml_text(str(node.value))


def as_json(root: Node, schema: Element) -> dict[str, Any]:
    """Return an output as a JSON object with a key for every element of the schema.

    An element that repeats is a list; one that is missing is null.
    """
    return {element.name: _json_value(root, element) for element in schema.elements}


def _json_value(group: Node, element: Element) -> Any:  # noqa: ANN401 - JSON is of any type
    found = [
        as_json(node, element) if element.type == GROUP else node.value
        for node in group.children
        if node.name == element.name
    ]
    if element.repeat:
        return found
    return found[0] if found else None


def _list_of(schema: Element) -> Element | None:
    """Return the group of records, where a schema has exactly one."""
    lists = [element for element in schema.elements if element.type == GROUP and element.repeat]
    return lists[0] if len(lists) == 1 else None


def columns_of(schema: Element) -> list[str]:
    """Return the keys of the rows of :func:`as_rows`, in order.

    Elements of the page come first, then those of its records. A name that both have is written
    with the name of the group and a point in front.
    """
    records = _list_of(schema)
    names = [element.name for element in schema.elements if element is not records]
    if records is None:
        return names
    of_records = [child.name for child in records.elements]
    return names + [f"{records.name}.{its}" if its in names else its for its in of_records]


def as_rows(root: Node, schema: Element) -> list[dict[str, Any]]:
    """Return an output as rows: one a record where the schema has one list of records.

    Each row has all of :func:`columns_of`. Without one list, or without records in it, the page is
    one row; a page without any value then has none.
    """
    page = as_json(root, schema)
    records = _list_of(schema)
    if records is None:
        return [page]
    rows = page.pop(records.name)
    columns = columns_of(schema)
    keys = columns[len(page) :]
    if not rows and any(value not in (None, []) for value in page.values()):
        return [{**dict.fromkeys(columns), **page}]
    return [{**page, **dict(zip(keys, row.values(), strict=True))} for row in rows]
