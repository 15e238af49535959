"""Walks over a page's tree that gather what its metadata may be told by.

The first, over few elements, takes what is written for machines. The second, over all of them, is
needed where that says too little.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from lxml import etree

from crawler.core.metadata.words import begins_as_byline
from crawler.core.page.text import drop_unseen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crawler.core.metadata.words import Words
    from crawler.core.page.parse import ParsedPage

__all__ = [
    "AUTHOR_PAGE", "Body", "Head", "Mark", "Snippet", "element_text", "scan_body", "scan_head",
    "stands_aside",
]  # fmt: skip

# Not content, and nothing below it either tells of the page.
_NO_TEXT = frozenset(
    ("script", "style", "noscript", "template", "svg", "path", "option", "textarea")
)
_NOT_READ = frozenset(("script", "style", "svg", "noscript", "template", "button", "select"))
_JOINED = frozenset(("b", "i", "em", "strong", "font", "u", "sup", "sub", "wbr", "small", "mark"))
# What closes goes with what stands before it, also in an element of its own.
_CLOSING = ":;,."
_HEADINGS = frozenset(("h1", "h2", "h3"))
_DATE_HINT = re.compile(
    r"date|(?<!over)(?<!life)time(?!line|out)|publi[sc]|posted|entry-meta|post-meta|byline|by-line"
    r"|datum|fecha|updated|modif|created|dateline|meta-?info|info-?meta|article-?meta|timestamp",
    re.IGNORECASE,
)
_DATE_PARTS = ("dat", "time", "publi", "posted", "meta", "by", "fecha", "modif", "creat", "info")
_AUTHOR_PARTS = ("aut", "by", "writ", "reporter", "journalist", "contrib", "creator", "redakt",
                 "verfasser", "name", "fn", "kisha")  # fmt: skip
_AUTHOR_HINT = re.compile(
    r"author|by-?_?line|writer|reporter|journalist|autor(?!e?play|efresh|otat|esi)|auteur"
    r"|contributor|creator|redakt|verfasser|posted-by|writtenby|written-by|p-name|fn\b|kisha",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"comments?\b|commentl|respond|related|sidebar|recommend|teaser|popular|footer|trending"
    r"|read-?next|read-?more|also-?(?:read|like)|promo|more-(?:from|stories|news)|latest|most-?read"
    r"|carousel|newsletter|recent|similar|ranking|\bmenu|disqus|next-?article|\bprev|mega-?nav"
    r"|navbar|\bcards?\b|swiper|slider",
    re.IGNORECASE,
)
# They hold the page: their classes tell of its kind.
_WHOLE = frozenset(("html", "body", "main", "article", "meta", "head", "link", "img", "input"))
_ASIDE_TAGS = frozenset(
    ("aside", "nav", "footer", "blockquote", "figure", "figcaption", "template", "noscript")
)
_ASIDE_LEVELS = 40
# Begins with a digit and nothing else, which the search looks for quickly.
_DATED = re.compile(
    r"[0-9](?:(?<=1)9\d\d|(?<=2)0\d\d|(?<=2)5[5-9]\d|\d?[./|-]\s?\d{1,2}[./|-]\s?\d\d)(?!\d)"
)
_AUTHOR_PAGE = re.compile(
    r"/(?:authors?|autor(?:en|es|i)?|auteurs?|autore|byline|by|people|staff|profiles?|contributors?"
    r"|writers?|reporters?|journalists?|redakt\w{2,8}|columnists?|redaccion)/[^/?#]",
    re.IGNORECASE,
)
AUTHOR_PAGE = "link to an author's page"
"""The hint of a mark that is a link to such a page."""

# A byline or a line with a date is short; longer texts speak of other dates and people.
_SHORT = 160
_ELEMENT_CHARS = 400
_ELEMENT_EVENTS = 200
_MAX_MARKS = 200
_MAX_SNIPPETS = 200
_MAX_SCRIPTS = 50
_MAX_METAS = 1_000


@dataclass(frozen=True, slots=True)
class Mark:
    """An element that says by its name or attributes that it holds a date or an author.

    ``order`` counts the elements of the page from its beginning.
    """

    element: etree._Element
    order: int
    hint: str


@dataclass(frozen=True, slots=True)
class Snippet:
    """A short piece of text, the element it stands in, and where that is."""

    text: str
    element: etree._Element
    order: int


@dataclass(slots=True)
class Head:
    """What a page says for machines, and its headings, in the page's order.

    ``metas``
        Name and content of each ``meta``: names in lower case, from ``name``, ``property``,
        ``itemprop`` or ``http-equiv``.
    ``linked``, ``scripts``
        Texts of JSON-LD scripts, and of others.
    ``headings``
        Its ``h1``, ``h2`` and ``h3`` elements.
    ``times``
        Its ``time`` elements.
    ``image``
        The address of ``<link rel="image_src">``.
    """

    metas: list[tuple[str, str]] = field(default_factory=list)
    linked: list[str] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    headings: list[etree._Element] = field(default_factory=list)
    times: list[etree._Element] = field(default_factory=list)
    image: str | None = None


@dataclass(slots=True)
class Body:
    """What readers see that may tell a date or an author, in the page's order.

    ``times``
        Its ``time`` elements.
    ``dates``, ``authors``
        Elements whose class (or id where they have none), ``itemprop`` or ``rel`` hints at a date
        or an author; for authors also links to an author's page.
    ``dated``, ``bylines``
        Short texts with something like a date in them, and texts that begin as bylines do.
    ``headings``
        How many elements stand before each heading.
    """

    times: list[Mark] = field(default_factory=list)
    dates: list[Mark] = field(default_factory=list)
    authors: list[Mark] = field(default_factory=list)
    dated: list[Snippet] = field(default_factory=list)
    bylines: list[Snippet] = field(default_factory=list)
    headings: dict[etree._Element, int] = field(default_factory=dict)


def scan_head(parsed: ParsedPage) -> Head:
    """Gather what a page says for machines."""
    named = parsed.named
    scripts = [script for script in named["script"] if script.text]
    linked = parsed.linked_data()
    images = (link.get("href") for link in named["link"] if link.get("rel") == "image_src")
    return Head(
        metas=list(islice(_metas(named["meta"]), _MAX_METAS)),
        linked=linked[:_MAX_SCRIPTS],
        scripts=[script.text or "" for script in scripts if not _is_linked(script)][:_MAX_SCRIPTS],
        headings=list(named["heading"][:_MAX_MARKS]),
        times=list(named["time"][:_MAX_MARKS]),
        image=next(filter(None, images), None),
    )


def _metas(elements: Iterable[etree._Element]) -> Iterator[tuple[str, str]]:
    for element in elements:
        if content := element.get("content"):
            for attribute in ("property", "name", "itemprop", "http-equiv"):
                if name := element.get(attribute):
                    yield name.strip().lower(), content


def _is_linked(script: etree._Element) -> bool:
    return "ld+json" in (script.get("type") or "").lower()


def scan_body(parsed: ParsedPage, words: Words) -> Body:
    """Gather what readers see, in one walk over all elements.

    Args:
        parsed: the page.
        words: those of bylines.
    """
    body = Body()
    walk = _BodyWalk(body, words)
    order = 0
    for root in parsed.roots:
        for element in root.iter():
            order += 1
            walk.visit(element, order)
    return body


class _BodyWalk:
    """One walk over the elements of a page."""

    def __init__(self, body: Body, words: Words) -> None:
        self._body = body
        self._words = words

    def visit(self, element: etree._Element, order: int) -> None:
        tag = element.tag
        if tag not in _NO_TEXT:
            text = element.text
            if text is not None and 1 < len(text) < _SHORT:
                self._snippet(text, element, order)
            if tag == "time":
                if len(self._body.times) < _MAX_MARKS:
                    self._body.times.append(Mark(element, order, "time"))
            elif tag in _HEADINGS:
                self._body.headings[element] = order
            elif tag == "a":
                self._link(element, order)
            if tag not in _WHOLE:
                self._hint(element, order)
        tail = element.tail
        if tail is not None and 1 < len(tail) < _SHORT and not tail.isspace():
            parent = element.getparent()
            if parent is not None:
                self._snippet(tail, parent, order)

    def _link(self, element: etree._Element, order: int) -> None:
        href = element.get("href")
        if href and len(self._body.authors) < _MAX_MARKS and _AUTHOR_PAGE.search(href[:_SHORT]):
            self._body.authors.append(Mark(element, order, AUTHOR_PAGE))

    def _hint(self, element: etree._Element, order: int) -> None:
        """Note an element whose attributes say what it holds."""
        is_date = is_author = False
        said = ""
        named = element.get("class") or element.get("id")
        for value in (named, element.get("itemprop"), element.get("rel")):
            if value is None:
                continue
            known = _hints(value[:_SHORT])
            if known[0] or known[1]:
                said = f"{said} {value}" if said else value
                is_date, is_author = is_date or known[0], is_author or known[1]
        if is_date and len(self._body.dates) < _MAX_MARKS:
            self._body.dates.append(Mark(element, order, said))
        if is_author and len(self._body.authors) < _MAX_MARKS:
            self._body.authors.append(Mark(element, order, said))

    def _snippet(self, text: str, element: etree._Element, order: int) -> None:
        if text.isspace():
            return
        body = self._body
        if _DATED.search(text) and len(body.dated) < _MAX_SNIPPETS:
            body.dated.append(Snippet(text.strip(), element, order))
        if len(body.bylines) < _MAX_SNIPPETS and begins_as_byline(text, self._words):
            body.bylines.append(Snippet(text.strip(), element, order))


@lru_cache(maxsize=1 << 12)  # the pages of a site share their classes
def _hints(value: str) -> tuple[bool, bool]:
    """Tell whether a class or name hints at a date, and whether at an author."""
    lower = value.lower()
    # Nine in ten hint at neither, which plain search tells in a tenth of the time.
    is_date = any(map(lower.__contains__, _DATE_PARTS)) and bool(_DATE_HINT.search(lower))
    is_author = any(map(lower.__contains__, _AUTHOR_PARTS)) and bool(_AUTHOR_HINT.search(lower))
    return is_date, is_author


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


def stands_aside(element: etree._Element, known: dict[etree._Element, bool]) -> bool:
    """Tell whether an element stands in a part of the page that speaks of something else.

    ``known`` remembers the answers for a page.
    """
    passed: list[etree._Element] = []
    if element.tag in _ASIDE_TAGS:
        return True
    here = element.getparent()
    result = False
    while here is not None and len(passed) < _ASIDE_LEVELS:
        if here in known:
            result = known[here]
            break
        passed.append(here)
        if _is_aside(here):
            result = True
            break
        here = here.getparent()
    for each in passed:
        known[each] = result
    return result


def _is_aside(element: etree._Element) -> bool:
    tag = element.tag
    if tag in ("body", "html", "article", "main"):
        return False
    if tag in _ASIDE_TAGS:
        return True
    said: Iterable[str | None] = (element.get("class"), element.get("id"))
    return any(value and _ASIDE.search(value[:_ELEMENT_CHARS]) for value in said)
