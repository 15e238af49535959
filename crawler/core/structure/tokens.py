"""Step 2, element identification: lines cut into tokens, and which element each token is.

The paper cuts at ``; , :`` and looks up keywords. Beyond that: patterns go first, so that no date
is cut; bars, dots, brackets and dashes between blanks cut too; a label before a colon says what the
values behind it are; of several elements in one token the head of the phrase wins; and prose is
not cut.
"""

# ruff: noqa: RUF001 - dashes and colons as people type them

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from crawler.core.structure.keywords import Keywords
from crawler.core.structure.model import TEXT
from crawler.core.structure.tree import Node

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawler.core.structure.model import Model

# A longer text is prose, in which a date is no element of its own.
_PATTERN_CHARS: Final = 400
_SEPARATOR: Final = re.compile(
    r"[;,:、，；：]+(?=\s|$)|(?<=[、，；：])|\t|\s[|/·•‣∙~–—-]+\s|[|•‣]|(?<=[)\]）])|(?=[(\[（])"
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


class Tokens:
    """Cuts lines by a model.

    Args:
        model: the model.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._keywords = Keywords(model)
        self._patterns: dict[str, list[tuple[str, re.Pattern[str]]]] = {}

    def cut(self, text: str, context: str, label: str | None = None) -> list[Node]:
        """Return the tokens of a line, in order: elements and ``TEXT``.

        Args:
            text: the line.
            context: the element that it is under: only what that may hold is looked for.
            label: the element that a label before the line names, if any.
        """
        if self._is_prose(text):
            return [Node(label, text)] if label else self._dated(text, context)
        nodes = self._tokens(text, context)
        if label:
            return self._labelled(nodes, label, context)
        if (name := self._behind_label(nodes, context)) is not None:
            first = Node(TEXT, nodes[0].text.strip())
            return [first, *self._labelled(nodes[1:], name, context)]
        return _without_marks(_merged(nodes))

    def element(self, text: str, context: str, *, deep: bool = True) -> str | None:
        """Return the element that a token is, in a context; None if it is none.

        Args:
            text: the token.
            context: the element that it is under.
            deep: whether elements farther below the context count too.
        """
        found = self._head(text, self._model.children(context))
        if found is None and deep:
            found = self._head(text, self._model.below(context))
        return found

    def labelled(self, label: str, context: str) -> str | None:
        """Return the element that the values behind a label are; None if it names none."""
        name = self.element(label, context, deep=False)
        return name if name is not None and self._keywords.may_label(label, name) else None

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
        return next((name for name in self._keywords.whole(text) if name in parts), None)

    def named(self, text: str) -> tuple[str, ...]:
        """Return the elements that a text names with all of its words."""
        return self._keywords.whole(text)

    def patterned(self, text: str, context: str) -> str | None:
        """Return the element whose pattern matches a whole text."""
        inner = text.strip(" ,;:()[].")
        found = self._patterns_of(context)
        return next((name for name, pattern in found if pattern.fullmatch(inner)), None)

    def _head(self, text: str, allowed: frozenset[str]) -> str | None:
        if len(text.split()) > _TOKEN_WORDS:
            return None
        head: str | None = None
        end = 0
        for hit in self._keywords.hits(text):
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

    def _patterns_of(self, context: str) -> list[tuple[str, re.Pattern[str]]]:
        if context not in self._patterns:
            self._patterns[context] = _patterns(self._model, self._model.children(context))
        return self._patterns[context]

    def _tokens(self, text: str, context: str) -> list[Node]:
        allowed = self._model.children(context)
        nodes: list[Node] = []
        for piece in _cut_by_patterns(text, self._patterns_of(context)):
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
        if name is None:
            return [Node(TEXT, text)]
        return [Node(TEXT, before + comma), Node(name, last.strip())]

    def _behind_label(self, nodes: Sequence[Node], context: str) -> str | None:
        """Return the element of the values in a line "label: values"; None for any other line."""
        if len(nodes) < 2 or not nodes[0].text.rstrip().endswith(_COLONS):  # noqa: PLR2004 - label and value
            return None
        label = nodes[0].text.strip()
        return self.labelled(label, context) if len(label.split()) <= _LABEL_WORDS else None

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


def _merged(nodes: Sequence[Node]) -> list[Node]:
    """Join neighbouring texts that are no element."""
    merged: list[Node] = []
    for node in nodes:
        if merged and node.name == TEXT and merged[-1].name == TEXT:
            merged[-1] = Node(TEXT, merged[-1].text + node.text)
        else:
            merged.append(node)
    return merged


def _without_marks(nodes: Sequence[Node]) -> list[Node]:
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


def _patterns(model: Model, names: frozenset[str]) -> list[tuple[str, re.Pattern[str]]]:
    return [
        (rule.element, rule.pattern)
        for rule in model.rules
        if rule.pattern is not None and rule.element in names
    ]


def _cut_by_patterns(text: str, patterns: Sequence[tuple[str, re.Pattern[str]]]) -> list[Node]:
    """Cut a text where patterns match, earlier patterns first; nothing of it is lost."""
    pieces = [Node(TEXT, text)]
    if len(text) > _PATTERN_CHARS:
        return pieces
    for name, pattern in patterns:
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
    known: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for node in list(root.walk()):
        if node.name not in known:
            allowed = model.children(node.name) if node.is_element else frozenset(model.names)
            known[node.name] = _patterns(model, allowed)
        children: list[Node] = []
        for child in node.children:
            if child.name == TEXT:
                children += _without_marks(_cut_by_patterns(child.text, known[node.name]))
            else:
                children.append(child)
        node.children = children
