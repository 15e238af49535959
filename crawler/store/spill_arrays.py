"""Growing arrays that go to disk when together they are too large for memory.

A space has one file, which has no name in its folder and so is gone with the process, however that
ends. Tapes keep their last entries in memory; when all tapes of the space together hold more than
its limit there, the one that holds most writes them to the end of the file.
"""

from __future__ import annotations

import logging
import tempfile
import weakref
from bisect import bisect_right
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from crawler.core.counting.spill_arrays import BATCH, MemoryTape
from crawler.core.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import RawIOBase
    from pathlib import Path

    from numpy.typing import DTypeLike, NDArray

__all__ = ["MEMORY", "DiskSpace", "DiskTape"]

logger = logging.getLogger(__name__)

MEMORY = 64 * 2**20
"""How many bytes a space holds in memory, unless it is told otherwise."""


class DiskSpace:
    """Tapes in memory up to a limit, and on disk beyond it.

    Args:
        folder: where the file is put when it is needed; it is made then.
        memory: how many bytes all tapes together may hold in memory.
        batch: how many entries are worked on at a time.
    """

    def __init__(self, folder: Path, memory: int = MEMORY, batch: int = BATCH) -> None:
        self.folder = folder
        self.memory = memory
        self.batch = batch
        self._tapes: weakref.WeakSet[DiskTape] = weakref.WeakSet()
        self._held = 0
        self._file: RawIOBase | None = None
        self._end = 0
        self._failed = False

    @property
    def on_disk(self) -> int:
        """How many bytes were written to the file."""
        return self._end

    def tape(self, kind: DTypeLike) -> DiskTape:
        """Return a new, empty tape of entries of a kind."""
        tape = DiskTape(self, kind)
        self._tapes.add(tape)
        return tape

    @contextmanager
    def scratch(self) -> Iterator[DiskSpace]:
        """Return a space of the same limits, whose file is gone when the context ends."""
        space = DiskSpace(self.folder, self.memory, self.batch)
        try:
            yield space
        finally:
            space.close()

    def close(self) -> None:
        """Remove the file; what is on disk can be read no more."""
        if self._file is not None:
            self._file.close()

    def hold(self, size: int) -> None:
        """Take account of so many bytes more in memory, and make room where they are too many."""
        self._held += size
        if self._held > self.memory and not self._failed:
            self._make_room()

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

    def _make_room(self) -> None:
        tapes = sorted(self._tapes, key=lambda tape: tape.held, reverse=True)
        # Added up anew: tapes that are gone hold nothing.
        self._held = sum(tape.held for tape in tapes)
        for tape in tapes:
            if self._held <= self.memory:
                return
            size = tape.held
            try:
                self._write(tape.chunks())
            except OSError as error:
                # Nothing is lost, and a crawl is worth the memory that it takes.
                self._failed = True
                logger.error(  # noqa: TRY400 - the message says it all in one line
                    "Cannot write counts to %s (%s): from now on they stay in memory. "
                    "Free some space there or set CORPUS_DIR to another folder",
                    self.folder,
                    error,
                )
                return
            tape.move(self._end)
            self._end += size
            self._held -= size

    def _write(self, chunks: list[NDArray[Any]]) -> None:
        file = self._opened()
        file.seek(self._end)
        for chunk in chunks:
            rest = chunk.view(np.uint8).data
            while rest:
                rest = rest[file.write(rest) or 0 :]

    def _opened(self) -> RawIOBase:
        if self._file is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._file = cast(
                "RawIOBase",
                tempfile.TemporaryFile(buffering=0, dir=self.folder),  # noqa: SIM115 - below
            )
            weakref.finalize(self, self._file.close)
        return self._file


class DiskTape:
    """A tape whose last entries are in memory, and the others in the file of its space."""

    def __init__(self, space: DiskSpace, kind: DTypeLike) -> None:
        self._space = space
        self._kind = np.dtype(kind)
        self._tail = MemoryTape(kind)
        # Of each stretch on disk, its first entry and its place in the file.
        self._firsts: list[int] = []
        self._places: list[int] = []
        self._spilled = 0

    def __len__(self) -> int:
        """Return the number of entries."""
        return self._spilled + len(self._tail)

    @property
    def held(self) -> int:
        """How many bytes are in memory."""
        return len(self._tail) * self._kind.itemsize

    def chunks(self) -> list[NDArray[Any]]:
        """Return what is in memory, in pieces."""
        return self._tail.chunks()

    def move(self, place: int) -> None:
        """Drop what is in memory: it was written to that place of the file."""
        self._firsts.append(self._spilled)
        self._places.append(place)
        self._spilled += len(self._tail)
        self._tail = MemoryTape(self._kind)

    def append(self, values: NDArray[Any]) -> None:
        """Add entries, which are copied."""
        self._tail.append(values)
        self._space.hold(len(values) * self._kind.itemsize)

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """Return the entries from ``start`` up to ``stop``, not to be written to.

        Raises:
            StoreError: they cannot be read from disk.
        """
        if start >= self._spilled:
            return self._tail.read(start - self._spilled, stop - self._spilled)
        values = np.empty(stop - start, dtype=self._kind)
        number = bisect_right(self._firsts, start) - 1
        place = start
        while place < min(stop, self._spilled):
            first = self._firsts[number]
            end = self._firsts[number + 1] if number + 1 < len(self._firsts) else self._spilled
            end = min(end, stop)
            self._space.read_into(
                values[place - start : end - start],
                self._places[number] + (place - first) * self._kind.itemsize,
            )
            place, number = end, number + 1
        if stop > self._spilled:
            values[self._spilled - start :] = self._tail.read(0, stop - self._spilled)
        return values
