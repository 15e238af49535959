"""The metadata of a page, chosen between its sources in a fixed order.

The order, field by field, stands in docs/metadata.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import chain
from typing import cast
from urllib.parse import urljoin

from lxml import etree

from crawler.core.metadata.authors import choose_authors
from crawler.core.metadata.jsonld import LinkedArticle
from crawler.core.metadata.published import DateChooser
from crawler.core.metadata.template import Template
from crawler.core.metadata.titles import Headings, titles
from crawler.core.metadata.visible import VisiblePage, element_text
from crawler.core.page.page import LOCAL_SITE, site_of
from crawler.core.page.parse import ParsedPage
from crawler.core.page.text import one_line
from crawler.core.words import fold_name, read_data

_MAX_METAS = 1_000
_MAX_HEADINGS = 200
_MAX_SCRIPTS = 50
# Of titles and addresses that JSON-LD is compared with.
_MAX_TITLES = 20
_TITLE_CHARS = 500
_MAX_TAGS = 50
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")
_OPENGRAPH = ("og:", "article:", "twitter:", "book:", "video:", "news:")
_ITEM_NAMES = frozenset(("headline", "datepublished", "datemodified", "datecreated", "inlanguage"))
# Names of people in these begin with the family name.
_TURNED = frozenset(("citation_author", "dc.creator", "dcterms.creator"))


@dataclass(frozen=True, slots=True)
class Metadata:
    """The metadata of a page. A field that the page does not give is None, or empty.

    Attributes:
        title: the title of what the page is about, without the site's name.
        authors: names of people, or of agencies and desks that sign as authors, in the page's
            order.
        published, modified: ISO 8601 as exact as the page gives it: ``2026-11-27``,
            ``2026-11-27T14:03`` or ``2026-11-27T14:03:00+09:00``; never converted to another zone.
        language: a BCP 47 tag such as ``ko`` or ``en-GB``.
        site_name: what the site calls itself.
        canonical_url, image: absolute addresses.
        description: the page's own summary.
        tags: its keywords, in its order.
        sources: for each field that is given, where it came from: ``json-ld``, ``opengraph``,
            ``meta``, ``microdata``, ``time``, ``text``, ``byline``, ``h1``, ``title``, ``url``,
            ``link``, ``html``, ``script``; ``modified`` where a page tells of no publication and
            ``published`` is when it was last changed.
    """

    title: str | None = None
    authors: tuple[str, ...] = ()
    published: str | None = None
    modified: str | None = None
    language: str | None = None
    site_name: str | None = None
    canonical_url: str | None = None
    description: str | None = None
    tags: tuple[str, ...] = ()
    image: str | None = None
    sources: Mapping[str, str] = field(default_factory=dict)


def read_metadata(
    parsed: ParsedPage, url: str, fetched_at: str | None = None, template: Template | None = None
) -> Metadata:
    """Return the metadata of a page.

    Args:
        parsed: the page.
        url: its address.
        fetched_at: when it was fetched, ISO 8601. A date after that day, by more than one day for
            zones, is not believed.
        template: what of the page is on nearly all pages of its site, where that is known. Links
            in it name no authors.
    """
    facts = PageFacts(parsed, url, template)
    linked = facts.linked
    sources: dict[str, str] = {}

    def first(
        name: str,
        *candidates: Iterable[tuple[str, str | None]],
        form: Callable[[str], str | None] = str,
    ) -> str | None:
        """Return the first candidate that has the form, and note its source."""
        for source, value in chain(*candidates):
            if value and (formed := _clean(form(value))):
                sources[name] = source
                return formed
        return None

    absolute = partial(_absolute, parsed.base_url)
    languages = [("html", parsed.language), ("json-ld", linked.language)]
    language = first("language", languages, facts.values("language"), form=_language)
    names = list(facts.values("site_name"))
    shared = [pair for pair in names if pair[0] == "opengraph"]
    site_name = first("site_name", shared, [("json-ld", linked.site_name)], names)
    facts.title = first("title", titles(facts, site_name))
    lists = {"authors": choose_authors(facts, site_name), "tags": _tags(facts)}
    texts: dict[str, tuple[str, ...]] = {}
    for name, group in lists.items():
        texts[name] = tuple(filter(None, map(_clean, group[1]))) if group else ()
        if group and texts[name]:
            sources[name] = group[0]
    dates = DateChooser(facts, language, fetched_at)
    links = (each for each in parsed.named["link"] if each.get("rel") == "image_src")
    return Metadata(
        title=facts.title,
        authors=texts["authors"],
        published=first("published", dates.believed(dates.published())),
        modified=first("modified", dates.believed(dates.modified())),
        language=language,
        site_name=site_name,
        canonical_url=first("canonical_url", [("link", parsed.canonical_url)])
        or first("canonical_url", facts.values("url"), form=absolute),
        description=first(
            "description", facts.values("description"), [("json-ld", linked.description)]
        ),
        tags=texts["tags"],
        image=first(
            "image",
            facts.values("image"),
            [("json-ld", linked.image)],
            (("link", each.get("href")) for each in links),
            form=absolute,
        ),
        sources=sources,
    )


class PageFacts:
    """The sources of a page, each read once; what readers see only on demand.

    Attributes:
        metas: contents of its meta elements by name in lower case. Names are those of ``name``,
            ``property``, ``itemprop`` and ``http-equiv``.
        house: the host of its address and the parts of that, which name the site.
        linked: what its JSON-LD says.
        headings: those that may be its title.
        template: what of it is on nearly all pages of its site; None where that is unknown.
        title: its title, once it is chosen.
    """

    def __init__(self, parsed: ParsedPage, url: str, template: Template | None) -> None:
        self.parsed, self.url, self.template = parsed, url, template
        self.title: str | None = None
        self.metas = _metas(parsed)
        site = site_of(url)
        host = "" if site == LOCAL_SITE else site.partition(":")[0]
        self.house = [host, *host.split(".")[:-1]]
        self._headings = parsed.named["heading"][:_MAX_HEADINGS]
        tops = (element_text(each) for each in self._headings if each.tag == "h1")
        urls = [url, parsed.canonical_url or "", *(value for _, value in self.values("url"))]
        given = [*(value for _, value in self.values("title")), *filter(None, tops)]
        self.linked = LinkedArticle(
            parsed.linked_data()[:_MAX_SCRIPTS],
            urls[:_MAX_TITLES],
            [title[:_TITLE_CHARS] for title in given[:_MAX_TITLES]],
        )
        headlines = [*self.metas.get("og:title", ())[:1], *self.linked.titles[:1]]
        self.headings = Headings(parsed, url, self._headings, headlines)

    def groups(self, what: str) -> Iterator[tuple[str, list[str]]]:
        """Yield source and values of each meta name of a field, the most trusted first."""
        for name in meta_names()[what]:
            if values := self.metas.get(name):
                if name.startswith(_OPENGRAPH):
                    source = "opengraph"
                else:
                    source = "microdata" if name in _ITEM_NAMES else "meta"
                yield source, list(map(_turned, values)) if name in _TURNED else values

    def values(self, what: str) -> Iterator[tuple[str, str]]:
        """Yield source and value of each meta element of a field, the most trusted first."""
        return ((source, value) for source, values in self.groups(what) for value in values)

    @cached_property
    def visible(self) -> VisiblePage:
        """What readers see, gathered from the whole tree."""
        return VisiblePage(self.parsed, self._headline())

    def scripts(self) -> list[str]:
        """Return the texts of its scripts other than JSON-LD."""
        linked = set(self.parsed.linked_data())
        texts = (script.text or "" for script in self.parsed.named["script"])
        return [text for text in texts if text and text not in linked][:_MAX_SCRIPTS]

    def _headline(self) -> etree._Element | None:
        """Return the heading that is the title, or else the first ``h1``."""
        folded = fold_name(self.title or "")
        first = None
        for heading in self._headings:
            said = element_text(heading) if folded or heading.tag == "h1" else ""
            text = fold_name(said) if folded else ""
            if text and (
                text == folded or (heading.tag != "h3" and (text in folded or folded in text))
            ):
                return heading
            if first is None and heading.tag == "h1" and said:
                first = heading
        return first


def _clean(text: str | None) -> str:
    """Return a value as one line without the characters that nobody sees."""
    return one_line(text).strip() if text else ""


def _metas(parsed: ParsedPage) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for element in parsed.named["meta"][:_MAX_METAS]:
        its = cast("dict[str, str]", dict(element.items()))
        if text := " ".join(its.get("content", "").split()):
            for attribute in ("property", "name", "itemprop", "http-equiv"):
                if name := its.get(attribute):
                    found.setdefault(name.strip().lower(), []).append(text)
    return found


@cache
def meta_names() -> dict[str, list[str]]:
    """Return by field the names of its meta elements, the most trusted first.

    Dates under ``dated`` are trusted less: some are the day on which the page was made or sent.
    """
    return read_data("crawler.core.metadata", "metas")


def _turned(name: str) -> str:
    """Return "Family, Given", as bibliographies write, as "Given Family"."""
    last, comma, first = name.partition(", ")
    return f"{first} {last}" if comma and "," not in first else name


def _language(value: str) -> str | None:
    tag = value.strip().replace("_", "-")
    return tag if _LANGUAGE.fullmatch(tag) else None


def _absolute(base: str, address: str) -> str | None:
    address = address.strip()
    try:
        joined = urljoin(base, address) if address else ""
    except ValueError:
        return None
    return joined if joined.startswith(("http://", "https://")) else None


def _tags(facts: PageFacts) -> tuple[str, tuple[str, ...]] | None:
    """Return source and tags: one a meta element, or all in one with commas between."""
    groups = list(facts.groups("tags"))
    # OpenGraph first, then JSON-LD.
    groups.sort(key=lambda group: group[0] != "opengraph")
    shared = sum(source == "opengraph" for source, _ in groups)
    groups[shared:shared] = [("json-ld", list(facts.linked.tags))]
    for source, values in groups:
        pieces = values if len(values) > 1 else "".join(values).split(",")
        tags: dict[str, str] = {}
        for piece in pieces:
            if tag := " ".join(piece.split()):
                tags.setdefault(tag.casefold(), tag)
        if tags:
            return source, tuple(tags.values())[:_MAX_TAGS]
    return None
