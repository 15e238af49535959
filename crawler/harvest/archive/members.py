"""Files of numbered members, of which one is found at once, however many there are.

The members stand one after the other. An index follows, in the order of their numbers: of each its
number, first byte, length and checksum (XXH3). Then come the number of members, the checksum of the
index, and a mark; all are uint64, the least byte first.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Final

import numpy as np
from xxhash import xxh3_64, xxh3_64_intdigest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["MemberWriter", "open_member", "write_members"]

_MARK: Final = int.from_bytes(b"members1", "little")
_WORD: Final = "<u8"
_ENTRY: Final = 4
_TAIL: Final = 3
_CHUNK: Final = 1 << 20


class MemberWriter:
    """Writes members one after the other.

    Args:
        file: where to; it is not closed.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._entries: list[tuple[int, int, int, int]] = []
        self._number: int | None = None
        self._start = self._end = 0
        self._check = xxh3_64()

    def begin(self, number: int) -> None:
        """Begin a member, and end the one before; the numbers have to ascend."""
        self._close()
        if self._entries and number <= self._entries[-1][0]:
            raise ValueError(f"member {number} does not come after {self._entries[-1][0]}")
        self._number = number

    def write(self, data: bytes) -> None:
        """Write bytes of the member that was begun last.

        Raises:
            OSError: they cannot be written.
        """
        self._file.write(data)
        self._check.update(data)
        self._end += len(data)

    def finish(self) -> None:
        """End the last member, and write the index.

        Raises:
            OSError: it cannot be written.
        """
        self._close()
        index = np.array(self._entries, dtype=_WORD).tobytes()
        tail = [len(self._entries), xxh3_64_intdigest(index), _MARK]
        self._file.write(index + np.array(tail, dtype=_WORD).tobytes())

    def _close(self) -> None:
        if self._number is not None:
            size = self._end - self._start
            self._entries.append((self._number, self._start, size, self._check.intdigest()))
        self._start = self._end
        self._check.reset()


@contextmanager
def write_members(path: Path) -> Iterator[MemberWriter]:
    """Write a file of members; it is whole when the context ends without an error.

    Raises:
        OSError: it cannot be written.
    """
    with path.open("wb") as file:
        writer = MemberWriter(file)
        yield writer
        writer.finish()


@contextmanager
def open_member(path: Path, number: int) -> Iterator[tuple[IO[bytes], int] | None]:
    """Give the file at the first byte of a member, and the place after its last.

    None is given where there is no member of that number. All bytes of the member were checked.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is damaged.
    """
    with path.open("rb") as file:
        entry = _entry(file, number)
        if entry is None:
            yield None
            return
        _, start, size, check = map(int, entry)
        file.seek(start)
        found, left = xxh3_64(), size
        while left and (data := file.read(min(left, _CHUNK))):
            found.update(data)
            left -= len(data)
        if left or found.intdigest() != check:
            raise ValueError("a checksum in it is another")
        file.seek(start)
        yield file, start + size


def _entry(file: IO[bytes], number: int) -> NDArray[np.uint64] | None:
    size = file.seek(0, os.SEEK_END)
    width = np.dtype(_WORD).itemsize
    tail_start = size - _TAIL * width
    if tail_start < 0:
        raise ValueError("it has no index")
    file.seek(tail_start)
    count, check, mark = map(int, np.frombuffer(file.read(), dtype=_WORD))
    index_start = tail_start - count * _ENTRY * width
    if mark != _MARK or index_start < 0:
        raise ValueError("it has no index")
    file.seek(index_start)
    data = file.read(tail_start - index_start)
    if xxh3_64_intdigest(data) != check:
        raise ValueError("the checksum of its index is another")
    index = np.frombuffer(data, dtype=_WORD).reshape(count, _ENTRY)
    at = int(np.searchsorted(index[:, 0], number))
    if at == count or index[at, 0] != number:
        return None
    entry: NDArray[np.uint64] = index[at]
    return entry
