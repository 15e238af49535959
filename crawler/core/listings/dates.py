"""Dates of sitemaps and feeds, in the forms that their specifications allow and in others."""

from __future__ import annotations

import re

from crawler.core.metadata.dates import FIRST_YEAR, read_date

__all__ = ["read_listed_date"]

# Dates of the W3C's profile of ISO 8601 that name no day.
_YEAR_OR_MONTH = re.compile(r"(?P<year>\d{4})(?:-(?:0[1-9]|1[0-2]))?")
_LAST_YEAR = 2100
# RFC 822 writes years with two digits; RFC 2822 and 5322 read 00 to 49 as of this century.
_SHORT_YEAR = re.compile(r"(?<!\d)(\d{1,2}[ -][A-Za-z]{3,9}[ -])(\d\d)(?= \d{1,2}:\d\d)")
_SHORT_YEARS_OF_2000 = 50
_MAX_CHARS = 80


def read_listed_date(written: str) -> str:
    """Return a date in ISO 8601, as exact as it was written; empty where it is none.

    Reads the W3C's profile of ISO 8601 (a year or a month alone too), RFC 822 and 5322, seconds
    and milliseconds since 1970, and what people write. Years are those from 1990 to 2100: 1970
    and 0000 stand for a date that is not known.
    """
    written = written.strip()[:_MAX_CHARS]
    if short := _YEAR_OR_MONTH.fullmatch(written):
        return written if FIRST_YEAR <= int(short["year"]) < _LAST_YEAR else ""
    date = read_date(_SHORT_YEAR.sub(_with_century, written, count=1))
    return date.text if date else ""


def _with_century(match: re.Match[str]) -> str:
    year = int(match[2])
    return f"{match[1]}{year + (2000 if year < _SHORT_YEARS_OF_2000 else 1900)}"
