"""A scanner of XML that is rarely well-formed: elements and text, one after the other.

It declares no entities, loads nothing, keeps no tree, and reads on after whatever is wrong: time
goes with the length of the text, and memory does not, however hostile that is.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import lru_cache
from html.entities import html5
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from crawler.core.listings.model import MAX_NESTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crawler.core.listings.model import Problems

__all__ = ["TOKEN", "Handler", "Node", "Scanner", "Take", "local_name", "unescape"]

# Each alternative either matches what it began or is refused within the same tag, and what is left
# open ends with the text: no two attempts look at the same stretch.
TOKEN = re.compile(
    r"""<(?:
      !--.*?(?P<comment>-->|\Z)
    | !\[CDATA\[(?P<cdata>.*?)(?P<cdata_end>\]\]>|\Z)
    | \?.*?(?:\?>|\Z)
    | !(?P<doctype>[A-Za-z]+)[^\[<>]*+(?:>|\[.*?(?:\]\s*+>|\Z))
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
_LAST_CHARACTER = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)
# Prefixes beyond this number in force at once are not known; each element that adds one copies all.
_MAX_PREFIXES = 64
# Attributes beyond this number are not read; roots that declare everything have some forty.
_MAX_ATTRIBUTES = 256
# Vocabularies by a part of their namespace, which sites write in many wrong ways.
_VOCABULARIES = (
    ("sitemap-news", "news"),
    ("sitemap-image", "image"),
    ("sitemap-video", "video"),
    ("sitemap-mobile", "mobile"),
    ("xhtml", "xhtml"),
    ("2005/atom", "atom"),
    ("purl.org/atom", "atom"),
    ("purl.org/dc/", "dc"),
    ("feedburner", "feedburner"),
    ("mrss", "media"),
    ("rss/1.0/modules/", "module"),
)
_PREFIXES = {
    "atom": "atom", "atom10": "atom", "a10": "atom", "dc": "dc", "dcterms": "dc",
    "feedburner": "feedburner", "image": "image", "media": "media", "news": "news", "n": "news",
    "video": "video", "xhtml": "xhtml", "xml": "xml",
}  # fmt: skip
_OTHER = "other"


class Take(Enum):
    """What a handler wants of an element's text."""

    NOTHING = auto()
    ALL = auto()
    """The text of the element and of those within."""
    LEAF = auto()
    """The text up to the next element: one that was not closed ends there."""


@dataclass(slots=True)
class Node:
    """An open element.

    ``space`` names its vocabulary (``news``, ``atom``, ``dc`` …): empty for the document's own,
    ``other`` for one that is not known. ``name`` is its local name in lower case.
    """

    space: str
    name: str
    attributes: Mapping[str, str]
    prefixes: Mapping[str, str]
    take: Take = Take.NOTHING


class Handler(Protocol):
    """What is done with elements; ``records`` names those that never stand in one another."""

    records: frozenset[str]

    def start(self, node: Node, parents: list[Node]) -> Take:
        """Meet the start of an element; ``parents`` are the open ones, outermost first."""
        ...

    def end(self, node: Node, parents: list[Node], text: str, *, cut: bool) -> None:
        """Meet its end with the text asked for; ``cut`` where the document ended within it."""
        ...


@dataclass(slots=True)
class Scanner:
    """Reads one document and tells a handler of it."""

    handler: Handler
    problems: Problems
    _open: list[Node] = field(default_factory=list)
    _names: Counter[str] = field(default_factory=Counter)
    _own_prefix: str | None = None
    _own_space: str = ""
    _taking: Node | None = None
    _pieces: list[str] = field(default_factory=list)
    _has_text: bool = False

    def scan(self, text: str, start: int = 0) -> None:
        """Read a document from the start of its root element."""
        last = start
        for token in TOKEN.finditer(text, start):
            if self._taking is not None and token.start() > last:
                self._add_text(self._unescape(text[last : token.start()]))
            last = token.end()
            kind = token.lastgroup
            if kind in {"attributes", "loose"}:
                self._start(token["start"], token[kind])
            elif kind == "end":
                self._end(local_name(token["end"]))
            elif kind == "cdata_end" and self._taking is not None:
                self._add_text(token["cdata"])
        if self._taking is not None or any(self._names[name] for name in self.handler.records):
            self.problems.add("cut-off")
        else:
            self.problems.add("tag-unclosed", len(self._open))
        while self._open:
            self._pop(cut=True)

    def _start(self, qualified: str, rest: str) -> None:
        closed = rest.endswith("/")
        attributes = _attributes(rest) if "=" in rest else _NO_ATTRIBUTES
        if (taking := self._taking) is not None and taking.take is Take.LEAF and self._has_text:
            self.problems.add("tag-unclosed")
            self._pop_to(taking.name)
        name = local_name(qualified)
        if name in self.handler.records and self._names[name] and self._taking is None:
            self.problems.add("tag-unclosed")
            self._pop_to(name)
        if len(self._open) >= MAX_NESTED:
            self.problems.add("nested-deeply")
            return
        parent = self._open[-1].prefixes if self._open else _NO_ATTRIBUTES
        prefixes = _declared(attributes, parent) if attributes else parent
        node = Node(self._space(qualified, prefixes), name, attributes, prefixes)
        node.take = self.handler.start(node, self._open)
        if self._taking is None and node.take is not Take.NOTHING:
            self._taking = node
        self._open.append(node)
        self._names[name] += 1
        if closed:
            self._pop()

    def _end(self, name: str) -> None:
        if not self._names[name]:
            self.problems.add("tag-stray")
            return
        self._pop_to(name)

    def _pop_to(self, name: str) -> None:
        while self._open[-1].name != name:
            self.problems.add("tag-unclosed")
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
        self.handler.end(node, self._open, text, cut=cut)

    def _add_text(self, text: str) -> None:
        self._pieces.append(text)
        self._has_text = self._has_text or bool(text.strip())

    def _unescape(self, text: str) -> str:
        if "&" not in text:
            return text
        self.problems.add("raw-ampersand", text.count("&") - _references(text))
        return unescape(text)

    def _space(self, qualified: str, prefixes: Mapping[str, str]) -> str:
        prefix = qualified.rpartition(":")[0].lower() if ":" in qualified else ""
        space = prefixes.get(prefix, "")
        if self._own_prefix is None:
            self._own_prefix, self._own_space = prefix, space
        if space and space == self._own_space:
            return ""
        known = _vocabulary(space) if space else ""
        if not known and prefix != self._own_prefix:
            known = _PREFIXES.get(prefix, _OTHER) if prefix else ""
        return known


_NO_ATTRIBUTES: Mapping[str, str] = {}


def local_name(qualified: str) -> str:
    """Return a name without its prefix, in lower case."""
    return qualified.rpartition(":")[2].lower()


def unescape(text: str) -> str:
    """Replace references to characters once, by number or by a name that HTML knows.

    A reference ends with a semicolon: ``?a=1&copy=2`` stays as it is.
    """
    return _REFERENCE.sub(_character, text)


def _references(text: str) -> int:
    """Count the references in a text to characters that there are."""
    return sum(1 for match in _REFERENCE.finditer(text) if not match[3] or f"{match[3]};" in html5)


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
    for name, double, single, bare in _attribute_values(rest):
        value = double or single or bare
        found.setdefault(name.lower(), unescape(value) if "&" in value else value)
    return found


def _attribute_values(rest: str) -> Iterator[tuple[str, str, str, str]]:
    for match in islice(_ATTRIBUTE.finditer(rest), _MAX_ATTRIBUTES):
        name, double, single, bare = match.groups("")
        yield name, double, single, bare


def _declared(attributes: Mapping[str, str], prefixes: Mapping[str, str]) -> Mapping[str, str]:
    """Add the prefixes that an element declares to those in force."""
    declared = {
        name[6:]: value.strip().lower()
        for name, value in attributes.items()
        if name == "xmlns" or name.startswith("xmlns:")
    }
    if not declared or len(prefixes) + len(declared) > _MAX_PREFIXES:
        return prefixes
    return {**prefixes, **declared}


@lru_cache(maxsize=1024)
def _vocabulary(space: str) -> str:
    return next((name for part, name in _VOCABULARIES if part in space), "")
