"""The bytes of an archive: plain, in gzip members, in zstd frames; found again after damage."""

from __future__ import annotations

import zlib
from importlib import import_module
from typing import IO, Any, Protocol

from crawler.core.errors import UnreadableInputError

__all__ = [
    "DICTIONARY_MAGIC",
    "GZIP_MAGIC",
    "VERSION",
    "ZSTD_MAGIC",
    "DamageError",
    "Members",
    "Source",
    "open_source",
    "zstd_module",
]

VERSION = b"WARC/"  # how the version line begins that heads every record
_CHUNK = 1 << 16  # bytes asked of the file at a time
_STEP = 1 << 20  # most bytes one decompression step may give
GZIP_MAGIC = b"\x1f\x8b\x08"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPABLE_TAIL = b"\x2a\x4d\x18"  # bytes 1 to 3 of a zstd frame that holds no data
# The skippable frame at the start of a .warc.zst that holds its dictionary.
DICTIONARY_MAGIC = b"\x5d\x2a\x4d\x18"


class DamageError(Exception):
    """The stream breaks off (``truncated``) or makes no sense (``corrupt``) at this point."""

    def __init__(self, reason: str, detail: str, *, packed: bool = False) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.packed = packed  # the compression is damaged, not the record inside


class Source(Protocol):
    """Bytes of records, unpacked. ``read`` gives ``b""`` at the end and raises on damage."""

    def read(self) -> bytes:
        """Give some more bytes."""
        ...

    def hunt(self) -> None:
        """After damage, go to the next place where unpacking can begin, or to the end."""
        ...


class _Plain:
    def __init__(self, file: IO[bytes], raw: bytes) -> None:
        self._file = file
        self._raw = raw

    def read(self) -> bytes:
        data, self._raw = self._raw or self._file.read(_CHUNK), b""
        return data

    def hunt(self) -> None:
        """Nothing is packed, so nothing to unpack anew."""


class Members:
    """Gzip members or zstd frames, one after the other."""

    name = "gzip member"
    errors: tuple[type[Exception], ...] = (zlib.error,)

    def __init__(self, file: IO[bytes], raw: bytes) -> None:
        self._file = file
        self._raw = raw
        self._member: Any = None  # a decompressor of zlib or of the zstd module

    def read(self) -> bytes:
        """Give some more unpacked bytes, of one member after the other."""
        while self._member is not None or self._begin():
            if data := self._step():
                return data
        return b""

    def next_offset(self) -> int | None:
        """Where in the file the next whole member begins; ``None`` when there is none."""
        if not self._begin():
            return None
        offset = self._file.tell() - len(self._raw)
        while self._member is not None:
            self._step()
        return offset

    def _step(self) -> bytes:
        """Unpack a little more of the member begun."""
        ended = not self._raw and not self._more()
        try:
            data: bytes = self._member.decompress(self._raw, _STEP)
        except self.errors as error:
            raise DamageError("corrupt", f"damaged {self.name} ({error})", packed=True) from None
        if self._member.eof:
            self._raw = self._member.unused_data
            self._member = None
        elif ended and not data:
            raise DamageError("truncated", f"the last {self.name} is cut off", packed=True)
        else:
            self._raw = self._left()
        return data

    def hunt(self) -> None:
        """Go to the next bytes that look like the start of a member."""
        self._member = None
        start = 1  # what stands at 0 is what failed
        while True:
            at = self._raw.find(self._magic(), start)
            if at >= 0:
                self._raw = self._raw[at:]
                return
            start = 0
            self._raw = self._raw[-3:]
            if not self._more():
                self._raw = b""
                return

    def _begin(self) -> bool:
        """Start on the next member; ``False`` when there is none."""
        self._raw = self._raw.lstrip(b"\0")  # tapes, copies and power cuts leave zeros
        while len(self._raw) < len(ZSTD_MAGIC) and self._more():
            self._raw = self._raw.lstrip(b"\0")
        if not self._raw:
            return False
        if not self._is_start(self._raw):
            if self._magic().startswith(self._raw):
                raise DamageError("truncated", f"the last {self.name} is cut off", packed=True)
            raise DamageError("corrupt", f"no {self.name} where one should begin", packed=True)
        self._member = self._new()
        return True

    def _more(self) -> bool:
        data = self._file.read(_CHUNK)
        self._raw += data
        return bool(data)

    def _left(self) -> bytes:
        return self._member.unconsumed_tail  # type: ignore[no-any-return]  # untyped, as above

    def _magic(self) -> bytes:
        return GZIP_MAGIC

    def _is_start(self, raw: bytes) -> bool:
        return raw.startswith(GZIP_MAGIC)

    def _new(self) -> Any:  # noqa: ANN401 - the two kinds of decompressor have no common base
        return zlib.decompressobj(wbits=31)


class _Frames(Members):
    name = "zstd frame"

    def __init__(self, file: IO[bytes], raw: bytes, path: str) -> None:
        super().__init__(file, raw)
        self._zstd = zstd_module()
        if self._zstd is None:
            raise UnreadableInputError(
                f"{path} is compressed with zstd: install the package backports.zstd to read it."
            )
        self.errors = (self._zstd.ZstdError,)
        self._dictionary = self._read_dictionary(path)

    def _read_dictionary(self, path: str) -> Any:  # noqa: ANN401 - a type of an optional module
        while len(self._raw) < 8 and self._more():  # noqa: PLR2004 - magic and size, 4 bytes each
            pass
        if not self._raw.startswith(DICTIONARY_MAGIC):
            return None
        size = 8 + int.from_bytes(self._raw[4:8], "little")
        while len(self._raw) < size and self._more():
            pass
        content, self._raw = self._raw[8:size], self._raw[size:]
        try:
            if content.startswith(ZSTD_MAGIC):
                content = self._zstd.decompress(content)
            return self._zstd.ZstdDict(content)
        except (self._zstd.ZstdError, ValueError) as error:
            raise UnreadableInputError(
                f"{path} cannot be read: its zstd dictionary is damaged ({error}). Fetch it anew."
            ) from None

    def _left(self) -> bytes:
        return b""  # the decompressor keeps what it has not used

    def _magic(self) -> bytes:
        return ZSTD_MAGIC

    def _is_start(self, raw: bytes) -> bool:
        return raw.startswith(ZSTD_MAGIC) or raw[1:4] == _SKIPPABLE_TAIL

    def _new(self) -> Any:  # noqa: ANN401 - see above
        return self._zstd.ZstdDecompressor(zstd_dict=self._dictionary)


def open_source(file: IO[bytes], name: str) -> Source:
    """Begin to unpack an open file; what it is is seen by its first bytes.

    ``name`` is what to call it in errors.

    Raises:
        UnreadableInputError: it is no WARC file, or needs a module that is not installed.
    """
    raw = file.read(_CHUNK)
    # A file may be cut off within its first bytes, so a beginning of each mark counts as well.
    if not raw or (raw.lstrip(b"\r\n") or VERSION).startswith(VERSION) or VERSION.startswith(raw):
        return _Plain(file, raw)
    if raw.startswith(GZIP_MAGIC) or GZIP_MAGIC.startswith(raw):
        return Members(file, raw)
    if raw.startswith((ZSTD_MAGIC, DICTIONARY_MAGIC)) or ZSTD_MAGIC.startswith(raw):
        return _Frames(file, raw, name)
    raise UnreadableInputError(
        f"{name} is no WARC file: it begins neither with 'WARC/' nor as gzip or zstd do."
    )


def zstd_module() -> Any:  # noqa: ANN401 - an optional module, or None
    """The module that reads zstd: Python's own from 3.14 on, else its backport, else ``None``."""
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return import_module(name)
        except ImportError:
            continue
    return None
