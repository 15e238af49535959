"""Sorting in parts: whatever the keys and however few are sorted at a time."""

from __future__ import annotations

import numpy as np
import pytest

from crawler.core.counting.arrays import ArraySpace, Partitions

KEYS = {
    "none": [],
    "one": [2**64 - 1],
    "equal": [7] * 50,
    "small": [*range(30), *range(30)],
    "hashes": [number * 0x9E3779B97F4A7C15 % 2**64 for number in [*range(40), *range(20)]],
    "alike but for the last bits": [2**63 + number % 5 for number in range(100)],
    "both ends": [0, 2**64 - 1] * 9,
}


@pytest.mark.parametrize("batch", [1, 4, 1000])
@pytest.mark.parametrize("pieces", [1, 3])
@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
def test_runs_are_all_entries_by_their_keys(keys: list[int], pieces: int, batch: int) -> None:
    partitions = Partitions(ArraySpace(batch), len(keys))
    array = np.array(keys, dtype=np.uint64)
    values = np.arange(len(keys), dtype=np.uint64)
    for piece, numbers in zip(
        np.array_split(array, pieces), np.array_split(values, pieces), strict=True
    ):
        partitions.add(piece, numbers)
    found = []
    before = None
    for run_keys, run_values, repeats in partitions.runs():
        assert not repeats[0]
        for key, value, again in zip(
            run_keys.tolist(), run_values.tolist(), repeats.tolist(), strict=True
        ):
            assert again == (key == before)
            before = key
            found.append((key, value))
    assert found == sorted(zip(keys, range(len(keys)), strict=True))


@pytest.mark.parametrize("entries", [0, 10, 10**6])
def test_how_many_were_expected_and_how_long_keys_are_changes_nothing(entries: int) -> None:
    for bits in (5, 20, 64):
        keys = np.array([31, 0, 5, 31, 16, 5, 5], dtype=np.uint64)
        partitions = Partitions(ArraySpace(batch=2), entries, bits)
        partitions.add(keys, keys + np.uint64(1))
        found = [key for part, _, _ in partitions.runs() for key in part.tolist()]
        assert found == [0, 5, 5, 5, 16, 31, 31]


def test_entries_of_a_key_fall_into_one_part_and_parts_are_small() -> None:
    draw = np.random.default_rng(3)
    keys = np.repeat(draw.integers(0, 2**64, 500, dtype=np.uint64), 2)
    partitions = Partitions(ArraySpace(batch=100), len(keys))
    partitions.add(keys, keys)
    parts = [set(part.tolist()) for part, _, _ in partitions.runs()]
    assert len(parts) == 16
    assert sum(map(len, parts)) == len(set().union(*parts)) == 500
