"""The page inside an archived HTTP answer: its head read, its encodings undone."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from crawler.store.unpack import zstd_module
from crawler.store.warc import header_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Answer", "PayloadError", "split_http", "undo_encodings"]

_GZIP_MAGIC = b"\x1f\x8b"
_SNIFF = 1024  # bytes looked at to tell markup from packed bytes


class PayloadError(Exception):
    """The payload cannot be had; ``reason`` is the slug it is counted under."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Answer:
    """An archived HTTP answer.

    ``status``
        Its status code.
    ``lines``
        Its headers in their order, names lower-cased; some names stand several times.
    ``payload``
        What follows the headers, encoded as they say.
    """

    status: int
    lines: tuple[tuple[str, str], ...]
    payload: bytes

    @property
    def headers(self) -> dict[str, str]:
        """Its headers by name, of repeated ones the first."""
        return dict(reversed(self.lines))

    def all_of(self, name: str) -> tuple[str, ...]:
        """All values of the headers of a name."""
        return tuple(value for each, value in self.lines if each == name)


def split_http(block: bytes) -> Answer:
    """Split an archived HTTP answer into status, headers and payload.

    Raises:
        PayloadError: ``malformed``, the block does not begin with an HTTP status line.
    """
    ends = [(at, len(b)) for b in (b"\r\n\r\n", b"\n\n") if (at := block.find(b)) >= 0]
    at, blank = min(ends, default=(len(block), 0))
    first = block[:at].split(b"\n", 1)[0].split(None, 2)
    if len(first) < 2 or not first[0].startswith(b"HTTP/") or not first[1].isdigit():  # noqa: PLR2004 - version and status
        raise PayloadError("malformed", "the block does not begin with an HTTP status line")
    return Answer(int(first[1]), tuple(header_lines(block[:at])), block[at + blank :])


def undo_encodings(payload: bytes, headers: Mapping[str, str], *, max_bytes: int) -> bytes:
    """Undo ``Transfer-Encoding`` and ``Content-Encoding``.

    Crawlers often store a page decoded and its headers as sent; a payload that is not encoded as
    its headers claim but looks like markup is taken as it stands. Of an encoded payload that
    breaks off, what can be decoded is given, as a browser shows it.

    Raises:
        PayloadError: ``too-large``, more than ``max_bytes`` decoded; ``undecodable``, the payload
            is damaged, or its encoding is unknown or needs a package that is not installed.
    """
    if "chunked" in headers.get("transfer-encoding", "").lower():
        payload = _dechunk(payload)
    names = [n.strip().lower() for n in headers.get("content-encoding", "").split(",")]
    for name in reversed(names):
        if not payload or name in {"", "identity", "none"}:
            continue
        try:
            payload = _decode(name, payload, max_bytes)
        except PayloadError as error:
            if error.reason != "undecodable" or not _is_markup(payload):
                raise
    if len(payload) > max_bytes:
        raise PayloadError("too-large", f"more than {max_bytes} bytes")
    return payload


def _is_markup(payload: bytes) -> bool:
    start = payload[:_SNIFF]
    return b"<" in start and b"\0" not in start


def _dechunk(payload: bytes) -> bytes:
    parts: list[bytes] = []
    at = 0
    while at < len(payload):
        end = payload.find(b"\n", at)
        size_text = payload[at : end if end >= 0 else len(payload)].split(b";")[0].strip()
        try:
            size = int(size_text, 16)
        except ValueError:
            size = -1
        if size < 0:
            # Not chunked at all, or not any more: take the rest for what it is.
            parts.append(payload[at:])
            break
        if size == 0 or end < 0:
            break
        parts.append(payload[end + 1 : end + 1 + size])
        at = end + 1 + size
        if payload[at : at + 2] == b"\r\n":
            at += 2
        elif payload[at : at + 1] == b"\n":
            at += 1
    return b"".join(parts)


def _decode(name: str, payload: bytes, max_bytes: int) -> bytes:
    match name.removeprefix("x-"):
        case "gzip":
            if not payload.startswith(_GZIP_MAGIC):
                raise PayloadError("undecodable", "it is not gzip, as its headers claim")
            return _inflate(payload, 31, max_bytes)
        case "deflate":
            try:
                return _inflate(payload, zlib.MAX_WBITS, max_bytes)
            except PayloadError as error:
                if error.reason != "undecodable":
                    raise
                # Many servers send the bare stream, without the zlib wrapper the name stands for.
                return _inflate(payload, -zlib.MAX_WBITS, max_bytes)
        case "br":
            return _unbrotli(payload, max_bytes)
        case "zstd":
            return _unzstd(payload, max_bytes)
        case _:
            raise PayloadError("undecodable", f"unknown Content-Encoding {name!r}")


def _inflate(payload: bytes, wbits: int, max_bytes: int) -> bytes:
    out = b""
    rest = payload
    while rest and len(out) <= max_bytes:
        decoder = zlib.decompressobj(wbits=wbits)
        try:
            out += decoder.decompress(rest, max_bytes + 1 - len(out))
        except zlib.error as error:
            if out:
                break  # bytes after the end of the page are no part of it
            raise PayloadError("undecodable", f"damaged compression ({error})") from None
        rest = decoder.unused_data if wbits > zlib.MAX_WBITS else b""
    return out


def _unbrotli(payload: bytes, max_bytes: int) -> bytes:
    try:
        brotli: Any = import_module("brotli")
    except ImportError:
        raise PayloadError(
            "undecodable", "it is compressed with brotli: install brotli 1.2 or newer to read it"
        ) from None
    decoder = brotli.Decompressor()
    parts: list[bytes] = []
    left = max_bytes + 1
    data = payload
    try:
        while left > 0 and (part := decoder.process(data, output_buffer_limit=left)):
            parts.append(part)
            left -= len(part)
            data = b""
    except TypeError:
        # Without a limit on its output a small payload could fill the memory.
        raise PayloadError(
            "undecodable", "the brotli package is too old to be safe: install 1.2 or newer"
        ) from None
    except brotli.error as error:
        raise PayloadError("undecodable", f"damaged compression ({error})") from None
    return b"".join(parts)


def _unzstd(payload: bytes, max_bytes: int) -> bytes:
    zstd = zstd_module()
    if zstd is None:
        raise PayloadError(
            "undecodable",
            "it is compressed with zstd: install the package backports.zstd to read it",
        )
    try:
        return zstd.ZstdDecompressor().decompress(payload, max_bytes + 1)  # type: ignore[no-any-return]  # optional, untyped
    except zstd.ZstdError as error:
        raise PayloadError("undecodable", f"damaged compression ({error})") from None
