"""Step 2, element identification: lines cut into tokens, and which element each token is.

The paper cuts at ``; , :`` and looks up keywords. Beyond that: patterns go first, so that no date
is cut; bars, dots, brackets and dashes between blanks cut too; a label before a colon says what the
values behind it are; of several elements in one token the head of the phrase wins; and prose is
not cut.

Words are compared without case, width, points, apostrophes (``Ph.D.`` is ``PHD``) and a plural's s.
A token in two to four capitals, as ``MA``, matches capitals only. In Han, Kana and Hangul, a token
counts anywhere in a word. A token with a colon at its end, as ``email:``, is the word of a label.
An element that has such tokens is named by labels with one of them only; one that has none, by any.
"""

# ruff: noqa: RUF001 - dashes, quotation marks and colons as people type them

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Final, NamedTuple

from crawler.core.structure.model import TEXT, Model
from crawler.core.structure.tree import Node

_WORD: Final = re.compile(r"[^\s,;:()\[\]{}<>\"“”„«»·•|…!?=]++")
_INNER: Final = re.compile(r"[^/\-–—&~]++")
_EDGES: Final = "'’‘`.*_-–—~/&"
_MOST_WORDS: Final = 5
_WORD_CHARS: Final = 60
_PLURAL_FROM: Final = 5
_CAPITALS: Final = range(2, 5)
_JOINED: Final = re.compile("[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af]")
_JOINED_CHARS: Final = 12
# A longer text is prose, in which a date is no element of its own.
_PATTERN_CHARS: Final = 400
_SEPARATOR: Final = re.compile(
    r"(?<![;,:、，；：])[;,:、，；：]++(?=\s|$)|(?<=[、，；：])|\t|\s[|/·•‣∙~–—-]+\s|[|•‣]|(?<=[)\]）])|(?=[(\[（])"
)
# Behind these the head of a phrase is first: "University of …", "professor in …".
_JOINERS: Final = frozenset(
    ("of", "for", "in", "at", "the", "of the", "in the", "at the", "for the", "de", "de la", "du",
     "des", "der", "für", "von", "di", "do", "da", "del", "&", "and", "und", "et", "y")
)  # fmt: skip
_LABEL_WORDS: Final = 4
# No line that is a list is longer.
_LINE_CHARS: Final = 4_000
_TOKEN_WORDS: Final = 10
_LISTED_WORDS: Final = 3
_PROSE_WORDS: Final = 12
_PROSE_PER_TOKEN: Final = 7
_COLONS: Final = (":", "：")
_STOPS: Final = (".", "!", "?", "。")


class Hit(NamedTuple):
    """Words from ``start`` to ``end`` of a text, and the elements that have this token."""

    start: int
    end: int
    elements: tuple[str, ...]


class _Word(NamedTuple):
    folded: str
    start: int
    end: int
    capitals: bool


def _words(
    text: str, pattern: re.Pattern[str] = _WORD, start: int = 0, end: int | None = None
) -> Iterator[_Word]:
    for match in pattern.finditer(text, start, len(text) if end is None else end):
        source = match[0]
        # What is longer than any word means nothing as a whole, but its letters may be joined.
        folded = _folded(source) if len(source) <= _WORD_CHARS else source
        if folded:
            yield _Word(folded, match.start(), match.end(), source.strip(_EDGES).isupper())


@lru_cache(maxsize=1 << 14)
def _folded(word: str) -> str:
    """Reduce a word to what a reader compares."""
    word = unicodedata.normalize("NFKC", word).casefold().strip(_EDGES)
    word = word.removesuffix("'s").removesuffix("’s")
    return word.replace(".", "").replace("'", "").replace("’", "")


class Tokens:
    """Finds the words of a model in texts, and cuts lines by them.

    Args:
        model: the model.
        fuzzy: whether plurals count, and parts of joined words.
    """

    def __init__(self, model: Model, *, fuzzy: bool = True) -> None:
        self._model = model
        self._fuzzy = fuzzy
        # The values are elements in the order of the model, without repetition.
        self._tokens: defaultdict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
        self._capitals: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._labels: defaultdict[str | None, set[tuple[str, ...]]] = defaultdict(set)
        for rule in model.rules:
            for token in rule.tokens:
                self._add(token, rule.element)
        self._longest = max(map(len, self._tokens), default=1)

    def _add(self, token: str, element: str) -> None:
        plain = token.rstrip(":") or token
        # A mark alone, as "@", is looked for in words.
        words = tuple(folded for word in plain.split("_") if (folded := _folded(word)))
        words = words[:_MOST_WORDS] or (token.casefold(),)
        if len(words) == 1 and token.isalpha() and token.isupper() and len(token) in _CAPITALS:
            self._capitals[words[0]][element] = None
            return
        if token.endswith(":") and len(token) > 1:
            self._labels[element].add(words)
        self._tokens[words][element] = None

    def hits(self, text: str) -> list[Hit]:
        """Return the words that name elements, left to right, the longest at each place."""
        words = list(_words(text))
        found: list[Hit] = []
        at = 0
        while at < len(words):
            for length in range(min(self._longest, len(words) - at), 0, -1):
                if elements := self._elements(words[at : at + length]):
                    found.append(Hit(words[at].start, words[at + length - 1].end, elements))
                    at += length
                    break
            else:
                found += self._within(words[at], text)
                at += 1
        return found

    def whole(self, text: str) -> tuple[str, ...]:
        """Return the elements that a text names with all of its words; empty for none."""
        words = list(_words(text))
        return self._elements(words) if 0 < len(words) <= self._longest else ()

    def _elements(self, run: Sequence[_Word]) -> tuple[str, ...]:
        key = tuple(word.folded for word in run)
        found = dict(self._tokens.get(key, {}))
        if len(run) == 1 and run[0].capitals:
            found.update(self._capitals.get(key[0], {}))
        is_long = len(key) > 1 or len(key[-1]) >= _PLURAL_FROM
        if not found and self._fuzzy and is_long and key[-1].endswith("s"):
            found = self._tokens.get((*key[:-1], key[-1][:-1]), {})
        return tuple(found)

    def _within(self, word: _Word, text: str) -> Iterator[Hit]:
        """Look into a word: its parts between dashes and slashes, and tokens of joined scripts."""
        source = text[word.start : word.end]
        if "@" in source and ("@",) in self._tokens:
            yield Hit(word.start, word.end, tuple(self._tokens["@",]))
        elif self._fuzzy and _JOINED.search(source):
            yield from self._joined(word.start, source)
        elif self._fuzzy and len(parts := list(_words(text, _INNER, word.start, word.end))) > 1:
            for part in parts:
                if elements := self._elements([part]):
                    yield Hit(part.start, part.end, elements)

    def _joined(self, start: int, source: str) -> Iterator[Hit]:
        at = 0
        while at < len(source):
            for length in range(min(_JOINED_CHARS, len(source) - at), 1, -1):
                piece = unicodedata.normalize("NFKC", source[at : at + length]).casefold()
                if elements := self._tokens.get((piece,)):
                    yield Hit(start + at, start + at + length, tuple(elements))
                    at += length
                    break
            else:
                at += 1

    def cut(self, text: str, context: str, label: str | None = None) -> list[Node]:
        """Return the tokens of a line, in order: elements and ``TEXT``.

        Args:
            text: the line.
            context: the element that it is under: only what that may hold is looked for.
            label: the element that a label before the line names, if any.
        """
        if self._is_prose(text):
            return [Node(label, text)] if label else self._dated(text, context)
        nodes = self._pieces(text, context)
        if label:
            return self._labelled(nodes, label, context)
        first = nodes[0].text.strip() if len(nodes) > 1 else ""
        if first.endswith(_COLONS) and len(first.split()) <= _LABEL_WORDS:
            label = self.labelled(first, context)
        if label:
            return [Node(TEXT, first), *self._labelled(nodes[1:], label, context)]
        return _without_marks(_merged(nodes))

    def element(self, text: str, context: str, *, deep: bool = True) -> str | None:
        """Return the element that a token is; None if it is none.

        Args:
            text: the token.
            context: the element that it is under.
            deep: whether elements farther below the context count too.
        """
        found = self._head(text, self._model.children(context))
        return self._head(text, self._model.below(context)) if found is None and deep else found

    def labelled(self, label: str, context: str) -> str | None:
        """Return the element that the values behind a label are; None if it names none."""
        name = self.element(label, context, deep=False)
        words = tuple(word.folded for word in _words(label.rstrip(" :：")))
        return name if name not in self._labels or words in self._labels[name] else None

    def part(self, text: str, root: str, parts: frozenset[str], *, strictly: bool) -> str | None:
        """Return the part of the document that a heading names; None if it names none.

        Args:
            text: the heading.
            root: the root of the model.
            parts: the elements that are parts.
            strictly: whether the heading has to have no other words.
        """
        if not strictly:
            # "Education officer" names no part: the head of the phrase is another element.
            head = self._head(text, parts | self._model.below(root))
            if head in parts:
                return head
        return next((name for name in self.whole(text) if name in parts), None)

    def patterned(self, text: str, context: str) -> str | None:
        """Return the element whose pattern matches a whole text."""
        inner, allowed = text.strip(" ,;:()[]."), self._model.children(context)
        patterns = ((name, each) for name, each in self._model.patterns if name in allowed)
        return next((name for name, each in patterns if each.fullmatch(inner)), None)

    def _head(self, text: str, allowed: frozenset[str]) -> str | None:
        if len(text.split()) > _TOKEN_WORDS:
            return None
        head: str | None = None
        end = 0
        for hit in self.hits(text):
            name = next((name for name in hit.elements if name in allowed), None)
            if name is None:
                continue
            if head is None or not self._qualifies(name, head, text[end : hit.start]):
                head = name
            end = hit.end
        return head

    def _qualifies(self, name: str, head: str, between: str) -> bool:
        """Tell whether an element qualifies the one before it, and is not the head itself.

        It does behind "of" and the like; and if the other may hold it, and it holds nothing, as
        the city in "Universität Leipzig".
        """
        if between.strip().casefold() in _JOINERS:
            return True
        return not self._model.children(name) and name in self._model.children(head)

    def _pieces(self, text: str, context: str) -> list[Node]:
        allowed = self._model.children(context)
        nodes: list[Node] = []
        for piece in _cut_by_patterns(text, self._model, allowed):
            if piece.name != TEXT:
                nodes.append(piece)
                continue
            at = 0
            for end in (*(found.end() for found in _SEPARATOR.finditer(piece.text)), None):
                token = piece.text[at:end]
                if token.strip():
                    nodes.append(Node(self._head(token, allowed) or TEXT, token))
                at = end or 0
        return nodes

    def _dated(self, text: str, context: str) -> list[Node]:
        """Cut from prose the text behind its last comma, if a pattern matches all of it."""
        before, comma, last = text.rpartition(",")
        name = self.patterned(last, context) if comma else None
        dated = [Node(TEXT, before + comma), Node(name or TEXT, last.strip())]
        return [Node(TEXT, text)] if name is None else dated

    def _labelled(self, nodes: Sequence[Node], label: str, context: str) -> list[Node]:
        """Name values by their label: each of a list of short ones, else the whole."""
        named = [node for node in nodes if node.name not in (TEXT, label)]
        listed = self._model.may_repeat(context, label) and all(
            len(node.text.split()) <= _LISTED_WORDS for node in nodes
        )
        if not named and not listed:
            return [Node(label, " ".join("".join(node.text for node in nodes).split()))]
        return [
            Node(label, node.text) if node.name == TEXT else node for node in _without_marks(nodes)
        ]

    def _is_prose(self, text: str) -> bool:
        if len(text) > _LINE_CHARS:
            return True
        words = len(text.split())
        if words <= _PROSE_WORDS:
            return False
        tokens = len(_SEPARATOR.findall(text)) + 1
        ends = text.rstrip().endswith(_STOPS)
        return words / tokens > (_PROSE_PER_TOKEN - 2 if ends else _PROSE_PER_TOKEN)


def _merged(nodes: Sequence[Node]) -> Iterator[Node]:
    """Join neighbouring texts that are no element."""
    for is_text, run in groupby(nodes, key=lambda node: node.name == TEXT):
        same = list(run)
        yield from [Node(TEXT, "".join(node.text for node in same))] if is_text else same


def _without_marks(nodes: Iterable[Node]) -> list[Node]:
    """Fold space, and join pieces that are marks alone to the piece before, or else behind."""
    kept: list[Node] = []
    waiting = ""
    for node in nodes:
        if any(map(str.isalnum, node.text)):
            kept.append(Node(node.name, waiting + node.text))
            waiting = ""
        elif kept:
            kept[-1].text += node.text
        else:
            waiting += node.text
    if waiting:
        kept.append(Node(TEXT, waiting))
    for node in kept:
        node.text = " ".join(node.text.split())
    return [node for node in kept if node.text]


def _cut_by_patterns(text: str, model: Model, allowed: frozenset[str]) -> list[Node]:
    """Cut a text where patterns match, earlier patterns first; nothing of it is lost."""
    pieces = [Node(TEXT, text)]
    if len(text) > _PATTERN_CHARS:
        return pieces
    for name, pattern in model.patterns:
        if name not in allowed:
            continue
        done: list[Node] = []
        for piece in pieces:
            at = 0
            for found in pattern.finditer(piece.text) if piece.name == TEXT else ():
                done += [Node(TEXT, piece.text[at : found.start()]), Node(name, found[0])]
                at = found.end()
            done.append(Node(piece.name, piece.text[at:]))
        pieces = [piece for piece in done if piece.text]
    return pieces


def apply_patterns(root: Node, model: Model) -> None:
    """Step 4: find patterns in text that no keyword names, where the model allows them."""
    for node in list(root.walk()):
        allowed = model.children(node.name) if node.is_element else frozenset(model.names)
        children: list[Node] = []
        for child in node.children:
            is_text = child.name == TEXT
            pieces = _cut_by_patterns(child.text, model, allowed) if is_text else ()
            children += _without_marks(pieces) if is_text else [child]
        node.children = children
