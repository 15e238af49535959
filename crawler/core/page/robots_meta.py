"""What a page asks of robots, in its headers and its ``meta`` elements.

Directives are those of ``<meta name="robots">`` and ``X-Robots-Tag``; the reservation of rights is
that of the TDM Reservation Protocol (W3C community group, 2024), by header or ``meta``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from crawler.core.page.parse import ParsedPage

DIRECTIVES = {
    "noindex": "its page asks not to be indexed",
    "nofollow": "its page asks that its links are not followed",
    "tdm": "its page reserves the right of text and data mining",
    "noai": "its page asks not to be used for training",
}
"""What a page may ask of robots, by name, in words."""

_EXCLUDING = ("tdm", "noai", "noindex")
_MEANT = {"none": ("noindex", "nofollow"), "noindex": ("noindex",), "nofollow": ("nofollow",),
          "noai": ("noai",)}  # fmt: skip
_OWN_NAME = "scrapy-corpus"
_DIRECTIVES_WITH_VALUE = ("unavailable_after", "max-snippet", "max-image-preview",
                          "max-video-preview")  # fmt: skip
_WORD_END = re.compile(r"[,;]")


def may_hold_directives(body: bytes) -> bool:
    """Tell, without parsing it, whether a page may have a ``meta`` element for robots."""
    text = body.lower()
    # Zeros among the first bytes: an encoding of two bytes a character.
    return b"robots" in text or b"tdm-reservation" in text or b"\0" in text[:64]


def read_directives(
    robots_tags: Iterable[str], tdm: str = "", page: ParsedPage | None = None
) -> frozenset[str]:
    """Return what a page asks of robots, as names of :data:`DIRECTIVES`.

    Args:
        robots_tags: each ``X-Robots-Tag`` header; directives for other robots do not count.
        tdm: the ``tdm-reservation`` header.
        page: the page, whose ``meta`` elements are read.
    """
    found = {directive for tag in robots_tags for directive in _directives(tag)}
    reservations = [tdm]
    for meta in page.named["meta"] if page else ():
        name = (meta.get("name") or "").strip().lower()
        if name == "robots":
            found |= _directives(meta.get("content") or "")
        elif name == "tdm-reservation":
            reservations.append(meta.get("content") or "")
    if any(value.strip() == "1" for value in reservations):
        found.add("tdm")
    return frozenset(found)


def excluding(directives: Collection[str], respected: Collection[str]) -> str | None:
    """Return the directive for which a page is left out; None where there is none.

    Args:
        directives: what the page asks for.
        respected: which directives are respected.
    """
    return next((name for name in _EXCLUDING if name in directives and name in respected), None)


def _directives(text: str) -> set[str]:
    found = set[str]()
    meant_for_us = True
    for part in _WORD_END.split(text.lower()):
        word = part.strip()
        name, colon, rest = word.partition(":")
        if colon and name.strip() not in _DIRECTIVES_WITH_VALUE:
            meant_for_us = name.strip() == _OWN_NAME
            word = rest.strip()
        if meant_for_us:
            for one in word.split():
                found.update(_MEANT.get(one, ()))
    return found
