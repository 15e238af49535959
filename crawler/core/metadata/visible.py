"""Dates and authors that readers see: bylines, ``time`` elements, and dates near the headline."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from crawler.core.metadata.bylines import has_korean_role
from crawler.core.metadata.dates import find_dates, read_date
from crawler.core.metadata.names import clean_names
from crawler.core.metadata.scan import AUTHOR_PAGE, element_text, stands_aside
from crawler.core.metadata.words import byline_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

    from crawler.core.metadata.dates import Date, FoundDate, Reading
    from crawler.core.metadata.scan import Body, Mark, Snippet

__all__ = ["SeenDate", "VisiblePage", "seen_authors", "seen_dates"]

_MAX_LOOKED_AT = 60
# Letters beside a date from which a text may be a sentence rather than a line with the date.
_LINE_LETTERS = 15
_SENTENCE_ENDS = (".", "!", "?", "\u3002", "\uff01", "\uff1f", "\u2026")
_SMALL_WORD = re.compile(r",?\s[a-z\u00df-\u00ff\u0430-\u044f]{2,}\s")
_NEAR = 60
_FAR = 250
_ISO_BEGINS = re.compile(r"\d{4}-\d\d-\d\d")
_LABEL_CHARS = 40
_RUN = 30
_MAX_RUN = 20
_SURE_POINTS = 3.0
_BYLINE_NAMES_CHARS = 160
_PUBLISHED_HINT = re.compile(r"publi[sc]|pubdate|posted|created|date-?published", re.IGNORECASE)
_MODIFIED_HINT = re.compile(r"updated?\b|modif|lastmod", re.IGNORECASE)
_STRONG_AUTHOR = re.compile(
    r"\bauthor\b|byline|by-line|\bautor\b|author-?_?name|authorname", re.IGNORECASE
)
_NO_AUTHOR = re.compile(
    r"avatar|image|img|photo|bio\b|social|follow|box|desc|about|comment|title\b|role|thumb|icon"
    r"|date|time|position|job|links?$|publisher|container-wide|count",
    re.IGNORECASE,
)


@dataclass(slots=True)
class VisiblePage:
    """What readers see, with what is worked out for both dates and authors."""

    body: Body
    aside: dict[etree._Element, bool]
    headline: int | None
    """Order of the heading that is the title; None where there is none."""


@dataclass(frozen=True, slots=True)
class SeenDate:
    """A date that is seen, and how well its place speaks for it."""

    date: Date
    source: str
    points: float
    is_modified: bool
    is_aside: bool


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What speaks for a date: where it was found, what is said of it, points for the place."""

    source: str
    said: str
    weight: float


def seen_dates(page: VisiblePage, reading: Reading) -> list[SeenDate]:
    """Return the dates that the page shows, the most telling first."""
    found = [*_time_elements(page, reading), *_hinted(page, reading), *_in_text(page, reading)]
    return sorted(found, key=lambda each: -each.points)


def _time_elements(page: VisiblePage, reading: Reading) -> Iterator[SeenDate]:
    for mark in page.body.times[:_MAX_LOOKED_AT]:
        element = mark.element
        text = element_text(element)
        value = element.get("datetime") or element.get("content") or text
        date = read_date(value, reading) or read_date(text, reading)
        if date is not None:
            said = f"{_said_around(element)} {text}"
            yield _seen(page, mark, date, _Evidence("time", said, 2.5))


def _hinted(page: VisiblePage, reading: Reading) -> Iterator[SeenDate]:
    for mark in page.body.dates[:_MAX_LOOKED_AT]:
        element = mark.element
        if element.tag == "time":
            continue
        given = element.get("content") or element.get("datetime") or _dated_title(element)
        if given and (date := read_date(given, reading)):
            yield _seen(page, mark, date, _Evidence("microdata", mark.hint, 3.0))
            continue
        text = element_text(element)
        end = 0
        for found in find_dates(text, reading):
            label = text[max(end, found.start - _LABEL_CHARS) : found.start]
            end = found.end
            spare = len(text) - (found.end - found.start)
            weight = 2.0 - min(2.0, spare / 100) + _said_so(label)
            # What stands right before a date tells more than the name of the element.
            said = label if _is_label(label) else f"{label} {mark.hint}"
            yield _seen(page, mark, found.date, _Evidence("text", said, weight))


def _in_text(page: VisiblePage, reading: Reading) -> Iterator[SeenDate]:
    for snippet in page.body.dated[:_MAX_LOOKED_AT]:
        text = snippet.text
        end = 0
        for found in find_dates(text, reading):
            label = text[max(end, found.start - _LABEL_CHARS) : found.start]
            is_labelled = _is_label(label)
            if not is_labelled and (end or _is_in_sentence(text, found)):
                end = found.end
                continue
            end = found.end
            spare = len(text) - (found.end - found.start)
            said = label if label.strip() else _said_around(snippet.element)
            weight = 1.0 - min(2.0, spare / 60) + _said_so(label)
            yield _seen(page, snippet, found.date, _Evidence("text", said, weight))


def _dated_title(element: etree._Element) -> str | None:
    """Return a ``title`` that is a date for machines, as old microformats have it."""
    title = element.get("title")
    return title if title and _ISO_BEGINS.match(title) else None


def _is_label(label: str) -> bool:
    """Tell whether a text says what the date after it means."""
    words = byline_words()
    return bool(words.published.search(label) or words.modified.search(label))


def _is_in_sentence(text: str, found: FoundDate) -> bool:
    """Tell whether a date stands in running prose, which speaks of other days than the page's.

    Lines such as "Town and harbour, 3 March 2026 | A, staff writer" are long and no sentences: they
    do not end as sentences do, or have no small words around the date.
    """
    rest = f"{text[: found.start]} {text[found.end :]}"
    if sum(map(str.isalpha, rest)) <= _LINE_LETTERS:
        return False
    return text.rstrip("\"'\u201d\u2019\u00bb) ").endswith(_SENTENCE_ENDS) or bool(
        _SMALL_WORD.match(text[found.end :])
    )


def _said_so(label: str) -> float:
    """Return a point for words such as "published" right before a date."""
    return 1.0 if byline_words().published.search(label) else 0.0


def _said_around(element: etree._Element) -> str:
    """Return what stands just before an element, and what its attributes say."""
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
    """Tell whether an element begins with a date of its own: its label is not the next one's."""
    return next(find_dates(element.text or ""), None) is not None


def _seen(page: VisiblePage, mark: Mark | Snippet, date: Date, evidence: _Evidence) -> SeenDate:
    words = byline_words()
    said = evidence.said
    published = bool(words.published.search(said) or _PUBLISHED_HINT.search(said))
    modified = bool(words.modified.search(said) or _MODIFIED_HINT.search(said))
    points = evidence.weight + 2.0 * published + _near(page, mark.order)
    if modified and not published:
        points -= 1.5
    aside = stands_aside(mark.element, page.aside)
    if aside:
        points -= 5.0
    return SeenDate(date, evidence.source, points, modified and not published, aside)


def _near(page: VisiblePage, order: int) -> float:
    """Return points for standing near the headline, best after it."""
    if page.headline is None:
        return 0.0
    distance = order - page.headline
    if 0 <= distance <= _NEAR or -_NEAR / 2 <= distance < 0:
        return 3.0 - abs(distance) / _NEAR
    return 1.0 if 0 <= distance <= _FAR else 0.0


def seen_authors(page: VisiblePage, site: str) -> tuple[str, tuple[str, ...]] | None:
    """Return source and names of the authors that the page shows; None where it shows none."""
    best: tuple[float, str, tuple[str, ...]] | None = None
    for points, source, marks in _groups(page):
        if best is not None and points <= best[0]:
            continue
        texts = [_name_text(mark.element) for mark in marks]
        names = clean_names(texts, site=site, are_seen=True)
        sure = points > _SURE_POINTS
        if names and all(_looks_like_name(name) or (sure and " " not in name) for name in names):
            best = (points, source, _with_others(marks[0].element, names, site))
    labelled = _by_text(page, site)
    if labelled is not None and (best is None or best[0] < _SURE_POINTS):
        return "byline", labelled
    return best[1:] if best is not None else None


def _with_others(element: etree._Element, names: tuple[str, ...], site: str) -> tuple[str, ...]:
    """Return the names of the whole byline that an author's element stands in: "By A and B"."""
    around = element.getparent()
    text = element_text(around) if around is not None and around.tag not in ("body", "html") else ""
    if len(text) > _BYLINE_NAMES_CHARS or byline_words().by.match(text) is None:
        return names
    more = clean_names([text], site=site, are_seen=True)
    is_whole = len(more) > len(names) and set(names) <= set(more)
    return more if is_whole and all(map(_looks_like_name, more)) else names


def _groups(page: VisiblePage) -> Iterator[tuple[float, str, list[Mark]]]:
    """Yield runs of marks of one kind that stand close together, with points."""
    by_hint: dict[str, list[Mark]] = {}
    for mark in page.body.authors[:_MAX_LOOKED_AT]:
        by_hint.setdefault(mark.hint, []).append(mark)
    for hint, group in by_hint.items():
        for run in _runs(group, page):
            element = run[0].element
            length = len(element_text(element))
            if not length or length > _BYLINE_NAMES_CHARS:
                continue
            points = _author_points(element, hint) - length / 60 + _near(page, run[0].order)
            if stands_aside(element, page.aside):
                points -= 3.0
            if points > 1.0:
                prop = element.get("itemprop")
                yield points, "microdata" if prop else "byline", run


def _name_text(element: etree._Element) -> str:
    """Return the text of an author's element, of its ``itemprop=name`` where it has one."""
    if element.get("itemprop") is not None:
        for part in islice(element.iter(), _NEAR):
            if part is not element and part.get("itemprop") == "name":
                return element_text(part) or part.get("content") or ""
    return element_text(element)


def _runs(group: list[Mark], page: VisiblePage) -> list[list[Mark]]:
    """Return the first marks of a kind, and the first of them after the headline."""
    starts = [group[0]]
    if page.headline is not None:
        starts += [mark for mark in group if mark.order >= page.headline - _NEAR / 2][:1]
    runs = []
    for start in dict.fromkeys(starts):
        aside = stands_aside(start.element, page.aside)
        near = [mark for mark in group if 0 <= mark.order - start.order <= _RUN]
        runs.append([each for each in near if stands_aside(each.element, page.aside) == aside])
    return [run[:_MAX_RUN] for run in runs]


def _author_points(element: etree._Element, hint: str) -> float:
    rel = (element.get("rel") or "").lower().split()
    prop = (element.get("itemprop") or "").lower()
    points = 0.0
    if "author" in rel:
        points = 4.0
    elif hint == AUTHOR_PAGE:
        points = 3.0
    elif prop in ("author", "creator"):
        points = 3.5
    elif _STRONG_AUTHOR.search(hint):
        points = 2.5
    if hint != AUTHOR_PAGE and _NO_AUTHOR.search(hint):
        points -= 2.0
    return points + 0.5 * (element.tag == "a")


def _by_text(page: VisiblePage, site: str) -> tuple[str, ...] | None:
    """Read a text that begins as bylines do: "By A and B", or a label beside the name."""
    words = byline_words()
    for snippet in page.body.bylines:
        if page.headline is None or not -_NEAR <= snippet.order - page.headline <= _FAR:
            continue
        if stands_aside(snippet.element, page.aside):
            continue
        text = _labelled(snippet.element, snippet.text, words.by)
        if not text or len(text) > _BYLINE_NAMES_CHARS:
            continue
        names = clean_names([text], site=site, are_seen=True)
        if names and all(map(_looks_like_name, names)):
            return names
    return None


def _labelled(element: etree._Element, text: str, by: re.Pattern[str]) -> str:
    """Return what follows the label of a byline: in its text, its element, or the one around it."""
    if has_korean_role(text):
        return text
    match = by.match(text)
    if match is not None and text[match.end() :].strip():
        return text
    label = " ".join(text.split())
    here: etree._Element | None = element
    for _ in range(3):
        if here is None:
            break
        said = element_text(here)
        start = said.find(label)
        rest = said[start + len(label) :].strip(" :-\u2013\u2014") if start >= 0 else ""
        if rest:
            return rest
        here = here.getparent()
    return ""


def _looks_like_name(name: str) -> bool:
    """Tell whether most words of a text begin with a capital, where its script has any."""
    words = [word for word in name.split() if word[0].isalpha()]
    small = sum(word.islower() for word in words)
    return bool(words) and small * 3 <= len(words) and len(words) <= 6  # noqa: PLR2004 - of a name
