"""The dates on which a page was published and last changed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from lxml import etree

from crawler.core.metadata.dates import Date, FoundDate, Reading, find_dates, read_date
from crawler.core.metadata.names import BylineWords, begins_as_byline, byline_words
from crawler.core.metadata.visible import Mark, VisiblePage, element_text
from crawler.core.patterns import compiled_later

if TYPE_CHECKING:
    from crawler.core.metadata.read import PageFacts

# From how many points a visible date is trusted at all, and before weaker meta elements.
_SEEN_POINTS = 1.5
_SURE_POINTS = 4.5
_FIRST_TIMES = 3
_NOON, _AHEAD = 12, 10
# The hour of UTC from which it is the next day somewhere in Europe, in summer.
_NIGHT = 21
_URL_DATE = compiled_later(
    r"(?<!\d)(?P<y>(?:19|20)\d\d)(?P<s>[/._-]?)(?P<m>0[1-9]|1[0-2]|[1-9](?=[/._-]))(?P=s)"
    r"(?P<d>0[1-9]|[12]\d|3[01]|[1-9](?=\D|$))(?!\d)"
)
_URL_MONTH = compiled_later(
    r"/(?P<y>(?:19|20)\d\d)/(?P<m>[a-z]{3,9})/(?P<d>\d{1,2})/", re.IGNORECASE
)
_URL_YEAR_MONTH = compiled_later(r"/(?P<y>(?:19|20)\d\d)/(?P<m>0[1-9]|1[0-2])/(?!\d)")
_QUOTES = r"[\\\x22']{1,4}"
_SCRIPT_DATE = compiled_later(
    r"(?:date_?published|published_?(?:at|date|time|on)|publish_?(?:date|time|ed_?at)|pub_?date"
    r"|publication_?date|first_?published(?:_?at)?|datecreated|created_?at)"
    rf"{_QUOTES}\s?[:=]\s?{_QUOTES}(?P<date>[^\\\x22']{{6,40}}){_QUOTES}",
    re.IGNORECASE,
)
# Parts of these names, which a plain search finds quickly, and how far behind a name's beginning.
_SCRIPT_NAMES = ("publi", "pubdate", "pub_date", "datecreated", "created_at", "createdat")
_FARTHEST = 6
_SCRIPT_CHARS = 200_000
_MONTH_FIRST = ("us", "ph")
_DAY_FIRST_HOSTS = (".uk", ".au", ".nz", ".in", ".ie", ".za", ".eu", ".ng", ".ke", ".sg", ".my")
_YEAR_FIRST = ("ko", "ja", "zh", "hu", "lt")
_MAX_LOOKED_AT = 60
# Letters beside a date from which a text may be a sentence rather than a line with the date.
_LINE_LETTERS = 15
_SENTENCE_ENDS = (".", "!", "?", "\u3002", "\uff01", "\uff1f", "\u2026")
_SMALL_WORD = compiled_later(r",?\s[a-z\u00df-\u00ff\u0430-\u044f]{2,}\s")
_LETTERS = compiled_later(r"[^\W\d_]{2,}")
_ISO_BEGINS = compiled_later(r"\d{4}-\d\d-\d\d")
_DATELINE_ENDS = compiled_later(r"\s?[):\u2013\u2014-]")
_LABEL_CHARS = 40
_PUBLISHED_HINT = compiled_later(r"publi[sc]|pubdate|posted|created|date-?published", re.IGNORECASE)
_MODIFIED_HINT = compiled_later(r"updated?\b|modif|lastmod", re.IGNORECASE)


class DateChooser:
    """The dates that a page gives, in the order that docs/metadata.md states."""

    def __init__(self, facts: PageFacts, language: str | None, fetched_at: str | None) -> None:
        self._facts = facts
        self._reading = how_to_read(language, facts.house[0])
        latest = read_date(fetched_at) if fetched_at else None
        self._latest = math.inf if latest is None else latest.number + 1
        self._looked_at_page = False

    def believed(self, dates: Iterable[tuple[str, Date | None]]) -> Iterator[tuple[str, str]]:
        """Yield source and text of the dates that are not after the day of the page's fetch."""
        for source, date in dates:
            if date is not None and date.number <= self._latest:
                yield source, date.text

    @cached_property
    def _shown(self) -> list[SeenDate]:
        return seen_dates(self._facts.visible, self._reading)

    @property
    def _seen(self) -> list[SeenDate]:
        self._looked_at_page = True
        return self._shown

    def published(self) -> Iterator[tuple[str, Date | None]]:
        """Yield source and date of publication, the most trusted first."""
        in_url = _date_in_url(self._facts.url)
        for source, date in self._declared(self._facts.linked.published, "published"):
            yield self._local_day(source, date, in_url)
        if in_url is not None:
            # Visible dates with a time of day, of the day that the address has.
            yield from (
                (each.source, each.date)
                for each in self._seen
                if each.date.number == in_url.number
                and each.date.clock
                and not (each.is_modified or each.is_aside)
            )
        yield "url", in_url
        seen = [each for each in self._seen if not each.is_modified]
        seen = _of_month(_URL_YEAR_MONTH.search(self._facts.url), seen)
        yield from ((each.source, each.date) for each in seen if each.points >= _SURE_POINTS)
        yield from self._declared((), "dated")
        yield from ((each.source, each.date) for each in seen if each.points >= _SEEN_POINTS)
        yield "title", _first_in(self._facts.parsed.title or "", self._reading)
        path = _path(self._facts.url).replace("_", "-")
        for part in (path, path.rpartition("/")[2]):
            yield "url", _first_in(part, self._reading)
        yield from self._in_scripts()
        yield from ((each.source, each.date) for each in seen if not each.is_aside)
        # Where there is only the date of the last change, the source says so.
        yield from (("modified", date) for _, date in self.modified())
        yield from ((each.source, each.date) for each in seen)

    def modified(self) -> Iterator[tuple[str, Date | None]]:
        """Yield source and date of the last change, the most trusted first."""
        yield from self._declared(self._facts.linked.modified, "modified")
        # Visible dates count only where they were read for the day of publication.
        for each in self._shown if self._looked_at_page else ():
            if each.is_modified and each.points >= 0:
                yield each.source, each.date

    def _declared(self, linked: Iterable[str], what: str) -> Iterator[tuple[str, Date | None]]:
        """Yield dates that the page declares: those of JSON-LD, then those of meta elements."""
        for source, value in chain(
            (("json-ld", each) for each in linked), self._facts.values(what)
        ):
            yield source, read_date(value, self._reading)

    def _in_scripts(self) -> Iterator[tuple[str, Date | None]]:
        left = _SCRIPT_CHARS
        for script in self._facts.scripts():
            for match in _script_dates(script[:left]):
                yield "script", read_date(match["date"], self._reading)
            left = max(0, left - len(script))

    def _local_day(
        self, source: str, date: Date | None, in_url: Date | None
    ) -> tuple[str, Date | None]:
        """Return the day that the page shows where a time in UTC is on the day before or after.

        Its address and its readers have the day of the page's own zone, which UTC does not tell:
        the address and the first ``time`` elements.
        """
        if date is None or date.zone not in ("Z", "+00:00", "-00:00"):
            return source, date
        hour = int(date.clock[:2] or 0)
        times = self._facts.parsed.named["time"][:_FIRST_TIMES]
        shown = (("time", _first_in(each.text or "", self._reading)) for each in times)
        for shown_by, day in chain((("url", in_url),), shown, self._shown_at_night(hour)):
            ahead = 0 if day is None else date.number - day.number
            if day is not None and ahead == 0:
                break
            if day and ((ahead == 1 and hour < _NOON) or (ahead == -1 and hour >= _AHEAD)):
                return shown_by, Date(day.year, day.month, day.day)
        return source, date

    def _shown_at_night(self, hour: int) -> Iterator[tuple[str, Date | None]]:
        """Yield the day that readers see, for an hour at which Europe has the next day."""
        if hour >= _NIGHT and self._shown:
            first = self._shown[0]
            if first.points >= _SURE_POINTS and not first.is_modified:
                yield first.source, first.date


def _script_dates(script: str) -> Iterator[re.Match[str]]:
    """Yield what the pattern of dates in scripts finds: it is tried where it may match alone."""
    lower = script.lower()
    named = [at for part in _SCRIPT_NAMES for at in _places(part, lower)]
    if named and len(lower) != len(script):
        # Of few letters the small one is longer, so that places in both differ.
        yield from _SCRIPT_DATE.finditer(script)
        return
    starts = {start for at in named for start in range(max(0, at - _FARTHEST), at + 1)}
    end = 0
    for start in sorted(starts):
        if start >= end and (match := _SCRIPT_DATE.match(script, start)):
            yield match
            end = match.end()


def _places(part: str, text: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def how_to_read(language: str | None, host: str) -> Reading:
    """Return how dates are to be read on a page of a language and a host."""
    primary, _, region = (language or "").lower().replace("_", "-").partition("-")
    month_first = primary in ("en", "") and (
        region in _MONTH_FIRST or (not region and not host.endswith(_DAY_FIRST_HOSTS))
    )
    return Reading(month_first, primary in _YEAR_FIRST, primary)


def _of_month(month: re.Match[str] | None, seen: list[SeenDate]) -> list[SeenDate]:
    """Return the dates of the month that an address has, or all where none is of it."""
    if month is None:
        return seen
    named = int(month["y"]), int(month["m"])
    of_month = [
        each for each in seen if (each.date.year, each.date.month) == named and not each.is_aside
    ]
    return of_month or seen


def _path(url: str) -> str:
    return url.partition("://")[2].partition("/")[2].partition("?")[0]


def _first_in(text: str, reading: Reading) -> Date | None:
    found = next(find_dates(text, reading), None)
    return found.date if found is not None else None


def _date_in_url(url: str) -> Date | None:
    """Return the date in a path, year first: ``/2026/11/27/``, ``-20261127``."""
    path = _path(url)
    match = _URL_DATE.search(path)
    if match is not None:
        return read_date(f"{match['y']}-{int(match['m']):02}-{int(match['d']):02}")
    match = _URL_MONTH.search(f"/{path}")
    return read_date(f"{match['d']} {match['m']} {match['y']}") if match is not None else None


class SeenDate(NamedTuple):
    """A date that readers see, with points for how likely it is the page's."""

    date: Date
    source: str
    points: float
    is_modified: bool
    is_aside: bool
    element: etree._Element


_Found: TypeAlias = "tuple[Mark, Date, str, str, float]"
"""The place of a date, the date, its source, the words around it, and points for its place."""


def seen_dates(page: VisiblePage, reading: Reading) -> list[SeenDate]:
    """Return the dates that readers see, those with most points first."""
    found = (
        *_time_elements(page, reading),
        *_hinted(page, reading),
        *_in_text(page, reading),
        *_begun(page, reading),
    )
    return sorted((_weighed(page, each) for each in found), key=lambda seen: -seen.points)


def _time_elements(page: VisiblePage, reading: Reading) -> Iterator[_Found]:
    for mark in page.times[:_MAX_LOOKED_AT]:
        text = element_text(mark.element)
        value = mark.element.get("datetime") or mark.element.get("content") or text
        date = read_date(value, reading) or read_date(text, reading)
        shown = list(_labelled_dates(text, reading))
        if len(shown) > 1 and any(_is_label(label) for _, label in shown):
            # Its attributes speak of one of the dates in its text.
            for found, label in shown:
                yield mark, _exacter(found.date, date), "time", label, 2.5
        elif date is not None:
            yield mark, date, "time", f"{_said_around(mark.element)} {text}", 2.5


def _exacter(shown: Date, given: Date | None) -> Date:
    """Return the date that a machine reads, which has a zone, where it is the one that is shown."""
    if given is None or given.number != shown.number:
        return shown
    return given if not shown.clock or given.clock.startswith(shown.clock) else shown


def _hinted(page: VisiblePage, reading: Reading) -> Iterator[_Found]:
    for mark in page.dates[:_MAX_LOOKED_AT]:
        element = mark.element
        if element.tag == "time":
            continue
        title = element.get("title") or ""
        # A title that is an ISO date, as in old microformats.
        dated = title if _ISO_BEGINS.match(title) else None
        given = element.get("content") or element.get("datetime") or dated
        if given and (date := read_date(given, reading)):
            yield mark, date, "microdata", mark.said, 3.0
            continue
        text = element_text(element)
        for found, label in _labelled_dates(text, reading):
            spare = len(text) - (found.end - found.start)
            # A label right before a date counts more than the name of the element.
            said = label if _is_label(label) else f"{label} {mark.said}"
            points = 2.0 - min(2.0, spare / 100) + _is_of_publication(label)
            yield mark, found.date, "text", said, points


def _in_text(page: VisiblePage, reading: Reading) -> Iterator[_Found]:
    for mark in page.dated[:_MAX_LOOKED_AT]:
        text = mark.said
        for number, (found, label) in enumerate(_labelled_dates(text, reading)):
            if not _is_label(label) and (number or _is_in_sentence(text, found)):
                continue
            spare = len(text) - (found.end - found.start)
            said = label if label.strip() else _said_around(mark.element)
            is_told = _is_of_publication(label) or begins_as_byline(text)
            points = 1.0 - min(2.0, spare / 60) + is_told
            yield mark, found.date, "text", said, points


def _begun(page: VisiblePage, reading: Reading) -> Iterator[_Found]:
    """Yield dates that a paragraph begins with: "(3.3.2026) Town", "3 March 2026 - Town"."""
    begun = []
    for mark in page.datelines:
        found = next(find_dates(mark.said, reading), None)
        if found and found.start <= 1 and _DATELINE_ENDS.match(mark.said, found.end):
            begun.append((mark, found.date))
    # A chronology has several.
    if len(begun) == 1:
        yield *begun[0], "text", "", 1.0


def _labelled_dates(text: str, reading: Reading) -> Iterator[tuple[FoundDate, str]]:
    end = 0
    for found in find_dates(text, reading):
        yield found, text[max(end, found.start - _LABEL_CHARS) : found.start]
        end = found.end


def _weighed(page: VisiblePage, found: _Found) -> SeenDate:
    mark, date, source, said, points = found
    of_dates = byline_words().said_of_dates(said)
    published = bool(of_dates & BylineWords.PUBLISHED or _PUBLISHED_HINT.search(said))
    modified = not published and bool(
        of_dates & BylineWords.MODIFIED or _MODIFIED_HINT.search(said)
    )
    aside = page.is_aside(mark.element) or _is_of_linked(mark.element)
    points += 2.0 * published + page.near(mark.order)
    points -= 1.5 * modified + 5.0 * aside
    return SeenDate(date, source, points, modified, aside, mark.element)


def _is_of_linked(element: etree._Element) -> bool:
    """Tell whether a date is part of a link's words, as in "Report No. 4 of 3 March 2026"."""
    if element.tag != "a":
        return False
    text = element_text(element)
    found = next(find_dates(text), None)
    before = text[: found.start] if found else ""
    # Links of a page to itself may have "on Thursday" before its date.
    days = byline_words().sets["weekdays"]
    words = [word for word in _LETTERS.findall(before) if word.lower() not in days]
    return not _is_label(before) and len(words) > 1


def _is_label(label: str) -> bool:
    return byline_words().said_of_dates(label) > 0


def _is_of_publication(label: str) -> bool:
    return byline_words().said_of_dates(label) & BylineWords.PUBLISHED > 0


def _is_in_sentence(text: str, found: FoundDate) -> bool:
    """Tell whether a date is part of a sentence: such dates are seldom the page's own.

    Lines such as "Town and harbour, 3 March 2026 | A, staff writer" are long and no sentences: they
    do not end as sentences do, or have no small words around the date.
    """
    rest = f"{text[: found.start]} {text[found.end :]}"
    if sum(map(str.isalpha, rest)) <= _LINE_LETTERS:
        return False
    return text.rstrip("\"'\u201d\u2019\u00bb) ").endswith(_SENTENCE_ENDS) or bool(
        _SMALL_WORD.match(text[found.end :])
    )


def _said_around(element: etree._Element) -> str:
    said = [element.get("class") or "", element.get("itemprop") or ""]
    before = element.getprevious()
    parent = element.getparent()
    # The label of an element that begins with a date belongs to that date.
    if before is not None and next(find_dates(before.text or ""), None) is None:
        said += [(before.text or "")[-_LABEL_CHARS:], (before.tail or "")[-_LABEL_CHARS:]]
    elif before is None and parent is not None:
        said.append((parent.text or "")[-_LABEL_CHARS:])
    if parent is not None:
        said.append(parent.get("class") or "")
    return " ".join(said)
