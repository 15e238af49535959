"""Lists of words that come with the package, and the forms in which words are compared."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

APART = "\0"
"""Stands between texts that are searched as one string; no text of a page contains it."""

_NOT_ALNUM = re.compile(r"[\W_]+")
# Of the letters of ASCII the small ones; translating bytes takes a tenth of the time of a search.
_LOWER = bytes(range(256)).lower()
_ASCII = bytes(range(128))
_NO_ASCII = bytes(code for code in _ASCII if not chr(code).isalnum())
_SIGNS = _NO_ASCII.decode()
_SPACED = _LOWER.translate(bytes.maketrans(_NO_ASCII, b" " * len(_NO_ASCII)))
# The same, but that it keeps texts apart.
_SPACED_APART = b"\0" + _SPACED[1:]


def read_data(package: str, name: str) -> dict[str, Any]:
    """Read a JSON object from the folder ``data`` of a package.

    Args:
        package: dotted name, such as ``crawler.core.tables``.
        name: name of the file without ``.json``.
    """
    text = files(package).joinpath("data", f"{name}.json").read_text("utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def texts_of(by_language: dict[str, list[str]]) -> tuple[str, ...]:
    """Return the texts of all languages, folded by :func:`fold`, each once and none empty."""
    folded = (fold(text) for texts in by_language.values() for text in texts)
    return tuple(text for text in dict.fromkeys(folded) if text)


def longest_first(words: Iterable[str]) -> list[str]:
    """Return words so that none stands behind another that it begins with."""
    return sorted(words, key=lambda word: (-len(word), word))


def any_of(words: Iterable[str]) -> str:
    """Return a regular expression for any of some words, the longest possible one.

    Those of one first letter are tried together, which is faster on texts that hold none of them.
    """
    rests: dict[str, list[str]] = {}
    for word in longest_first(words):
        rests.setdefault(word[:1], []).append(re.escape(word[1:]))
    return "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in rests.items())


def side_by_side(texts: Sequence[str]) -> str:
    """Return texts as one string, to be searched at once, with ``APART`` between and nowhere else.

    What is ``APART`` within a text becomes another character that is neither letter nor space.
    """
    joined = APART.join(texts)
    if joined.count(APART) < len(texts):
        return joined
    return APART.join([text.replace(APART, "\1") for text in texts])


def texts_with(pattern: re.Pattern[str], joined: str) -> Iterator[int]:
    """Yield the numbers of the texts in which a pattern is found, each once.

    Args:
        pattern: what is looked for; it does not match ``APART``.
        joined: the texts, with ``APART`` between.
    """
    number = before = at = 0
    while at >= 0 and (match := pattern.search(joined, at)):
        number += joined.count(APART, before, match.start())
        before = match.start()
        yield number
        at = joined.find(APART, match.end())


def foreign(text: str) -> str:
    """Return the characters of a text that are not of ASCII; most texts have few to search."""
    found = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
    return found.decode("utf-8", "surrogatepass")


def fold(text: str) -> str:
    """Return a text in lower case, its letters and digits alone, single spaces between words."""
    if text.isascii():
        return b" ".join(text.encode().translate(_SPACED).split()).decode()
    return _NOT_ALNUM.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


def fold_all(texts: Sequence[str]) -> list[str]:
    """Return :func:`fold` of each text."""
    plain = list(filter(str.isascii, texts))
    joined = APART.join(plain)
    if joined.count(APART) >= len(plain):
        return list(map(fold, texts))
    folded = iter(joined.encode().translate(_SPACED_APART).decode().split(APART))
    return [" ".join(next(folded).split()) if text.isascii() else fold(text) for text in texts]


def fold_letters(text: str) -> str:
    """Fold case at least as far as ``re.IGNORECASE``, so that no match is missed."""
    if text.isascii():
        return text.lower()
    return text.casefold().replace("\u0131", "i").replace("i\u0307", "i")


class Beginnings:
    """A quick test that excludes most texts that begin with none of the phrases.

    Case and signs before the phrase do not matter.

    Args:
        phrases: the phrases, of two characters or more. Each begins with a letter or digit.
    """

    def __init__(self, phrases: Iterable[str]) -> None:
        self._starts = frozenset(fold_letters(phrase)[:2] for phrase in phrases)

    def may_be_of(self, text: str) -> bool:
        """Tell whether a text may begin with a phrase: its first two letters do, or are foreign."""
        head = text.lstrip(_SIGNS)[:2]
        return head.lower() in self._starts or not head.isascii()


def fold_word(word: str) -> str:
    """Fold case and remove accents: ``Février`` and ``fevrier`` are one word."""
    word = word.casefold()
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFKD", word)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


@lru_cache(maxsize=1 << 12)  # a page says its title and its names several times
def fold_name(name: str) -> str:
    """Return the letters and digits of a name, case and accents folded."""
    if name.isascii():
        return name.encode().translate(_LOWER, _NO_ASCII).decode()
    # Marks that combine are neither letters nor digits.
    return _NOT_ALNUM.sub("", unicodedata.normalize("NFKD", name.casefold()))
