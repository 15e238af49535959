"""JSON-LD: which of a page's objects describes its article, and what it says.

Objects are taken from lists, graphs and nested properties. Broken JSON is mended where the mistake
is a usual one: comments or CDATA marks around it, control characters, trailing commas, several
objects in a row.

Page types and main text are judged by single values of JSON-LD, which patterns find there: reading
all of it would take longer, and the learned weights know the counts of the patterns.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from crawler.core.words import fold_name

_MAX_CHARS = 2_000_000
_MAX_OBJECTS = 2_000
_MAX_VALUES = 20_000
_MAX_LIST = 50
# Marks that old pages put around a script, and what ends a statement.
_WRAPPING = re.compile(
    r"<!--|-->|//\s?<!\[CDATA\[|//\s?\]\]>|/\*\s?<!\[CDATA\[\s?\*/|/\*\s?\]\]>\s?\*/"
    r"|<!\[CDATA\[|\]\]>"
)
_TRAILING_COMMA = re.compile(r",(?=\s*+[}\]])")
# Types of objects: articles, other subjects of pages, pages, and news.
_STRONG = re.compile(
    r"(?:article|blogposting|liveblogposting|report|socialmediaposting)$", re.IGNORECASE
)
_ARTICLE = re.compile(
    r"(?:article|posting|report|review|recipe|howto|creativework"
    r"|newsmedia|opinion|story|question)$",
    re.IGNORECASE,
)
_PAGE = re.compile(
    r"(?:webpage|itempage|collectionpage|qapage|faqpage|profilepage)$", re.IGNORECASE
)
# Media are the subject of a page or, as often, a part of it.
_MEDIA = re.compile(r"(?:podcastepisode|(?:video|audio|image|media)object)$", re.IGNORECASE)
# Types of an object that are looked at: so many, and so many characters of each.
_TYPES, _TYPE_CHARS = 20, 200
_KINDS = ((_STRONG, 3.0), (_ARTICLE, 2.0), (_PAGE, 1.0), (_MEDIA, 2.0))
_NEWS = re.compile(r"(?:newsarticle|liveblogposting)$", re.IGNORECASE)
# The value of such a property is another thing than the page.
_OTHERS = frozenset((
    "itemlistelement", "comment", "comments", "review", "reviews", "relatedlink", "haspart",
    "about", "mentions", "citation", "isbasedon", "ispartof", "video", "audio", "associatedmedia",
    "subjectof", "suggestedanswer", "acceptedanswer", "liveblogupdate", "workexample", "hasvariant",
    "blogpost", "blogposts", "significantlink", "author", "publisher", "creator", "image", "logo",
))  # fmt: skip


@dataclass(slots=True)
class _Object:
    """An object of a page's JSON-LD, and how likely it describes the page."""

    values: Mapping[str, Any]
    types: tuple[str, ...]
    is_other: bool
    depth: int
    rank: float = 0.0


@dataclass(slots=True)
class _Graph:
    objects: list[_Object] = field(default_factory=list)
    by_id: dict[str, Mapping[str, Any]] = field(default_factory=dict)


class LinkedArticle:
    """What a page's JSON-LD says of its article: the properties of the objects that describe it.

    ``titles``, ``authors``, ``published``, ``modified`` and ``tags`` hold all values, those of the
    best object first; ``language``, ``site_name``, ``description`` and ``image`` are None where
    there is none.

    Args:
        scripts: the texts of its ``application/ld+json`` scripts, in the page's order.
        urls: addresses of the page: its own and its canonical one.
        titles: its title as other parts of the page give it; the object of that headline is meant.
    """

    def __init__(self, scripts: Iterable[str], urls: Sequence[str], titles: Sequence[str]) -> None:
        graph = _Graph()
        for script in scripts:
            for value in json_values(script):
                _collect(value, graph)
        ranked = _ranked(graph.objects, urls, titles)
        best = ranked[0] if ranked else None
        # Other articles do not fill in what the best one lacks; an object for the page may.
        speaking = [
            each
            for each in ranked
            if each is best
            or _is_page(each)
            or (best is not None and each.rank >= best.rank - 1.0 and _same_headline(each, best))
        ]
        articles = [each for each in speaking if each is best or not _is_page(each)]
        sites = (each.values for each in graph.objects if "WebSite" in each.types)
        publishers = (
            _text(_resolved(each.values.get("publisher"), graph).get("name")) for each in articles
        )
        keywords = [each for one in articles[:1] for each in _listed(one.values.get("keywords"))]
        self.titles = tuple(_all(speaking, "headline", "name"))
        self.authors = tuple(_authors(articles, graph))
        self.published = tuple(_all(speaking, "datePublished", "dateCreated", "uploadDate"))
        self.modified = tuple(_all(speaking, "dateModified"))
        self.language = _first(_language(each.values.get("inLanguage")) for each in speaking)
        self.site_name = _first((*(_text(site.get("name")) for site in sites), *publishers))
        self.description = _first(_all(speaking, "description"))
        self.tags = tuple(
            tag for each in keywords[:_MAX_LIST] for tag in (_text(each) or "").split(",")
        )
        self.image = _first(_image(each.values.get("image"), graph) for each in speaking)
        self.is_news = best is not None and any(map(_NEWS.search, best.types))


def json_values(script: str) -> Iterator[object]:
    """Yield the JSON values of a script, usual mistakes mended; none where it is no JSON."""
    text = script[:_MAX_CHARS].strip().rstrip(";")
    if not text:
        return
    for mend in (str, _mended, lambda text: _mended(html.unescape(text))):
        try:
            value = json.loads(mend(text), strict=False)
        except (ValueError, RecursionError):
            continue
        yield value
        return
    yield from _in_a_row(_mended(text))


def _mended(text: str) -> str:
    return _TRAILING_COMMA.sub("", _WRAPPING.sub("", text)).strip().rstrip(";")


def _in_a_row(text: str) -> Iterator[object]:
    """Yield the JSON values at the beginning of a text, up to the first mistake."""
    decoder = json.JSONDecoder(strict=False)
    position = 0
    for _ in range(_MAX_LIST):
        while position < len(text) and text[position] in " \t\r\n,;":
            position += 1
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            return
        yield value


def _collect(value: object, graph: _Graph) -> None:
    """Walk a JSON value without recursion and note its objects."""
    stack: list[tuple[object, bool, int]] = [(value, False, 0)]
    seen = 0
    while stack and len(graph.objects) < _MAX_OBJECTS and seen < _MAX_VALUES:
        here, is_other, depth = stack.pop()
        seen += 1
        if isinstance(here, list):
            stack += [(each, is_other, depth) for each in reversed(here)]
        elif isinstance(here, dict):
            identifier = here.get("@id")
            if isinstance(identifier, str) and len(here) > 1:
                graph.by_id.setdefault(identifier, here)
            if types := tuple(each for each in _listed(here.get("@type")) if isinstance(each, str)):
                graph.objects.append(_Object(here, types, is_other, depth))
            stack += [
                (each, is_other or key.lower() in _OTHERS, depth + 1)
                for key, each in reversed(here.items())
                if isinstance(each, dict | list)
            ]


def _ranked(
    objects: Iterable[_Object], urls: Sequence[str], titles: Sequence[str]
) -> list[_Object]:
    addresses = {_bare_url(url) for url in urls if url}
    folded = [fold_name(title) for title in titles if title]
    chosen = []
    for each in objects:
        kind, points = _kind(tuple(name[:_TYPE_CHARS] for name in each.types[:_TYPES]))
        if kind is None:
            continue
        own_url = any(_bare_url(url) in addresses for url in _addresses(each.values))
        headline = fold_name(_text(each.values.get("headline") or each.values.get("name")) or "")
        same_title = bool(headline) and any(
            headline in title or title in headline for title in folded
        )
        points = points + 2.0 * own_url + 2.0 * same_title - 3.0 * each.is_other - 0.1 * each.depth
        each.rank = points + (
            0.5 * ("datePublished" in each.values) + 0.5 * ("author" in each.values)
        )
        if own_url or same_title or not (each.is_other or kind is _MEDIA):
            chosen.append(each)
    return sorted(chosen, key=lambda each: -each.rank)


# The objects of all pages have few types, which are short.
@lru_cache(maxsize=1 << 10)
def _kind(types: tuple[str, ...]) -> tuple[re.Pattern[str] | None, float]:
    """Return the first kind of which one of the types is, and its points."""
    return next((pair for pair in _KINDS if any(map(pair[0].search, types))), (None, 0.0))


def _is_page(each: _Object) -> bool:
    return any(map(_PAGE.search, each.types))


def _same_headline(one: _Object, other: _Object) -> bool:
    first, second = (fold_name(_text(each.values.get("headline")) or "") for each in (one, other))
    return not first or not second or first == second


def _all(objects: Iterable[_Object], *names: str) -> Iterator[str]:
    for each in objects:
        for name in names:
            if (text := _text(each.values.get(name))) is not None:
                yield text


def _first(values: Iterable[str | None]) -> str | None:
    return next((value for value in values if value), None)


def _authors(objects: Iterable[_Object], graph: _Graph) -> Iterator[str]:
    for each in objects:
        for name in ("author", "creator"):
            if people := list(_people(each.values.get(name), graph)):
                yield from people
                return


def _people(value: object, graph: _Graph) -> Iterator[str]:
    """Yield the names of authors given as strings, objects, references, or lists of these."""
    for each in _listed(value)[:_MAX_LIST]:
        if isinstance(each, str):
            known = graph.by_id.get(each)
            yield (_text(known.get("name")) or "") if known else _unescaped(each)
        elif isinstance(each, dict):
            person = _resolved(each, graph)
            name = person.get("name")
            yield from filter(None, map(_text, _listed(name)))
            if not name and (given := _text(person.get("givenName"))):
                yield f"{given} {_text(person.get('familyName')) or ''}".strip()


def _resolved(value: object, graph: _Graph) -> Mapping[str, Any]:
    """Return an object, following a reference by ``@id`` where it has no name itself."""
    value = next(iter(_listed(value)), None)
    if not isinstance(value, dict) or "name" in value:
        return value if isinstance(value, dict) else {}
    return graph.by_id.get(str(value.get("@id")), value)


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _text(value: object) -> str | None:
    """Return a string, or the first of a list, or an object's ``@value``, without markup codes."""
    for _ in range(3):
        value = next(iter(_listed(value)), None)
        if isinstance(value, dict):
            value = value.get("@value") or value.get("name")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return " ".join(_unescaped(str(value)).split()) or None


def _unescaped(text: str) -> str:
    """Replace markup codes, and lone surrogates, which JSON may hold and no file in UTF-8 can."""
    return html.unescape(text).encode("utf-8", "replace").decode()


def _addresses(values: Mapping[str, Any]) -> Iterator[str]:
    for name in ("url", "mainEntityOfPage", "@id"):
        value = values.get(name)
        if isinstance(value, dict):
            value = value.get("@id") or value.get("url")
        if isinstance(value, str) and value:
            yield value


def _language(value: object) -> str | None:
    if isinstance(value, dict):
        value = value.get("alternateName") or value.get("name")
    return _text(value)


def _image(value: object, graph: _Graph) -> str | None:
    value = next(iter(_listed(value)), None)
    if isinstance(value, dict):
        known = graph.by_id.get(str(value.get("@id")), value)
        value = known.get("url") or known.get("contentUrl")
    return _text(value)


def _bare_url(url: str) -> str:
    """Return an address without scheme, ``www.``, query, fragment and final slash."""
    bare = url.partition("#")[0].partition("?")[0].partition("://")[2] or url
    return bare.lower().removeprefix("www.").rstrip("/")
