"""Records of WARC files, read with FastWARC; reading continues after damaged places.

FastWARC stops at the first damaged place and gives a record that is cut off as if it were whole.
Files that killed crawls leave are like that. So this module compares the length of each record with
its headers, and after damage it continues at the next place where a record begins.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Any, Final

from fastwarc.stream_io import GzipReader, ZstdReader
from fastwarc.warc import ArchiveIterator, WarcHeader

from crawler.core.errors import UnreadableInputError

if TYPE_CHECKING:
    from fastwarc.stream_io import WarcReader
    from fastwarc.warc import WarcRecord

MAX_HEAD: Final = 16 << 20
"""Most bytes of a record's headers. The further fields of a page are among them."""

_VERSION = b"WARC/"
_GZIP, _ZSTD, _ZSTD_DICTIONARY = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18"
_BLANK = b"\r\n\0"  # may stand between records: copies and power cuts leave zeros
_HEAD_START = re.compile(rb"WARC/\d+\.\d+\r?\n[\w-]+[ \t]*:")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_LENGTH = "Content-Length"
_ANY_LENGTH = re.compile(rb"^(content-length)[ \t]*:[ \t]*(\d*)", re.IGNORECASE | re.MULTILINE)
_LENGTH_DIGITS = 18
_SNIFF = 256
_CHUNK = 1 << 20
_CUT_OFF = "the last record is cut off; records read before it: {}"


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
    """The file ends within the block of a record."""


class _LengthError(Exception):
    """A record has no usable length."""


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
    source = _Source(file, name)
    read, continues = 0, True
    while continues:
        try:
            for record in source.records(max_block):
                read += 1
                yield record
        except _CutError:
            reason, detail, continues = "truncated", _CUT_OFF.format(read), False
        except (_LengthError, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # the file itself cannot be read
            reason, continues = source.resume(error)
            detail = f"{error}, at byte {source.place}"
        else:
            reason, continues = "truncated" if source.ends_early() else "", False
            detail = _CUT_OFF.format(read)
        if reason:
            on_damage(reason, detail)


class _RecasedHeads:
    """A WARC file, unpacked, with ``Content-Length`` spelled as FastWARC knows it.

    It is slower than the file, and never reads further than was asked or a record's headers reach.
    """

    def __init__(self, inner: IO[bytes] | WarcReader) -> None:
        self.tell = inner.tell
        self._inner = inner
        self._head = b""
        self._left = 0  # bytes of the block

    def read(self, size: int) -> bytes:
        """Give at most so many bytes; none at the end."""
        if self._left and not self._head:
            data = self._inner.read(min(size, self._left))
            self._left -= len(data)
            return data
        head = self._head or self._read_head()
        self._head = head[size:]
        return head[:size]

    def _read_head(self) -> bytes:
        head = bytearray()
        while not head.endswith((b"\n\r\n", b"\n\n")) and len(head) < MAX_HEAD:
            if not (byte := self._inner.read(1)):
                break
            head += byte
        if head.lstrip(_BLANK).startswith(_VERSION) and (found := _ANY_LENGTH.search(head)):
            head[slice(*found.span(1))] = _LENGTH.encode()
            self._left = int(found[2][:_LENGTH_DIGITS] or b"0")
        return bytes(head)


class _Source:
    """A WARC file as FastWARC reads it, and where reading continues after damage.

    Attributes:
        place: The byte of the file where reading began, or stopped at damage.
    """

    def __init__(self, file: IO[bytes], name: str) -> None:
        self.place = 0
        self._file = file
        self._packed: GzipReader | ZstdReader | None = None
        self._mark = _VERSION
        self._last: int | None = None  # where the last record, or its gzip member, begins
        self._length = 0
        self._in_member = 0  # records read of that gzip member
        self._skip = 0
        self._recases = False
        self._size = file.seek(0, 2)
        file.seek(0)
        head = file.read(_SNIFF)
        file.seek(0)
        # A file may be cut off within its first bytes, so a beginning of each mark counts as well.
        if head and head[:3] == _GZIP[: len(head)]:
            self._packed, self._mark = GzipReader(file), _GZIP
        elif head and head[:4] in {_ZSTD[: len(head)], _ZSTD_DICTIONARY[: len(head)]}:
            self._packed, self._mark = ZstdReader(file), _ZSTD
        elif not _VERSION.startswith(head.lstrip(_BLANK)[: len(_VERSION)]) or (
            b"\0" in head and self._after_blanks(0) is None
        ):
            raise UnreadableInputError(
                f"{name} is no WARC file: it begins neither with 'WARC/' nor as gzip or zstd do."
            )
        self._lenient = self._has_short_line_ends(name)

    def _has_short_line_ends(self, name: str) -> bool:
        """Say whether lines end without a carriage return.

        FastWARC has to be told of that. It then passes over whatever is between records without an
        error, so this is not the rule.
        """
        try:
            line, end, _ = self._unpack(0).partition(b"\n")
        except OSError as error:
            if error.errno is not None:
                raise
            if "ictionary" in str(error):
                raise UnreadableInputError(
                    f"{name} cannot be read: {error} Its zstd dictionary is damaged; fetch it anew."
                ) from None
            return False
        finally:
            self._jump(0)
        return bool(end) and not line.endswith(b"\r")

    def records(self, max_block: int | None) -> Iterator[Record]:
        """Give the records from the present place on."""
        yield from self._records(max_block)
        # FastWARC takes an empty member for the end of the file.
        while self._packed and (place := self._packed.inner_tell()) < self._size:
            yield from self._records(max_block)
            if self._packed.inner_tell() <= place:
                return

    def _records(self, max_block: int | None) -> Iterator[Record]:
        stream: Any = self._packed or self._file
        if self._recases:
            stream = _RecasedHeads(stream)
        found: WarcRecord
        for found in ArchiveIterator(
            stream,
            parse_http=False,
            stream_detect=False,
            max_header_len=MAX_HEAD,
            quirks_mode=self._lenient,
        ):
            begin = self._stopped_at() if self._packed else found.stream_pos
            self._in_member = self._in_member + 1 if begin == self._last else 1
            self._last, self._length = begin, 0
            if self._skip:
                self._skip -= 1
                continue
            if not self._recases and _hides_length(found):
                self._skip, self._recases = self._in_member - 1, True
                self._jump(begin)
                yield from self._records(max_block)
                return
            record = _record(found, max_block)
            self._length = record.length
            yield record
            if record.block is None and found.consume() < record.length:
                raise _CutError

    def ends_early(self) -> bool:
        """Say whether the file ends within a record, where FastWARC met no error.

        That happens where the headers of a record in a gzip member are cut off.
        """
        if not isinstance(self._packed, GzipReader):
            return False
        member = self._stopped_at()
        if member != self._last or self._in_member == 1:
            return self._after_blanks(member) is not None and self._is_cut_within(member)
        if member:
            return False
        # All records are in one member, which says at its end how long it is.
        self._file.seek(-4, 2)
        return int.from_bytes(self._file.read(4), "little") != self._packed.tell() % 2**32

    def resume(self, error: Exception) -> tuple[str, bool]:
        """Go to the next record after an error.

        Returns:
            ``truncated``, ``corrupt``, or an empty text where nothing but blanks was passed over;
            and whether there is more to read.
        """
        self.place = self._stopped_at()
        is_length = isinstance(error, _LengthError)
        within = self._next_in_head() if is_length else None
        start = within - 1 if within else self._after_blanks(self.place)
        if start is None:
            return "corrupt" if is_length else "", False
        if start > self.place and self._begins_record(start):
            self._jump(start)
            return "", True
        for place in _places(self._file, self._mark, start + 1):
            if self._begins_record(place):
                self._jump(place)
                return "corrupt", True
        if "incomplete" in str(error) or self._is_cut_within(start):
            return "truncated", False
        if self._packed is None or self._lenient:
            return "corrupt", False
        # What is damaged may be a record among others in one member.
        self._jump(self.place)
        self._lenient, self._skip = True, self._in_member
        return "corrupt", True

    def _jump(self, place: int) -> None:
        self._last = None
        if self._packed:
            self._packed.inner_seek(place)
        else:
            self.place = place
            self._file.seek(place)

    def _unpack(self, place: int) -> bytes:
        """Return what the records from a place on begin with."""
        self._jump(place)
        return (self._packed or self._file).read(_SNIFF).lstrip(_BLANK)

    def _stopped_at(self) -> int:
        """Return where the present gzip member begins; without, where the next record should."""
        if self._packed:
            return self._packed.frame_start_position() or 0
        if self._last is None:
            return self.place
        self._file.seek(self._last)
        head = _HEAD_END.search(self._file.read(MAX_HEAD))
        return self._last + (head.end() + self._length if head else 0)

    def _next_in_head(self) -> int | None:
        """Return where the headers of the last record, which are cut off, become the next's."""
        if self._packed or self._last is None:
            return None
        start = self._last + 1
        self._file.seek(start)
        found = _HEAD_START.search(self._file.read(self.place - start))
        return start + found.start() if found else None

    def _after_blanks(self, place: int) -> int | None:
        """Return the first place that is not blank; ``None`` where the file ends before."""
        self._file.seek(place)
        while data := self._file.read(_CHUNK):
            if rest := data.lstrip(_BLANK):
                return place + len(data) - len(rest)
            place += len(data)
        return None

    def _begins_record(self, place: int) -> bool:
        if not self._packed:
            self._file.seek(place - 1)
            data = self._file.read(_SNIFF)
            # Before the first record that was appended to a cut file stands anything.
            return data[:1] in _BLANK or _HEAD_START.match(data, 1) is not None
        try:
            return self._unpack(place).startswith(_VERSION)
        except OSError as error:
            if error.errno is not None:
                raise
            return False

    def _is_cut_within(self, place: int) -> bool:
        """Say whether the file ends within the record or gzip member that begins at a place."""
        self._file.seek(place)
        if self._packed is None:
            rest = self._file.read(MAX_HEAD)
            return _VERSION.startswith(rest[: len(_VERSION)]) and not _HEAD_END.search(rest)
        member = zlib.decompressobj(wbits=31)
        try:
            while not member.eof and (data := member.unconsumed_tail or self._file.read(_CHUNK)):
                member.decompress(data, _CHUNK)
        except zlib.error:
            return False
        return not member.eof


def _hides_length(found: WarcRecord) -> bool:
    """Say whether a record has a length that FastWARC 2.0 does not see, by its spelling."""
    if found.content_length:
        return False
    names = found.headers.keys()
    return _LENGTH not in names and _LENGTH.lower() in map(str.lower, names)


def _record(found: WarcRecord, max_block: int | None) -> Record:
    """Read a record.

    Raises:
        _CutError: the file ends within it.
        _LengthError: it has no usable length.
    """
    headers: dict[str, str] = {}
    for key, value in found.headers.to_tuples():
        headers.setdefault(key.lower(), value)
    if "\ufffd" in headers.get("warc-target-uri", ""):
        # Not UTF-8, as old crawlers wrote it.
        address = found.headers.get_bytes(WarcHeader.WARC_TARGET_URI) or b""
        headers["warc-target-uri"] = address.decode("latin-1")
    length = headers.get("content-length", "")
    # isdecimal alone would let digits of other scripts through.
    sound = length.isascii() and length.isdecimal() and len(length) <= _LENGTH_DIGITS
    if not sound or found.content_length != int(length):
        raise _LengthError(f"a record's Content-Length is {length!r}, which cannot be read")
    record = Record(headers, int(length), None)
    if max_block is not None and record.length > max_block:
        return record
    if record.is_http_response:
        found.is_http = True  # FastWARC knows the content type in lower case alone
        found.parse_http(max_header_len=MAX_HEAD, quirks_mode=True)
    http = found.http_headers if record.is_http_response else None
    left = found.content_length
    block = found.reader.read()
    if len(block) < left:
        raise _CutError
    if http is None:
        return replace(record, block=block)
    lines = tuple((key.lower(), value) for key, value in http.to_tuples())
    return replace(record, block=block, status=http.status_code, http_headers=lines)


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
