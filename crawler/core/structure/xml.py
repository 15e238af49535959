"""Step 4, the end: a tree that the model's DTD takes, and its XML.

Nothing of the page is lost and nothing changes its place: what may not stand where it stands
becomes ``TEXT``. What the model asks for and the page does not have is put in, empty, and reported
(section 4.3 of the paper).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lxml import etree

from crawler.core.structure.dtd import (
    content_of,
    implied_dtd,
    lacking,
    namespaces,
    takes_everything,
)
from crawler.core.structure.model import GROUP, TEXT
from crawler.core.structure.nodes import ITEM, Node, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from crawler.core.structure.model import Model

__all__ = ["fit", "to_xml"]

# All that XML 1.0 does not take as a character; lone surrogates among them.
_NO_CHARS: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def fit(root: Node, model: Model, problem: Callable[[str], None]) -> None:
    """Make a tree one that the model's DTD takes, in place.

    Args:
        root: the tree; its root is the root of the model.
        model: the model.
        problem: is told, in a sentence, what the model asks for and the page does not have.
    """
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.name != GROUP:
            _fit_children(node, model, problem)
        waiting += node.children


def _fit_children(node: Node, model: Model, problem: Callable[[str], None]) -> None:
    element = model.elements.get(node.name)
    if element is None or (element.content is None and not element.holds_any):
        # It has no children: what was put under it is part of its text.
        node.text = " ".join(texts(node))
        node.children = []
        return
    if element.holds_any or element.content is None:
        return
    allowed = model.children(node.name)
    node.children = list(_spliced(node.children, allowed))
    names = [child.name for child in node.children if child.is_element]
    for missing in lacking(model, node.name, names):
        problem(f"{node.name}: required element {missing} is missing")
    if element.holds_text or takes_everything(element.content):
        return
    steps, tail = content_of(element.content).nearest(names)
    done: list[Node] = []
    plan = iter(steps)
    for child in node.children:
        if not child.is_element:
            done.append(child)
            continue
        step = next(plan)
        done += [_added(name, model) for name in step.missing]
        done += [child] if step.taken else (Node(TEXT, text) for text in texts(child))
    node.children = done + [_added(name, model) for name in tail]


def _spliced(children: list[Node], allowed: frozenset[str]) -> Iterator[Node]:
    """Yield children; for one that may not stand here its text, and then its own children."""
    waiting = children[::-1]
    while waiting:
        child = waiting.pop()
        if child.name in allowed or child.name in (TEXT, GROUP):
            yield child
            continue
        if child.headed and child.name != ITEM:
            # What stands under a heading stays under it.
            inner = child.children if child.text else child.children[1:]
            yield Node(GROUP, child.title, inner, headed=True)
            continue
        if child.text:
            yield Node(TEXT, child.text)
        waiting += reversed(child.children)


def _added(name: str, model: Model) -> Node:
    """Return an element that is not on the page, with the least that it has to hold."""
    root = Node(name, added=True)
    waiting = [root]
    while waiting:
        node = waiting.pop()
        element = model.elements.get(node.name)
        if element is None or element.content is None or takes_everything(element.content):
            continue
        node.children = [Node(each, added=True) for each in model.least(node.name)]
        waiting += node.children
    return root


def to_xml(root: Node, model: Model, *, doctype: bool = False) -> str:
    """Write a tree as an XML document.

    Args:
        root: a tree that :func:`fit` has made fit.
        model: the model.
        doctype: whether the document holds its own DTD.
    """
    spaces = namespaces(model)
    top = etree.Element(_qualified(root.name, spaces), nsmap=spaces)
    waiting = [(root, top)]
    while waiting:
        node, element = waiting.pop()
        _write_text(node, element, model)
        waiting += [
            (child, etree.SubElement(element, _qualified(child.name, spaces)))
            for child in node.children
        ]
    text = etree.tostring(top, encoding="utf-8", pretty_print=True).decode("utf-8")
    declared = f"<!DOCTYPE {root.name} [\n{implied_dtd(model)}]>\n" if doctype else ""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{declared}{text}'


def _qualified(name: str, spaces: Mapping[str, str]) -> str:
    prefix, colon, local = name.partition(":")
    return f"{{{spaces[prefix]}}}{local}" if colon else name


def _write_text(node: Node, element: etree._Element, model: Model) -> None:
    text = _NO_CHARS.sub("", node.text)
    declared = model.elements.get(node.name)
    if node.name == GROUP:
        element.set("title", text)
    elif declared is not None and declared.holds_text:
        element.text = text or None
    elif text or node.name == TEXT:
        element.set("val", text)
