"""One walk over a page's tree that gathers everything its metadata may be told by."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lxml import etree

from crawler.core.text import drop_unseen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawler.core.parse import ParsedPage

__all__ = ["AUTHOR_PAGE", "Mark", "Scan", "Snippet", "element_text", "scan", "stands_aside"]

# Not content, and nothing below it either tells of the page.
_NO_TEXT = frozenset(("style", "noscript", "template", "svg", "path", "option", "textarea"))
_NOT_READ = frozenset(("script", "style", "svg", "noscript", "template", "button", "select"))
_JOINED = frozenset(("b", "i", "em", "strong", "font", "u", "sup", "sub", "wbr", "small", "mark"))
_HEADINGS = frozenset(("h1", "h2"))
_DATE_HINT = re.compile(
    r"date|(?<!over)(?<!life)time(?!line|out)|publi[sc]|posted|entry-meta|post-meta|byline|by-line"
    r"|datum|fecha|updated|modif|created|dateline|meta-?info|info-?meta|article-?meta|timestamp",
    re.IGNORECASE,
)
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
_ASIDE_TAGS = frozenset(("aside", "nav", "footer", "blockquote", "figure", "figcaption", "template", "noscript"))
_ASIDE_LEVELS = 40
_DATED = re.compile(
    r"(?<!\d)(?:(?:19|20)\d\d(?!\d)|25[5-9]\d(?!\d)|\d{1,2}[./|-]\s?\d{1,2}[./|-]\s?\d\d(?!\d))"
)
_AUTHOR_PAGE = re.compile(
    r"/(?:authors?|autor(?:en|es|i)?|auteurs?|autore|byline|by|people|staff|profiles?|contributors?"
    r"|writers?|reporters?|journalists?|redakt\w{2,8}|columnists?|redaccion)/[^/?#]",
    re.IGNORECASE,
)
_ADDRESS_CHARS = 200
AUTHOR_PAGE = "link to an author's page"
"""The hint of a mark that is a link to such a page."""

_BYLINE_CHARS = 300
_DATED_CHARS = 400
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
class Scan:
    """What one walk found, everything in the page's order.

    ``metas``
        Name and content of each ``meta``: names in lower case, from ``name``, ``property``,
        ``itemprop`` or ``http-equiv``.
    ``linked``, ``scripts``
        Texts of JSON-LD scripts, and of others.
    ``headings``
        Its ``h1`` and ``h2`` elements.
    ``times``
        Its ``time`` elements.
    ``dates``, ``authors``
        Elements whose class, id, ``itemprop`` or ``rel`` hints at a date or an author.
    ``dated``, ``bylines``
        Texts with something like a date in them, and texts that begin as bylines do.
    """

    metas: list[tuple[str, str]] = field(default_factory=list)
    linked: list[str] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    headings: list[Mark] = field(default_factory=list)
    times: list[Mark] = field(default_factory=list)
    dates: list[Mark] = field(default_factory=list)
    authors: list[Mark] = field(default_factory=list)
    dated: list[Snippet] = field(default_factory=list)
    bylines: list[Snippet] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    image: str | None = None


def scan(parsed: ParsedPage, byline: re.Pattern[str]) -> Scan:
    """Walk over a page once.

    Args:
        parsed: the page.
        byline: what a text begins with that names an author.
    """
    found = Scan()
    hints: dict[str, tuple[bool, bool]] = {}
    order = 0
    for root in parsed.roots:
        for element in root.iter():
            order += 1
            tag = element.tag
            if tag == "script":
                _script(element, found)
                text = None
            elif tag in _NO_TEXT:
                text = None
            else:
                text = element.text
                if tag == "meta":
                    _meta(element, found)
                elif tag == "time":
                    if len(found.times) < _MAX_MARKS:
                        found.times.append(Mark(element, order, "time"))
                elif tag in _HEADINGS:
                    found.headings.append(Mark(element, order, tag))
                elif tag == "link" and found.image is None and element.get("rel") == "image_src":
                    found.image = element.get("href")
                elif tag == "a" and len(found.authors) < _MAX_MARKS:
                    href = element.get("href")
                    if href and _AUTHOR_PAGE.search(href, 0, _ADDRESS_CHARS):
                        found.authors.append(Mark(element, order, AUTHOR_PAGE))
                if element.attrib:
                    _hint(element, order, hints, found)
            if text is not None and len(text) > 1:
                _snippet(text, element, order, byline, found)
            tail = element.tail
            if tail is not None and len(tail) > 1:
                parent = element.getparent()
                if parent is not None:
                    _snippet(tail, parent, order, byline, found)
    return found


def _script(element: etree._Element, found: Scan) -> None:
    kind = element.get("type") or ""
    text = element.text
    if not text:
        return
    if "ld+json" in kind.lower():
        if len(found.linked) < _MAX_SCRIPTS:
            found.linked.append(text)
    elif len(found.scripts) < _MAX_SCRIPTS:
        found.scripts.append(text)


def _meta(element: etree._Element, found: Scan) -> None:
    content = element.get("content")
    if not content or len(found.metas) >= _MAX_METAS:
        return
    for attribute in ("property", "name", "itemprop", "http-equiv"):
        if name := element.get(attribute):
            found.metas.append((name.strip().lower(), content))


def _hint(
    element: etree._Element, order: int, hints: dict[str, tuple[bool, bool]], found: Scan
) -> None:
    """Note an element whose attributes say what it holds."""
    if element.tag in _WHOLE:
        return
    pieces = [
        value
        for name in ("class", "id", "itemprop", "rel", "data-testid", "data-qa")
        if (value := element.get(name)) is not None
    ]
    if not pieces:
        return
    said = " ".join(pieces) if len(pieces) > 1 else pieces[0]
    known = hints.get(said)
    if known is None:
        short = said[:_ELEMENT_CHARS]
        known = hints[said] = (
            _DATE_HINT.search(short) is not None,
            _AUTHOR_HINT.search(short) is not None,
        )
    if known[0] and len(found.dates) < _MAX_MARKS:
        found.dates.append(Mark(element, order, said))
    if known[1] and len(found.authors) < _MAX_MARKS:
        found.authors.append(Mark(element, order, said))


def _snippet(
    text: str, element: etree._Element, order: int, byline: re.Pattern[str], found: Scan
) -> None:
    if text.isspace():
        return
    if len(found.dated) < _MAX_SNIPPETS and _DATED.search(text, 0, _DATED_CHARS):
        found.dated.append(Snippet(text.strip()[:_DATED_CHARS], element, order))
    if len(found.bylines) < _MAX_SNIPPETS and len(text) < _BYLINE_CHARS and byline.match(text):
        found.bylines.append(Snippet(text.strip(), element, order))


def element_text(element: etree._Element) -> str:
    """Return the first 400 characters of an element's text, white space folded."""
    pieces: list[str] = []
    length = 0
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
            pieces.append(piece)
            length += len(piece)
        if here.tag not in _JOINED and pieces and pieces[-1] != " ":
            pieces.append(" ")
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
