"""Growing arrays that are moved to disk when together they are too large for memory.

A space has one file, which has no name in its folder, so the system removes it when the process
ends. Arrays keep their last entries in memory. When the arrays of a space together hold more than
its limit there, the one that holds most is written to the end of the file.
"""

from __future__ import annotations

import logging
import tempfile
import weakref
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from io import RawIOBase
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from crawler.core.counting.arrays import BATCH, ArraySpace, GrowingArray
from crawler.core.errors import StoreError

logger = logging.getLogger(__name__)

_MEMORY = 16 * 2**20


class DiskSpace(ArraySpace):
    """Growing arrays in memory up to a limit, and on disk beyond it.

    Args:
        folder: where the file is made when it is needed, the folder too.
        memory: most bytes of all arrays together in memory.
        batch: how many entries are processed at a time.
    """

    def __init__(self, folder: Path, memory: int = _MEMORY, batch: int = BATCH) -> None:
        super().__init__(batch)
        self.folder = folder
        self.memory = memory
        self.on_disk = 0
        """Bytes that were written to the file."""
        self._arrays: weakref.WeakSet[SpillArray] = weakref.WeakSet()
        self._in_memory = 0
        self._file: RawIOBase | None = None
        self._failed = False

    def array(self, kind: DTypeLike) -> SpillArray:
        """Return a new, empty array of a data type."""
        array = SpillArray(self, kind)
        self._arrays.add(array)
        return array

    @contextmanager
    def scratch(self) -> Iterator[DiskSpace]:
        """Return a space of the same limits, whose file is removed when the context ends."""
        space = DiskSpace(self.folder, self.memory, self.batch)
        try:
            yield space
        finally:
            space.close()

    def close(self) -> None:
        """Remove the file; what is on disk cannot be read any more."""
        if self._file is not None:
            self._file.close()

    def grow(self, size: int) -> None:
        """Note that an array has so many bytes more in memory, and write arrays out if need be."""
        self._in_memory += size
        if self._in_memory <= self.memory or self._failed:
            return
        arrays = sorted(self._arrays, key=lambda array: array.in_memory)
        # The sum is made anew: arrays that were deleted hold nothing.
        self._in_memory = sum(array.in_memory for array in arrays)
        try:
            while self._in_memory > self.memory:
                self._write(arrays.pop())
        except OSError as error:
            # Nothing is lost, and a crawl is worth the memory that it takes.
            self._failed = True
            logger.error(  # noqa: TRY400 - the message is whole in one line
                "Cannot write counts to %s (%s): from now on they stay in memory. "
                "Free some space there or set CORPUS_DIR to another folder",
                self.folder,
                error,
            )

    def read_into(self, values: NDArray[Any], place: int) -> None:
        """Fill an array from a place of the file.

        Raises:
            StoreError: it cannot be read.
        """
        rest = values.view(np.uint8).data
        try:
            file = self._opened()
            file.seek(place)
            while rest:
                count = file.readinto(rest)
                if not count:
                    raise OSError("the file is shorter than it was")  # noqa: TRY301 - one handler
                rest = rest[count:]
        except (OSError, ValueError) as error:
            raise StoreError(
                f"cannot read counts back from {self.folder}: {error}; check the disk there, "
                "or set CORPUS_DIR to a folder on another one"
            ) from error

    def _write(self, array: SpillArray) -> None:
        file = self._opened()
        file.seek(self.on_disk)
        size = array.in_memory
        rest = array.unwritten
        while rest:
            rest = rest[file.write(rest) or 0 :]
        rest.release()
        array.was_written(self.on_disk)
        self.on_disk += size
        self._in_memory -= size

    def _opened(self) -> RawIOBase:
        if self._file is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            file = tempfile.TemporaryFile(buffering=0, dir=self.folder)  # noqa: SIM115 - below
            self._file = cast("RawIOBase", file)
            weakref.finalize(self, self._file.close)
        return self._file


class SpillArray(GrowingArray):
    """A growing array whose last entries are in memory, and the others in the file of its space."""

    def __init__(self, space: DiskSpace, kind: DTypeLike) -> None:
        super().__init__(kind)
        self._space = space
        # Of each part on disk, the number of its first entry and its place in the file.
        self._firsts: list[int] = []
        self._places: list[int] = []
        self._on_disk = 0

    def __len__(self) -> int:
        """Return the number of entries."""
        return self._on_disk + super().__len__()

    @property
    def in_memory(self) -> int:
        """Bytes in memory."""
        return len(self._bytes)

    @property
    def unwritten(self) -> memoryview:
        """What is in memory, as bytes."""
        return memoryview(self._bytes)

    def was_written(self, place: int) -> None:
        """Drop what is in memory: it was written to that place of the file."""
        self._firsts.append(self._on_disk)
        self._places.append(place)
        self._on_disk += super().__len__()
        self.clear()

    def append(self, values: NDArray[Any]) -> None:
        """Add entries, which are copied."""
        super().append(values)
        self._space.grow(len(values) * self._kind.itemsize)

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """Return the entries from ``start`` up to ``stop``, which must not be changed.

        Raises:
            StoreError: they cannot be read from disk.
        """
        if start >= self._on_disk:
            return super().read(start - self._on_disk, stop - self._on_disk)
        values = np.empty(stop - start, dtype=self._kind)
        ends = [*self._firsts[1:], self._on_disk]
        at = start
        for part in range(bisect_right(self._firsts, start) - 1, len(ends)):
            end = min(ends[part], stop)
            if at >= end:
                break
            place = self._places[part] + (at - self._firsts[part]) * self._kind.itemsize
            self._space.read_into(values[at - start : end - start], place)
            at = end
        if stop > self._on_disk:
            values[self._on_disk - start :] = super().read(0, stop - self._on_disk)
        return values
