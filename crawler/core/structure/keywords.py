"""Which elements the words of a text name, by the tokens of a model.

Words are compared as a reader compares them: case, width, points and apostrophes do not count
(``Ph.D.`` is ``PHD``), nor a plural's s; a long word may have one letter too few, too many or
wrong. A token in two to four capitals, as ``MA``, asks for capitals, since it is another word
without. In scripts that put words together, Han, Kana and Hangul, a token counts anywhere in a
word.

A token with a colon at its end, as ``email:``, is the word of a label. An element that has such
tokens is named by labels with one of them, and by no other label; one that has none, by any.
"""

# ruff: noqa: RUF001 - dashes, quotation marks and colons as people type them

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawler.core.structure.model import Model

_WORD: Final = re.compile(r"[^\s,;:()\[\]{}<>\"“”„«»·•|…!?=]++")
_INNER: Final = re.compile(r"[^/\-–—&~]++")
_EDGES: Final = "'’‘`.*_-–—~/&"
_MOST_WORDS: Final = 5
_COLON: Final = ":"
_WORD_CHARS: Final = 60
_FUZZY_FROM: Final = 8
_PLURAL_FROM: Final = 5
_CAPITALS: Final = range(2, 5)
_JOINED: Final = re.compile("[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af]")
_JOINED_CHARS: Final = 12


@dataclass(frozen=True, slots=True)
class Hit:
    """Words that name elements.

    ``start``, ``end``
        Offsets in the text.
    ``elements``
        The elements that have this token, in the order of the model.
    """

    start: int
    end: int
    elements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Word:
    folded: str
    start: int
    end: int
    capitals: bool


class Keywords:
    """The tokens of a model, ready to be looked up.

    Args:
        model: the model.
        fuzzy: whether plurals and words with one letter wrong count, and parts of joined words.
    """

    def __init__(self, model: Model, *, fuzzy: bool = True) -> None:
        self._fuzzy = fuzzy
        # The values are elements in the order of the model, without repetition.
        self._tokens: defaultdict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
        self._capitals: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._labels: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
        # Words and shortened words, with the word of a token that they are near to.
        self._near: dict[str, str] = {}
        for rule in model.rules:
            for token in rule.tokens:
                self._add(token, rule.element)
        self._longest = max(map(len, self._tokens), default=1)

    def _add(self, token: str, element: str) -> None:
        plain = token.rstrip(_COLON) or token
        # A mark alone, as "@", is looked for in words.
        words = tuple(folded for word in plain.split("_") if (folded := _folded(word)))
        words = words[:_MOST_WORDS] or (token.casefold(),)
        if len(words) == 1 and token.isalpha() and token.isupper() and len(token) in _CAPITALS:
            self._capitals[words[0]][element] = None
            return
        if token.endswith(_COLON) and len(token) > 1:
            self._labels[element].add(words)
        self._tokens[words][element] = None
        if self._fuzzy and len(words) == 1 and len(words[0]) >= _FUZZY_FROM and words[0].isalpha():
            for near in (words[0], *_shortened(words[0])):
                self._near.setdefault(near, words[0])

    def hits(self, text: str) -> list[Hit]:
        """Return the words that name elements, left to right, the longest at each place."""
        words = list(_words(text))
        found: list[Hit] = []
        at = 0
        while at < len(words):
            for length in range(min(self._longest, len(words) - at), 0, -1):
                run = words[at : at + length]
                if elements := self._elements(run):
                    found.append(Hit(run[0].start, run[-1].end, elements))
                    at += length
                    break
            else:
                found += self._within(words[at], text)
                at += 1
        return found

    def may_label(self, text: str, element: str) -> bool:
        """Tell whether a label, with its colon or without, may be one of an element's values."""
        labels = self._labels.get(element)
        words = tuple(word.folded for word in _words(text.rstrip(" :：")))
        return labels is None or words in labels

    def whole(self, text: str) -> tuple[str, ...]:
        """Return the elements that a text names with all of its words; empty for none."""
        words = list(_words(text))
        return self._elements(words) if 0 < len(words) <= self._longest else ()

    def _elements(self, run: Sequence[_Word]) -> tuple[str, ...]:
        key = tuple(word.folded for word in run)
        found = dict(self._tokens.get(key, {}))
        if len(run) == 1 and run[0].capitals:
            found.update(self._capitals.get(key[0], {}))
        if not found and self._fuzzy:
            if len(run) == 1:
                key = (self._nearest(key[0]),)
            elif key[-1].endswith("s"):
                key = (*key[:-1], key[-1][:-1])
            found = self._tokens.get(key, {})
        return tuple(found)

    def _nearest(self, word: str) -> str:
        """Return the word of a token that a word is near to; empty if there is none."""
        if len(word) >= _PLURAL_FROM and word.endswith("s") and (word[:-1],) in self._tokens:
            return word[:-1]
        if len(word) < _FUZZY_FROM - 1 or not word.isalpha():
            return ""
        if word in self._near:  # a letter too few
            return self._near[word]
        for shorter in _shortened(word):  # one too many, or a wrong one
            near = self._near.get(shorter, "")
            if near and abs(len(near) - len(word)) <= 1:
                return near
        return ""

    def _within(self, word: _Word, text: str) -> Iterator[Hit]:
        """Look into a word: its parts between dashes and slashes, and tokens of joined scripts."""
        source = text[word.start : word.end]
        if "@" in source and ("@",) in self._tokens:
            yield Hit(word.start, word.end, tuple(self._tokens["@",]))
        elif self._fuzzy and _JOINED.search(source):
            yield from self._joined(word.start, source)
        elif self._fuzzy and len(parts := list(_INNER.finditer(source))) > 1:
            for part in parts:
                start, end = word.start + part.start(), word.start + part.end()
                piece = _Word(_folded(part[0]), start, end, part[0].isupper())
                if piece.folded and (elements := self._elements([piece])):
                    yield Hit(start, end, elements)

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


def _words(text: str) -> Iterator[_Word]:
    for match in _WORD.finditer(text):
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


def _shortened(word: str) -> Iterator[str]:
    """Yield a word without each of its letters in turn."""
    return (word[:place] + word[place + 1 :] for place in range(len(word)))
