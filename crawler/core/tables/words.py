"""The words and patterns of data types in table cells, one data file a language.

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

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from crawler.core.errors import OptionError
from crawler.core.wording import did_you_mean
from crawler.core.words import longest_first, read_data

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

LANGUAGES = ("en", "ko", "ja", "de", "fr", "es")
DATA_TYPES = (
    "image", "form", "postal-code", "time", "date", "month", "day", "temperature", "electric",
    "weight", "currency", "percentage", "integer", "real", "string",
)  # fmt: skip
"""The data types of Kim and Lee (2004), table 2 and figure 10."""
_MONTHS = 12
_ANY = "*"
_Form: TypeAlias = "tuple[Callable[[Any], bool], str] | list[_Form] | dict[str, _Form]"


def _is_pattern(text: object) -> bool:
    try:
        return isinstance(text, str) and bool(re.compile(text))
    except re.error:
        return False


def _matches(pattern: str) -> Callable[[Any], bool]:
    return lambda text: isinstance(text, str) and re.fullmatch(pattern, text) is not None


_TEXTS: Final[_Form] = [(_matches(r"(?s).*\S.*"), "a text that is not blank")]
# What a list may hold: by key, or by any key; a list of one form; or a test and what is right.
_FORM: Final[_Form] = {
    "language": (_matches(r"(?:[a-z]{2,3})?"), "a code such as 'cs'"),
    "decimal": (_matches(r"[.,]"), "'.' or ',', the mark of decimals"),
    "group": (_matches(r"(?s)."), "the mark between groups of three digits, one character"),
    "months": [_TEXTS],
    "weekdays": _TEXTS,
    "units": dict.fromkeys(
        ("time", "temperature", "electric", "weight", "currency", "percent", "count"), _TEXTS
    ),
    "currency_codes": {_ANY: (_matches(r"[A-Z]{3}"), "an ISO 4217 code such as 'EUR'")},
    "classes": {_ANY: {"keywords": _TEXTS, "values": _TEXTS}},
    "values": {_ANY: [(_is_pattern, "a regular expression")]},
}
# Scripts written without spaces: a word of theirs may stand inside a longer one.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The lists of several languages together.

    Attributes:
        months: number of each month's name, 1 to 12; names in lower case.
        weekdays: names of days, in lower case.
        units: kind of measure to its words, longest first.
        currency_codes: sign or word to ISO 4217 code.
        keywords: class of attributes to the pattern that finds one of its keywords.
        values: class of attributes to the names of the values that belong to it.
        patterns: name of a value to the pattern that finds it.
        marks: language to its decimal and group marks.
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
    shipped = {name: read_data("crawler.core.tables", name) for name in ("common", *LANGUAGES)}
    added = list(more)
    lists = [*shipped.values(), *(each for each in added if isinstance(each, dict))]
    values = {*DATA_TYPES, *(name for each in lists for name in _mapping(each, "values"))}
    classes = {
        name
        for each in lists
        for name, entry in _mapping(each, "classes").items()
        if _mapping({"": entry}, "").get("values")
    }
    for number, each in enumerate(added):
        where = names[number] if number < len(names) else f"list {number + 1}"
        _check(each, where, classes, values)
    named = [{**shipped[name], "language": name} for name in LANGUAGES]
    return _merged(lists, [*named, *(each for each in added if "decimal" in each)])


def _mapping(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return the mapping under a key of a list, empty where there is none."""
    found = data.get(key)
    return found if isinstance(found, dict) else {}


def _check(data: object, where: str, classes: Collection[str], values: Collection[str]) -> None:
    """Refuse a list of words of another form: a misspelt key would silently add nothing.

    Args:
        data: the list, as read from JSON.
        where: what errors call it, such as the name of its file.
        classes: names of the classes that have values already.
        values: names of all kinds of value: data types, and the patterns of all lists.

    Raises:
        OptionError: It is not of the form. The message names the list, the key and what is right.
    """
    mistake = next(_mistakes(data, _FORM, ""), None)
    if mistake is None and isinstance(data, dict):
        mistake = next(_mistakes_between_keys(data, classes, values), None)
    if mistake is not None:
        raise OptionError(
            f"table words in {where}: {mistake}. See docs/tables.md, 'Words and patterns'."
        )


def _mistakes(found: object, form: _Form, key: str) -> Iterator[str]:
    """Yield what is wrong with a piece of JSON by a form."""
    if isinstance(form, dict) and isinstance(found, dict):
        for name, entry in found.items():
            if name in form or _ANY in form:
                below = f"{key} / {name}" if key else name
                yield from _mistakes(entry, form.get(name) or form[_ANY], below)
            else:
                yield _unknown(name, key or "the list", form)
    elif isinstance(form, list) and isinstance(found, list):
        for entry in found:
            yield from _mistakes(entry, form[0], f"an entry of {key}")
    elif isinstance(form, dict):
        yield _wrong(key or "the list", found, "an object, in braces")
    elif isinstance(form, list):
        yield _wrong(key, found, "a list, in square brackets")
    elif not form[0](found):
        yield _wrong(key, found, form[1])


def _mistakes_between_keys(
    data: Mapping[str, Any], classes: Collection[str], values: Collection[str]
) -> Iterator[str]:
    """Yield what is wrong between the keys of a list whose keys are right."""
    if len(data.get("months", ())) > _MONTHS:
        yield f"months has {len(data['months'])} lists; there are twelve months"
    decimal, group = data.get("decimal"), data.get("group")
    if (decimal or group) and (not decimal or not group or decimal == group):
        yield f"decimal is {decimal!r} and group is {group!r}; give two different marks"
    if decimal and not data.get("language"):
        yield 'decimal and group are of no language; call the file by its code, or add "language"'
    for name, entry in data.get("classes", {}).items():
        for value in entry.get("values", ()):
            if value not in values:
                yield _unknown(value, f"classes / {name} / values", values)
        if name not in classes and not entry.get("values"):
            near = did_you_mean(name, classes)
            yield f"classes / {name} has no values, by which the class would be told{near}"


def _wrong(key: str, found: object, wanted: str) -> str:
    kinds: dict[type, str] = {dict: "an object", list: "a list"}
    shown = kinds.get(type(found)) or repr(found)[:60]
    return f"{key} is {shown}; give {wanted}"


def _unknown(name: str, key: str, known: Iterable[str]) -> str:
    near, names = did_you_mean(name, known), ", ".join(sorted(known))
    return f"{key} knows no '{name}'{near}; there are {names}"


def _merged(lists: Iterable[Mapping[str, Any]], marked: Iterable[Mapping[str, Any]]) -> Words:
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
        units={kind: tuple(longest_first(words)) for kind, words in units.items()},
        currency_codes=codes,
        keywords={kind: _any_word(words) for kind, words in keywords.items()},
        values={kind: tuple(names) for kind, names in values.items()},
        patterns={kind: re.compile("|".join(found)) for kind, found in patterns.items()},
        marks={each["language"]: (each["decimal"], each["group"]) for each in marked},
    )


def _any_word(words: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds one of the words, whole; those of unspaced scripts anywhere."""
    pieces = []
    for word in longest_first({word.lower() for word in words}):
        # One character of an unspaced script is too short to be found inside a longer word.
        if _UNSPACED.search(word):
            pieces.append(re.escape(word) if len(word) > 1 else f"^{re.escape(word)}$")
        else:
            pieces.append(rf"(?<!\w){re.escape(word)}(?!\w)")
    return re.compile("|".join(pieces) or r"(?!)")
