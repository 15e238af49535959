"""Any listing, from its bytes: what it is, and what it lists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crawler.core.listings.collect import Collector
from crawler.core.listings.feeds import FeedReader
from crawler.core.listings.markup import TOKEN, Scanner, local_name
from crawler.core.listings.model import Listing, Problems
from crawler.core.listings.plain import read_json_feed, read_lines
from crawler.core.listings.sitemaps import SitemapReader
from crawler.core.listings.unpack import unpack
from crawler.core.page.decode import decode_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawler.core.listings.model import Kind

__all__ = ["read_listing"]

_ROOTS: Mapping[str, Kind] = {
    "sitemapindex": "sitemap-index", "sitemap": "sitemap-index",
    "urlset": "sitemap", "url": "sitemap",
    "rss": "rss", "rdf": "rss", "channel": "rss", "item": "rss",
    "feed": "atom", "entry": "atom",
}  # fmt: skip
_SITEMAPS = frozenset({"sitemap", "sitemap-index"})
_FEEDS = frozenset({"rss", "atom"})
# Programs write warnings in HTML before their XML; a page of HTML says soon what it is.
_PAGE_ROOTS = frozenset({"html", "head", "body"})
_TAGS_BEFORE_ROOT = 64
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]+")
_DECLARATION = re.compile(r"<\?xml\s[^<>]{0,200}\?>")
_DOCTYPE_CHARS = 20
_SNIFFED = 2_048
_WIDE = ("utf-16", "utf-32")
# A text without a byte order mark that begins in ASCII has a NUL in every other byte of UTF-16.
_WIDE_BYTES = 32


def read_listing(body: bytes, url: str, content_type: str = "") -> Listing:
    """Read a sitemap, an index of sitemaps, a feed, or a list of addresses.

    What it is goes by its content; the ``Content-Type`` is asked for the encoding alone. Never
    raises: what is wrong is mended or left out and counted in ``problems``, and what is no listing
    comes back as kind ``none`` with the reason there. Time and memory go with the length of the
    body, of which ``MAX_LISTING_BYTES`` are read at most.

    Args:
        body: the listing as it came, packed with gzip or not.
        url: where it came from; relative addresses are relative to it.
        content_type: the ``Content-Type`` header, or empty.
    """
    problems = Problems()
    collector = Collector(url, problems)
    data, cut = unpack(body, url, content_type, problems)
    text = _text(data, content_type, problems)
    stripped = text.lstrip()
    if not stripped:
        problems.add("empty")
        return collector.listing("none")
    if stripped.startswith(("{", "[")):
        return read_json_feed(stripped, collector)
    kind, start = _root(text, problems)
    if kind in _SITEMAPS:
        Scanner(SitemapReader(collector), problems).scan(text, start)
        return collector.listing(kind)
    if kind in _FEEDS:
        reader = FeedReader(collector)
        Scanner(reader, problems).scan(text, start)
        reader.listing_end()
        return collector.listing(kind)
    if start < 0:
        return read_lines(text, collector, cut=cut)
    return collector.listing("none")


def _text(data: bytes, content_type: str, problems: Problems) -> str:
    """Decode a listing, without byte order marks and control characters."""
    if wide := _wide(data):
        text, encoding = data.decode(wide, "replace"), wide
    else:
        text, encoding = decode_bytes(data, content_type)
    text = text.lstrip("\ufeff")
    declaration = _DECLARATION.search(text, 0, _SNIFFED)
    if not text.isascii() and not encoding.startswith(_WIDE):
        # ASCII is read in whatever encoding is declared.
        named = (declaration[0] if declaration else "").encode("ascii", "ignore")
        problems.add("encoding-wrong", decode_bytes(named, content_type)[1] != encoding)
    clean = _CONTROL.sub("", text)
    problems.add("control-characters", len(text) - len(clean))
    return clean


def _wide(data: bytes) -> str:
    """Name the UTF-16 of a text that has no byte order mark; empty where it is not UTF-16."""
    start = data[:_WIDE_BYTES]
    first, second = start[::2], start[1::2]
    if len(start) < _WIDE_BYTES or not any(start):
        return ""
    if not any(first) and all(second):
        return "utf-16-be"
    return "utf-16-le" if all(first) and not any(second) else ""


def _root(text: str, problems: Problems) -> tuple[Kind, int]:
    """Find the element a listing begins with, past what stands before it.

    Returns what the listing is and where that element begins: ``none`` and -1 where the text has no
    elements, ``none`` and 0, counted, where it has others.
    """
    last = tags = 0
    junk = False
    for token in TOKEN.finditer(text):
        junk |= not _is_blank(text, last, token.start())
        last = token.end()
        doctype = (token["doctype"] or "").lower() == "doctype"
        if doctype and "html" in token[0][:_DOCTYPE_CHARS].lower():
            problems.add("html")
            return "none", 0
        if not token["start"]:
            continue
        name = local_name(token["start"])
        if name in _PAGE_ROOTS:
            problems.add("html")
            return "none", 0
        if name in _ROOTS:
            _note_before(text[: token.start()], problems, junk=junk)
            return _ROOTS[name], token.start()
        junk = True
        tags += 1
        if tags > _TAGS_BEFORE_ROOT:
            break
    if not tags:
        return "none", -1
    problems.add("unknown")
    return "none", 0


def _is_blank(text: str, start: int, end: int) -> bool:
    return start == end or text[start:end].isspace()


def _note_before(before: str, problems: Problems, *, junk: bool) -> None:
    if junk:
        problems.add("before-root")
    elif "<?xml" in before and not before.startswith("<?xml"):
        problems.add("before-declaration")
