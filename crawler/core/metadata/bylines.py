"""What of a byline names its authors: other people's credits, places and publishers left out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["authors_part", "has_korean_role", "korean_names", "without_place"]

# Credits of others than authors. Each begins a text or stands behind white space or a mark.
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
_BODIES = frozenset(
    ("academy", "agency", "alliance", "association", "campaign", "center", "centre", "coalition",
     "committee", "council", "department", "foundation", "fund", "group", "institute", "network",
     "office", "organization", "partnership", "program", "project", "school", "service", "society",
     "union", "university", "women", "people", "citizens", "students", "doctors", "reporters")
)  # fmt: skip
_NAME_WORDS = range(2, 5)
_KOREAN_ROLES = ("기자", "특파원", "논설위원", "칼럼니스트", "앵커")
_KOREAN_NAME = r"[가-힣]{2,4}"
_KOREAN_BYLINE = re.compile(
    rf"[\[(\u3010<]?\s?(?:(?:글|취재)\s)?(?:[가-힣A-Za-z]{{2,12}}(?:\s?=\s?|\s))?"
    rf"(?P<names>{_KOREAN_NAME}(?:\s?[·ㆍ,]\s?{_KOREAN_NAME}){{0,5}})"
    rf"\s?(?:(?:선임|인턴|객원|수습|전문)\s?)?(?:{'|'.join(_KOREAN_ROLES)})\s?[\])\u3011>=]?"
    r"(?:\s[^\s@]{1,64}@[^\s@]{1,64})?(?:\s(?:구독|팔로우))?"
)
_KOREAN_LABELLED = re.compile(rf"(?:작성자|글쓴이)\s(?P<names>{_KOREAN_NAME})")
_KOREAN_JOINT = re.compile(r"\s?[·ㆍ,]\s?")
_KOREAN_CHARS = 120


def authors_part(text: str) -> str:
    """Return a byline up to the credits of others; empty where it begins with these.

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
    return name[: match.start()] if is_person and not _has_body(words) else name


def _has_body(words: Sequence[str]) -> bool:
    return any(word.casefold() in _BODIES for word in words)


def has_korean_role(text: str) -> bool:
    """Tell whether a text is a Korean byline, told by a reporter's role after the name."""
    return not text.isascii() and bool(korean_names(text))


def korean_names(text: str) -> tuple[str, ...]:
    """Return the names in a line that is a Korean byline and nothing else; empty where it is none.

    Such are a name and a role, with the paper or a town before and an address behind.
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
