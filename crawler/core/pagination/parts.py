"""Articles in parts: which page goes on where, and what each part repeats.

:func:`next_part` reads the link from a page, :class:`PartLinks` makes chains of the links of all
pages, and :func:`repeated_blocks` finds what the parts of a chain say again. Precision is worth
more than recall: an article that stays in two items costs less than two articles in one.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from xxhash import xxh3_64_intdigest

from crawler.core.page.addresses import canonical_address
from crawler.core.page.parse import ParsedPage
from crawler.core.pagination.address import (
    MOST_PARTS,
    Place,
    Reading,
    part_number,
    place_of,
    readings,
    step,
)
from crawler.core.words import any_of, fold, read_data, texts_of

if TYPE_CHECKING:
    from lxml import etree

# How a page shows that a link leads to its next part, the surest first: a ``link`` element,
# ``rel="next"`` with a text, a text alone, the number of the next page.
_LINK, _RELATION, _NEXT, _NUMBER = range(4)
_LINKS = ("a", "link")
ARROWS = frozenset("\u203a\u00bb\u2192\u25b6\u25ba\u27e9>\u21d2\u276f")
"""Characters of links to the next page."""
_TEXT_CHARS = 80
_TEXT_PIECES = 20
_LEVELS = 40
_SCHEME_CHARS = 10
_MOST_CANDIDATES = 64
_COMMENTS = re.compile(r"comment|respond|disqus|reacties|kommentar|reply|댓글", re.IGNORECASE)
_DIGIT = re.compile(r"[0-9]")
_CUT = re.compile(r"[-_.,;]")
# Headline, byline, date, summary and the like: what is further down is text.
_LEAD = 12
# A shorter headline is in others by chance.
_TELLING_CHARS = 8
_HEADLINE_CHARS = 500
_PAGER_CHARS = 60


@dataclass(frozen=True, slots=True)
class PagerWords:
    """Words of pagers in all languages, folded as :func:`crawler.core.words.fold` does.

    Attributes:
        next_page, next: texts of links to the next page, those that name a page and those that do
            not.
        pages: "page" as in "page 2 of 3".
        others: words of links to something else than the next page of a text.
        numbered: matches the whole of a folded text that names a page by its number: "2", "page 2
            of 3"; the number is the group ``number``, or ``other`` if it is before its word.
        mark: finds, in a text as written, the words that name a page by number: "(Page 2 of 3)".
    """

    next_page: tuple[str, ...]
    next: frozenset[str]
    pages: frozenset[str]
    others: frozenset[str]
    numbered: re.Pattern[str]
    mark: re.Pattern[str]


@cache
def pager_words() -> PagerWords:
    """Return the words of pagers."""
    data = read_data("crawler.core.pagination", "pagers")
    page, of = any_of(texts_of(data["page"])), any_of(texts_of(data["of"]))
    return PagerWords(
        next_page=texts_of(data["next_page"]),
        next=frozenset(texts_of(data["next"])),
        pages=frozenset(texts_of(data["page"])),
        others=frozenset(texts_of(data["other_texts"])),
        # A slash or a bracket is a space in a folded text.
        numbered=re.compile(
            rf"(?:(?:{page}) ?)?(?P<number>[0-9]{{1,3}})(?: (?:(?:{of}) )?[0-9]{{1,3}})?"
            rf"|第? ?(?P<other>[0-9]{{1,3}}) ?(?:{page})"
        ),
        mark=re.compile(
            rf"\b(?:{page})\s?[0-9]{{1,3}}\b(?:\s?(?:/|{of})\s?[0-9]{{1,3}}\b)?"
            rf"|第?\s?(?<![0-9])[0-9]{{1,3}}\s?(?:{page})(?!\w)"
            r"|[(\[]\s?[0-9]{1,3}(?:\s?/\s?[0-9]{1,3})?\s?[)\]]\s*$"
            r"|\b[0-9]{1,3}\s?/\s?[0-9]{1,3}\s*$",
            re.IGNORECASE,
        ),
    )


def next_part(parsed: ParsedPage, url: str) -> str | None:
    """Return the canonical address of the next page of the same article; None if there is none.

    A page names it by ``rel="next"``, by a link that reads "next page" or an arrow, in many
    languages, or by a link that reads as the number of the next page. Its address is that of the
    same article with a page number (:func:`crawler.core.pagination.address.step`). Links to other
    articles, to further pages of a list and to pages of comments do not count. Nor does anything
    if the page names two such addresses alike.
    """
    best: dict[int, set[str]] = {}
    for sign, address in islice(_candidates(parsed, url), _MOST_CANDIDATES):
        best.setdefault(sign, set()).add(address)
    if not best:
        return None
    surest = best[min(best)]
    return surest.pop() if len(surest) == 1 else None


def _candidates(parsed: ParsedPage, url: str) -> Iterator[tuple[int, str]]:
    starts = _starts(url)
    known: dict[str, tuple[str, Reading] | None] = {}
    page = parsed.elements
    for number, href in page.values["href"].items() if starts else ():
        # Every part but the first has its number in its address.
        if page.tags[number] not in _LINKS or _DIGIT.search(href) is None:
            continue
        element = page.nodes[number]
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


def _sign(element: etree._Element, reading: Reading) -> int | None:
    """Return how a link shows that it leads to the next part; None if it does not."""
    if element.tag == "link":
        # Blogs name the next article so.
        return None if reading.is_weak else _LINK
    words = pager_words()
    written = "".join(islice((str(piece) for piece in element.itertext()), _TEXT_PIECES))
    texts = [written, element.get("aria-label") or "", element.get("title") or ""]
    folded = [fold(text[:_TEXT_CHARS]) for text in texts]
    related = "next" in _relations(element)
    if any(text.startswith(words.next_page) for text in folded):
        sign = _RELATION if related else _NEXT
    elif _is_of_another(folded):
        return None
    elif _names_number(folded, reading):
        sign = _NUMBER
    elif reading.is_weak:
        return None
    elif related:
        sign = _RELATION
    elif not words.next.isdisjoint(folded) or not (fold(written) or ARROWS.isdisjoint(written)):
        sign = _NEXT
    else:
        return None
    is_among_comments = any(
        holder.tag not in ("body", "html", "article", "main")
        and _COMMENTS.search(f"{holder.get('id') or ''} {holder.get('class') or ''}")
        for holder in islice(element.iterancestors(), _LEVELS)
    )
    return None if is_among_comments else sign


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


@dataclass(slots=True)
class _Node:
    """A page that may be a part: its address as fetched, its next part, how often it is held."""

    url: str
    following: str | None
    times: int


def _hash(address: str) -> int:
    return xxh3_64_intdigest(address.encode("utf-8", "surrogatepass"))


class PartLinks:
    """Which page of a site goes on in which other.

    Pages that go on, and those whose address has the number of a part, take memory; each other page
    takes sixteen bytes.

    Args:
        latest_alone: whether only the latest of several pages with one address is exported. Else
            all of them are, and none of them is known to be the part.
    """

    def __init__(self, *, latest_alone: bool = False) -> None:
        self._latest_alone = latest_alone
        self._nodes: dict[str, _Node] = {}
        # Hashes of the other pages' addresses, canonical and as fetched. Such a page may come again
        # and go on then.
        self._plain_keys = array("Q")
        self._plain_urls = array("Q")

    def add(self, url: str, following: str | None) -> None:
        """Note a page that is held.

        Args:
            url: its address.
            following: what :func:`next_part` says of it.
        """
        key = canonical_address(url)
        node = self._nodes.get(key)
        if node is None:
            if following is not None or readings(url):
                self._nodes[key] = _Node(url, following, 1)
            else:
                self._plain_keys.append(_hash(key))
                self._plain_urls.append(_hash(url))
            return
        node.times += not (self._latest_alone and node.url == url)
        if node.following is None:
            node.following = following
        elif following is not None and following != node.following:
            # The page changed, and which of the two is held is unknown.
            node.times += 1

    def chains(self) -> list[tuple[str, ...]]:
        """Return the chains: the canonical addresses of the parts of each article, in order.

        A chain begins with a first part and ends where the next one is not held. A part that two
        pages claim belongs to the one whose address has no number, if there is just one such.
        """
        following = self._following()
        continued = set(following.values())
        found = []
        for key in sorted(following):
            if key in continued or part_number(key, following[key]) != 1:
                continue
            chain, here = dict.fromkeys((key,)), following[key]
            while here not in chain:
                chain[here] = None
                here = following.get(here, key)
            if len(chain) <= MOST_PARTS:
                found.append(tuple(chain))
        return found

    def _following(self) -> dict[str, str]:
        """Return the next part of each page that has one; no two pages share one."""
        sure = self._held_once()
        # Of two addresses that differ in a slash, neither is sure to be meant.
        held: dict[Place, str | None] = {}
        for key in sure:
            if (place := place_of(key)) is not None:
                held[place] = None if place in held else key
        claims: dict[str, list[str]] = {}
        for key, node in sure.items():
            then = node.following
            if then is None or (then in self._nodes and then not in sure):
                continue
            if then not in sure:
                place = place_of(then)
                then = held.get(place) if place is not None else None
            if then is not None and part_number(key, then) is not None:
                claims.setdefault(then, []).append(key)
        chosen = {}
        for then, keys in claims.items():
            bases = {reading.base for reading in readings(then)}
            first = keys if len(keys) == 1 else [key for key in keys if place_of(key) in bases]
            if len(first) == 1:
                chosen[first[0]] = then
        return chosen

    def _held_once(self) -> dict[str, _Node]:
        """Return the pages that may be parts and whose addresses were held once."""
        again = set()
        by_hash = {_hash(key): key for key in self._nodes}
        for key_hash, url_hash in zip(self._plain_keys, self._plain_urls, strict=True):
            key = by_hash.get(key_hash)
            if key is not None and not (
                self._latest_alone and url_hash == _hash(self._nodes[key].url)
            ):
                again.add(key)
        return {
            key: node for key, node in self._nodes.items() if node.times == 1 and key not in again
        }


def same_headline(first: Iterable[str | None], other: Iterable[str | None]) -> bool:
    """Tell whether two parts may have one headline.

    Page numbers aside, a headline of one equals one of the other or is in it, as where a part's
    own heading is beside that of the whole. Parts without any headline do not disagree.
    """
    ours = {folded for text in first if text and (folded := _headline(text))}
    theirs = {folded for text in other if text and (folded := _headline(text))}
    if not ours or not theirs or ours & theirs:
        return True
    return any(len(one) >= _TELLING_CHARS and one in each for one in ours for each in theirs)


def _headline(text: str) -> str:
    return fold(pager_words().mark.sub(" ", text[:_HEADLINE_CHARS])).replace(" ", "")


def repeated_blocks(parts: Sequence[Sequence[str]], headline: str | None) -> list[frozenset[int]]:
    """Return which blocks of the parts of an article repeat what is said once in the whole.

    At the beginning of every part but the first these are blocks that are at the beginning of the
    first too, and the headline. At the end they are blocks that are there in the part after it
    too: they are kept in the last part. At both ends they are pagers ("Page 2 of 3").

    Args:
        parts: the texts of each part's kept blocks, in order.
        headline: the headline of the whole; None if there is none.

    Returns:
        For each part, which of its texts to leave out, counted from 0.
    """
    folded = [[fold(text) for text in texts] for texts in parts]
    pagers = [[_is_pager(text) for text in texts] for texts in folded]
    starts = [_first(marks) for marks in pagers]
    ends = [len(marks) - _first(marks[::-1]) for marks in pagers]
    said = set(folded[0][starts[0] : starts[0] + _LEAD])
    title = _headline(headline) if headline else ""
    for number in range(1, len(parts)):
        while starts[number] < ends[number] and (
            pagers[number][starts[number]]
            or folded[number][starts[number]] in said
            or (title and _headline(parts[number][starts[number]]) == title)
        ):
            starts[number] += 1
    for number in range(len(parts) - 1):
        other = ends[number + 1]
        while (
            ends[number] > starts[number]
            and other > starts[number + 1]
            and folded[number][ends[number] - 1] == folded[number + 1][other - 1]
        ):
            ends[number] -= 1
            other -= 1
    return [
        frozenset((*range(min(start, len(texts))), *range(max(start, end), len(texts))))
        for texts, start, end in zip(folded, starts, ends, strict=True)
    ]


def _first(marks: Sequence[bool]) -> int:
    """Return how many marks are set before the first that is not."""
    return marks.index(False) if False in marks else len(marks)


def _is_pager(folded: str) -> bool:
    """Tell whether a block is a pager and nothing else: a lone number may be text."""
    words = pager_words()
    if len(folded) > _PAGER_CHARS:
        return False
    if folded in words.next_page:
        return True
    has_page = any(page in folded for page in words.pages)
    return has_page and words.numbered.fullmatch(folded) is not None
