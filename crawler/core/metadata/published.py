"""The dates on which a page was published and last changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from crawler.core.metadata.bylines import byline_words
from crawler.core.metadata.dates import Date, Reading, find_dates, read_date
from crawler.core.metadata.visible import element_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml import etree

    from crawler.core.metadata.dates import FoundDate
    from crawler.core.metadata.facts import PageFacts
    from crawler.core.metadata.visible import Mark, VisiblePage

# From how many points a visible date is trusted at all, and before weaker meta elements.
_SEEN_POINTS = 1.5
_SURE_POINTS = 5.0
_FIRST_TIMES = 3
_NOON, _AHEAD = 12, 10
_URL_DATE = re.compile(
    r"(?<!\d)(?P<y>(?:19|20)\d\d)(?P<s>[/._-]?)(?P<m>0[1-9]|1[0-2]|[1-9](?=[/._-]))(?P=s)"
    r"(?P<d>0[1-9]|[12]\d|3[01]|[1-9](?=\D|$))(?!\d)"
)
_URL_MONTH = re.compile(r"/(?P<y>(?:19|20)\d\d)/(?P<m>[a-z]{3,9})/(?P<d>\d{1,2})/", re.IGNORECASE)
_QUOTES = r"[\\\x22']{1,4}"
_SCRIPT_DATE = re.compile(
    r"(?:date_?published|published_?(?:at|date|time|on)|publish_?(?:date|time|ed_?at)|pub_?date"
    r"|publication_?date|first_?published(?:_?at)?|datecreated|created_?at)"
    rf"{_QUOTES}\s?[:=]\s?{_QUOTES}(?P<date>[^\\\x22']{{6,40}}){_QUOTES}",
    re.IGNORECASE,
)
# Parts of these names, which a plain search finds quickly.
_SCRIPT_NAMES = ("publi", "pubdate", "pub_date", "datecreated", "created_at", "createdat")
_SCRIPT_CHARS = 200_000
_MONTH_FIRST = ("us", "ph")
_DAY_FIRST_HOSTS = (".uk", ".au", ".nz", ".in", ".ie", ".za", ".eu", ".ng", ".ke", ".sg", ".my")
_YEAR_FIRST = ("ko", "ja", "zh", "hu", "lt")
_MAX_LOOKED_AT = 60
# Letters beside a date from which a text may be a sentence rather than a line with the date.
_LINE_LETTERS = 15
_SENTENCE_ENDS = (".", "!", "?", "\u3002", "\uff01", "\uff1f", "\u2026")
_SMALL_WORD = re.compile(r",?\s[a-z\u00df-\u00ff\u0430-\u044f]{2,}\s")
_ISO_BEGINS = re.compile(r"\d{4}-\d\d-\d\d")
_LABEL_CHARS = 40
_PUBLISHED_HINT = re.compile(r"publi[sc]|pubdate|posted|created|date-?published", re.IGNORECASE)
_MODIFIED_HINT = re.compile(r"updated?\b|modif|lastmod", re.IGNORECASE)


class DateChooser:
    """Chooses between the dates that a page gives, in the order that docs/metadata.md states."""

    def __init__(self, facts: PageFacts, language: str | None, fetched_at: str | None) -> None:
        self._facts = facts
        self._reading = _how_to_read(language, facts.house[0])
        self._latest = read_date(fetched_at) if fetched_at else None
        self._shown: list[SeenDate] | None = None

    def published(self) -> tuple[str, Date] | None:
        """Return the source and date of publication."""
        return self._first(self._published())

    def modified(self) -> tuple[str, Date] | None:
        """Return the source and date of the last change."""
        return self._first(self._modified())

    def _first(self, dates: Iterable[tuple[str, Date | None]]) -> tuple[str, Date] | None:
        """Return the first date that is not after the day on which the page was fetched."""
        latest = None if self._latest is None else self._latest.number + 1
        for source, date in dates:
            if date is not None and (latest is None or date.number <= latest):
                return source, date
        return None

    @property
    def _seen(self) -> list[SeenDate]:
        if self._shown is None:
            self._shown = seen_dates(self._facts.visible, self._reading)
        return self._shown

    def _published(self) -> Iterator[tuple[str, Date | None]]:
        in_url = _date_in_url(self._facts.url)
        for source, date in self._declared(self._facts.linked.published, "published"):
            yield self._local_day(source, date, in_url)
        if in_url is not None:
            yield from self._clock_of(in_url)
        yield "url", in_url
        yield from self._published_as_seen()

    def _declared(self, linked: Iterable[str], what: str) -> Iterator[tuple[str, Date | None]]:
        """Yield dates that the page declares: those of JSON-LD, then those of meta elements."""
        for value in linked:
            yield "json-ld", read_date(value, self._reading)
        for source, value in self._facts.metas.values(what):
            yield source, read_date(value, self._reading)

    def _clock_of(self, in_url: Date) -> Iterator[tuple[str, Date]]:
        """Yield visible dates with a time of day, of the day that the address has."""
        for each in self._seen:
            same_day = each.date.number == in_url.number
            if same_day and each.date.clock and not (each.is_modified or each.is_aside):
                yield each.source, each.date

    def _published_as_seen(self) -> Iterator[tuple[str, Date | None]]:
        seen = [each for each in self._seen if not each.is_modified]
        yield from ((each.source, each.date) for each in seen if each.points >= _SURE_POINTS)
        yield from self._declared((), "dated")
        yield from ((each.source, each.date) for each in seen if each.points >= _SEEN_POINTS)
        yield from self._last_resorts()
        yield from ((each.source, each.date) for each in seen if not each.is_aside)
        # Where there is only the date of the last change, the source says so.
        yield from (("modified", date) for _, date in self._modified())
        yield from ((each.source, each.date) for each in seen)

    def _last_resorts(self) -> Iterator[tuple[str, Date | None]]:
        yield "title", _first_in(self._facts.parsed.title or "", self._reading)
        path = _path(self._facts.url)
        yield "url", _first_in(path.replace("_", "-"), self._reading)
        left = _SCRIPT_CHARS
        for script in self._facts.scripts():
            lower = script[:left].lower()
            if any(map(lower.__contains__, _SCRIPT_NAMES)):
                for match in _SCRIPT_DATE.finditer(script, 0, left):
                    yield "script", read_date(match["date"], self._reading)
            left = max(0, left - len(script))

    def _modified(self) -> Iterator[tuple[str, Date | None]]:
        yield from self._declared(self._facts.linked.modified, "modified")
        # Visible dates count only where they were read for the day of publication.
        for each in self._shown or ():
            if each.is_modified and each.points >= 0:
                yield each.source, each.date

    def _local_day(
        self, source: str, date: Date | None, in_url: Date | None
    ) -> tuple[str, Date | None]:
        """Return the day that the page shows where a time in UTC is on the day before or after.

        Its address and its readers have the day of the page's own zone, which UTC does not tell.
        """
        if date is None or date.zone not in ("Z", "+00:00", "-00:00"):
            return source, date
        hour = int(date.clock[:2] or 0)
        for shown_by, day in self._days(in_url):
            ahead = date.number - day.number
            if ahead == 0:
                break
            if (ahead == 1 and hour < _NOON) or (ahead == -1 and hour >= _AHEAD):
                return shown_by, Date(day.year, day.month, day.day)
        return source, date

    def _days(self, in_url: Date | None) -> Iterator[tuple[str, Date]]:
        """Yield days in the page's own zone: in its address, and in the first ``time`` elements."""
        if in_url is not None:
            yield "url", in_url
        for element in self._facts.parsed.named["time"][:_FIRST_TIMES]:
            date = _first_in(element.text or "", self._reading)
            if date is not None:
                yield "time", date


def _how_to_read(language: str | None, host: str) -> Reading:
    primary, _, region = (language or "").lower().replace("_", "-").partition("-")
    month_first = primary in ("en", "") and (
        region in _MONTH_FIRST or (not region and not host.endswith(_DAY_FIRST_HOSTS))
    )
    return Reading(month_first, primary in _YEAR_FIRST, primary)


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


class _Found(NamedTuple):
    """A date that readers see, its place, the words around it, and points for the kind of place."""

    mark: Mark
    date: Date
    source: str
    said: str
    points: float


def seen_dates(page: VisiblePage, reading: Reading) -> list[SeenDate]:
    """Return the dates that readers see, those with most points first."""
    found = (*_time_elements(page, reading), *_hinted(page, reading), *_in_text(page, reading))
    return sorted((_weighed(page, each) for each in found), key=lambda seen: -seen.points)


def _time_elements(page: VisiblePage, reading: Reading) -> Iterator[_Found]:
    for mark in page.times[:_MAX_LOOKED_AT]:
        text = element_text(mark.element)
        value = mark.element.get("datetime") or mark.element.get("content") or text
        date = read_date(value, reading) or read_date(text, reading)
        if date is not None:
            yield _Found(mark, date, "time", f"{_said_around(mark.element)} {text}", 2.5)


def _hinted(page: VisiblePage, reading: Reading) -> Iterator[_Found]:
    for mark in page.dates[:_MAX_LOOKED_AT]:
        element = mark.element
        if element.tag == "time":
            continue
        given = element.get("content") or element.get("datetime") or _dated_title(element)
        if given and (date := read_date(given, reading)):
            yield _Found(mark, date, "microdata", mark.said, 3.0)
            continue
        text = element_text(element)
        for found, label in _labelled_dates(text, reading):
            spare = len(text) - (found.end - found.start)
            # A label right before a date counts more than the name of the element.
            said = label if _is_label(label) else f"{label} {mark.said}"
            points = 2.0 - min(2.0, spare / 100) + _says_published(label)
            yield _Found(mark, found.date, "text", said, points)


def _in_text(page: VisiblePage, reading: Reading) -> Iterator[_Found]:
    for mark in page.dated[:_MAX_LOOKED_AT]:
        text = mark.said
        for number, (found, label) in enumerate(_labelled_dates(text, reading)):
            if not _is_label(label) and (number or _is_in_sentence(text, found)):
                continue
            spare = len(text) - (found.end - found.start)
            said = label if label.strip() else _said_around(mark.element)
            points = 1.0 - min(2.0, spare / 60) + _says_published(label)
            yield _Found(mark, found.date, "text", said, points)


def _labelled_dates(text: str, reading: Reading) -> Iterator[tuple[FoundDate, str]]:
    """Yield the dates in a text, each with the text right before it."""
    end = 0
    for found in find_dates(text, reading):
        yield found, text[max(end, found.start - _LABEL_CHARS) : found.start]
        end = found.end


def _weighed(page: VisiblePage, found: _Found) -> SeenDate:
    words, said = byline_words(), found.said
    published = bool(words.published.search(said) or _PUBLISHED_HINT.search(said))
    modified = bool(words.modified.search(said) or _MODIFIED_HINT.search(said))
    points = found.points + 2.0 * published + page.near(found.mark.order)
    if modified and not published:
        points -= 1.5
    aside = page.is_aside(found.mark.element)
    if aside:
        points -= 5.0
    return SeenDate(found.date, found.source, points, modified and not published, aside)


def _dated_title(element: etree._Element) -> str | None:
    """Return a ``title`` attribute that is an ISO date, as in old microformats."""
    title = element.get("title")
    return title if title and _ISO_BEGINS.match(title) else None


def _is_label(label: str) -> bool:
    """Tell whether a text has words such as "published" or "updated"."""
    words = byline_words()
    return bool(words.published.search(label) or words.modified.search(label))


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


def _says_published(label: str) -> float:
    """Return a point for words such as "published" right before a date."""
    return 1.0 if byline_words().published.search(label) else 0.0


def _said_around(element: etree._Element) -> str:
    """Return the text just before an element, and the names of it and its parent."""
    said = [element.get("class") or "", element.get("itemprop") or ""]
    before = element.getprevious()
    parent = element.getparent()
    if before is not None and not _has_date(before):
        said += [(before.text or "")[-_LABEL_CHARS:], (before.tail or "")[-_LABEL_CHARS:]]
    elif before is None and parent is not None:
        said.append((parent.text or "")[-_LABEL_CHARS:])
    if parent is not None:
        said.append(parent.get("class") or "")
    return " ".join(said)


def _has_date(element: etree._Element) -> bool:
    """Tell whether an element begins with a date: its label belongs to that date."""
    return next(find_dates(element.text or ""), None) is not None
