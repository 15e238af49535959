"""A page, or one element of it, as the ground on which nodes are told apart."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crawler.core.wrapper.tree import PageTree

__all__ = ["LABEL_CHARS", "View", "masked"]

LABEL_CHARS = 48
"""How many characters of a label, a class or an id are kept."""

_DIGITS = re.compile(r"\d+")
_COLONS = (":", "\uff1a")
# How far up elements around a node are looked at.
_CLIMB = 40
_HEADINGS = frozenset(
    ("h1", "h2", "h3", "h4", "h5", "h6", "dt", "th", "b", "strong", "label", "caption", "legend")
)


class View:
    """A page, or one element of it, as the ground on which nodes are told apart.

    Nothing outside the element ``root`` is seen, and paths begin there; with -1 the page is seen.
    A view remembers what it worked out, and lives no longer than its page is worked on.
    """

    def __init__(self, tree: PageTree, root: int = -1) -> None:
        self.tree = tree
        self.root = root
        within = tree.within(root)
        self._first = bisect_left(tree.runs, within.start)
        self._last = bisect_left(tree.runs, within.stop)
        self._levels: dict[int, tuple[int, ...]] = {}
        self._children: dict[int, list[int]] = {}
        self._saying: dict[str, list[int]] = {}
        self._labels: dict[str, str] = {}
        self._classes: dict[int, str] = {}
        self._ids: dict[int, str] = {}
        self._headings: list[int] = []
        self._titles: tuple[str, str] | None = None

    def levels(self, node: int) -> tuple[int, ...]:
        """Return the elements around a node, the nearest first; an element is its own first.

        Bodies of tables are left out, since parsers do not agree where there are any.
        """
        known = self._levels.get(node)
        if known is None:
            tree = self.tree
            start = node if tree.elements[node] is not None else tree.parents[node]
            if start not in self._levels:
                self._levels[start] = self._climbed(start)
            known = self._levels[node] = self._levels[start]
        return known

    def label(self, text: str) -> str:
        """Return a text as it recurs on other pages where it is a label."""
        known = self._labels.get(text)
        if known is None:
            cut = text[:LABEL_CHARS].lower()
            # Figures of a label are part of its name, as in "ISBN-13:"; others date and count.
            known = cut if cut.endswith(_COLONS) else masked(cut)
            self._labels[text] = known
        return known

    def _climbed(self, element: int) -> tuple[int, ...]:
        tree, found = self.tree, list[int]()
        here = element
        while here >= 0 and len(found) < _CLIMB:
            # Elements come after those around them, which are known by then.
            if (known := self._levels.get(here)) is not None:
                found += known[: _CLIMB - len(found)]
                break
            if tree.names[here] != "tbody":
                found.append(here)
            if here == self.root:
                break
            here = tree.parents[here]
        return tuple(found)

    def children(self, element: int) -> list[int]:
        """Return the nodes that stand in an element, and in none between, in order."""
        known = self._children.get(element)
        if known is None:
            tree, known = self.tree, list[int]()
            child = element + 1
            while child < tree.ends[element]:
                known.append(child)
                child = tree.ends[child]
            self._children[element] = known
        return known

    def class_of(self, element: int) -> str:
        """Return an element's classes, digits folded, in the order of the alphabet."""
        known = self._classes.get(element)
        if known is None:
            written = self.tree.attribute(element, "class") or ""
            known = " ".join(sorted(set(masked(written).split())))[:LABEL_CHARS]
            self._classes[element] = known
        return known

    def id_of(self, element: int) -> str:
        """Return an element's id, digits folded."""
        known = self._ids.get(element)
        if known is None:
            written = self.tree.attribute(element, "id") or ""
            known = self._ids[element] = masked(written)[:LABEL_CHARS]
        return known

    def text_before(self, node: int, number: int = 1) -> str:
        """Return the text node that many before the beginning of a node."""
        runs = self.tree.runs
        at = bisect_left(runs, node) - number
        return self.tree.texts[runs[at]] if at >= self._first else ""

    def label_before(self, node: int) -> str:
        """Return the text before a node if it is a label by its markup or its colon."""
        tree = self.tree
        at = bisect_left(tree.runs, node) - 1
        if at < self._first:
            return ""
        run = tree.runs[at]
        text = tree.texts[run]
        is_label = text.endswith(_COLONS) or tree.names[tree.parents[run]] in _HEADINGS
        return self.label(text) if is_label and len(text) <= LABEL_CHARS else ""

    def text_after(self, node: int) -> str:
        """Return the first text node after the end of a node."""
        runs = self.tree.runs
        at = bisect_left(runs, self.tree.ends[node])
        return self.tree.texts[runs[at]] if at < self._last else ""

    def first_text(self, node: int) -> str:
        """Return the first text node of a node, which is that node itself where it is one."""
        tree = self.tree
        if tree.elements[node] is None:
            return tree.texts[node]
        at = bisect_left(tree.runs, node)
        inside = at < len(tree.runs) and tree.runs[at] < tree.ends[node]
        return tree.texts[tree.runs[at]] if inside else ""

    def texts_in(self, node: int) -> int:
        """Return the number of text nodes in a node."""
        runs = self.tree.runs
        return bisect_left(runs, self.tree.ends[node]) - bisect_left(runs, node)

    @property
    def runs(self) -> list[int]:
        """The text nodes of the view, in document order."""
        return self.tree.runs[self._first : self._last]

    def saying(self, text: str) -> list[int]:
        """Return the text nodes of the view that say this."""
        if not self._saying:
            for run in self.runs:
                self._saying.setdefault(self.tree.texts[run], []).append(run)
        return self._saying.get(text, [])

    def copies(self, text: str) -> int:
        """Return how many text nodes of the page say this."""
        return self.tree.copies(text)

    def heading(self, node: int) -> str:
        """Return the nearest text before a node that stands in a heading or a label."""
        tree = self.tree
        if not self._headings:
            last = -1
            for run in self.runs:
                self._headings.append(last)
                if tree.names[tree.parents[run]] in _HEADINGS:
                    last = run
            self._headings.append(last)
        at = bisect_left(tree.runs, node) - self._first
        found = self._headings[min(max(at, 0), len(self._headings) - 1)]
        return tree.texts[found] if found >= 0 else ""

    def titles(self) -> tuple[str, str]:
        """Return the page's title and its first heading of the first rank, in lower case."""
        if self._titles is None:
            first = self.tree.first_value
            self._titles = (first("title").lower(), first("h1").lower())
        return self._titles


def masked(text: str) -> str:
    """Return a text with each run of digits as one ``0``."""
    return _DIGITS.sub("0", text)
