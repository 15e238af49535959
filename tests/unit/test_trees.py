"""Ensembles of trees: what they answer, and weights that are not whole."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest

from crawler.core.errors import CorpusError
from crawler.core.trees import TreeEnsemble, sigmoid


def _two_trees() -> TreeEnsemble:
    """If a <= 1: (if b <= 5: 1.0 else 2.0) else -4.0; and a tree of one leaf, 0.25."""
    return TreeEnsemble(
        names=("a", "b"),
        feature=np.array([0, 1, 0, 0, 0, 0], np.intp),
        threshold=np.array([1, 5, np.inf, np.inf, np.inf, np.inf], np.float32),
        left=np.array([1, 3, 2, 3, 4, 5], np.intp),
        value=np.array([0, 0, -4, 1, 2, 0.25], np.float64),
        roots=np.array([0, 5], np.intp),
        base=0.5,
    )


def test_leaves_add_up() -> None:
    trees = _two_trees()
    rows = [[1, 5], [1, 6], [2, 0]]
    assert trees.score(rows).tolist() == [1.75, 2.75, -3.25]


def test_bytes_hold_all() -> None:
    trees = _two_trees()
    again = TreeEnsemble.from_bytes(trees.to_bytes())
    rows = np.random.default_rng(1).uniform(-3, 9, (10_000, 2)).astype(np.float32)
    assert again.names == ("a", "b")
    assert np.array_equal(again.score(rows), trees.score(rows))


def test_no_rows_have_no_margins() -> None:
    assert len(_two_trees().score(np.zeros((0, 2), np.float32))) == 0


@pytest.mark.parametrize("shape", [(3, 1), (3, 3), (2,)])
def test_other_features_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="rows of 2 features"):
        _two_trees().score(np.zeros(shape, np.float32))


@pytest.mark.parametrize("data", [b"", b"no weights", _two_trees().to_bytes()[:200]])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(CorpusError, match="weights cannot be read"):
        TreeEnsemble.from_bytes(data)


@pytest.mark.parametrize(
    "left",
    [
        [1, 0, 2, 3, 4, 5],  # a node leads back to the root
        [1, 5, 2, 3, 4, 5],  # a child that is not there
    ],
)
def test_trees_that_lead_nowhere_are_refused(left: list[int]) -> None:
    with pytest.raises(CorpusError, match="trees"):
        dataclasses.replace(_two_trees(), left=np.array(left, np.intp))


def test_sigmoid_of_any_margin() -> None:
    assert sigmoid(np.array([-1e9, 0.0, 1e9])).tolist() == pytest.approx([0.0, 0.5, 1.0])


@pytest.mark.parametrize(
    "wrong",
    [{"roots": np.array([5, 0], np.intp)}, {"roots": np.array([0, 0], np.intp)},
     {"feature": np.array([0, -1, 0, 0, 0, 0], np.intp)},
     {"feature": np.array([0, 2, 0, 0, 0, 0], np.intp)},
     {"value": np.zeros(5)}, {"threshold": np.zeros(7, np.float32)}],
)  # fmt: skip
def test_arrays_that_do_not_fit_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(CorpusError, match="broken trees"):
        dataclasses.replace(_two_trees(), **wrong)


def test_ensembles_can_be_copied_and_sent_to_other_processes() -> None:
    trees = _two_trees()
    for again in (copy.copy(trees), pickle.loads(pickle.dumps(trees))):
        assert again.score([[1, 6]]).tolist() == [2.75]
