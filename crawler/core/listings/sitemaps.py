"""Sitemaps and indexes of sitemaps, by the protocol of sitemaps.org and Google's news sitemaps."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from crawler.core.listings.collect import absolute_address
from crawler.core.listings.markup import Take
from crawler.core.listings.model import MAX_ALTERNATES

if TYPE_CHECKING:
    from crawler.core.listings.collect import Collector
    from crawler.core.listings.markup import Node

__all__ = ["SitemapReader"]

_RECORDS = frozenset({"url", "sitemap"})
_INDEX = "sitemapindex"
_FIELDS = frozenset({"loc", "lastmod"})
_OWN = frozenset({"", "other"})
_NEWS = frozenset({"publication_date", "title", "name", "language"})
# Elements of other vocabularies that hold a loc or a title of their own.
_MEDIA = frozenset({"image", "video"})
_IS_SITEMAP = re.compile(r"(?:\.xml|sitemap[^/?]*\.txt)(?:\.gz)?(?:\?|$)", re.IGNORECASE)


@dataclass(slots=True)
class SitemapReader:
    """Takes the entries of a sitemap from its elements.

    Where elements stand is taken lightly: a sitemap within a sitemap, pages in an index, entries
    without a root are all read. Whether an entry is a page or a sitemap goes by its element and,
    where the document contradicts that, by its address.
    """

    collector: Collector
    records: frozenset[str] = _RECORDS
    _record: Node | None = None
    _in_index: bool = False
    _fields: dict[str, str] = field(default_factory=dict)
    _alternates: dict[str, str] = field(default_factory=dict)

    def start(self, node: Node, parents: list[Node]) -> Take:
        """Begin an entry, or tell whether a field's text is wanted."""
        parent = parents[-1].name if parents else ""
        if node.name in {"urlset", _INDEX}:
            self._in_index = node.name == _INDEX
        elif node.name in _RECORDS and not node.space and parent not in _MEDIA:
            self._record = node
            self._fields.clear()
            self._alternates.clear()
        elif self._record is None:
            return Take.NOTHING
        elif node.name == "link":
            self._add_alternate(node)
        elif parents[-1] is self._record and node.space in _OWN and node.name in _FIELDS:
            return Take.LEAF
        elif node.name in _NEWS and (node.space == "news" or parent in {"news", "publication"}):
            return Take.ALL if node.name == "title" else Take.LEAF
        return Take.NOTHING

    def end(self, node: Node, parents: list[Node], text: str, *, cut: bool) -> None:  # noqa: ARG002 - the scanner tells all handlers the same
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
            self.collector.problems.add("alternates-many")
        elif not (url := absolute_address(self.collector.url, attributes.get("href", "").strip())):
            self.collector.problems.add("alternate-wrong")
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
            publication=fields.get("name", ""),
            alternates=[(other, name) for name, other in self._alternates.items()],
        )

    def _kind(self, node: Node, url: str) -> Literal["page", "sitemap"]:
        problems = self.collector.problems
        if self._in_index:
            if node.name == "sitemap" or _IS_SITEMAP.search(url):
                return "sitemap"
            problems.add("index-with-pages")
            return "page"
        if node.name == "sitemap" or _IS_SITEMAP.search(url):
            problems.add("sitemap-among-pages")
            return "sitemap"
        return "page"
