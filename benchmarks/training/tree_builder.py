"""The nodes of an ensemble, put down one by one as a library's trees are walked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crawler.core.trees import TreeEnsemble

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["TreeBuilder"]


class TreeBuilder:
    """Grows trees node by node. A node is a leaf of the value 0 until something else is said."""

    def __init__(self) -> None:
        self._feature: list[int] = []
        self._threshold: list[float] = []
        self._left: list[int] = []
        self._value: list[float] = []
        self._roots: list[int] = []

    def root(self) -> int:
        """Begin a tree and return the number of its first node."""
        self._roots.append(self._add())
        return self._roots[-1]

    def leaf(self, node: int, value: float) -> None:
        """Say what a leaf adds."""
        self._value[node] = value

    def split(self, node: int, feature: int, threshold: float) -> tuple[int, int]:
        """Make a node ask a question, and return the nodes of its answers: at most, and above."""
        self._feature[node], self._threshold[node] = feature, threshold
        self._left[node] = self._add()
        return self._left[node], self._add()

    def _add(self) -> int:
        node = len(self._feature)
        self._feature.append(0)
        self._threshold.append(np.inf)
        self._left.append(node)
        self._value.append(0.0)
        return node

    def ensemble(self, names: Sequence[str]) -> TreeEnsemble:
        """Return the trees. ``names`` are those of the features, by their numbers."""
        return TreeEnsemble(
            names=tuple(names),
            feature=np.array(self._feature, np.intp),
            threshold=np.array(self._threshold, np.float32),
            left=np.array(self._left, np.intp),
            value=np.array(self._value, np.float64),
            roots=np.array(self._roots, np.intp),
        )
