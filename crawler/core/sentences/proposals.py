"""The library sentencex: where it ends sentences, and what it takes for an abbreviation."""

from __future__ import annotations

import re
from functools import lru_cache

from sentencex import get_sentence_boundaries

__all__ = ["is_abbreviation", "library_ends"]

# JSON may hold halves of surrogate pairs, which the library cannot read; and it cuts a space of
# several bytes (no-break, line separator) before an initial in two and fails.
_UNREADABLE = re.compile(r"[^\S\n ]|[\ud800-\udfff]")
_PLAIN_END = re.compile(r"[.!?]\s+")
_PANIC = "PanicException"


def library_ends(text: str, language: str) -> list[int]:
    """Return the offsets at which the library ends sentences, ascending."""
    readable = _UNREADABLE.sub(" ", text)
    try:
        return [boundary["end_index"] for boundary in get_sentence_boundaries(language, readable)]
    except BaseException as error:  # a failing library must not end a crawl
        # The class has no importable name. The library has written its failure to standard error.
        if type(error).__name__ != _PANIC:
            raise
        return [*(end.end() for end in _PLAIN_END.finditer(text)), len(text)]


@lru_cache(maxsize=4096)
def is_abbreviation(word: str, language: str) -> bool:
    """Tell whether the library ends no sentence behind ``word`` and a dot."""
    return len(library_ends(f"Also {word}. However not.", language)) == 1
