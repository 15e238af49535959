"""What ``compiled.pyx`` does, in Python: the reference, and what runs where no compiler was."""

from __future__ import annotations

from operator import attrgetter, methodcaller
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

    Columns: TypeAlias = tuple[
        list[Element],
        list[str],
        list[str | None],
        list[str | None],
        list[tuple[str, ...]],
        dict[str, dict[int, str]],
        list[int],
    ]

VALUED = ("class", "id", "itemprop", "rel", "href")
"""The attributes whose values the columns hold: the names of an element, and where it leads."""

_TAG, _TEXT, _TAIL = map(attrgetter, ("tag", "text", "tail"))
_NAMES = methodcaller("keys")


def columns(root: Element) -> Columns:
    """Return the elements of a tree as columns.

    They are those of :class:`crawler.core.page.walk.Elements`, in its order.
    """
    nodes = list(root.iter())
    tags, texts, tails, children = (list(map(read, nodes)) for read in (_TAG, _TEXT, _TAIL, len))
    # Most elements share their names: fewer objects are left for the collector of garbage.
    known: dict[tuple[str, ...], tuple[str, ...]] = {}
    names = [known.setdefault(own, own) for own in map(tuple, map(_NAMES, nodes))]
    values: dict[str, dict[int, str]] = {name: {} for name in VALUED}
    are_valued = {own: not values.keys().isdisjoint(own) for own in known}
    for number, (node, own) in enumerate(zip(nodes, names, strict=True)):
        if are_valued[own]:
            for name, value in zip(own, map(str, node.values()), strict=True):
                if name in values:
                    values[name][number] = value
    return nodes, tags, texts, tails, names, values, children


def leaf_values(  # noqa: PLR0913, PLR0917 - the arrays of an ensemble
    table: NDArray[np.float32],
    feature: NDArray[np.intp],
    threshold: NDArray[np.float32],
    left: NDArray[np.intp],
    value: NDArray[np.float64],
    roots: NDArray[np.intp],
    depth: int,
) -> NDArray[np.float64]:
    """Return the value of the leaf that each row comes to: one line a tree, one column a row.

    Args:
        table: one line a feature, one column a row.
        feature: one entry a node, as in :class:`crawler.core.trees.TreeEnsemble`.
        threshold: likewise.
        left: likewise.
        value: likewise.
        roots: the first node of each tree.
        depth: how many steps lead from a root to the farthest leaf.
    """
    rows = table.shape[1]
    flat, offsets, numbers = table.reshape(-1), feature * rows, np.arange(rows)
    # One line a tree: rows at the same node are neighbours in memory.
    at = np.repeat(roots[:, None], rows, axis=1)
    for _ in range(depth):
        places = offsets.take(at)
        places += numbers
        right = flat.take(places) > threshold.take(at)
        at = left.take(at)
        at += right
    return value.take(at)
