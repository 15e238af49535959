"""Forms of the output tree: XML, JSON, and rows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lxml import etree

from crawler.core.wrapper.schema import GROUP
from crawler.core.wrapper.tree import TEXT

if TYPE_CHECKING:
    from crawler.core.wrapper.applying import Node
    from crawler.core.wrapper.schema import Element

__all__ = ["as_json", "as_rows", "as_xml"]

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_xml(root: Node) -> str:
    """Return an output tree as an XML document, indented, with a newline at its end.

    Nodes named ``#text`` are written as text; characters that XML has not are left out.
    """
    element = _element(root)
    etree.indent(element)
    return etree.tostring(element, encoding="unicode") + "\n"


def _element(node: Node) -> etree._Element:
    element = etree.Element(node.name)
    element.text = _written(node)
    last: etree._Element | None = None
    for child in node.children:
        if child.name != TEXT:
            last = _element(child)
            element.append(last)
        # A text that was copied with the elements around it has no element of its own.
        elif last is None:
            element.text = (element.text or "") + (_written(child) or "")
        else:
            last.tail = (last.tail or "") + (_written(child) or "")
    return element


def _written(node: Node) -> str | None:
    return None if node.value is None else _NOT_XML.sub("", str(node.value))


def as_json(root: Node, schema: Element) -> dict[str, Any]:
    """Return an output tree as a JSON object with a key for every element of the schema.

    What repeats is a list; what is missing is null.
    """
    return {element.name: _value(root, element) for element in schema.elements}


def _value(around: Node, element: Element) -> Any:  # noqa: ANN401 - JSON is of any type
    found = [
        as_json(node, element) if element.type == GROUP else node.value
        for node in around.children
        if node.name == element.name
    ]
    if element.repeat:
        return found
    return found[0] if found else None


def as_rows(root: Node, schema: Element) -> list[dict[str, Any]]:
    """Return an output tree as rows: one a record where the schema has one list of records.

    Each row then has the elements of its record, and before them those of the page. Names that
    both have are written with the group's name and a point in front. Without one list, or without
    records in it, the page is one row.
    """
    whole = as_json(root, schema)
    lists = [element for element in schema.elements if element.type == GROUP and element.repeat]
    if len(lists) != 1:
        return [whole]
    name = lists[0].name
    of_page = {key: value for key, value in whole.items() if key != name}
    return [
        {**of_page, **{f"{name}.{key}" if key in of_page else key: its for key, its in row.items()}}
        for row in whole[name]
    ] or ([of_page] if any(value not in (None, []) for value in of_page.values()) else [])
