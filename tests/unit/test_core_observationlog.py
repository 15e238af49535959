"""The log of a site's observations: one record a page that holds, whatever was written before."""

from __future__ import annotations

import numpy as np
import pytest

from crawler.core.counting.arrays import ArraySpace
from crawler.core.counting.observation import (
    BLOCKS,
    KeyCounts,
    Observation,
    ObservationLog,
    batches,
)


def page(url: str, *keys: int, weight: int = 9, **sums: dict[int, int]) -> Observation:
    return Observation(
        url,
        np.array(sorted(keys), dtype=np.uint64),
        np.full(len(keys), weight, dtype=np.uint16),
        {name: KeyCounts.of(counts) for name, counts in sums.items()},
    )


def log_of(*pages: Observation, batch: int = 4) -> ObservationLog:
    log = ObservationLog(ArraySpace(batch))
    for one in pages:
        log.add(one)
    return log


def keys_of(log: ObservationLog) -> dict[str, list[int]]:
    return {one.url: one.keys.tolist() for one in log.pages()}


def test_an_empty_log() -> None:
    log = ObservationLog()
    assert len(log) == log.entries(BLOCKS) == 0
    assert log.urls() == []
    assert keys_of(log) == {}
    assert list(log.rows(BLOCKS)) == []
    assert log.sections == [BLOCKS]
    assert log.sizes(BLOCKS).tolist() == []


def test_the_same_page_again_writes_nothing() -> None:
    log = log_of(page("u", 1, 2, nodes={1: 2}))
    before = log.entries(BLOCKS)
    log.add(page("u", 1, 2, nodes={1: 2}))
    assert log.entries(BLOCKS) == before


@pytest.mark.parametrize("batch", [1, 4, 100])
def test_a_page_seen_again_has_one_record_with_the_most_of_both(batch: int) -> None:
    log = log_of(
        page("u", 1, 2, weight=5, nodes={1: 2, 2: 7}),
        page("v", 3, grams={5: 1}),
        page("u", 2, 4, weight=8, nodes={2: 3}),
        page("w"),
        batch=batch,
    )
    assert log.urls() == ["v", "u", "w"]
    assert keys_of(log) == {"v": [3], "u": [1, 2, 4], "w": []}
    assert log.blocks("u")[1].tolist() == [5, 8, 8]
    nodes = log.page("u").sums["nodes"]
    assert (nodes.keys.tolist(), nodes.counts.tolist()) == ([1, 2], [2, 7])
    assert log.page("w").sums == {}
    assert log.sections == ["", "grams", "nodes"]
    assert log.sizes(BLOCKS).tolist() == [1, 3, 0]
    assert log.sizes("nodes").tolist() == [0, 2, 0]
    for section, keys in ((BLOCKS, [3, 1, 2, 4]), ("nodes", [1, 2]), ("grams", [5])):
        rows = list(log.rows(section))
        assert [size for part in rows for size in part.sizes.tolist()] == log.sizes(
            section
        ).tolist()
        assert [key for part in rows for key in part.keys.tolist()] == keys


def test_logs_merge_whether_or_not_they_share_pages() -> None:
    log = log_of(page("a", 1, nodes={1: 1}), page("b", 2))
    log.merge(log_of(page("c", 3), page("d", 4, nodes={2: 2})))
    assert keys_of(log) == {"a": [1], "b": [2], "c": [3], "d": [4]}
    log.merge(log_of(page("d", 5), page("e", 6, grams={1: 1})))
    assert keys_of(log) == {"a": [1], "b": [2], "c": [3], "d": [4, 5], "e": [6]}
    assert log.page("d").sums["nodes"].look_up([2]) == [2]
    assert log.page("e").sums.keys() == {"grams"}
    log.merge(ObservationLog())
    assert len(log) == 5


def test_a_merged_log_leaves_the_other_as_it_was() -> None:
    other = log_of(page("b", 2))
    log = log_of(page("a", 1))
    log.merge(other)
    log.add(page("b", 3))
    assert keys_of(other) == {"b": [2]}


@pytest.mark.parametrize(
    ("sizes", "batch", "expected"),
    [
        ([], 3, []),
        ([1, 1, 1, 1], 3, [(0, 3), (3, 4)]),
        ([9, 1, 9], 3, [(0, 1), (1, 2), (2, 3)]),
        ([0, 0, 0, 0, 0], 2, [(0, 2), (2, 4), (4, 5)]),
        ([0, 3, 0, 3], 3, [(0, 3), (3, 4)]),
    ],
)
def test_batches_hold_as_many_entries_as_they_may(
    sizes: list[int], batch: int, expected: list[tuple[int, int]]
) -> None:
    ends = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    assert list(batches(ends, batch)) == expected
