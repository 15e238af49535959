"""The edit distance of trees: Zhang and Shasha, SIAM Journal on Computing 18 (1989).

The distance is the least number of nodes to insert, delete or rename, each of cost one. Time is the
product of the sizes, times for either tree the lesser of its depth and its leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from crawler.core.structure.tree import Node


class _Ordered:
    """A tree in postorder.

    ``labels``
        Of each node.
    ``left``
        The number of the leftmost leaf below each node.
    ``roots``
        The key roots: of all nodes with the same leftmost leaf, the last.
    """

    def __init__(self, root: Node, label: Callable[[Node], Hashable]) -> None:
        self.labels: list[Hashable] = []
        self.left: list[int] = []
        # Each open node with the place of its next child and the number of its leftmost leaf.
        stack = [(root, 0, 0)]
        while stack:
            node, place, leftmost = stack.pop()
            if place < len(node.children):
                stack += [(node, place + 1, leftmost), (node.children[place], 0, len(self.labels))]
            else:
                self.labels.append(label(node))
                self.left.append(leftmost)
        self.roots = sorted({leaf: number for number, leaf in enumerate(self.left)}.values())

    def spans(self) -> int:
        """Return how many nodes the trees of all key roots have together."""
        return sum(root - self.left[root] + 1 for root in self.roots)


def steps(one: Node, two: Node, label: Callable[[Node], Hashable]) -> int:
    """Return how many steps :func:`distance` takes; some millions take a second."""
    return _Ordered(one, label).spans() * _Ordered(two, label).spans()


def distance(one: Node, two: Node, label: Callable[[Node], Hashable]) -> int:
    """Return the edit distance of two ordered trees.

    Args:
        one: the root of one tree.
        two: the root of the other.
        label: what is equal in nodes that are the same.
    """
    first, second = _Ordered(one, label), _Ordered(two, label)
    known = [[0] * len(second.labels) for _ in first.labels]
    for root in first.roots:
        for other in second.roots:
            _between(first, second, root, other, known)
    return known[-1][-1]


def _between(
    first: _Ordered, second: _Ordered, root: int, other: int, known: list[list[int]]
) -> None:
    """Fill in the distances of the trees below two key roots, by those of forests."""
    left, right = first.left[root], second.left[other]
    labels, leaves = second.labels, second.left
    width = other - right + 2
    forest = [list(range(width))]
    for here in range(left, root + 1):
        above = forest[-1]
        row = [above[0] + 1]
        forest.append(row)
        own, whole = first.labels[here], first.left[here] == left
        distances = known[here]
        before = forest[first.left[here] - left]
        for place in range(1, width):
            there = right + place - 1
            best = min(above[place], row[place - 1]) + 1
            if whole and leaves[there] == right:
                best = min(best, above[place - 1] + (own != labels[there]))
                distances[there] = best
            else:
                best = min(best, before[leaves[there] - right] + distances[there])
            row.append(best)
