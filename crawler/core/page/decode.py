"""Bytes to text: the encoding that a page is really in, whatever it declares."""

from __future__ import annotations

import codecs
import re

import cchardet
from w3lib.encoding import (
    html_body_declared_encoding,
    http_content_type_encoding,
    read_bom,
    resolve_encoding,
)

from crawler.core.page.page import Page

# Encodings in which a wrong label shows: random bytes hardly ever decode without an error.
_MULTIBYTE = frozenset(
    {"utf-8", "cp949", "euc_jp", "shift_jis", "cp932", "gb18030", "big5hkscs", "iso2022_jp"}
)
# Below this many bytes outside ASCII, text of another encoding can be valid UTF-8 by chance.
_UTF8_BY_CHANCE = 24
# A page in its declared encoding may hold a few broken sequences (a cut title, a pasted byte).
_TOLERATED_ERRORS = 0.02
# Valid UTF-8 sequences do not occur by chance, so more may be broken among them.
_TOLERATED_IN_UTF8 = 0.25
# A guess of a multi-byte encoding against a declared one must be this sure, on this many bytes.
_SURE = 0.65
_ENOUGH_BYTES = 8
_FALLBACK = "cp1252"
_WIDE = ("utf-16", "utf-32")
# Python has codecs that are no encodings of pages, and a page may name any of them.
_NO_PAGE_ENCODINGS = frozenset(
    ("idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape", "utf_7")
)
# The bytes for detection: enough for certainty, bounded for speed.
_DETECT_BYTES = 65_536
_FOREIGN_RUN = re.compile(rb"[\x80-\xff]+")


def decode(page: Page) -> tuple[str, str]:
    """Return the page's text and the name of the encoding it was read in; never fails."""
    if page.encoding:
        return _lenient(page.body, page.encoding), page.encoding
    return decode_bytes(page.body, page.content_type)


def decode_bytes(body: bytes, content_type: str = "") -> tuple[str, str]:
    """Decode markup of uncertain encoding.

    A byte order mark decides. Then UTF-8 is believed where the bytes prove it, a declared
    multi-byte encoding (header before ``<meta>``) where it decodes without an error, a declared
    single-byte one where the detector does not contradict it with certainty. Only what is left is
    guessed.

    Args:
        body: the page's bytes.
        content_type: the ``Content-Type`` header, or empty.

    Returns:
        The text, and the Python codec name it was decoded with.
    """
    bom, _ = read_bom(body)
    if bom:
        return _lenient(body, bom).lstrip("\ufeff"), _codec(bom)
    header = _codec((content_type and http_content_type_encoding(content_type)) or "")
    # Markup in UTF-16 or UTF-32 that only the header declares is full of NUL bytes.
    if header.startswith(_WIDE) and b"\x00" in body[:_DETECT_BYTES]:
        text = _strict(body, header)
        if text is not None:
            return text, header
    # Header first. "utf-16" cannot be true of markup that was itself read as ASCII.
    names = dict.fromkeys((header, _codec(html_body_declared_encoding(body) or "")))
    declared = [name for name in names if name and not name.startswith(_WIDE)]
    if body.isascii() and b"\x1b" not in body:
        return body.decode("ascii"), declared[0] if declared else "utf-8"
    utf8 = _strict(body, "utf-8")
    if utf8 is not None and (not declared or "utf-8" in declared or _surely_utf8(body)):
        return utf8, "utf-8"
    if utf8 is None and _surely_utf8(body) and (text := _nearly(body, "utf-8")) is not None:
        return text, "utf-8"
    return _guessed(body, declared, utf8)


def _guessed(body: bytes, declared: list[str], utf8: str | None) -> tuple[str, str]:
    """Decode by the declared encodings unless the bytes contradict them, else by detection.

    Args:
        body: the page's bytes.
        declared: Python's names of the declared encodings.
        utf8: the page in UTF-8; None where it is not valid.
    """
    readable = [(name, text) for name in declared if (text := _strict(body, name)) is not None]
    guess, confidence = _detect(body)
    if guess in dict(readable):
        return dict(readable)[guess], guess
    contradicted = guess in _MULTIBYTE and confidence >= _SURE and _in_runs(body)
    if contradicted and (text := _strict(body, guess)) is not None:
        return text, guess
    if readable:
        # A multi-byte encoding that decodes without an error is more reliable.
        name, text = next((pair for pair in readable if pair[0] in _MULTIBYTE), readable[0])
        return text, name
    for name in declared:
        if (nearly := _nearly(body, name)) is not None:
            return nearly, name
    if (text := _nearly(body, "utf-8") if utf8 is None else utf8) is not None:
        return text, "utf-8"
    return _lenient(body, guess or _FALLBACK), guess or _FALLBACK


def _codec(name: str) -> str:
    """Return Python's codec name for a label as the web understands it, or an empty string."""
    resolved = resolve_encoding(name)
    if resolved is None:
        return ""
    try:
        codec = codecs.lookup(resolved).name
        bytes(4).decode(codec)  # refused unless it is an encoding of text
    except (LookupError, UnicodeError):
        return ""
    if codec.replace("-", "_") in _NO_PAGE_ENCODINGS:
        return ""
    # A superset reads all that the older standard reads, and what pages really contain.
    return {"euc_kr": "cp949", "gb2312": "gb18030", "gbk": "gb18030", "ascii": "cp1252"}.get(
        codec, codec
    )


def _in_runs(body: bytes) -> bool:
    """Tell whether bytes outside ASCII stand mostly side by side, as two-byte characters do."""
    runs = _FOREIGN_RUN.findall(_telling(body))
    foreign = sum(map(len, runs))
    return foreign >= _ENOUGH_BYTES and sum(len(run) > 1 for run in runs) > len(runs) / 2


def _surely_utf8(body: bytes) -> bool:
    """Tell whether valid UTF-8 has too many bytes outside ASCII to be so by chance."""
    return len(body.translate(None, delete=bytes(range(128)))) >= _UTF8_BY_CHANCE


def _telling(body: bytes) -> bytes:
    """Return the part of the page for detection: long scripts may stand before any text."""
    first = _FOREIGN_RUN.search(body)
    start = first.start() if first and first.start() >= _DETECT_BYTES // 2 else 0
    return body[start : start + _DETECT_BYTES]


def _detect(body: bytes) -> tuple[str, float]:
    found = cchardet.detect(_telling(body))
    name = _codec(found["encoding"] or "")
    if name.startswith("cp8"):  # code pages of DOS, never used for pages
        return "", 0.0
    return name, found["confidence"] or 0.0


def _strict(body: bytes, name: str) -> str | None:
    try:
        return body.decode(name)
    except (UnicodeDecodeError, LookupError):
        return None


def _nearly(body: bytes, name: str) -> str | None:
    """Decode where nearly all characters outside ASCII are valid."""
    text = _lenient(body, name)
    errors = text.count("\ufffd")
    foreign = sum(not char.isascii() for char in text)
    tolerated = _TOLERATED_IN_UTF8 if name == "utf-8" else _TOLERATED_ERRORS
    return text if errors <= foreign * tolerated else None


def _lenient(body: bytes, name: str) -> str:
    try:
        return body.decode(name, "replace")
    except (LookupError, UnicodeError):
        return body.decode(_FALLBACK, "replace")
