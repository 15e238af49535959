"""A scanner of XML that is often not well-formed.

Parsers of XML that recover from errors (libxml2) lose all that follows an attribute without quotes,
a second root or a stray end tag. This one goes on. It declares no entities, loads nothing and keeps
no tree: time is linear in the length of the text, and memory is bounded.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from html.entities import html5
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from crawler.core.listings.entries import Collector

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
# Prefixes and attributes beyond these numbers are not read; roots that declare everything have some
# forty.
_MAX_PREFIXES = 64
_MAX_ATTRIBUTES = 256
# Vocabularies by a part of their namespace, since sites write namespaces in many wrong ways; and by
# the usual prefixes, since sites forget to declare them.
_VOCABULARIES = {
    "sitemap-news": "news", "sitemap-image": "image", "sitemap-video": "video",
    "2005/atom": "atom", "purl.org/atom": "atom", "purl.org/dc/": "dc",
}  # fmt: skip
_PREFIXES = {
    "news": "news", "n": "news", "image": "image", "video": "video", "atom": "atom",
    "atom10": "atom", "a10": "atom", "dc": "dc", "dcterms": "dc",
}  # fmt: skip


@dataclass(slots=True)
class Node:
    """An open element.

    Attributes:
        space: its vocabulary (``news``, ``atom``, ``dc``, …); empty for the document's own,
            ``other`` for an unknown one.
        name: its local name in lower case.
    """

    space: str
    name: str
    attributes: Mapping[str, str]


class Scanner:
    """Reads one document. A subclass reads one format.

    Args:
        collector: takes the entries and the problems.

    Attributes:
        open: the open elements, outermost first.
        record: the open element of the entry that is read; None outside of entries.
        fields: the texts of that entry by the names of their elements.
    """

    records: ClassVar[frozenset[str]] = frozenset()
    """Names of elements that are never inside one another."""

    def __init__(self, collector: Collector) -> None:
        self.collector = collector
        self.problems = collector.problems
        self.open: list[Node] = []
        self.record: Node | None = None
        self.fields: dict[str, str] = {}
        self._names: Counter[str] = Counter()
        self._namespaces: dict[str, str] = {}
        self._root: tuple[str, str] | None = None
        self._taking: Node | None = None
        self._pieces: list[str] = []
        self._has_text = False

    def start(self, node: Node) -> bool:
        """Read the start of an element: begin an entry, or tell whether its text is wanted.

        Of an element that is not closed the text ends at the next element.
        """
        raise NotImplementedError

    def keep(self, node: Node, text: str) -> None:
        """Take the text of an element that :meth:`start` wanted."""
        self.fields.setdefault(node.name, text)

    def candidates(self) -> list[tuple[str, str]]:
        """Return the addresses the entry may have, best first, with what each is relative to."""
        raise NotImplementedError

    def add(self, url: str) -> None:
        """Add the entry that ends, by its address."""
        raise NotImplementedError

    def scan(self, text: str, start: int) -> None:
        """Read a document, from the offset of its root element."""
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
                    self.problems.add("tag-stray")
            elif kind == "cdata_end" and self._taking is not None:
                self._take(token["cdata"])
        if self._taking is not None or any(self._names[name] for name in self.records):
            self.problems.add("cut-off")
        else:
            self.problems.add("tag-unclosed", len(self.open))
        while self.open:
            self._pop(cut=True)

    def _start(self, qualified: str, rest: str) -> None:
        name = local_name(qualified)
        attributes = _attributes(rest) if "=" in rest else {}
        if self._taking is not None and self._has_text:
            self.problems.add("tag-unclosed")
            self._pop_to(self._taking.name)
        if name in self.records and self._names[name] and self._taking is None:
            self.problems.add("tag-unclosed")
            self._pop_to(name)
        if len(self.open) >= MAX_NESTED:
            self.problems.add("nested-deeply")
            return
        node = Node(self._space(qualified, attributes), name, attributes)
        if self.start(node) and self._taking is None:
            self._taking = node
        self.open.append(node)
        self._names[name] += 1
        if rest.endswith("/"):
            self._pop()

    def _pop_to(self, name: str) -> None:
        while self.open[-1].name != name:
            self.problems.add("tag-unclosed")
            self._pop()
        self._pop()

    def _pop(self, *, cut: bool = False) -> None:
        node = self.open.pop()
        self._names[node.name] -= 1
        if not self._names[node.name]:
            del self._names[node.name]
        text = ""
        if node is self._taking:
            text = "".join(self._pieces)
            self._pieces.clear()
            self._has_text = False
            self._taking = None
        if node is self.record:
            found = self.candidates()
            # An entry that is cut off before its address is none.
            is_whole = (found or not cut) and not self.collector.is_full()
            if is_whole and (url := self.collector.address(*found)):
                self.add(url)
            self.record = None
        elif text and not cut:
            self.keep(node, text)

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
        self.problems.add("raw-ampersand", text.count("&") - known)
        return unescape(text)

    def _space(self, qualified: str, attributes: Mapping[str, str]) -> str:
        """Return the vocabulary of an element, and note the namespaces that it declares.

        A prefix has one meaning in a document. Elements without a prefix are the document's own.
        """
        for name, value in attributes.items():
            declared, _, prefix = name.partition(":")
            if declared == "xmlns" and len(self._namespaces) < _MAX_PREFIXES:
                self._namespaces[prefix] = value.strip().lower()
        prefix = qualified.rpartition(":")[0].lower()
        namespace = self._namespaces.get(prefix, "")
        if self._root is None:
            self._root = prefix, namespace
        if prefix in ("", self._root[0]) or (namespace and namespace == self._root[1]):
            return ""
        return _vocabulary(namespace) or _PREFIXES.get(prefix, "other")


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


@lru_cache(maxsize=1024)
def _vocabulary(namespace: str) -> str:
    return next((name for part, name in _VOCABULARIES.items() if part in namespace), "")
