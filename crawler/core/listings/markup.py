"""A scanner of XML that is often not well-formed.

Parsers of XML that recover from errors (libxml2) lose all that follows an attribute without quotes,
a second root or a stray end tag. This one goes on. It declares no entities, loads nothing and keeps
no tree: time is linear in the length of the text, and memory is bounded.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from html.entities import html5
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urljoin

if TYPE_CHECKING:
    from crawler.core.listings.entries import Problems

# Each alternative either matches what it began or fails within the same tag, and what is left open
# ends with the text: no stretch is looked at twice.
TOKEN = re.compile(
    r"""<(?:
      !--.*?(?P<comment>-->|\Z)
    | !\[CDATA\[(?P<cdata>.*?)(?P<cdata_end>\]\]>|\Z)
    | \?.*?(?:\?>|\Z)
    | !(?P<doctype>[A-Za-z]++)[^\[<>]*+(?:>|\[.*?(?:\]\s*+>|\Z))
    | /(?P<end>[^\W\d][^\s<>/]*+)[^<>]*+>
    | (?P<start>[^\W\d][^\s<>/="']*+)
      (?:(?P<attributes>(?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+)>|(?P<loose>[^<>]*+)>)
    )""",
    re.DOTALL | re.VERBOSE,
)
_ATTRIBUTE = re.compile(
    r"""([^\s=<>"'/]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'<>]++)))?+"""
)
_REFERENCE = re.compile(r"&(?:#(\d{1,7})|#[xX]([0-9A-Fa-f]{1,6})|([A-Za-z][A-Za-z0-9]{0,31}));")
MAX_NESTED = 64
"""Most elements inside one another; real listings, HTML included, have fewer."""
_LAST_CHARACTER = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)
# Attributes beyond this number are not read; roots that declare everything have some forty.
_MAX_ATTRIBUTES = 256
_MAX_LINKS = 1_000
# An entry is inside this many elements at most; deeper ones say nothing of its base.
_MAX_DEPTH = 8
PUBLISHED = ("publication_date", "pubdate", "published", "issued", "date", "created")
"""Names of elements that say when a page was published, the surest first."""
CHANGED = ("lastmod", "updated", "modified")
"""Names of elements that say when a page was changed, the surest first."""
_FIELDS = frozenset({"loc", "origlink", "guid", "id", "link", "language", *PUBLISHED, *CHANGED})
_ROOTS = frozenset({"rss", "rdf", "channel", "feed"})
_NEWS, _OF_NEWS = frozenset({"news", "publication"}), frozenset({"publication_date", "language"})
# Elements with addresses that are no pages.
_MEDIA = frozenset({"image", "video"})


@dataclass(slots=True)
class Node:
    """An open element; ``name`` is its local name in lower case.

    Prefixes and namespaces tell nothing: sites declare them in many wrong ways, or not at all.
    """

    name: str
    attributes: Mapping[str, str]


@dataclass(slots=True)
class Record:
    """An entry of a listing, as it is written.

    Attributes:
        node: its element.
        base: what its addresses are relative to.
        around: the names of the elements around it, the outermost first.
        texts: the texts of its fields by the names of their elements; of several the first.
        links: its ``link`` elements with an address, each with what that is relative to.
        is_whole: whether the listing goes on behind it.
    """

    node: Node
    base: str
    around: tuple[str, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)
    links: list[tuple[Node, str]] = field(default_factory=list)
    is_whole: bool = True


class Scanner:
    """Reads one document.

    Args:
        url: its address.
        records: the names of the elements of entries, which are never inside one another.
        problems: counts what is wrong with it.

    Attributes:
        head: what is said outside of entries, as if it were one.
    """

    def __init__(self, url: str, records: Collection[str], problems: Problems) -> None:
        self.head = Record(Node("", {}), url)
        self._url = url
        self._records = records
        self._problems = problems
        self._open: list[Node] = []
        self._names: Counter[str] = Counter()
        self._record: Record | None = None
        self._done: list[Record] = []
        # The open element whose text is wanted, and what is read of that.
        self._taking: Node | None = None
        self._pieces: list[str] = []
        self._has_text = self._has_bases = False

    def scan(self, text: str, start: int) -> Iterator[Record]:
        """Read a document, from the offset of its root element; yield its entries."""
        last = start
        for token in TOKEN.finditer(text, start):
            if self._taking is not None and token.start() > last:
                self._take(self._unescaped(text[last : token.start()]))
            last = token.end()
            kind = token.lastgroup
            if kind in {"attributes", "loose"}:
                self._start(token["start"], token[kind])
            elif kind == "end":
                if self._names[name := local_name(token["end"])]:
                    self._pop_to(name)
                else:
                    self._problems.add("tag-stray")
            elif kind == "cdata_end" and self._taking is not None:
                self._take(token["cdata"])
            if self._done:
                yield self._done.pop()
        if self._taking is not None or any(self._names[name] for name in self._records):
            self._problems.add("cut-off")
        else:
            self._problems.add("tag-unclosed", len(self._open))
        while self._open:
            self._pop(cut=True)
        yield from self._done

    def _start(self, qualified: str, rest: str) -> None:
        name = local_name(qualified)
        attributes = _attributes(rest) if "=" in rest else {}
        if self._taking is not None and self._has_text:
            # Of an element that is not closed the text ends at the next element.
            self._problems.add("tag-unclosed")
            self._pop_to(self._taking.name)
        if name in self._records and self._names[name] and self._taking is None:
            self._problems.add("tag-unclosed")
            self._pop_to(name)
        if len(self._open) >= MAX_NESTED:
            self._problems.add("nested-deeply")
            return
        self._has_bases = self._has_bases or "xml:base" in attributes
        node = Node(name, attributes)
        if self._is_wanted(node) and self._taking is None:
            self._taking = node
        self._open.append(node)
        self._names[name] += 1
        if rest.endswith("/"):
            self._pop()

    def _is_wanted(self, node: Node) -> bool:
        """Tell whether the text of an element is wanted; begin an entry, and note a link."""
        parent = self._open[-1] if self._open else self.head.node
        if self._record is None and node.name in self._records and parent.name not in _MEDIA:
            around = tuple(element.name for element in self._open)
            self._record = Record(node, self._base(node), around)
            if language := node.attributes.get("xml:lang", ""):
                self._record.texts["language"] = language
            return False
        holder = self._record or self.head
        if self._record is None and node.name in _ROOTS and "xml:lang" in node.attributes:
            holder.texts.setdefault("language", node.attributes["xml:lang"])
        if parent is not holder.node and (self._record or parent.name not in _ROOTS):
            return self._record is not None and parent.name in _NEWS and node.name in _OF_NEWS
        if node.name == "link" and "href" in node.attributes:
            if len(holder.links) < _MAX_LINKS:
                holder.links.append((node, self._base(node)))
            return False
        return node.name in _FIELDS

    def _base(self, node: Node) -> str:
        """Return what an element's addresses are relative to, by ``xml:base`` (W3C XML Base)."""
        base = self._url
        for element in (*self._open[:_MAX_DEPTH], node) if self._has_bases else ():
            if written := element.attributes.get("xml:base", "").strip():
                try:
                    base = urljoin(base, written)
                except ValueError:
                    self._problems.add("address-wrong")
        return base

    def _pop_to(self, name: str) -> None:
        while self._open[-1].name != name:
            self._problems.add("tag-unclosed")
            self._pop()
        self._pop()

    def _pop(self, *, cut: bool = False) -> None:
        node = self._open.pop()
        self._names[node.name] -= 1
        if not self._names[node.name]:
            del self._names[node.name]
        text = ""
        if node is self._taking:
            text = "".join(self._pieces)
            self._pieces.clear()
            self._has_text = False
            self._taking = None
        record = self._record
        if record is not None and node is record.node:
            record.is_whole = not cut
            self._done.append(record)
            self._record = None
        # A guid that is no permanent link names no page.
        elif text and not cut and not (node.attributes and _is_no_link(node)):
            (record or self.head).texts.setdefault(node.name, text)

    def _take(self, text: str) -> None:
        self._pieces.append(text)
        self._has_text = self._has_text or bool(text.strip())

    def _unescaped(self, text: str) -> str:
        if "&" not in text:
            return text
        known = sum(
            not name or f"{name};" in html5
            for name in (match[3] for match in _REFERENCE.finditer(text))
        )
        self._problems.add("raw-ampersand", text.count("&") - known)
        return unescape(text)


def _is_no_link(guid: Node) -> bool:
    return guid.attributes.get("ispermalink", "").strip().lower() == "false"


def local_name(qualified: str) -> str:
    """Return a name without its prefix, in lower case."""
    return qualified.rpartition(":")[2].lower()


def unescape(text: str) -> str:
    """Replace references to characters once, by number or by a name that HTML knows.

    A reference ends with a semicolon: ``?a=1&copy=2`` stays as it is.
    """
    return _REFERENCE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    decimal, hexadecimal, name = match.groups()
    if name:
        return html5.get(f"{name};", match[0])
    number = int(decimal) if decimal else int(hexadecimal, 16)
    if not 0 < number <= _LAST_CHARACTER or number in _SURROGATES:
        return ""
    return chr(number)


def _attributes(rest: str) -> dict[str, str]:
    """Read a tag's attributes, names in lower case; of one given twice the first counts."""
    found: dict[str, str] = {}
    for match in islice(_ATTRIBUTE.finditer(rest), _MAX_ATTRIBUTES):
        name, double, single, bare = match.groups("")
        found.setdefault(name.lower(), unescape(double or single or bare))
    return found
