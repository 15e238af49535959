"""What a page's markup says of its kind, gathered in one walk over the few elements that say it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lxml import etree

__all__ = ["COUNTED", "TYPES", "Markup"]

COUNTED = ("article", "section", "time", "img", "form", "button", "pre", "code", "table", "iframe",
           "select", "video", "dl", "input")  # fmt: skip
"""Elements of which the number is asked."""
TYPES: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "article": ("article", "newsarticle", "blogposting", "reportagenewsarticle", "recipe",
                "analysisnewsarticle", "opinionnewsarticle", "liveblogposting", "review"),
    "product": ("product", "productgroup", "offer", "aggregateoffer", "book", "individualproduct"),
    "list": ("collectionpage", "itemlist", "blog", "searchresultspage"),
    "talk": ("qapage", "discussionforumposting", "question", "answer", "comment"),
    "manual": ("techarticle", "howto", "apireference"),
    "business": ("service", "localbusiness", "softwareapplication", "webapplication",
                 "professionalservice", "faqpage", "contactpage", "aboutpage"),
})  # fmt: skip
"""Groups of the types of things that JSON-LD speaks of; all others are "other"."""
_GROUPS: Mapping[str, str] = MappingProxyType(
    {name: group for group, names in TYPES.items() for name in names}
)
# JSON-LD need not be whole to be read this way, and most of what it says is not asked here.
_TYPE = re.compile(r'"@type"\s*+:\s*+(?:\[\s*+)?"([A-Za-z:/.]{2,60})"')
_SCRIPT_CHARS = 200_000
_NAME_CHARS = 2_000
# The outermost elements, whose names are those of the whole page.
_WHOLE = ("html", "body", "main")
_READ = ("meta", "script", "link", "input", *_WHOLE)
_WANTED = tuple(dict.fromkeys((*_READ, *COUNTED)))
# Of these nothing but the number is asked.
_ONLY_COUNTED = frozenset(COUNTED) - frozenset(_READ)


@dataclass(slots=True)
class Markup:
    """What the elements of a page say that hold no text.

    ``metas``
        Content of each ``meta`` by its name, in lower case, the first of a name alone; at most
        2,000 characters.
    ``counts``
        How many there are of each of :data:`COUNTED`.
    ``types``
        How often JSON-LD speaks of things of each group of :data:`TYPES`.
    ``passwords``
        Fields for passwords.
    ``has_next``
        Whether a ``link`` leads to the next page of a list or to the one before.
    ``classes``
        What names the whole page, in lower case: its software, and names of its outermost elements;
        at most 2,000 characters.
    """

    metas: dict[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    passwords: int = 0
    has_next: bool = False
    classes: str = ""

    @classmethod
    def of(cls, roots: Sequence[etree._Element]) -> Markup:
        """Read the trees of a page."""
        found = cls()
        counts = dict.fromkeys(COUNTED, 0)
        names: list[str] = []
        for root in roots:
            for element in root.iter(*_WANTED):
                tag = element.tag
                if tag in _ONLY_COUNTED:
                    counts[tag] += 1
                elif tag == "meta":
                    found._meta(element)
                elif tag == "script":
                    found._script(element)
                elif tag == "link":
                    found.has_next = found.has_next or element.get("rel") in ("next", "prev")
                elif tag == "input":
                    counts[tag] += 1
                    found.passwords += element.get("type", "").lower() == "password"
                else:
                    names += (element.get("class") or "", element.get("id") or "")
        found.counts.update(counts)
        whole = " ".join((found.metas.get("generator", ""), *names))
        found.classes = whole.lower()[:_NAME_CHARS]
        return found

    def _meta(self, element: etree._Element) -> None:
        name = (element.get("property") or element.get("name") or "").lower()
        if name and name not in self.metas:
            self.metas[name] = (element.get("content") or "")[:_NAME_CHARS]

    def _script(self, element: etree._Element) -> None:
        if "ld+json" in (element.get("type") or "").lower():
            for match in _TYPE.finditer((element.text or "")[:_SCRIPT_CHARS]):
                name = match[1].rpartition("/")[2].lower()
                self.types[_GROUPS.get(name, "other")] += 1
