"""Records of WARC files: plain, in gzip members, or in zstd frames; damage costs what it lies in.

Files that killed crawls leave end within a record, and disks change bytes. A record is given when
all of it was read, with the checksum of its gzip member where it is the last one in it. After
damage, reading continues where the next record begins in what was unpacked; where the file cannot
be unpacked, it continues at its next member.
"""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import IO, Final

from crawler.core.errors import UnreadableInputError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAX_HEAD: Final = 16 << 20
"""Most bytes of a record's headers. The further fields of a page are among them."""

UNPACK_ERRORS: Final = (zlib.error, zstd.ZstdError)
"""What is raised over bytes that cannot be unpacked."""

_GZIP, _ZSTD, _ZSTD_DICTIONARY = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18"
_VERSION: Final = b"WARC/"
_BLANK: Final = b"\r\n\0"  # may stand between records: copies and power cuts leave zeros
_FIRST_LINE: Final = re.compile(rb"WARC/\d+\.\d+[ \t]*\r?\n")
_HEAD_START: Final = re.compile(rb"WARC/\d+\.\d+\r?\n[\w-]+[ \t]*:")
_STATUS_LINE: Final = re.compile(rb"HTTP/\d+(?:\.\d+)?[ \t]+(\d{3})\b[^\n]*(?:\n|\Z)")
_HEAD_END: Final = re.compile(rb"\n\r?\n")
_LENGTH_DIGITS: Final = 18
_SNIFF: Final = 256
_CHUNK: Final = 1 << 18
_PACKED_CHUNK: Final = 1 << 14


@dataclass(frozen=True, slots=True)
class Record:
    """One WARC record.

    Attributes:
        headers: By lower-cased name; of a repeated header the first.
        length: Bytes of its block.
        block: The block; of an HTTP response what follows the HTTP headers. ``None`` where
            ``length`` exceeds the caller's limit.
        status: Status code of an HTTP response; ``None`` where the block does not begin as one.
        http_headers: The headers of an HTTP response in their order, with lower-cased names.
    """

    headers: Mapping[str, str]
    length: int
    block: bytes | None
    status: int | None = None
    http_headers: tuple[tuple[str, str], ...] = ()

    @property
    def type(self) -> str:
        """The record's ``WARC-Type``, lower-cased."""
        return self.headers.get("warc-type", "").lower()

    @property
    def is_http_response(self) -> bool:
        """Whether the block is an HTTP response, by the record's headers."""
        content_type = self.headers.get("content-type", "").lower()
        return self.type == "response" and content_type.startswith("application/http")


class _CutError(Exception):
    """The file ends within a record."""


class _DamageError(Exception):
    """There is no record where one should be, or it has no usable length."""


def read_records(
    file: IO[bytes], *, name: str, max_block: int | None, on_damage: Callable[[str, str], None]
) -> Iterator[Record]:
    """Give the records of a WARC file, one at a time.

    Args:
        file: an open binary file that can seek: plain, gzip members, or zstd frames. The first
            bytes tell which, not the name.
        name: what to call the file in errors.
        max_block: records with a longer block than this many bytes are given without it, and the
            block is never in memory as a whole; ``None`` means no limit.
        on_damage: called with ``truncated`` (the file ends within a record) or ``corrupt`` (a part
            of the file cannot be read; reading continues after it) and a detail.

    Raises:
        OSError: the file cannot be read.
        UnreadableInputError: the file is no WARC file.
    """
    source, read = _Source(file, name), 0
    while True:
        try:
            record = source.record(max_block)
        except _CutError:
            place = source.place
            if not source.go_to_next_member():
                detail = f"the last record is cut off; records read before it: {read}"
                on_damage("truncated", detail)
                return
            on_damage("corrupt", f"a record is cut off, at byte {place}")
        except _DamageError as error:
            on_damage("corrupt", f"{error}, at byte {source.place}")
        except UNPACK_ERRORS as error:
            on_damage("corrupt", f"{error}, at byte {source.place}")
            if not source.go_to_next_member():
                return
        else:
            if record is None:
                return
            read += 1
            yield record


class _Source:
    """A WARC file, unpacked. A plain file counts as one member.

    Attributes:
        place: The byte of the file where the present record, or its member, begins.
    """

    def __init__(self, file: IO[bytes], name: str) -> None:
        self.place = 0
        self._file = file
        self._dictionary: zstd.ZstdDict | None = None
        self._pieces: Iterator[bytes] = iter(())
        # What was unpacked, and how much of it was taken.
        self._data, self._at = b"", 0
        self._is_lost = False
        head, begin = file.read(_SNIFF), 0
        # A file may be cut off within its first bytes, so a beginning of each mark counts as well.
        if head and head[:3] == _GZIP[: len(head)]:
            self._mark, self._member = _GZIP, self._gzip_member
        elif head and head[:4] in {_ZSTD[: len(head)], _ZSTD_DICTIONARY[: len(head)]}:
            self._mark, self._member = _ZSTD, self._zstd_frame
            if head[:4] == _ZSTD_DICTIONARY:
                begin = 8 + int.from_bytes(head[4:8], "little")
                self._dictionary = _read_dictionary(file, begin, name)
        elif not _VERSION.startswith(head.lstrip(_BLANK)[: len(_VERSION)]) or (
            b"\0" in head and _after_blanks(file, 0) is None
        ):
            raise UnreadableInputError(
                f"{name} is no WARC file: it begins neither with 'WARC/' nor as gzip or zstd do."
            )
        else:
            self._mark, self._member = _VERSION, self._plain
        file.seek(begin)

    def record(self, max_block: int | None) -> Record | None:
        """Return the next record; ``None`` at the end of the file."""
        if not (self._find_head() if self._is_lost else self._skip_blanks()):
            return None
        # Until it is read, so that what follows damage is searched for a record.
        self._is_lost = True
        headers = self._head()
        length = headers.get("content-length", "")
        # isdecimal alone would let digits of other scripts through.
        if not (length.isascii() and length.isdecimal() and len(length) <= _LENGTH_DIGITS):
            raise _DamageError(f"a record's Content-Length is {length!r}, which cannot be read")
        record = Record(headers, int(length), None)
        is_kept = max_block is None or record.length <= max_block
        block = b"".join(piece for piece in self._take(record.length) if is_kept)
        # Up to the end of a member, which has its checksum.
        while not self._data[self._at :].strip(_BLANK) and self._fill():
            pass
        self._is_lost = False
        if not is_kept:
            return record
        if record.is_http_response:
            return _http_record(record, block)
        return replace(record, block=block)

    def go_to_next_member(self) -> bool:
        """Go to the next member that begins with a record; False where there is none."""
        for place in _places(self._file, self._mark, self.place + 1):
            self._file.seek(place)
            try:
                start = next(filter(None, self._member()), b"")
            except (_CutError, *UNPACK_ERRORS):
                continue
            if _HEAD_START.match(start.lstrip(_BLANK)):
                self._file.seek(place)
                self._pieces, self._data, self._at, self._is_lost = iter(()), b"", 0, False
                return True
        return False

    # Unpacking

    def _plain(self) -> Iterator[bytes]:
        return iter(partial(self._file.read, _CHUNK), b"")

    def _gzip_member(self) -> Iterator[bytes]:
        member = zlib.decompressobj(wbits=31)
        while not member.eof:
            yield member.decompress(member.unconsumed_tail or self._packed(), _CHUNK)
        self._file.seek(-len(member.unused_data), 1)

    def _zstd_frame(self) -> Iterator[bytes]:
        frame = zstd.ZstdDecompressor(zstd_dict=self._dictionary)
        while not frame.eof:
            yield frame.decompress(self._packed() if frame.needs_input else b"", _CHUNK)
        self._file.seek(-len(frame.unused_data), 1)

    def _packed(self) -> bytes:
        if not (packed := self._file.read(_PACKED_CHUNK)):
            raise _CutError
        return packed

    def _fill(self) -> bool:
        """Put the next bytes of the member in the place of those at hand; False at its end."""
        self._data, self._at = next(filter(None, self._pieces), b""), 0
        return bool(self._data)

    def _fill_on(self) -> bool:
        """Put the next bytes in the place of those at hand; False at the end of the file."""
        while not self._fill():
            place = _after_blanks(self._file, self._file.tell())
            if place is None:
                return False
            self._file.seek(place)
            self.place, self._pieces = place, self._member()
        return True

    # Finding and reading heads

    def _skip_blanks(self) -> bool:
        """Go to the next byte that is not blank; False at the end of the file."""
        while not (rest := self._data[self._at :].lstrip(_BLANK)):
            if not self._fill_on():
                return False
        self._at = len(self._data) - len(rest)
        self._note_place()
        return True

    def _find_head(self) -> bool:
        """Go to the next place where a record seems to begin; False at the end of the file."""
        while not (found := _HEAD_START.search(self._data, self._at)):
            tail = self._data[self._at :][-_SNIFF:]
            if not self._fill_on():
                return False
            self._give_back(tail)
        self._at = found.start()
        self._note_place()
        return True

    def _note_place(self) -> None:
        if self._mark == _VERSION:
            self.place = self._file.tell() - len(self._data) + self._at

    def _head(self) -> dict[str, str]:
        """Take the headers of a record."""
        while not (end := _HEAD_END.search(self._data, self._at)):
            rest = self._data[self._at :]
            is_last = not self._fill_on()
            if is_last and _VERSION.startswith(rest[: len(_VERSION)]):
                raise _CutError
            self._give_back(rest)
            if is_last or len(rest) > MAX_HEAD:
                break
        head = self._data[self._at : end.end() if end else None]
        # Headers that are cut off run on into those of the record behind them.
        following = _FIRST_LINE.search(head, 1)
        if end is None or following or not _FIRST_LINE.match(head):
            self._at += following.start() if following else 1
            raise _DamageError("what is there is no record, or its headers are cut off")
        self._at += len(head)
        return dict(reversed(_fields(head.splitlines()[1:-1])))

    def _give_back(self, data: bytes) -> None:
        self._data, self._at = data + self._data[self._at :], 0

    def _take(self, size: int) -> Iterator[bytes]:
        """Take so many bytes, a piece at a time."""
        while size:
            if self._at == len(self._data) and not self._fill_on():
                raise _CutError
            piece = self._data[self._at : self._at + size]
            self._at += len(piece)
            size -= len(piece)
            yield piece


def _http_record(record: Record, block: bytes) -> Record:
    """Return a record with the HTTP response in its block."""
    status = _STATUS_LINE.match(block)
    if status is None:
        return replace(record, block=block)
    # The empty line may follow the status line at once.
    end = _HEAD_END.search(block, max(0, status.end() - 1))
    head = block[status.end() : end.start() + 1 if end else None]
    fields = tuple(_fields(head.splitlines()))
    body = block[end.end() :] if end else b""
    return replace(record, block=body, status=int(status[1]), http_headers=fields)


def _fields(lines: list[bytes]) -> list[tuple[str, str]]:
    """Read header lines, of which one that begins with a blank continues the one before."""
    fields: list[tuple[str, str]] = []
    for line in lines:
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            # As old crawlers wrote it.
            text = line.decode("latin-1")
        if text[:1] in {" ", "\t"} and fields:
            name, value = fields.pop()
            fields.append((name, f"{value} {text.strip()}"))
        else:
            name, _, value = text.partition(":")
            fields.append((name.strip().lower(), value.strip()))
    return fields


def _read_dictionary(file: IO[bytes], end: int, name: str) -> zstd.ZstdDict:
    """Read the dictionary with which a zstd file begins."""
    file.seek(8)
    stored = file.read(end - 8)
    try:
        return zstd.ZstdDict(zstd.decompress(stored) if stored.startswith(_ZSTD) else stored)
    except (zstd.ZstdError, ValueError) as error:
        raise UnreadableInputError(
            f"{name} cannot be read: its zstd dictionary is damaged ({error}); fetch it anew."
        ) from None


def _after_blanks(file: IO[bytes], place: int) -> int | None:
    """Return the first place that is not blank; ``None`` where the file ends before."""
    file.seek(place)
    while data := file.read(_PACKED_CHUNK):
        if rest := data.lstrip(_BLANK):
            return place + len(data) - len(rest)
        place += len(data)
    return None


def _places(file: IO[bytes], mark: bytes, start: int) -> Iterator[int]:
    """Give the places of some bytes from a place on. The file may be moved in between."""
    while True:
        file.seek(start)
        data = file.read(_CHUNK)
        at = data.find(mark)
        while at >= 0:
            yield start + at
            at = data.find(mark, at + 1)
        if len(data) < _CHUNK:
            return
        # The bytes may stand across the border of two chunks.
        start += len(data) - len(mark) + 1
