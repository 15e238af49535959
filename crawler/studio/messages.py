"""Messages of the browser: JSON objects whose parts are checked as they are read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from crawler.core.errors import ArgumentError

_MOST = 10**9
_T = TypeVar("_T")
_KINDS: Mapping[type, str] = {
    str: "a text",
    int: "a whole number of at most nine digits",
    bool: "true or false",
}


@dataclass(frozen=True, slots=True)
class Message:
    """A JSON object of the browser."""

    parts: Mapping[str, Any]

    @classmethod
    def read(cls, body: bytes) -> Message:
        """Return the message of a request.

        Raises:
            ArgumentError: it is no JSON object.
        """
        try:
            text = json.dumps(json.loads(body), ensure_ascii=False)
            # Halves of UTF-16 pairs, which cannot be written to a file, are replaced.
            parts = json.loads(text.encode("utf-8", "replace"))
        except (ValueError, RecursionError) as error:
            raise ArgumentError("the request is no JSON that can be read") from error
        if not isinstance(parts, dict):
            raise ArgumentError("a message is a JSON object")
        return cls(parts)

    def has(self, name: str) -> bool:
        """Tell whether there is a part of that name that is not null."""
        return self.parts.get(name) is not None

    def part(self, name: str, kind: type[_T], default: _T | None = None) -> _T:
        """Return a text, a whole number, or a truth value.

        Raises:
            ArgumentError: it is of another type, or it is not there and has no default.
        """
        found = self.parts.get(name, default)
        # A truth value is a whole number to Python.
        if type(found) is not kind or (isinstance(found, int) and abs(found) >= _MOST):
            raise ArgumentError(f"'{name}' must be {_KINDS[kind]}")
        return found

    def all(self, name: str, kind: type[_T]) -> list[_T]:
        """Return a list of values of one type, none where it is not there.

        Raises:
            ArgumentError: it is no such list.
        """
        found = self.parts.get(name, [])
        if not isinstance(found, list) or any(type(its) is not kind for its in found):
            raise ArgumentError(f"'{name}' must be a list, each {_KINDS.get(kind, 'an object')}")
        return found
