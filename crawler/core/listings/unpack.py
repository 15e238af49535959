"""Gzip of listings: whole or not, one member or several, packed once or twice."""

from __future__ import annotations

import zlib
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crawler.core.listings.model import MAX_LISTING_BYTES

if TYPE_CHECKING:
    from crawler.core.listings.model import Problems

__all__ = ["unpack"]

_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 31  # zlib's number for the largest window with the header of gzip
# A file packed once, and once more by its server.
_MAX_LAYERS = 2
# Packed bytes unpacked at a time.
_STEP = 1024


def unpack(body: bytes, url: str, content_type: str, problems: Problems) -> tuple[bytes, bool]:
    """Return a listing's bytes unpacked, and whether they end too early.

    No more than ``MAX_LISTING_BYTES`` are unpacked, whatever the packed ones promise.
    """
    cut = False
    if body and not body.startswith(_GZIP) and _named_gzip(url, content_type):
        problems.add("gzip-not")
    for _ in range(_MAX_LAYERS):
        if not body.startswith(_GZIP):
            break
        body, layer_cut = _members(body, problems)
        cut |= layer_cut
    if len(body) > MAX_LISTING_BYTES:
        problems.add("too-large")
        return body[:MAX_LISTING_BYTES], True
    return body, cut


def _named_gzip(url: str, content_type: str) -> bool:
    try:
        path = urlsplit(url).path
    except ValueError:
        path = url
    return path.lower().endswith(".gz") or "gzip" in content_type.lower()


def _members(packed: bytes, problems: Problems) -> tuple[bytes, bool]:
    """Unpack one member after the other; one byte more than allowed shows that there are more."""
    pieces: list[bytes] = []
    room = MAX_LISTING_BYTES + 1
    begin = position = 0
    member = None
    while position < len(packed) and room > 0:
        if member is None:
            if not packed.startswith(_GZIP, position):
                if packed[position:].strip(b"\0"):  # tapes and copies leave zeros
                    problems.add("gzip-tail")
                break
            member = zlib.decompressobj(_GZIP_WINDOW)
            begin = position
        step = packed[position : position + _STEP]
        try:
            piece = member.decompress(step, room)
        except zlib.error:
            problems.add("gzip-damaged")
            pieces.append(_before_damage(packed[begin:position], step))
            return b"".join(pieces), True
        pieces.append(piece)
        room -= len(piece)
        position += len(step) - len(member.unused_data)
        if member.eof:
            member = None
    if member is not None and room > 0:
        problems.add("gzip-cut")
    return b"".join(pieces), member is not None


def _before_damage(sound: bytes, step: bytes) -> bytes:
    """Unpack what stands before the damage in a step; ``sound`` is its member up to that step."""
    member = zlib.decompressobj(_GZIP_WINDOW)
    member.decompress(sound)
    unpacked = bytearray()
    with suppress(zlib.error):
        for number in range(len(step)):
            # Few bytes can promise much; more than allowed is cut off later.
            unpacked += member.decompress(step[number : number + 1])
    return bytes(unpacked)
