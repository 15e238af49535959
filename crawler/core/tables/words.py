"""The words and patterns by which table cells are told, one data file a language.

A file of ``data`` is a JSON object:

``language``
    Code of the language, such as ``cs``; for added lists whose file is not called by it.
``decimal``, ``group``
    The marks that a number of the language is written with.
``months``
    Twelve lists, the names of each month, from January on.
``weekdays``
    Names of days.
``units``
    For a kind of measure (``time``, ``temperature``, ``electric``, ``weight``, ``currency``,
    ``percent``, ``count``) the words that stand beside a number.
``currency_codes``
    ISO 4217 codes of currency signs that mean one currency only.
``classes``
    For a class of attributes its ``keywords``, and the ``values`` (names below) that belong to it.
``values``
    For a kind of value its regular expressions, looked for in lower case.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from crawler.core.tables.wordcheck import check_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["DATA_TYPES", "LANGUAGES", "Words", "classes_of", "default_words", "load_words"]

LANGUAGES = ("en", "ko", "ja", "de", "fr", "es")
DATA_TYPES = (
    "image", "form", "postal-code", "time", "date", "month", "day", "temperature", "electric",
    "weight", "currency", "percentage", "integer", "real", "string",
)  # fmt: skip
"""The data types of Kim and Lee (2004), table 2 and figure 10."""
_COMMON = "common"
# Scripts written without spaces: a word of theirs may stand inside a longer one.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The lists of several languages together.

    ``months``
        Number of each month's name, 1 to 12; names in lower case.
    ``weekdays``
        Names of days, in lower case.
    ``units``
        Kind of measure to its words, longest first.
    ``currency_codes``
        Sign or word to ISO 4217 code.
    ``keywords``
        Class of attributes to the pattern that finds one of its keywords.
    ``values``
        Class of attributes to the names of the values that belong to it.
    ``patterns``
        Name of a value to the pattern that finds it.
    ``marks``
        Language to its decimal and group marks.
    """

    months: Mapping[str, int]
    weekdays: frozenset[str]
    units: Mapping[str, tuple[str, ...]]
    currency_codes: Mapping[str, str]
    keywords: Mapping[str, re.Pattern[str]]
    values: Mapping[str, tuple[str, ...]]
    patterns: Mapping[str, re.Pattern[str]]
    marks: Mapping[str, tuple[str, str]]


@cache
def default_words() -> Words:
    """Return the lists of all languages that come with the project."""
    return load_words()


@lru_cache(maxsize=1 << 14)  # an attribute is asked for by each way to read a table
def classes_of(lowered: str, words: Words) -> tuple[str, ...]:
    """Return the classes of attributes of which a text, in lower case, has a keyword."""
    return tuple(name for name, keywords in words.keywords.items() if keywords.search(lowered))


def load_words(more: Iterable[Mapping[str, Any]] = (), names: Sequence[str] = ()) -> Words:
    """Read the lists that come with the project and add ``more``, objects of the same form.

    Args:
        more: the lists to add.
        names: what errors call each of them, such as the names of their files.

    Raises:
        OptionError: One of ``more`` is not of that form, or holds a pattern that is none.
    """
    shipped = {name: _read(name) for name in (_COMMON, *LANGUAGES)}
    added = list(more)
    lists = [*shipped.values(), *added]
    values = {*DATA_TYPES, *_names_in(lists, "values")}
    classes = {
        name
        for each in lists
        for name in _names_in([each], "classes")
        if isinstance(entry := each["classes"][name], dict) and entry.get("values")
    }
    for number, each in enumerate(added):
        where = names[number] if number < len(names) else f"list {number + 1}"
        check_words(each, where, classes=classes, values=values)
    marks = {name: each for name, each in shipped.items() if name != _COMMON}
    marks |= {each["language"]: each for each in added if "decimal" in each}
    return _merged(lists, marks)


def _names_in(lists: Iterable[object], key: str) -> set[str]:
    """Return the names below a key of all lists that are of the right form so far."""
    found = [each.get(key) for each in lists if isinstance(each, dict)]
    return {name for each in found if isinstance(each, dict) for name in each}


def _read(name: str) -> dict[str, Any]:
    text = files("crawler.core.tables").joinpath("data", f"{name}.json").read_text("utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def _merged(lists: list[Mapping[str, Any]], named: Mapping[str, Mapping[str, Any]]) -> Words:
    months: dict[str, int] = {}
    weekdays: set[str] = set()
    codes: dict[str, str] = {}
    units: dict[str, set[str]] = {}
    keywords: dict[str, set[str]] = {}
    values: dict[str, list[str]] = {}
    patterns: dict[str, list[str]] = {}
    for each in lists:
        for number, names in enumerate(each.get("months", ()), start=1):
            months |= {name.lower(): number for name in names}
        weekdays |= {name.lower() for name in each.get("weekdays", ())}
        codes |= each.get("currency_codes", {})
        for kind, words in each.get("units", {}).items():
            units.setdefault(kind, set()).update(words)
        for kind, entry in each.get("classes", {}).items():
            keywords.setdefault(kind, set()).update(entry.get("keywords", ()))
            values.setdefault(kind, []).extend(entry.get("values", ()))
        for kind, found in each.get("values", {}).items():
            patterns.setdefault(kind, []).extend(found)
    return Words(
        months=months,
        weekdays=frozenset(weekdays),
        units={kind: _longest_first(words) for kind, words in units.items()},
        currency_codes=codes,
        keywords={kind: _any_word(words) for kind, words in keywords.items()},
        values={kind: tuple(names) for kind, names in values.items()},
        patterns={kind: re.compile("|".join(found)) for kind, found in patterns.items()},
        marks={name: (each["decimal"], each["group"]) for name, each in named.items()},
    )


def _longest_first(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(words, key=lambda word: (-len(word), word)))


def _any_word(words: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds one of the words, whole; those of unspaced scripts anywhere."""
    pieces = []
    for word in _longest_first({word.lower() for word in words}):
        # One character of an unspaced script says little inside a longer word: it must be alone.
        if _UNSPACED.search(word):
            pieces.append(re.escape(word) if len(word) > 1 else f"^{re.escape(word)}$")
        else:
            pieces.append(rf"(?<!\w){re.escape(word)}(?!\w)")
    return re.compile("|".join(pieces) or r"(?!)")
