"""Where on a page its metadata was read: looked for after the fact, for those who ask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from lxml import etree

from crawler.core.metadata.dates import find_dates, read_date
from crawler.core.metadata.jsonld import json_values
from crawler.core.metadata.published import how_to_read, seen_dates
from crawler.core.metadata.read import Metadata, PageFacts, meta_names
from crawler.core.metadata.visible import element_text
from crawler.core.page.parse import ParsedPage
from crawler.core.words import fold_name

# Of each field, the lists of its meta elements, and its properties in JSON-LD.
_METAS = {
    "title": ("title",), "authors": ("author",), "published": ("published", "dated", "modified"),
    "modified": ("modified",), "language": ("language",), "site_name": ("site_name",),
    "canonical_url": ("url",), "description": ("description",), "tags": ("tags",),
    "image": ("image",),
}  # fmt: skip
_PROPERTIES = {
    "title": ("headline", "name"), "authors": ("author", "creator", "name"),
    "published": ("datePublished", "dateCreated", "uploadDate", "dateModified"),
    "modified": ("dateModified",), "language": ("inLanguage",), "site_name": ("name",),
    "description": ("description",), "tags": ("keywords",), "image": ("image",),
}  # fmt: skip
# Cards have pairs of label and value.
_CARDS = ("twitter:data1", "twitter:data2")
_DATES = frozenset(("published", "modified"))
_META_SOURCES = frozenset(("opengraph", "meta", "microdata"))
_MOST_VALUES = 20_000


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a field was read.

    Attributes:
        source: as :class:`~crawler.core.metadata.read.Metadata` names it.
        name: the name of the meta element, or the properties of JSON-LD from the outermost in, with
            points between; of what readers see, of links and of scripts the tag; empty for the
            address of the page, or where it is not found again.
        elements: the elements, in the page's order; none for the address.
    """

    source: str
    name: str = ""
    elements: tuple[etree._Element, ...] = field(default=(), repr=False, compare=False)


def origins(parsed: ParsedPage, url: str, found: Metadata) -> dict[str, Origin]:
    """Return where each field was read that a page gives.

    Args:
        parsed: the page.
        url: its address.
        found: its metadata.
    """
    finder = _Finder(parsed, url, found)
    return {name: finder.origin(name, source) for name, source in found.sources.items()}


class _Finder:
    """Looks for the values of a page where they may have been read, the most trusted first."""

    def __init__(self, parsed: ParsedPage, url: str, found: Metadata) -> None:
        self._parsed, self._found = parsed, found
        self._facts = PageFacts(parsed, url, None)
        self._facts.title = found.title
        self._reading = how_to_read(found.language, self._facts.house[0])

    def origin(self, what: str, source: str) -> Origin:
        value = getattr(self._found, what)
        values = [value] if isinstance(value, str) else list(value)
        for name, elements in self._places(what, source, values):
            if elements:
                return Origin(source, name, tuple(elements))
        return Origin(source)

    def _places(
        self, what: str, source: str, values: list[str]
    ) -> Iterator[tuple[str, list[etree._Element]]]:
        named = self._parsed.named
        is_changed = source == "modified"
        if source in _META_SOURCES or is_changed:
            yield from self._metas(what, values)
        if source == "json-ld" or is_changed:
            yield from self._linked(what, values)
        if source == "html":
            yield "html", [self._parsed.roots[0]]
        if source == "link":
            yield "link", self._links(what)
        if source == "title":
            yield "title", list(named["title"][:1])
        if source == "script":
            yield "script", [it for it in named["script"] if values[0][:10] in (it.text or "")][:1]
        if source == "h1" or what == "title":
            yield from self._headings(values[0])
        if what in _DATES:
            yield from self._dates(source, values[0])
        elif what == "authors":
            yield from self._bylines(values)

    def _metas(self, what: str, values: list[str]) -> Iterator[tuple[str, list[etree._Element]]]:
        names = list(chain.from_iterable(meta_names()[each] for each in _METAS[what]))
        names += _CARDS if what == "authors" else ()
        metas: dict[str, list[etree._Element]] = {}
        for element in self._parsed.named["meta"]:
            for attribute in ("property", "name", "itemprop", "http-equiv"):
                name = (element.get(attribute) or "").strip().lower()
                metas.setdefault(name, []).append(element)
        for name in names:
            yield (
                name,
                [
                    element
                    for element in metas.get(name, ())
                    if self._says(what, element.get("content") or "", values)
                ],
            )

    def _linked(self, what: str, values: list[str]) -> Iterator[tuple[str, list[etree._Element]]]:
        wanted = _PROPERTIES.get(what, ())
        for script in self._parsed.named["script"]:
            if script.text and "ld+json" in (script.get("type") or "").lower():
                for path, text in _texts(json_values(script.text)):
                    if not set(wanted).isdisjoint(path) and self._says(what, text, values):
                        yield ".".join(path), [script]

    def _links(self, what: str) -> list[etree._Element]:
        rel = "canonical" if what == "canonical_url" else "image_src"
        links = self._parsed.named["link"]
        return [link for link in links if rel in (link.get("rel") or "").lower().split()][:1]

    def _headings(self, title: str) -> Iterator[tuple[str, list[etree._Element]]]:
        """Yield the headings that are the title, then those that hold it."""
        wanted = fold_name(title)
        said = [(each, fold_name(element_text(each))) for each in self._parsed.named["heading"]]
        for test in (wanted.__eq__, lambda text: wanted in text):
            yield from ((str(each.tag), [each]) for each, text in said if text and test(text))

    def _dates(self, source: str, value: str) -> Iterator[tuple[str, list[etree._Element]]]:
        seen = seen_dates(self._facts.visible, self._reading)
        for each in seen:
            if each.date.text == value and source in (each.source, "modified"):
                yield str(each.element.tag), [each.element]
        # The day of a time in UTC is taken from the first of these.
        for element in self._parsed.named["time"] if source == "time" else ():
            dates = find_dates(element.text or "", self._reading)
            if any(found.date.day_text == value for found in dates):
                yield "time", [element]

    def _bylines(self, names: list[str]) -> Iterator[tuple[str, list[etree._Element]]]:
        page, wanted = self._facts.visible, list(map(fold_name, names))
        for test in (all, any):
            for mark in chain(page.authors, page.bylines, page.dated):
                said = fold_name(element_text(mark.element))
                if said and test(name in said for name in wanted):
                    yield str(mark.element.tag), [mark.element]

    def _says(self, what: str, text: str, values: Iterable[str]) -> bool:
        """Tell whether a text gives one of some values of a field."""
        if what in _DATES:
            date = read_date(text, self._reading)
            told = set() if date is None else {date.text, date.day_text}
            return not told.isdisjoint(values)
        said = fold_name(text)
        folded = filter(None, map(fold_name, values))
        return bool(said) and any(one in said or said in one for one in folded)


def _texts(values: Iterable[object]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the texts of JSON values with the properties around them, without recursion."""
    waiting: list[tuple[tuple[str, ...], object]] = []
    waiting += [((), value) for value in values][::-1]
    for _ in range(_MOST_VALUES):
        if not waiting:
            return
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [((*path, str(key)), each) for key, each in value.items()][::-1]
        elif isinstance(value, list):
            waiting += [(path, each) for each in reversed(value)]
        elif isinstance(value, str | int | float):
            yield path, str(value)
