"""Step 3, logical grouping: which element of a row of siblings holds the others.

Lee and Lee (2004), section 4.2.3: in a list item the first element is the parent of the rest;
where an element repeats among siblings, each one takes what follows it, up to the next. Both only
as far as the model allows.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from crawler.core.structure.model import GROUP, TEXT
from crawler.core.structure.nodes import ITEM, Node, bottom_up

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawler.core.structure.model import Model

__all__ = ["group_logically"]


def group_logically(root: Node, model: Model, *, partly: bool = False) -> None:
    """Group below a node, in place. Items are gone afterwards.

    Args:
        root: the tree.
        model: says what may stand under what.
        partly: whether an element takes what it may hold, up to the first sibling that it may not,
            and whether the first of a part does so also where it does not repeat; else it takes all
            of its group or nothing.
    """
    parts = model.children(root.name)
    for node in bottom_up(root):
        if not node.children:
            continue
        if node.name == ITEM:
            node.children = _under_first(node.children, model, partly=partly)
            continue
        dissolved: list[Node] = []
        for child in node.children:
            dissolved += child.children if child.name == ITEM else [child]
        # What is under an entry, or under what has a heading within a part, has its parent.
        lead = partly and node.headed and node.name in parts
        node.children = _under_repeated(dissolved, model, partly=partly, lead=lead)


def _under_first(children: list[Node], model: Model, *, partly: bool) -> list[Node]:
    """Put what follows the first element under it."""
    first = next((place for place, child in enumerate(children) if child.is_element), None)
    if first is None or first == len(children) - 1:
        return children
    taken = _takes(children[first], children[first + 1 :], model, partly=partly)
    children[first].children += children[first + 1 : first + 1 + taken]
    return children[: first + 1] + children[first + 1 + taken :]


def _under_repeated(children: list[Node], model: Model, *, partly: bool, lead: bool) -> list[Node]:
    """Put what stands between two of the element that repeats first under the first of them."""
    counts = Counter(child.name for child in children if child.is_element and not child.headed)
    repeated = next(
        (child.name for child in children if counts[child.name] > 1 and child.is_element), None
    )
    if lead and repeated is None and not any(child.headed for child in children):
        repeated = next((child.name for child in children if child.is_element), None)
    if repeated is None or repeated not in model.elements:
        return children
    heads = [place for place, child in enumerate(children) if child.name == repeated]
    grouped = children[: heads[0]]
    for place, following in zip(heads, [*heads[1:], len(children)], strict=True):
        rest = children[place + 1 : following]
        taken = _takes(children[place], rest, model, partly=partly)
        children[place].children += rest[:taken]
        grouped += [children[place], *rest[taken:]]
    return grouped


def _takes(parent: Node, rest: Sequence[Node], model: Model, *, partly: bool) -> int:
    """Return how many of the nodes behind it an element may hold."""
    allowed = model.children(parent.name)
    element = model.elements.get(parent.name)
    if element is None or (not allowed and not element.holds_any):
        return 0
    # Text in which nothing was told belongs to what stands before it.
    count = next(
        (
            place
            for place, node in enumerate(rest)
            if node.name not in allowed and node.name not in (TEXT, ITEM)
        ),
        len(rest),
    )
    if any(node.name == GROUP for node in rest[:count]):
        count = next(place for place, node in enumerate(rest) if node.name == GROUP)
    return count if partly or count == len(rest) else 0
