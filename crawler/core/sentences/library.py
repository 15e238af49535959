"""The library sentencex: where it ends sentences, and what it takes for an abbreviation."""

from __future__ import annotations

import re
from functools import lru_cache

from sentencex import get_sentence_boundaries

__all__ = ["is_abbreviation", "library_ends"]

_SURROGATE = re.compile("[\ud800-\udfff]")


def library_ends(text: str, language: str) -> list[int]:
    """Return the offsets at which the library ends sentences, ascending."""
    # JSON may hold halves of surrogate pairs, which the library cannot read.
    readable = _SURROGATE.sub("\ufffd", text)
    return [boundary["end_index"] for boundary in get_sentence_boundaries(language, readable)]


@lru_cache(maxsize=4096)
def is_abbreviation(word: str, language: str) -> bool:
    """Tell whether the library ends no sentence behind ``word`` and a dot."""
    return len(library_ends(f"Also {word}. However not.", language)) == 1
