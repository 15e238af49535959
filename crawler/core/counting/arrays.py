"""Growing arrays, and the space that keeps them: in memory here, on disk in the store.

:class:`crawler.store.spill_arrays.DiskSpace` is a space that moves arrays to disk, so that the same
code counts a site of ten pages and one of ten million. More entries than memory holds are sorted in
partitions: by the first bits of their keys, then each part by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

BATCH = 2**17
"""How many entries are processed at a time, unless a space sets another number."""

_MOST_SPLITS = 16
_BYTE = 8
_WORD = 64


class GrowingArray:
    """An array of one dimension to which entries are appended, and of which parts are read."""

    __slots__ = ("_bytes", "_kind")

    def __init__(self, kind: DTypeLike) -> None:
        self._kind = np.dtype(kind)
        self._bytes = bytearray()

    def clear(self) -> None:
        """Drop all entries that are in memory."""
        self._bytes = bytearray()

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self._bytes) // self._kind.itemsize

    def append(self, values: NDArray[Any]) -> None:
        """Add entries, which are copied."""
        self._bytes += values.astype(self._kind, copy=False).tobytes()

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """Return the entries from ``start`` up to ``stop``, which must not be changed.

        Raises:
            StoreError: they cannot be read from disk.
        """
        size = self._kind.itemsize
        return np.frombuffer(self._bytes[start * size : stop * size], dtype=self._kind)


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
                keys, values = np.concatenate(found).reshape(-1, 2).T
                order = np.argsort(keys, kind="stable")
                keys = keys[order]
                repeats = np.zeros(len(keys), dtype=np.bool_)
                np.equal(keys[1:], keys[:-1], out=repeats[1:])
                yield keys, values[order], repeats

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
