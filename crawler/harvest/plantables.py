"""A table of a plan whose values are read one by one, and every mistake noted with its place."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any, Final, TypeVar

from crawler.core.errors import one_line
from crawler.harvest.plan import Mistake

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from crawler.harvest.tomlplaces import Place

__all__ = ["Table", "kind_of", "nearest", "shown"]

_T = TypeVar("_T")
_LONGEST: Final = 80
_NEAR: Final = 0.6
_KINDS: Final = (
    (bool, "true or false"),
    (int, "a whole number"),
    (float, "a number"),
    (str, "a text"),
    (list, "a list"),
    (dict, "a table"),
    ((datetime, date, time), "a date or time"),
)


@dataclass(slots=True)
class Table:
    """One table.

    Attributes:
        values: What it holds, as :mod:`tomllib` reads it.
        place: Where it stands in the document.
        owner: What a mistake in it begins with, such as ``site 'blog'``; empty for nothing.
        places: The line of every place of the document.
        mistakes: Where mistakes are noted; one list for all tables of a plan.
    """

    values: Mapping[str, Any]
    place: Place = ()
    owner: str = ""
    places: Mapping[Place, int] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)

    def line(self, *keys: str | int) -> int:
        """Return the line of a key or element, or else of what holds it; 0 for the whole file."""
        place = (*self.place, *keys)
        while place and place not in self.places:
            place = place[:-1]
        return self.places.get(place, 0)

    def wrong(self, text: str, *keys: str | int) -> None:
        """Note a mistake at a key or element, or at the table as a whole."""
        owner = f"{self.owner}: " if self.owner else ""
        line = one_line(f"{owner}{text}")
        # What a terminal would act upon may stand in values, and in what libraries say of them.
        told = "".join(char if char.isprintable() else "?" for char in line)
        self.mistakes.append(Mistake(self.line(*keys), told))

    def read(self, key: str, reader: Callable[[Any], _T], default: _T) -> _T:
        """Return the value of a key; ``default`` where it is not given, or wrong, which is noted.

        Args:
            key: the key.
            reader: makes of its value what is wanted; raises ValueError with words that follow the
                value in the message.
            default: what stands for no value.
        """
        if key not in self.values:
            return default
        value = self.values[key]
        try:
            return reader(value)
        except ValueError as error:
            self.wrong(f"{key} = {shown(value)} {error}", key)
            return default

    def read_all(self, key: str, reader: Callable[[Any], _T]) -> tuple[_T, ...]:
        """Return what a list holds, each element once; a single value is a list of one."""
        value = self.values.get(key, [])
        elements = value if isinstance(value, list) else [value]
        found: dict[_T, None] = {}
        for number, element in enumerate(elements):
            try:
                found[reader(element)] = None
            except ValueError as error:
                self.wrong(f"{key}: {shown(element)} {error}", key, number)
        return tuple(found)

    def table(self, key: str) -> Table | None:
        """Return the table under a key, whose mistakes begin with its name; None for none."""
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            self.wrong(f"{key} = {shown(value)} is {kind_of(value)}; make it a table [{key}]", key)
            return None
        owner = f"{self.owner}: {key}" if self.owner else key
        return Table(value, (*self.place, key), owner, self.places, self.mistakes)

    def tables(self, key: str) -> list[Table] | None:
        """Return the tables of an array under a key; None where it is no such array, or broken."""
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            self.wrong(f"{key} is {kind_of(value)}; write [[{key}]], in two brackets", key)
            return None
        return [
            Table(
                one, (*self.place, key, number), f"{key} {number + 1}", self.places, self.mistakes
            )
            for number, one in enumerate(value)
        ]

    def refuse_unknown(self, known: Iterable[str], elsewhere: Mapping[str, str]) -> None:
        """Note each key that is not known.

        Args:
            known: those that are.
            elsewhere: keys of other tables or programs, and what is to be said of them.
        """
        names = list(known)
        for key in self.values:
            if key in names:
                continue
            near = nearest(key, names)
            if key in elsewhere:
                advice = elsewhere[key]
            elif near:
                advice = f"did you mean '{near}'?"
            else:
                advice = f"known are {', '.join(names)}"
            self.wrong(f"unknown key {shown(key)}; {advice}", key)


def kind_of(value: object) -> str:
    """Name the type of a value of TOML."""
    return next((words for kinds, words in _KINDS if isinstance(value, kinds)), "something else")


def shown(value: object) -> str:
    """Write a value for a message: on one line, and not too long."""
    text = str(value).lower() if isinstance(value, bool) else one_line(value)
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST - 1]}…"
    return f"'{text}'" if isinstance(value, str) else text


def nearest(name: str, known: Iterable[str], *, cutoff: float = _NEAR) -> str:
    """Return the known name that a wrong one seems to mean; the empty text where none is near."""
    folded = {one.casefold().replace("-", "_"): one for one in known}
    wanted = name[:_LONGEST].casefold().replace("-", "_")
    near = difflib.get_close_matches(wanted, folded, n=1, cutoff=cutoff)
    return folded[near[0]] if near else ""
