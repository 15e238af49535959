"""The tag tree of a page as arrays: what rules walk over, and how its nodes are named."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import blake2b
from itertools import accumulate
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from crawler.core.page.page import Page
from crawler.core.page.parse import ParsedPage, parse
from crawler.core.page.text import drop_unseen

LABEL_CHARS = 48
"""How many characters of a label, a class or an id are kept."""

TEXT = "#text"
"""The name of text nodes, which are leaves of the tree as elements are."""
TEXT_NODE = "text"
"""The kind of fields whose values are whole text nodes."""
ELEMENT = "element"
"""The kind of fields whose values are the text of an element."""

_NO_TEXT = frozenset(("script", "style", "template"))
INLINE = frozenset(
    ("a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font",
     "i", "ins", "kbd", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub",
     "sup", "time", "tt", "u", "var", "wbr")
)  # fmt: skip
"""Elements within a line: a reader sees no gap where they begin or end."""
_DIGITS = re.compile(r"\d+")
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


@dataclass(frozen=True, eq=False)
class PageTree:
    """The nodes of a page in document order: elements, and text nodes that are not blank.

    A node is its number. All lists have one entry a node; the nodes within node ``n`` are ``n + 1``
    to ``ends[n] - 1``. A tree is read-only and does not outlive the work on its page.

    Attributes:
        names: names of elements, in lower case; :data:`TEXT` for text nodes.
        parents: the parent of each node; -1 for a root.
        depths: how many elements are around each node.
        texts: the text of a text node, white space folded; empty for elements.
        raws: the same before folding, with a blank in front where a reader sees a gap.
        elements: the elements; None for text nodes.
        pages: of several pages in one tree, the first node, the address and the base of each.
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
    pages: list[tuple[int, str, str]] = field(default_factory=list)
    # While it is made: of each node, how many children of each name it has; under the empty name,
    # how many elements.
    _counts: dict[int, dict[str, int]] = field(default_factory=dict)
    # What others have computed of the page, once.
    memo: dict[str, Any] = field(default_factory=dict)
    # The paths that were asked for, and their nodes.
    _paths: dict[int, str] = field(default_factory=lambda: {-1: ""})
    _nodes: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.names)

    def add(
        self, parent: int, name: str, element: etree._Element | None, text: str = "", raw: str = ""
    ) -> int:
        """Add a node behind the last one of its parent, -1 for none, while the tree is made."""
        node, counts = len(self.names), self._counts
        if parent not in counts:
            counts[parent] = {}
        known = counts[parent]
        known[name] = number = known.get(name, 0) + 1
        index = known.get("", 0) + 1
        if element is None:
            self.text_nodes.append(node)
        else:
            known[""] = index
        self.names.append(name)
        self.parents.append(parent)
        self.tag_indexes.append(number)
        self.indexes.append(index)
        self.depths.append(self.depths[parent] + 1 if parent >= 0 else 0)
        self.texts.append(text)
        self.raws.append(raw)
        self.elements.append(element)
        return node

    def close(self) -> None:
        """Find out where nodes end, when all are added."""
        self._counts.clear()
        self.ends.extend(range(1, len(self) + 1))
        for node in range(len(self) - 1, 0, -1):
            parent = self.parents[node]
            if parent >= 0 and self.ends[parent] < self.ends[node]:
                self.ends[parent] = self.ends[node]

    def tag_path(self, node: int) -> tuple[TagItem, ...]:
        """Return the path from the root to a node."""
        steps: list[TagItem] = []
        while node >= 0:
            steps.append(TagItem(self.names[node], self.tag_indexes[node], self.indexes[node]))
            node = self.parents[node]
        return tuple(reversed(steps))

    def path(self, node: int) -> str:
        """Return the path of a node: ``/html[1]/body[1]/p[2]/#text[1]``; empty for -1."""
        way: list[int] = []
        while node not in self._paths:
            way.append(node)
            node = self.parents[node]
        path = self._paths[node]
        for step in reversed(way):
            path = self._paths[step] = f"{path}/{self.names[step]}[{self.tag_indexes[step]}]"
            self._nodes[path] = step
        return path

    @cached_property
    def _steps(self) -> dict[tuple[int, str, int], int]:
        keys = zip(self.parents, self.names, self.tag_indexes, strict=True)
        return {key: node for node, key in enumerate(keys)}

    def find(self, path: str) -> int | None:
        """Return the node of a path, None where the page has none.

        A step without a number means the first, so simple XPath of elements is understood as well.
        The path of a browser has a ``tbody`` that the page may lack.
        """
        if path in self._nodes:
            return self._nodes[path]
        here = -1
        for step in path.strip().removeprefix("/").split("/"):
            match = _STEP.fullmatch(step)
            found = match and self._steps.get((here, match[1], int(match[2] or 1)))
            if found is None and step in {"tbody", "tbody[1]"}:
                continue
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
        return self.attributes[node].get(name)

    @cached_property
    def attributes(self) -> list[Mapping[str, str]]:
        """The attributes of each element; none of text nodes."""
        none: Mapping[str, str] = {}
        found = [() if its is None else its.items() for its in self.elements]
        return [
            {str(name): str(value) for name, value in pairs} if pairs else none for pairs in found
        ]

    @cached_property
    def classes(self) -> list[str]:
        """The classes of each element, digits folded, sorted."""

        @cache
        def classes_in(text: str) -> str:
            return " ".join(sorted(set(masked(text).split())))[:LABEL_CHARS]

        return [classes_in(its.get("class", "")) for its in self.attributes]

    @cached_property
    def ids(self) -> list[str]:
        """The id of each element, digits folded."""
        return [masked(its.get("id", ""))[:LABEL_CHARS] for its in self.attributes]

    @cached_property
    def children(self) -> list[list[int]]:
        """The child nodes of each node, in order."""
        found: list[list[int]] = [[] for _ in self.names]
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                found[parent].append(node)
        return found

    @cached_property
    def texts_before(self) -> list[int]:
        """How many text nodes there are before each node, and before the end of the page."""
        return list(accumulate((name == TEXT for name in self.names), initial=0))

    def base_at(self, node: int) -> str:
        """Return the address by which relative addresses on the page of a node are completed."""
        at = bisect_right(self.pages, node, key=lambda page: page[0]) - 1
        return self.pages[at][2] if at >= 0 else self.base_url

    def within(self, root: int) -> range:
        """Return the nodes within a node, without the node itself; with -1 those of the page."""
        return range(len(self)) if root < 0 else range(root + 1, self.ends[root])

    @cached_property
    def text_counts(self) -> Counter[str]:
        """How many text nodes have each text."""
        return Counter(self.texts[node] for node in self.text_nodes)

    @cached_property
    def titles(self) -> tuple[str, str]:
        """The texts of the first ``title`` and the first ``h1``, in lower case."""
        title, h1 = (
            self.value(self.names.index(name)).lower() if name in self.names else ""
            for name in ("title", "h1")
        )
        return title, h1

    @cached_property
    def fingerprint(self) -> str:
        """A hash of names and texts in order: the same for the same page, saved or fetched."""
        rows = zip(self.depths, self.names, self.texts, strict=True)
        content = "\n".join(f"{depth} {name} {text}" for depth, name, text in rows)
        return blake2b(content.encode("utf-8", "replace"), digest_size=16).hexdigest()


def fold(text: str) -> str:
    """Fold white space, and drop invisible characters."""
    return " ".join((text if text.isprintable() else drop_unseen(text)).split())


def masked(text: str) -> str:
    """Return a text with each run of digits as one ``0``."""
    return _DIGITS.sub("0", text)


def absolute(base: str, address: str) -> str:
    """Complete an address by that of its page; return one that is broken as it is."""
    try:
        return urljoin(base, address)
    except ValueError:
        return address


def join_trees(trees: Sequence[PageTree]) -> PageTree:
    """Return several pages, one at least, as one tree.

    The bodies of all are children of the root of the first (Zhang and others 2002, section 3.3:
    ``htree.root``).
    """
    joined = PageTree(trees[0].url, trees[0].base_url)
    for tree in trees:
        joined.pages.append((len(joined), tree.url, tree.base_url))
        # By their numbers in the tree, the numbers of nodes in the joined one.
        numbers: dict[int, int] = {}
        for node, name in enumerate(tree.names):
            parent = numbers.get(tree.parents[node], 0 if len(joined) else -1)
            if parent == 0 and tree.parents[node] < 0 and name == "html":
                numbers[node] = 0
            else:
                text, raw = tree.texts[node], tree.raws[node]
                numbers[node] = joined.add(parent, name, tree.elements[node], text, raw)
    joined.close()
    return joined


def read_tree(page: Page) -> PageTree:
    """Parse a page into its tag tree.

    Raises:
        UnreadablePageError: the page is empty, binary, or no HTML.
    """
    return tree_of(parse(page))


def tree_of(parsed: ParsedPage) -> PageTree:
    """Return the tag tree of a parsed page."""
    tree = PageTree(parsed.page.url, parsed.base_url)
    opened = [-1]
    silent, gap = 0, ""

    def add_text(raw: str | None) -> None:
        nonlocal gap
        if raw and not silent:
            if text := fold(raw):
                tree.add(opened[-1], TEXT, None, text, gap + raw)
            gap = "" if text else " "

    for root in parsed.roots:
        # Parsed pages nest up to a thousand levels: events need no recursion.
        for event, element in etree.iterwalk(root, events=("start", "end")):
            name = str(element.tag).lower()
            if name not in INLINE:
                gap = " "
            if event == "start":
                opened.append(tree.add(opened[-1], name, element))
                silent += name in _NO_TEXT
                add_text(element.text)
            else:
                opened.pop()
                silent -= name in _NO_TEXT
                # The tail of a root is outside of the page.
                add_text(None if element is root else element.tail)
    tree.close()
    return tree
