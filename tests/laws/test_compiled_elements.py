"""The compiled loops over elements give what those in Python give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from crawler.core.hot_loops import elements as pure
from crawler.core.methods import Label
from crawler.core.page.blocks import Block, Holder
from support.compiled import PIECES, TEXTS, compiled_part

if TYPE_CHECKING:
    from types import ModuleType


@pytest.fixture(scope="module")
def compiled() -> ModuleType:
    return compiled_part("crawler.core.hot_loops.compiled_elements")


@given(pieces=st.lists(PIECES, max_size=30), keeps_comments=st.booleans(), from_child=st.booleans())
def test_columns_of_a_tree(
    compiled: ModuleType,
    pieces: list[str],
    keeps_comments: bool,  # noqa: FBT001 - drawn
    from_child: bool,  # noqa: FBT001 - drawn
) -> None:
    is_left_out = not keeps_comments
    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=is_left_out, remove_pis=is_left_out, huge_tree=True
    )
    root = etree.fromstring("".join(("<html><body>", *pieces)).encode(), parser)
    assert root is not None
    if from_child:
        root = root[-1][-1] if len(root[-1]) else root[-1]
    found = pure.columns(root)
    assert compiled.columns(root) == found
    columns = found[1:4]
    unread = frozenset(("p", "script"))
    assert compiled.short_texts(*columns, unread, 9) == pure.short_texts(*columns, unread, 9)


@given(texts=TEXTS, keys=st.lists(st.integers(0, 2**64 - 1), min_size=8, max_size=8))
def test_figures_of_blocks(compiled: ModuleType, texts: list[str], keys: list[int]) -> None:
    texts = [*texts, "a\n:", "\uff1a"]
    blocks = [
        Block(number, text, f"h{number}", "p", keys[number % 8 // 2], len(text), 3, None, "", 2)
        for number, text in enumerate(texts)
    ]
    drawn = blocks, {"h0": 5, "h2": 1}, 14
    assert np.array_equal(compiled.described(*drawn), pure.described(*drawn))


@given(rows=st.lists(st.tuples(st.booleans(), st.text(), st.integers(), st.floats() | st.none())))
def test_objects_of_columns(
    compiled: ModuleType, rows: list[tuple[bool, str, int, float | None]]
) -> None:
    columns: list[tuple[Any, ...]] = list(zip(*rows, strict=True)) or [()] * 4
    assert compiled.made(Label, *columns) == pure.made(Label, *columns)
    with pytest.raises(ValueError, match="longer"):
        compiled.made(Label, *columns[:3], (*columns[3], 0.5))
    for module in (compiled, pure):
        with pytest.raises(TypeError, match="4 fields"):
            module.made(Label, *columns[:2])
        with pytest.raises(TypeError, match="4 fields"):
            module.made(Label, *columns, columns[0])


@given(parents=st.lists(st.integers(0, 20), min_size=1, max_size=30), data=st.data())
def test_numbers_of_elements(compiled: ModuleType, parents: list[int], data: st.DataObject) -> None:
    holders: list[Holder] = []
    for number, around in enumerate(parents):
        parent = holders[around % number] if around and number else None
        holders.append(
            Holder(
                "div" * (number % 2),
                "a" * (number % 5),
                parent,
                parent.depth + 1 if parent else 1,
                f"div{number % 3}",
            )
        )
    at = data.draw(st.lists(st.sampled_from(holders), max_size=30))
    blocks = [Block(number, "x", "p", "p", 0, 1, 0, holder) for number, holder in enumerate(at)]
    *found, columns = compiled.numbered(blocks)
    *expected, expected_columns = pure.numbered(blocks)
    assert found == expected
    assert len(columns) == len(expected_columns)
    assert all(map(np.array_equal, columns, expected_columns))


@given(parents=st.lists(st.integers(0, 99), min_size=1, max_size=40), seed=st.integers(0, 2**32))
def test_distances_outwards(compiled: ModuleType, parents: list[int], seed: int) -> None:
    around = [parent % (number + 1) for number, parent in enumerate(parents)]
    signs = np.random.default_rng(seed).integers(0, 1 << 20, len(parents), np.uint64)
    drawn = signs & (signs >> np.uint64(3)) & (signs >> np.uint64(7)), np.array(around, np.intp)
    assert np.array_equal(compiled.distances(*drawn, 18, 12), pure.distances(*drawn, 18, 12))
