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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

from crawler.core.errors import OptionError
from crawler.core.wording import did_you_mean
from crawler.core.words import longest_first, read_data

LANGUAGES = ("en", "ko", "ja", "de", "fr", "es")
DATA_TYPES = (
    "image", "form", "postal-code", "time", "date", "month", "day", "temperature", "electric",
    "weight", "currency", "percentage", "integer", "real", "string",
)  # fmt: skip
"""The data types of Kim and Lee (2004), table 2 and figure 10."""
_MONTHS = 12
_UNITS = ("time", "temperature", "electric", "weight", "currency", "percent", "count")
_NAMES = r"\[\]=.*\S.*"
# What a list may hold by its key: a pattern for each of its texts as _texts writes them, with the
# keys and brackets around it; and the same in words.
_FORM: Final = {
    "language": ("=(?:[a-z]{2,3})?", "a code such as 'cs'"),
    "decimal": ("=[.,]", "'.' or ',', the mark of decimals"),
    "group": ("=.", "the mark between groups of three digits, one character"),
    "months": (rf"\[\]{_NAMES}", "twelve lists of names"),
    "weekdays": (_NAMES, "a list of names"),
    "units": (rf"/({'|'.join(_UNITS)}){_NAMES}", f"lists of words for: {', '.join(_UNITS)}"),
    "currency_codes": (r"/.*=[A-Z]{3}", "an ISO 4217 code such as 'EUR' for each sign"),
    "classes": (rf"/.*/(keywords|values){_NAMES}", "'keywords' and 'values' of each class, lists"),
    "values": (r"/.*\[\]=.*", "a list of regular expressions for each kind of value"),
}
_SEE = ". See docs/tables.md, 'Words and patterns'."
# Scripts written without spaces: a word of theirs may stand inside a longer one.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_WORD = re.compile(r"\w+")


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
        heads: the first words of all keywords; None where one begins with a sign.
    """

    months: Mapping[str, int]
    weekdays: frozenset[str]
    units: Mapping[str, tuple[str, ...]]
    currency_codes: Mapping[str, str]
    keywords: Mapping[str, re.Pattern[str]]
    values: Mapping[str, tuple[str, ...]]
    patterns: Mapping[str, re.Pattern[str]]
    marks: Mapping[str, tuple[str, str]]
    heads: frozenset[str] | None


@cache
def default_words() -> Words:
    """Return the lists of all languages that come with the project."""
    return load_words()


@lru_cache(maxsize=1 << 14)  # an attribute is asked for by each way to read a table
def classes_of(lowered: str, words: Words) -> tuple[str, ...]:
    """Return the classes of attributes of which a text, in lower case, has a keyword."""
    is_spaced = lowered.isascii() or _UNSPACED.search(lowered) is None
    # Most texts have the first word of no keyword.
    if is_spaced and words.heads is not None and words.heads.isdisjoint(_WORD.findall(lowered)):
        return ()
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
    added = []
    for number, each in enumerate(more):
        for mistake in _mistakes(each):
            where = names[number] if number < len(names) else f"list {number + 1}"
            raise OptionError(f"table words in {where}: {mistake}{_SEE}")
        added.append({key: value for key, value in each.items() if value})
    named = [{**shipped[name], "language": name} for name in LANGUAGES]
    marked = [*named, *(each for each in added if "decimal" in each)]
    words = _merged([*shipped.values(), *added], marked)
    known = {*DATA_TYPES, *words.patterns}
    for name, kinds in words.values.items():
        for kind in set(kinds) - known:
            near = did_you_mean(kind, known)
            raise OptionError(f"table words: classes/{name}/values knows no '{kind}'{near}{_SEE}")
        if not kinds:
            near = did_you_mean(name, {key for key, kinds in words.values.items() if kinds})
            raise OptionError(f"table words: classes/{name} has no values{near}{_SEE}")
    return words


def _mistakes(data: object) -> Iterator[str]:
    """Yield what is wrong with a list of words: a misspelt key would silently add nothing."""
    if not isinstance(data, dict):
        yield "it is no object, in braces"
        return
    for key, found in data.items():
        pattern, wanted = _FORM.get(key, ("", ""))
        if not pattern:
            yield f"there is no '{key}'{did_you_mean(key, _FORM)}"
        for text in _texts(found):
            if re.fullmatch(pattern, text, re.DOTALL) is None:
                yield f"{key}{text} is wrong; give {wanted}"
            elif key == "values" and not _is_pattern(text.partition("=")[2]):
                yield f"{key}{text} is no regular expression"
    if len(data.get("months", ())) > _MONTHS:
        yield f"months has {len(data['months'])} lists; there are twelve months"
    decimal, group = data.get("decimal"), data.get("group")
    if (decimal or group) and (not decimal or not group or decimal == group):
        yield f"decimal is {decimal!r} and group is {group!r}; give two different marks"
    if decimal and not data.get("language"):
        yield 'decimal and group are of no language; call the file by its code, or add "language"'


def _is_pattern(text: str) -> bool:
    try:
        return bool(re.compile(text))
    except (re.error, OverflowError, RecursionError):
        return False


def _texts(found: object) -> Iterator[str]:
    """Yield each text of a piece of JSON behind what it stands in: ``/key[]=text``."""
    if isinstance(found, dict):
        for key, below in found.items():
            yield from (f"/{key}{text}" for text in _texts(below))
    elif isinstance(found, list):
        for below in found:
            yield from (f"[]{text}" for text in _texts(below))
    else:
        yield f"={found}" if isinstance(found, str) else f": {found!r}"


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
        for kind, entry in ((kind, dict(entry)) for kind, entry in each.get("classes", {}).items()):
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
        heads=_heads(word.lower() for found in keywords.values() for word in found),
        marks={each["language"]: (each["decimal"], each["group"]) for each in marked},
    )


def _heads(words: Iterable[str]) -> frozenset[str] | None:
    found: set[str] = set()
    for word in words:
        if (head := _WORD.match(word)) is None:
            return None
        found.add(head[0])
    return frozenset(found)


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
