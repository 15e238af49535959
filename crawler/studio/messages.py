"""Messages of the browser: JSON objects whose parts are checked as they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from crawler.core.errors import ArgumentError

_MOST = 10**9
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Message:
    """A JSON object of the browser.

    Each method returns a part of one type, or raises ArgumentError where it has another.
    """

    parts: Mapping[str, Any]

    @classmethod
    def read(cls, value: object) -> Message:
        """Return JSON as a message.

        Raises:
            ArgumentError: it is no object.
        """
        if not isinstance(value, dict):
            raise ArgumentError("a message is a JSON object")
        return cls(value)

    def has(self, name: str) -> bool:
        """Tell whether there is a part of that name that is not null."""
        return self.parts.get(name) is not None

    def text(self, name: str, default: str | None = None) -> str:
        """Return a text."""
        found = self.parts.get(name, default)
        if not isinstance(found, str):
            raise ArgumentError(f"'{name}' must be a text")
        return _whole(found)

    def number(self, name: str, default: int | None = None) -> int:
        """Return a whole number."""
        found = self.parts.get(name, default)
        if type(found) is not int or not -_MOST < found < _MOST:
            raise ArgumentError(f"'{name}' must be a whole number of at most nine digits")
        return found

    def flag(self, name: str) -> bool:
        """Return true or false, false where it is not there."""
        found = self.parts.get(name, False)
        if not isinstance(found, bool):
            raise ArgumentError(f"'{name}' must be true or false")
        return found

    def numbers(self, name: str) -> tuple[int, ...]:
        """Return a list of whole numbers, none where it is not there."""
        return tuple(self._list(name, int, "whole numbers"))

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts, none where it is not there."""
        return tuple(map(_whole, self._list(name, str, "texts")))

    def messages(self, name: str) -> tuple[Message, ...]:
        """Return a list of objects, none where it is not there."""
        return tuple(map(Message.read, self._list(name, dict, "objects")))

    def _list(self, name: str, kind: type[_T], words: str) -> list[_T]:
        found = self.parts.get(name, [])
        # A truth value is a whole number to Python.
        if not isinstance(found, list) or any(type(its) is not kind for its in found):
            raise ArgumentError(f"'{name}' must be a list of {words}")
        return found


def _whole(text: str) -> str:
    """Replace halves of UTF-16 pairs, which cannot be written to a file."""
    return text.encode("utf-8", "replace").decode("utf-8")
