"""What readers see of a page that may hold a date or an author, by the columns of its elements."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property, lru_cache
from itertools import compress, islice
from operator import itemgetter
from typing import NamedTuple

from lxml import etree

from crawler.core.hot_loops import Stems, short_texts
from crawler.core.metadata.names import begins_as_byline
from crawler.core.page.page import LOCAL_SITE, site_of
from crawler.core.page.parse import ParsedPage
from crawler.core.page.text import drop_unseen
from crawler.core.patterns import compiled_later
from crawler.core.words import APART, texts_with

# No content of the page.
_NO_TEXT = frozenset(
    ("script", "style", "noscript", "template", "svg", "path", "option", "textarea")
)
_NOT_READ = frozenset(("script", "style", "svg", "noscript", "template", "button", "select"))
_JOINED = frozenset(("b", "i", "em", "strong", "font", "u", "sup", "sub", "wbr", "small", "mark"))
# Punctuation that belongs to the text before it, even in an element of its own.
_CLOSING = ":;,."
# Both are looked for in small letters, and begin with one look at a letter: most fail there.
_DATE_HINT = compiled_later(
    r"(?=[abcdefimptu])(?:dat(?:e|um)|t(?:(?<!overt)(?<!lifet)ime(?!line|out)|imestamp)"
    r"|p(?:ubli[sc]|ost(?:ed|-meta))|by-?line|m(?:odif|eta-?info)|info-?meta|created|updated|fecha"
    r"|(?:entry-|article-?)meta)"
)
_AUTHOR_HINT = compiled_later(
    r"(?=[\sabcfjkprvw])(?:aut(?:hor(?!i[stz])|or(?!e?play|efresh|otat|esi)|eur)|by-?_?line"
    r"|writ(?:er|ten-?by)|re(?:porter|dakt)|journalist|c(?:ontribu|rea)tor|verfasser|p(?:osted-by|-name)"
    r"|kisha|f(?:(?<=\sf)|(?<=^f))(?:n|irmas?)(?:$|\s))"
)
# Parts of what hints at either: nine in ten names hold none, which a plain search finds sooner.
_MAY_HINT = Stems(
    dict.fromkeys(
        ("dat", "time", "publi", "posted", "meta", "by", "fecha", "modif", "creat", "info", "aut",
         "writ", "reporter", "journalist", "contrib", "redakt", "verfasser", "name", "fn", "kisha",
         "firma"),
        1,
    )
)  # fmt: skip
# In these languages "firma" is a signature; in many others it is a company.
_SIGNED = ("es", "ca", "gl", "it")
# The bar at the top of every page, which says what day it is today.
_MASTHEAD = compiled_later(
    r"\bmast-?_?head|(?:^|[\s_])(?:site-?|page-?|header-?)?top-?_?(?:bar|line|strip)\b"
    r"|\bsite-?_?header|\bheader-?_?top|\btop-?_?nav|\bnav-?_?top|(?:current|today(?:\W?s)?)[-_]?date|date[-_]?today|\btoday\b",
    re.IGNORECASE,
)
_ASIDE = compiled_later(
    r"comments?\b|commentl|respond|related|sidebar|recommend|teaser|popular|footer|trending"
    r"|read-?next|read-?more|also-?(?:read|like)|promo|more-(?:from|stories|news)|latest|most-?read"
    r"|carousel|newsletter|recent|similar|ranking|\bmenu|disqus|next-?article|\bprev|mega-?nav"
    r"|navbar|\bcards?\b|swiper|slider",
    re.IGNORECASE,
)
# Their classes describe the whole page, or nothing that is read.
_NOT_NAMED = _NO_TEXT | {
    "html", "body", "main", "article", "meta", "head", "link", "img", "input"
}  # fmt: skip
_ASIDE_TAGS = frozenset(
    ("aside", "nav", "footer", "blockquote", "figure", "figcaption", "template", "noscript")
)
_ASIDE_LEVELS = 40
# It begins with one class of characters alone, which makes the search fast. Beside dates in common
# digits it finds digits of other scripts, years of an era, and short years of the Thai.
_DIGIT = r"[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59\uff10-\uff19]"
_DATED = compiled_later(
    rf"[0-9年\u0e01-\u0e2e{_DIGIT[1:]}(?:"
    r"(?<=[0-9])(?:(?<=1)9\d\d|(?<=2)0\d\d|(?<=2)5[5-9]\d|\d?[./|-]\s?\d{1,2}[./|-]\s?\d\d)(?!\d)"
    rf"|(?<={_DIGIT}){_DIGIT}{{3}}"
    r"|(?<=年)[^\s月\0]{0,8}\s?[\d一二三四五六七八九十]\s?月|(?<=[\u0e01-\u0e2e])\.\s?\d\d(?!\d))"
)
AUTHOR_PAGE_PATH = compiled_later(
    r"/(?=[abcjprsw])"  # one look at a letter dismisses most parts of a path
    r"(?:authors?|autor(?:en|es|i)?|auteurs?|autore|byline|by|people|staff|profiles?|contributors?"
    r"|writers?|reporters?|journalists?|redakt\w{2,8}|columnists?|redaccion)/[^/?#\0]"
)
"""Finds in an address in small letters that it is that of an author's page."""
AUTHOR_PAGE = "link to an author's page"
"""The hint of a mark that is a link to such a page."""

_OF_DATE, _OF_AUTHOR = 1, 2
# Bylines and lines with the date are short; longer texts mention other dates and people.
_SHORT = 160
_ELEMENT_CHARS = 400
# A date before the first words of an article, and a dash.
_DATELINE = 40
# A paragraph of the article, and the title of another page.
_PROSE = 80
_TITLE = 10
_TEASER_LEVELS = 3
_MAX_LINKS = 20
_ELEMENT_EVENTS = 200
_MAX_MARKS = 200
# Distances from the headline, in elements.
_NEAR = 60
_FAR = 250


class Mark(NamedTuple):
    """An element that may hold a date or an author.

    ``order`` counts the elements of the page from its beginning. ``said`` is what speaks for it:
    names and attributes of the element, or a short text in it.
    """

    element: etree._Element
    order: int
    said: str


class VisiblePage:
    """The elements and texts that may hold a date or an author, in the page's order.

    Args:
        parsed: the page.
        headline: the heading that is its title, if there is one.

    Attributes:
        headline: order of the heading that is the title; None where there is none.
        site: site of its address.
    """

    def __init__(self, parsed: ParsedPage, headline: etree._Element | None) -> None:
        self._page = parsed.elements
        self.site = site_of(parsed.base_url)
        # An element around the headline is never aside.
        self._around = frozenset(() if headline is None else headline.iterancestors())
        self._aside = dict.fromkeys(self._around, False)
        self.headline = self._order(headline)
        self._body_starts = self._order(_body(headline)) or 0
        self._is_signed = (parsed.language or "")[:2].lower() in _SIGNED

    def _order(self, element: etree._Element | None) -> int | None:
        if element is None:
            return None
        page = self._page
        # Few are called like a headline or what holds it.
        return 1 + next(at for at in page.numbers[str(element.tag)] if page.nodes[at] is element)

    @cached_property
    def times(self) -> list[Mark]:
        """Its ``time`` elements."""
        return self._marks((number, "time") for number in self._page.numbers.get("time", ()))

    @cached_property
    def dates(self) -> list[Mark]:
        """Elements whose class (or id), ``itemprop`` or ``rel`` hints at a date."""
        return self._marks((at, said) for at, hints, said in self._hinting if hints & _OF_DATE)

    @cached_property
    def authors(self) -> list[Mark]:
        """Elements whose names hint at an author, and links to an author's page."""
        tags = self._page.tags
        links = [pair for pair in self._page.values["href"].items() if tags[pair[0]] == "a"]
        hrefs = APART.join([href[:_SHORT] for _, href in links]).lower()
        found = texts_with(AUTHOR_PAGE_PATH, hrefs)
        pages = [(links[at][0], AUTHOR_PAGE) for at in found if self.is_own(links[at][1])]
        hinted = [
            (number, said)
            for number, hints, said in self._hinting
            if hints & _OF_AUTHOR and (self._is_signed or "firma" not in said)
        ]
        return self._marks(sorted((*pages, *hinted), key=itemgetter(0)))

    @cached_property
    def dated(self) -> list[Mark]:
        """Short texts with something like a date in them."""
        places, texts = self._snippets
        found = texts_with(_DATED, APART.join(texts))
        return self._text_marks((places[at], texts[at]) for at in found)

    @cached_property
    def datelines(self) -> list[Mark]:
        """Beginnings with a figure of the long texts that are near behind the headline."""
        page, first = self._page, self.headline or 0
        texts = enumerate(page.texts[first : first + _NEAR], first)
        long = [(at, text.strip()) for at, text in texts if text and len(text) > _SHORT]
        return self._marks(
            (at, text[:_DATELINE]) for at, text in long if text.lstrip("(")[:1].isdecimal()
        )

    @cached_property
    def bylines(self) -> list[Mark]:
        """Short texts that begin as bylines do."""
        places, texts = self._snippets
        found = (at for at, text in enumerate(texts) if begins_as_byline(text))
        return self._text_marks((places[at], texts[at]) for at in found)

    @cached_property
    def _hinting(self) -> list[tuple[int, int, str]]:
        """The elements whose names hint at something: the number, the hints, and those names."""
        page, found = self._page, dict[int, tuple[int, str]]()
        classes, ids = page.values["class"], page.values["id"]
        own = {**ids, **classes}
        columns = own, page.values["itemprop"], page.values["rel"]
        values = set[str]().union(*(names.values() for names in columns))
        if "" in values:
            own |= {number: ids.get(number, "") for number, value in classes.items() if not value}
            values.update(own.values())
        lower = [value[:_SHORT].lower() for value in values]
        hinting = {
            value: hints
            for value, text in compress(zip(values, lower, strict=True), _MAY_HINT.masks(lower))
            if (hints := _hints(text))
        }
        for names in columns if hinting else ():
            for number, value in [pair for pair in names.items() if pair[1] in hinting]:
                before, said = found.get(number, (0, ""))
                found[number] = before | hinting[value], f"{said} {value}" if said else value
        return [(at, *found[at]) for at in sorted(found) if page.tags[at] not in _NOT_NAMED]

    @cached_property
    def _snippets(self) -> tuple[list[int], list[str]]:
        """The places of short texts and the texts: twice the number of an element, and 1 behind."""
        page = self._page
        return short_texts(page.tags, page.texts, page.tails, _NO_TEXT, _SHORT)

    def _marks(self, found: Iterable[tuple[int, str]]) -> list[Mark]:
        """Return the first marks of elements by their numbers and what speaks for them."""
        nodes = self._page.nodes
        return [Mark(nodes[at], at + 1, said) for at, said in islice(found, _MAX_MARKS)]

    def _text_marks(self, found: Iterable[tuple[int, str]]) -> list[Mark]:
        """Return the first marks of short texts by their places."""
        nodes = ((self._page.nodes[place >> 1], place, text) for place, text in found)
        marks = (
            Mark(holder, (place >> 1) + 1, text.strip())
            for node, place, text in nodes
            if (holder := node.getparent() if place & 1 else node) is not None
        )
        return list(islice(marks, _MAX_MARKS))

    @cached_property
    def _prose(self) -> int | None:
        """The order of the first paragraph of the article."""
        page = self._page
        if self.headline is None:
            return None
        found = (
            number + 1
            for number in range(self.headline, len(page.tags))
            if page.tags[number] == "p" and len(page.texts[number] or "") > _PROSE
        )
        return next(found, None)

    def is_own(self, href: str) -> bool:
        """Tell whether a link stays on the site, or goes to another host of its domain."""
        site = site_of(href)
        ends = [each.split(".")[-2:] for each in (site, self.site)]
        return LOCAL_SITE in (site, self.site) or ends[0] == ends[1]

    def near(self, order: int) -> float:
        """Return points for a place near the headline, most right after it.

        A place before the ``main`` or ``article`` that holds the headline is not near, nor is one
        before the part of the page that holds it where there are none.
        """
        if self.headline is None or order < self._body_starts:
            return 0.0
        distance = order - self.headline
        if 0 <= distance <= _NEAR or -_NEAR / 2 <= distance < 0:
            return 3.0 - abs(distance) / _NEAR
        return 1.0 if 0 <= distance <= _FAR else 0.0

    def may_be_byline(self, order: int) -> bool:
        """Tell whether a place is near enough to the headline for a byline."""
        return self.headline is not None and -_NEAR <= order - self.headline <= _FAR

    def is_teaser(self, mark: Mark) -> bool:
        """Tell whether a mark after the first paragraph is beside a link to one other page."""
        if self._prose is None or mark.order <= self._prose:
            return False
        inside = frozenset(islice(mark.element.iter("a"), _MAX_LINKS))
        for here in islice(mark.element.iterancestors(), _TEASER_LEVELS):
            if here in self._around:
                return False
            hrefs = {
                link.get("href") or ""
                for link in islice(here.iter("a"), _MAX_LINKS)
                if link not in inside and len(element_text(link)) >= _TITLE
            }
            if hrefs := {href for href in hrefs if self._is_page(href)}:
                return len(hrefs) == 1
        return False

    def _is_page(self, href: str) -> bool:
        is_path = href.startswith(("/", "http", "./", "../")) or ":" not in href
        return (
            is_path
            and "#" not in href
            and self.is_own(href)
            and not AUTHOR_PAGE_PATH.search(href.lower())
        )

    def is_aside(self, element: etree._Element) -> bool:
        """Tell whether an element is in a side part of the page: comments, teasers, navigation."""
        if element.tag in _ASIDE_TAGS or (
            element not in self._around and _is_named(element, "masthead")
        ):
            return True
        passed: list[etree._Element] = []
        result = False
        for here in islice(element.iterancestors(), _ASIDE_LEVELS):
            known = self._aside.get(here)
            result = _is_aside(here) if known is None else known
            if known is not None:
                break
            passed.append(here)
            if result:
                break
        self._aside.update(dict.fromkeys(passed, result))
        return result


def _hints(lower: str) -> int:
    """Return what a name in small letters hints at: a date, an author, both (the sum) or 0."""
    is_date, is_author = _DATE_HINT.search(lower), _AUTHOR_HINT.search(lower)
    return _OF_DATE * bool(is_date) + _OF_AUTHOR * bool(is_author)


def element_text(element: etree._Element) -> str:
    """Return the first 400 characters of an element's text, white space folded."""
    if not len(element):
        text = element.text if element.tag not in _NOT_READ else None
        return " ".join(drop_unseen(text).split())[:_ELEMENT_CHARS] if text else ""
    pieces: list[str] = []
    length = 0
    is_gap = False
    walk = etree.iterwalk(element, events=("start", "end"))
    for number, (event, here) in enumerate(walk):
        if length > _ELEMENT_CHARS or number > _ELEMENT_EVENTS:
            break
        if event == "start":
            piece = here.text
            if here.tag in _NOT_READ:
                piece = None
                walk.skip_subtree()
        else:
            piece = here.tail if here is not element else None
        if piece:
            if is_gap and piece[0] in _CLOSING:
                pieces.pop()
            pieces.append(piece)
            length += len(piece)
            is_gap = False
        if here.tag not in _JOINED and pieces and pieces[-1] != " ":
            pieces.append(" ")
            is_gap = True
    return " ".join(drop_unseen("".join(pieces)).split())[:_ELEMENT_CHARS]


def _is_aside(element: etree._Element) -> bool:
    tag = element.tag
    if tag in ("body", "html", "article", "main"):
        return False
    if tag in _ASIDE_TAGS:
        return True
    parent = element.getparent()
    if tag == "header" and parent is not None and parent.tag == "body":
        return True
    if element.get("role") == "banner":
        return True
    return _is_named(element, "aside")


def _body(headline: etree._Element | None) -> etree._Element | None:
    """Return the outermost ``main`` or ``article`` around a headline, or what ``body`` holds."""
    if headline is None:
        return None
    around = [headline, *headline.iterancestors()]
    named = [each for each in around if each.tag in ("main", "article")]
    top = [each for each in around if (up := each.getparent()) is not None and up.tag == "body"]
    return next(reversed(named or top), None)


def _is_named(element: etree._Element, what: str) -> bool:
    """Tell whether class or id name the masthead (``masthead``) or any side part (``aside``)."""
    for value in (element.get("class"), element.get("id")):
        if value and what in _parts_named(value[:_ELEMENT_CHARS]):
            return True
    return False


@lru_cache(maxsize=1 << 12)
def _parts_named(value: str) -> tuple[str, ...]:
    if _MASTHEAD.search(value):
        return ("masthead", "aside")
    return ("aside",) if _ASIDE.search(value) else ()
