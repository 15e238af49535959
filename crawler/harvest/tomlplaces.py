"""On which line of a TOML document each table, key and element stands.

Python's own reader tells values and no places. This one tells places and no values, of a document
that the other has read: it need not know what is wrong, and it never recurses.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Place", "toml_places"]

Place = tuple[str | int, ...]
"""The way to a value: keys of tables, numbers of array elements, counted from 0."""

_BETWEEN: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BLANK: Final = re.compile(r"[ \t]*")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
# Two quotes before the three that end a string belong to it. One match each, without backtracking.
_STRINGS: Final = (
    re.compile(r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*+"{3,5}', re.DOTALL),
    re.compile(r"'''(?:[^']|'{1,2}(?!'))*+'{3,5}", re.DOTALL),
    re.compile(r'"(?:[^"\\\n]|\\.)*+"'),
    re.compile(r"'[^'\n]*+'"),
)
_SCALAR: Final = re.compile(r"[^,\]}#\n]*")


def toml_places(text: str) -> Mapping[Place, int]:
    """Return the line, counted from 1, of each table, key and array element of a TOML document.

    Args:
        text: a document that :mod:`tomllib` reads. Of others, what could be told before the place
            where they are wrong.
    """
    reader = _Reader(text)
    reader.read()
    return reader.places


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1
        self._counted_to = 0
        self.places: dict[Place, int] = {}
        self._tables: dict[Place, int] = {}
        """How many elements each array of tables has."""

    def read(self) -> None:
        table: Place = ()
        while self._skip(_BETWEEN) < len(self._text):
            before = self._at
            if self._text.startswith("[", self._at):
                table = self._header()
            else:
                self._key_and_value(table)
            if self._at == before:
                return

    def _skip(self, pattern: re.Pattern[str]) -> int:
        """Go on behind what matches here, if anything does; return the place."""
        if match := pattern.match(self._text, self._at):
            self._at = match.end()
        return self._at

    def _note(self, place: Place) -> None:
        self._line += self._text.count("\n", self._counted_to, self._at)
        self._counted_to = self._at
        self.places.setdefault(place, self._line)

    def _header(self) -> Place:
        is_array = self._text.startswith("[[", self._at)
        start = self._at
        self._at += 2 if is_array else 1
        keys = self._keys()
        end, self._at = self._at, start
        place: Place = ()
        for number, key in enumerate(keys, 1):
            place = (*place, key)
            if is_array and number == len(keys):
                self._tables[place] = self._tables.get(place, 0) + 1
            self._note(place)
            if place in self._tables:
                place = (*place, self._tables[place] - 1)
                self._note(place)
        self._at = end + (2 if is_array else 1)
        return place

    def _keys(self) -> list[str]:
        """Read the parts of a dotted key."""
        keys = []
        while True:
            self._skip(_BLANK)
            start = self._at
            if self._text.startswith(('"', "'"), start):
                self._string()
                keys.append(_text_of(self._text[start : self._at]))
            else:
                self._skip(_BARE)
                keys.append(self._text[start : self._at])
            self._skip(_BLANK)
            if not self._text.startswith(".", self._at):
                return keys
            self._at += 1

    def _string(self) -> None:
        for pattern in _STRINGS:
            if match := pattern.match(self._text, self._at):
                self._at = match.end()
                return
        self._at = len(self._text)

    def _key_and_value(self, table: Place) -> None:
        """Read ``key = value``; what is open within the value lies on a stack."""
        open_: list[tuple[Place, int]] = []
        place = self._key(table)
        while True:
            if self._text.startswith(("[", "{"), self._at):
                is_array = self._text[self._at] == "["
                self._at += 1
                open_.append((place, 0 if is_array else -1))
            elif self._text.startswith(('"', "'"), self._at):
                self._string()
            else:
                self._skip(_SCALAR)
            while open_ and self._skip(_BETWEEN) < len(self._text):
                if self._text[self._at] not in "]}":
                    break
                self._at += 1
                open_.pop()
            if not open_ or self._at >= len(self._text):
                return
            if self._text[self._at] == ",":
                self._at += 1
                self._skip(_BETWEEN)
                if self._text.startswith(("]", "}"), self._at):
                    continue
            owner, number = open_.pop()
            if number < 0:
                open_.append((owner, number))
                place = self._key(owner)
            else:
                open_.append((owner, number + 1))
                place = (*owner, number)
                self._note(place)

    def _key(self, table: Place) -> Place:
        start = self._at
        keys = self._keys()
        after, self._at = self._at, start
        place = table
        for key in keys:
            place = (*place, key)
            self._note(place)
        self._at = after + 1
        self._skip(_BLANK)
        return place


def _text_of(quoted: str) -> str:
    return str(tomllib.loads(f"key = {quoted}")["key"])
