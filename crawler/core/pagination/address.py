"""What an address says of the part of an article that it leads to.

The parts of one article differ in a number alone: ``/tour``, ``/tour/2``, ``/tour/3``. So do many
other addresses: articles by number (``/news/7``, ``/news/8``), headlines used twice (``/walks``,
``/walks-2``), months, lists. A number counts as that of a part if the first part has none, or if
the address calls it a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from crawler.core.page.addresses import canonical_address
from crawler.core.words import read_data

MOST_PARTS = 100
"""No article is cut into more parts: larger numbers name articles, and longer chains are pagers
without an end."""

Place: TypeAlias = tuple[str, str, str]
"""Host without ``www.``, path without the slash at its end, and query of an address: what two ways
to write it have in common."""

_CHARS = 2_000
_SECOND = 2
_NUMBER = r"(?P<number>0|[1-9][0-9]{0,2})"
_ENDING = r"(?P<ending>\.[a-z][a-z0-9]{1,5})"
_BARE = re.compile(rf"{_NUMBER}{_ENDING}?")
_WORDED = re.compile(rf"(?:(?P<stem>.*)[-_.,;])?(?P<word>[a-z]+)[-_=.]?{_NUMBER}{_ENDING}?")
_COMMA = re.compile(rf"(?P<stem>.+)[,;]{_NUMBER}{_ENDING}?")
_SUFFIX = re.compile(rf"(?P<stem>.+)[-_]{_NUMBER}{_ENDING}")
_QUERY_NUMBER = re.compile(rf"(?:0,)?{_NUMBER}")
_DATES = re.compile(r"(?:^|/)(?:19|20)[0-9]{2}(?:/[0-9]{1,2}){0,2}$")
_HEADLINE_HYPHENS = 3


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read an address as that of a part.

    Attributes:
        base: the address without the number.
        number: which part it is.
        form: how the number is written: two parts of an article have theirs written alike.
        is_named: whether the address calls it the number of a page.
        is_weak: whether other articles are often named so: a link has to say that it leads to a
            page.
        from_zero: whether the second part may have the number 1.
    """

    base: Place
    number: int
    form: str
    is_named: bool = False
    is_weak: bool = False
    from_zero: bool = False


@lru_cache(maxsize=4096)
def place_of(url: str) -> Place | None:
    """Return what all ways to write an address have in common; None if it is no web address."""
    if len(url) > _CHARS:
        return None
    try:
        parts = urlsplit(canonical_address(url))
    except ValueError:
        return None
    if parts.scheme not in ("http", "https"):
        return None
    return parts.netloc.removeprefix("www."), parts.path.rstrip("/"), parts.query


@lru_cache(maxsize=4096)
def readings(url: str) -> tuple[Reading, ...]:
    """Return the ways to read an address as that of a part; none if it is that of a list."""
    place = place_of(url)
    if place is None or not any(map(str.isdigit, place[1] + place[2])):
        return ()
    return tuple(
        each
        for each in (*_in_query(place), *_in_path(place))
        if each.number <= MOST_PARTS and not _is_list(each.base)
    )


def part_number(url: str, following: str) -> int | None:
    """Return which part of an article an address is, 1 for the first, if ``following`` is the next.

    None if the two are not addresses of a part and the part after it.
    """
    found = step(url, following)
    return None if found is None else found[0]


def may_be_part(url: str) -> bool:
    """Tell whether an address may, by itself, be that of a part after the first."""
    return any(reading.number > 1 and not reading.is_weak for reading in readings(url))


def is_part_of(url: str, other: str) -> bool:
    """Tell whether ``other`` may be a later part of the article that ``url`` is of."""
    bases = {place_of(url), *(reading.base for reading in readings(url))}
    return any(reading.base in bases for reading in readings(other))


def step(url: str, following: str) -> tuple[int, Reading] | None:
    """Return the number of a part, and how the address of the part after it is read.

    None if the two are not addresses of a part and the part after it.
    """
    place, own = place_of(url), readings(url)
    for reading in readings(following):
        second = 1 if reading.from_zero else _SECOND
        if reading.base == place and second <= reading.number <= _SECOND:
            return 1, reading
        for each in own:
            if (
                each.base == reading.base
                and each.form == reading.form
                and each.number + 1 == reading.number
                and (each.number > 1 or each.is_named)
            ):
                return max(1, each.number), reading
    return None


@cache
def _names(name: str) -> frozenset[str]:
    """Return one of the lists in ``data/pagers.json`` of what addresses contain, in lower case.

    ``address_words``, ``parameters`` and ``short_parameters`` stand before the number of a page, in
    paths and as names in queries; short ones may number articles as well. ``list_words`` and
    ``list_ends`` are parts of paths to lists of articles, anywhere or at the end;
    ``list_parameters`` are names in the queries of lists and of pages of comments.
    """
    return frozenset(read_data("crawler.core.pagination", "pagers")[name])


def _in_query(place: Place) -> Iterator[Reading]:
    host, path, query = place
    pairs = query.split("&") if query else []
    for position, pair in enumerate(pairs):
        name, _, value = pair.partition("=")
        is_named = name.lower() in _names("parameters")
        if not is_named and name.lower() not in _names("short_parameters"):
            continue
        if match := _QUERY_NUMBER.fullmatch(unquote(value)):
            rest = "&".join(pairs[:position] + pairs[position + 1 :])
            base, number = (host, path, rest), int(match["number"])
            yield Reading(base, number, f"?{name}", is_named, from_zero=is_named)


def _in_path(place: Place) -> Iterator[Reading]:
    host, path, query = place
    folder, _, last = path.rpartition("/")
    words = _names("address_words")

    def base(text: str) -> Place:
        return host, text, query

    if match := _BARE.fullmatch(last):
        number, ending = int(match["number"]), match["ending"] or ""
        around, _, before = folder.rpartition("/")
        if before.lower() in words:
            yield Reading(base(around), number, f"/{before}/{ending}", is_named=True)
        yield Reading(base(folder), number, f"/{ending}")
        if ending:
            yield Reading(base(folder + ending), number, f"/{ending}")
    elif (match := _WORDED.fullmatch(last.lower())) and match["word"] in words:
        number, ending = int(match["number"]), match["ending"] or ""
        stem, form = last[: len(match["stem"] or "")], f"{match['word']}{ending}"
        rest = f"{folder}/{stem}{ending}" if stem else folder
        yield Reading(base(rest), number, form, is_named=True)
        if ending and not stem:
            yield Reading(base(folder + ending), number, form, is_named=True)
    elif match := _COMMA.fullmatch(last):
        rest = f"{folder}/{match['stem']}{match['ending'] or ''}"
        yield Reading(base(rest), int(match["number"]), ",")
    elif match := _SUFFIX.fullmatch(last):
        rest = f"{folder}/{match['stem']}{match['ending']}"
        yield Reading(base(rest), int(match["number"]), last[match.end("stem")], is_weak=True)


def _is_list(base: Place) -> bool:
    """Tell whether an address without its number is that of a list, or of nothing."""
    _, path, query = base
    names = {pair.partition("=")[0].lower() for pair in query.split("&")} if query else set()
    if names & _names("list_parameters"):
        return True
    segments = [segment for segment in path.lower().split("/") if segment]
    if not segments:
        return not query
    last = segments[-1]
    ends = last.partition(".")[0] in _names("list_ends") or _DATES.search(path)
    if ends and not query:
        return True
    hyphens = last.count("-") + last.count("_")
    is_headline = hyphens >= _HEADLINE_HYPHENS or any(map(str.isdigit, last))
    return not is_headline and not _names("list_words").isdisjoint(segments)
