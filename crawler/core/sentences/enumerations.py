"""Lists written in a line: "1. Open the box 2. Take out the lamp" are two sentences."""

# ruff: noqa: RUF001 - bullets and dashes are this module's data

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["items"]

_FORM = r"(?P<before>[•⁃*–-]?[ ]?\(?)(?P<value>\d{1,2}|[a-z])(?P<after>\.\)|\.|\))(?=\s)"
_FIRST = re.compile(rf"\s*{_FORM}")
_MARKER = re.compile(rf"(?<=\s){_FORM}")


def items(passage: str) -> Iterator[int]:
    """Yield where the second and later items of a list begin.

    A passage is a list when it begins with a marker ("1.", "b)", "• 9.") and goes on with markers
    of the same form that count upwards by one.
    """
    first = _FIRST.match(passage)
    if first is None:
        return
    form, value = _form(first), first["value"]
    for marker in _MARKER.finditer(passage, first.end()):
        if _form(marker) == form and marker["value"] == _next(value):
            value = marker["value"]
            yield marker.start()


def _form(marker: re.Match[str]) -> tuple[str, str, bool]:
    return marker["before"].strip(), marker["after"], marker["value"].isdigit()


def _next(value: str) -> str:
    return str(int(value) + 1) if value.isdigit() else chr(ord(value) + 1)
