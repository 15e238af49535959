"""Words of pagers in many languages, from ``data/pagers.json``.

By language, what readers see:

``next_page``, ``next``
    Texts of links to the next page, those that name a page and those that do not.
``page``, ``of``
    "Page" and "of" as in "page 2 of 3".
``other_texts``
    Words of links to something else than the next page of a text: another article, older posts.

And what addresses contain, in lower case:

``address_words``, ``parameters``, ``short_parameters``
    What is before the number of a page, in paths and as names in queries; short ones may number
    articles as well.
``list_words``, ``list_ends``
    Parts of paths to lists of articles, anywhere or at the end.
``list_parameters``
    Names in the queries of lists of articles and of pages of comments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from crawler.core.words import any_of, read_data, texts_of


@dataclass(frozen=True, slots=True)
class PagerWords:
    """What readers see, folded as :func:`crawler.core.words.fold` does.

    ``numbered``
        Matches the whole of a folded text that names a page by its number: "2", "page 2 of 3"; the
        number is the group ``number``, or ``other`` if it is before its word.
    ``mark``
        Finds, in a text as written, the words that name a page by number: "(Page 2 of 3)".
    """

    next_page: tuple[str, ...]
    next: frozenset[str]
    pages: frozenset[str]
    others: frozenset[str]
    numbered: re.Pattern[str]
    mark: re.Pattern[str]


@cache
def pager_words() -> PagerWords:
    """Return what readers see."""
    data = read_data("crawler.core.pagination", "pagers")
    page, of = any_of(texts_of(data["page"])), any_of(texts_of(data["of"]))
    return PagerWords(
        next_page=texts_of(data["next_page"]),
        next=frozenset(texts_of(data["next"])),
        pages=frozenset(texts_of(data["page"])),
        others=frozenset(texts_of(data["other_texts"])),
        # A slash or a bracket is a space in a folded text.
        numbered=re.compile(
            rf"(?:(?:{page}) ?)?(?P<number>[0-9]{{1,3}})(?: (?:(?:{of}) )?[0-9]{{1,3}})?"
            rf"|第? ?(?P<other>[0-9]{{1,3}}) ?(?:{page})"
        ),
        mark=re.compile(
            rf"\b(?:{page})\s?[0-9]{{1,3}}\b(?:\s?(?:/|{of})\s?[0-9]{{1,3}}\b)?"
            rf"|第?\s?(?<![0-9])[0-9]{{1,3}}\s?(?:{page})(?!\w)"
            r"|[(\[]\s?[0-9]{1,3}(?:\s?/\s?[0-9]{1,3})?\s?[)\]]\s*$"
            r"|\b[0-9]{1,3}\s?/\s?[0-9]{1,3}\s*$",
            re.IGNORECASE,
        ),
    )


@cache
def address_names(name: str) -> frozenset[str]:
    """Return one of the lists of what addresses contain."""
    return frozenset(read_data("crawler.core.pagination", "pagers")[name])
