"""What a listing holds, and what can be wrong with one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Kind = Literal["sitemap-index", "sitemap", "text", "rss", "atom", "json-feed", "none"]

MAX_LISTING_BYTES = 50 * 1024 * 1024
"""Most bytes read of a listing, unpacked: what the sitemap protocol (sitemaps.org) allows."""

MAX_ENTRIES = 250_000
"""Most entries read of a listing, repeated ones too: five times what the protocol allows."""

MAX_ALTERNATES = 250
"""Most other languages kept for an entry; there are fewer than 200 languages with two letters."""

MAX_JSON_CHARS = 16 * 1024 * 1024
"""Longest feed in JSON, which has to be in memory at once and takes many times its length there."""

MAX_NESTED = 64
"""Most elements inside one another; real listings, HTML included, have fewer."""

MAX_ADDRESS_CHARS = 2_048
"""Longest address taken, as written: what the sitemap protocol allows."""

PROBLEMS: Mapping[str, str] = {
    "address-escaped-twice": "address with & escaped twice, mended",
    "address-in-pieces": "address broken by white space or quoted, mended",
    "address-long": f"entry whose address is longer than {MAX_ADDRESS_CHARS:,}, left out",
    "address-missing": "entry without an address, left out",
    "address-relative": "relative address, resolved",
    "address-wrong": "entry whose address names no web page, left out",
    "alternate-wrong": "other language without an address of a web page, left out",
    "alternates-many": f"other language of an entry beyond {MAX_ALTERNATES}, left out",
    "before-declaration": "white space or comment before the XML declaration, passed over",
    "before-root": "text or markup before the root element, passed over",
    "control-characters": "control character, removed",
    "cut-off": "listing ends within an entry, what was cut is left out",
    "date-wrong": "date that is none, left out",
    "empty": "nothing in it",
    "encoding-wrong": "declared encoding is not the real one, which was found out",
    "entries-many": f"entry beyond the first {MAX_ENTRIES:,}, left out",
    "gzip-cut": "packed data end too early, read as far as they go",
    "gzip-damaged": "packed data are damaged, read as far as they go",
    "gzip-not": "named as packed, but it is not",
    "gzip-tail": "bytes after the packed data, left out",
    "html": "an HTML page, not a listing",
    "index-with-pages": "page in an index of sitemaps, kept",
    "json-long": f"JSON of more than {MAX_JSON_CHARS:,} characters, not read",
    "json-wrong": "JSON that is no feed",
    "line-wrong": "line that is no address, left out",
    "nested-deeply": f"element within {MAX_NESTED} others, taken for a part of the last of them",
    "raw-ampersand": "& that begins no known character, kept as it is",
    "repeated": "address listed more than once, its first entry kept",
    "sitemap-among-pages": "sitemap listed among pages, kept as a sitemap",
    "tag-stray": "end tag without a start, passed over",
    "tag-unclosed": "element without an end, closed",
    "too-large": f"more than {MAX_LISTING_BYTES:,} bytes, the rest left out",
    "unknown": "neither a sitemap nor a feed nor a list of addresses",
}
"""What can be wrong with a listing, in words, by the name it is counted under."""


@dataclass(frozen=True, slots=True)
class Alternate:
    """The same page in another language: its address, and the language as its sitemap has it."""

    url: str
    language: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One page, or one further sitemap, of a listing. What a listing leaves out is empty.

    ``url``
        Absolute and canonical (:func:`crawler.core.page.addresses.canonical_address`).
    ``kind``
        ``page``, or ``sitemap`` for a listing to be read in turn.
    ``lastmod``, ``published``
        When the page was last changed, and first published: ISO 8601, as exact as it was written
        (year, month, day, or a time with or without a zone).
    ``title``
        Plain text.
    ``language``
        As it was written, such as ``en`` or ``pt-BR``.
    ``alternates``
        The page's other languages, by ``xhtml:link`` of a sitemap.
    """

    url: str
    kind: Literal["page", "sitemap"] = "page"
    lastmod: str = ""
    published: str = ""
    title: str = ""
    language: str = ""
    alternates: tuple[Alternate, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """What was read of a sitemap, a feed or a list of addresses.

    ``kind``
        What the listing is; ``none`` if it is none; ``problems`` then says why.
    ``entries``
        In the order of the listing, each address once.
    ``problems``
        What was wrong, by the names of ``PROBLEMS``, and how often.
    ``next``
        Address of the next page of a feed in pages (RFC 5005, or ``next_url``); empty where none.
    """

    kind: Kind = "none"
    entries: tuple[Entry, ...] = ()
    problems: Mapping[str, int] = field(default_factory=dict)
    next: str = ""

    def explained(self) -> dict[str, str]:
        """Return the problems in words, by name: ``relative address, resolved: 3``."""
        return {name: f"{PROBLEMS[name]}: {count}" for name, count in self.problems.items()}


class Problems(Counter[str]):
    """Counts what is wrong with one listing, by the names of ``PROBLEMS``."""

    def add(self, name: str, number: int = 1) -> None:
        """Count a problem; a number of 0 counts nothing."""
        if number:
            self[name] += number
