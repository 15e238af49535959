"""The link of a page to the next part of its article, where it has one.

Precise before complete: an article that stays in two items costs less than two articles in one.
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

__all__ = ["next_part"]

_ARROWS = frozenset("\u203a\u00bb\u2192\u25b6\u25ba\u27e9>\u21d2\u276f")
_TEXT_CHARS = 80
_TEXT_PIECES = 20
_LEVELS = 40
_SCHEME_CHARS = 10
_MOST_CANDIDATES = 64
_COMMENTS = re.compile(r"comment|respond|disqus|reacties|kommentar|reply|댓글", re.IGNORECASE)
_DIGIT = re.compile(r"[0-9]")
_CUT = re.compile(r"[-_.,;]")


class _Says(IntEnum):
    """What of a page says that a link leads to its next part, the surest first."""

    LINK = 0
    RELATION = 1
    NEXT = 2
    NUMBER = 3


def next_part(parsed: ParsedPage, url: str) -> str | None:
    """Return the address of the next page of the same article, where the page says so.

    It says so by ``rel="next"``, by a link that reads "next page" or an arrow, in many languages,
    or by a link that reads as the number of the next page. It has to lead to the address of the
    same article with a page number (:func:`crawler.core.pagination.address.step`). Links to other
    articles, to further pages of a list and to pages of comments do not count. Nor does anything
    where the page names two such addresses alike.

    Args:
        parsed: the page.
        url: its address.

    Returns:
        The canonical address, None where there is none.
    """
    best: dict[_Says, set[str]] = {}
    for says, address in islice(_candidates(parsed, url), _MOST_CANDIDATES):
        best.setdefault(says, set()).add(address)
    if not best:
        return None
    surest = best[min(best)]
    return surest.pop() if len(surest) == 1 else None


def _candidates(parsed: ParsedPage, url: str) -> Iterator[tuple[_Says, str]]:
    starts = _starts(url)
    if not starts:
        return
    known: dict[str, tuple[str, Reading] | None] = {}
    for root in parsed.roots:
        for element in root.iter("link", "a"):
            href = element.get("href")
            # Every part but the first has its number in its address.
            if not href or _DIGIT.search(href) is None:
                continue
            if element.tag == "link" and "next" not in _relations(element):
                continue
            if href not in known:
                known[href] = _following(parsed.base_url, href, url, starts)
            found = known[href]
            if found is not None and (says := _what_says(element, found[1])) is not None:
                yield says, found[0]


def _starts(url: str) -> tuple[str, ...]:
    """Return what addresses of the next part begin with, so that most links are told at once."""
    place = place_of(url)
    if place is None:
        return ()
    bases = [place, *(reading.base for reading in readings(url))]
    found = set()
    for host, path, _ in bases:
        folder, _, last = path.rpartition("/")
        found.add(f"{host}{folder}/{_CUT.split(last, maxsplit=1)[0]}".lower())
    return tuple(found)


def _following(
    base: str, href: str, url: str, starts: tuple[str, ...]
) -> tuple[str, Reading] | None:
    href = href.strip()
    # Most links lead elsewhere, and show it at their beginning.
    if href.startswith("/") and not href.startswith("//"):
        paths = tuple(start[start.index("/") :] for start in starts)
        if not href.lower().startswith(paths):
            return None
    elif "://" in href[:_SCHEME_CHARS] and not _without_scheme(href).startswith(starts):
        return None
    try:
        joined = urljoin(base, href)
    except ValueError:
        return None
    whole, _, fragment = joined.partition("#")
    if _COMMENTS.search(fragment):
        return None
    if not _without_scheme(whole).startswith(starts):
        return None
    address = canonical_address(whole)
    found = step(url, address)
    return None if found is None else (address, found[1])


def _without_scheme(address: str) -> str:
    return address.partition("://")[2].lower().removeprefix("www.")


def _relations(element: etree._Element) -> list[str]:
    return (element.get("rel") or "").lower().split()


def _what_says(element: etree._Element, reading: Reading) -> _Says | None:
    """Tell by what a link says that it leads to the next part; None where it does not."""
    if element.tag == "link":
        # Blogs name the next article so.
        return None if reading.is_weak else _Says.LINK
    written = "".join(islice((str(piece) for piece in element.itertext()), _TEXT_PIECES))
    texts = [written, element.get("aria-label") or "", element.get("title") or ""]
    folded = [fold(text[:_TEXT_CHARS]) for text in texts]
    is_related = "next" in _relations(element)
    says: _Says | None = None
    if any(text.startswith(pager_words().next_page) for text in folded):
        says = _Says.RELATION if is_related else _Says.NEXT
    elif _speaks_of_another(folded):
        pass
    elif _names_number(folded, reading):
        says = _Says.NUMBER
    elif not reading.is_weak:
        is_next = _is_arrow(written) or not pager_words().next.isdisjoint(folded)
        says = _Says.RELATION if is_related else _Says.NEXT if is_next else None
    return None if says is None or _is_among_comments(element) else says


def _is_arrow(text: str) -> bool:
    text = text.strip()
    return bool(text) and not fold(text) and not _ARROWS.isdisjoint(text)


def _speaks_of_another(folded: list[str]) -> bool:
    others = pager_words().others
    if not others.isdisjoint(token for text in folded for token in text.split()):
        return True
    # Scripts without spaces have their words inside of longer ones.
    return any(not word.isascii() and word in text for word in others for text in folded)


def _names_number(folded: list[str], reading: Reading) -> bool:
    wanted = {reading.number, reading.number + reading.from_zero}
    for text in folded:
        match = pager_words().numbered.fullmatch(text)
        if match and int(match["number"] or match["other"]) in wanted:
            return True
    return False


def _is_among_comments(element: etree._Element) -> bool:
    for holder in islice(element.iterancestors(), _LEVELS):
        if holder.tag in ("body", "html", "article", "main"):
            continue
        if _COMMENTS.search(f"{holder.get('id') or ''} {holder.get('class') or ''}"):
            return True
    return False
