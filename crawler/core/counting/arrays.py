"""Growing arrays, and the space that keeps them: in memory here, on disk in the store.

:class:`crawler.store.spill_arrays.DiskSpace` is a space that moves arrays to disk, so that the same
code counts a site of ten pages and one of ten million. More entries than memory holds are sorted in
partitions: by the first bits of their keys, then each part by itself.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

BATCH = 2**20
"""How many entries are processed at a time, unless a space sets another number."""

_FIRST_CHUNK = 256
_LARGEST_CHUNK = 2**17
_MOST_SPLITS = 16
_BYTE = 8
_WORD = 64


class GrowingArray:
    """An array of one dimension to which entries are appended, and of which parts are read.

    It is in memory, in chunks that become larger, so that short arrays are small.
    """

    __slots__ = ("_chunks", "_kind", "_length", "_starts")

    def __init__(self, kind: DTypeLike) -> None:
        self._kind = np.dtype(kind)
        self.clear()

    def clear(self) -> None:
        """Drop all entries that are in memory."""
        self._chunks: list[NDArray[Any]] = []
        self._starts: list[int] = []
        self._length = 0

    def __len__(self) -> int:
        """Return the number of entries."""
        return self._length

    def append(self, values: NDArray[Any]) -> None:
        """Add entries, which are copied."""
        while len(values):
            if not self._chunks or self._length == self._starts[-1] + len(self._chunks[-1]):
                size = min(_LARGEST_CHUNK, max(_FIRST_CHUNK, self._length))
                self._chunks.append(np.empty(max(len(values), size), dtype=self._kind))
                self._starts.append(self._length)
            free = self._chunks[-1][self._length - self._starts[-1] :]
            count = min(len(free), len(values))
            free[:count] = values[:count]
            values = values[count:]
            self._length += count

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """Return the entries from ``start`` up to ``stop``, which must not be changed.

        Raises:
            StoreError: they cannot be read from disk.
        """
        if start >= stop:
            return np.empty(0, dtype=self._kind)
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, stop - 1)
        parts = [
            chunk[max(0, start - begin) : stop - begin]
            for begin, chunk in zip(self._starts[first:last], self._chunks[first:last], strict=True)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def chunks(self) -> list[NDArray[Any]]:
        """Return all entries, in the pieces in which they are in memory."""
        pairs = zip(self._starts, self._chunks, strict=True)
        return [chunk[: self._length - start] for start, chunk in pairs]


class ArraySpace:
    """Where growing arrays are kept: in memory.

    Args:
        batch: how many entries of an array are processed, and so are in memory, at a time.
    """

    def __init__(self, batch: int = BATCH) -> None:
        self.batch = batch

    def array(self, kind: DTypeLike) -> GrowingArray:
        """Return a new, empty array of a data type."""
        return GrowingArray(kind)

    def scratch(self) -> AbstractContextManager[ArraySpace]:
        """Return a space for what is needed only until its context ends."""
        return nullcontext(ArraySpace(self.batch))


class Partitions:
    """Keys and values in parts, all entries of a key in one of them.

    Args:
        space: where they are kept.
        entries: how many there will be, about; the number of parts depends on it.
        bits: how many low bits of a key are used; the first of these decide the part.
    """

    def __init__(self, space: ArraySpace, entries: int, bits: int = _WORD) -> None:
        self._batch = space.batch
        self._bits = bits
        self._splits = min(bits, _MOST_SPLITS, (entries // space.batch).bit_length())
        self._entries = space.array(np.uint64)
        # Of each piece of the array, where its parts begin, and where the last one ends.
        self._pieces: list[NDArray[np.int64]] = []
        self._waiting: list[NDArray[np.uint64]] = []
        self._waiting_size = 0

    def add(self, keys: NDArray[np.uint64], values: NDArray[np.uint64]) -> None:
        """Put entries into their parts."""
        self._waiting.append(np.stack((keys, values), axis=1))
        self._waiting_size += len(keys)
        if self._waiting_size >= self._batch:
            self._scatter()

    def runs(self) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.bool_]]]:
        """Give the parts that are not empty, in the order of their keys.

        Yields:
            All keys of the part, ascending; their values, those of one key in the order in which
            they were added; and for each entry whether it has the key of the one before.
        """
        self._scatter()
        for part in range(1 << self._splits):
            spans = [piece[part : part + 2].tolist() for piece in self._pieces]
            found = [
                self._entries.read(2 * start, 2 * stop) for start, stop in spans if start < stop
            ]
            if found:
                entries = np.concatenate(found).reshape(-1, 2)
                yield _sorted(entries, _WORD - self._bits + self._splits)

    def _scatter(self) -> None:
        if not self._waiting_size:
            return
        entries = np.concatenate(self._waiting)
        self._waiting, self._waiting_size = [], 0
        parts = 1 << self._splits
        ends = np.zeros(parts + 1, dtype=np.int64)
        if parts > 1:
            kind = np.uint8 if self._splits <= _BYTE else np.uint16
            part_of = (entries[:, 0] >> np.uint64(self._bits - self._splits)).astype(kind)
            # A stable sort of numbers this short takes linear time.
            entries = entries.take(np.argsort(part_of, kind="stable"), axis=0)
            ends[1:] = np.cumsum(np.bincount(part_of, minlength=parts))
        else:
            ends[1] = len(entries)
        self._pieces.append(ends + len(self._entries) // 2)
        self._entries.append(entries.reshape(-1))


def sorted_within(
    runs: NDArray[np.int64], values: NDArray[np.uint64], bits: int
) -> NDArray[np.uint64]:
    """Sort the values of each run.

    Args:
        runs: for each value the number of its run, ascending.
        values: the values.
        bits: how many low bits of a value are used.
    """
    if not len(runs):
        return values
    if int(runs[-1]).bit_length() + bits > _WORD:
        return values[np.lexsort((values, runs))]
    packed = runs.astype(np.uint64)
    packed <<= np.uint64(bits)
    packed |= values
    packed.sort()
    packed &= np.uint64((1 << bits) - 1)
    return packed


def _sorted(
    entries: NDArray[np.uint64], known: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.bool_]]:
    """Sort entries by their keys, whose first ``known`` bits are all the same.

    Numbers alone are sorted many times faster than pairs. So numbers are sorted that are made of
    the next bits of each key and of the index of its entry.
    """
    keys, values = entries[:, 0], entries[:, 1]
    places = np.uint64((1 << (len(keys) - 1).bit_length()) - 1)
    packed = keys << np.uint64(min(known, _WORD - 1))
    packed &= ~places
    packed |= np.arange(len(keys), dtype=np.uint64)
    packed.sort()
    order = (packed & places).view(np.int64)
    keys = keys[order]
    repeats = np.zeros(len(keys), dtype=np.bool_)
    np.equal(keys[1:], keys[:-1], out=repeats[1:])
    packed &= ~places
    if np.count_nonzero(packed[1:] == packed[:-1]) != np.count_nonzero(repeats):
        # Some keys differ in their last bits alone, which is rare where keys are hashes.
        order = np.argsort(entries[:, 0], kind="stable")
        keys = entries[order, 0]
        np.equal(keys[1:], keys[:-1], out=repeats[1:])
    return keys, values[order], repeats
