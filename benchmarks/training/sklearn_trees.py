"""From a forest of scikit-learn to the trees that the package asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from crawler.core.trees import TreeEnsemble

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["trees_of_forest"]


def trees_of_forest(forest: Any, names: Sequence[str]) -> TreeEnsemble:  # noqa: ANN401 - a library without types
    """Return the trees of a forest for two classes; their leaves add up to the probability of yes.

    Args:
        forest: a fitted ``ExtraTreesClassifier`` or ``RandomForestClassifier``.
        names: names of the features, in the order of the columns it was fitted on.
    """
    feature: list[int] = []
    threshold: list[float] = []
    left: list[int] = []
    value: list[float] = []
    roots: list[int] = []

    def add() -> int:
        node = len(feature)
        feature.append(0)
        threshold.append(np.inf)
        left.append(node)
        value.append(0.0)
        return node

    for member in forest.estimators_:
        tree = member.tree_
        votes = tree.value[:, 0, :]
        shares = votes[:, 1] / votes.sum(axis=1) / len(forest.estimators_)
        roots.append(add())
        waiting = [(roots[-1], 0)]
        while waiting:
            node, source = waiting.pop()
            if tree.children_left[source] < 0:
                value[node] = shares[source]
                continue
            feature[node], threshold[node] = tree.feature[source], tree.threshold[source]
            left[node] = add()
            waiting += [
                (left[node], tree.children_left[source]),
                (add(), tree.children_right[source]),
            ]
    lefts = np.array(left, np.int32)
    return TreeEnsemble(
        names=tuple(names),
        feature=np.array(feature, np.int32),
        threshold=np.array(threshold, np.float32),
        left=lefts,
        right=np.where(lefts == np.arange(len(lefts)), lefts, lefts + 1).astype(np.int32),
        value=np.array(value, np.float64),
        roots=np.array(roots, np.int32),
    )
