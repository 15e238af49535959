"""The compiled part gives what Python gives, to the last bit."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.core import pure
from crawler.core.trees import TreeEnsemble

if TYPE_CHECKING:
    from types import ModuleType


@pytest.fixture(scope="module")
def compiled() -> ModuleType:
    try:
        from crawler.core import compiled  # noqa: PLC0415 - it need not be there
    except ImportError:
        if os.environ.get("CI") == "true" and not os.environ.get("PURE_PYTHON"):
            pytest.fail("the compiled part was not built")
        pytest.skip("there is no compiled part here; run: python hatch_build.py")
    return compiled


@given(rows=st.integers(0, 40), seed=st.integers(0, 2**32), has_gaps=st.booleans())
@pytest.mark.parametrize("name", ["first", "second"])
def test_leaves(compiled: ModuleType, name: str, rows: int, seed: int, has_gaps: bool) -> None:  # noqa: FBT001 - drawn
    trees = TreeEnsemble.shipped("crawler.core.methods.article", name)
    random = np.random.default_rng(seed)
    # Values at thresholds too, where rounding would show.
    table = random.choice(trees.threshold, (rows, len(trees.names))).astype(np.float32)
    if has_gaps:
        table[random.random(table.shape) < 0.2] = np.nan
    nodes = trees.feature, trees.threshold, trees.left, trees.value, trees.roots, trees.depth
    assert np.array_equal(compiled.leaf_values(table, *nodes), pure.leaf_values(table, *nodes))
