"""What a page's address says of its kind: its depth, its words, numbers and dates in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from crawler.core.pagetype.words import page_words

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Address", "names_a_list"]

_CHARS = 2_000
_NUMBER = re.compile(r"\d{4,}")
_DATE = re.compile(r"(?:19|20)\d\d[/_-]?(?:0?[1-9]|1[0-2])(?:[/_-]?[0-3]?\d)?(?!\d)")
_PAGE_NUMBER = re.compile(r"(?:page|p|seite|pagina|strana)[/=_-]?\d{1,4}")
_LANGUAGE = re.compile(r"(?P<code>[a-z]{2})(?:[-_][a-z]{2})?")
# Languages (ISO 639-1) and, from "ae" in the last two lines, countries (ISO 3166-1) of which sites
# have editions: any other two letters are a subject.
_CODES = frozenset(
    ("af", "am", "ar", "az", "be", "bg", "bn", "bs", "ca", "cs", "cy", "da", "de", "el", "en", "eo",
     "es", "et", "eu", "fa", "fi", "fr", "ga", "gl", "gu", "ha", "he", "hi", "hr", "hu", "hy", "id",
     "is", "it", "ja", "ka", "kk", "km", "kn", "ko", "ku", "ky", "lb", "lo", "lt", "lv", "mk", "ml",
     "mn", "mr", "ms", "mt", "my", "nb", "ne", "nl", "nn", "no", "pa", "pl", "ps", "pt", "ro", "ru",
     "sd", "si", "sk", "sl", "so", "sq", "sr", "sv", "sw", "ta", "te", "tg", "th", "tk", "tl", "tr",
     "tt", "ug", "uk", "ur", "uz", "vi", "yi", "zh",
     "ae", "at", "au", "br", "ch", "cl", "cn", "co", "cz", "dk", "eg", "gb", "gr", "hk", "ie", "il",
     "in", "jp", "ke", "kr", "mx", "ng", "nz", "pe", "ph", "pk", "sa", "se", "sg", "tw", "ua", "us",
     "za")
)  # fmt: skip
_INDEX = re.compile(r"(?:index|default|home|main)(?:\.[a-z]{2,5})?")
_LIST_HYPHENS = 3
_SECTION_HYPHENS = 1
_WORD = re.compile(r"[^\W\d_]+")
# What of a query identifies a visitor's way and no page.
_TRACKING = ("utm_", "fbclid", "gclid", "srsltid", "ref", "source", "lang", "hl")


def names_a_list(part: str) -> bool:
    """Tell whether a part of a path may name a list: a headline has more words, a post a number."""
    return part.count("-") + part.count("_") <= _LIST_HYPHENS and not any(map(str.isdigit, part))


def _names_a_section(part: str) -> bool:
    return names_a_list(part) and part.count("-") + part.count("_") <= _SECTION_HYPHENS


@dataclass(frozen=True, slots=True)
class Address:
    """An address, taken apart.

    ``known``
        Whether there is one that can be fetched.
    ``segments``
        The parts of its path between slashes, in lower case.
    ``queries``
        Names of what its query holds, marks of a visitor's way left out.
    ``words``
        The words of its path and of its host before the domain.
    ``text``
        Its path and query, in lower case.
    """

    known: bool = False
    segments: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    words: frozenset[str] = field(default_factory=frozenset)
    text: str = ""

    @classmethod
    def of(cls, urls: Iterable[str | None]) -> Address:
        """Take apart the first of some addresses that is one."""
        for url in urls:
            if url is None or not url.lower().startswith(("http://", "https://")):
                continue
            try:
                parts = urlsplit(url[:_CHARS])
                host = parts.hostname or ""
            except ValueError:
                continue
            path = parts.path.lower()
            segments = tuple(part for part in path.split("/") if part)
            names = [name.lower() for name, _ in parse_qsl(parts.query, keep_blank_values=True)]
            queries = tuple(name for name in names if not name.startswith(_TRACKING))
            before = host.split(".")[:-2]
            words = frozenset(
                word for part in (*segments[:-1], *before) for word in _WORD.findall(part)
            )
            # The last part of a deep path is a headline: its words tell the subject.
            last = segments[-1] if segments else ""
            if last.count("-") + last.count("_") <= 1:
                words |= set(_WORD.findall(last))
            text = f"{path}?{parts.query.lower()}"
            return cls(known=True, segments=segments, queries=queries, words=words, text=text)
        return cls()

    @property
    def is_root(self) -> bool:
        """Whether it is the address of a site's first page, or of its first page in a language."""
        if not self.known or self.queries:
            return False
        rest = [part for part in self.segments if not _INDEX.fullmatch(part)]
        if len(rest) != 1:
            return not rest
        edition = _LANGUAGE.fullmatch(rest[0])
        return edition is not None and edition["code"] in _CODES

    @property
    def is_section(self) -> bool:
        """Whether it may be the address of a list of a site: no numbers, no headline, no query."""
        return self.known and not self.queries and all(map(_names_a_section, self.segments))

    @property
    def is_search(self) -> bool:
        """Whether it asks a site's search."""
        words = page_words()
        named = any(part in words.search_paths for part in self.segments)
        return named or (
            len(self.segments) <= 1 and not words.search_queries.isdisjoint(self.queries)
        )

    def features(self) -> dict[str, float]:
        """Return what is asked about it; all 0 where there is none."""
        last = self.segments[-1] if self.segments else ""
        words = page_words()
        found = {
            "address: known": float(self.known),
            "address: depth": float(len(self.segments)),
            "address: last": float(len(last)),
            "address: hyphens": float(last.count("-") + last.count("_")),
            "address: digits": float(sum(map(str.isdigit, last))),
            "address: number": float(bool(_NUMBER.search(self.text))),
            "address: date": float(bool(_DATE.search(self.text))),
            "address: page": float(bool(_PAGE_NUMBER.search(self.text))),
            "address: queries": float(len(self.queries)),
            "address: file": float("." in last),
            "address: root": float(self.is_root),
        }
        for kind, stems in words.paths.items():
            found[f"address: {kind}"] = float(len(self.words & stems))
        return found
