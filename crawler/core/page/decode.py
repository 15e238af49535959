"""Bytes to text: the encoding that a page is really in, whatever it declares."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections import Counter
from functools import lru_cache
from itertools import islice
from operator import itemgetter

from chardetng_py.shortcuts import detect
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
_EAST_ASIAN = ("cp949", "gb18030", "big5hkscs", "cp932", "euc_jp")
# Below this many bytes outside ASCII, text of another encoding can be valid UTF-8 by chance.
_UTF8_BY_CHANCE = 24
# A page in its declared encoding may hold a few broken sequences (a cut title, a pasted byte).
_TOLERATED_ERRORS = 0.02
# Valid UTF-8 sequences do not occur by chance, so more may be broken among them.
_TOLERATED_IN_UTF8 = 0.25
# So many letters tell one encoding of a script from another.
_ENOUGH_LETTERS = 4
_LETTERS_READ = 2_000
# Signs between two letters, where a wrong encoding has put them in place of a letter.
_SIGN_IN_WORD = re.compile(r"[^\W\d_][\xa1-\xa9\xac\xae-\xb4\xb6\xb8\xb9\xbc-\xbf][^\W\d_]")
_OUTSIDE_ASCII = re.compile(r"[^\x00-\x7f]+")
# Signs of half width that Shift_JIS has where Western encodings have theirs.
_HALFWIDTH = frozenset(map(chr, range(0xFF61, 0xFFA0)))
_JAPANESE = frozenset({"HIRAGANA", "KATAKANA", "HALFWIDTH"})
_FALLBACK = "cp1252"
_WIDE = ("utf-16", "utf-32")
# Python has codecs that are no encodings of pages, and a page may name any of them.
_NO_PAGE_ENCODINGS = frozenset(
    ("idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape", "utf_7")
)
# The bytes for detection: enough for certainty, bounded for speed.
_DETECT_BYTES = 65_536
_DECLARED_BYTES = 4_096
# The sign before the letters lets the search go from one to the next.
_META = re.compile(rb"<(?i:meta[^>]{0,200}?charset)")
_FOREIGN_RUN = re.compile(rb"[\x80-\xff]+")


def decode(page: Page) -> tuple[str, str]:
    """Return the page's text and the name of the encoding it was read in; never fails."""
    if page.encoding:
        return _lenient(page.body, page.encoding), page.encoding
    return decode_bytes(page.body, page.content_type)


def decode_bytes(body: bytes, content_type: str = "") -> tuple[str, str]:
    """Decode markup of uncertain encoding.

    A byte order mark decides. Then UTF-8 is believed where the bytes prove it; a declared encoding
    (header before ``<meta>``) where it decodes without an error and detection does not find letters
    of another script; then what is detected, among the encodings that browsers know.

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
    # w3lib reads the first 4,096 bytes; browsers obey a <meta> wherever it is.
    start = meta.start() if (meta := _META.search(body)) else 0
    markup = html_body_declared_encoding(body[start : start + _DECLARED_BYTES])
    # Header first. "utf-16" cannot be true of markup that was itself read as ASCII.
    names = dict.fromkeys((header, _codec(markup or "")))
    declared = [name for name in names if name and not name.startswith(_WIDE)]
    if body.isascii() and b"\x1b" not in body:
        return body.decode("ascii"), declared[0] if declared else "utf-8"
    utf8 = _strict(body, "utf-8")
    proved = not declared or "utf-8" in declared or _surely_utf8(body)
    if utf8 is not None and proved:
        return utf8, "utf-8"
    if proved and (text := _nearly(body, "utf-8")) is not None:
        return text, "utf-8"
    return _by_detection(body, declared)


def _by_detection(body: bytes, declared: list[str]) -> tuple[str, str]:
    """Decode by the declared encodings, unless the bytes refute them, or by what is detected."""
    guess = _codec(detect(_telling(body)))
    if guess not in _MULTIBYTE and (plain := _strict(body, _FALLBACK)) and not _letters(plain):
        guess = _FALLBACK  # Signs alone, as in "© 2024", tell nothing.
    text = _strict(body, guess)
    for name in declared:
        read = _strict(body, name)
        if read is not None and (text is None or not _is_refuted(read, name, text, guess)):
            return read, name
    if text is None or guess not in _MULTIBYTE:
        # One broken character makes the detector take all for single bytes: ask it without.
        near = {name: _nearly(body, name) for name in (*declared, *_EAST_ASIAN)}
        found = [
            (mended.count("\ufffd"), mended, name)
            for name, mended in near.items()
            if mended and name in _MULTIBYTE and "\ufffd" in mended
            if _codec(detect(mended.replace("\ufffd", "").encode(name, "ignore"))) == name
        ]
        if found:
            _, mended, name = min(found, key=itemgetter(0))
            return mended, name
    return (_lenient(body, _FALLBACK), _FALLBACK) if text is None else (text, guess)


def _is_refuted(declared: str, name: str, detected: str, detected_name: str) -> bool:
    """Tell whether what was detected refutes a declared encoding that decodes without an error.

    It does where its letters are of another script, where only one of the two has signs within
    words, and, among encodings of one script that share no letters, where there are some letters.

    Args:
        declared: the text by the declared encoding.
        name: that encoding.
        detected: the text by the detected encoding.
        detected_name: that encoding.
    """
    if declared == detected:
        return False
    ours, theirs = _letters(declared), _letters(detected)
    if not theirs:
        return bool(ours)
    if max(theirs, key=theirs.__getitem__) != max(ours, key=ours.__getitem__, default=""):
        return True
    if {name, detected_name} <= _MULTIBYTE or "CYRILLIC" in theirs:
        return theirs.total() >= _ENOUGH_LETTERS
    return len(_SIGN_IN_WORD.findall(declared)) > len(_SIGN_IN_WORD.findall(detected))


def _letters(text: str) -> Counter[str]:
    """Count the first letters outside ASCII by script, by the first words of their names."""
    outside = "".join(_OUTSIDE_ASCII.findall(text))
    foreign = (char for char in outside if char.isalpha() or char in _HALFWIDTH)
    names = (unicodedata.name(char, "?").split() for char in islice(foreign, _LETTERS_READ))
    return Counter("CJK" if name[0] in _JAPANESE else name[0] for name in names)


@lru_cache(maxsize=256)
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


def _surely_utf8(body: bytes) -> bool:
    """Tell whether valid UTF-8 has too many bytes outside ASCII to be so by chance."""
    return len(body.translate(None, delete=bytes(range(128)))) >= _UTF8_BY_CHANCE


def _telling(body: bytes) -> bytes:
    """Return the part of the page for detection: long scripts may stand before any text."""
    first = _FOREIGN_RUN.search(body)
    start = first.start() if first and first.start() >= _DETECT_BYTES // 2 else 0
    return body[start : start + _DETECT_BYTES]


def _strict(body: bytes, name: str) -> str | None:
    try:
        return body.decode(name)
    except (UnicodeDecodeError, LookupError):
        return None


def _nearly(body: bytes, name: str) -> str | None:
    """Decode where nearly all characters outside ASCII are valid."""
    text = _lenient(body, name)
    errors = text.count("\ufffd")
    foreign = len(text) - len(text.encode("ascii", "ignore"))
    tolerated = _TOLERATED_IN_UTF8 if name == "utf-8" else _TOLERATED_ERRORS
    return text if errors <= foreign * tolerated else None


def _lenient(body: bytes, name: str) -> str:
    try:
        return body.decode(name, "replace")
    except (LookupError, UnicodeError):
        return body.decode(_FALLBACK, "replace")
