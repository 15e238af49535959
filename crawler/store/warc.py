"""WARC records from a file, however it is packed and however it is hurt.

The format is small: a version line, headers, a block of ``Content-Length`` bytes, a blank line.
What matters here is what happens when a file is cut or damaged, because that is the state in which
a killed crawl leaves one: every whole record is given, the damage is reported once, and reading
goes on at the next record that can be found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from crawler.store.unpack import VERSION, DamageError, Members, open_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from crawler.store.unpack import Source

__all__ = ["MAX_HEAD", "Record", "header_lines", "headers_of", "member_offsets", "read_records"]

MAX_HEAD = 16 << 20  # bytes; longest head of a record (fields of a page travel in it)


@dataclass(frozen=True, slots=True)
class Record:
    """One WARC record.

    ``headers`` has lower-cased names; of a repeated header the first counts. ``length`` is the
    length of the block in bytes; ``block`` is ``None`` where that exceeds the caller's limit.
    """

    headers: Mapping[str, str]
    length: int
    block: bytes | None

    @property
    def type(self) -> str:
        """The record's ``WARC-Type``, lower-cased."""
        return self.headers.get("warc-type", "").lower()


class _Framer:
    """Cuts a source into heads and blocks."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._data = bytearray()

    def head(self) -> bytes | None:
        """The next record's head without its blank line; ``None`` at the end of the file."""
        if not self._begin():
            return None
        searched = 0
        while True:
            for blank in (b"\r\n\r\n", b"\n\n"):
                at = self._data.find(blank, searched)
                if at >= 0:
                    head = bytes(self._data[:at])
                    del self._data[: at + len(blank)]
                    return head
            searched = max(0, len(self._data) - 3)
            if len(self._data) > MAX_HEAD:
                raise DamageError("corrupt", f"a record's head is longer than {MAX_HEAD} bytes")
            if not self._fill():
                raise DamageError("truncated", "the last record is cut off in its head")

    def _begin(self) -> bool:
        """Go past blank lines to a version line; ``False`` when there is none before the end."""
        while True:
            blank = 0
            while blank < len(self._data) and self._data[blank] in b"\r\n":
                blank += 1
            del self._data[:blank]
            if self._data:
                break
            if not self._fill():
                return False
        while len(self._data) < len(VERSION) and self._fill():
            pass
        if self._data.startswith(VERSION):
            return True
        if VERSION.startswith(self._data):
            raise DamageError("truncated", "the last record is cut off in its version line")
        raise DamageError("corrupt", f"no record where one should begin: {self._sight()}")

    def take(self, length: int) -> bytes:
        """The next ``length`` bytes."""
        while len(self._data) < length:
            if not self._fill():
                raise DamageError(
                    "truncated",
                    f"the last record has {len(self._data)} bytes of {length}",
                )
        taken = bytes(memoryview(self._data)[:length])
        del self._data[:length]
        return taken

    def skip(self, length: int) -> None:
        """Pass over ``length`` bytes without keeping them."""
        while length > len(self._data):
            length -= len(self._data)
            self._data.clear()
            if not self._fill():
                raise DamageError("truncated", "the last record is cut off in its block")
        del self._data[:length]

    def find_record(self, damage: DamageError) -> None:
        """After damage, go to the next version line, or to the end."""
        if damage.packed:
            self._data.clear()
            self._source.hunt()
            return
        start = 0
        while True:
            at = self._data.find(b"\n" + VERSION, start)
            if at >= 0:
                del self._data[: at + 1]
                return
            del self._data[: -len(VERSION)]
            if not self._fill():
                self._data.clear()
                return

    def _fill(self) -> bool:
        data = self._source.read()
        self._data += data
        return bool(data)

    def _sight(self) -> str:
        return repr(bytes(self._data[:32]))


def read_records(
    file: IO[bytes], *, name: str, max_block: int | None, on_damage: Callable[[str, str], None]
) -> Iterator[Record]:
    """Give the records of a WARC file, one at a time.

    Args:
        file: an open binary file: plain, or packed as gzip members or zstd frames. What it is is
            seen by its first bytes, not by its name.
        name: what to call the file in errors.
        max_block: records with a longer block than this many bytes are given without it, and the
            block is never held whole; ``None`` means no limit.
        on_damage: called with ``truncated`` (the file breaks off; nothing follows) or ``corrupt``
            (a stretch makes no sense; reading goes on after it) and a detail.

    Raises:
        UnreadableInputError: the file is no WARC file, or needs a module that is not installed.
    """
    framer = _Framer(open_source(file, name))
    damage: DamageError | None = None
    while True:
        try:
            if damage is not None:
                last, damage = damage, None
                framer.find_record(last)
            head = framer.head()
            if head is None:
                return
            headers = headers_of(head)
            length = _length(headers)
            if max_block is not None and length > max_block:
                yield Record(headers, length, None)
                framer.skip(length)
            else:
                yield Record(headers, length, framer.take(length))
        except DamageError as error:
            on_damage(error.reason, error.detail)
            if error.reason == "truncated":
                return
            damage = error


def member_offsets(file: IO[bytes], *, on_damage: Callable[[str, str], None]) -> Iterator[int]:
    """Give the offset of each whole gzip member of an open file, reading it through.

    ``on_damage`` is called as in :func:`read_records`; damaged members have no offset.
    """
    members = Members(file, b"")
    while True:
        try:
            offset = members.next_offset()
        except DamageError as error:
            on_damage(error.reason, error.detail)
            if error.reason == "truncated":
                return
            members.hunt()
        else:
            if offset is None:
                return
            yield offset


def headers_of(head: bytes) -> dict[str, str]:
    """Read the headers below a first line (of a WARC or an HTTP head).

    As :func:`header_lines` reads them; the first of a repeated header counts.
    """
    headers: dict[str, str] = {}
    for name, value in header_lines(head):
        headers.setdefault(name, value)
    return headers


def header_lines(head: bytes) -> list[tuple[str, str]]:
    """Read the header lines below a first line in their order, repeated headers among them.

    Names come back lower-cased; a line that begins with a blank continues the one before; bytes
    that are not UTF-8 are read as Latin-1.
    """
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError:
        text = head.decode("latin-1")
    found: list[tuple[str, list[str]]] = []
    is_open = False
    # Not splitlines(): it would also break a value at the other line ends Unicode knows.
    for line in text.replace("\r\n", "\n").split("\n")[1:]:
        if line[:1] in {" ", "\t"} and is_open:
            found[-1][1].append(line.strip())
            continue
        key, colon, value = line.partition(":")
        name = key.strip().lower() if colon else ""
        is_open = bool(name)
        if is_open:
            found.append((name, [value.strip(" \t")]))
    return [(name, " ".join(pieces)) for name, pieces in found]


def _length(headers: Mapping[str, str]) -> int:
    text = headers.get("content-length", "")
    # isdecimal alone would let digits of other scripts through.
    if not (text.isascii() and text.isdecimal()):
        raise DamageError("corrupt", f"a record's Content-Length is {text!r}, not a number")
    return int(text)
