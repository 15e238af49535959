"""What a page says of a node: its attributes, those around it, its neighbours, place and shape.

Each kind of evidence is a *slot* with a text as its value; an empty text means that there is
nothing of the kind. Values are meant to recur on other pages of the layout: digits are folded, and
what is long is cut.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crawler.core.wrapper.tree import INLINE, TEXT
from crawler.core.wrapper.view import LABEL_CHARS, masked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crawler.core.wrapper.view import View

__all__ = ["SLOTS", "Evidence", "Slot", "evidence_of"]

Evidence = tuple[str, ...]
"""The values of all slots, in the order of :data:`SLOTS`."""

_DIGITS = re.compile(r"\d+")
_UPPER = re.compile("[A-Z]+")
_OTHER_LETTERS = re.compile("[a-z]+")
_WORD_CHARS = 16
_VALUE_CHARS = 30
_SHAPE_CHARS = 32
# How many names of a path are kept, and how many children are looked at.
_STEPS = 12
_CHILDREN = 8
_PROPERTIES = ("itemprop", "property", "name", "rel", "data-testid", "data-test", "data-qa")
_OWN_SLOTS = frozenset(
    ("class", "id", "href", "src", "style", "content", "value", "alt", "title", *_PROPERTIES)
)


@dataclass(frozen=True, slots=True)
class Slot:
    """A kind of evidence.

    ``name``
        Its name in project files.
    ``trust``
        Between 0 and 1: how far one example is believed to say what others will have there.
    ``read``
        Finds its value for a node.
    """

    name: str
    trust: float
    read: Callable[[View, int], str]


def _name(view: View, node: int) -> str:
    """Return the names of the element and of two around it, the innermost first."""
    names = view.tree.names
    return "/".join([names[step] for step in view.levels(node)[:3]])


def _path(view: View, node: int) -> str:
    """Return the names of the elements around a node, the innermost first."""
    names = view.tree.names
    return "/".join([names[step] for step in view.levels(node)[:_STEPS]])


def _way(view: View, node: int) -> str:
    """Return the same with the number of each among its siblings of that name."""
    return _numbered(view, view.levels(node)[:_STEPS])


def _numbered(view: View, steps: tuple[int, ...]) -> str:
    names, numbers = view.tree.names, view.tree.tag_indexes
    return "/".join([f"{names[step]}{numbers[step]}" for step in steps])


def _to_id(view: View, node: int) -> tuple[str, tuple[int, ...]]:
    """Return the nearest id, and the elements between it and the node, the innermost first."""
    levels = view.levels(node)
    for number, step in enumerate(levels):
        if found := view.id_of(step):
            return found, levels[:number]
    return "", ()


def _id(view: View, node: int) -> str:
    """Return the names of the elements up to the nearest that has an id, and the id."""
    found, steps = _to_id(view, node)
    return f"{'/'.join(view.tree.names[step] for step in steps[:_STEPS])}#{found}" if found else ""


def _id_way(view: View, node: int) -> str:
    """Return the same with numbers."""
    found, steps = _to_id(view, node)
    return f"{_numbered(view, steps[:_STEPS])}#{found}" if found else ""


def _class_way(view: View, node: int) -> str:
    """Return the names and numbers up to the nearest element that has classes, and these."""
    levels = view.levels(node)
    for number, step in enumerate(levels):
        if found := view.class_of(step):
            return f"{_numbered(view, levels[:number][:_STEPS])}.{found}"
    return ""


def _class(level: int) -> Callable[[View, int], str]:
    """Return the reader of the classes of an element that many levels up."""

    def read(view: View, node: int) -> str:
        levels = view.levels(node)
        return view.class_of(levels[level]) if level < len(levels) else ""

    return read


def _place(level: int) -> Callable[[View, int], str]:
    """Return the reader of the number of an element that many levels up."""

    def read(view: View, node: int) -> str:
        levels = view.levels(node)
        return str(view.tree.tag_indexes[levels[level]]) if level < len(levels) else ""

    return read


def _attributes(view: View, node: int) -> Mapping[str, str]:
    levels = view.levels(node)
    element = view.tree.elements[levels[0]] if levels else None
    return {} if element is None else {str(key): str(its) for key, its in element.items()}


def _property(view: View, node: int) -> str:
    """Return the attribute by which pages name a value, and what it says."""
    for step in view.levels(node)[:3]:
        for name in _PROPERTIES:
            if found := view.tree.attribute(step, name):
                return f"{name}={masked(found)[:LABEL_CHARS]}"
    return ""


def _others(view: View, node: int) -> str:
    """Return the other attributes, with their values where these are single words."""
    return " ".join(
        f"{name}={value}" if len(value) <= _VALUE_CHARS and value.isalpha() else name
        for name, value in sorted(_attributes(view, node).items())
        if name not in _OWN_SLOTS
    )[: 2 * LABEL_CHARS]


def _link(view: View, node: int) -> str:
    """Return what the link in which a node stands has in common with others of its kind."""
    for step in view.levels(node)[:3]:
        if view.tree.names[step] == "a":
            return _address(view.tree.attribute(step, "href") or "")
    return ""


def _address(href: str) -> str:
    """Return what addresses of one kind have in common."""
    try:
        parts = urlsplit(href.strip()[:500])
    except ValueError:
        return "broken"
    if parts.scheme not in {"", "http", "https"}:
        return parts.scheme
    folders = [masked(part) for part in parts.path.split("/")[:-1]]
    keys = sorted({pair.partition("=")[0] for pair in parts.query.split("&")} - {""})
    return f"{parts.netloc}{'/'.join(folders[:4])}?{'&'.join(keys)}"[: 2 * LABEL_CHARS]


def _before(view: View, node: int) -> str:
    """Return the text before a node."""
    return view.label(view.text_before(node))


def _before_that(view: View, node: int) -> str:
    """Return the text before the text before a node."""
    return view.label(view.text_before(node, 2))


def _after(view: View, node: int) -> str:
    """Return the text after a node."""
    return view.label(view.text_after(node))


def _block(view: View, node: int) -> int | None:
    """Return the cell, item or paragraph in which a node stands."""
    names = view.tree.names
    return next((step for step in view.levels(node) if names[step] not in INLINE), None)


def _beside(view: View, node: int) -> str:
    """Return the text before the cell, item or paragraph in which a node stands."""
    block = _block(view, node)
    return "" if block is None else view.label(view.text_before(block))


def _named(view: View, node: int) -> str:
    """Return the label before a node, or else before its cell, item or paragraph."""
    block = _block(view, node)
    return view.label_before(node) or ("" if block is None else view.label_before(block))


def _heading(view: View, node: int) -> str:
    """Return the nearest heading or label before a node."""
    return view.label(view.heading(node))


def _run(view: View, node: int) -> str:
    """Return the number of a text node in its element."""
    return str(view.tree.tag_indexes[node]) if view.tree.names[node] == TEXT else ""


def _shape(view: View, node: int) -> str:
    """Return how a text begins, letters and digits folded: ``Aa 0`` for "Room 12"."""
    text = masked(view.first_text(node)[:_SHAPE_CHARS])
    return _UPPER.sub("A", _OTHER_LETTERS.sub("a", text)) if text.isascii() else _any_shape(text)


def _any_shape(text: str) -> str:
    found = []
    last = ""
    for char in text:
        kind = "A" if char.isupper() else "a" if char.isalpha() else char
        if kind != last or not char.isalpha():
            found.append(kind)
        last = kind
    return "".join(found)


def _form(view: View, node: int) -> str:
    """Return how many words a text has, by powers of two, and whether it has digits."""
    text = view.first_text(node)
    words = text.count(" ") + 1 if text else 0
    digits = "0" if _DIGITS.search(text) else ""
    return f"{words.bit_length()}{digits}"


def _first_word(view: View, node: int) -> str:
    """Return the first word of a text."""
    return masked(view.first_text(node).partition(" ")[0][:_WORD_CHARS].lower())


def _last_word(view: View, node: int) -> str:
    """Return the last word of a text."""
    return masked(view.first_text(node).rpartition(" ")[2][-_WORD_CHARS:].lower())


def _of_title(number: int) -> Callable[[View, int], str]:
    """Return the reader of how a text meets the title of the page (0), or its first heading (1)."""

    def read(view: View, node: int) -> str:
        title, text = view.titles()[number], view.first_text(node).lower()
        if not title or not text:
            return ""
        if text == title:
            return "same"
        return "begins" if title.startswith(text) else "in" if text in title else ""

    return read


def _copies(view: View, node: int) -> str:
    """Return how many times the page says a text, three for more."""
    return str(min(view.copies(view.first_text(node)), 3))


def _parts(view: View, node: int) -> str:
    """Return the names and classes of an element's first children, repetitions folded."""
    tree = view.tree
    found: list[str] = []
    child = node + 1
    while child < tree.ends[node] and len(found) < _CHILDREN:
        if tree.elements[child] is not None:
            part = f"{tree.names[child]}.{view.class_of(child)}"
            if not found or found[-1] != part:
                found.append(part)
        child = tree.ends[child]
    return " ".join(found)[: 4 * LABEL_CHARS]


def _texts(view: View, node: int) -> str:
    """Return how many texts an element holds, by powers of two."""
    return "" if view.tree.names[node] == TEXT else str(view.texts_in(node).bit_length())


SLOTS: tuple[Slot, ...] = (
    Slot("name", 0.8, _name),
    Slot("path", 0.6, _path),
    Slot("way", 0.4, _way),
    Slot("id", 0.8, _id),
    Slot("id-way", 0.5, _id_way),
    Slot("class-way", 0.5, _class_way),
    Slot("class", 0.9, _class(0)),
    Slot("class-1", 0.8, _class(1)),
    Slot("class-2", 0.6, _class(2)),
    Slot("class-3", 0.5, _class(3)),
    Slot("property", 0.9, _property),
    Slot("attributes", 0.6, _others),
    Slot("link", 0.5, _link),
    Slot("before", 0.7, _before),
    Slot("before-that", 0.3, _before_that),
    Slot("after", 0.4, _after),
    Slot("beside", 0.7, _beside),
    Slot("label", 0.7, _named),
    Slot("heading", 0.6, _heading),
    Slot("place", 0.3, _place(0)),
    Slot("place-1", 0.3, _place(1)),
    Slot("place-2", 0.3, _place(2)),
    Slot("run", 0.4, _run),
    Slot("shape", 0.2, _shape),
    Slot("form", 0.3, _form),
    Slot("first-word", 0.2, _first_word),
    Slot("last-word", 0.2, _last_word),
    Slot("title", 0.5, _of_title(0)),
    Slot("h1", 0.5, _of_title(1)),
    Slot("copies", 0.1, _copies),
    Slot("parts", 0.6, _parts),
    Slot("texts", 0.3, _texts),
)
"""All kinds of evidence; the functions say what their values are.

A slot that is added or changed makes rules learn again, not err.
"""


def evidence_of(view: View, node: int) -> Evidence:
    """Return the values of all slots for a node."""
    return tuple(slot.read(view, node) for slot in SLOTS)
