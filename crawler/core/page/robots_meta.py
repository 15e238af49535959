"""What a page asks of robots: not to index it, not to follow its links, not to mine it.

Robots directives are those of ``<meta name="robots">`` and ``X-Robots-Tag``; the reservation of
rights is that of the TDM Reservation Protocol (W3C community group, 2024), by header or ``meta``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from crawler.core.page.parse import ParsedPage

__all__ = ["WISHES", "may_hold_wishes", "read_wishes", "reserved_by"]

WISHES = {
    "noindex": "its page asks not to be indexed",
    "nofollow": "its page asks that its links are not followed",
    "tdm": "its page reserves the right of text and data mining",
    "noai": "its page asks not to be used for training",
}
"""What a page may ask for, in words."""

_LEFT_OUT = ("tdm", "noai", "noindex")
_MEANT = {"none": ("noindex", "nofollow"), "noindex": ("noindex",), "nofollow": ("nofollow",),
          "noai": ("noai",)}  # fmt: skip
_ROBOTS = "robots"
_TDM = "tdm-reservation"
_OWN_NAME = "scrapy-corpus"
_DIRECTIVES_WITH_VALUE = ("unavailable_after", "max-snippet", "max-image-preview",
                          "max-video-preview")  # fmt: skip
_WORD_END = re.compile(r"[,;]")


def may_hold_wishes(body: bytes) -> bool:
    """Tell, without parsing it, whether a page may have a ``meta`` that asks for something."""
    text = body.lower()
    # Zeros among the first bytes: an encoding of two bytes a character.
    return b"robots" in text or b"tdm-reservation" in text or b"\0" in text[:64]


def read_wishes(
    robots_tags: Iterable[str], tdm: str = "", page: ParsedPage | None = None
) -> frozenset[str]:
    """Return what a page asks for, as names of ``WISHES``.

    Args:
        robots_tags: each ``X-Robots-Tag`` header. What is meant for robots of other names counts
            for them alone.
        tdm: the ``tdm-reservation`` header.
        page: the page, whose ``meta`` elements are read.
    """
    found = set[str]()
    for tag in robots_tags:
        found |= _directives(tag)
    if tdm.strip() == "1":
        found.add("tdm")
    for root in page.roots if page else ():
        for meta in root.iter("meta"):
            name, content = (meta.get("name") or "").strip().lower(), meta.get("content") or ""
            if name == _ROBOTS:
                found |= _directives(content)
            elif name == _TDM and content.strip() == "1":
                found.add("tdm")
    return frozenset(found)


def reserved_by(wishes: Collection[str], respected: Collection[str]) -> str | None:
    """Return the wish for which a page is left out; None where there is none.

    Args:
        wishes: what the page asks for.
        respected: which wishes are respected.
    """
    return next((name for name in _LEFT_OUT if name in wishes and name in respected), None)


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
