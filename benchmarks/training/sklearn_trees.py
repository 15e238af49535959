"""From a forest of scikit-learn to the trees that the package asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tree_builder import TreeBuilder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawler.core.trees import TreeEnsemble

__all__ = ["trees_of_forest"]


def trees_of_forest(forest: Any, names: Sequence[str]) -> TreeEnsemble:  # noqa: ANN401 - a library without types
    """Return the trees of a forest for two classes; their leaves add up to the probability of yes.

    Args:
        forest: a fitted ``ExtraTreesClassifier`` or ``RandomForestClassifier``.
        names: names of the features, in the order of the columns it was fitted on.
    """
    builder = TreeBuilder()
    for member in forest.estimators_:
        tree = member.tree_
        votes = tree.value[:, 0, :]
        shares = votes[:, 1] / votes.sum(axis=1) / len(forest.estimators_)
        waiting = [(builder.root(), 0)]
        while waiting:
            node, source = waiting.pop()
            if tree.children_left[source] < 0:
                builder.leaf(node, shares[source])
                continue
            low, high = builder.split(node, tree.feature[source], tree.threshold[source])
            waiting += [(low, tree.children_left[source]), (high, tree.children_right[source])]
    return builder.ensemble(names)
