"""From a LightGBM model to the trees that the package asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from tree_builder import TreeBuilder

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
    builder = TreeBuilder()
    for tree in booster.dump_model()["tree_info"]:
        waiting = [(builder.root(), tree["tree_structure"])]
        while waiting:
            node, source = waiting.pop()
            if "leaf_value" in source:
                builder.leaf(node, source["leaf_value"])
                continue
            low, high = builder.split(node, source["split_feature"], source["threshold"])
            waiting += [(low, source["left_child"]), (high, source["right_child"])]
    return builder.ensemble(names)


def average(members: Sequence[TreeEnsemble]) -> TreeEnsemble:
    """Return one ensemble whose margin is the mean of the margins of several."""
    starts = np.cumsum([0, *(len(member.feature) for member in members[:-1])])
    shifted = list(zip(members, starts.tolist(), strict=True))
    return TreeEnsemble(
        names=members[0].names,
        feature=np.concatenate([member.feature for member in members]),
        threshold=np.concatenate([member.threshold for member in members]),
        left=np.concatenate([member.left + start for member, start in shifted]),
        value=np.concatenate([member.value for member in members]) / len(members),
        roots=np.concatenate([member.roots + start for member, start in shifted]),
        base=float(np.mean([member.base for member in members])),
    )
