"""The link of a page to the next part of its article, if it has one.

Precision is worth more than recall: an article that stays in two items costs less than two articles
in one.
"""

from __future__ import annotations

import re
from enum import IntEnum
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from crawler.core.page.addresses import canonical_address
from crawler.core.pagination.address import place_of, readings, step
from crawler.core.pagination.words import pager_words
from crawler.core.words import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

    from crawler.core.page.parse import ParsedPage
    from crawler.core.pagination.address import Reading

_ARROWS = frozenset("\u203a\u00bb\u2192\u25b6\u25ba\u27e9>\u21d2\u276f")
_TEXT_CHARS = 80
_TEXT_PIECES = 20
_LEVELS = 40
_SCHEME_CHARS = 10
_MOST_CANDIDATES = 64
_COMMENTS = re.compile(r"comment|respond|disqus|reacties|kommentar|reply|댓글", re.IGNORECASE)
_DIGIT = re.compile(r"[0-9]")
_CUT = re.compile(r"[-_.,;]")


class _Sign(IntEnum):
    """How a page shows that a link leads to its next part, the surest first."""

    LINK = 0
    RELATION = 1
    NEXT = 2
    NUMBER = 3


def next_part(parsed: ParsedPage, url: str) -> str | None:
    """Return the canonical address of the next page of the same article; None if there is none.

    A page names it by ``rel="next"``, by a link that reads "next page" or an arrow, in many
    languages, or by a link that reads as the number of the next page. Its address is that of the
    same article with a page number (:func:`crawler.core.pagination.address.step`). Links to other
    articles, to further pages of a list and to pages of comments do not count. Nor does anything
    if the page names two such addresses alike.

    Args:
        parsed: the page.
        url: its address.
    """
    best: dict[_Sign, set[str]] = {}
    for sign, address in islice(_candidates(parsed, url), _MOST_CANDIDATES):
        best.setdefault(sign, set()).add(address)
    if not best:
        return None
    surest = best[min(best)]
    return surest.pop() if len(surest) == 1 else None


def _candidates(parsed: ParsedPage, url: str) -> Iterator[tuple[_Sign, str]]:
    starts = _starts(url)
    known: dict[str, tuple[str, Reading] | None] = {}
    for root in parsed.roots if starts else ():
        for element in root.iter("link", "a"):
            href = element.get("href")
            # Every part but the first has its number in its address.
            if not href or _DIGIT.search(href) is None:
                continue
            if element.tag == "link" and "next" not in _relations(element):
                continue
            if href not in known:
                known[href] = _following(parsed.base_url, href.strip(), url, starts)
            found = known[href]
            if found is not None and (sign := _sign(element, found[1])) is not None:
                yield sign, found[0]


def _starts(url: str) -> tuple[str, ...]:
    """Return what addresses of the next part begin with, so that most links are dismissed fast."""
    place = place_of(url)
    found = set()
    for host, path, _ in [place, *(each.base for each in readings(url))] if place else ():
        folder, _, last = path.rpartition("/")
        found.add(f"{host}{folder}/{_CUT.split(last, maxsplit=1)[0]}".lower())
    return tuple(found)


def _following(
    base: str, href: str, url: str, starts: tuple[str, ...]
) -> tuple[str, Reading] | None:
    """Return the canonical address of a link, and how it is read as that of the next part."""
    # Most links lead elsewhere, which their beginning shows.
    if href.startswith("/") and not href.startswith("//"):
        if not href.lower().startswith(tuple(start[start.index("/") :] for start in starts)):
            return None
    elif "://" in href[:_SCHEME_CHARS] and not _without_scheme(href).startswith(starts):
        return None
    try:
        whole, _, fragment = urljoin(base, href).partition("#")
    except ValueError:
        return None
    if _COMMENTS.search(fragment) or not _without_scheme(whole).startswith(starts):
        return None
    address = canonical_address(whole)
    found = step(url, address)
    return None if found is None else (address, found[1])


def _without_scheme(address: str) -> str:
    return address.partition("://")[2].lower().removeprefix("www.")


def _relations(element: etree._Element) -> list[str]:
    return (element.get("rel") or "").lower().split()


def _sign(element: etree._Element, reading: Reading) -> _Sign | None:
    """Return how a link shows that it leads to the next part; None if it does not."""
    if element.tag == "link":
        # Blogs name the next article so.
        return None if reading.is_weak else _Sign.LINK
    words = pager_words()
    written = "".join(islice((str(piece) for piece in element.itertext()), _TEXT_PIECES))
    texts = [written, element.get("aria-label") or "", element.get("title") or ""]
    folded = [fold(text[:_TEXT_CHARS]) for text in texts]
    related = "next" in _relations(element)
    if any(text.startswith(words.next_page) for text in folded):
        sign = _Sign.RELATION if related else _Sign.NEXT
    elif _is_of_another(folded):
        return None
    elif _names_number(folded, reading):
        sign = _Sign.NUMBER
    elif reading.is_weak:
        return None
    elif related:
        sign = _Sign.RELATION
    elif _is_arrow(written) or not words.next.isdisjoint(folded):
        sign = _Sign.NEXT
    else:
        return None
    return None if _is_among_comments(element) else sign


def _is_arrow(text: str) -> bool:
    text = text.strip()
    return bool(text) and not fold(text) and not _ARROWS.isdisjoint(text)


def _is_of_another(folded: list[str]) -> bool:
    """Tell whether the texts of a link name something else than a page of this article."""
    others = pager_words().others
    if not others.isdisjoint(token for text in folded for token in text.split()):
        return True
    # Scripts without spaces have their words inside longer ones.
    return any(not word.isascii() and word in text for word in others for text in folded)


def _names_number(folded: list[str], reading: Reading) -> bool:
    wanted = {reading.number, reading.number + reading.from_zero}
    matches = (pager_words().numbered.fullmatch(text) for text in folded)
    return any(match and int(match["number"] or match["other"]) in wanted for match in matches)


def _is_among_comments(element: etree._Element) -> bool:
    return any(
        holder.tag not in ("body", "html", "article", "main")
        and _COMMENTS.search(f"{holder.get('id') or ''} {holder.get('class') or ''}")
        for holder in islice(element.iterancestors(), _LEVELS)
    )
