"""Typed spider arguments: declared once as a dataclass, read from ``-a name=value``.

A spider declares what it understands::

    @dataclass(frozen=True, slots=True)
    class ListArguments:
        file: str = text_argument("the file to read")
        max_pages: int = whole_number_argument("most pages to fetch, 0 for all", default=0)

and reads it in its constructor with :func:`parse_arguments`, which also makes the one-line error
for whatever it cannot understand.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import MISSING, dataclass, field, fields
from datetime import date
from typing import TYPE_CHECKING, Any, TypeVar, cast

from crawler.core.errors import ArgumentError, OneLineExit, one_line
from crawler.settings import read_flag

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "ArgumentExit",
    "ArgumentHelp",
    "date_argument",
    "describe_arguments",
    "flag_argument",
    "parse_arguments",
    "pattern_argument",
    "read_argument",
    "share_argument",
    "text_argument",
    "whole_number_argument",
    "words_argument",
]

_T = TypeVar("_T")
_MEANING = "meaning"
_READ = "read"
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")


class ArgumentExit(OneLineExit, ArgumentError):  # noqa: N818 - it is an exit, as SystemExit is
    """An :class:`ArgumentError` where Scrapy would show any other exception as a traceback."""


@dataclass(frozen=True, slots=True)
class ArgumentHelp:
    """One declared argument: its name, what it means, and its default as text (``""``: none)."""

    name: str
    meaning: str
    default: str
    required: bool


def text_argument(meaning: str, *, default: str | None = None) -> str:
    """Declare a text argument; without a default it is required."""
    return cast("str", _declare(meaning, _read_text, MISSING if default is None else default))


def whole_number_argument(meaning: str, *, default: int, minimum: int = 0) -> int:
    """Declare a whole number that is at least ``minimum``."""

    def read(value: str) -> int:
        try:
            number = int(value)
        except ValueError:
            raise ValueError("is not a whole number") from None
        if number < minimum:
            raise ValueError(f"is less than {minimum}")
        return number

    return cast("int", _declare(meaning, read, default))


def share_argument(meaning: str, *, default: float) -> float:
    """Declare a number that is 0 or more."""

    def read(value: str) -> float:
        try:
            number = float(value)
        except ValueError:
            raise ValueError("is not a number") from None
        if not 0 <= number < float("inf"):
            raise ValueError("is not a number that is 0 or more")
        return number

    return cast("float", _declare(meaning, read, default))


def flag_argument(meaning: str, *, default: bool) -> bool:
    """Declare a yes-or-no argument."""
    return cast("bool", _declare(meaning, read_flag, default))


def pattern_argument(meaning: str) -> re.Pattern[str] | None:
    """Declare an optional regular expression; not given or empty, it is ``None``."""
    return cast("re.Pattern[str] | None", _declare(meaning, _read_pattern, None))


def words_argument(meaning: str, *, among: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Declare words with commas between; the default is all of ``among``, or none without it.

    Args:
        meaning: what it means.
        among: the words that are known; without it, codes of languages such as ``ko``.
    """

    def read(value: str) -> tuple[str, ...]:
        words = [word for part in value.lower().split(",") if (word := part.strip())]
        wrong = next((word for word in words if not _is_known(word, among)), None)
        if wrong is not None or (among and not words):
            told = f"has '{one_line(wrong)}' in it" if wrong is not None else "is empty"
            raise ValueError(f"{told}, not {', '.join(among) or 'codes such as ko,en'}")
        return tuple(dict.fromkeys(words))

    return cast("tuple[str, ...]", _declare(meaning, read, among))


def date_argument(meaning: str) -> str:
    """Declare an optional date: a day, month or year of ISO 8601; not given, it is empty."""
    return cast("str", _declare(meaning, _read_date, ""))


def _is_known(word: str, among: tuple[str, ...]) -> bool:
    return word in among if among else _LANGUAGE.fullmatch(word) is not None


def _read_date(value: str) -> str:
    value = value.strip()
    if not value:
        return ""
    try:
        # The first day of a month or year stands for it.
        date.fromisoformat(value + "-01" * (2 - value.count("-")))
        known = _DATE.fullmatch(value) is not None
    except ValueError:
        known = False
    if not known:
        raise ValueError("is no date such as 2026-11-27, 2026-11 or 2026")
    return value


def _declare(meaning: str, read: Callable[[str], object], default: object) -> object:
    item: object = field(default=default, metadata={_MEANING: meaning, _READ: read})
    return item


def _read_text(value: str) -> str:
    return value.strip()


def _read_pattern(value: str) -> re.Pattern[str] | None:
    if not value:
        return None
    try:
        return re.compile(value)
    except re.error as error:
        raise ValueError(f"is not a regular expression ({error})") from None


def describe_arguments(cls: type[Any]) -> tuple[ArgumentHelp, ...]:
    """List the arguments a dataclass declares, in their order."""
    return tuple(
        ArgumentHelp(
            name=_argument_name(item.name),
            meaning=item.metadata[_MEANING],
            default=_as_text(item.default),
            required=item.default is MISSING,
        )
        for item in fields(cls)
    )


def read_argument(cls: type[Any], name: str, text: str) -> object:
    """Return what one argument of a dataclass makes of a text.

    Raises:
        KeyError: the dataclass has no such argument.
        ValueError: the text is wrong; the message says why, in words that follow the text.
    """
    read = {_argument_name(item.name): item.metadata[_READ] for item in fields(cls)}[name]
    return read(text)


def parse_arguments(cls: type[_T], raw: Mapping[str, object], *, owner: str) -> _T:
    """Make ``cls`` of the arguments as given on a command line.

    Args:
        cls: A dataclass whose fields are declared with the functions of this module.
        raw: Argument names and values. Values are text; numbers, truth values and compiled
            patterns are taken as well, for crawls started from Python. Names that begin with
            ``_`` belong to the program that runs the spider and are passed over.
        owner: Name of the spider or command, which the error message begins with.

    Raises:
        ArgumentExit: An argument is unknown, missing or wrong. The message is one line.
    """
    declared = {_argument_name(item.name): item for item in fields(cast("Any", cls))}
    values: dict[str, object] = {}
    for name, value in raw.items():
        if name.startswith("_"):
            continue
        if name not in declared:
            raise ArgumentExit(f"{owner}: {_unknown(name, list(declared))}")
        read = declared[name].metadata[_READ]
        try:
            given = value.pattern if isinstance(value, re.Pattern) else str(value)
            values[declared[name].name] = read(given)
        except ValueError as error:
            meaning = declared[name].metadata[_MEANING]
            raise ArgumentExit(f"{owner}: {name}={value!s} {error}; {name} is {meaning}") from None
    missing = [
        name
        for name, item in declared.items()
        if item.default is MISSING and not values.get(item.name)
    ]
    if missing:
        meaning = declared[missing[0]].metadata[_MEANING]
        raise ArgumentExit(
            f"{owner}: argument '{missing[0]}' is missing: give -a {missing[0]}=…, {meaning}; "
            f"{_known(declared)}",
        )
    return cls(**values)


def _argument_name(field_name: str) -> str:
    """Return the name under which a field is given: an underscore ends those of Python's words."""
    return field_name.removesuffix("_")


def _as_text(default: object) -> str:
    if isinstance(default, tuple):
        return ",".join(default)
    return "" if default in {MISSING, None} else str(default)


def _unknown(name: str, declared: list[str]) -> str:
    near = difflib.get_close_matches(name, declared, n=1, cutoff=0.5)
    hint = f" (did you mean '{near[0]}'?)" if near else ""
    return f"unknown argument '{one_line(name)}'{hint}; {_known(declared)}"


def _known(names: Mapping[str, object] | list[str]) -> str:
    return f"arguments are: {', '.join(names)}"
