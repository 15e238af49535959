"""The sources of a page's metadata, each read once; what readers see only on demand."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from crawler.core.metadata.jsonld import read_linked
from crawler.core.metadata.titles import read_headings
from crawler.core.metadata.visible import VisiblePage, element_text
from crawler.core.page.page import LOCAL_SITE, site_of
from crawler.core.words import fold_name, read_data

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

    from crawler.core.metadata.jsonld import LinkedArticle
    from crawler.core.metadata.titles import Headings
    from crawler.core.page.parse import ParsedPage

_MAX_METAS = 1_000
_MAX_HEADINGS = 200
_MAX_SCRIPTS = 50
# Of titles and addresses that JSON-LD is compared with.
_MAX_TITLES = 20
_TITLE_CHARS = 500
_OPENGRAPH = ("og:", "article:", "twitter:", "book:", "video:", "news:")
_ITEM_NAMES = frozenset(("headline", "datepublished", "datemodified", "datecreated", "inlanguage"))
# Names of people in these begin with the family name.
_TURNED = frozenset(("citation_author", "dc.creator", "dcterms.creator"))


@cache
def _meta_names() -> dict[str, list[str]]:
    """Return by field the names of its meta elements, the most trusted first.

    Dates under ``dated`` are trusted less: some are the day on which the page was made or sent.
    """
    return read_data("crawler.core.metadata", "metas")


@dataclass(frozen=True, slots=True)
class MetaTags:
    """The meta elements of a page, their contents by name in lower case.

    Names are those of ``name``, ``property``, ``itemprop`` and ``http-equiv``.
    """

    by_name: dict[str, list[str]]

    @classmethod
    def of(cls, parsed: ParsedPage) -> MetaTags:
        """Sort the meta elements of a page by their names."""
        by_name: dict[str, list[str]] = {}
        for element in parsed.named["meta"][:_MAX_METAS]:
            text = " ".join((element.get("content") or "").split())
            for attribute in ("property", "name", "itemprop", "http-equiv"):
                if text and (name := element.get(attribute)):
                    by_name.setdefault(name.strip().lower(), []).append(text)
        return cls(by_name)

    def groups(self, what: str) -> Iterator[tuple[str, list[str]]]:
        """Yield source and values of each name of a field, the most trusted first."""
        for name in _meta_names()[what]:
            if values := self.by_name.get(name):
                turned = map(_turned, values) if name in _TURNED else values
                yield _source(name), list(turned)

    def values(self, what: str) -> Iterator[tuple[str, str]]:
        """Yield source and value of each meta element of a field, the most trusted first."""
        for name in _meta_names()[what]:
            for value in self.by_name.get(name, ()):
                yield _source(name), value


def _turned(name: str) -> str:
    """Return "Family, Given", as bibliographies write, as "Given Family"."""
    last, comma, first = name.partition(", ")
    return f"{first} {last}" if comma and "," not in first else name


def _source(name: str) -> str:
    if name.startswith(_OPENGRAPH):
        return "opengraph"
    return "microdata" if name in _ITEM_NAMES else "meta"


@dataclass(slots=True)
class PageFacts:
    """The sources of a page.

    Attributes:
        linked: what its JSON-LD says.
        headings: those that may be its title.
        house: the host of its address and the parts of that, which name the site.
        title: its title, once it is chosen.
    """

    parsed: ParsedPage
    url: str
    metas: MetaTags
    linked: LinkedArticle
    headings: Headings
    house: list[str]
    title: str | None = None
    _visible: VisiblePage | None = field(default=None, repr=False)

    @classmethod
    def of(cls, parsed: ParsedPage, url: str) -> PageFacts:
        """Read the sources of a page."""
        metas = MetaTags.of(parsed)
        headings = parsed.named["heading"][:_MAX_HEADINGS]
        firsts = [text for each in headings if each.tag == "h1" and (text := element_text(each))]
        urls = [url, parsed.canonical_url or "", *(value for _, value in metas.values("url"))]
        titles = [*(value for _, value in metas.values("title")), *firsts][:_MAX_TITLES]
        site = site_of(url)
        host = "" if site == LOCAL_SITE else site.partition(":")[0]
        linked = read_linked(
            parsed.linked_data()[:_MAX_SCRIPTS],
            urls[:_MAX_TITLES],
            [title[:_TITLE_CHARS] for title in titles],
        )
        headlines = [*metas.by_name.get("og:title", ())[:1], *linked.titles[:1]]
        return cls(
            parsed=parsed,
            url=url,
            metas=metas,
            linked=linked,
            headings=read_headings(parsed, url, headings, headlines),
            house=[host, *host.split(".")[:-1]],
        )

    @property
    def visible(self) -> VisiblePage:
        """What readers see, gathered from the whole tree on first use."""
        if self._visible is None:
            self._visible = VisiblePage.of(self.parsed, self._headline())
        return self._visible

    def scripts(self) -> list[str]:
        """Return the texts of its scripts other than JSON-LD."""
        linked = set(self.parsed.linked_data())
        texts = (script.text or "" for script in self.parsed.named["script"])
        return [text for text in texts if text and text not in linked][:_MAX_SCRIPTS]

    def _headline(self) -> etree._Element | None:
        """Return the heading that is the title, or else the first ``h1``."""
        headings = self.parsed.named["heading"][:_MAX_HEADINGS]
        folded = fold_name(self.title or "")
        for heading in headings:
            text = fold_name(element_text(heading)) if folded else ""
            if text and (
                text == folded or (heading.tag != "h3" and (text in folded or folded in text))
            ):
                return heading
        firsts = (each for each in headings if each.tag == "h1" and element_text(each))
        return next(firsts, None)
