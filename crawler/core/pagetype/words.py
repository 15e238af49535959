"""The lists of words that tell kinds of pages, from ``data/words.json``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from crawler.core.words import read_data, texts_of

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class PageWords:
    """The lists of words.

    Attributes:
        paths: by kind of page, words that stand in addresses.
        software: by kind of page, parts of what ``<meta name="generator">`` and names of classes
            say.
        names: by a cue, parts of the names that authors give to elements.
        types: group of each type of JSON-LD, in lower case; types of no group are "other".
        error, error_titles, login, search, buy: texts in many languages, folded: titles of error
            pages, with which a longer title may begin or end; those that have to be the whole
            title; titles of forms to sign in and of results of a search; labels of a shop's
            buttons.
        search_paths, search_queries, login_paths, list_paths: parts of addresses, and names in
            queries.
        error_classes, list_classes, text_classes: names that themes give to whole pages.
        editions: codes of languages (ISO 639-1) and countries (ISO 3166-1) of which sites have
            editions.
    """

    paths: Mapping[str, frozenset[str]]
    software: Mapping[str, tuple[str, ...]]
    names: Mapping[str, tuple[str, ...]]
    types: Mapping[str, str]
    error: tuple[str, ...]
    error_titles: frozenset[str]
    login: frozenset[str]
    search: tuple[str, ...]
    buy: frozenset[str]
    search_paths: frozenset[str]
    search_queries: frozenset[str]
    login_paths: frozenset[str]
    list_paths: frozenset[str]
    error_classes: frozenset[str]
    list_classes: frozenset[str]
    text_classes: frozenset[str]
    editions: frozenset[str]


@cache
def page_words() -> PageWords:
    """Return the lists that come with the package."""
    data = read_data("crawler.core.pagetype", "words")
    groups = {key: value for key, value in data.items() if isinstance(value, dict)}
    flat = {key: frozenset(words.split()) for key, words in data.items() if key not in groups}
    return PageWords(
        paths={kind: frozenset(words.split()) for kind, words in groups["paths"].items()},
        software={kind: tuple(words.split()) for kind, words in groups["software"].items()},
        names={cue: tuple(words.split()) for cue, words in groups["names"].items()},
        types={name: group for group, names in groups["types"].items() for name in names.split()},
        error=texts_of(groups["error"]),
        error_titles=frozenset(texts_of(groups["error_titles"])),
        login=frozenset(texts_of(groups["login"])),
        search=texts_of(groups["search"]),
        buy=frozenset(texts_of(groups["buy"])),
        **flat,
    )
