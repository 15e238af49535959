"""Page to tree: the only module that parses HTML."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from lxml import etree

from crawler.core.errors import UnreadablePageError
from crawler.core.hot_loops import may_have_many_attributes, without_control
from crawler.core.hot_loops.text import MOST_ATTRIBUTES
from crawler.core.page.composed import compose, prepare
from crawler.core.page.decode import decode
from crawler.core.page.text import drop_unseen, in_xml
from crawler.core.page.walk import Elements, walk

if TYPE_CHECKING:
    from crawler.core.page.page import Page

# First bytes of binary files.
_BINARY_STARTS = (
    b"%PDF", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04", b"\x1f\x8b", b"Rar!",
    b"7z\xbc\xaf", b"RIFF", b"OggS", b"ID3", b"\x00\x00\x00", b"\x7fELF", b"wOFF", b"wOF2",
    b"\xd0\xcf\x11\xe0",
)  # fmt: skip
_SNIFFED = 2048
# Share of control characters in the sniffed text above which it is not text.
_BINARY_SHARE = 0.1
# XML vocabularies that list pages rather than being one.
_FEED = re.compile(
    # Possessive: a run of comments is read in one way only.
    r"(?:<\?xml[^>]*>|(?><!--.*?-->)|<!doctype[^>]*>|\s)*+"
    r"<(?:rss|feed|rdf:rdf|urlset|sitemapindex)\b",
    re.IGNORECASE | re.DOTALL,
)
_NOT_PAGES = ("image/", "audio/", "video/", "font/", "application/pdf", "application/zip",
              "application/octet-stream", "application/json", "text/css", "text/javascript",
              "application/javascript")  # fmt: skip
_CONTENT = re.compile(r"[^ \t\f\r\n\x00]")
_SPACE = re.compile(r"\s+")
# Addresses that browsers take no base from.
_NO_BASES = ("data:", "javascript:")
# What libxml2 says when it stops reading a page that nests more than 2,048 elements.
_TOO_DEEP = "Excessive depth"
# What it says of "</br>".
_END_OF_BREAK = "unexpected end tag : br"
# What is said here of a page that libxml2 would take long to read.
_TOO_MANY = "Too many attributes"
# Limits of the tree that is built for pages that libxml2 cannot handle.
_DEPTH = 1_000
_ATTRIBUTES = 256
# What may stand in a ``head``, by HTML's rules.
_OF_THE_HEAD = frozenset(
    ("title", "base", "link", "meta", "style", "script", "noscript", "template", "bgsound",
     "basefont", "object")
)  # fmt: skip
# Elements whose markup may have to be prepared.
_PREPARED = frozenset(("pre", "template"))
_HEADINGS = ("h1", "h2", "h3")
_NAMED = ("base", "title", "meta", "link", "script", "time")


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A page as a tree. The tree belongs to this page alone and never leaves the process.

    Attributes:
        roots: the document element and any siblings of it: libxml2 makes a second root of markup
            after ``</html>``, and its text is text of the page all the same.
        base_url: what the page's links are relative to: its own address, or the one its ``base``
            names.
        named: the elements that tell of the page itself, in its order, by name: ``base``,
            ``title``, ``meta``, ``link``, ``script``, ``time``; ``heading`` for ``h1`` to ``h3``.
        elements: all elements, as they were when the page had been parsed.
        found: what was found in the tree and will be asked for again, by its name.
    """

    page: Page
    roots: tuple[etree._Element, ...]
    encoding: str
    title: str | None
    language: str | None
    canonical_url: str | None
    base_url: str
    named: Mapping[str, Sequence[etree._Element]] = field(repr=False, compare=False)
    elements: Elements = field(repr=False, compare=False)
    found: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def linked_data(self) -> list[str]:
        """Return the texts of the page's JSON-LD scripts."""
        if "linked_data" not in self.found:
            self.found["linked_data"] = [
                text
                for script in self.named["script"]
                if "ld+json" in (script.get("type") or "").lower() and (text := script.text)
            ]
        found: list[str] = self.found["linked_data"]
        return found


# An element takes a kilobyte while its page is worked on, so that a page of 10 MB that is all tags
# would take more than 1 GB (benchmarks/memory.py). No page that people read has so many.
_MOST_TAGS = 750_000


def parse(page: Page, max_bytes: int | None = None) -> ParsedPage:
    """Decode and parse a page.

    Args:
        page: the page as it came.
        max_bytes: a larger body is refused; None for no limit.

    Raises:
        UnreadablePageError: the page is ``empty``, ``binary``, ``not-html`` or ``too-large``.
    """
    _refuse_unreadable(page, max_bytes)
    text, encoding = decode(page)
    text = text.lstrip("\ufeff")
    if not _CONTENT.search(text):
        raise UnreadablePageError(page.url, "empty", "the page has no content")
    head = text[:_SNIFFED]
    if len(head.encode("utf-8", "replace")) - len(_markup(head)) > len(head) * _BINARY_SHARE:
        raise UnreadablePageError(page.url, "binary", "the page is not text")
    if _FEED.match(head):
        raise UnreadablePageError(page.url, "not-html", "the page is a feed or a sitemap")
    # Where nothing was broken the body is the text in UTF-8, and need not be encoded again.
    is_whole = encoding == "utf-8" and "\ufffd" not in text and not page.body.startswith(BOM_UTF8)
    trees = _trees(text, page.body if is_whole else None)
    if not trees:
        raise UnreadablePageError(page.url, "empty", "the page has no elements")
    roots = tuple(tree.nodes[0] for tree in trees)
    elements = Elements.joined([compose(tree, text) for tree in trees])
    named = _named_elements(elements)
    base = _base(named["base"], page.url)
    return ParsedPage(
        page=page,
        roots=roots,
        encoding=encoding,
        title=_title(named["title"]),
        language=_language(roots[0], named["meta"]),
        canonical_url=_canonical(elements, base),
        base_url=base,
        named=named,
        elements=elements,
    )


def _refuse_unreadable(page: Page, max_bytes: int | None) -> None:
    kind = page.content_type.partition(";")[0].strip().lower()
    size = len(page.body)
    is_large = max_bytes is not None and size > max_bytes
    has_many = (
        max_bytes is not None
        and size > _MOST_TAGS
        and page.body.count(b"<") - page.body.count(b"</") > _MOST_TAGS
    )
    for refused, reason, detail in (
        (is_large, "too-large", f"has {size:,} bytes, {max_bytes or 0:,} at most"),
        (has_many, "too-large", f"has more than {_MOST_TAGS:,} tags"),
        (not size, "empty", "has no content"),
        (kind.startswith(_NOT_PAGES) or kind.endswith("+json"), "not-html", f"is of type {kind}"),
        (page.body.startswith(_BINARY_STARTS), "binary", "is a binary file"),
    ):
        if refused:
            raise UnreadablePageError(page.url, reason, f"the page {detail}")


def _trees(text: str, body: bytes | None) -> list[Elements]:
    """Parse a page; return the elements of the document and of any siblings of it.

    Args:
        text: the page.
        body: the same in UTF-8, where it is known.
    """
    root, complaints = _tree(_markup(text if body is None else body))
    first = None if root is None else walk(root)
    # What has to be prepared is rare, costs time to find in markup, and leaves marks in the tree.
    is_marked = first is not None and not _PREPARED.isdisjoint(first.numbers)
    if is_marked or _END_OF_BREAK in complaints.lower():
        prepared = prepare(text)
        if prepared != text:
            root, complaints = _tree(_markup(prepared))
            first = None
    if _TOO_DEEP in complaints or complaints == _TOO_MANY:
        return list(map(walk, _bounded_roots(_markup(prepare(text)))))
    if root is None:
        return []
    first = walk(root) if first is None else first
    if (stray := _stray(first)) is not None:
        _open_body(root, stray)
        first = walk(root)
    return [first, *(walk(each) for each in root.itersiblings() if isinstance(each.tag, str))]


def _tree(markup: bytes) -> tuple[Any, str]:
    """Return the root of the tree that libxml2 makes of markup, and what it complained of.

    It takes time by the square of the number of attributes of a tag: where one has a thousand it is
    not asked. A picture of 450 KB as one value is one attribute.
    """
    if may_have_many_attributes(markup) and _most_attributes(markup) >= MOST_ATTRIBUTES:
        return None, _TOO_MANY
    # Nobody looks elements up by their identifiers: libxml2 need not collect them.
    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True, collect_ids=False
    )
    root = etree.fromstring(markup, parser)
    return root, "\n".join({entry.message for entry in parser.error_log})


def _most_attributes(markup: bytes) -> int:
    """Return how many attributes libxml2 finds in a tag at most; it does not build the tree."""
    target: Any = _AttributeCounter()
    etree.fromstring(markup, etree.HTMLParser(encoding="utf-8", huge_tree=True, target=target))
    return int(target.most)


class _AttributeCounter:
    """Counts the attributes of tags: a script's "a<b" is none, though its text looks like one."""

    def __init__(self) -> None:
        self.most = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002 - as lxml asks
        self.most = max(self.most, len(attributes))

    def close(self) -> None:
        """All is counted."""


def _markup(text: str | bytes) -> bytes:
    """Return a page in UTF-8, without control characters, which are single bytes there."""
    data = bytes(text) if isinstance(text, bytes) else text.encode("utf-8", "replace")
    return without_control(data)


def _bounded_roots(markup: bytes) -> tuple[etree._Element, ...]:
    """Parse a page that is nested too deep, or has too many attributes, for libxml2's own tree."""
    # lxml asks of a target only the methods it has; its types ask for all of them.
    target: Any = _BoundedTree()
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, target=target)
    etree.fromstring(markup, parser)
    return tuple(target.roots)


class _BoundedTree:
    """Builds a tree from a parser's events, with limits: all text is kept, excess markup is not.

    An element below the depth limit is put beside its parent, so that its text stands where it
    would and still begins a new block. Characters that XML does not have are left out, as lxml
    takes none of them; form feeds and vertical tabs are white space.
    """

    def __init__(self) -> None:
        self._parser = etree.HTMLParser()
        self.roots: list[etree._Element] = []
        self._open: list[etree._Element] = []
        self._last: etree._Element | None = None
        self._pieces: list[str] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._place_text()
        element = self._make(tag)
        for name, value in islice(attributes.items(), _ATTRIBUTES):
            with suppress(ValueError):  # names that are no names
                element.set(name, in_xml(value))
        self._open.append(element)
        self._last = None

    def data(self, text: str) -> None:
        self._pieces.append(in_xml(text))

    def end(self, tag: str) -> None:  # noqa: ARG002 - libxml2 closes what it opened, in order
        self._place_text()
        element = self._open.pop()
        self._last = element if not self._open else self._holder()[-1]

    def close(self) -> None:
        """Nothing is left open: libxml2 closes all it opened."""

    def _holder(self) -> etree._Element:
        return self._open[min(len(self._open), _DEPTH) - 1]

    def _make(self, tag: str) -> etree._Element:
        if self._open:
            try:
                return etree.SubElement(self._holder(), tag)
            except ValueError:
                return etree.SubElement(self._holder(), "span")
        root = self._parser.makeelement(tag)
        self.roots.append(root)
        return root

    def _place_text(self) -> None:
        text = "".join(self._pieces)
        self._pieces.clear()
        if not text or not self._open:
            return
        if self._last is None:
            self._open[-1].text = text
        elif len(self._open) > _DEPTH:
            # The open element is a sibling of its children here: its text goes on in a new one.
            self._last = self._make(self._open[-1].tag)
            self._last.text = text
        else:
            self._last.tail = text


def _stray(elements: Elements) -> etree._Element | None:
    """Return the first element that stands in the head and belongs to the body, if there is any.

    HTML lets a page leave out ``<body>``; a browser opens it at the first element that no head may
    hold. libxml2 knows the elements of HTML 4 alone, and leaves ``<main>`` or ``<article>`` in the
    head.
    """
    tags = elements.tags
    head = next((each for each in elements.children_of(0) if tags[each] == "head"), None)
    own = () if head is None else elements.children_of(head)
    stray = next((each for each in own if tags[each] not in _OF_THE_HEAD), None)
    return None if stray is None else elements.nodes[stray]


def _open_body(root: etree._Element, stray: etree._Element) -> None:
    """Move an element of the head, and what stands behind it there, to the body in order."""
    moved = [stray, *stray.itersiblings()]
    body = root.find("body")
    if body is None:
        body = root.makeelement("body")
        next(root.iterchildren("head")).addnext(body)
    body[:0] = moved  # their tails go with them
    # Text that the body began with now follows what was put before it.
    if body.text:
        moved[-1].tail = in_xml((moved[-1].tail or "") + body.text)
        body.text = None


def _named_elements(elements: Elements) -> dict[str, list[etree._Element]]:
    return {
        **{name: elements.called((name,)) for name in _NAMED},
        "heading": elements.called(_HEADINGS),
    }


def _title(titles: Sequence[etree._Element]) -> str | None:
    for element in titles:
        # A drawing names its parts by titles of their own.
        if next(element.iterancestors("svg"), None) is not None:
            continue
        text = drop_unseen("".join(str(piece) for piece in element.itertext()))
        if text := _SPACE.sub(" ", text).strip():
            return text
    return None


def _language(root: etree._Element, metas: Sequence[etree._Element]) -> str | None:
    for name in ("lang", "xml:lang", "{http://www.w3.org/XML/1998/namespace}lang"):
        if value := (root.get(name) or "").strip():
            return value
    for meta in metas:
        if (meta.get("http-equiv") or "").lower() == "content-language":
            return (meta.get("content") or "").strip() or None
    return None


def _base(bases: Sequence[etree._Element], url: str) -> str:
    """Return what links are relative to; the first ``base`` counts, if it names an address."""
    first = next((href for base in bases if (href := base.get("href")) is not None), "")
    try:
        base = urljoin(url, first.strip())
        _ = urlsplit(base).port  # a port out of range raises when it is looked at
    except ValueError:
        return url
    return url if base.startswith(_NO_BASES) else base


def _canonical(elements: Elements, base: str) -> str | None:
    rels, hrefs = elements.values["rel"], elements.values["href"]
    for link in elements.numbers_of(("link",)):
        if "canonical" in rels.get(link, "").lower().split():
            href = hrefs.get(link, "").strip()
            try:
                address = urljoin(base, href)
            except ValueError:
                return None
            # A saved page with a path alone does not say of which site it is.
            return address if href and not address.startswith("file:") else None
    return None
