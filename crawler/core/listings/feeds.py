"""Feeds: RSS 0.9 to 2.0, RSS 1.0 in RDF, Atom 0.3 and 1.0, JSON Feed."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import urljoin

from crawler.core.listings.entries import absolute_address, first_of
from crawler.core.listings.markup import Node, Scanner, Take
from crawler.core.listings.entries import MAX_JSON_CHARS
from crawler.core.page.page import site_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawler.core.listings.entries import Collector
    from crawler.core.listings.entries import Listing

_RECORDS = frozenset({"item", "entry"})
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


class FeedReader(Scanner):
    """Reads a feed in XML.

    The address of an entry is the first of these that it has: the address that FeedBurner replaced,
    the link to the page, a ``guid`` that is a permanent link, an ``id`` or ``rdf:about`` that is a
    web address. Files that belong to an entry (``enclosure``) and its text are ignored. Of a
    comment on a page, which has a date and a title of its own, only the page's address is taken.
    """

    records: ClassVar[frozenset[str]] = _RECORDS

    def __init__(self, collector: Collector) -> None:
        super().__init__(collector)
        self._record: Node | None = None
        self._base = ""
        self._home = ""
        self._language = ""
        self._archive = ""
        self._fields: dict[str, str] = {}
        self._links: list[tuple[bool, str, str]] = []

    def scan(self, text: str, start: int) -> None:
        """Read a feed, and settle which address leads on: the next page, else the older archive."""
        super().scan(text, start)
        self.collector.next = self.collector.next or self._archive

    def start(self, node: Node) -> Take:
        """Begin an entry, or tell whether a field's text is wanted."""
        if self._record is None:
            if node.name not in _RECORDS or node.space not in _SPACES:
                return self._about_feed(node)
            self._record = node
            self._base = self._base_of(node)
            self._links.clear()
            self._fields.clear()
            if language := node.attributes.get("xml:lang", ""):
                self._fields["language"] = language
            return "nothing"
        return self._about_entry(node) if self.open[-1] is self._record else "nothing"

    def end(self, node: Node, text: str, *, cut: bool) -> None:
        """Keep a field's text, or add the entry that ends."""
        if node is self._record:
            candidates = self._candidates(node)
            if (candidates or not cut) and not self.collector.is_full():
                self._finish(candidates)
            self._record = None
        elif not text or cut:
            return
        elif self._record is not None:
            # A guid that is no permanent link names no page.
            if node.attributes.get("ispermalink", "").strip().lower() != "false":
                self._fields.setdefault(node.name, text)
        elif node.name == "link":
            self._home = self._home or absolute_address(self._base_of(node), text.strip())
        else:
            self._language = self._language or text.strip()

    def _about_feed(self, node: Node) -> Take:
        if node.name in {"rss", "rdf", "channel", "feed"}:
            self._language = self._language or node.attributes.get("xml:lang", "").strip()
        parent = self.open[-1].name if self.open else ""
        if parent not in {"channel", "feed", "rss"} or node.space not in _SPACES:
            return "nothing"
        if node.name == "link" and "href" in node.attributes:
            relations = _relations(node)
            address = absolute_address(self._base_of(node), node.attributes["href"].strip())
            if "next" in relations:
                self.collector.next = self.collector.next or address
            elif "prev-archive" in relations:
                self._archive = self._archive or address
            elif "alternate" in relations:
                self._home = self._home or address
            return "nothing"
        return "leaf" if node.name in {"link", "language"} else "nothing"

    def _about_entry(self, node: Node) -> Take:
        attributes = node.attributes
        if node.name == "origlink":
            return "leaf"
        if node.space not in _SPACES:
            return "nothing"
        if node.name == "title":
            return "all"
        if node.name == "link" and "href" in attributes:
            if len(self._links) < _MAX_LINKS and "alternate" in _relations(node):
                is_other = "html" not in attributes.get("type", "html").lower()
                self._links.append((is_other, attributes["href"], self._base_of(node)))
            return "nothing"
        return "leaf" if node.name in _FIELDS else "nothing"

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
        names = [fields.get("guid", ""), fields.get("id", "")]
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
            title=_text(item, "title"),
            language=_text(item, "language") or language,
        )


def _text(record: Mapping[str, object], name: str) -> str:
    value = record.get(name)
    # Half of a character pair can be written in JSON, but not in UTF-8.
    return value.encode("utf-8", "replace").decode().strip() if isinstance(value, str) else ""
