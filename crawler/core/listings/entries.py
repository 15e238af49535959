"""What a listing holds, what can be wrong with one, and how entries are made sound."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urljoin, urlsplit

from crawler.core.listings.markup import MAX_NESTED
from crawler.core.metadata.dates import FIRST_YEAR, read_date
from crawler.core.page.addresses import canonical_address
from crawler.core.page.page import site_of
from crawler.core.patterns import compiled_later

Kind = Literal["sitemap-index", "sitemap", "text", "rss", "atom", "json-feed", "none"]

MAX_LISTING_BYTES = 50 * 1024 * 1024
"""Most bytes read of a listing, unpacked: what the sitemap protocol (sitemaps.org) allows."""

MAX_ENTRIES = 250_000
"""Most entries read of a listing, repeated ones too: five times what the protocol allows."""

MAX_ALTERNATES = 250
"""Most other languages kept for an entry; there are fewer than 200 languages with two letters."""

MAX_JSON_CHARS = 16 * 1024 * 1024
"""Longest feed in JSON, which has to be in memory at once and takes many times its length there."""

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
_ABSOLUTE = compiled_later(r"https?://[^/]", re.IGNORECASE)
_WEB = compiled_later(r"https?:", re.IGNORECASE)
_FEED_SCHEME = compiled_later(r"feed:(?://)?(?=https?:)|feed(?=://)", re.IGNORECASE)
_OTHER_SCHEME = compiled_later(r"[A-Za-z][A-Za-z0-9+.\-]*:")
# A canonical address that a server can be asked for: w3lib accepts hosts that cannot exist.
_SOUND = compiled_later(
    r"https?://(?:[^\s/@]*+@)?(?:\[[0-9A-Fa-f:.]++\]|[^\s<>\"\\^`{|}\[\],%\ufffd/?#@:]++)"
    r"(?P<port>:\d++)?/"
)
_QUOTES = "\"'<>\u201c\u201d"
# Dates of the W3C's profile of ISO 8601 that name no day.
_YEAR_OR_MONTH = compiled_later(r"(?P<year>\d{4})(?:-(?:0[1-9]|1[0-2]))?")
_LAST_YEAR = 2100
# RFC 822 writes years with two digits; RFC 2822 and 5322 read 00 to 49 as of this century.
_SHORT_YEAR = compiled_later(r"(?<!\d)(\d{1,2}[ -][A-Za-z]{3,9}[ -])(\d\d)(?= \d{1,2}:\d\d)")
_SHORT_YEARS_OF_2000 = 50
_DATE_CHARS = 80


@dataclass(frozen=True, slots=True)
class Alternate:
    """The same page in another language: its address, and the language as its sitemap has it."""

    url: str
    language: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One page, or one further sitemap, of a listing. What a listing leaves out is empty.

    Attributes:
        url: absolute and canonical (:func:`crawler.core.page.addresses.canonical_address`).
        kind: ``page``, or ``sitemap`` for a listing to be read in turn.
        lastmod, published: when the page was last changed, and first published: ISO 8601, as exact
            as it was written (year, month, day, or a time with or without a zone).
        language: as it was written, such as ``en`` or ``pt-BR``.
        alternates: the page's other languages, by ``xhtml:link`` of a sitemap.
    """

    url: str
    kind: Literal["page", "sitemap"] = "page"
    lastmod: str = ""
    published: str = ""
    language: str = ""
    alternates: tuple[Alternate, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """What was read of a sitemap, a feed or a list of addresses.

    Attributes:
        kind: what the listing is; ``none`` if it is none; ``problems`` then says why.
        entries: in the order of the listing, each address once.
        problems: what was wrong, by the names of ``PROBLEMS``, and how often.
        next: address of the next page of a feed in pages (RFC 5005, or ``next_url``); empty where
            there is none.
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


class Collector:
    """Gathers the entries of one listing, each address once.

    Args:
        url: address of the listing.

    Attributes:
        problems: counts what is wrong with the listing.
        next: address of the next page of a feed in pages; empty if there is none.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.problems = Problems()
        self.next = ""
        self._site = site_of(url)
        self._entries: dict[str, Entry] = {}
        self._dates: dict[str, str] = {}
        self._read = 0

    def add(  # noqa: PLR0913 - the fields of an entry
        self,
        url: str,
        kind: Literal["page", "sitemap"] = "page",
        *,
        lastmod: str = "",
        published: str = "",
        language: str = "",
        alternates: Iterable[Alternate] = (),
    ) -> None:
        """Add an entry with an address from :meth:`address`; all else is as the listing has it."""
        if url in self._entries:
            self.problems.add("repeated")
            return
        self._entries[url] = Entry(
            url,
            kind,
            lastmod=self._date(lastmod),
            published=self._date(published),
            language=language.strip(),
            alternates=tuple(alternates),
        )

    def is_full(self) -> bool:
        """Tell, and count, whether a further entry is one too many."""
        full = self._read >= MAX_ENTRIES
        self.problems.add("entries-many", full)
        return full

    def address(self, *candidates: tuple[str, str]) -> str:
        """Return the first candidate that is a web address, absolute and canonical.

        What was mended in it is counted; if none is an address, why the first one is not.

        Args:
            candidates: addresses as the listing has them, entities replaced, each with the address
                that it is relative to.
        """
        self._read += 1
        first = "address-missing"
        for written, base in candidates:
            mended: Counter[str] = Counter()
            address, wrong = self._resolve(written.strip(), base, mended)
            if address:
                for name, number in mended.items():
                    self.problems.add(name, number)
                return address
            first = wrong if first == "address-missing" else first
        self.problems.add(first)
        return ""

    def _resolve(self, written: str, base: str, mended: Counter[str]) -> tuple[str, str]:
        """Return an address, or an empty one and the problem."""
        if not written:
            return "", "address-missing"
        if len(written) > MAX_ADDRESS_CHARS:
            return "", "address-long"
        whole = "".join(line.strip() for line in written.splitlines()).replace("\t", "")
        whole = whole.strip(_QUOTES)
        mended["address-in-pieces"] += whole != written
        mended["address-escaped-twice"] += "&amp;" in whole
        whole = whole.replace("&amp;", "&")
        if not _WEB.match(whole):
            mended["address-relative"] += 1
            # A host without a scheme looks like a path, but the listing's own host is known.
            start, separator, _ = whole.lower().removeprefix("www.").partition("/")
            whole = f"//{whole}" if separator and start == self._site else whole
        return absolute_address(base, whole), "address-wrong"

    def _date(self, written: str) -> str:
        """Return a date in ISO 8601; empty, and counted, if it is none."""
        written = written.strip()
        if not written:
            return ""
        found = self._dates.get(written)
        if found is None:
            found = self._dates[written] = read_listed_date(written)
        self.problems.add("date-wrong", not found)
        return found

    def listing(self, kind: Kind) -> Listing:
        """Return the listing."""
        following = "" if self.next == canonical_address(self.url) else self.next
        return Listing(kind, tuple(self._entries.values()), dict(self.problems), following)


def absolute_address(base: str, written: str) -> str:
    """Resolve an address and return its canonical form; empty if it is no web address."""
    # Some addresses have a scheme for feed readers in place of http, or before it.
    written = _FEED_SCHEME.sub(
        lambda match: "http" if match[0].lower() == "feed" else "", written, count=1
    )
    if _OTHER_SCHEME.match(written) and not _ABSOLUTE.match(written):
        return ""
    try:
        address = canonical_address(
            written if _ABSOLUTE.match(written) else urljoin(base, written),
        )
        sound = _SOUND.match(address)
        if sound is None:
            return ""
        if sound["port"]:
            _ = urlsplit(address).port  # raises ValueError if the port is out of range
    except ValueError:
        return ""
    return address


def read_listed_date(written: str) -> str:
    """Return a date in ISO 8601, as exact as it was written; empty if it is none.

    Reads the W3C's profile of ISO 8601 (a year or a month alone too), RFC 822 and 5322, seconds
    and milliseconds since 1970, and what people write. Years are those from 1990 to 2100: 1970
    and 0000 mean that the date is not known.
    """
    written = written.strip()[:_DATE_CHARS]
    if short := _YEAR_OR_MONTH.fullmatch(written):
        return written if FIRST_YEAR <= int(short["year"]) < _LAST_YEAR else ""
    date = read_date(_SHORT_YEAR.sub(_with_century, written, count=1))
    return date.text if date else ""


def _with_century(match: re.Match[str]) -> str:
    year = int(match[2])
    return f"{match[1]}{year + (2000 if year < _SHORT_YEARS_OF_2000 else 1900)}"
