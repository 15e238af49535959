"""What a page says of its own article in its head: description, and text in JSON-LD."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml import etree

    from crawler.core.page.parse import ParsedPage

__all__ = ["Hints"]

_DESCRIPTIONS = frozenset(("description", "og:description", "twitter:description"))
_TITLES = frozenset(("og:title", "twitter:title", "headline"))
_BODY = re.compile(r'"articleBody"\s*:\s*("(?:[^"\\]|\\.)*+")', re.DOTALL)
_TAG = re.compile(r"<[^<>]*+>")
# Only so much of either is compared with the page's text.
_CHARS = 200_000


@dataclass(frozen=True, slots=True)
class Hints:
    """Texts to compare blocks with; empty where the page gives none.

    ``title``
        The title that the page gives to be shared; it has no name of the site in it.
    ``description``
        The longest description.
    ``body``
        The article's text as JSON-LD gives it, without tags.
    """

    title: str = ""
    description: str = ""
    body: str = ""

    @classmethod
    def of(cls, parsed: ParsedPage) -> Hints:
        """Read the hints of a page."""
        title, description, body = "", "", ""
        for root in parsed.roots:
            for element in root.iter("meta", "script"):
                if element.tag == "script":
                    body = max(body, _article_body(element), key=len)
                    continue
                name = (element.get("property") or element.get("name") or "").lower()
                if name in _DESCRIPTIONS:
                    description = max(description, element.get("content") or "", key=len)
                elif name in _TITLES and not title:
                    title = element.get("content") or ""
        return cls(title[:_CHARS], description[:_CHARS], body[:_CHARS])


def _article_body(element: etree._Element) -> str:
    """Return the longest article text in a script; its JSON need not be whole."""
    if "ld+json" not in (element.get("type") or ""):
        return ""
    script, longest = element.text or "", ""
    if '"articleBody"' not in script:
        return ""
    for match in _BODY.finditer(script):
        try:
            # Line breaks within strings are no JSON, and common.
            text = json.loads(match[1], strict=False)
        except ValueError:
            continue
        longest = max(longest, _TAG.sub(" ", text), key=len)
    return longest
