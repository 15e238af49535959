"""Feeds in XML: RSS 0.9 to 2.0, RSS 1.0 in RDF, Atom 0.3 and 1.0."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from crawler.core.listings.collect import absolute_address, first_of
from crawler.core.listings.markup import Take
from crawler.core.page.page import site_of

if TYPE_CHECKING:
    from crawler.core.listings.collect import Collector
    from crawler.core.listings.markup import Node

__all__ = ["FeedReader"]

_RECORDS = frozenset({"item", "entry"})
_PUBLISHED = ("pubdate", "published", "issued", "date", "created")
_CHANGED = ("updated", "modified")
_FIELDS = frozenset({"guid", "id", "link", "language", *_PUBLISHED, *_CHANGED})
_SPACES = frozenset({"", "atom", "dc"})
_WEB = ("http://", "https://")
# The addresses that WordPress and Blogger give the comments of a page.
_OF_COMMENT = re.compile(r"#(?:comment|c)[-_]?\d|[?&]showcomment=", re.IGNORECASE)
# An entry lies this deep at most; what stands deeper says nothing of its base.
_MAX_DEPTH = 8
# One of an entry's links is its address: the first that is sound, of HTML before others.
_MAX_LINKS = 32


@dataclass(slots=True)
class FeedReader:
    """Takes the entries of a feed from its elements.

    The address of an entry is, by what it has: the address that FeedBurner hid, the link to the
    page, a ``guid`` that is a permanent link, an ``id`` or ``rdf:about`` that is a web address.
    Files that go with an entry (``enclosure``) and its text are passed over. Of a comment on a
    page, which has a date and a title of its own, the page's address is taken alone.
    """

    collector: Collector
    records: frozenset[str] = _RECORDS
    _record: Node | None = None
    _base: str = ""
    _home: str = ""
    _language: str = ""
    _archive: str = ""
    _fields: dict[str, str] = field(default_factory=dict)
    _links: list[tuple[bool, str, str]] = field(default_factory=list)
    _permanent: bool = True

    def start(self, node: Node, parents: list[Node]) -> Take:
        """Begin an entry, or tell whether a field's text is wanted."""
        if node.name in _RECORDS and node.space in _SPACES and self._record is None:
            self._begin(node, parents)
            return Take.NOTHING
        if self._record is None:
            return self._about_feed(node, parents)
        return self._about_entry(node) if parents[-1] is self._record else Take.NOTHING

    def end(self, node: Node, parents: list[Node], text: str, *, cut: bool) -> None:
        """Keep a field's text, or add the entry that ends."""
        if node is self._record:
            candidates = self._candidates(node)
            if (candidates or not cut) and not self.collector.is_full():
                self._finish(candidates)
            self._record = None
        elif not text or cut:
            return
        elif self._record is not None:
            self._fields.setdefault(node.name, text)
        elif node.name == "link":
            base = self._base_of(node, parents)
            self._home = self._home or absolute_address(base, text.strip())
        else:
            self._language = self._language or text.strip()

    def listing_end(self) -> None:
        """Settle which address leads on: the next page, else the archive before this one."""
        self.collector.next = self.collector.next or self._archive

    def _begin(self, node: Node, parents: list[Node]) -> None:
        self._record = node
        self._base = self._base_of(node, parents)
        self._fields.clear()
        self._links.clear()
        self._permanent = True
        if language := node.attributes.get("xml:lang", ""):
            self._fields["language"] = language

    def _about_feed(self, node: Node, parents: list[Node]) -> Take:
        if node.name in {"rss", "rdf", "channel", "feed"}:
            self._language = self._language or node.attributes.get("xml:lang", "").strip()
        parent = parents[-1].name if parents else ""
        if parent not in {"channel", "feed", "rss"} or node.space not in _SPACES:
            return Take.NOTHING
        if node.name == "link" and "href" in node.attributes:
            relations = node.attributes.get("rel", "").lower().split()
            address = absolute_address(
                self._base_of(node, parents), node.attributes["href"].strip()
            )
            if "next" in relations:
                self.collector.next = self.collector.next or address
            elif "prev-archive" in relations:
                self._archive = self._archive or address
            elif "alternate" in (relations or ["alternate"]):
                self._home = self._home or address
            return Take.NOTHING
        return Take.LEAF if node.name in {"link", "language"} else Take.NOTHING

    def _about_entry(self, node: Node) -> Take:
        if node.name == "origlink":
            return Take.LEAF
        if node.space not in _SPACES:
            return Take.NOTHING
        if node.name == "title":
            return Take.ALL
        if node.name == "link" and "href" in node.attributes:
            self._add_link(node)
            return Take.NOTHING
        if node.name == "guid":
            self._permanent = node.attributes.get("ispermalink", "").strip().lower() != "false"
        return Take.LEAF if node.name in _FIELDS else Take.NOTHING

    def _add_link(self, node: Node) -> None:
        attributes = node.attributes
        if len(self._links) < _MAX_LINKS and "alternate" in (
            attributes.get("rel", "").lower().split() or ["alternate"]
        ):
            other_type = attributes.get("type", "html").lower().find("html") < 0
            self._links.append((other_type, attributes["href"], self._base_of(node, [])))

    def _base_of(self, node: Node, parents: list[Node]) -> str:
        """Return what an element's addresses are relative to, by ``xml:base`` (W3C XML Base)."""
        base = self._base if self._record is not None and not parents else self.collector.url
        for element in (*parents[:_MAX_DEPTH], node):
            if written := element.attributes.get("xml:base", "").strip():
                try:
                    base = urljoin(base, written)
                except ValueError:
                    self.collector.problems.add("address-wrong")
        return base

    def _finish(self, candidates: list[tuple[str, str]]) -> None:
        fields = self._fields
        url = self.collector.address(*candidates)
        if not url:
            return
        if _OF_COMMENT.search(candidates[0][0]):
            self.collector.add(url)
            return
        self.collector.add(
            url,
            lastmod=first_of(fields, _CHANGED),
            published=first_of(fields, _PUBLISHED),
            title=fields.get("title", ""),
            language=fields.get("language", "") or self._language,
        )

    def _candidates(self, node: Node) -> list[tuple[str, str]]:
        """Return the addresses an entry may have, best first, with what each is relative to."""
        fields, base = self._fields, self._from_home(self._base)
        found = [(fields.get("origlink", ""), base)]
        links = sorted(self._links, key=lambda link: link[0])
        found += [(href, self._from_home(own)) for _, href, own in links]
        found.append((fields.get("link", ""), base))
        names = [fields.get("guid", "") if self._permanent else "", fields.get("id", "")]
        names.append(node.attributes.get("rdf:about", ""))
        found += [(name, base) for name in names if name.strip().lower().startswith(_WEB)]
        return [(written, base) for written, base in found if written.strip()]

    def _from_home(self, base: str) -> str:
        """Return the site's own address for that of a service which serves its feed.

        Such services leave the relative addresses in the feeds of others as they are.
        """
        if base != self.collector.url or not self._home or site_of(self._home) == site_of(base):
            return base
        return self._home
