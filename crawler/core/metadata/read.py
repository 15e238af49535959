"""The metadata of a page, chosen between its sources in a fixed order.

The order, field by field, stands in docs/metadata.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from crawler.core.metadata.authors import choose_authors
from crawler.core.metadata.facts import PageFacts
from crawler.core.metadata.published import DateChooser
from crawler.core.metadata.titles import TitleSources, choose_title

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from crawler.core.metadata.dates import Date
    from crawler.core.page.parse import ParsedPage

_MAX_TAGS = 50
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")


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


def read_metadata(parsed: ParsedPage, url: str, fetched_at: str | None = None) -> Metadata:
    """Return the metadata of a page.

    Args:
        parsed: the page.
        url: its address.
        fetched_at: when it was fetched, ISO 8601. A date after that day, by more than one day for
            zones, is not believed.
    """
    facts = PageFacts.of(parsed, url)
    linked, metas = facts.linked, facts.metas
    sources: dict[str, str] = {}

    def said(
        name: str,
        values: Iterable[tuple[str, str | None]],
        form: Callable[[str], str | None] = str,
    ) -> str | None:
        """Return the first value that has the form, and note its source."""
        for source, value in values:
            if value and (formed := form(value)):
                sources[name] = source
                return formed
        return None

    def absolute(address: str) -> str | None:
        return _absolute(address, parsed.base_url)

    languages = (("html", parsed.language), ("json-ld", linked.language))
    language = said("language", (*languages, *metas.values("language")), _language)
    names = list(metas.values("site_name"))
    shared = [pair for pair in names if pair[0] == "opengraph"]
    site_name = said("site_name", (*shared, ("json-ld", linked.site_name), *names))
    chosen = choose_title(_title_sources(facts, site_name))
    facts.title = said("title", [chosen] if chosen else [])
    authors = choose_authors(facts, site_name)
    tags = _tags(facts)
    sources |= {name: group[0] for name, group in (("authors", authors), ("tags", tags)) if group}
    dates = DateChooser(facts, language, fetched_at)
    links = [link for link in parsed.named["link"] if link.get("rel") == "image_src"]
    images = (*metas.values("image"), ("json-ld", linked.image))
    return Metadata(
        title=facts.title,
        authors=authors[1] if authors else (),
        published=said("published", _as_text(dates.published())),
        modified=said("modified", _as_text(dates.modified())),
        language=language,
        site_name=site_name,
        canonical_url=said("canonical_url", [("link", parsed.canonical_url)])
        or said("canonical_url", metas.values("url"), absolute),
        description=said(
            "description", (*metas.values("description"), ("json-ld", linked.description))
        ),
        tags=tags[1] if tags else (),
        image=said("image", (*images, *(("link", link.get("href")) for link in links)), absolute),
        sources=sources,
    )


def _as_text(chosen: tuple[str, Date] | None) -> list[tuple[str, str | None]]:
    return [(chosen[0], chosen[1].text)] if chosen else []


def _language(value: str) -> str | None:
    tag = value.strip().replace("_", "-")
    return tag if _LANGUAGE.fullmatch(tag) else None


def _title_sources(facts: PageFacts, site_name: str | None) -> TitleSources:
    shared = next(iter(facts.metas.by_name.get("og:title", ())), None)
    sites = (site_name, facts.linked.site_name, *facts.headings.sites, *facts.house)
    return TitleSources(
        linked=facts.linked.titles,
        shared=shared,
        others=[pair for pair in facts.metas.values("title") if pair[1] != shared],
        headings=facts.headings.texts,
        document=facts.headings.document,
        sites=[site for site in sites if site],
        is_news=facts.linked.is_news,
    )


def _absolute(address: str, base: str) -> str | None:
    address = address.strip()
    try:
        joined = urljoin(base, address) if address else ""
    except ValueError:
        return None
    return joined if joined.startswith(("http://", "https://")) else None


def _tags(facts: PageFacts) -> tuple[str, tuple[str, ...]] | None:
    """Return source and tags: one a meta element, or all in one with commas between."""
    groups = list(facts.metas.groups("tags"))
    linked = [("json-ld", list(facts.linked.tags))] if facts.linked.tags else []
    shared = [group for group in groups if group[0] == "opengraph"]
    rest = [group for group in groups if group[0] != "opengraph"]
    for source, values in (*shared, *linked, *rest):
        pieces = values if len(values) > 1 else values[0].split(",")
        tags: dict[str, str] = {}
        for piece in pieces:
            if tag := " ".join(piece.split()):
                tags.setdefault(tag.casefold(), tag)
        if tags:
            return source, tuple(tags.values())[:_MAX_TAGS]
    return None
