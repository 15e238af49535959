"""List mates: nodes that stand in one line with another one, as authors do that share a book."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler.core.wrapper.tree import INLINE, TEXT

if TYPE_CHECKING:
    from crawler.core.wrapper.view import View

__all__ = ["Mates", "mates_of"]

# What stands between the members of a list that is written in one line.
_BETWEEN = frozenset(
    (",", ";", "/", "|", "&", "\u00b7", "\u2022", "\u3001", "\uff0c", "\u318d", ", and", ", &",
     "and", "or", "und", "oder", "et", "ou", "y", "e", "och", "og", "en", "и", "및", "와", "과")
)  # fmt: skip
# How far a list is followed to either side.
_MOST = 120


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
    return _broken(view, node)


def _sides(view: View, node: int) -> tuple[list[int], list[int]]:
    """Return what stands after a node in its parent, and before it, the nearest first."""
    line = view.children(view.tree.parents[node])
    at = bisect_left(line, node)
    return line[at + 1 : at + 1 + _MOST], line[max(at - _MOST, 0) : at][::-1]


def _inline(view: View, element: int) -> Mates:
    tree = view.tree
    if tree.parents[element] < 0:
        return Mates()
    found: list[int] = []
    separated = True
    for side in _sides(view, element):
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
    return Mates(tuple(sorted(found)), lined=bool(found) and separated)


def _same_kind(view: View, one: int, other: int) -> bool:
    tree = view.tree
    return (
        tree.names[one] == tree.names[other]
        and tree.ends[other] == other + 2
        and tree.names[other + 1] == TEXT
        and view.class_of(one) == view.class_of(other)
    )


def _broken(view: View, node: int) -> Mates:
    tree = view.tree
    found: list[int] = []
    for side in _sides(view, node):
        for child in side:
            if tree.names[child] == TEXT:
                found.append(child)
            elif tree.names[child] != "br":
                break
    return Mates(tuple(sorted(found)))
