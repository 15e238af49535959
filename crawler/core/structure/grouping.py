"""Steps 1 and 3, grouping: by headings, and by which of some siblings holds the others.

Lee and Lee (2004), section 4.2: visual groups first. Then, logically (4.2.3), in a list item the
first element is the parent of the rest; where an element repeats among siblings, each one takes
what follows it, up to the next. Both only as far as the model allows.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from crawler.core.structure.model import GROUP, TEXT
from crawler.core.structure.tree import ITEM, Node

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawler.core.structure.model import Model


class GroupTree:
    """Builds a tree of visual groups below ``root``, from headings and texts in order."""

    def __init__(self, root: Node) -> None:
        self._open = [(-1, root)]
        self._holder: object = None
        self._item: Node | None = None

    def heading(self, text: str, level: int) -> Node:
        """Add a group that holds what follows, up to a heading of its level or an outer one.

        One of level 0 is a title of the whole, and holds nothing.
        """
        while self._open[-1][0] >= level:
            self._open.pop()
        group = Node(GROUP, text, headed=True)
        self._open[-1][1].children.append(group)
        if level > 0:
            self._open.append((level, group))
        self._item = None
        return group

    def text(self, text: str, holder: object) -> Node:
        """Add a text; all texts in a row with one ``holder``, if any, become one item."""
        place = self._open[-1][1]
        if holder is None:
            self._item = None
        elif self._item is None or self._holder is not holder:
            self._item, self._holder = Node(ITEM), holder
            place.children.append(self._item)
        node = Node(TEXT, text)
        (self._item or place).children.append(node)
        return node


def group_logically(root: Node, model: Model, *, partly: bool = False) -> None:
    """Group below a node, in place. Items are gone afterwards.

    Args:
        root: the tree.
        model: says what may be under what.
        partly: whether an element takes what it may hold, up to the first sibling that it may not,
            and whether the first of a part does so also where it does not repeat; else it takes all
            of its group or nothing.
    """
    parts = model.children(root.name)
    for node in reversed(list(root.walk())):
        if node.name == ITEM:
            first = next((place for place, each in enumerate(node.children) if each.is_element), -1)
            heads = [first] if first >= 0 else []
            node.children = _under(heads, node.children, model, partly=partly)
        elif node.children:
            children: list[Node] = []
            for child in node.children:
                children += child.children if child.name == ITEM else [child]
            # What is under an entry, or under what has a heading within a part, has its parent.
            lead = partly and node.headed and node.name in parts
            heads = _heads(children, model, lead=lead)
            node.children = _under(heads, children, model, partly=partly)


def _heads(children: list[Node], model: Model, *, lead: bool) -> list[int]:
    """Return the places of the element that repeats first; if ``lead``, of the first element."""
    elements = [child for child in children if child.is_element]
    counts = Counter(child.name for child in elements if not child.headed)
    repeated = next((child.name for child in elements if counts[child.name] > 1), None)
    if lead and repeated is None and elements and not any(child.headed for child in children):
        repeated = elements[0].name
    if repeated not in model.elements:
        return []
    return [place for place, child in enumerate(children) if child.name == repeated]


def _under(heads: list[int], children: list[Node], model: Model, *, partly: bool) -> list[Node]:
    """Put what follows each head, up to the next, under it, as far as the model allows."""
    if not heads:
        return children
    grouped = children[: heads[0]]
    for place, following in zip(heads, [*heads[1:], len(children)], strict=True):
        rest = children[place + 1 : following]
        taken = _takes(children[place], rest, model, partly=partly)
        children[place].children += rest[:taken]
        grouped += [children[place], *rest[taken:]]
    return grouped


def _takes(parent: Node, rest: Sequence[Node], model: Model, *, partly: bool) -> int:
    """Return how many of the nodes behind it an element takes."""
    allowed = model.children(parent.name)
    element = model.elements.get(parent.name)
    if element is None or (not allowed and not element.holds_any):
        return 0
    count = 0
    for node in rest:
        # Text that is no element belongs to the element before it.
        if node.name == GROUP or (node.name not in allowed and node.name not in (TEXT, ITEM)):
            break
        count += 1
    return count if partly or count == len(rest) else 0
