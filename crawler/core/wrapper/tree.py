"""The tag tree of a page as arrays: what rules walk over, and how its nodes are named."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

from lxml import etree

from crawler.core.page.parse import parse
from crawler.core.page.text import drop_unseen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.core.page.page import Page
    from crawler.core.page.parse import ParsedPage

__all__ = ["INLINE", "TEXT", "PageTree", "TagItem", "fold", "read_tree", "tree_of"]

TEXT = "#text"
"""The name of text nodes, which are leaves of the tree as elements are."""

_NO_TEXT = frozenset(("script", "style", "template"))
INLINE = frozenset(
    ("a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font",
     "i", "ins", "kbd", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub",
     "sup", "time", "tt", "u", "var", "wbr")
)  # fmt: skip
"""Elements that stand within a line: a reader sees no gap where they begin or end."""
_STEP = re.compile(r"([^/\[\]]+)(?:\[(\d{1,9})\])?")


@dataclass(frozen=True, slots=True)
class TagItem:
    """A node as its siblings see it.

    ``tag_index`` is its position among the siblings of its name, ``index`` that among all sibling
    elements, both counted from 1. A text node's ``index`` is the position that an element in its
    place would have.
    """

    name: str
    tag_index: int
    index: int


@dataclass(frozen=True, slots=True, eq=False)
class PageTree:
    """The nodes of a page in document order: elements, and text nodes that are not blank.

    A node is its number. All lists are as long as there are nodes; those nodes that stand in node
    ``n`` are ``n + 1`` to ``ends[n] - 1``. Trees are read-only and are never kept or sent.

    ``names``
        Names of elements, in lower case; :data:`TEXT` for text nodes.
    ``parents``
        The node around each; -1 for a root.
    ``texts``
        What a text node says, white space folded; empty for elements.
    ``raws``
        The same before folding, with a blank in front where a reader sees a gap.
    ``elements``
        The elements; None for text nodes.
    ``runs``
        Numbers of the text nodes.
    """

    url: str
    base_url: str
    names: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    tag_indexes: list[int] = field(default_factory=list)
    indexes: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    raws: list[str] = field(default_factory=list)
    elements: list[etree._Element | None] = field(default_factory=list)
    runs: list[int] = field(default_factory=list)
    _known: dict[str, str] = field(default_factory=dict)
    _copies: Counter[str] = field(default_factory=Counter)
    _steps: dict[tuple[int, str, int], int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.names)

    def instance(self, node: int) -> tuple[TagItem, ...]:
        """Return the path from the root to a node."""
        return tuple(
            TagItem(self.names[step], self.tag_indexes[step], self.indexes[step])
            for step in self.line(node)
        )

    def line(self, node: int) -> list[int]:
        """Return the nodes from the root to this one."""
        line = []
        while node >= 0:
            line.append(node)
            node = self.parents[node]
        line.reverse()
        return line

    def path(self, node: int) -> str:
        """Return the path of a node as text: ``/html[1]/body[1]/p[2]/#text[1]``."""
        return "".join(f"/{self.names[step]}[{self.tag_indexes[step]}]" for step in self.line(node))

    def find(self, path: str) -> int | None:
        """Return the node of a path, None where the page has none.

        A step without a number means the first, so simple XPath of elements is understood as well.
        """
        if not self._steps:
            self._steps.update(
                ((parent, name, number), node)
                for node, (parent, name, number) in enumerate(
                    zip(self.parents, self.names, self.tag_indexes, strict=True)
                )
            )
        here = -1
        for step in path.strip().removeprefix("/").split("/"):
            read = _STEP.fullmatch(step)
            if read is None:
                return None
            found = self._steps.get((here, read[1], int(read[2] or 1)))
            if found is None:
                return None
            here = found
        return here

    def value(self, node: int) -> str:
        """Return what a reader reads in a node, white space folded; scripts say nothing."""
        if self.elements[node] is None:
            return self.texts[node]
        return fold("".join(self.raws[node : self.ends[node]]))

    def attribute(self, node: int, name: str) -> str | None:
        """Return an element's attribute, None where it has none of that name."""
        element = self.elements[node]
        return None if element is None else element.get(name)

    def within(self, root: int) -> range:
        """Return the nodes that stand in a node, itself apart; with -1 those of the page."""
        return range(len(self)) if root < 0 else range(root + 1, self.ends[root])

    def copies(self, text: str) -> int:
        """Return how many text nodes say this, white space folded."""
        if not self._copies:
            self._copies.update(self.texts[run] for run in self.runs)
        return self._copies[text]

    def first_value(self, name: str) -> str:
        """Return what the first element of this name says; empty where there is none."""
        key = f"first {name}"
        if key not in self._known:
            node = next((node for node, its in enumerate(self.names) if its == name), None)
            self._known[key] = "" if node is None else self.value(node)
        return self._known[key]

    @property
    def fingerprint(self) -> str:
        """A hash of names and texts in order: the same for the same page, saved or fetched."""
        if "fingerprint" not in self._known:
            rows = zip(self.depths, self.names, self.texts, strict=True)
            said = "\n".join(f"{depth} {name} {text}" for depth, name, text in rows)
            digest = blake2b(said.encode("utf-8", "replace"), digest_size=16)
            self._known["fingerprint"] = digest.hexdigest()
        return self._known["fingerprint"]


def fold(text: str) -> str:
    """Fold white space, and drop characters that nobody sees."""
    return " ".join((text if text.isprintable() else drop_unseen(text)).split())


def read_tree(page: Page) -> PageTree:
    """Parse a page into its tag tree.

    Raises:
        UnreadablePageError: the page is empty, binary, or no HTML.
    """
    return tree_of(parse(page))


def tree_of(parsed: ParsedPage) -> PageTree:
    """Return the tag tree of a parsed page."""
    tree = PageTree(parsed.page.url, parsed.base_url)
    builder = _Builder(tree)
    for root in parsed.roots:
        for event, element in _events(root):
            if event == "start":
                builder.start(element)
            else:
                builder.end(element, is_root=element is root)
    return tree


def _events(root: etree._Element) -> Iterator[tuple[str, etree._Element]]:
    # Parsed pages nest a thousand deep: events need no recursion.
    return iter(etree.iterwalk(root, events=("start", "end")))


class _Builder:
    """Fills a tree from the events of a walk."""

    def __init__(self, tree: PageTree) -> None:
        self._tree = tree
        self._open: list[int] = []
        self._counts: list[dict[str, int]] = [{}]
        self._children: list[int] = [0]
        self._silent = 0
        self._gap = ""

    def start(self, element: etree._Element) -> None:
        name = str(element.tag).lower()
        counts = self._counts[-1]
        counts[name] = number = counts.get(name, 0) + 1
        self._children[-1] += 1
        node = self._add(name, number, self._children[-1], element)
        self._open.append(node)
        self._counts.append({})
        self._children.append(0)
        if name in _NO_TEXT:
            self._silent += 1
        if name not in INLINE:
            self._gap = " "
        if element.text:
            self._text(element.text)

    def end(self, element: etree._Element, *, is_root: bool) -> None:
        node = self._open.pop()
        self._tree.ends[node] = len(self._tree)
        self._counts.pop()
        self._children.pop()
        name = self._tree.names[node]
        if name in _NO_TEXT:
            self._silent -= 1
        if name not in INLINE:
            self._gap = " "
        # The tail of a root belongs to nothing.
        if element.tail and not is_root:
            self._text(element.tail)

    def _text(self, raw: str) -> None:
        if self._silent:
            return
        text = fold(raw)
        if not text:
            self._gap = " "
            return
        counts = self._counts[-1]
        counts[TEXT] = number = counts.get(TEXT, 0) + 1
        node = self._add(TEXT, number, self._children[-1] + 1, None)
        tree = self._tree
        tree.texts[node] = text
        tree.raws[node] = self._gap + raw
        tree.ends[node] = node + 1
        tree.runs.append(node)
        self._gap = ""

    def _add(self, name: str, number: int, index: int, element: etree._Element | None) -> int:
        tree = self._tree
        tree.names.append(name)
        tree.parents.append(self._open[-1] if self._open else -1)
        tree.tag_indexes.append(number)
        tree.indexes.append(index)
        tree.depths.append(len(self._open))
        tree.ends.append(0)
        tree.texts.append("")
        tree.raws.append("")
        tree.elements.append(element)
        return len(tree.names) - 1
