"""Which elements the words of a text speak of, by the tokens of a model.

Words are compared as a reader takes them: case, width, points and apostrophes do not count
(``Ph.D.`` is ``PHD``), nor a plural's s; a long word may have one letter too few, too many or
wrong. A token in two to four capitals, as ``MA``, asks for capitals, since it is a word of another
meaning without. In scripts that put words together, Han, Kana and Hangul, a token counts wherever
it stands in a word.

A token with a colon at its end, as ``email:``, is what a label says. An element that has such
tokens is named by labels that say one of them, and by no other label; one that has none, by any.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.core.structure.model import Model

__all__ = ["Hit", "Keywords"]

_WORD: Final = re.compile(r"[^\s,;:()\[\]{}<>\"“”„«»·•|…!?=]++")
_INNER: Final = re.compile(r"[^/\-–—&~]++")  # noqa: RUF001 - dashes as people type them
_EDGES: Final = "'’‘`.*_-–—~/&"  # noqa: RUF001 - as above
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
    """Words that speak of elements.

    ``start``, ``end``
        Where in the text.
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
        self._tokens: dict[tuple[str, ...], dict[str, None]] = {}
        self._capitals: dict[str, dict[str, None]] = {}
        self._near: dict[str, str] = {}
        self._labels: dict[str, set[tuple[str, ...]]] = {}
        self._longest = 1
        for rule in model.rules:
            for token in rule.tokens:
                self._add(token, rule.element)

    def _add(self, token: str, element: str) -> None:
        plain = token.rstrip(_COLON) or token
        words = tuple(folded for word in plain.split("_") if (folded := _folded(word)))
        if not words:
            # A mark alone, as "@": it is looked for in words.
            words = (token.casefold(),)
        if len(words) == 1 and token.isalpha() and token.isupper() and len(token) in _CAPITALS:
            self._capitals.setdefault(words[0], {})[element] = None
            return
        words = words[:_MOST_WORDS]
        if token.endswith(_COLON) and len(token) > 1:
            self._labels.setdefault(element, set()).add(words)
        self._tokens.setdefault(words, {})[element] = None
        self._longest = max(self._longest, len(words))
        if self._fuzzy and len(words) == 1 and len(words[0]) >= _FUZZY_FROM and words[0].isalpha():
            self._near.setdefault(words[0], words[0])
            for shorter in _shortened(words[0]):
                self._near.setdefault(shorter, words[0])

    def hits(self, text: str) -> list[Hit]:
        """Return the words that speak of elements, left to right, the longest at each place."""
        words = list(_words(text))
        found: list[Hit] = []
        at = 0
        while at < len(words):
            for length in range(min(self._longest, len(words) - at), 0, -1):
                run = words[at : at + length]
                elements = self._elements(run)
                if elements:
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
        words = list(_words(text.rstrip(" :：")))  # noqa: RUF001 - that of Chinese and Korean
        return labels is None or tuple(word.folded for word in words) in labels

    def whole(self, text: str) -> tuple[str, ...]:
        """Return the elements that a text names with all of its words; empty where it does not."""
        words = list(_words(text))
        if not words or len(words) > self._longest:
            return ()
        return self._elements(words)

    def _elements(self, run: list[_Word]) -> tuple[str, ...]:
        key = tuple(word.folded for word in run)
        found = dict(self._tokens.get(key, {}))
        if len(run) == 1:
            word = run[0]
            if word.capitals:
                found.update(self._capitals.get(word.folded, {}))
            if not found and self._fuzzy:
                near = self._nearest(word.folded)
                found.update(self._tokens.get((near,), {}) if near else {})
        elif not found and self._fuzzy and key[-1].endswith("s"):
            found.update(self._tokens.get((*key[:-1], key[-1][:-1]), {}))
        return tuple(found)

    def _nearest(self, word: str) -> str | None:
        if len(word) >= _PLURAL_FROM and word.endswith("s") and (word[:-1],) in self._tokens:
            return word[:-1]
        if len(word) < _FUZZY_FROM - 1 or not word.isalpha():
            return None
        if word in self._near:  # a letter too few
            return self._near[word]
        for shorter in _shortened(word):  # one too many, or a wrong one
            near = self._near.get(shorter)
            if near is not None and abs(len(near) - len(word)) <= 1:
                return near
        return None

    def _within(self, word: _Word, text: str) -> Iterator[Hit]:
        """Look into a word: its parts between dashes and slashes, and tokens of joined scripts."""
        source = text[word.start : word.end]
        if "@" in source and ("@",) in self._tokens:
            yield Hit(word.start, word.end, tuple(self._tokens["@",]))
            return
        if not self._fuzzy:
            return
        if _JOINED.search(source):
            yield from self._joined(word, source)
            return
        parts = list(_INNER.finditer(source))
        if len(parts) > 1:
            for part in parts:
                start = word.start + part.start()
                piece = _Word(_folded(part[0]), start, start + len(part[0]), part[0].isupper())
                if piece.folded and (elements := self._elements([piece])):
                    yield Hit(piece.start, piece.end, elements)

    def _joined(self, word: _Word, source: str) -> Iterator[Hit]:
        at = 0
        while at < len(source):
            for length in range(min(_JOINED_CHARS, len(source) - at), 1, -1):
                piece = unicodedata.normalize("NFKC", source[at : at + length]).casefold()
                if piece_elements := self._tokens.get((piece,)):
                    start = word.start + at
                    yield Hit(start, start + length, tuple(piece_elements))
                    at += length
                    break
            else:
                at += 1


def _words(text: str) -> Iterator[_Word]:
    for match in _WORD.finditer(text):
        source = match[0]
        # What is longer than any word is taken as one that means nothing, unless letters join.
        folded = _folded(source) if len(source) <= _WORD_CHARS else source
        if folded:
            yield _Word(folded, match.start(), match.end(), source.strip(_EDGES).isupper())


@lru_cache(maxsize=1 << 14)
def _folded(word: str) -> str:
    """Reduce a word to what a reader compares."""
    word = unicodedata.normalize("NFKC", word).casefold().strip(_EDGES)
    for ending in ("'s", "’s"):  # noqa: RUF001 - as people type it
        word = word.removesuffix(ending)
    return word.replace(".", "").replace("'", "").replace("’", "")  # noqa: RUF001 - as above


def _shortened(word: str) -> Iterator[str]:
    """Yield a word without each of its letters in turn."""
    return (word[:place] + word[place + 1 :] for place in range(len(word)))
