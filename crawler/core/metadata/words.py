"""Words of bylines and dates in many languages, from one data file.

``data/bylines.json`` is a JSON object of lists:

``by``
    What stands before an author's name.
``followed_by_colon``
    Those of them that are common words, and count with a colon or alone in their element only.
``and``
    What stands between two names.
``roles``, ``trailing``
    Words of job titles; those that may follow a name without a comma.
``nobody``
    Labels that are no name.
``agencies``, ``credentials``
    Short names of news agencies; short names of degrees.
``published``, ``modified``
    What stands before a date.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from crawler.core.metadata.bylines import has_korean_role
from crawler.core.metadata.dates import fold_word

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Words", "begins_as_byline", "byline_words"]

_BEFORE_BY = " \t\r\n\f\v\xa0-\u2013\u2014|/\u2022\u00b7"


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The lists, as patterns and sets.

    ``by`` matches at the beginning of a text and ends before the name; ``by_starts`` are the first
    two letters of what it matches; ``joint`` finds what stands
    between two names; ``published`` and ``modified`` find the words that tell what a date means,
    ``updated`` either of them after a name.
    """

    by: re.Pattern[str]
    by_starts: frozenset[str]
    joint: re.Pattern[str]
    roles: frozenset[str]
    trailing: frozenset[str]
    nobody: frozenset[str]
    agencies: frozenset[str]
    credentials: frozenset[str]
    published: re.Pattern[str]
    modified: re.Pattern[str]
    updated: re.Pattern[str]


@cache
def byline_words() -> Words:
    """Return the words of all languages."""
    text = files("crawler.core.metadata").joinpath("data", "bylines.json").read_text("utf-8")
    data: dict[str, Any] = json.loads(text)
    with_colon = set(data["followed_by_colon"])
    free = _any_of(word for word in data["by"] if word not in with_colon)
    return Words(
        by=re.compile(
            # A label alone in its element names who stands beside it.
            rf"\s*+(?:[-\u2013\u2014|/•·]\s?)?(?:(?:{free})(?:\s?[:\uff1a]|\s|$)"
            rf"|(?:{_any_of(with_colon)})(?:\s?[:\uff1a]|\s*+$))\s*+[-\u2013\u2014]?\s*+",
            re.IGNORECASE,
        ),
        by_starts=frozenset(word[:2] for word in data["by"]) | {word[:2] for word in with_colon},
        joint=re.compile(rf"\s(?:{_any_of(data['and'])})\s|\s?&\s?", re.IGNORECASE),
        roles=frozenset(map(fold_word, data["roles"])),
        trailing=frozenset(map(fold_word, data["trailing"])),
        nobody=frozenset(map(fold_word, data["nobody"])),
        agencies=frozenset(data["agencies"]),
        credentials=frozenset(data["credentials"]),
        published=re.compile(_any_of(data["published"]), re.IGNORECASE),
        modified=re.compile(_any_of(data["modified"]), re.IGNORECASE),
        updated=re.compile(
            rf"\s(?:last )?(?:{_any_of((*data['modified'], *data['published']))})\b", re.IGNORECASE
        ),
    )


def begins_as_byline(text: str, words: Words) -> bool:
    """Tell whether a text begins with what stands before an author's name."""
    # Most texts do not, and are told by two letters.
    start = text.lstrip(_BEFORE_BY)[:2].lower()
    if start in words.by_starts and words.by.match(text) is not None:
        return True
    return has_korean_role(text)


def _any_of(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))
