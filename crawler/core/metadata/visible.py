"""What readers see of a page that may hold a date or an author, gathered in one walk."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from lxml import etree

from crawler.core.metadata.names import begins_as_byline
from crawler.core.page.page import LOCAL_SITE, site_of
from crawler.core.page.parse import ParsedPage
from crawler.core.page.text import drop_unseen

# No content of the page.
_NO_TEXT = frozenset(
    ("script", "style", "noscript", "template", "svg", "path", "option", "textarea")
)
_NOT_READ = frozenset(("script", "style", "svg", "noscript", "template", "button", "select"))
_JOINED = frozenset(("b", "i", "em", "strong", "font", "u", "sup", "sub", "wbr", "small", "mark"))
# Punctuation that belongs to the text before it, even in an element of its own.
_CLOSING = ":;,."
_DATE_HINT = re.compile(
    r"date|(?<!over)(?<!life)time(?!line|out)|publi[sc]|posted|entry-meta|post-meta|byline|by-line"
    r"|datum|fecha|updated|modif|created|dateline|meta-?info|info-?meta|article-?meta|timestamp",
    re.IGNORECASE,
)
_DATE_PARTS = ("dat", "time", "publi", "posted", "meta", "by", "fecha", "modif", "creat", "info")
_AUTHOR_PARTS = ("aut", "by", "writ", "reporter", "journalist", "contrib", "creator", "redakt",
                 "verfasser", "name", "fn", "kisha", "firma")  # fmt: skip
_AUTHOR_HINT = re.compile(
    r"author(?!i[stz])|by-?_?line|writer|reporter|journalist|autor(?!e?play|efresh|otat|esi)|auteur"
    r"|contributor|creator|redakt|verfasser|posted-by|writtenby|written-by|p-name|(?:^|\s)fn(?:$|\s)|kisha"
    r"|(?:^|\s)firmas?(?:$|\s)",
    re.IGNORECASE,
)
# In these languages "firma" is a signature; in many others it is a company.
_SIGNED = ("es", "ca", "gl", "it")
# The bar at the top of every page, which says what day it is today.
_MASTHEAD = re.compile(
    r"\bmast-?_?head|(?:^|[\s_])(?:site-?|page-?|header-?)?top-?_?(?:bar|line|strip)\b"
    r"|\bsite-?_?header|\bheader-?_?top|\btop-?_?nav|\bnav-?_?top|(?:current|today(?:\W?s)?)[-_]?date|date[-_]?today|\btoday\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"comments?\b|commentl|respond|related|sidebar|recommend|teaser|popular|footer|trending"
    r"|read-?next|read-?more|also-?(?:read|like)|promo|more-(?:from|stories|news)|latest|most-?read"
    r"|carousel|newsletter|recent|similar|ranking|\bmenu|disqus|next-?article|\bprev|mega-?nav"
    r"|navbar|\bcards?\b|swiper|slider",
    re.IGNORECASE,
)
# Their classes describe the whole page.
_WHOLE = frozenset(("html", "body", "main", "article", "meta", "head", "link", "img", "input"))
# Elements that are marks by themselves, and attributes that name what an element is beside class.
_READ = frozenset(("p", "time", "a"))
_NAMING = ("itemprop", "rel")
_ASIDE_TAGS = frozenset(
    ("aside", "nav", "footer", "blockquote", "figure", "figcaption", "template", "noscript")
)
_ASIDE_LEVELS = 40
# Both begin with one class of characters alone, which makes the search fast.
_DATED_HERE = r"(?:(?<=1)9\d\d|(?<=2)0\d\d|(?<=2)5[5-9]\d|\d?[./|-]\s?\d{1,2}[./|-]\s?\d\d)(?!\d)"
_DATED = re.compile(f"[0-9]{_DATED_HERE}")
# With dates in digits of other scripts, in years of an era, or in short years of the Thai.
_DIGIT = r"[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59\uff10-\uff19]"
_DATED_ANYHOW = re.compile(
    rf"[0-9年\u0e01-\u0e2e{_DIGIT[1:]}(?:(?<=[0-9]){_DATED_HERE}|(?<={_DIGIT}){_DIGIT}{{3}}"
    r"|(?<=年)[^\s月]{0,8}\s?[\d一二三四五六七八九十]\s?月|(?<=[\u0e01-\u0e2e])\.\s?\d\d(?!\d))"
)
AUTHOR_PAGE_PATH = re.compile(
    r"/(?:authors?|autor(?:en|es|i)?|auteurs?|autore|byline|by|people|staff|profiles?|contributors?"
    r"|writers?|reporters?|journalists?|redakt\w{2,8}|columnists?|redaccion)/[^/?#]",
    re.IGNORECASE,
)
"""Finds in an address that it is that of an author's page."""
AUTHOR_PAGE = "link to an author's page"
"""The hint of a mark that is a link to such a page."""

_OF_DATE, _OF_AUTHOR = 1, 2
# Bylines and lines with the date are short; longer texts mention other dates and people.
_SHORT = 160
_ELEMENT_CHARS = 400
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
        times: its ``time`` elements.
        dates, authors: elements whose class (or id where they have none), ``itemprop`` or ``rel``
            hints at a date or an author; for authors also links to an author's page.
        dated, bylines: short texts with something like a date in them, and texts that begin as
            bylines do.
        headline: order of the heading that is the title; None where there is none.
        site: site of its address.
    """

    def __init__(self, parsed: ParsedPage, headline: etree._Element | None) -> None:
        self.times: list[Mark] = []
        self.dates: list[Mark] = []
        self.authors: list[Mark] = []
        self.dated: list[Mark] = []
        self.bylines: list[Mark] = []
        self.headline: int | None = None
        self.site = site_of(parsed.base_url)
        # An element around the headline is never aside.
        self._around = frozenset(() if headline is None else headline.iterancestors())
        self._aside = dict.fromkeys(self._around, False)
        self._body_starts = 0
        self._prose: int | None = None
        self._is_signed = (parsed.language or "")[:2].lower() in _SIGNED
        self._walk(parsed, headline)

    def _walk(self, parsed: ParsedPage, headline: etree._Element | None) -> None:
        body, page = _body(headline), parsed.elements
        columns = (page.nodes, page.tags, page.texts, page.tails, page.names)
        for order, (element, tag, text, tail, names) in enumerate(zip(*columns, strict=True), 1):
            if tag not in _NO_TEXT:
                if text is not None and 1 < len(text) < _SHORT and not text.isspace():
                    self._snippet(text, element, order)
                if tag in _READ:
                    self._read(element, tag, text or "", order)
                if names and tag not in _WHOLE:
                    self._hint(element, names, order)
            if tail is not None and 1 < len(tail) < _SHORT and not tail.isspace():
                self._snippet(tail, element, order, is_behind=True)
            if element is headline:
                self.headline = order
            if element is body:
                self._body_starts = order

    def _read(self, element: etree._Element, tag: str, text: str, order: int) -> None:
        """Look at an element whose tag tells something."""
        if tag == "p":
            if self._prose is None and self.headline and len(text) > _PROSE:
                self._prose = order
        elif tag == "time":
            _note(self.times, Mark(element, order, "time"))
        else:
            href = element.get("href")
            if href and AUTHOR_PAGE_PATH.search(href[:_SHORT]) and self.is_own(href):
                _note(self.authors, Mark(element, order, AUTHOR_PAGE))

    def _hint(self, element: etree._Element, names: Sequence[str], order: int) -> None:
        get = element.get
        found, said = 0, ""
        value = get("class") if "class" in names else None
        values = [value or get("id")] if value or "id" in names else []
        values += [get(name) for name in _NAMING if name in names]
        for value in values:
            if value and (hints := _hints(value[:_SHORT])):
                found |= hints
                said = f"{said} {value}" if said else value
        if found & _OF_DATE:
            _note(self.dates, Mark(element, order, said))
        if found & _OF_AUTHOR and (self._is_signed or "firma" not in said):
            _note(self.authors, Mark(element, order, said))

    def _snippet(
        self, text: str, element: etree._Element, order: int, *, is_behind: bool = False
    ) -> None:
        """Look at the text in an element, or behind it."""
        is_dated = (_DATED if text.isascii() else _DATED_ANYHOW).search(text) is not None
        is_byline = len(self.bylines) < _MAX_MARKS and begins_as_byline(text)
        if not (is_dated or is_byline):
            return
        holder = element.getparent() if is_behind else element
        if holder is None:
            return
        mark = Mark(holder, order, text.strip())
        if is_dated:
            _note(self.dated, mark)
        if is_byline:
            self.bylines.append(mark)

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
            is_path and "#" not in href and self.is_own(href) and not AUTHOR_PAGE_PATH.search(href)
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


def _note(marks: list[Mark], mark: Mark) -> None:
    if len(marks) < _MAX_MARKS:
        marks.append(mark)


@lru_cache(maxsize=1 << 12)  # the pages of a site share their classes
def _hints(value: str) -> int:
    """Return what a name hints at: a date, an author, both (the sum) or neither (0)."""
    lower = value.lower()
    # Nine in ten hint at neither; a plain search is ten times as fast.
    is_date = any(map(lower.__contains__, _DATE_PARTS)) and _DATE_HINT.search(lower)
    is_author = any(map(lower.__contains__, _AUTHOR_PARTS)) and _AUTHOR_HINT.search(lower)
    return _OF_DATE * bool(is_date) + _OF_AUTHOR * bool(is_author)


def element_text(element: etree._Element) -> str:
    """Return the first 400 characters of an element's text, white space folded."""
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
