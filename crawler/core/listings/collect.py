"""From the data of a listing to its entries: addresses, dates and titles made sound."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Literal
from urllib.parse import urljoin, urlsplit

from crawler.core.listings.markup import unescape
from crawler.core.listings.entries import (
    MAX_ADDRESS_CHARS,
    MAX_ENTRIES,
    Alternate,
    Entry,
    Kind,
    Listing,
    Problems,
)
from crawler.core.metadata.dates import FIRST_YEAR, read_date
from crawler.core.page.addresses import canonical_address
from crawler.core.page.page import site_of
from crawler.core.page.text import drop_unseen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_ABSOLUTE = re.compile(r"https?://[^/]", re.IGNORECASE)
_WEB = re.compile(r"https?:", re.IGNORECASE)
_FEED_SCHEME = re.compile(r"feed:(?://)?(?=https?:)|feed(?=://)", re.IGNORECASE)
_OTHER_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
# A canonical address that a server can be asked for: w3lib accepts hosts that cannot exist.
_SOUND = re.compile(
    r"https?://(?:[^\s/@]*+@)?(?:\[[0-9A-Fa-f:.]++\]|[^\s<>\"\\^`{|}\[\],%\ufffd/?#@:]++)"
    r"(?P<port>:\d++)?/"
)
_QUOTES = "\"'<>\u201c\u201d"
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
# Dates of the W3C's profile of ISO 8601 that name no day.
_YEAR_OR_MONTH = re.compile(r"(?P<year>\d{4})(?:-(?:0[1-9]|1[0-2]))?")
_LAST_YEAR = 2100
# RFC 822 writes years with two digits; RFC 2822 and 5322 read 00 to 49 as of this century.
_SHORT_YEAR = re.compile(r"(?<!\d)(\d{1,2}[ -][A-Za-z]{3,9}[ -])(\d\d)(?= \d{1,2}:\d\d)")
_SHORT_YEARS_OF_2000 = 50
_DATE_CHARS = 80


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
        title: str = "",
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
            title=clean_title(title),
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


def clean_title(text: str) -> str:
    """Make plain text of a title; many feeds have HTML in titles, escaped once more."""
    if "&" in text:
        text = unescape(text)
    if "<" in text:
        text = _TAG.sub("", text)
    return " ".join(drop_unseen(text).split())


def first_of(fields: Mapping[str, str], names: Iterable[str]) -> str:
    """Return the first of some fields that is there and not blank."""
    return next((value for name in names if (value := fields.get(name, "").strip())), "")


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
