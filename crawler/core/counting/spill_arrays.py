"""Growing arrays, and the place where they are kept: in memory here, on disk in the store.

Counting is written against :class:`Space` and :class:`Tape`, so that the same code counts a site of
ten pages and one of ten million; what differs is only the space that it is handed.
"""

from __future__ import annotations

from bisect import bisect_right
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["BATCH", "MemorySpace", "MemoryTape", "Space", "Tape"]

BATCH = 2**20
"""How many entries are worked on at a time, unless a space says otherwise."""

_FIRST_CHUNK = 256
_LARGEST_CHUNK = 2**17


class Tape(Protocol):
    """An array that grows at its end and is read in stretches."""

    def __len__(self) -> int:
        """Return the number of entries."""

    def append(self, values: NDArray[Any]) -> None:
        """Add entries, which are copied."""

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """Return the entries from ``start`` up to ``stop``, not to be written to.

        Raises:
            StoreError: they cannot be read from where they are kept.
        """


class Space(Protocol):
    """Where tapes are kept.

    ``batch``
        How many entries of a tape are to be held in memory at a time, about.
    """

    @property
    def batch(self) -> int: ...  # noqa: D102 - above

    def tape(self, kind: DTypeLike) -> Tape:
        """Return a new, empty tape of entries of a kind."""

    def scratch(self) -> AbstractContextManager[Space]:
        """Return a space for what is needed only until its context ends."""


class MemoryTape:
    """A tape in memory: chunks that become larger, so that short tapes are small."""

    __slots__ = ("_chunks", "_end", "_kind", "_length", "_starts")

    def __init__(self, kind: DTypeLike) -> None:
        self._kind = np.dtype(kind)
        self._chunks: list[NDArray[Any]] = []
        self._starts: list[int] = []
        self._length = 0
        # Where the room of the last chunk ends.
        self._end = 0

    def __len__(self) -> int:
        """Return the number of entries."""
        return self._length

    def append(self, values: NDArray[Any]) -> None:
        """Add entries, which are copied."""
        count = len(values)
        if self._length + count > self._end:
            values = self._fill(values)
            count = len(values)
            self._grow(count)
        if count:
            place = self._length - self._starts[-1]
            self._chunks[-1][place : place + count] = values
            self._length += count

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """Return the entries from ``start`` up to ``stop``, not to be written to."""
        if start >= stop:
            return np.empty(0, dtype=self._kind)
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, stop - 1) - 1
        pieces = [
            self._chunks[number][max(0, start - self._starts[number]) : stop - self._starts[number]]
            for number in range(first, last + 1)
        ]
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)

    def chunks(self) -> list[NDArray[Any]]:
        """Return all entries, in the pieces in which they lie in memory."""
        sizes = [*self._starts[1:], self._length]
        return [
            chunk[: stop - start]
            for chunk, start, stop in zip(self._chunks, self._starts, sizes, strict=True)
        ]

    def _fill(self, values: NDArray[Any]) -> NDArray[Any]:
        """Put as many entries as fit into the last chunk, and return the others."""
        room = self._end - self._length
        if room:
            self._chunks[-1][-room:] = values[:room]
            self._length = self._end
        return values[room:]

    def _grow(self, count: int) -> None:
        size = max(count, min(_LARGEST_CHUNK, max(_FIRST_CHUNK, self._length)))
        self._chunks.append(np.empty(size, dtype=self._kind))
        self._starts.append(self._length)
        self._end = self._length + size


class MemorySpace:
    """Tapes in memory.

    Args:
        batch: how many entries are worked on at a time.
    """

    def __init__(self, batch: int = BATCH) -> None:
        self.batch = batch

    def tape(self, kind: DTypeLike) -> MemoryTape:
        """Return a new, empty tape of entries of a kind."""
        return MemoryTape(kind)

    def scratch(self) -> AbstractContextManager[MemorySpace]:
        """Return a space for what is needed only until its context ends."""
        return nullcontext(MemorySpace(self.batch))
