"""The formats of listings.

The sitemap protocol (sitemaps.org) with Google's news; feeds: RSS 0.9 to 2.0, RSS 1.0 in RDF, Atom
0.3 and 1.0; lists of addresses, one a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from crawler.core.listings.entries import (
    MAX_ALTERNATES,
    Alternate,
    Collector,
    Entry,
    Listing,
    absolute_address,
)
from crawler.core.listings.markup import CHANGED, PUBLISHED, Node, Record, Scanner
from crawler.core.page.addresses import address_site

_CONTAINERS = ("urlset", "sitemapindex")
_IS_SITEMAP = re.compile(r"(?:\.xml|sitemap[^/?]*\.txt)(?:\.gz)?(?:\?|$)", re.IGNORECASE)

_WEB = ("http://", "https://")
# The addresses that WordPress and Blogger give the comments of a page.
_OF_COMMENT = re.compile(r"#(?:comment|c)[-_]?\d|[?&]showcomment=", re.IGNORECASE)
# One of an entry's links is its address: the first that is sound, HTML before others.
_MOST_LINKS = 32

_PATH = re.compile(r"\.{0,2}/")
_LINE = re.compile(r"[^\r\n\x85\u2028\u2029]+")
# In prose with an address in it, most lines are no addresses.
_LEAST_ADDRESSES = 0.5


def read_sitemap(text: str, start: int, collector: Collector) -> None:
    """Read a sitemap or an index of sitemaps, from the offset of its root.

    The order of elements matters little: a sitemap inside a sitemap, pages in an index, entries
    without a root are all read. Whether an entry is a page or a sitemap is decided by its element
    and, if the document contradicts that, by its address.
    """
    problems = collector.problems
    for record in Scanner(collector.url, ("url", "sitemap"), problems).scan(text, start):
        address = record.texts.get("loc", "")
        url = _address(record, [(address, collector.url)] if address else [], collector)
        if not url:
            continue
        is_sitemap = record.node.name == "sitemap" or _IS_SITEMAP.search(url) is not None
        container = next((its for its in reversed(record.around) if its in _CONTAINERS), "")
        if is_sitemap != (container == "sitemapindex"):
            problems.add("sitemap-among-pages" if is_sitemap else "index-with-pages")
        alternates = tuple(_alternates(record, collector)) if record.links else ()
        own = next((its.language for its in alternates if its.url == url), "")
        language = "" if own == "x-default" else own
        entry = _entry(record, url, language, collector)
        if is_sitemap or alternates:
            kind: Literal["page", "sitemap"] = "sitemap" if is_sitemap else "page"
            entry = replace(entry, kind=kind, alternates=alternates)
        collector.add(entry)


def _address(record: Record, written: Sequence[tuple[str, str]], collector: Collector) -> str:
    """Return the address of an entry; empty where it has none, and where it is one too many."""
    # An entry that is cut off before its address is none.
    if not (written or record.is_whole) or collector.is_full():
        return ""
    return collector.address(*written)


def _entry(record: Record, url: str, language: str, collector: Collector) -> Entry:
    """Return an entry with the dates that it has, and its language, or else that of the listing."""
    texts = record.texts
    changed = next((texts[name] for name in CHANGED if texts.get(name, "").strip()), "")
    published = next((texts[name] for name in PUBLISHED if texts.get(name, "").strip()), "")
    return Entry(
        url,
        lastmod=collector.date(changed),
        published=collector.date(published),
        language=texts.get("language", "").strip() or language.strip(),
    )


def _alternates(record: Record, collector: Collector) -> Iterator[Alternate]:
    seen: set[str] = set()
    for node, _ in record.links:
        language = node.attributes.get("hreflang", "").strip()
        if not language or "alternate" not in _relations(node):
            continue
        if len(seen) >= MAX_ALTERNATES:
            collector.problems.add("alternates-many")
        elif not (url := absolute_address(collector.url, node.attributes["href"].strip())):
            collector.problems.add("alternate-wrong")
        elif language not in seen:
            seen.add(language)
            yield Alternate(url, language)


def read_feed(text: str, start: int, collector: Collector) -> None:
    """Read a feed in XML, from the offset of its root.

    The address of an entry is the first of these that it has: the address that FeedBurner replaced,
    the link to the page, a ``guid`` that is a permanent link, an ``id`` or ``rdf:about`` that is a
    web address. Files that belong to an entry (``enclosure``) and its text are ignored. Of a
    comment on a page, which has a date of its own, only the page's address is taken.
    """
    scanner = Scanner(collector.url, ("item", "entry"), collector.problems)
    for record in scanner.scan(text, start):
        written = _addresses(record)
        if not (url := _address(record, written, collector)):
            continue
        of_comment = _OF_COMMENT.search(written[0][0])
        language = scanner.head.texts.get("language", "")
        collector.add(Entry(url) if of_comment else _entry(record, url, language, collector))
    following = (
        absolute_address(base, node.attributes["href"].strip())
        for node, base in scanner.head.links
        if "next" in _relations(node)
    )
    collector.next = next(filter(None, following), "")


def _addresses(record: Record) -> list[tuple[str, str]]:
    """Return the addresses that an entry may have, best first, with what each is relative to."""
    texts, base = record.texts, record.base
    links = [
        ("html" not in node.attributes.get("type", "html").lower(), node.attributes["href"], own)
        for node, own in record.links
        if "alternate" in _relations(node)
    ]
    names = (
        texts.get("guid", ""),
        texts.get("id", ""),
        record.node.attributes.get("rdf:about", ""),
    )
    found = [
        (texts.get("origlink", ""), base),
        *((href, own) for _, href, own in sorted(links[:_MOST_LINKS], key=lambda its: its[0])),
        (texts.get("link", ""), base),
        *((name, base) for name in names if name.strip().lower().startswith(_WEB)),
    ]
    return [(written, base) for written, base in found if written.strip()]


def _relations(node: Node) -> list[str]:
    return node.attributes.get("rel", "").lower().split() or ["alternate"]


def read_lines(text: str, collector: Collector, *, cut: bool = False) -> Listing:
    """Read a list of one address a line.

    Blank lines, lines that begin with ``#``, and text behind an address and white space are
    ignored. An address may be relative if it begins with ``/``, ``./``, ``../`` or the listing's
    own host. If most lines are no addresses, the text is no listing.

    Args:
        text: the list.
        collector: takes the entries.
        cut: whether the list was cut off, so that its last line is not whole.
    """
    if cut and not text.endswith(("\n", "\r")):
        text = text[: max(text.rfind("\n"), text.rfind("\r")) + 1]
        collector.problems.add("cut-off")
    host = address_site(collector.url) + "/"
    # Read twice, since a list of millions of lines takes many times the memory of the text.
    found = wrong = 0
    for address in _line_addresses(text, host):
        found += bool(address)
        wrong += not address
    if not found or found < (found + wrong) * _LEAST_ADDRESSES:
        collector.problems.add("unknown")
        return collector.listing("none")
    collector.problems.add("line-wrong", wrong)
    for address in _line_addresses(text, host):
        if address and not collector.is_full():
            url = collector.address((address, collector.url))
            if url:
                collector.add(Entry(url))
    return collector.listing("text")


def _line_addresses(text: str, host: str) -> Iterator[str]:
    """Yield the address of each line that is neither blank nor a comment; empty for none."""
    for line in _LINE.finditer(text):
        written = line[0].partition("\t")[0].split(maxsplit=1)[:1]
        if not written or written[0].startswith("#"):
            continue
        lowered = written[0].lower()
        plain = lowered.removeprefix("www.")
        is_address = lowered.startswith(_WEB) or _PATH.match(lowered) or plain.startswith(host)
        yield written[0] if is_address else ""
