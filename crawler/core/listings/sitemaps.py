"""Listings of the sitemap protocol (sitemaps.org): XML, with Google's news; addresses in lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Literal

from crawler.core.listings.entries import absolute_address
from crawler.core.listings.markup import Node, Scanner, Take
from crawler.core.listings.entries import MAX_ALTERNATES, Alternate
from crawler.core.page.addresses import address_site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.core.listings.entries import Collector
    from crawler.core.listings.entries import Listing

_RECORDS = frozenset({"url", "sitemap"})
_INDEX = "sitemapindex"
_FIELDS = frozenset({"loc", "lastmod"})
_OWN = frozenset({"", "other"})
_NEWS = frozenset({"publication_date", "title", "language"})
# Elements of other vocabularies that have a loc or a title of their own.
_MEDIA = frozenset({"image", "video"})
_IS_SITEMAP = re.compile(r"(?:\.xml|sitemap[^/?]*\.txt)(?:\.gz)?(?:\?|$)", re.IGNORECASE)

_WEB = re.compile(r"https?://", re.IGNORECASE)
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

    records: ClassVar[frozenset[str]] = _RECORDS

    def __init__(self, collector: Collector) -> None:
        super().__init__(collector)
        self._record: Node | None = None
        self._in_index = False
        self._fields: dict[str, str] = {}
        self._alternates: dict[str, str] = {}

    def start(self, node: Node) -> Take:
        """Begin an entry, or tell whether a field's text is wanted."""
        parent = self.open[-1].name if self.open else ""
        if node.name in {"urlset", _INDEX}:
            self._in_index = node.name == _INDEX
        elif node.name in _RECORDS and not node.space and parent not in _MEDIA:
            self._record = node
            self._fields.clear()
            self._alternates.clear()
        elif self._record is None:
            return "nothing"
        elif node.name == "link":
            self._add_alternate(node)
        elif self.open[-1] is self._record and node.space in _OWN and node.name in _FIELDS:
            return "leaf"
        elif node.name in _NEWS and (node.space == "news" or parent in {"news", "publication"}):
            return "all" if node.name == "title" else "leaf"
        return "nothing"

    def end(self, node: Node, text: str, *, cut: bool) -> None:
        """Keep a field's text, or add the entry that ends."""
        if node is self._record:
            if (not cut or "loc" in self._fields) and not self.collector.is_full():
                self._finish(node)
            self._record = None
        elif text and not cut:
            self._fields.setdefault(node.name, text)

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

    def _finish(self, node: Node) -> None:
        fields = self._fields
        url = self.collector.address((fields.get("loc", ""), self.collector.url))
        if not url:
            return
        own = next((name for name, other in self._alternates.items() if other == url), "")
        self.collector.add(
            url,
            self._kind(node, url),
            lastmod=fields.get("lastmod", ""),
            published=fields.get("publication_date", ""),
            title=fields.get("title", ""),
            language=fields.get("language", "") or ("" if own == "x-default" else own),
            alternates=(Alternate(other, name) for name, other in self._alternates.items()),
        )

    def _kind(self, node: Node, url: str) -> Literal["page", "sitemap"]:
        is_sitemap = node.name == "sitemap" or _IS_SITEMAP.search(url) is not None
        if is_sitemap != self._in_index:
            self.problems.add("sitemap-among-pages" if is_sitemap else "index-with-pages")
        return "sitemap" if is_sitemap else "page"


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
        plain = written[0].lower().removeprefix("www.")
        is_address = _WEB.match(written[0]) or _PATH.match(written[0]) or plain.startswith(host)
        yield written[0] if is_address else ""
