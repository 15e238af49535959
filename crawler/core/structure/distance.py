"""How far one tree is from another: Zhang and Shasha, SIAM Journal on Computing 18 (1989).

The distance is the least number of nodes to insert, delete or rename, each of cost one. Time grows
with the product of the sizes, times for either tree the lesser of its depth and its leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

__all__ = ["distance", "steps"]

T = TypeVar("T")


class _Ordered(Generic[T]):
    """A tree in postorder.

    ``labels``
        Of each node.
    ``left``
        The number of the leftmost leaf below each node.
    ``roots``
        The key roots: of the nodes with one leftmost leaf the last each.
    """

    def __init__(
        self, root: T, label: Callable[[T], Hashable], children: Callable[[T], Sequence[T]]
    ) -> None:
        self.labels: list[Hashable] = []
        self.left: list[int] = []
        # With each open node the number of its leftmost leaf, -1 until that is known.
        stack: list[tuple[T, int, list[int]]] = [(root, 0, [-1])]
        while stack:
            node, place, leftmost = stack.pop()
            below = children(node)
            if place < len(below):
                stack.append((node, place + 1, leftmost))
                stack.append((below[place], 0, [-1]))
                continue
            number = len(self.labels)
            if leftmost[0] < 0:
                leftmost[0] = number
            self.labels.append(label(node))
            self.left.append(leftmost[0])
            if stack and stack[-1][2][0] < 0:
                stack[-1][2][0] = leftmost[0]
        last = {leaf: number for number, leaf in enumerate(self.left)}
        self.roots = sorted(last.values())

    def spans(self) -> int:
        """Return how many nodes the trees of all key roots have together."""
        return sum(root - self.left[root] + 1 for root in self.roots)


def steps(
    one: T, two: T, label: Callable[[T], Hashable], children: Callable[[T], Sequence[T]]
) -> int:
    """Return how many steps :func:`distance` takes: some millions a second."""
    return _Ordered(one, label, children).spans() * _Ordered(two, label, children).spans()


def distance(
    one: T, two: T, label: Callable[[T], Hashable], children: Callable[[T], Sequence[T]]
) -> int:
    """Return the edit distance of two ordered trees.

    Args:
        one: the root of one tree.
        two: the root of the other.
        label: what has to be equal in nodes that are the same.
        children: the children of a node, in order.
    """
    first, second = _Ordered(one, label, children), _Ordered(two, label, children)
    known = [[0] * len(second.labels) for _ in first.labels]
    for root in first.roots:
        for other in second.roots:
            _between(first, second, root, other, known)
    return known[-1][-1]


def _between(
    first: _Ordered[T], second: _Ordered[T], root: int, other: int, known: list[list[int]]
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
