"""Growing arrays in memory and on disk: the same entries, and no more memory than allowed."""

from __future__ import annotations

import gc
import logging
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.core.counting.arrays import ArraySpace
from crawler.core.errors import StoreError
from crawler.store.spill_arrays import DiskSpace

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from crawler.core.counting.arrays import GrowingArray


def numbers(start: int, stop: int, kind: type = np.uint64) -> NDArray[Any]:
    return np.arange(start, stop).astype(kind)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("arrays") / "made when needed"


@given(
    sizes=st.lists(st.integers(0, 700), max_size=8),
    memory=st.sampled_from([0, 1, 300, 5000, 10**6]),
    data=st.data(),
)
def test_a_array_is_the_array_of_all_that_was_appended(
    folder: Path, sizes: list[int], memory: int, data: st.DataObject
) -> None:
    spaces: list[ArraySpace] = [ArraySpace(), DiskSpace(folder, memory)]
    for space in spaces:
        arrays = [(space.array(kind), kind) for kind in (np.uint64, np.uint16)]
        whole: list[int] = []
        for size in sizes:
            for array, kind in arrays:
                array.append(numbers(len(whole), len(whole) + size, kind))
            whole += range(len(whole), len(whole) + size)
        start = data.draw(st.integers(0, len(whole)))
        stop = data.draw(st.integers(start, len(whole)))
        for array, kind in arrays:
            assert len(array) == len(whole)
            assert array.read(start, stop).tolist() == whole[start:stop]
            assert array.read(0, len(array)).dtype == kind


def test_what_was_appended_is_a_copy() -> None:
    array: GrowingArray = ArraySpace().array(np.uint64)
    values = numbers(0, 5)
    array.append(values)
    values[:] = 9
    assert array.read(0, 5).tolist() == [0, 1, 2, 3, 4]


def test_little_stays_in_memory_and_makes_no_folder(tmp_path: Path) -> None:
    space = DiskSpace(tmp_path / "none", memory=800)
    space.array(np.uint64).append(numbers(0, 100))
    assert space.on_disk == 0
    assert not (tmp_path / "none").exists()


def test_the_array_that_holds_most_goes_to_disk_first(tmp_path: Path) -> None:
    space = DiskSpace(tmp_path, memory=1000)
    large, small = space.array(np.uint64), space.array(np.uint16)
    small.append(numbers(0, 50, np.uint16))
    for start in range(0, 1000, 10):
        large.append(numbers(start, start + 10))
        assert large.in_memory + small.in_memory <= 1000
    assert small.in_memory == 100
    assert space.on_disk == 8000 - large.in_memory
    assert large.read(0, 1000).tolist() == list(range(1000))


def test_a_array_that_is_gone_takes_no_room(tmp_path: Path) -> None:
    space = DiskSpace(tmp_path, memory=1000)
    gone, array = space.array(np.uint64), space.array(np.uint64)
    gone.append(numbers(0, 100))
    del gone
    gc.collect()
    array.append(numbers(0, 100))
    assert (space.on_disk, array.in_memory) == (0, 800)


def test_the_file_has_no_name_or_goes_with_its_space(tmp_path: Path) -> None:
    space = DiskSpace(tmp_path, memory=0)
    space.array(np.uint64).append(numbers(0, 10))
    with space.scratch() as scratch:
        scratch.array(np.uint64).append(numbers(0, 20))
        assert (space.on_disk, scratch.on_disk) == (80, 160)
        assert (scratch.folder, scratch.memory, scratch.batch) == (tmp_path, 0, space.batch)
    del space, scratch
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_where_nothing_can_be_written_all_stays_in_memory(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "taken").write_text("a file")
    space = DiskSpace(tmp_path / "taken", memory=100)
    array = space.array(np.uint64)
    for start in range(0, 100, 10):
        array.append(numbers(start, start + 10))
    assert array.read(0, 100).tolist() == list(range(100))
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert "set CORPUS_DIR" in record.getMessage()
    assert record.exc_info is None


def test_what_cannot_be_read_back_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    space = DiskSpace(tmp_path, memory=0)
    array = space.array(np.uint64)
    array.append(numbers(0, 10))
    space.close()
    with pytest.raises(StoreError, match="set CORPUS_DIR"):
        array.read(2, 4)
