"""Dates as pages write them, for machines and for people, in many languages.

Everything is read from text alone, without clock or locale. A date is as exact as it was written:
the day alone, or a time too, with a zone where one was given.
"""

from __future__ import annotations

import re
from calendar import isleap, timegm
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from crawler.core.metadata.calendars import (
    DIGITS,
    NUMERALS,
    SOLAR_LANGUAGES,
    SOLAR_YEARS,
    read_number,
    solar_day,
)
from crawler.core.patterns import compiled_later
from crawler.core.words import fold_word, read_data

FIRST_YEAR = 1990
"""The first year in which a web page can have been published."""

_LAST_YEAR = 2100
_MONTHS, _FEBRUARY = 12, 2
_DAYS = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_NOON, _LAST_HOUR, _LAST_MINUTE = 12, 23, 59
# Years of the Buddhist calendar, as Thai pages count, run 543 ahead.
_BUDDHIST = 543
_BUDDHIST_YEARS = range(FIRST_YEAR + _BUDDHIST, _LAST_YEAR + _BUDDHIST)
_BUDDHIST_CENTURY = 2500
# What is added to a year of an era: of Japan's emperors, and of the Republic of China.
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "民國": 1911, "民国": 1911}
_SHORT_ERAS = {"R": 2018, "H": 1988}
_SHORT_YEAR_CHARS = 2
_SHORT_YEARS_FROM_1900 = 90
_DAY_SECONDS = 86_400
# Marks of a shortened word in Hebrew.
_SHORTENED = "'\u2019\u05f3"
_MILLISECONDS_FROM = 10**11
_EPOCH = compiled_later(r"\d{10}(?:\d{3})?(?:\.\d{1,9})?")
# A value that is a date is short; only so much of a value or a text is read.
_MACHINE_CHARS = 80
_TEXT_CHARS = 2_000

# Marks of other writing systems, and marks that only turn the direction of writing. A character
# stands for a character, so that places in the text stay as they are.
_PLAIN = str.maketrans(
    "\xa0\u200b\u200e\u200f\u061c\u202a\u202b\u202c\u2066\u2067\u2068\u2069"
    "\u060c\uff0c\uff0e\uff0f\uff0d\uff1a\uff08\uff09\uff32\uff28",
    " " * 12 + ",,./-:()RH",
)

# Patterns in verbose form. No two neighbouring quantifiers of a pattern share a character, so that
# matching takes linear time.
# Months of the Levant are two words.
_WORD = (
    r"(?<![^\W\d_])(?:(?:\u062a\u0634\u0631\u064a\u0646|\u0643\u0627\u0646\u0648\u0646)"
    r"\s\u0627\u0644\w{3,5}|[^\W\d_][^\s\d.,;:()/|_\-\u2013\u2014]{1,19})"
)
# Behind the sign of a year, as in 2026年(令和8年).
_BESIDE = r"(?:\([^()\s]{2,8}\))?"
# Between the numbers of a date; and what may not follow it.
_MARK = r"[-./|\u2010\u2011]"
_END = r"(?!\d|[.:]\d)"
_PATTERNS = (
    # 2026-11-27, 2026. 11. 27., 2026/11/27
    rf"""(?<![\d.])(?P<y1>\d{{4}}) \s?(?P<s1>{_MARK})\s? (?P<m1>\d{{1,2}}) \s?(?P=s1)\s?
    (?P<d1>\d{{1,2}}){_END}""",
    # 2026年11月27日, 2026년 11월 27일, 二〇二六年十一月二十七日
    rf"""(?P<y2>\d{{4}}|[{DIGITS}]{{4}}) \s?[年년]{_BESIDE}\s?
    (?P<m2>\d{{1,2}}|[{NUMERALS}]{{1,2}}) \s?[月월]\s?
    (?P<d2>\d{{1,2}}|[{NUMERALS}]{{1,3}}) \s?[日일]""",
    # 20261127, 20261127T140300
    r"""(?<![\d.,_/-])(?P<y3>(?:19|20)\d\d)(?P<m3>0[1-9]|1[0-2])(?P<d3>[0-2]\d|3[01])
    (?=\d{4}(?:\d\d)?(?!\d)|T\d|(?!\d))""",
    # 令和8年11月27日, R8.11.27, 民國115年11月27日, 115/11/27
    rf"""(?:(?P<era>令和|平成|昭和|民[國国]|(?<![^\W_])[RH](?=\d))\s?|(?<![\w.,/-])(?=1\d\d))
    (?P<ye>\d{{1,3}}|元|[{NUMERALS}]{{1,5}}) \s?(?:年{_BESIDE}|{_MARK})\s?
    (?P<me>\d{{1,2}}|[{NUMERALS}]{{1,2}}) \s?(?:月|{_MARK})\s?
    (?P<de>\d{{1,2}}|[{NUMERALS}]{{1,3}})(?!\d)""",
    # 27.11.2026, 27/11/26, 11/27/2026
    rf"""(?<![\w.:/-])(?P<a4>\d{{1,2}}) \s?(?P<s4>{_MARK})\s? (?P<b4>\d{{1,2}}) \s?(?P=s4)\s?
    (?P<c4>\d{{4}}|\d{{2}})(?![\d/-]|[.:]\d)""",
    # 27. November 2026, 27 de noviembre de 2026, 27th of November, 2026, 27-Nov-2026
    rf"""(?<!\d)(?P<d5>\d{{1,2}}) (?:st|nd|rd|th|er|\.?[ºª°]|\.)? [\s,/-]{{0,2}}
    (?:(?:de|of|di)\s|d['\u2019])? (?P<w5>{_WORD})(?:\s?/\s?{_WORD})? [.,]{{0,2}}[\s/-]{{0,2}}
    (?:(?:de|del|of|\u0645\u0627\u0647)\s)? (?P<y5>\d{{4}}){_END}""",
    # 2026. gada 27. novembris
    rf"""(?<!\d)(?P<yb>\d{{4}}) [.\s-]{{1,2}}(?:gada|жылғы|yil)\s (?P<db>\d{{1,2}}) [.\s-]{{1,2}}
    (?P<wb>{_WORD})""",
    # 2026. november 27., 2026 m. lapkričio 27 d., 2026ko azaroaren 27a
    rf"""(?<!\d)(?P<y7>\d{{4}}) (?:\.|ko)?[\s-](?:m\.\s)? (?P<w7>{_WORD}) \.?[\s-]
    (?P<d7>\d{{1,2}})(?!\d)""",
    # 27 พ.ย. 2569, 27 พ.ย. 69, 27 พฤศจิกายน พ.ศ. 2569
    rf"""(?<!\d)(?P<da>\d{{1,2}}) \s?(?:เดือน\s?)?
    (?P<wa>[\u0e01-\u0e4e]{{1,2}}\.\s?[\u0e01-\u0e2e]|[\u0e01-\u0e4e]{{4,12}}) \.?\s?
    (?:[พค]\.\s?ศ\.\s?)? (?P<ya>\d{{4}}|\d\d){_END}""",
    # 27 tháng 11, 2026
    r"""(?<!\d)(?P<d8>\d{1,2}) \s(?:tháng|thg)\s (?P<m8>\d{1,2}) ,?\s(?:năm\s)?
    (?P<y8>\d{4})(?!\d)""",
)
_ZONE = (
    r"(?:(?:UTC|GMT)?(?P<offset>[+\u2212-]\d{1,2})(?::?(?P<rest>\d{2}))?(?!\d)"
    r"|(?P<name>[A-Z]{1,4})\b)?"
)
_WORD_PATTERNS = (
    # November 27th, 2026, Nov. 27 2026
    rf"""(?P<w6>{_WORD}) \.?[\s/-]{{1,2}} (?P<d6>\d{{1,2}})(?:st|nd|rd|th)?
    (?:,\s{{0,2}}|[\s/-]{{1,2}}) (?:(?:de|at|of)\s)? (?P<y6>\d{{4}}){_END}""",
    # Fri Nov 27 14:03:00 CET 2026, Fri Nov 27 14:03:00 +0100 2026
    rf"""(?P<w9>{_WORD}) \s{{1,2}} (?P<d9>\d{{1,2}}) \s
    (?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d) \s(?:{_ZONE}\s)? (?P<y9>\d{{4}})(?!\d)""",
)
# The last characters of the group names of the patterns whose month is a word, as in w5.
_OF_WORDS = frozenset("5679ab")
# One look at a character tells which patterns may begin there.
_DATE = compiled_later(
    rf"(?=[\d{DIGITS}令平昭民RH])(?:{'|'.join(_PATTERNS)})|(?=[^\W\d_])(?<![^\W\d_])(?:{'|'.join(_WORD_PATTERNS)})",
    re.VERBOSE,
)
# None of the patterns matches without a year or a short date, which one search finds quickly: it
# begins with one class of characters.
_HAS_DATE = compiled_later(
    rf"[\dRH\uff32\uff28和成國国\u0e01-\u0e2e元{NUMERALS}](?:"
    r"(?<=\d)(?:\d{3}|[./|-]\s?\d{1,2}[./-]\s?\d\d)|(?<=[RH\uff32\uff28和成國国])\d"
    rf"|(?<=[\u0e01-\u0e2e])\.?\s?\d\d|(?<=[\d元{NUMERALS}])\s?年)"
)

_ZONES: Mapping[str, str] = {
    "Z": "Z", "UTC": "Z", "GMT": "Z", "UT": "Z", "EST": "-05:00", "EDT": "-04:00",
    "CDT": "-05:00", "MST": "-07:00", "MDT": "-06:00", "PST": "-08:00", "PDT": "-07:00",
    "CET": "+01:00", "CEST": "+02:00", "MEZ": "+01:00", "MESZ": "+02:00", "EET": "+02:00",
    "EEST": "+03:00", "MSK": "+03:00", "KST": "+09:00", "JST": "+09:00", "AEST": "+10:00",
    "AEDT": "+11:00",
}  # fmt: skip
# What may stand between a date and its time of day.
_UNTIL_CLOCK = (
    r"(?:[\s,|·•@T(\u2013-]|\b(?:um|at|à|a las|às|ore|alle|o|strax|klo|ost|\u0432)\b|\bkl\.?"
    r"|\b\u0433\.|\bd\.|\bplkst\.?|เวลา|\u0627\u0644\u0633\u0627\u0639\u0629|\u05d1\u05e9\u05e2\u05d4"
    r"|[月火水木金土日]曜日?|[월화수목금토일]요일|星期[一二三四五六日天]|[.日]|\([^\s()]{1,4}\)){0,6}"
)
_CLOCK = compiled_later(
    _UNTIL_CLOCK + r"(?P<half>오전|오후|上午|下午|午前|午後)?\s?(?P<hour>\d{1,2})"
    r"(?:[:hH]|\s?[時时시点點]|\.(?=\d\d))\s?(?P<minute>\d{2}|\d(?=\s?[分분]))?"
    r"(?:\s?[:.分분]\s?(?P<second>\d{2}|\d(?=\s?[秒초])))?(?P<fraction>\.\d{1,9})?"
    r"\s?(?P<meridiem>[AaPp]\.?\s?[Mm]\b\.?|[\u0645\u0635]\b)?(?:Uhr)?\s{0,2}\(?" + _ZONE
)
_CLOCK_BEFORE = compiled_later(
    r"(?<![\d:.])(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?\s?"
    r"(?P<meridiem>[AaPp]\.?[Mm]\b\.?)?\s?(?:(?P<name>[A-Z]{1,4})\b)?[\s,|·•\u2013-]{0,4}(?:on\s)?$"
)
_BEFORE_CHARS = 24
_COMPACT_CLOCK = compiled_later(r"T?(?P<hour>\d{2})(?P<minute>\d{2})(?P<second>\d{2})?" + _ZONE)


@dataclass(frozen=True, slots=True, order=True)
class Date:
    """A day, and where they were written the time of day and its zone.

    Attributes:
        clock: ``HH:MM`` or ``HH:MM:SS``, with a fraction where one was written; empty for a day
            alone.
        zone: ``Z`` or an offset such as ``+09:00``; empty where none was written.
    """

    year: int
    month: int
    day: int
    clock: str = ""
    zone: str = ""

    @property
    def day_text(self) -> str:
        """The day as ``YYYY-MM-DD``."""
        return f"{self.year:04}-{self.month:02}-{self.day:02}"

    @property
    def number(self) -> int:
        """The number of the day since 1970-01-01."""
        return timegm((self.year, self.month, self.day, 0, 0, 0)) // _DAY_SECONDS

    @property
    def text(self) -> str:
        """The date in ISO 8601, as exact as it was written."""
        return f"{self.day_text}T{self.clock}{self.zone}" if self.clock else self.day_text


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A date in a text: ``source[start:end]`` is what was read as its day."""

    date: Date
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """How the numbers of an ambiguous date such as 03/04/26 are meant.

    Attributes:
        month_first: 03/04 is March 4th, as in the United States.
        year_first: 26.03.04 begins with the year, as in Korea, Japan and China.
        language: primary subtag, for the few names of months that differ between languages.
    """

    month_first: bool = False
    year_first: bool = False
    language: str = ""


def read_date(value: str, reading: Reading | None = None) -> Date | None:
    """Read a value that is a date: ISO 8601, RFC 5322, Unix seconds, or what people write.

    Returns None where it is no day of a year from 1990 to 2100.
    """
    value = value.strip()[:_MACHINE_CHARS]
    if _EPOCH.fullmatch(value):
        return _from_epoch(float(value))
    return next((found.date for found in find_dates(value, reading)), None)


def find_dates(text: str, reading: Reading | None = None) -> Iterator[FoundDate]:
    """Yield the dates in a text, in order; only its first 2,000 characters are looked at."""
    if _HAS_DATE.search(text, 0, _TEXT_CHARS) is None:
        return
    text = text[:_TEXT_CHARS]
    if not text.isascii():
        text = text.translate(_PLAIN)
    reading = reading or Reading()
    for match in _DATE.finditer(text):
        day = _day(match, reading)
        if day is None:
            continue
        clock, zone = _clock(text, match)
        yield FoundDate(Date(*day, clock, zone), match.start(), match.end())


def _day(match: re.Match[str], reading: Reading) -> tuple[int, int, int] | None:
    number = (match.lastgroup or "")[-1]
    if number == "e":
        return _of_era(match, reading)
    if number == "4":
        return _ordered(match["a4"], match["b4"], match["c4"], match["s4"], reading)
    year, day = read_number(match[f"y{number}"]), read_number(match[f"d{number}"])
    if number == "a" and len(match["ya"]) == _SHORT_YEAR_CHARS:
        year += _BUDDHIST_CENTURY
    if number in _OF_WORDS:
        word = match[f"w{number}"]
        month = _month(word, reading.language)
        is_solar = not month
        month = month or _names().solar.get(fold_word(word), 0)
    else:
        month = read_number(match[f"m{number}"])
        is_solar = reading.language in SOLAR_LANGUAGES and year in SOLAR_YEARS
    return solar_day(year, month, day) if is_solar else _checked(year, month, day)


def _of_era(parts: re.Match[str], reading: Reading) -> tuple[int, int, int] | None:
    """Return the day of an era. In Chinese a year of three digits needs no name of its era."""
    if era := parts["era"]:
        start = _ERAS.get(era) or (_SHORT_ERAS[era] if reading.language == "ja" else None)
    else:
        start = _ERAS["民國"] if reading.language == "zh" else None
    if start is None:
        return None
    year = 1 if parts["ye"] == "元" else read_number(parts["ye"])
    return _checked(start + year, read_number(parts["me"]), read_number(parts["de"]))


def _ordered(
    first: str, second: str, third: str, mark: str, reading: Reading
) -> tuple[int, int, int] | None:
    """Return year, month and day of three numbers in unknown order, None where they are no day."""
    if len(third) == _SHORT_YEAR_CHARS and reading.year_first:
        return _checked(_full_year(int(first)), int(second), int(third))
    year = int(third)
    if len(third) == _SHORT_YEAR_CHARS:
        buddhist = _BUDDHIST_CENTURY + year
        is_buddhist = reading.language == "th" and buddhist in _BUDDHIST_YEARS
        year = buddhist if is_buddhist else _full_year(year)
    day_first = _checked(year, int(second), int(first))
    month_first = _checked(year, int(first), int(second))
    if reading.month_first and mark != ".":
        return month_first or day_first
    return day_first or month_first


def _full_year(short: int) -> int:
    return 1900 + short if short >= _SHORT_YEARS_FROM_1900 else 2000 + short


def _checked(year: int, month: int, day: int) -> tuple[int, int, int] | None:
    if year in _BUDDHIST_YEARS:
        year -= _BUDDHIST
    if not (FIRST_YEAR <= year < _LAST_YEAR and 1 <= month <= _MONTHS):
        return None
    days = _DAYS[month] + (month == _FEBRUARY and isleap(year))
    return (year, month, day) if 1 <= day <= days else None


def _clock(text: str, match: re.Match[str]) -> tuple[str, str]:
    found: re.Match[str] | None
    if match.lastgroup == "y9":
        found = match
    elif match.lastgroup == "d3":
        found = _COMPACT_CLOCK.match(text, match.end())
    else:
        found = _CLOCK.match(text, match.end()) or _CLOCK_BEFORE.search(
            text, max(0, match.start() - _BEFORE_CHARS), match.start()
        )
    return _time(found.groupdict()) if found else ("", "")


def _time(parts: dict[str, str | None]) -> tuple[str, str]:
    hour, minute, second = (int(parts.get(name) or 0) for name in ("hour", "minute", "second"))
    half = (parts.get("meridiem") or parts.get("half") or "").lower()
    if half.startswith(("p", "오후", "下", "午後", "\u0645")) and hour < _NOON:
        hour += _NOON
    elif half.startswith(("a", "오전", "上", "午前", "\u0635")) and hour == _NOON:
        hour = 0
    if hour > _LAST_HOUR or max(minute, second) > _LAST_MINUTE:
        return "", ""
    clock = f"{hour:02}:{minute:02}"
    if parts.get("second"):
        clock += f":{second:02}"
        if digits := (parts.get("fraction") or "")[1:]:
            clock += f".{int(digits):0{len(digits)}}"
    return clock, _zone(parts)


def _zone(parts: dict[str, str | None]) -> str:
    if offset := parts.get("offset"):
        hours, minutes = int(offset[1:]), int(parts["rest"] or 0)
        if hours <= 14 and minutes <= _LAST_MINUTE:  # noqa: PLR2004 - the farthest zone is 14 hours off
            sign = "+" if offset[0] == "+" else "-"
            return f"{sign}{hours:02}:{minutes:02}"
    return _ZONES.get(parts.get("name") or "", "")


def _from_epoch(seconds: float) -> Date | None:
    if seconds >= _MILLISECONDS_FROM:
        seconds /= 1000
    day, _, clock = str(np.datetime64(int(seconds), "s")).partition("T")
    checked = _checked(*map(int, day.split("-")))
    return None if checked is None else Date(*checked, clock, "Z")


def is_month(folded: str) -> bool:
    """Tell whether a folded word is the name of a month in any language."""
    return folded in _names().all


def _month(word: str, language: str) -> int:
    """Return the number of a month's name, 0 where it is none.

    In Hebrew a month begins with the letter that means "in".
    """
    names = _names()
    folded = "".join(fold_word(word).rstrip(_SHORTENED).split(". "))
    plain = names.all.get(folded) or names.all.get(folded.removeprefix("\u05d1"), 0)
    return names.own.get(language, {}).get(folded) or plain


class _Names(NamedTuple):
    """The numbers of months by their folded names.

    Attributes:
        all: in all languages.
        own: by language, of names that mean another month in others.
        solar: in Iran's year.
    """

    all: Mapping[str, int]
    own: Mapping[str, Mapping[str, int]]
    solar: Mapping[str, int]


@cache
def _names() -> _Names:
    data = read_data("crawler.core.metadata", "months")
    months = enumerate(data["months"], 1)
    names = {name.rstrip(_SHORTENED): number for number, month in months for name in month}
    solar = {fold_word(name): at for at, month in enumerate(data["solar"], 1) for name in month}
    return _Names(names, data["only"], solar)
