"""Typed fields: one way to declare, read and document settings, spider arguments and plans.

A dataclass declares its fields with :func:`declare`::

    @dataclass(frozen=True, slots=True)
    class ListArguments:
        file: str = declare(REQUIRED, "the file to read")
        max_pages: int = declare(0, "the most pages to fetch; 0 is no limit")

:func:`read_fields` reads them from values, or from the text of a command line; :func:`fields_of`
lists them for documentation. What a field accepts follows from its annotation: a number of at least
0, a text that is not empty, true or false, a path, a regular expression. A field whose annotation
ends with ``| None``, or whose default is the empty text or tuple, also accepts nothing. Any other
:class:`ValueType` is given to :func:`declare`.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, Final

from crawler.core.wording import nearest

REQUIRED: Final = MISSING
"""The default of a field that has none."""

_OR_NONE: Final = " | None"
_FLAGS: Final = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}
_HOST = re.compile(r"[a-z0-9_.\-]+:?|[0-9a-f.:]+(?:/\d{1,3})?")
_NO_NAME = re.compile("[/:]")
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}")
_DAY: Final = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")


class HintError(ValueError):
    """A value is not accepted; the message is added to what is accepted."""


@dataclass(frozen=True, slots=True)
class ValueType:
    """A type of values.

    Attributes:
        read: Converts a given value; raises TypeError, ValueError, OverflowError or re.error.
        accepts: What is accepted, in words that follow "It accepts".
    """

    read: Callable[[Any], Any]
    accepts: str

    def parse(self, value: object) -> Any:  # noqa: ANN401 - the type is what ``read`` returns
        """Convert a given value.

        Raises:
            ValueError: it is not accepted; the message is what is accepted.
        """
        try:
            return self.read(value)
        except (re.error, HintError) as error:
            raise ValueError(f"{self.accepts} ({error})") from None
        except (TypeError, ValueError, OverflowError):
            raise ValueError(self.accepts) from None


@dataclass(frozen=True, slots=True)
class Field:
    """One declared field.

    Attributes:
        name: The name under which a value is given.
        attribute: The name of the dataclass's attribute.
        type: What is accepted.
        default: The value when none is given, or ``REQUIRED``.
        meaning: One or two sentences for users.
        affects: What a setting changes, see :mod:`crawler.settings`; empty for other fields.
    """

    name: str
    attribute: str
    type: ValueType
    default: Any
    meaning: str
    affects: str


def declare(
    default: Any,  # noqa: ANN401 - as dataclasses.field
    meaning: str = "",
    accepts: ValueType | None = None,
    affects: str = "",
) -> Any:  # noqa: ANN401 - as dataclasses.field
    """Declare a field of a dataclass.

    Args:
        default: The value when none is given, or ``REQUIRED``.
        meaning: One or two sentences for users.
        accepts: What is accepted; None where the annotation says it.
        affects: What a setting changes, see :mod:`crawler.settings`.
    """
    notes = {"type": accepts, "meaning": meaning, "affects": affects}
    return dataclasses.field(default=default, metadata=notes)


# Settings are declared with these: what a change of a setting changes.
affects_items = partial(declare, affects="items")
affects_observations = partial(declare, affects="observations")
affects_neither = partial(declare, affects="neither")


def fields_of(cls: type[Any], prefix: str = "") -> dict[str, Field]:
    """List the declared fields of a dataclass by the names under which values are given.

    Args:
        cls: A dataclass whose annotations are text (``from __future__ import annotations``).
        prefix: For settings: names are in capitals, behind this prefix. Other names are those of
            the attributes, without the underscore that ends Python's own words (``from_``).
    """
    found = {}
    for one in dataclasses.fields(cls):
        if not one.metadata:
            continue
        name = prefix + one.name.upper() if prefix else one.name.removesuffix("_")
        annotation = str(one.type)
        type_ = one.metadata["type"] or _BY_ANNOTATION[annotation.removesuffix(_OR_NONE)]
        if annotation.endswith(_OR_NONE) or one.default in ("", ()):
            type_ = _optional(type_, one.default)
        notes = one.metadata
        found[name] = Field(name, one.name, type_, one.default, notes["meaning"], notes["affects"])
    return found


def read_fields(
    cls: type[Any], given: Mapping[str, object], prefix: str = ""
) -> tuple[dict[str, Any], list[str]]:
    """Read values for the fields of a dataclass.

    Args:
        cls: The dataclass.
        given: Values by name, typed or as text.
        prefix: As for :func:`fields_of`.

    Returns:
        The values by attribute, without those that are wrong or not given; and a sentence for each
        name that is not known and each value that is not accepted.
    """
    known = fields_of(cls, prefix) if given else {}
    values, mistakes = {}, []
    for name, value in given.items():
        if name not in known:
            # The prefix that all have would make any two names alike.
            near = nearest(name.removeprefix(prefix), (one.removeprefix(prefix) for one in known))
            hint = f" (did you mean '{prefix}{near}'?)" if near else ""
            mistakes.append(f"there is no '{name}'{hint}")
            continue
        try:
            values[known[name].attribute] = known[name].type.parse(value)
        except ValueError as error:
            mistakes.append(f"{name} is {value!r}. It accepts {error}")
    return values, mistakes


def whole_number(minimum: int) -> ValueType:
    """Accept a whole number of at least ``minimum``."""

    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int | str) or int(value) < minimum:
            raise ValueError
        return int(value)

    return ValueType(read, f"a whole number of at least {minimum}")


def number(minimum: float, maximum: float = math.inf) -> ValueType:
    """Accept a finite number between two limits, both inclusive."""

    def read(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise TypeError
        parsed = float(value)
        if not minimum <= parsed <= maximum or math.isinf(parsed):
            raise ValueError
        return parsed

    has_maximum = math.isfinite(maximum)
    limits = f"from {minimum:g} to {maximum:g}" if has_maximum else f"of at least {minimum:g}"
    return ValueType(read, f"a number {limits}")


def choice(*choices: str) -> ValueType:
    """Accept one of some words, in upper or lower case."""

    def read(value: object) -> str:
        return choices[choices.index(read_text(value).lower())]

    return ValueType(read, "one of " + ", ".join(f'"{word}"' for word in choices))


def words(*known: str) -> ValueType:
    """Accept a list of known words, or of codes of languages, or the same as text with commas."""

    def read(value: Any) -> tuple[str, ...]:  # noqa: ANN401 - anything may be given
        parts = value.split(",") if isinstance(value, str) else value
        found = [word for part in parts if (word := read_text(part).lower())]
        is_known = known.__contains__ if known else _LANGUAGE.fullmatch
        if not found or not all(map(is_known, found)):
            raise ValueError
        return tuple(dict.fromkeys(found))

    named = ", ".join(f'"{word}"' for word in known) or 'codes of languages such as "ko"'
    return ValueType(read, f"one or more, with commas between, of {named}")


def hosts() -> ValueType:
    """Accept a list of hosts, networks and schemes, or the same as text with commas."""
    accepts = 'one or more, with commas between, of hosts such as "wiki.corp.example"'
    return ValueType(
        _read_hosts, f'{accepts}, networks such as "10.0.0.0/8", schemes such as "ftp:"'
    )


def hosts_or(*words: str) -> ValueType:
    """Accept a list of hosts and of some words, or the same as text with commas.

    The last word is one that stands alone.
    """

    def read(value: Any) -> tuple[str, ...]:  # noqa: ANN401 - anything may be given
        found = _read_hosts(value)
        # What is no host is a word that was misspelt, a network or a scheme.
        if (words[-1] in found and len(found) > 1) or not all(
            one in words or one == "localhost" or ("." in one and not _NO_NAME.search(one))
            for one in found
        ):
            raise ValueError
        return found

    named = ", ".join(f'"{word}"' for word in words)
    return ValueType(read, f'one or more, with commas between, of {named}, hosts as "blog.example"')


def _read_hosts(value: Any) -> tuple[str, ...]:  # noqa: ANN401 - anything may be given
    parts = value.split(",") if isinstance(value, str) else value
    found = [read_text(part).lower().rstrip(".") for part in parts]
    if not found or not all(map(_HOST.fullmatch, found)):
        raise ValueError
    return tuple(dict.fromkeys(found))


def dictionary(cls: type[Any]) -> ValueType:
    """Accept a dictionary with the fields of a dataclass as keys, or the same as JSON text."""

    def read(value: object) -> object:
        given = json.loads(value) if isinstance(value, str) else value
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping):
            raise TypeError
        values, mistakes = read_fields(cls, given)
        if mistakes:
            raise ValueError
        return cls(**values)

    keys = ", ".join(f'"{one.name}" ({one.type.accepts})' for one in fields_of(cls).values())
    return ValueType(read, f"a dictionary, or JSON, with any of the keys {keys}")


def _optional(type_: ValueType, default: object) -> ValueType:
    nothing = default if default in ("", ()) else None

    def read(value: object) -> object:
        is_empty = value is None or (isinstance(value, str | list | tuple) and not value)
        return nothing if is_empty else type_.read(value)

    return ValueType(read, f"{type_.accepts}, or nothing")


def _read_flag(value: object) -> bool:
    if not isinstance(value, int | str):
        raise TypeError
    word = str(value).strip().lower()
    if word not in _FLAGS:
        raise ValueError
    return _FLAGS[word]


def read_text(value: object) -> str:
    """Return a text without white space around; raise ValueError where nothing is left."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError
    return value.strip()


def _read_day(value: object) -> str:
    text = read_text(value)
    if not _DAY.fullmatch(text):
        raise ValueError
    # The first day of a month or year stands for it.
    date.fromisoformat(text + "-01" * (2 - text.count("-")))
    return text


DAY: Final = ValueType(_read_day, "a day, month or year such as 2026-11-27, 2026-11 or 2026")
_BY_ANNOTATION: Final = {
    "bool": ValueType(_read_flag, "True or False"),
    "int": whole_number(0),
    "float": number(0),
    "str": ValueType(read_text, "a text that is not empty"),
    "Path": ValueType(
        lambda value: value if isinstance(value, Path) else Path(read_text(value)), "a path"
    ),
    "Pattern[str]": ValueType(re.compile, "a regular expression"),
}
