"""What methods want counted beside blocks: names, ranges, and the snapshot that tells of it."""

from __future__ import annotations

import pytest

from crawler.core.counting.observation import KeyCounts, observe_blocks
from crawler.core.counting.site_counts import SiteCounts


def snapshot(*pages: dict[str, dict[int, int]]) -> str:
    counts = SiteCounts()
    for number, sums in enumerate(pages):
        counts.add(observe_blocks(f"https://s.example/{number}", (), sums))
    return counts.view().snapshot


def test_an_empty_name_would_stand_for_the_blocks() -> None:
    with pytest.raises(ValueError, match="needs a name"):
        observe_blocks("https://s.example/", (), {"": {1: 1}})


@pytest.mark.parametrize("counts", [{-1: 1}, {2**64: 1}, {1: -1}, {1: 2**32}])
def test_what_is_out_of_range_is_refused(counts: dict[int, int]) -> None:
    with pytest.raises(OverflowError):
        KeyCounts.of(counts)


def test_the_snapshot_tells_what_methods_counted() -> None:
    assert snapshot({"a": {1: 1}}, {"a": {1: 2}}) == snapshot({"a": {1: 1}}, {"a": {1: 2}})
    different = {
        snapshot({}, {}),
        snapshot({"a": {1: 1}}, {}),
        snapshot({"b": {1: 1}}, {}),
        snapshot({"a": {2: 1}}, {}),
        snapshot({"a": {1: 2}}, {}),
    }
    assert len(different) == 5
