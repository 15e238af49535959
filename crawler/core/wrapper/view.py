"""The part of a page in which a rule looks, and the surroundings of its nodes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any, Self

from crawler.core.wrapper.tree import (
    ELEMENT,
    INLINE,
    LABEL_CHARS,
    TEXT,
    TEXT_NODE,
    PageTree,
    absolute,
    fold,
    masked,
)

_COLONS = (":", "\uff1a")
# How many ancestors of a node are looked at.
_MOST_LEVELS = 40
_HEADINGS = frozenset(
    ("h1", "h2", "h3", "h4", "h5", "h6", "dt", "th", "b", "strong", "label", "caption", "legend")
)
# Text between the members of a list that is written in one line.
_SEPARATORS = frozenset(
    (",", ";", "/", "|", "&", "\u00b7", "\u2022", "\u3001", "\uff0c", "\u318d", ", and", ", &",
     "and", "or", "und", "oder", "et", "ou", "y", "e", "och", "og", "en", "и", "및", "와", "과")
)  # fmt: skip
_ADDRESSES = frozenset(("@href", "@src"))
# How many nodes of a list are followed to either side.
_MOST_SIBLINGS = 120


class View:
    """A page, or one element of it: the part in which a rule looks.

    Nothing outside the element ``root`` is seen, and paths begin there; with -1 it is the page.
    A view caches what it computes and does not outlive the work on its page.

    Attributes:
        label: returns the form in which a text recurs on other pages if it is a label.
        nodes: returns the nodes of a kind in document order: :data:`TEXT_NODE`, :data:`ELEMENT`, or
            ``@`` and the name of an attribute.
        columns: the evidence of the nodes of a kind, as ``example_nodes`` computes it.
    """

    def __init__(self, tree: PageTree, root: int = -1) -> None:
        self.tree = tree
        self.root = root
        within = tree.within(root)
        self._first = tree.texts_before[within.start]
        self._last = tree.texts_before[within.stop]
        self._levels: dict[int, tuple[int, ...]] = {}
        self.label = cache(_label)
        self.nodes = cache(self._nodes_of)
        self.columns: dict[str, Any] = {}

    @classmethod
    def of(cls, tree: PageTree, root: int = -1) -> Self:
        """Return a view; that of the page is the same each time."""
        if root >= 0:
            return cls(tree, root)
        if "view" not in tree.memo:
            tree.memo["view"] = cls(tree)
        view: Self = tree.memo["view"]
        return view

    def _nodes_of(self, kind: str) -> Sequence[int]:
        if kind == TEXT_NODE:
            return self.text_nodes
        tree = self.tree
        # The element of a record can have a value itself, such as a link.
        within = range(max(self.root, 0), tree.within(self.root).stop)
        elements = [node for node in within if tree.elements[node] is not None]
        if kind == ELEMENT:
            return elements
        return [node for node in elements if tree.attribute(node, kind[1:]) is not None]

    def value(self, node: int, kind: str) -> str:
        """Return the value of a field of this kind at this node; addresses are absolute."""
        if not kind.startswith("@"):
            return self.tree.value(node)
        written = fold(self.tree.attribute(node, kind[1:]) or "")
        return absolute(self.tree.base_at(node), written) if kind in _ADDRESSES else written

    def find(self, path: str) -> int | None:
        """Return the node of a path from the root of the view, None where there is none."""
        at_root = self.root >= 0 and path == "/"
        return self.root if at_root else self.tree.find(self.tree.path(self.root) + path)

    def levels(self, node: int) -> tuple[int, ...]:
        """Return the elements around a node, the nearest first; an element is its own first.

        ``tbody`` is left out, since parsers do not agree where there is one.
        """
        known = self._levels.get(node)
        if known is None:
            tree = self.tree
            here = node if tree.elements[node] is not None else tree.parents[node]
            found: list[int] = []
            while here >= 0 and len(found) < _MOST_LEVELS:
                # The levels of an ancestor are mostly known already.
                if (above := self._levels.get(here)) is not None:
                    found += above[: _MOST_LEVELS - len(found)]
                    break
                if tree.names[here] != "tbody":
                    found.append(here)
                here = -1 if here == self.root else tree.parents[here]
            known = self._levels[node] = tuple(found)
        return known

    def text_before(self, node: int, number: int = 1) -> str:
        """Return the text node that many before the start of a node."""
        tree = self.tree
        at = tree.texts_before[node] - number
        return tree.texts[tree.text_nodes[at]] if at >= self._first else ""

    def label_before(self, node: int) -> str:
        """Return the text before a node if it is a label by its markup or its colon."""
        tree = self.tree
        at = tree.texts_before[node] - 1
        if at < self._first:
            return ""
        before = tree.text_nodes[at]
        text = tree.texts[before]
        is_label = text.endswith(_COLONS) or tree.names[tree.parents[before]] in _HEADINGS
        return self.label(text) if is_label and len(text) <= LABEL_CHARS else ""

    def text_after(self, node: int) -> str:
        """Return the first text node after the end of a node."""
        tree = self.tree
        at = tree.texts_before[tree.ends[node]]
        return tree.texts[tree.text_nodes[at]] if at < self._last else ""

    def first_text(self, node: int) -> str:
        """Return the first text within a node; of a text node its own."""
        tree = self.tree
        at = tree.texts_before[node]
        inside = at < tree.texts_before[tree.ends[node]]
        return tree.texts[tree.text_nodes[at]] if inside else ""

    def count_texts(self, node: int) -> int:
        """Return the number of text nodes within a node."""
        before = self.tree.texts_before
        return before[self.tree.ends[node]] - before[node]

    @property
    def text_nodes(self) -> list[int]:
        """The text nodes of the view, in document order."""
        return self.tree.text_nodes[self._first : self._last]

    @cached_property
    def by_text(self) -> dict[str, list[int]]:
        """The text nodes of the view by their texts."""
        found: dict[str, list[int]] = {}
        for node in self.text_nodes:
            found.setdefault(self.tree.texts[node], []).append(node)
        return found

    @cached_property
    def _headings(self) -> list[str]:
        """The nearest heading before each text node, and before the end of the view."""
        tree, headings = self.tree, [""]
        for node in self.text_nodes:
            is_heading = tree.names[tree.parents[node]] in _HEADINGS
            headings.append(tree.texts[node] if is_heading else headings[-1])
        return headings

    def heading(self, node: int) -> str:
        """Return the nearest text before a node that is in a heading or a label."""
        at = self.tree.texts_before[node] - self._first
        return self._headings[min(max(at, 0), len(self._headings) - 1)]


def _label(text: str) -> str:
    cut = text[:LABEL_CHARS].lower()
    # Digits of a label are part of its name, as in "ISBN-13:"; others are values.
    return cut if cut.endswith(_COLONS) else masked(cut)


def list_siblings(view: View, node: int) -> tuple[Sequence[int], bool]:
    """Return the other members of the list that a text node belongs to, as the authors of a book.

    Also tell whether there are separators between them, such as commas. Without, as between the
    lines of an address, they may be different things.

    They are the texts of neighbouring elements of the same name and class, within a line, with
    nothing but separators between; or else the text nodes beside it, with line breaks between.
    """
    tree = view.tree
    parent = tree.parents[node]
    if tree.names[node] != TEXT or parent < 0 or parent == view.root:
        return (), False
    if tree.names[parent] in INLINE and tree.ends[parent] == node + 1 == parent + 2:
        return _siblings_in_line(view, parent)
    found: list[int] = []
    for side in _sides(view, node):
        for child in side:
            if tree.names[child] == TEXT:
                found.append(child)
            elif tree.names[child] != "br":
                break
    return sorted(found), False


def _sides(view: View, node: int) -> tuple[list[int], list[int]]:
    """Return the siblings after a node, and those before it, the nearest first."""
    children = view.tree.children[view.tree.parents[node]]
    at = bisect_left(children, node)
    before = children[max(at - _MOST_SIBLINGS, 0) : at]
    return children[at + 1 : at + 1 + _MOST_SIBLINGS], before[::-1]


def _siblings_in_line(view: View, element: int) -> tuple[Sequence[int], bool]:
    tree = view.tree
    if tree.parents[element] < 0:
        return (), False
    found: list[int] = []
    all_separated = True
    for side in _sides(view, element):
        separated = False
        for child in side:
            if tree.names[child] == TEXT:
                if tree.texts[child].lower() not in _SEPARATORS:
                    break
                separated = True
            elif (
                tree.names[child] == tree.names[element]
                and tree.ends[child] == child + 2
                and tree.names[child + 1] == TEXT
                and tree.classes[child] == tree.classes[element]
            ):
                all_separated = all_separated and separated
                found.append(child + 1)
                separated = False
            else:
                break
    return sorted(found), bool(found) and all_separated
