"""What makes two pieces of text the same text."""

from __future__ import annotations

import re
import unicodedata

from xxhash import xxh3_64_intdigest

__all__ = ["block_key", "normalise"]

_SPACE = re.compile(r"\s+")
_DIGITS = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")


def normalise(text: str) -> str:
    """Reduce a block's text to what recurs when the block recurs.

    Unicode compatibility form, lower case, white space folded, and every run of digits one ``0``
    where letters stand beside them, so that "Comments (3)" and "Comments (12)", or "Friday, 3 May"
    and "Friday, 10 May", are one block. Text without letters keeps its digits: the cells of a
    table of figures are all different.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    text = _SPACE.sub(" ", text.casefold()).strip()
    if _LETTER.search(text):
        text = _DIGITS.sub("0", text)
    return text


def block_key(text: str) -> int:
    """Return the 64-bit identity of a block's text: equal for texts that normalise alike.

    Two different texts of a site share a key with a chance of about n² / 2⁶⁵ for n distinct
    texts: one in 37,000 at 31 million.
    """
    return xxh3_64_intdigest(normalise(text).encode("utf-8", "surrogatepass"))
