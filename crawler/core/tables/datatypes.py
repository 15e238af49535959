"""What kind of data a cell holds.

The fifteen data types are those of Kim and Lee (2004), table 2 and figure 10. Months and days are
told by their names alone: taken as numbers, as in their table 2, they would split every column of
small integers in three types.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from crawler.core.tables.words import DATA_TYPES, default_words

if TYPE_CHECKING:
    from crawler.core.tables.grid import Cell
    from crawler.core.tables.words import Words

__all__ = [
    "DATA_TYPES",
    "NAMED_DATES",
    "cell_type",
    "element_type",
    "matches",
    "text_type",
    "units_beside",
]

# A longer text is a text, whatever stands in it.
_LONGEST = 48
_NUMBER = r"\d{1,15}(?:[.,'’ \u00a0\u202f]\d{1,12}){0,8}"  # noqa: RUF001 - group marks as written
# Signs around a number that do not change what it is: direction, grouping, footnotes.
_BEFORE = r"[(\[~≈<>≤≥#№▲▼△▽↑↓+\-−–±:*\s]{0,6}"  # noqa: RUF001 - signs as they are written
_AFTER = r"(?:[)\]▲▼△▽↑↓+\-–*†‡:;.\s]|\[\w{1,3}\]){0,6}"  # noqa: RUF001 - as above
_GROUPED = r"[1-9]\d{0,2}(?:[,.'’ \u00a0\u202f]\d{3})+"  # noqa: RUF001 - as above
_INTEGER = re.compile(rf"{_BEFORE}(?:{_GROUPED}|\d{{1,18}}){_AFTER}")
_REAL = re.compile(rf"{_BEFORE}(?:{_NUMBER}|[.,]\d{{1,12}}){_AFTER}")
_POSTAL = re.compile(r"〒?\s?\d{3}[-:]\d{3,4}|\d{5}-\d{4}")
_CLOCK = re.compile(r"(?<![\d:])\d{1,3}:\d{2}(?::\d{2})?(?![\d:])")
# A year of two digits makes a date of no longer number: house 1-2-3 is none.
_DATE = re.compile(
    r"(?<![\d./-])(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}-\d{1,2}-\d{4}"
    r"|\d{4}/\d{1,2}/\d{1,2}|\d{1,2}/\d{1,2}/\d{4}"
    r"|\d{4}\. ?\d{1,2}\. ?\d{1,2}|\d{1,2}\.\d{1,2}\.\d{4})(?![\d/-])"
    r"|(?<![\w./-])(?:\d{1,2}-\d{1,2}-\d{2}|\d{2}-\d{1,2}-\d{1,2}"
    r"|\d{1,2}/\d{1,2}/\d{2}|\d{2}/\d{1,2}/\d{1,2})(?![\d/-])"
    r"|\d{1,4}\s?[年년]\s?\d{1,2}\s?[月월](?:\s?\d{1,2}\s?[日일])?"
    r"|\d{1,2}\s?[月월]\s?\d{1,2}\s?[日일]"
)
_TEMPERATURE = re.compile(r"\d\s?(?:°|º|℃|℉)")
_WORD = re.compile(r"[^\W\d_]+(?:[.'’][^\W\d_]+)*")  # noqa: RUF001 - an apostrophe as written
NAMED_DATES = (
    re.compile(
        r"(?P<d>\d{1,2})(?:st|nd|rd|th|er|\.|º)?(?: de)? (?P<m>[^\W\d_]+)\.?,?(?: de)? (?P<y>\d{4})"
    ),
    re.compile(r"(?P<m>[^\W\d_]+)\.? (?P<d>\d{1,2})(?:st|nd|rd|th)?,? (?P<y>\d{4})"),
)
"""Dates with a month by name, in lower case: day ``d``, month ``m``, year ``y``."""
_NAME_FIRST = re.compile(r"[^\w]{0,3}[^\W\d_]")
_UNIT_BEFORE = re.compile(r"([^\W\d_]{2,3}\.|[^\d\s.,+\-−(]{1,4}) ?[-−+]?\d")  # noqa: RUF001 - minus as written
_UNIT_AFTER = re.compile(
    r"[\d.](?:,[-–—]{1,2})? ?([^\W\d_]\.[^\W\d_]\.|[^\d\s.,;:()+\-−*†]{1,12})"  # noqa: RUF001 - minus as written
)


def cell_type(cell: Cell, words: Words | None = None) -> str:
    """Return the data type of a cell: image and form by its elements, others by its text."""
    return element_type(cell) or text_type(cell.text, words)


def element_type(cell: Cell) -> str:
    """Return ``image`` or ``form`` where a cell's elements say so, else ""."""
    if cell.is_image:
        return "image"
    return "form" if cell.controls else ""


def text_type(text: str, words: Words | None = None) -> str:
    """Return the data type of a text; ``string`` for what is none of the others.

    >>> [text_type(text) for text in ("10:30 am", "$5.00", "2,331", "-0.46 ▼", "Mon", "Seoul")]
    ['time', 'currency', 'integer', 'real', 'day', 'string']
    """
    if not text or len(text) > _LONGEST:
        return "string"
    return _type_of(text, words or default_words())


def matches(value: str, text: str, words: Words | None = None) -> bool:
    """Tell whether a text holds a value of a named kind: a data type, or a pattern of the lists."""
    words = words or default_words()
    pattern = words.patterns.get(value)
    if pattern is not None and pattern.search(text.lower()):
        return True
    return value in DATA_TYPES and text_type(text, words) == value


@lru_cache(maxsize=1 << 16)  # a table is looked at in two directions
def _type_of(text: str, words: Words) -> str:
    lowered = text.lower()
    if any(map(str.isdigit, text)):
        return _type_of_digits(text, lowered, words)
    names = _WORD.findall(lowered)
    if names and all(name in words.weekdays for name in names):
        return "day"
    if names and all(name in words.months for name in names):
        return "month"
    return "string"


def _type_of_digits(text: str, lowered: str, words: Words) -> str:  # noqa: PLR0911 - a type a line
    if _DATE.search(text) or _is_named_date(lowered, words):
        return "date"
    if _INTEGER.fullmatch(text):
        return "integer"
    if _REAL.fullmatch(text):
        return "real"
    if _POSTAL.fullmatch(text):
        return "postal-code"
    if _CLOCK.search(text):
        return "time"
    if lowered in words.months:
        return "month"
    if named := _type_by_name(lowered, words):
        return named
    if _TEMPERATURE.search(text):
        return "temperature"
    return _type_by_unit(text, words)


def _type_by_name(lowered: str, words: Words) -> str:
    """Return ``month`` or ``day`` where all words beside the digits are such names, else ""."""
    names = _WORD.findall(lowered)
    if not names or not all(name in words.months or name in words.weekdays for name in names):
        return ""
    if any(name in words.months for name in names):
        return "month"
    # Short names of days are words of much else where they stand behind a number: 5 mi, $5/mo.
    return "day" if _NAME_FIRST.match(lowered) else ""


def _is_named_date(lowered: str, words: Words) -> bool:
    return any(
        found["m"] in words.months
        for pattern in NAMED_DATES
        if (found := pattern.search(lowered)) is not None
    )


def _type_by_unit(text: str, words: Words) -> str:
    """Return the type of a number with a word or sign beside it."""
    found = units_beside(text)
    for kind, name in (
        ("currency", "currency"),
        ("percent", "percentage"),
        ("electric", "electric"),
        ("weight", "weight"),
        ("temperature", "temperature"),
        ("time", "time"),
        ("count", "integer"),
    ):
        listed = words.units.get(kind, ())
        # One letter is a unit as it is written only: 5 g and 5G.
        if any(unit in listed or (len(unit) > 1 and unit.lower() in listed) for unit in found):
            return name
    return "string"


def units_beside(text: str) -> list[str]:
    """Return what stands right before or after the numbers of a text."""
    return [*_UNIT_BEFORE.findall(text), *_UNIT_AFTER.findall(text)]
