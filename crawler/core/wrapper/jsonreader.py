"""Reading JSON that people may have edited: each mistake is told with its place in the file."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from crawler.core.errors import UnreadableInputError

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["Place", "read_json"]

_SHOWN_CHARS = 800
# Half of a pair of UTF-16, which JSON can spell and no file can hold.
_HALF = re.compile("[\ud800-\udfff]")
_KINDS = {
    "NoneType": "null",
    "dict": "an object",
    "list": "a list",
    "bool": "true or false",
    "str": "a string",
    "int": "a number",
    "float": "a number",
}


@dataclass(frozen=True, slots=True)
class Place:
    """A JSON value and where it stands: the file's name, and a path such as ``rules.title[0]``."""

    file: str
    path: str
    value: Any

    def fail(self, what: str) -> NoReturn:
        """Refuse the value.

        Raises:
            UnreadableInputError: always.
        """
        place = _shown(self.path) or "the file"
        raise UnreadableInputError(f"{self.file}: {place}: {_shown(what)}")

    def _wrong(self, wanted: str) -> NoReturn:
        self.fail(f"must be {wanted}, not {_KINDS.get(type(self.value).__name__, 'this')}")

    def text(self) -> str:
        """Return a string."""
        if not isinstance(self.value, str):
            self._wrong("a string")
        if _HALF.search(self.value):
            self.fail("has half of a character (\\ud800 to \\udfff); write it whole")
        return self.value

    def flag(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            self._wrong("true or false")
        return self.value

    def count(self, least: int = 0) -> int:
        """Return a whole number of at least this."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            self._wrong("a whole number")
        if not least <= self.value < 1 << 31:
            self.fail(f"must be a number from {least} on, not {self.value}")
        return self.value

    def share(self) -> float:
        """Return a number from 0 to 1."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            self._wrong("a number")
        if not 0 <= self.value <= 1:
            self.fail(f"must be a number from 0 to 1, not {self.value}")
        return float(self.value)

    def items(self) -> list[Place]:
        """Return the items of a list."""
        if not isinstance(self.value, list):
            self._wrong("a list")
        return [
            Place(self.file, f"{self.path}[{at}]", value) for at, value in enumerate(self.value)
        ]

    def members(self) -> dict[str, Place]:
        """Return the members of an object."""
        if not isinstance(self.value, dict):
            self._wrong("an object")
        return {name: self._member(name) for name in self.value}

    def fields(self, needed: Collection[str], allowed: Collection[str] = ()) -> dict[str, Place]:
        """Return the members of an object with these keys: all that are needed, no others."""
        found = self.members()
        for name in found:
            if name not in needed and name not in allowed:
                known = ", ".join((*needed, *allowed))
                self.fail(f"there is no key '{name}' here; the keys are: {known}")
        for name in needed:
            if name not in found:
                self.fail(f"'{name}' is missing; add it")
        return found

    def _member(self, name: str) -> Place:
        path = f"{self.path}.{name}" if self.path else name
        return Place(self.file, path, self.value[name])


def read_json(text: str, file: str) -> Place:
    """Read a text as JSON.

    Raises:
        UnreadableInputError: it is none. The message has line and column.
    """
    try:
        value = json.loads(text, parse_constant=_refuse, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise UnreadableInputError(
            f"{file}: not JSON, line {error.lineno}, column {error.colno}: {error.msg}"
        ) from error
    except RecursionError as error:
        raise UnreadableInputError(f"{file}: is nested too deep; make it flatter") from error
    except ValueError as error:
        raise UnreadableInputError(f"{file}: not JSON ({error})") from error
    return Place(file, "", value)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse keys that stand twice: one of them would be lost in silence."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = Counter(key for key, _ in pairs)
        twice = next(key for key, count in keys.items() if count > 1)
        raise ValueError(f"the key {_shown(repr(twice))} stands twice in one object; remove one")
    return found


def _shown(text: str) -> str:
    """Return a text as it can be shown: halves of characters escaped, the middle cut out."""
    if len(text) > _SHOWN_CHARS:
        text = f"{text[: _SHOWN_CHARS // 2]}...{text[-_SHOWN_CHARS // 2 :]}"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")
