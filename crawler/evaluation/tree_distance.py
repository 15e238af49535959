"""The edit distance of ordered trees, for similarities of structures and of tables."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import product
from typing import Any, Final

from crawler.core.structure.tree import Node

MOST_STEPS: Final = 60_000_000
"""Trees whose distance takes more steps are not compared."""


def unequal(one: Hashable, two: Hashable) -> float:
    """Return the cost of a rename where every rename costs one."""
    return float(one != two)


# A tree in postorder: of each node the label, and the number of the leftmost leaf below it.
_Ordered = list[tuple["Hashable", int]]


def _ordered(root: Node, label: Callable[[Node], Hashable]) -> _Ordered:
    found: _Ordered = []
    # Each open node with the place of its next child and the number of its leftmost leaf.
    stack = [(root, 0, 0)]
    while stack:
        node, place, leftmost = stack.pop()
        if place < len(node.children):
            stack += [(node, place + 1, leftmost), (node.children[place], 0, len(found))]
        else:
            found.append((label(node), leftmost))
    return found


def distance(
    one: Node,
    two: Node,
    label: Callable[[Node], Hashable],
    rename: Callable[[Any, Any], float] = unequal,
    most_steps: int = MOST_STEPS,
) -> float | None:
    """Return the edit distance of two ordered trees; None where it would take too long.

    It is the least cost of nodes to insert and delete, of cost one each, and to rename (Zhang and
    Shasha, SIAM Journal on Computing 18, 1989). Time is the product of the sizes, times for either
    tree the lesser of its depth and its leaves.

    Args:
        one: the root of one tree.
        two: the root of the other.
        label: what is equal in nodes that are the same.
        rename: the cost of making one of two unequal labels the other, at most 1.
        most_steps: how many steps may be taken.
    """
    first, second = _ordered(one, label), _ordered(two, label)
    if first == second:
        return 0.0
    steps = 1
    key_roots: list[list[int]] = []
    for tree in (first, second):
        # Of all nodes with the same leftmost leaf, the last.
        key_roots.append(sorted({leaf: number for number, (_, leaf) in enumerate(tree)}.values()))
        steps *= sum(root - tree[root][1] + 1 for root in key_roots[-1])
    if steps > most_steps:
        return None
    known = [[0.0] * len(second) for _ in first]
    for root, other in product(*key_roots):
        _between(first, second, (root, other), known, rename)
    return known[-1][-1]


def _between(
    first: _Ordered,
    second: _Ordered,
    roots: tuple[int, int],
    known: list[list[float]],
    rename: Callable[[Any, Any], float],
) -> None:
    """Fill in the distances of the trees below two key roots, by those of forests."""
    root, other = roots
    left, right = first[root][1], second[other][1]
    below = second[right : other + 1]
    forest = [[float(number) for number in range(len(below) + 1)]]
    for here, (own, leaf) in enumerate(first[left : root + 1], left):
        above, before, distances = forest[-1], forest[leaf - left], known[here]
        row = [above[0] + 1]
        forest.append(row)
        for place, (label, other_leaf) in enumerate(below):
            best = min(above[place + 1], row[place]) + 1
            if leaf == left and other_leaf == right:
                best = min(best, above[place] + (own != label and rename(own, label)))
                distances[right + place] = best
            else:
                best = min(best, before[other_leaf - right] + distances[right + place])
            row.append(best)
