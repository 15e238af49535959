"""Numerals of Japanese and Chinese, and days of Iran's solar calendar."""

from __future__ import annotations

import unicodedata

import numpy as np

DIGITS = "\u3007零一二三四五六七八九"
"""Numerals from 0 to 9, with both signs for 0."""

NUMERALS = f"{DIGITS}十百"
"""The same with the signs for 10 and 100."""

SOLAR_YEARS = range(1369, 1479)
"""Years of Iran's calendar in which a web page can have been published: 1990 to 2100."""

SOLAR_LANGUAGES = ("fa", "ps")
"""Languages whose pages count by that calendar."""

_TEN = 10
_CYCLE = 33
# The first day of the year 1 since 1970-01-01, and the leap years within a cycle.
_BEGINS = -492_268
_LEAPS = (1, 5, 9, 13, 17, 22, 26, 30)


def read_number(text: str) -> int:
    """Read digits, or numerals as Japanese and Chinese write them: 二〇二六, 二十七, 一百一十五."""
    if text.isdecimal():
        return int(text)
    values = [int(unicodedata.numeric(sign)) for sign in text]
    if max(values) < _TEN:
        return int("".join(map(str, values)))
    total = digit = 0
    for value in values:
        if value < _TEN:
            digit = value
        else:
            total += max(digit, 1) * value
            digit = 0
    return total + digit


def solar_day(year: int, month: int, day: int) -> tuple[int, int, int] | None:
    """Return year, month and day of a date of Iran's solar calendar; None where it is no date.

    Leap years are told by a cycle of 33 years with eight of them, which agrees with the calendar in
    all of :data:`SOLAR_YEARS`.
    """
    lengths = (*(31,) * 6, *(30,) * 5, 29 + (year % _CYCLE in _LEAPS))
    if year not in SOLAR_YEARS or not (
        1 <= month <= len(lengths) and 1 <= day <= lengths[month - 1]
    ):
        return None
    cycles, rest = divmod(year - 1, _CYCLE)
    leaps = 8 * cycles + sum(each <= rest for each in _LEAPS)
    number = _BEGINS + 365 * (year - 1) + leaps + sum(lengths[: month - 1]) + day - 1
    found = str(np.datetime64(number, "D")).split("-")
    return int(found[0]), int(found[1]), int(found[2])
