"""From a LightGBM model to the trees that the package asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from crawler.core.trees import TreeEnsemble

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["average", "trees_of"]


def trees_of(booster: Any, names: Sequence[str]) -> TreeEnsemble:  # noqa: ANN401 - a library without types
    """Return the trees of a LightGBM booster that was trained on numeric features without gaps.

    Args:
        booster: the ``lightgbm.Booster``.
        names: names of the features, in the order of the columns it was trained on.
    """
    feature: list[int] = []
    threshold: list[float] = []
    left: list[int] = []
    right: list[int] = []
    value: list[float] = []
    roots: list[int] = []

    def add() -> int:
        node = len(feature)
        feature.append(0)
        threshold.append(np.inf)
        left.append(node)
        right.append(node)
        value.append(0.0)
        return node

    for tree in booster.dump_model()["tree_info"]:
        roots.append(add())
        waiting = [(roots[-1], tree["tree_structure"])]
        while waiting:
            node, source = waiting.pop()
            if "leaf_value" in source:
                value[node] = source["leaf_value"]
                continue
            feature[node], threshold[node] = source["split_feature"], source["threshold"]
            left[node], right[node] = add(), add()
            waiting += [
                (left[node], source["left_child"]),
                (right[node], source["right_child"]),
            ]
    return TreeEnsemble(
        names=tuple(names),
        feature=np.array(feature, np.int32),
        threshold=np.array(threshold, np.float32),
        left=np.array(left, np.int32),
        right=np.array(right, np.int32),
        value=np.array(value, np.float64),
        roots=np.array(roots, np.int32),
    )


def average(members: Sequence[TreeEnsemble]) -> TreeEnsemble:
    """Return one ensemble whose margin is the mean of the margins of several."""
    starts = np.cumsum([0, *(len(member.feature) for member in members[:-1])])
    shifted = list(zip(members, starts.tolist(), strict=True))
    return TreeEnsemble(
        names=members[0].names,
        feature=np.concatenate([member.feature for member in members]),
        threshold=np.concatenate([member.threshold for member in members]),
        left=np.concatenate([member.left + start for member, start in shifted]),
        right=np.concatenate([member.right + start for member, start in shifted]),
        value=np.concatenate([member.value for member in members]) / len(members),
        roots=np.concatenate([member.roots + start for member, start in shifted]),
        base=float(np.mean([member.base for member in members])),
    )
