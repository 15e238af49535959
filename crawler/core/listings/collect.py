"""From what a listing says of a page to its entry: addresses, dates and titles made sound."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal
from urllib.parse import urljoin, urlsplit

from crawler.core.listings.dates import read_listed_date
from crawler.core.listings.markup import unescape
from crawler.core.listings.model import (
    MAX_ADDRESS_CHARS,
    MAX_ENTRIES,
    Alternate,
    Entry,
    Kind,
    Listing,
    Problems,
)
from crawler.core.page.addresses import canonical_address
from crawler.core.page.page import site_of
from crawler.core.page.text import drop_unseen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Collector", "absolute_address", "clean_title", "first_of"]

_ABSOLUTE = re.compile(r"https?://[^/]", re.IGNORECASE)
_WEB = re.compile(r"https?:", re.IGNORECASE)
_FEED_SCHEME = re.compile(r"feed:(?://)?(?=https?:)|feed(?=://)", re.IGNORECASE)
_OTHER_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
# A canonical address that a server can be asked for: w3lib passes on hosts that cannot be.
_SOUND = re.compile(
    r"https?://(?:[^\s/@]*+@)?(?:\[[0-9A-Fa-f:.]++\]|[^\s<>\"\\^`{|}\[\],%\ufffd/?#@:]++)"
    r"(?P<port>:\d++)?/"
)
_QUOTES = "\"'<>\u201c\u201d"
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")


@dataclass(slots=True)
class Collector:
    """Gathers the entries of the listing at ``url``, each address once."""

    url: str
    problems: Problems
    next: str = ""
    _entries: dict[str, Entry] = field(default_factory=dict)
    _dates: dict[str, str] = field(default_factory=dict)
    _site: str = ""
    _read: int = 0
    _foreign: dict[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Name the listing's own site once."""
        self._site = site_of(self.url)

    def add(  # noqa: PLR0913 - what an entry holds
        self,
        url: str,
        kind: Literal["page", "sitemap"] = "page",
        *,
        lastmod: str = "",
        published: str = "",
        title: str = "",
        language: str = "",
        publication: str = "",
        alternates: Iterable[tuple[str, str]] = (),
    ) -> None:
        """Add an entry whose address is absolute already; dates are still as they were written."""
        if url in self._entries:
            self.problems.add("repeated")
        else:
            self._entries[url] = Entry(
                url,
                kind,
                foreign=self._is_foreign(url),
                lastmod=self.date(lastmod),
                published=self.date(published),
                title=clean_title(title),
                language=language.strip(),
                publication=clean_title(publication),
                alternates=tuple(Alternate(*pair) for pair in alternates),
            )

    def is_full(self) -> bool:
        """Tell, and count, that a further entry is one too many."""
        full = self._read >= MAX_ENTRIES
        self.problems.add("entries-many", full)
        return full

    def _is_foreign(self, url: str) -> bool:
        host = url.split("/", 3)[2]
        if host not in self._foreign:
            self._foreign[host] = site_of(url) != self._site
        return self._foreign[host]

    def address(self, *candidates: tuple[str, str]) -> str:
        """Return the first address that names a web page, absolute and canonical.

        What was mended in it is counted; where there is none, why the first one is none.

        Args:
            candidates: addresses as the listing has them, entities replaced, each with the address
                it is relative to.
        """
        self._read += 1
        first = "address-missing"
        for written, base in candidates:
            mended: Counter[str] = Counter()
            address, wrong = self._resolve(written, base, mended)
            if address:
                self.problems.counts.update(mended)
                return address
            first = wrong if first == "address-missing" else first
        self.problems.add(first)
        return ""

    def _resolve(self, written: str, base: str, mended: Counter[str]) -> tuple[str, str]:
        """Return an address, or an empty one and the problem that there is."""
        text = written.strip()
        if not text:
            return "", "address-missing"
        if len(text) > MAX_ADDRESS_CHARS:
            return "", "address-long"
        whole = "".join(line.strip() for line in text.splitlines()).replace("\t", "")
        whole = whole.strip(_QUOTES)
        mended["address-in-pieces"] += whole != text
        mended["address-escaped-twice"] += "&amp;" in whole
        whole = whole.replace("&amp;", "&")
        if not _WEB.match(whole):
            mended["address-relative"] += 1
            whole = self._with_scheme(whole)
        return absolute_address(base, whole), "address-wrong"

    def _with_scheme(self, text: str) -> str:
        """Tell a host without a scheme from a path: the listing's own host is known."""
        start, separator, _ = text.lower().removeprefix("www.").partition("/")
        return f"//{text}" if separator and start == self._site else text

    def date(self, written: str) -> str:
        """Return a date in ISO 8601; empty, and counted, where it is none."""
        written = written.strip()
        if not written:
            return ""
        found = self._dates.get(written)
        if found is None:
            found = self._dates[written] = read_listed_date(written)
        if not found:
            self.problems.add("date-wrong")
        return found

    def listing(self, kind: Kind) -> Listing:
        """Return what was gathered."""
        following = "" if self.next == canonical_address(self.url) else self.next
        return Listing(kind, tuple(self._entries.values()), self.problems.lines(), following)


def absolute_address(base: str, written: str) -> str:
    """Resolve an address and write it in its canonical form; empty where it names no web page."""
    written = _FEED_SCHEME.sub(_plain_scheme, written, count=1)
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
            _ = urlsplit(address).port  # a port out of range raises when it is looked at
    except ValueError:
        return ""
    return address


def _plain_scheme(match: re.Match[str]) -> str:
    """Return what stands for the scheme of an address meant for programs that read feeds."""
    return "http" if match[0].lower() == "feed" else ""


def clean_title(text: str) -> str:
    """Make plain text of a title, in which many feeds put HTML, escaped once more."""
    if "&" in text:
        text = unescape(text)
    if "<" in text:
        text = _TAG.sub("", text)
    return " ".join(drop_unseen(text).split())


def first_of(fields: Mapping[str, str], names: Iterable[str]) -> str:
    """Return the first of some fields that is there and not blank."""
    return next((value for name in names if (value := fields.get(name, "").strip())), "")
