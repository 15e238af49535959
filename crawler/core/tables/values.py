"""What kind of data a cell holds, and its value where it can be read in one way only.

The fifteen data types are those of Kim and Lee (2004), table 2 and figure 10. Months and days are
told by their names alone: taken as numbers, as in their table 2, they would split every column of
small integers in three types.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from crawler.core.patterns import compiled_later
from crawler.core.tables.grid import Cell
from crawler.core.tables.words import DATA_TYPES, Words, default_words

# A longer text is a string.
_LONGEST = 48
_NUMBER = r"\d{1,15}(?:[.,'’ \u00a0\u202f]\d{1,12}){0,8}"  # noqa: RUF001 - group marks as written
# Signs around a number that do not change what it is: direction, grouping, footnotes.
_BEFORE = r"[(\[~≈<>≤≥#№▲▼△▽↑↓+\-−–±:*\s]{0,6}"  # noqa: RUF001 - signs as they are written
_AFTER = r"(?:[)\]▲▼△▽↑↓+\-–*†‡:;.\s]|\[\w{1,3}\]){0,6}"  # noqa: RUF001 - as above
_GROUPED = r"[1-9]\d{0,2}(?:[,.'’ \u00a0\u202f]\d{3})+"  # noqa: RUF001 - as above
# Behind a space, the mark of a footnote.
_INTEGER = re.compile(rf"{_BEFORE}(?:{_GROUPED}|\d{{1,18}})(?: \d{{1,2}})?{_AFTER}")
_REAL = re.compile(rf"{_BEFORE}(?:{_NUMBER}|[.,]\d{{1,12}}){_AFTER}")
_POSTAL = re.compile(r"〒?\s?\d{3}[-:]\d{3,4}|\d{5}-\d{4}")
_CLOCK = re.compile(r"(?<![\d:])\d{1,3}:\d{2}(?::\d{2})?(?![\d:])")
WIDE_FORMS = (
    ("time", re.compile(r"(?<![\d:])\d+:\d+(?::\d+)?(?![\d:])")),
    ("date", re.compile(r"(?<![\d/-])\d+/\d+/\d+(?![\d/-])")),
)
"""The forms d+:d+ and d+/d+/d+ of table 2: a score of 2:1 is a time, and 1/2/3 a date."""
PAPER_FORMS = (
    ("postal-code", re.compile(r"^\d{3}[:-]\d{3}$")),
    *WIDE_FORMS,
    ("date", re.compile(r"(?<![\d/-])\d+-\d+-\d+(?![\d/-])")),
)
"""All forms of table 2: the house 1-2-3 is a date too."""
# With a year of two digits there must be no further digit: "house 1-2-3" is no date.
_DATE = compiled_later(
    r"(?<![\d./-])(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}-\d{1,2}-\d{4}"
    r"|\d{4}/\d{1,2}/\d{1,2}|\d{1,2}/\d{1,2}/\d{4}"
    r"|\d{4}\. ?\d{1,2}\. ?\d{1,2}|\d{1,2}\.\d{1,2}\.\d{4})(?![\d/-])"
    r"|(?<![\w./-])(?:\d{1,2}-\d{1,2}-\d{2}|\d{2}-\d{1,2}-\d{1,2}"
    r"|\d{1,2}/\d{1,2}/\d{2}|\d{2}/\d{1,2}/\d{1,2})(?![\d/-])"
    r"|\d{1,4}\s?[年년]\s?\d{1,2}\s?[月월](?:\s?\d{1,2}\s?[日일])?"
    r"|\d{1,2}\s?[月월]\s?\d{1,2}\s?[日일]"
)
# Within a Korean page: 26.05.03, 26. 5. 3.(일).
_KOREAN_DATE = compiled_later(
    r"(?<![\w./-])\d{2}\. ?(?:0?[1-9]|1[0-2])\. ?(?:0?[1-9]|[12]\d|3[01])(?!\d|\. ?\d)"
)
_FORMS = (
    ("integer", _INTEGER.fullmatch), ("real", _REAL.fullmatch), ("postal-code", _POSTAL.fullmatch),
    ("time", _CLOCK.search),
)  # fmt: skip
_TEMPERATURE = compiled_later(r"\d\s?(?:°|º|℃|℉)")
_WORD = compiled_later(r"[^\W\d_]+(?:[.'’][^\W\d_]+)*")  # noqa: RUF001 - an apostrophe as written
# Dates with a month by name, then all dates that have a value: day ``d``, month ``m``, year ``y``,
# in lower case.
_NAMED_DATES = (
    re.compile(
        r"(?P<d>\d{1,2})(?:st|nd|rd|th|er|\.|º)?(?: de)? (?P<m>[^\W\d_]+)\.?,?(?: de)? (?P<y>\d{4})"
    ),
    re.compile(r"(?<![^\W\d_])(?P<m>[^\W\d_]++)\.? (?P<d>\d{1,2})(?:st|nd|rd|th)?,? (?P<y>\d{4})"),
)
_DAY_FIRST = compiled_later(
    r"(?<!\d)(?P<d>\d{1,2})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<y>\d{4})(?!\d)"
)
_DATES = (
    re.compile(
        r"(?<!\d)(?P<y>\d{4})\s?(?P<s>[-/.])\s?(?P<m>\d{1,2})\s?(?P=s)\s?(?P<d>\d{1,2})\.?(?!\d)"
    ),
    re.compile(
        r"(?<!\d)(?P<y>\d{4})\s?[年년]\s?(?P<m>\d{1,2})\s?[月월]\s?(?P<d>\d{1,2})\s?[日일]?(?!\d)"
    ),
    _DAY_FIRST,
    *_NAMED_DATES,
)
_NAME_FIRST = compiled_later(r"[^\w]{0,3}[^\W\d_]")
_UNIT_BEFORE = compiled_later(r"([^\W\d_]{2,3}\.|[^\d\s.,+\-−(]{1,4}) ?[-−+]?\d")  # noqa: RUF001 - minus as written
_UNIT_AFTER = compiled_later(
    r"[\d.](?:,[-–—]{1,2})? ?([^\W\d_]\.[^\W\d_]\.|[^\d\s.,;:()+\-−*†]{1,12})"  # noqa: RUF001 - minus as written
)
_DIGITS = compiled_later(r"[.,]?\d[\d.,'’ \u00a0\u202f]*")  # noqa: RUF001 - group marks as written
_SPACED = compiled_later(r"\d{1,3}(?:['’ \u00a0\u202f]\d{3})+(?:[.,]\d+)?")  # noqa: RUF001 - as above
_GROUP_SPACES = compiled_later(r"['’ \u00a0\u202f]")  # noqa: RUF001 - as above
_NEGATIVE = compiled_later(r"\s*[^\w\s]{0,3}\s?[-−–]\s?[^\w\s]{0,3}\s?\d")  # noqa: RUF001 - as written
# Accounts write a minus behind its number; after a decimal mark a dash means "no cents".
_MINUS_BEHIND = compiled_later(r"\d\s?[-−–]")  # noqa: RUF001 - as written
_UNCLEAR = compiled_later(r"[(▲▼△▽↑↓~≈<>≤≥±\[]")
_FACTORS = compiled_later(
    r"[만억조천万億兆千]|mio|mrd|[mb]illion|thousand|¢|/|\b(?:cents?|centimes|per|pro)\b"
)
_LETTERS = compiled_later(r"%?[^\W\d_]+\$?")
_TYPES_OF_UNITS = {
    "currency": "currency", "percent": "percentage", "electric": "electric", "weight": "weight",
    "temperature": "temperature", "time": "time", "count": "integer",
}  # fmt: skip
_VALUED = frozenset(("integer", "real", "percentage", "currency", "date"))
_MONTHS = 12
_THOUSAND = 3


def cell_type(
    cell: Cell, words: Words | None = None, forms: Sequence[tuple[str, re.Pattern[str]]] = ()
) -> str:
    """Return the data type of a cell: image and form by its elements, others by its text.

    Args:
        cell: the cell.
        words: the lists to tell by; None for those that come with the project.
        forms: data types and patterns, by which texts are told that would be strings otherwise.
    """
    kind = element_type(cell) or text_type(cell.text, words)
    if forms and kind == "string" and len(cell.text) <= _LONGEST:
        return next((name for name, form in forms if form.search(cell.text)), kind)
    return kind


def element_type(cell: Cell) -> str:
    """Return ``image`` or ``form`` where a cell's elements say so, else ""."""
    if cell.is_image:
        return "image"
    return "form" if cell.controls else ""


def text_type(text: str, words: Words | None = None) -> str:
    """Return the data type of a text; ``string`` where no other fits.

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
    first = _WORD.search(lowered)
    if first is not None and (first[0] in words.weekdays or first[0] in words.months):
        names = _WORD.findall(lowered)
        if all(name in words.weekdays for name in names):
            return "day"
        if all(name in words.months for name in names):
            return "month"
    return "string"


def _type_of_digits(text: str, lowered: str, words: Words) -> str:
    named = (found for pattern in _NAMED_DATES if (found := pattern.search(lowered)) is not None)
    if _DATE.search(text) or any(found["m"] in words.months for found in named):
        return "date"
    for kind, fits in _FORMS:
        if fits(text):
            return kind
    if lowered in words.months:
        return "month"
    if kind := _type_by_name(lowered, words):
        return kind
    return "temperature" if _TEMPERATURE.search(text) else _type_by_unit(text, words)


def _type_by_name(lowered: str, words: Words) -> str:
    """Return ``month`` or ``day`` where all words beside the digits are such names, else ""."""
    names = _WORD.findall(lowered)
    if not names or not all(name in words.months or name in words.weekdays for name in names):
        return ""
    if any(name in words.months for name in names):
        return "month"
    # Behind a number, short names of days have other meanings: 5 mi, $5/mo.
    return "day" if _NAME_FIRST.match(lowered) else ""


def _type_by_unit(text: str, words: Words) -> str:
    """Return the type of a number with a word or sign beside it."""
    found = _units_beside(text)
    for kind, name in _TYPES_OF_UNITS.items():
        listed = words.units.get(kind, ())
        # The case of a single letter matters: 5 g and 5G.
        if any(unit in listed or (len(unit) > 1 and unit.lower() in listed) for unit in found):
            return name
    return "string"


def _units_beside(text: str) -> list[str]:
    """Return what stands right before or after the numbers of a text."""
    return [*_UNIT_BEFORE.findall(text), *_UNIT_AFTER.findall(text)]


@dataclass(frozen=True, slots=True)
class Value:
    """The data type of a text, and its value.

    Attributes:
        type: one of :data:`crawler.core.tables.words.DATA_TYPES`.
        normal: number, sum or percentage as decimal digits (0 to 9) with a point, date as
            YYYY-MM-DD; None where there is none, or where it may be read in more than one way.
        unit: ISO 4217 code of a sum where its sign means one currency only, ``%`` of a percentage.
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
    if _is_korean(language) and len(text) <= _LONGEST and _KOREAN_DATE.search(text):
        kind = "date"
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


def _is_korean(language: str) -> bool:
    return language.partition("-")[0].lower() == "ko"


def _with_plain_digits(text: str) -> str | None:
    """Return a text with its digits as 0 to 9; None where it mixes digits of several scripts."""
    if text.isascii():
        return text
    digits = {char for char in text if char.isdecimal()}
    # The ten digits of a script have consecutive code points.
    if len({ord(char) - int(char) for char in digits}) > 1:
        return None
    return "".join(str(int(char)) if char in digits else char for char in text)


def _currency(text: str, words: Words) -> str:
    listed = words.units.get("currency", ())
    codes = {words.currency_codes.get(unit, "") for unit in _units_beside(text) if unit in listed}
    return codes.pop() if len(codes) == 1 else ""


def _number(text: str, language: str, words: Words) -> str | None:
    """Return the one number of a text as digits with a point; None for no clear reading."""
    found = _DIGITS.findall(text)
    # Brackets and arrows may mean a negative number or nothing; "million" is a factor.
    if len(found) != 1 or _UNCLEAR.search(text) or _MINUS_BEHIND.search(text):
        return None
    digits = found[0].rstrip(".,'’ \u00a0\u202f")  # noqa: RUF001 - as written
    if _GROUP_SPACES.search(digits):
        if digits[0] == "0" or not _SPACED.fullmatch(digits):
            return None
        digits = _GROUP_SPACES.sub("", digits)
    # All words beside the number have to be units that are no factors.
    lowered, listed = text.lower(), _units(words)
    if _FACTORS.search(lowered) or any(word not in listed for word in _LETTERS.findall(lowered)):
        return None
    plain = _plain(digits, words.marks.get(language.partition("-")[0].lower()))
    if plain is None:
        return None
    whole, point, rest = plain.partition(".")
    if len(whole) > 1 and whole[0] == "0":  # 007 is a name and no number
        return None
    sign = "-" if _NEGATIVE.match(text) else ""
    return f"{sign}{whole or '0'}{point}{rest}"


@lru_cache(maxsize=8)
def _units(words: Words) -> frozenset[str]:
    return frozenset(unit.lower() for units in words.units.values() for unit in units)


def _plain(digits: str, marks: tuple[str, str] | None) -> str | None:
    """Return digits with a decimal point and without group marks; None where it is unclear."""
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
    for pattern in _DATES:
        found = pattern.search(lowered)
        if found is None or (pattern in _NAMED_DATES and found["m"] not in words.months):
            continue
        # Other digits are the end of a span of days, or a time of day.
        if any(map(str.isdigit, lowered[: found.start()] + lowered[found.end() :])):
            return None
        year, day = int(found["y"]), int(found["d"])
        month = int(found["m"]) if found["m"].isdecimal() else words.months[found["m"]]
        # Day.month.year is written with points only so; else the month may be first.
        if pattern is _DAY_FIRST and found["s"] != "." and day <= _MONTHS:
            if month <= _MONTHS and day != month:
                return None
            day, month = month, day
        is_real = year and 1 <= month <= _MONTHS and 1 <= day <= monthrange(year, month)[1]
        return f"{year:04}-{month:02}-{day:02}" if is_real else None
    return None
