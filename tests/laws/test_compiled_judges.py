"""What learned judges ask: compiled as in Python, to the last bit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.core.hot_loops import judges as pure
from crawler.core.trees import TreeEnsemble
from support.compiled import compiled_part

if TYPE_CHECKING:
    from types import ModuleType


@pytest.fixture(scope="module")
def compiled() -> ModuleType:
    return compiled_part("crawler.core.hot_loops.compiled_judges")


# Few rows, some, and more than are asked at once; trees of few leaves and of many.
@given(rows=st.integers(0, 40) | st.just(300), seed=st.integers(0, 2**32), has_gaps=st.booleans())
@pytest.mark.parametrize(
    "name", ["methods.article/first", "pagetype/forum", "tables/genuine_boosted"]
)
def test_leaves(compiled: ModuleType, name: str, rows: int, seed: int, has_gaps: bool) -> None:  # noqa: FBT001 - drawn
    package, name = name.split("/")
    trees = TreeEnsemble.shipped(f"crawler.core.{package}", name)
    random = np.random.default_rng(seed)
    # Values at thresholds too, where rounding would show.
    table = random.choice(trees.threshold, (len(trees.names), rows)).astype(np.float32)
    if has_gaps:
        table[random.random(table.shape) < 0.2] = np.nan
    nodes = trees.feature, trees.threshold, trees.left, trees.value, trees.roots
    one, other = compiled.Trees(*nodes), pure.Trees(*nodes)
    assert np.array_equal(one.leaves(table), other.leaves(table))
    assert np.array_equal(one.sums(table), other.sums(table))


@given(rows=st.integers(0, 30), features=st.integers(1, 6), seed=st.integers(0, 2**32))
def test_ramps(compiled: ModuleType, rows: int, features: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    ends = np.sort(random.integers(0, 50, (features, 4)), axis=1).astype(np.float32)
    lengths = np.diff(ends).T.copy()
    used = np.minimum.accumulate(lengths > 0)
    slopes = np.divide(1, lengths, out=np.zeros_like(lengths), where=used)
    asked = (
        random.integers(-10, 60, (features + 2, rows)).astype(np.float32),
        random.permutation(features + 2)[:features],
        np.ascontiguousarray(ends.T[:-1]),
        slopes,
        random.random(features, np.float32),
    )
    assert np.array_equal(compiled.ramps(*asked), pure.ramps(*asked))


@given(rows=st.integers(1, 30), size=st.integers(1, 5), seed=st.integers(0, 2**32))
def test_means_within_ranges(compiled: ModuleType, rows: int, size: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    # Ranges of rows, and of rows in the other order, which begin one place farther on.
    cuts = np.sort(random.integers(0, rows + 1, (rows, 2, 2)), axis=2)
    cuts[:, 1] += rows + 1
    asked = (
        random.standard_normal((rows + 2, size), np.float32),
        random.integers(1, 60, rows).astype(np.float64),
        random.permutation(rows),
        cuts.transpose(2, 0, 1).copy(),
        random.integers(0, 4, (rows, 2)) / 2,
    )
    found = compiled.means_within(*asked)
    assert np.array_equal(found, pure.means_within(*asked), equal_nan=True)


FAR = st.sampled_from([10**9, -1, -(10**18), 5])


@given(far=FAR, at=st.integers(0, 2))
def test_ramps_are_of_lines_of_the_table(compiled: ModuleType, far: int, at: int) -> None:
    table, knots = np.zeros((5, 4), np.float32), np.ones((2, 3), np.float32)
    places = np.arange(3)
    places[at] = far
    for ramps in (compiled.ramps, pure.ramps):
        with pytest.raises(IndexError, match="line"):
            ramps(table, places, knots, knots, knots[0])
        for unfit in (
            (np.arange(5), knots, knots, knots[0]),
            (np.arange(3), knots, knots[:1], knots[0]),
            (np.arange(3), knots, knots, np.ones(2, np.float32)),
        ):
            with pytest.raises(ValueError, match="for each feature"):
                ramps(table, *unfit)


@given(far=FAR, at=st.integers(0, 1))
def test_means_are_of_rows(compiled: ModuleType, far: int, at: int) -> None:
    told, weights, order = np.zeros((2, 3), np.float32), np.ones(2), np.arange(2)
    ranges, whole = np.zeros((2, 2, 4), np.intp), np.ones((2, 4))
    unplaced, beyond = order.copy(), ranges.copy()
    unplaced[at] = far
    beyond[at, 1, 3] = far if far != 5 else 6
    for means in (compiled.means_within, pure.means_within):
        assert means(told, weights, order, ranges, whole).shape == (2, 12)
        for its in ((unplaced, ranges), (order, beyond)):
            with pytest.raises(IndexError, match="row"):
                means(told, weights, *its, whole)
        for unfit in (
            (told[:1], weights, order, ranges, whole),
            (told, weights, order[:1], ranges, whole),
            (told, weights, order, ranges[:1], whole),
            (told, weights, order, ranges, whole[:, :3].copy()),
            (told, weights, order, ranges, whole[:1]),
        ):
            with pytest.raises(ValueError, match="for each weight"):
                means(*unfit)
