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
    from crawler.core.page.page import Page
    from crawler.core.page.parse import ParsedPage

TEXT = "#text"
"""The name of text nodes, which are leaves of the tree as elements are."""

_NO_TEXT = frozenset(("script", "style", "template"))
INLINE = frozenset(
    ("a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font",
     "i", "ins", "kbd", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub",
     "sup", "time", "tt", "u", "var", "wbr")
)  # fmt: skip
"""Elements within a line: a reader sees no gap where they begin or end."""
_STEP = re.compile(r"([^/\[\]]+)(?:\[(\d{1,9})\])?")


@dataclass(frozen=True, slots=True)
class TagItem:
    """One step of the path of a node.

    ``tag_index`` is the position of the node among the siblings of its name, ``index`` that among
    all sibling elements, both counted from 1. The ``index`` of a text node is the position that an
    element in its place would have.
    """

    name: str
    tag_index: int
    index: int


@dataclass(frozen=True, slots=True, eq=False)
class PageTree:
    """The nodes of a page in document order: elements, and text nodes that are not blank.

    A node is its number. All lists have one entry a node; the nodes within node ``n`` are ``n + 1``
    to ``ends[n] - 1``. A tree is read-only and does not outlive the work on its page.

    ``names``
        Names of elements, in lower case; :data:`TEXT` for text nodes.
    ``parents``
        The parent of each node; -1 for a root.
    ``tag_indexes``, ``indexes``
        As in :class:`TagItem`.
    ``texts``
        The text of a text node, white space folded; empty for elements.
    ``raws``
        The same before folding, with a blank in front where a reader sees a gap.
    ``elements``
        The elements; None for text nodes.
    ``text_nodes``
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
    text_nodes: list[int] = field(default_factory=list)
    _cache: dict[str, str] = field(default_factory=dict)
    _text_counts: Counter[str] = field(default_factory=Counter)
    _steps: dict[tuple[int, str, int], int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.names)

    def tag_path(self, node: int) -> tuple[TagItem, ...]:
        """Return the path from the root to a node."""
        return tuple(
            TagItem(self.names[step], self.tag_indexes[step], self.indexes[step])
            for step in self._from_root(node)
        )

    def _from_root(self, node: int) -> list[int]:
        steps = []
        while node >= 0:
            steps.append(node)
            node = self.parents[node]
        return steps[::-1]

    def path(self, node: int) -> str:
        """Return the path of a node as text: ``/html[1]/body[1]/p[2]/#text[1]``."""
        steps = self._from_root(node)
        return "".join(f"/{self.names[step]}[{self.tag_indexes[step]}]" for step in steps)

    def find(self, path: str) -> int | None:
        """Return the node of a path, None where the page has none.

        A step without a number means the first, so simple XPath of elements is understood as well.
        """
        if not self._steps:
            keys = zip(self.parents, self.names, self.tag_indexes, strict=True)
            self._steps.update((key, node) for node, key in enumerate(keys))
        here = -1
        for step in path.strip().removeprefix("/").split("/"):
            match = _STEP.fullmatch(step)
            found = match and self._steps.get((here, match[1], int(match[2] or 1)))
            if found is None:
                return None
            here = found
        return here

    def value(self, node: int) -> str:
        """Return the visible text of a node, white space folded; scripts have none."""
        if self.elements[node] is None:
            return self.texts[node]
        return fold("".join(self.raws[node : self.ends[node]]))

    def attribute(self, node: int, name: str) -> str | None:
        """Return an attribute of an element, None where it has none of that name."""
        element = self.elements[node]
        return None if element is None else element.get(name)

    def within(self, root: int) -> range:
        """Return the nodes within a node, without the node itself; with -1 those of the page."""
        return range(len(self)) if root < 0 else range(root + 1, self.ends[root])

    def count_text(self, text: str) -> int:
        """Return how many text nodes have this text, white space folded."""
        if not self._text_counts:
            self._text_counts.update(self.texts[node] for node in self.text_nodes)
        return self._text_counts[text]

    def first_value(self, name: str) -> str:
        """Return the text of the first element of this name; empty where there is none."""
        key = f"first {name}"
        if key not in self._cache:
            self._cache[key] = self.value(self.names.index(name)) if name in self.names else ""
        return self._cache[key]

    @property
    def fingerprint(self) -> str:
        """A hash of names and texts in order: the same for the same page, saved or fetched."""
        if "fingerprint" not in self._cache:
            rows = zip(self.depths, self.names, self.texts, strict=True)
            content = "\n".join(f"{depth} {name} {text}" for depth, name, text in rows)
            digest = blake2b(content.encode("utf-8", "replace"), digest_size=16)
            self._cache["fingerprint"] = digest.hexdigest()
        return self._cache["fingerprint"]


def fold(text: str) -> str:
    """Fold white space, and drop invisible characters."""
    return " ".join((text if text.isprintable() else drop_unseen(text)).split())


def read_tree(page: Page) -> PageTree:
    """Parse a page into its tag tree.

    Raises:
        UnreadablePageError: the page is empty, binary, or no HTML.
    """
    return tree_of(parse(page))


def tree_of(parsed: ParsedPage) -> PageTree:
    """Return the tag tree of a parsed page."""
    builder = _Builder(PageTree(parsed.page.url, parsed.base_url))
    for root in parsed.roots:
        # Parsed pages nest up to a thousand levels: events need no recursion.
        for event, element in etree.iterwalk(root, events=("start", "end")):
            if event == "start":
                builder.start(element)
            else:
                builder.end(element, is_root=element is root)
    return builder.tree


class _Builder:
    """Fills a tree from the events of a walk."""

    def __init__(self, tree: PageTree) -> None:
        self.tree = tree
        self._open: list[int] = []
        # Of each open element: how many children of each name, and how many elements, it has.
        self._counts: list[dict[str, int]] = [{}]
        self._children: list[int] = [0]
        self._silent = 0
        self._gap = ""

    def start(self, element: etree._Element) -> None:
        name = str(element.tag).lower()
        self._children[-1] += 1
        node = self._add(name, self._children[-1], element)
        self._open.append(node)
        self._counts.append({})
        self._children.append(0)
        if name in _NO_TEXT:
            self._silent += 1
        if name not in INLINE:
            self._gap = " "
        if element.text:
            self._add_text(element.text)

    def end(self, element: etree._Element, *, is_root: bool) -> None:
        node = self._open.pop()
        self.tree.ends[node] = len(self.tree)
        self._counts.pop()
        self._children.pop()
        name = self.tree.names[node]
        if name in _NO_TEXT:
            self._silent -= 1
        if name not in INLINE:
            self._gap = " "
        # The tail of a root is outside of the page.
        if element.tail and not is_root:
            self._add_text(element.tail)

    def _add_text(self, raw: str) -> None:
        if self._silent:
            return
        text = fold(raw)
        if not text:
            self._gap = " "
            return
        tree = self.tree
        node = self._add(TEXT, self._children[-1] + 1, None)
        tree.texts[node] = text
        tree.raws[node] = self._gap + raw
        tree.ends[node] = node + 1
        tree.text_nodes.append(node)
        self._gap = ""

    def _add(self, name: str, index: int, element: etree._Element | None) -> int:
        tree, counts = self.tree, self._counts[-1]
        counts[name] = number = counts.get(name, 0) + 1
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
