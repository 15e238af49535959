"""Features of a node: its attributes, its ancestors, the texts around it, its place and shape.

The value of a feature is a text; it is empty where a node has nothing of the kind. Values are made
to recur on other pages of the layout: digits are folded, and long values are cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from crawler.core.wrapper.next_link import next_sign
from crawler.core.wrapper.tree import INLINE, LABEL_CHARS, TEXT, PageTree, masked
from crawler.core.wrapper.view import View

Evidence = tuple[str, ...]
"""The values of all features of a node, in the order of :data:`FEATURES`."""

_DIGITS = re.compile(r"\d+")
_UPPER = re.compile("[A-Z]+")
_LOWER = re.compile("[a-z]+")
_WORD_CHARS = 16
_VALUE_CHARS = 30
_SHAPE_CHARS = 32
# How many steps of a path, and how many children of an element, are kept.
_STEPS = 12
_CHILDREN = 8
# Attributes by which pages name a value.
_PROPERTIES = ("itemprop", "property", "name", "rel", "data-testid", "data-test", "data-qa")
_READ_ELSEWHERE = frozenset(
    ("class", "id", "href", "src", "style", "content", "value", "alt", "title", *_PROPERTIES)
)
_Reader = Callable[[View, int], str]
_Marks = Callable[[PageTree], list[str]]


@dataclass(frozen=True, slots=True)
class Feature:
    """A kind of evidence, by its name in project files.

    ``trust`` is how likely the value of one example is to recur in others, 0 to 1; ``read`` returns
    its value for a node.
    """

    name: str
    trust: float
    read: _Reader


def _path(view: View, steps: tuple[int, ...]) -> str:
    names = view.tree.names
    return "/".join([names[step] for step in steps])


def _numbered_path(view: View, steps: tuple[int, ...]) -> str:
    """Return the names with the number of each among its siblings of that name."""
    names, numbers = view.tree.names, view.tree.tag_indexes
    return "/".join([f"{names[step]}{numbers[step]}" for step in steps])


def _path_to(mark: str, marks_of: _Marks, path: Callable[[View, tuple[int, ...]], str]) -> _Reader:
    """Return the reader of the path up to the nearest element that has a mark, and the mark.

    ``marks_of`` returns the marks of all elements, such as their ids; the character ``mark`` is
    before it.
    """

    def read(view: View, node: int) -> str:
        levels, marks = view.levels(node), marks_of(view.tree)
        for number, step in enumerate(levels):
            if found := marks[step]:
                return f"{path(view, levels[: min(number, _STEPS)])}{mark}{found}"
        return ""

    return read


def _at_level(level: int, read_element: _Reader) -> _Reader:
    """Return the reader of something of the element that many levels up."""

    def read(view: View, node: int) -> str:
        levels = view.levels(node)
        return read_element(view, levels[level]) if level < len(levels) else ""

    return read


def _class(view: View, element: int) -> str:
    return view.tree.classes[element]


def _number(view: View, element: int) -> str:
    """Return the number of an element among its siblings of its name."""
    return str(view.tree.tag_indexes[element])


def _property(view: View, node: int) -> str:
    """Return the attribute by which the page names the value, with its own value."""
    attributes = view.tree.attributes
    for its in (attributes[step] for step in view.levels(node)[:3]):
        for name in _PROPERTIES if its else ():
            if found := its.get(name):
                return f"{name}={masked(found)[:LABEL_CHARS]}"
    return ""


def _other_attributes(view: View, node: int) -> str:
    """Return the attributes without a feature of their own, with values that are single words."""
    levels = view.levels(node)
    pairs = sorted(view.tree.attributes[levels[0]].items()) if levels else ()
    return " ".join(
        f"{name}={value}" if len(value) <= _VALUE_CHARS and value.isalpha() else name
        for name, value in pairs
        if name not in _READ_ELSEWHERE
    )[: 2 * LABEL_CHARS]


def _link(view: View, node: int) -> str:
    """Return what the address of the link around a node has in common with others of its kind."""
    for step in view.levels(node)[:3]:
        if view.tree.names[step] == "a":
            return _address_kind(view.tree.attribute(step, "href") or "")
    return ""


def _address_kind(href: str) -> str:
    """Return the host, the folders and the keys of the query of an address, digits folded."""
    try:
        parts = urlsplit(href.strip()[:500])
    except ValueError:
        return "broken"
    if parts.scheme not in {"", "http", "https"}:
        return parts.scheme
    folders = [masked(part) for part in parts.path.split("/")[:-1]]
    keys = sorted({pair.partition("=")[0] for pair in parts.query.split("&")} - {""})
    return f"{parts.netloc}{'/'.join(folders[:4])}?{'&'.join(keys)}"[: 2 * LABEL_CHARS]


def _next(view: View, node: int) -> str:
    """Return "next" for a link to the next page of a list."""
    tree = view.tree
    return "next" if tree.names[node] == "a" and next_sign(tree, node) else ""


def _block(view: View, node: int) -> int | None:
    """Return the cell, item or paragraph around a node."""
    names = view.tree.names
    return next((step for step in view.levels(node) if names[step] not in INLINE), None)


def _before_block(view: View, node: int) -> str:
    """Return the text before the cell, item or paragraph around a node."""
    block = _block(view, node)
    return "" if block is None else view.label(view.text_before(block))


def _label(view: View, node: int) -> str:
    """Return the label before a node, or else before its cell, item or paragraph."""
    block = _block(view, node)
    return view.label_before(node) or ("" if block is None else view.label_before(block))


def _shape(view: View, node: int) -> str:
    """Return the start of a text, letters and digits folded: ``Aa 0`` for "Room 12"."""
    text = masked(view.first_text(node)[:_SHAPE_CHARS])
    if text.isascii():
        return _UPPER.sub("A", _LOWER.sub("a", text))
    found = []
    last = ""
    for char in text:
        kind = "A" if char.isupper() else "a" if char.isalpha() else char
        if kind != last or not char.isalpha():
            found.append(kind)
        last = kind
    return "".join(found)


def _form(view: View, node: int) -> str:
    """Return the number of words of a text, as a power of two, and whether it has digits."""
    text = view.first_text(node)
    words = text.count(" ") + 1 if text else 0
    digits = "0" if _DIGITS.search(text) else ""
    return f"{words.bit_length()}{digits}"


def _first_word(view: View, node: int) -> str:
    return masked(view.first_text(node).partition(" ")[0][:_WORD_CHARS].lower())


def _last_word(view: View, node: int) -> str:
    return masked(view.first_text(node).rpartition(" ")[2][-_WORD_CHARS:].lower())


def _copies(view: View, node: int) -> str:
    """Return how many text nodes of the page have the same text; three for more."""
    return str(min(view.tree.text_counts[view.first_text(node)], 3))


def _in_title(number: int) -> _Reader:
    """Return the reader of how a text occurs in the title of the page (0), or in its h1 (1)."""

    def read(view: View, node: int) -> str:
        title, text = view.tree.titles[number], view.first_text(node).lower()
        if not title or not text:
            return ""
        if text == title:
            return "same"
        return "begins" if title.startswith(text) else "in" if text in title else ""

    return read


def _child_elements(view: View, node: int) -> str:
    """Return the names and classes of the first children of an element, repetitions folded."""
    tree = view.tree
    found: list[str] = []
    for child in tree.children[node]:
        if tree.elements[child] is not None:
            part = f"{tree.names[child]}.{tree.classes[child]}"
            if not found or found[-1] != part:
                found.append(part)
            if len(found) == _CHILDREN:
                break
    return " ".join(found)[: 4 * LABEL_CHARS]


def _texts(view: View, node: int) -> str:
    """Return the number of texts within an element, as a power of two."""
    return "" if _is_text(view, node) else str(view.count_texts(node).bit_length())


def _is_text(view: View, node: int) -> bool:
    return view.tree.names[node] == TEXT


FEATURES: tuple[Feature, ...] = (
    Feature("name", 0.8, lambda view, node: _path(view, view.levels(node)[:3])),
    Feature("path", 0.6, lambda view, node: _path(view, view.levels(node)[:_STEPS])),
    Feature("way", 0.4, lambda view, node: _numbered_path(view, view.levels(node)[:_STEPS])),
    Feature("id", 0.8, _path_to("#", lambda tree: tree.ids, _path)),
    Feature("id-way", 0.5, _path_to("#", lambda tree: tree.ids, _numbered_path)),
    Feature("class-way", 0.5, _path_to(".", lambda tree: tree.classes, _numbered_path)),
    Feature("class", 0.9, _at_level(0, _class)),
    Feature("class-1", 0.8, _at_level(1, _class)),
    Feature("class-2", 0.6, _at_level(2, _class)),
    Feature("class-3", 0.5, _at_level(3, _class)),
    Feature("property", 0.9, _property),
    Feature("attributes", 0.6, _other_attributes),
    Feature("link", 0.5, _link),
    # Trusted little here: a rule for links to next pages takes no other link at all.
    Feature("next", 0.1, _next),
    Feature("before", 0.7, lambda view, node: view.label(view.text_before(node))),
    Feature("before-that", 0.3, lambda view, node: view.label(view.text_before(node, 2))),
    Feature("after", 0.4, lambda view, node: view.label(view.text_after(node))),
    Feature("beside", 0.7, _before_block),
    Feature("label", 0.7, _label),
    Feature("heading", 0.6, lambda view, node: view.label(view.heading(node))),
    Feature("place", 0.3, _at_level(0, _number)),
    Feature("place-1", 0.3, _at_level(1, _number)),
    Feature("place-2", 0.3, _at_level(2, _number)),
    # The number of a text node among those of its parent.
    Feature("run", 0.4, lambda view, node: _number(view, node) if _is_text(view, node) else ""),
    Feature("shape", 0.2, _shape),
    Feature("form", 0.3, _form),
    Feature("first-word", 0.2, _first_word),
    Feature("last-word", 0.2, _last_word),
    Feature("title", 0.5, _in_title(0)),
    Feature("h1", 0.5, _in_title(1)),
    Feature("copies", 0.1, _copies),
    Feature("parts", 0.6, _child_elements),
    Feature("texts", 0.3, _texts),
)
"""All features. The names are those of project files, and must not change.

Rules are learned anew from their examples when a project is read, so a feature can be added.
"""

FEATURE_AT = {feature.name: at for at, feature in enumerate(FEATURES)}
"""The place of each feature in :data:`FEATURES`, by name."""
