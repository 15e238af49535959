"""Bylines: their words in many languages, and the part of a byline that names the authors.

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
``bodies``
    Words of bodies such as institutes.
``weekdays``
    Names of days, short and long.
``published``, ``modified``
    What stands before a date.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from crawler.core.words import any_of, fold_word, read_data

_BEFORE_BY = " \t\r\n\f\v\xa0-\u2013\u2014|/\u2022\u00b7"
# Credits of others than authors, at the beginning of a text or after white space or a mark.
_OTHERS = re.compile(
    r"(?:^|[\s.|/·,;()\[]\s?)(?:(?:with )?photo(?:graph(?:s|y)?|s)?|illustrat(?:ions?|ed)|graphics?"
    r"|translat(?:ed|ion)|(?:medically |expert )?reviewed|fact[- ]?checked|edited|videos?"
    r"|fotos?|bilder?)\s?(?:by\s|von\s|[:\uff1a])"
    r"|(?:^|[\s|/·,]\s?)(?:写真|撮影|編集|사진|그래픽|영상|편집)(?:\s|[・·:\uff1a=\uff1d|])",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:取材[・/]?)?文\s?[・:\uff1a=\uff1d]\s?|글[\s·:\uff1a]\s?(?=[가-힣]{2,4}(?![가-힣]))"
)
# "King, Jr." is one name.
_YOUNGER = re.compile(r",\s?(?=(?:jr|sr|ii|iii|iv)\b)", re.IGNORECASE)
_PLACE = re.compile(r"\s(?:in|for\s[Tt]he)\s(?=[A-Z])")
_NAME_WORDS = range(2, 5)
_KOREAN_NAME = r"[가-힣]{2,4}"
_KOREAN_ROLES = ("기자", "특파원", "논설위원", "칼럼니스트", "앵커")
_KOREAN_BYLINE = re.compile(
    rf"[\[(\u3010<]?\s?(?:(?:글|취재)\s)?(?:[가-힣A-Za-z]{{2,12}}(?:\s?=\s?|\s))?"
    rf"(?P<names>{_KOREAN_NAME}(?:\s?[·ㆍ,]\s?{_KOREAN_NAME}){{0,5}})"
    rf"\s?(?:(?:선임|인턴|객원|수습|전문)\s?)?(?:{'|'.join(_KOREAN_ROLES)})\s?[\])\u3011>=]?"
    r"(?:\s[^\s@]{1,64}@[^\s@]{1,64})?(?:\s(?:구독|팔로우))?"
)
_KOREAN_LABELLED = re.compile(rf"(?:작성자|글쓴이)\s(?P<names>{_KOREAN_NAME})")
_KOREAN_JOINT = re.compile(r"\s?[·ㆍ,]\s?")
_KOREAN_CHARS = 120


@dataclass(frozen=True, slots=True, eq=False)
class BylineWords:
    """The lists, as patterns and sets.

    Attributes:
        by: matches at the beginning of a text and ends before the name.
        by_starts: the first two letters of what ``by`` matches.
        joint: finds what stands between two names.
        published, modified, updated: find the words that tell what a date means; ``updated`` either
            of them after a name.
    """

    by: re.Pattern[str]
    by_starts: frozenset[str]
    joint: re.Pattern[str]
    roles: frozenset[str]
    trailing: frozenset[str]
    nobody: frozenset[str]
    agencies: frozenset[str]
    credentials: frozenset[str]
    bodies: frozenset[str]
    weekdays: frozenset[str]
    published: re.Pattern[str]
    modified: re.Pattern[str]
    updated: re.Pattern[str]


@cache
def byline_words() -> BylineWords:
    """Return the words of all languages."""
    data: dict[str, list[str]] = read_data("crawler.core.metadata", "bylines")
    folded = {name: frozenset(map(fold_word, words)) for name, words in data.items()}
    with_colon = set(data["followed_by_colon"])
    free = any_of(word for word in data["by"] if word not in with_colon)
    return BylineWords(
        by=re.compile(
            # A label alone in its element names who stands beside it.
            rf"\s*+(?:[-\u2013\u2014|/•·]\s?)?(?:(?:{free})(?:\s?[:\uff1a]|\s|$)"
            rf"|(?:{any_of(with_colon)})(?:\s?[:\uff1a]|\s*+$))\s*+[-\u2013\u2014]?\s*+",
            re.IGNORECASE,
        ),
        by_starts=frozenset(word[:2] for word in data["by"]) | {word[:2] for word in with_colon},
        joint=re.compile(rf"\s(?:{any_of(data['and'])})\s|\s?&\s?", re.IGNORECASE),
        roles=folded["roles"],
        trailing=folded["trailing"],
        nobody=folded["nobody"],
        agencies=frozenset(data["agencies"]),
        credentials=frozenset(data["credentials"]),
        bodies=frozenset(data["bodies"]),
        weekdays=frozenset(data["weekdays"]),
        published=re.compile(any_of(data["published"]), re.IGNORECASE),
        modified=re.compile(any_of(data["modified"]), re.IGNORECASE),
        updated=re.compile(
            rf"\s(?:last )?(?:{any_of((*data['modified'], *data['published']))})\b", re.IGNORECASE
        ),
    )


def begins_as_byline(text: str) -> bool:
    """Tell whether a text begins with what stands before an author's name."""
    words = byline_words()
    # The first two letters decide for most texts.
    start = text.lstrip(_BEFORE_BY)[:2].lower()
    if start in words.by_starts and words.by.match(text) is not None:
        return True
    return has_korean_role(text)


def authors_part(text: str) -> str:
    """Return a byline up to credits of others, such as photographers; empty where it begins so.

    Args:
        text: a byline without what stands before the first name ("By"), white space folded.
    """
    others = _OTHERS.search(text)
    if others is not None:
        text = text[: others.start()]
    label = _LABEL.match(text)
    return _YOUNGER.sub(" ", text[label.end() if label else 0 :]).strip()


def without_place(name: str) -> str:
    """Return "A" of "A in London" and "A for The Post"; bodies such as institutes stay whole."""
    match = _PLACE.search(name)
    if match is None:
        return name
    words = name[: match.start()].split()
    is_person = len(words) in _NAME_WORDS and all(word[0].isupper() for word in words)
    is_body = any(word.casefold() in byline_words().bodies for word in words)
    return name[: match.start()] if is_person and not is_body else name


def has_korean_role(text: str) -> bool:
    """Tell whether a text is a Korean byline: a name with a reporter's role after it."""
    return not text.isascii() and bool(korean_names(text))


def korean_names(text: str) -> tuple[str, ...]:
    """Return the names in a line that is a Korean byline and nothing else; empty where it is none.

    That is a name and a role, with the newspaper or a town before and an address after them.
    """
    text = text.strip()
    if len(text) > _KOREAN_CHARS:
        return ()
    match = None
    if any(map(text.__contains__, _KOREAN_ROLES)):
        match = _KOREAN_BYLINE.fullmatch(text)
    elif text.startswith(("작성자", "글쓴이")):
        match = _KOREAN_LABELLED.fullmatch(text)
    return tuple(_KOREAN_JOINT.split(match["names"])) if match is not None else ()
