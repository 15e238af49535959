"""The library sentencex: where it ends sentences, and what it takes for an abbreviation."""

from __future__ import annotations

import re
from functools import lru_cache

from sentencex import get_sentence_boundaries

__all__ = ["is_abbreviation", "library_ends", "readable_ends"]

# JSON may hold halves of surrogate pairs, which the library cannot read; and it cuts a space of
# several bytes (no-break, line separator) before an initial in two and fails.
_UNREADABLE = re.compile(r"[^\S\n ]|[\ud800-\udfff]")
_PLAIN_END = re.compile(r"[.!?]\s+")
_PANIC = "PanicException"


def library_ends(text: str, language: str) -> list[int]:
    """Return the offsets at which the library ends sentences, ascending."""
    return readable_ends(_UNREADABLE.sub(" ", text), language)


def readable_ends(text: str, language: str) -> list[int]:
    """Return the offsets at which the library ends sentences of a text that it can read.

    The text has no white space but spaces and line breaks, and no half of a surrogate pair.
    """
    try:
        return [boundary["end_index"] for boundary in get_sentence_boundaries(language, text)]
    except BaseException as error:  # a failing library must not end a crawl
        # The class has no importable name. The library has written its failure to standard error.
        if type(error).__name__ != _PANIC:
            raise
        return [*(end.end() for end in _PLAIN_END.finditer(text)), len(text)]


@lru_cache(maxsize=4096)
def is_abbreviation(word: str, language: str) -> bool:
    """Tell whether the library ends no sentence behind ``word`` and a dot."""
    return len(library_ends(f"Also {word}. However not.", language)) == 1
