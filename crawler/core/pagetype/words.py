"""The word lists by which kinds of pages are told: data files of the package, read once."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PageWords", "fold", "page_words"]

_SPACE = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class PageWords:
    """Word lists; all texts are folded as :func:`fold` does.

    ``paths``
        By kind, words that stand in addresses.
    ``search_paths``, ``search_queries``
        Parts of addresses, and names in queries, of searches.
    ``software``
        By kind, parts of what ``<meta name="generator">`` and names of classes say.
    ``names``
        By what they tell, parts of the names that authors give to elements.
    ``error``, ``error_titles``, ``login``, ``search``
        Texts with which a title or a first heading begins or ends, in many languages: of pages that
        are errors; which a page is only where they are the whole of it; of forms to sign in; of
        results of a search.
    ``buy``
        Texts on buttons.
    """

    paths: Mapping[str, frozenset[str]]
    search_paths: frozenset[str]
    search_queries: frozenset[str]
    software: Mapping[str, tuple[str, ...]]
    names: Mapping[str, tuple[str, ...]]
    error: tuple[str, ...]
    error_titles: frozenset[str]
    login: frozenset[str]
    search: tuple[str, ...]
    buy: frozenset[str]


def fold(text: str) -> str:
    """Return a text in lower case, its letters and digits alone, single spaces between words."""
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


@cache
def page_words() -> PageWords:
    """Return the lists that come with the package."""
    room = files("crawler.core.pagetype").joinpath("data")
    data = json.loads(room.joinpath("words.json").read_text("utf-8"))

    def folded(name: str) -> tuple[str, ...]:
        by_language = data[name]
        return tuple(dict.fromkeys(fold(text) for texts in by_language.values() for text in texts))

    return PageWords(
        paths={kind: frozenset(words.split()) for kind, words in data["paths"].items()},
        search_paths=frozenset(data["search_paths"].split()),
        search_queries=frozenset(data["search_queries"].split()),
        software={kind: tuple(names.split()) for kind, names in data["software"].items()},
        names={cue: tuple(parts.split()) for cue, parts in data["names"].items()},
        error=folded("error"),
        error_titles=frozenset(folded("error_titles")),
        login=frozenset(folded("login")),
        search=folded("search"),
        buy=frozenset(folded("buy")),
    )
