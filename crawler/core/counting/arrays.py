"""Growing arrays, and the space that keeps them: in memory here, on disk in the store.

Counting uses :class:`ArraySpace` and :class:`GrowingArray` alone, so that the same code counts a
site of ten pages and one of ten million.
"""

from __future__ import annotations

from bisect import bisect_right
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

BATCH = 2**20
"""How many entries are processed at a time, unless a space sets another number."""

_FIRST_CHUNK = 256
_LARGEST_CHUNK = 2**17


class GrowingArray(Protocol):
    """An array of one dimension to which entries are appended, and of which parts are read."""

    def __len__(self) -> int:
        """Return the number of entries."""

    def append(self, values: NDArray[Any]) -> None:
        """Add entries, which are copied."""

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """Return the entries from ``start`` up to ``stop``, which must not be changed.

        Raises:
            StoreError: they cannot be read.
        """


class ArraySpace(Protocol):
    """Where growing arrays are kept.

    ``batch``
        How many entries of an array are to be in memory at a time, about.
    """

    @property
    def batch(self) -> int: ...  # noqa: D102 - above

    def array(self, kind: DTypeLike) -> GrowingArray:
        """Return a new, empty array of a data type."""

    def scratch(self) -> AbstractContextManager[ArraySpace]:
        """Return a space for what is needed only until its context ends."""


class MemoryArray:
    """A growing array in memory: chunks that become larger, so that short arrays are small."""

    __slots__ = ("_chunks", "_kind", "_length", "_starts")

    def __init__(self, kind: DTypeLike) -> None:
        self._kind = np.dtype(kind)
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
        """Return the entries from ``start`` up to ``stop``, which must not be changed."""
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


class MemorySpace:
    """Growing arrays in memory.

    Args:
        batch: how many entries are processed at a time.
    """

    def __init__(self, batch: int = BATCH) -> None:
        self.batch = batch

    def array(self, kind: DTypeLike) -> MemoryArray:
        """Return a new, empty array of a data type."""
        return MemoryArray(kind)

    def scratch(self) -> AbstractContextManager[MemorySpace]:
        """Return a space for what is needed only until its context ends."""
        return nullcontext(MemorySpace(self.batch))
