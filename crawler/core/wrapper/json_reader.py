"""Reading JSON that people may have edited: an error names the place in the file."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from crawler.core.errors import UnreadableInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

_T = TypeVar("_T")
_SHOWN_CHARS = 800
# Half of a UTF-16 pair, which JSON can write and a file in UTF-8 cannot hold.
_HALF = re.compile("[\ud800-\udfff]")
_NAMES = {
    type(None): "null", dict: "an object", list: "a list", bool: "true or false", str: "a string",
    int: "a whole number", float: "a number",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class JsonValue:
    """A JSON value with the name of its file and its path, such as ``rules.title[0]``.

    All methods raise UnreadableInputError where the value is another one.
    """

    file: str
    path: str
    value: Any

    def fail(self, what: str) -> NoReturn:
        """Refuse the value."""
        raise UnreadableInputError(f"{self.file}: {_cut(self.path) or 'the file'}: {_cut(what)}")

    def of_type(self, *types: type) -> Any:  # noqa: ANN401 - JSON is of any type
        """Return a value of one of these types."""
        if type(self.value) not in types:
            self.fail(f"must be {_NAMES[types[-1]]}, not {_NAMES[type(self.value)]}")
        return self.value

    def text(self) -> str:
        """Return a string."""
        text = str(self.of_type(str))
        if _HALF.search(text):
            self.fail("has half of a character (\\ud800 to \\udfff); write it whole")
        return text

    def count(self, least: int = 0) -> int:
        """Return a whole number of at least this."""
        number = int(self.of_type(int))
        if not least <= number < 1 << 31:
            self.fail(f"must be a number from {least} on, not {number}")
        return number

    def items(self, read: Callable[[JsonValue], _T]) -> tuple[_T, ...]:
        """Read the items of a list."""
        return tuple(
            read(JsonValue(self.file, f"{self.path}[{at}]", value))
            for at, value in enumerate(self.of_type(list))
        )

    def members(self) -> dict[str, JsonValue]:
        """Return the members of an object."""
        return {name: self._member(name, value) for name, value in self.of_type(dict).items()}

    def _member(self, name: str, value: object) -> JsonValue:
        return JsonValue(self.file, f"{self.path}.{name}" if self.path else name, value)

    def member(self, name: str) -> JsonValue:
        """Return a member of an object that has to be there."""
        found = self.members()
        if name not in found:
            self.fail(f"'{name}' is missing; add it")
        return found[name]

    def fields(
        self, needed: Collection[str], optional: Mapping[str, object] | None = None
    ) -> dict[str, JsonValue]:
        """Return the members of an object with these keys, and no others.

        Args:
            needed: keys that have to be there.
            optional: other keys with their default values.
        """
        found = {name: self._member(name, value) for name, value in (optional or {}).items()}
        known = (*needed, *found)
        for name, member in self.members().items():
            if name not in known:
                self.fail(f"there is no key '{name}' here; the keys are: {', '.join(known)}")
            found[name] = member
        for name in needed:
            self.member(name)
        return found


def read_json(text: str, file: str) -> JsonValue:
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
        raise UnreadableInputError(f"{file}: not JSON ({_cut(str(error))})") from error
    return JsonValue(file, "", value)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that is there twice: one of the two values would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        key, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise ValueError(f"the key {key!r} is twice in one object; remove one")
    return found


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _cut(text: str) -> str:
    """Return a text that can be printed: halves of characters escaped, the middle cut out."""
    if len(text) > _SHOWN_CHARS:
        text = f"{text[: _SHOWN_CHARS // 2]}...{text[-_SHOWN_CHARS // 2 :]}"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
