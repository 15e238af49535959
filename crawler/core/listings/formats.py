"""The formats of listings.

The sitemap protocol (sitemaps.org) with Google's news; feeds: RSS 0.9 to 2.0, RSS 1.0 in RDF, Atom
0.3 and 1.0, JSON Feed; lists of addresses, one a line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import ClassVar
from urllib.parse import urljoin

from crawler.core.listings.entries import (
    MAX_ALTERNATES,
    MAX_JSON_CHARS,
    Alternate,
    Collector,
    Listing,
    absolute_address,
)
from crawler.core.listings.markup import Node, Scanner
from crawler.core.page.addresses import address_site
from crawler.core.page.page import site_of

_INDEX = "sitemapindex"
_OWN, _OWN_NAMES = frozenset({"", "other"}), frozenset({"loc", "lastmod"})
_NEWS = frozenset({"publication_date", "language"})
# Elements of other vocabularies that have a loc of their own.
_MEDIA = frozenset({"image", "video"})
_IS_SITEMAP = re.compile(r"(?:\.xml|sitemap[^/?]*\.txt)(?:\.gz)?(?:\?|$)", re.IGNORECASE)

_PUBLISHED = ("pubdate", "published", "issued", "date", "created")
_CHANGED = ("updated", "modified")
_FIELDS = frozenset({"guid", "id", "link", "language", *_PUBLISHED, *_CHANGED})
_SPACES = frozenset({"", "atom", "dc"})
_WEB = ("http://", "https://")
# The addresses that WordPress and Blogger give the comments of a page.
_OF_COMMENT = re.compile(r"#(?:comment|c)[-_]?\d|[?&]showcomment=", re.IGNORECASE)
# An entry is inside this many elements at most; deeper ones say nothing of its base.
_MAX_DEPTH = 8
# One of an entry's links is its address: the first that is sound, HTML before others.
_MAX_LINKS = 32
_JSON_FEED = "jsonfeed.org/version/"

_PATH = re.compile(r"\.{0,2}/")
_LINE = re.compile(r"[^\r\n\x85\u2028\u2029]+")
# In prose with an address in it, most lines are no addresses.
_LEAST_ADDRESSES = 0.5


class SitemapReader(Scanner):
    """Reads a sitemap or an index of sitemaps.

    The order of elements matters little: a sitemap inside a sitemap, pages in an index, entries
    without a root are all read. Whether an entry is a page or a sitemap is decided by its element
    and, if the document contradicts that, by its address.
    """

    records: ClassVar[frozenset[str]] = frozenset({"url", "sitemap"})

    def __init__(self, collector: Collector) -> None:
        super().__init__(collector)
        self._in_index = self._is_sitemap = False
        self._alternates: dict[str, str] = {}

    def start(self, node: Node) -> bool:
        """Begin an entry, or tell whether a field's text is wanted."""
        parent = self.open[-1].name if self.open else ""
        if node.name in {"urlset", _INDEX}:
            self._in_index = node.name == _INDEX
        elif node.name in self.records and not node.space and parent not in _MEDIA:
            self.record, self._is_sitemap = node, node.name == "sitemap"
            self.fields.clear()
            self._alternates.clear()
        elif self.record is not None and node.name == "link":
            self._add_alternate(node)
        elif self.record is not None:
            is_own = self.open[-1] is self.record and node.space in _OWN and node.name in _OWN_NAMES
            is_news = node.space == "news" or parent in {"news", "publication"}
            return is_own or (is_news and node.name in _NEWS)
        return False

    def candidates(self) -> list[tuple[str, str]]:
        """Return the address of the entry, if it has one."""
        address = self.fields.get("loc", "")
        return [(address, self.collector.url)] if address else []

    def add(self, url: str) -> None:
        """Add the entry that ends; its element and its address tell whether it is a sitemap."""
        fields = self.fields
        is_sitemap = self._is_sitemap or _IS_SITEMAP.search(url) is not None
        if is_sitemap != self._in_index:
            self.problems.add("sitemap-among-pages" if is_sitemap else "index-with-pages")
        own = next((name for name, other in self._alternates.items() if other == url), "")
        self.collector.add(
            url,
            "sitemap" if is_sitemap else "page",
            lastmod=fields.get("lastmod", ""),
            published=fields.get("publication_date", ""),
            language=fields.get("language", "") or ("" if own == "x-default" else own),
            alternates=(Alternate(other, name) for name, other in self._alternates.items()),
        )

    def _add_alternate(self, node: Node) -> None:
        attributes = node.attributes
        language = attributes.get("hreflang", "").strip()
        if not language or "alternate" not in attributes.get("rel", "").lower().split():
            return
        if len(self._alternates) >= MAX_ALTERNATES:
            self.problems.add("alternates-many")
        elif not (url := absolute_address(self.collector.url, attributes.get("href", "").strip())):
            self.problems.add("alternate-wrong")
        else:
            self._alternates.setdefault(language, url)


class FeedReader(Scanner):
    """Reads a feed in XML.

    The address of an entry is the first of these that it has: the address that FeedBurner replaced,
    the link to the page, a ``guid`` that is a permanent link, an ``id`` or ``rdf:about`` that is a
    web address. Files that belong to an entry (``enclosure``) and its text are ignored. Of a
    comment on a page, which has a date of its own, only the page's address is taken.
    """

    records: ClassVar[frozenset[str]] = frozenset({"item", "entry"})

    def __init__(self, collector: Collector) -> None:
        super().__init__(collector)
        self._base = self._about = ""
        self._home = ""
        self._language = ""
        self._archive = ""
        self._links: list[tuple[bool, str, str]] = []

    def scan(self, text: str, start: int) -> None:
        """Read a feed, and settle which address leads on: the next page, else the older archive."""
        super().scan(text, start)
        self.collector.next = self.collector.next or self._archive

    def start(self, node: Node) -> bool:
        """Begin an entry, or tell whether a field's text is wanted."""
        if self.record is None:
            if node.name not in self.records or node.space not in _SPACES:
                return self._about_feed(node)
            self.record = node
            self._base, self._about = self._base_of(node), node.attributes.get("rdf:about", "")
            self._links.clear()
            self.fields.clear()
            if language := node.attributes.get("xml:lang", ""):
                self.fields["language"] = language
            return False
        return self.open[-1] is self.record and self._about_entry(node)

    def keep(self, node: Node, text: str) -> None:
        """Take a text of the entry, or of the feed itself."""
        if self.record is not None:
            # A guid that is no permanent link names no page.
            if node.attributes.get("ispermalink", "").strip().lower() != "false":
                super().keep(node, text)
        elif node.name == "link":
            self._home = self._home or absolute_address(self._base_of(node), text.strip())
        else:
            self._language = self._language or text.strip()

    def candidates(self) -> list[tuple[str, str]]:
        """Return the addresses the entry may have, best first, with what each is relative to."""
        fields, base = self.fields, self._from_home(self._base)
        found = [(fields.get("origlink", ""), base)]
        links = sorted(self._links, key=lambda link: link[0])
        found += [(href, self._from_home(own)) for _, href, own in links]
        found.append((fields.get("link", ""), base))
        names = [fields.get("guid", ""), fields.get("id", ""), self._about]
        found += [(name, base) for name in names if name.strip().lower().startswith(_WEB)]
        return [(written, base) for written, base in found if written.strip()]

    def add(self, url: str) -> None:
        """Add the entry that ends."""
        if _OF_COMMENT.search(self.candidates()[0][0]):
            self.collector.add(url)
            return
        fields = {name: text for name, text in self.fields.items() if text.strip()}
        self.collector.add(
            url,
            lastmod=next((fields[name] for name in _CHANGED if name in fields), ""),
            published=next((fields[name] for name in _PUBLISHED if name in fields), ""),
            language=self.fields.get("language", "") or self._language,
        )

    def _about_feed(self, node: Node) -> bool:
        if node.name in {"rss", "rdf", "channel", "feed"}:
            self._language = self._language or node.attributes.get("xml:lang", "").strip()
        parent = self.open[-1].name if self.open else ""
        if parent not in {"channel", "feed", "rss"} or node.space not in _SPACES:
            return False
        if node.name == "link" and "href" in node.attributes:
            relations = _relations(node)
            address = absolute_address(self._base_of(node), node.attributes["href"].strip())
            if "next" in relations:
                self.collector.next = self.collector.next or address
            elif "prev-archive" in relations:
                self._archive = self._archive or address
            elif "alternate" in relations:
                self._home = self._home or address
            return False
        return node.name in {"link", "language"}

    def _about_entry(self, node: Node) -> bool:
        attributes = node.attributes
        if node.name == "origlink" or node.space not in _SPACES:
            return node.name == "origlink"
        if node.name == "link" and "href" in attributes:
            if len(self._links) < _MAX_LINKS and "alternate" in _relations(node):
                is_other = "html" not in attributes.get("type", "html").lower()
                self._links.append((is_other, attributes["href"], self._base_of(node)))
            return False
        return node.name in _FIELDS

    def _base_of(self, node: Node) -> str:
        """Return what an element's addresses are relative to, by ``xml:base`` (W3C XML Base)."""
        base = self.collector.url
        for element in (*self.open[:_MAX_DEPTH], node):
            if written := element.attributes.get("xml:base", "").strip():
                try:
                    base = urljoin(base, written)
                except ValueError:
                    self.problems.add("address-wrong")
        return base

    def _from_home(self, base: str) -> str:
        """Return the site's own address for that of a service which serves its feed.

        Such services leave the relative addresses in the feeds of others as they are.
        """
        if base != self.collector.url or not self._home or site_of(self._home) == site_of(base):
            return base
        return self._home


def _relations(node: Node) -> list[str]:
    return node.attributes.get("rel", "").lower().split() or ["alternate"]


def read_json_feed(text: str, collector: Collector) -> Listing:
    """Read a JSON Feed (jsonfeed.org, versions 1 and 1.1)."""
    if len(text) > MAX_JSON_CHARS:
        collector.problems.add("json-long")
        return collector.listing("none")
    try:
        # A feed is an object: nothing else is worth the memory.
        feed = json.loads(text) if text.startswith("{") else None
    except (ValueError, RecursionError):
        feed = None
    items = feed.get("items") if isinstance(feed, dict) else None
    if not isinstance(feed, dict) or not isinstance(items, list) or not _is_feed(feed, items):
        collector.problems.add("json-wrong")
        return collector.listing("none")
    for item in items:
        if not collector.is_full():
            _add_item(item if isinstance(item, dict) else {}, _text(feed, "language"), collector)
    if following := _text(feed, "next_url"):
        collector.next = absolute_address(collector.url, following)
    return collector.listing("json-feed")


def _is_feed(feed: Mapping[str, object], items: list[object]) -> bool:
    if _JSON_FEED in _text(feed, "version"):
        return True
    return any(isinstance(item, dict) and _text(item, "url") for item in items)


def _add_item(item: Mapping[str, object], language: str, collector: Collector) -> None:
    names = [_text(item, name) for name in ("url", "external_url", "id")]
    if not names[-1].lower().startswith(_WEB):
        names.pop()
    url = collector.address(*((name, collector.url) for name in names if name))
    if url:
        collector.add(
            url,
            lastmod=_text(item, "date_modified"),
            published=_text(item, "date_published"),
            language=_text(item, "language") or language,
        )


def _text(record: Mapping[str, object], name: str) -> str:
    value = record.get(name)
    # Half of a character pair can be written in JSON, but not in UTF-8.
    return value.encode("utf-8", "replace").decode().strip() if isinstance(value, str) else ""


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
                collector.add(url)
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
