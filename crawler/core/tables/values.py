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

_YMD = re.compile(
    r"(?<!\d)(\d{4})\s?(?:([-/.])\s?(\d{1,2})\s?\2\s?(\d{1,2})\.?"
    r"|[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]?)(?!\d)"
)
_XXY = re.compile(r"(?<!\d)(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?!\d)")
_DIGITS = re.compile(r"[.,]?\d[\d.,'’ \u00a0\u202f]*")  # noqa: RUF001 - group marks as written
_SPACED = re.compile(r"\d{1,3}(?:['’ \u00a0\u202f]\d{3})+(?:[.,]\d+)?")  # noqa: RUF001 - as above
_GROUP_SPACES = re.compile(r"['’ \u00a0\u202f]")  # noqa: RUF001 - as above
_NEGATIVE = re.compile(r"\s*[^\w\s]{0,3}\s?[-−–]\s?[^\w\s]{0,3}\s?\d")  # noqa: RUF001 - as written
# Accounts write a minus behind its number; a mark of decimals before it says "and no cents".
_MINUS_BEHIND = re.compile(r"\d\s?[-−–]")  # noqa: RUF001 - as written
_UNCLEAR = re.compile(r"[(▲▼△▽↑↓~≈<>≤≥±\[]")
_FACTORS = re.compile(
    r"[만억조천万億兆千]|mio|mrd|[mb]illion|thousand|¢|/|\b(?:cents?|centimes|per|pro)\b"
)
_LETTERS = re.compile(r"%?[^\W\d_]+\$?")
_VALUED = frozenset(("integer", "real", "percentage", "currency", "date"))
_MONTHS = 12
_THOUSAND = 3


@dataclass(frozen=True, slots=True)
class Value:
    """What a text is.

    ``type``
        One of ``DATA_TYPES`` (:mod:`crawler.core.tables.datatypes`).
    ``normal``
        Number, sum or percentage as decimal digits (0 to 9) with a point, date as YYYY-MM-DD; None
        where there is none, or where it may be read in more than one way.
    ``unit``
        ISO 4217 code of a sum where its sign means one currency only, ``%`` of a percentage.
    """

    type: str
    normal: str | None = None
    unit: str = ""


def read_value(text: str, language: str = "", words: Words | None = None) -> Value:
    """Return the type of a text and its value.

    A whole number in form that the language reads as one with decimals is a real: the type says
    what the value is.

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
    if kind not in _VALUED:
        return Value(kind)
    plain = _with_plain_digits(text)
    if plain is None:
        return Value(kind)
    if kind == "date":
        return Value(kind, _date(plain, words))
    normal = _number(plain, language, words)
    if kind == "percentage":
        return Value(kind, normal, "%")
    if kind == "currency":
        return Value(kind, normal, _currency(text, words))
    return Value("real" if normal is not None and "." in normal else kind, normal)


def _with_plain_digits(text: str) -> str | None:
    """Return a text with its digits as 0 to 9; None where it mixes digits of several scripts."""
    if text.isascii():
        return text
    digits = {char for char in text if char.isdecimal()}
    # The ten digits of a script follow each other, so that all have their zero in common.
    if len({ord(char) - int(char) for char in digits}) > 1:
        return None
    return "".join(str(int(char)) if char in digits else char for char in text)


def _currency(text: str, words: Words) -> str:
    listed = words.units.get("currency", ())
    codes = {words.currency_codes.get(unit, "") for unit in units_beside(text) if unit in listed}
    return codes.pop() if len(codes) == 1 else ""


def _number(text: str, language: str, words: Words) -> str | None:
    """Return the one number of a text as digits with a point; None for no clear reading."""
    found = _DIGITS.findall(text)
    # Brackets may mean less than nothing, or nothing; arrows likewise; "million" is a factor.
    if len(found) != 1 or _UNCLEAR.search(text) or _MINUS_BEHIND.search(text):
        return None
    digits = found[0].rstrip(".,'’ \u00a0\u202f")  # noqa: RUF001 - as written
    if _GROUP_SPACES.search(digits):
        if digits[0] == "0" or not _SPACED.fullmatch(digits):
            return None
        digits = _GROUP_SPACES.sub("", digits)
    if not _has_units_alone(text, words):
        return None
    plain = _plain(digits, words.marks.get(language.partition("-")[0].lower()))
    if plain is None:
        return None
    whole, point, rest = plain.partition(".")
    if len(whole) > 1 and whole[0] == "0":  # 007 is a name and no number
        return None
    sign = "-" if _NEGATIVE.match(text) else ""
    return f"{sign}{whole or '0'}{point}{rest}"


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
    if len(groups[0]) > _THOUSAND or any(len(group) != _THOUSAND for group in groups[1:]):
        return f"{whole}.{rest}" if len(used) == 1 and _are_decimals(digits, last, marks) else None
    no_group = groups[0].strip("0") == ""
    if len(used) > 1:  # 1.234.567
        return None if no_group else "".join(groups)
    if no_group or (marks is not None and last == marks[0]):
        return f"{whole}.{rest}"
    return None if marks is None else "".join(groups)


def _are_decimals(digits: str, mark: str, marks: tuple[str, str] | None) -> bool:
    """Tell whether what follows the one mark of a number is decimals.

    1,2345 is 1,234 with a footnote where a comma is not the mark of decimals: a number that is cut
    by threes but for one digit more.
    """
    whole, _, rest = digits.partition(mark)
    if len(rest) != _THOUSAND + 1 or not 1 <= len(whole) <= _THOUSAND or whole == "0":
        return True
    return mark == (marks[0] if marks else ".")


def _date(text: str, words: Words) -> str | None:
    """Return the one date of a text in ISO form; None where other digits stand beside it."""
    lowered = text.lower()
    for pattern in (_YMD, _XXY, *NAMED_DATES):
        found = pattern.search(lowered)
        if found is None or (pattern in NAMED_DATES and found["m"] not in words.months):
            continue
        # The end of a span of days, or a time of day.
        if any(map(str.isdigit, lowered[: found.start()] + lowered[found.end() :])):
            return None
        return _date_of(found, pattern, words)
    return None


def _date_of(found: re.Match[str], pattern: re.Pattern[str], words: Words) -> str | None:
    if pattern is _YMD:
        month, day = found[3] or found[5], found[4] or found[6]
        return _iso(int(found[1]), int(month), int(day))
    if pattern is not _XXY:
        return _iso(int(found["y"]), words.months[found["m"]], int(found["d"]))
    first, second, year = int(found[1]), int(found[3]), int(found[4])
    if found[2] == "." or first > _MONTHS:  # day.month.year is written with points only so
        return _iso(year, second, first)
    return _iso(year, first, second) if second > _MONTHS or first == second else None


def _iso(year: int, month: int, day: int) -> str | None:
    if not (year and 1 <= month <= _MONTHS and 1 <= day <= monthrange(year, month)[1]):
        return None
    return f"{year:04}-{month:02}-{day:02}"
