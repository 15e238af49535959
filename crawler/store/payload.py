"""The page in an archived HTTP response: transfer and content encodings undone."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Mapping

import brotli
from fastwarc.stream_io import ZstdReader

_GZIP_MAGIC = b"\x1f\x8b"
_SNIFF = 1024  # bytes looked at to tell markup from compressed bytes
_STEP = 1 << 16
_CHUNK_SIZE = re.compile(rb"[ \t\r]*([0-9a-f]+)[ \t\r]*(?:;[^\n]*)?(?:\n|\Z)", re.IGNORECASE)


class PayloadError(Exception):
    """A record gives no page; ``reason`` is the slug under which it is counted."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


def undo_encodings(payload: bytes, headers: Mapping[str, str], *, max_bytes: int) -> bytes:
    """Undo ``Transfer-Encoding`` and ``Content-Encoding``.

    Crawlers often store a page decoded and its headers as sent. So a payload that is not encoded as
    its headers say but looks like markup is returned as it is. Of an encoded payload that is cut
    off, the part that can be decoded is returned, as a browser shows it.

    Args:
        payload: what follows the HTTP headers.
        headers: the HTTP headers, by lower-cased name.
        max_bytes: most bytes of the decoded page.

    Raises:
        PayloadError: ``too-large``, more than ``max_bytes`` decoded; ``undecodable``, the payload
            is damaged, or its encoding is unknown.
    """
    if "chunked" in headers.get("transfer-encoding", "").lower():
        payload = _join_chunks(payload)
    for name in reversed(headers.get("content-encoding", "").split(",")):
        encoding = name.strip().lower().removeprefix("x-")
        if not payload or encoding in {"", "identity", "none"}:
            continue
        try:
            payload = _decode(encoding, payload, max_bytes + 1)
        except (zlib.error, brotli.error, OSError) as error:
            start = payload[:_SNIFF]
            if b"<" not in start or b"\0" in start:
                raise PayloadError("undecodable", f"not {encoding}, or damaged: {error}") from None
    if len(payload) > max_bytes:
        raise PayloadError("too-large", f"more than {max_bytes} bytes")
    return payload


def _join_chunks(payload: bytes) -> bytes:
    parts: list[bytes] = []
    at = 0
    while (size := _CHUNK_SIZE.match(payload, at)) and (length := int(size[1], 16)):
        parts.append(payload[size.end() : size.end() + length])
        # Sizes may be beyond any number that bytes are counted with.
        at = min(size.end() + length, len(payload))
        at += 2 if payload.startswith(b"\r\n", at) else payload.startswith(b"\n", at)
    if size is None:
        # Not chunked at all, or not any more: the rest is taken as it is.
        parts.append(payload[at:])
    return b"".join(parts)


def _decode(encoding: str, payload: bytes, limit: int) -> bytes:
    """Decode at most ``limit`` bytes.

    Raises:
        OSError, zlib.error, brotli.error: the payload is not in this encoding.
    """
    match encoding:
        case "gzip":
            return _gunzip(payload, limit)
        case "deflate":
            try:
                return zlib.decompressobj().decompress(payload, limit)
            except zlib.error:
                # Many servers send the stream without the zlib header that the standard asks for.
                return zlib.decompressobj(wbits=-zlib.MAX_WBITS).decompress(payload, limit)
        case "br":
            return _unbrotli(payload, limit)
        case "zstd":
            return _unzstd(payload, limit)
    raise OSError("the encoding is unknown")


def _gunzip(payload: bytes, limit: int) -> bytes:
    if not payload.startswith(_GZIP_MAGIC):
        raise OSError("it does not begin as gzip does")
    out = b""
    while payload and len(out) < limit:
        member = zlib.decompressobj(wbits=31)
        try:
            out += member.decompress(payload, limit - len(out))
        except zlib.error:
            if not out:
                raise
            break  # bytes after the end of the page are no part of it
        payload = member.unused_data
    return out


def _unbrotli(payload: bytes, limit: int) -> bytes:
    decoder, out = brotli.Decompressor(), b""
    while len(out) < limit:
        part = decoder.process(payload, output_buffer_limit=limit - len(out))
        if not part:
            break
        out, payload = out + part, b""
    return out


def _unzstd(payload: bytes, limit: int) -> bytes:
    reader, out = ZstdReader(io.BytesIO(payload)), b""
    try:
        while len(out) < limit and (part := reader.read(min(_STEP, limit - len(out)))):
            out += part
    except OSError as error:
        if "incomplete" not in str(error):
            raise
    return out
