"""Archives cut into stretches that can be read apart, where they are packed record by record.

Where a record begins is guessed: at bytes that look like the start of a member and unpack to the
head of a record. A guess may be wrong, since a page may hold an archive, and damage may hide the
place from who comes from before. But then the stretch before it ends within a record, or in a
damaged place, which reading it tells. So whoever reads stretches joins such a one with the next,
and a file has been cut well where every stretch ends between records: together they give what the
file gives as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import IO, TYPE_CHECKING

from crawler.core.errors import UnreadableInputError
from crawler.store.archive import pages_in
from crawler.store.unpack import (
    DICTIONARY_MAGIC,
    GZIP_MAGIC,
    VERSION,
    ZSTD_MAGIC,
    DamageError,
    open_source,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from crawler.core.page.page import Page

__all__ = ["Stretch", "cuts_of", "read_stretch"]

_CHUNK = 1 << 20
# What is found again after damage depends on the pieces that are read. As where a file is read from
# its beginning, they end at multiples of the bytes that unpacking asks for at a time.
_PIECE = 1 << 16
# Where no record begins in so many bytes, the file is not packed record by record, or has a record
# of that size: there is no cut there.
_LOOK = 16 << 20
_PROBE = 1 << 16  # packed bytes that the head of a record begins in
_MOST_PROBES = 64  # bytes that only look like the start of a member
_DICTIONARY_HEAD = 8  # magic and size, 4 bytes each
_MAGICS = (GZIP_MAGIC, ZSTD_MAGIC)
# What is told last of a stretch within a record, or where the next record was still looked for.
_OPEN = frozenset({"truncated", "corrupt"})


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of an archive.

    ``path``
        The archive.
    ``start``, ``end``
        The bytes of it, the end exclusive.
    """

    path: Path
    start: int
    end: int


class _Window:
    """Some spans of a file, read piece by piece as if they were one file."""

    def __init__(self, file: IO[bytes], spans: list[tuple[int, int]]) -> None:
        self._file = file
        self._all = [span for span in spans if span[0] < span[1]]
        self.seek(0)

    def seek(self, place: int, whence: int = 0, /) -> int:
        if whence:
            place += sum(end - start for start, end in self._all)
        self._spans = list(self._all)
        while self._spans and place >= self._spans[0][1] - self._spans[0][0]:
            start, end = self._spans.pop(0)
            place -= end - start
        self._at = self._spans[0][0] + place if self._spans else 0
        return self.tell()

    def tell(self) -> int:
        done = self._all[: len(self._all) - len(self._spans)]
        here = self._at - self._spans[0][0] if self._spans else 0
        return sum(end - start for start, end in done) + here

    def read(self, size: int = -1, /) -> bytes:
        while self._spans:
            _, end = self._spans[0]
            wanted = min(end - self._at, _PIECE - self._at % _PIECE)
            if size >= 0:
                wanted = min(wanted, size)
            if wanted:
                self._file.seek(self._at)
                data = self._file.read(wanted)
                self._at += len(data)
                if data:
                    return data
            # The span has been read, or the file is shorter than it was.
            del self._spans[0]
            if self._spans:
                self._at = self._spans[0][0]
        return b""


def cuts_of(path: Path, size: int, every: int) -> list[int]:
    """Return where an archive can be cut.

    A file whose records are packed together, and one that is no archive, is one stretch.

    Args:
        path: the archive.
        size: its size in bytes.
        every: bytes of a stretch, at least.

    Returns:
        Where the stretches begin, ascending, the first at 0.

    Raises:
        UnreadableInputError: it cannot be opened.
    """
    cuts = [0]
    try:
        with path.open("rb") as file:
            if not _is_archive(file, str(path)):
                return cuts
            preface = _preface(file)
            target = max(every, preface + 1)
            while target < size:
                cut = _next_start(file, str(path), preface, target)
                if cut is not None:
                    cuts.append(cut)
                target = (target if cut is None else cut) + every
    except OSError as error:
        raise UnreadableInputError(
            f"{path} cannot be read: {error.strerror or error}. Check the path."
        ) from error
    return cuts


def read_stretch(
    stretch: Stretch,
    *,
    on_skip: Callable[[str, str], None],
    max_bytes: int,
    on_open: Callable[[], None] = lambda: None,
) -> Iterator[Page]:
    """Give the pages of a part of an archive; see :func:`crawler.store.archive.read_pages`.

    Args:
        stretch: the part.
        on_skip: called with a reason and a detail for whatever else is left out.
        max_bytes: records and decoded pages larger than this are left out.
        on_open: called where the stretch does not end between two records, as far as can be told:
            what follows it may have to be read together with it.

    Raises:
        UnreadableInputError: the archive cannot be opened or is none.
    """
    try:
        with stretch.path.open("rb") as file:
            spans = [(stretch.start, stretch.end)]
            if stretch.start:
                spans.insert(0, (0, _preface(file)))
            window: IO[bytes] = _Window(file, spans)  # type: ignore[assignment]  # it is only read
            last = ""

            def note(reason: str, detail: str) -> None:
                nonlocal last
                last = reason
                on_skip(reason, detail)

            name = str(stretch.path)
            for page in pages_in(window, name, on_skip=note, max_bytes=max_bytes):
                last = ""
                yield page
            if last in _OPEN:
                on_open()
    except OSError as error:
        raise UnreadableInputError(
            f"{stretch.path} cannot be read: {error.strerror or error}. Check the path."
        ) from error


def _is_archive(file: IO[bytes], name: str) -> bool:
    try:
        open_source(file, name)
    except UnreadableInputError:
        return False
    return True


def _preface(file: IO[bytes]) -> int:
    """Return the length of what all stretches need: the dictionary of zstd frames, or nothing."""
    file.seek(0)
    head = file.read(_DICTIONARY_HEAD)
    if len(head) < _DICTIONARY_HEAD or not head.startswith(DICTIONARY_MAGIC):
        return 0
    return _DICTIONARY_HEAD + int.from_bytes(head[4:], "little")


def _next_start(file: IO[bytes], name: str, preface: int, target: int) -> int | None:
    """Return where the first record at or after a place begins, None where none is found."""
    file.seek(0)
    head = file.read(len(ZSTD_MAGIC))
    if head.startswith(DICTIONARY_MAGIC):
        head = ZSTD_MAGIC
    mark = next((magic for magic in _MAGICS if head.startswith(magic)), b"\n" + VERSION)
    # A plain record begins behind the line end that is looked for with it.
    ahead = 1 if mark.endswith(VERSION) else 0
    starts = (place + ahead for place in _places(file, mark, target - ahead))
    probed = islice(starts, _MOST_PROBES)
    return next((start for start in probed if _is_record(file, name, preface, start)), None)


def _places(file: IO[bytes], mark: bytes, start: int) -> Iterator[int]:
    """Go through the places of some bytes, as far as is looked."""
    data, base = b"", start
    while base < start + _LOOK:
        file.seek(base + len(data))
        more = file.read(_CHUNK)
        if not more:
            return
        data += more
        at = data.find(mark)
        while at >= 0:
            yield base + at
            at = data.find(mark, at + 1)
        # The bytes may stand across the next piece's beginning.
        kept = data[-(len(mark) - 1) :]
        base += len(data) - len(kept)
        data = kept


def _is_record(file: IO[bytes], name: str, preface: int, start: int) -> bool:
    window: IO[bytes] = _Window(file, [(0, preface), (start, start + _PROBE)])  # type: ignore[assignment]  # it is only read
    found = b""
    try:
        source = open_source(window, name)
        while len(found) < len(VERSION) and (data := source.read()):
            found += data
    except (DamageError, UnreadableInputError):
        return False
    return found.startswith(VERSION)
