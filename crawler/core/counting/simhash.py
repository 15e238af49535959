"""A hash of a text that changes little where the text changes little.

The simhash of Charikar ("Similarity estimation techniques from rounding algorithms", STOC 2002):
every shingle of the text votes for or against each of 64 bits, and the hash is what most of them
want. The share of bits in which two hashes differ grows with the angle between the two sets of
shingles. Manku, Jain and Das Sarma ("Detecting near-duplicates for web crawling", WWW 2007) take
web pages with at most 3 different bits for near-duplicates.
"""

from __future__ import annotations

import re

import numpy as np
from xxhash import xxh3_64_intdigest

from crawler.core.page.text import normalise

__all__ = ["hamming", "similarity_hash"]

_WIDTH = 3
"""Tokens in a shingle: enough for the order of words to count, and few enough that a word changed
touches no more than three shingles."""

# Thai, Lao, Myanmar, Khmer; kana; ideographs, also those of the supplementary planes. Such scripts
# put no space between words, so that each character is a token.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
_UNSPACED += "\u4e00-\u9fff\U00020000-\U0003ffff"
# The marks of ASCII and Latin-1, general and CJK punctuation; full-width forms are ASCII by then.
_MARKS = "!-/:-@\\[-`{-~\u00a1-\u00bf\u2000-\u206f\u3000-\u303f"
_TOKEN = re.compile(f"[{_UNSPACED}]|[^\\s{_MARKS}{_UNSPACED}]+")

_AT_ONCE = 1 << 14
"""Shingles whose bits are added up at a time: a megabyte of them."""


def similarity_hash(text: str) -> int:
    """Return the 64-bit simhash of a text.

    Its features are the distinct shingles of three words, of three characters in scripts without
    spaces; case, punctuation, line breaks and compatibility forms of Unicode do not matter. Texts
    of fewer words than three are one shingle. A bit is set where more than half of the shingles
    have it. Hashes of texts of a sentence or two say little.

    Args:
        text: any text.

    Returns:
        0 to 2⁶⁴ - 1; 0 for a text without words.
    """
    tokens = _TOKEN.findall(normalise(text, mask_digits=False))
    if not tokens:
        return 0
    columns = [tokens[first:] for first in range(min(_WIDTH, len(tokens)))]
    shingles = set(map(" ".join, zip(*columns, strict=False)))
    hashes = np.fromiter(
        (xxh3_64_intdigest(one.encode("utf-8", "surrogatepass")) for one in shingles),
        dtype="<u8",
        count=len(shingles),
    )
    votes = np.zeros(64, dtype=np.int64)
    for start in range(0, len(hashes), _AT_ONCE):
        octets = hashes[start : start + _AT_ONCE].view(np.uint8).reshape(-1, 8)
        votes += np.unpackbits(octets, axis=1, bitorder="little").sum(axis=0, dtype=np.int64)
    return int.from_bytes(
        np.packbits(2 * votes > len(hashes), bitorder="little").tobytes(), "little"
    )


def hamming(one: int, other: int) -> int:
    """Return in how many bits two hashes differ: 0 for equal texts, about 32 for unrelated ones."""
    return (one ^ other).bit_count()
