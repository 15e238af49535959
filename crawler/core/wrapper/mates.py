"""List mates: nodes that stand in one line with another one, as authors do that share a book."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler.core.wrapper.tree import INLINE, TEXT

if TYPE_CHECKING:
    from crawler.core.wrapper.evidence import View
    from crawler.core.wrapper.tree import PageTree

__all__ = ["Mates", "mates_of"]

# What stands between the members of a list that is written in one line.
_BETWEEN = frozenset(
    (",", ";", "/", "|", "&", "\u00b7", "\u2022", "\u3001", "\uff0c", "\u318d", ", and", ", &",
     "and", "or", "und", "oder", "et", "ou", "y", "e", "och", "og", "en", "и", "및", "와", "과")
)  # fmt: skip
# Lists longer than this are menus.
_MOST = 60


@dataclass(frozen=True, slots=True)
class Mates:
    """The list mates of a node, itself apart.

    ``lined``
        Whether a list says so itself, by commas and the like between its members. Lines of an
        address, with line breaks between, may be different things.
    """

    nodes: tuple[int, ...] = ()
    lined: bool = False


def mates_of(view: View, node: int) -> Mates:
    """Return the list mates of a text node.

    They are the texts of neighbouring elements of its own name and class, within a line, with
    nothing but separators between; or else the text nodes beside it, with line breaks between.
    """
    tree = view.tree
    if tree.names[node] != TEXT:
        return Mates()
    around = tree.parents[node]
    if around < 0 or around == view.root:
        return Mates()
    if tree.names[around] in INLINE and tree.ends[around] == node + 1 == around + 2:
        return _inline(view, around)
    return _broken(tree, node)


def _children(tree: PageTree, node: int) -> list[int]:
    found = []
    child = node + 1
    while child < tree.ends[node]:
        found.append(child)
        child = tree.ends[child]
    return found


def _inline(view: View, element: int) -> Mates:
    tree = view.tree
    around = tree.parents[element]
    if around < 0:
        return Mates()
    line = _children(tree, around)
    at = line.index(element)
    found: list[int] = []
    separated = True
    for side in (line[at + 1 :], line[:at][::-1]):
        waiting = False
        for child in side:
            if tree.names[child] == TEXT:
                if tree.texts[child].lower() not in _BETWEEN:
                    break
                waiting = True
            elif _same_kind(view, element, child):
                separated = separated and waiting
                found.append(child + 1)
                waiting = False
            else:
                break
    return Mates(tuple(sorted(found)[:_MOST]), lined=bool(found) and separated)


def _same_kind(view: View, one: int, other: int) -> bool:
    tree = view.tree
    return (
        tree.names[one] == tree.names[other]
        and tree.ends[other] == other + 2
        and tree.names[other + 1] == TEXT
        and view.class_of(one) == view.class_of(other)
    )


def _broken(tree: PageTree, node: int) -> Mates:
    line = _children(tree, tree.parents[node])
    at = line.index(node)
    found: list[int] = []
    for side in (line[at + 1 :], line[:at][::-1]):
        for child in side:
            if tree.names[child] == TEXT:
                found.append(child)
            elif tree.names[child] != "br":
                break
    return Mates(tuple(sorted(found)[:_MOST]))
