"""Where a line break ends a sentence, and where a sentence goes on over it."""

# ruff: noqa: RUF001 - end marks are this module's data

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["passages"]

_BREAK = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_ENDED = re.compile(r"[.!?:…。！？｡：։؟۔।॥።፧။។][\s\"'”’»«“)\]」』）】]*\Z")
# How far to look back for the mark that ended the line before.
_LOOK_BACK = 16


def passages(text: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches of ``text`` that no sentence may leave, as (start, end).

    A line break ends a sentence unless the sentence clearly goes on: the line before has no end
    mark, and the next one, with no empty line between, begins with a lower-case letter.
    """
    start = 0
    for found in _BREAK.finditer(text):
        if not _goes_on(text, found):
            yield start, found.end()
            start = found.end()
    if start < len(text):
        yield start, len(text)


def _goes_on(text: str, found: re.Match[str]) -> bool:
    if found[0] not in {"\n", "\r\n", "\r"}:
        return False
    after = text[found.end() : found.end() + _LOOK_BACK].lstrip(" \t\xa0")
    if not after[:1].islower():
        return False
    before = text[max(0, found.start() - _LOOK_BACK) : found.start()].rstrip(" \t\xa0")
    return bool(before) and _ENDED.search(before) is None
