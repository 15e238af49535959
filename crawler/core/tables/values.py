"""The value of a cell, where it can be read in one way only."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from crawler.core.tables.datatypes import NAMED_DATES, text_type, units_beside
from crawler.core.tables.words import default_words

if TYPE_CHECKING:
    from crawler.core.tables.words import Words

__all__ = ["Value", "read_value"]

_YMD = re.compile(r"(\d{4})\s?[-/.年년]\s?(\d{1,2})\s?[-/.月월]\s?(\d{1,2})\s?[日일.]?")
_XXY = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})")
_DIGITS = re.compile(r"[.,]?\d[\d.,'’ \u00a0\u202f]*")  # noqa: RUF001 - group marks as written
_NEGATIVE = re.compile(r"\s*[^\w\s]{0,3}\s?[-−–]\s?[^\w\s]{0,3}\s?\d")  # noqa: RUF001 - as written
_UNCLEAR = re.compile(r"[(▲▼△▽↑↓~≈<>≤≥±\[]")
_FACTORS = re.compile(
    r"[만억조천万億兆千]|mio|mrd|[mb]illion|thousand|¢|/|\b(?:cents?|centimes|per|pro)\b"
)
_LETTERS = re.compile(r"%?[^\W\d_]+\$?")
_MONTHS = 12
_THOUSAND = 3


@dataclass(frozen=True, slots=True)
class Value:
    """What a text is.

    ``type``
        One of ``DATA_TYPES`` (:mod:`crawler.core.tables.datatypes`).
    ``normal``
        Number, sum or percentage as decimal digits with a point, date as YYYY-MM-DD; None where
        there is none, or where it may be read in more than one way.
    ``unit``
        ISO 4217 code of a sum where its sign means one currency only, ``%`` of a percentage.
    """

    type: str
    normal: str | None = None
    unit: str = ""


def read_value(text: str, language: str = "", words: Words | None = None) -> Value:
    """Return the type of a text and its value.

    Args:
        text: what stands in a cell.
        language: its language, as in ``de``; it tells 1.234 as a thousand and more from 1.234 as
            one and a bit. Where it is not known such a number has no value.
        words: the lists to tell by; None for those that come with the project.

    >>> [read_value("1,234", language).normal for language in ("", "en", "de")]
    [None, '1234', '1.234']
    """
    words = words or default_words()
    kind = text_type(text, words)
    if kind in ("integer", "real"):
        return Value(kind, _number(text, language, words))
    if kind == "percentage":
        return Value(kind, _number(text, language, words), "%")
    if kind == "currency":
        return Value(kind, _number(text, language, words), _currency(text, words))
    if kind == "date":
        return Value(kind, _date(text, words))
    return Value(kind)


def _currency(text: str, words: Words) -> str:
    listed = words.units.get("currency", ())
    codes = {words.currency_codes.get(unit, "") for unit in units_beside(text) if unit in listed}
    return codes.pop() if len(codes) == 1 else ""


def _number(text: str, language: str, words: Words) -> str | None:
    """Return the one number of a text as digits with a point; None for no clear reading."""
    found = _DIGITS.findall(text)
    # Brackets may mean less than nothing, or nothing; arrows likewise; "million" is a factor.
    if len(found) != 1 or _UNCLEAR.search(text) or not _has_units_alone(text, words):
        return None
    digits = re.sub(r"['’ \u00a0\u202f]", "", found[0]).rstrip(".,")  # noqa: RUF001 - as written
    plain = _plain(digits, words.marks.get(language.partition("-")[0].lower()))
    if plain is None:
        return None
    whole, point, rest = plain.partition(".")
    sign = "-" if _NEGATIVE.match(text) else ""
    return f"{sign}{whole.lstrip('0') or '0'}{point}{rest}"


def _has_units_alone(text: str, words: Words) -> bool:
    """Tell whether all letters of a text are those of a unit that is no factor."""
    if _FACTORS.search(text.lower()):
        return False
    listed = _units(words)
    return all(word in listed for word in _LETTERS.findall(text.lower()))


@lru_cache(maxsize=8)
def _units(words: Words) -> frozenset[str]:
    return frozenset(unit.lower() for units in words.units.values() for unit in units)


def _plain(digits: str, marks: tuple[str, str] | None) -> str | None:
    """Tell the mark of decimals from those of groups."""
    used = [char for char in digits if char in ".,"]
    if not used:
        return digits
    last = used[-1]
    whole, _, rest = digits.rpartition(last)
    if len(set(used)) > 1:  # 1,234.5 has one reading
        other = used[0]
        grouped = all(len(piece) == _THOUSAND for piece in whole.split(other)[1:])
        return f"{whole.replace(other, '')}.{rest}" if used.count(last) == 1 and grouped else None
    groups = digits.split(last)
    if any(len(group) != _THOUSAND for group in groups[1:]) or len(groups[0]) > _THOUSAND:
        return f"{whole}.{rest}" if len(used) == 1 else None
    if len(used) > 1:  # 1.234.567
        return "".join(groups)
    if marks is None:
        return f"{whole}.{rest}" if groups[0].strip("0") == "" else None
    return f"{whole}.{rest}" if last == marks[0] else "".join(groups)


def _date(text: str, words: Words) -> str | None:
    """Return the one date of a text in ISO form, or None."""
    if found := _YMD.search(text):
        return _iso(int(found[1]), int(found[2]), int(found[3]))
    if found := _XXY.search(text):
        first, second, year = int(found[1]), int(found[3]), int(found[4])
        if found[2] == "." or first > _MONTHS:  # day.month.year is written with points only so
            return _iso(year, second, first)
        if second > _MONTHS or first == second:
            return _iso(year, first, second)
        return None
    for pattern in NAMED_DATES:
        named = pattern.search(text.lower())
        if named and named["m"] in words.months:
            return _iso(int(named["y"]), words.months[named["m"]], int(named["d"]))
    return None


def _iso(year: int, month: int, day: int) -> str | None:
    if not (year and 1 <= month <= _MONTHS and 1 <= day <= monthrange(year, month)[1]):
        return None
    return f"{year:04}-{month:02}-{day:02}"
