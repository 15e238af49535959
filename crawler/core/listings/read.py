"""Where a site's listings are, and how any is read from its bytes.

A listing is named by the pages of a site or by its robots.txt, or is in one of the usual places.
Its bytes are unpacked, decoded, recognised and read.
"""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Mapping
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

from crawler.core.listings.entries import (
    MAX_LISTING_BYTES,
    Collector,
    Kind,
    Listing,
    Problems,
    absolute_address,
)
from crawler.core.listings.formats import FeedReader, SitemapReader, read_json_feed, read_lines
from crawler.core.listings.markup import TOKEN, local_name
from crawler.core.page.decode import decode_bytes
from crawler.core.page.parse import ParsedPage

_ROOTS: Mapping[str, Kind] = {
    "sitemapindex": "sitemap-index", "sitemap": "sitemap-index",
    "urlset": "sitemap", "url": "sitemap",
    "rss": "rss", "rdf": "rss", "channel": "rss", "item": "rss",
    "feed": "atom", "entry": "atom",
}  # fmt: skip
# Programs write warnings in HTML before their XML; a page of HTML shows soon what it is.
_PAGE_ROOTS = frozenset({"html", "head", "body"})
_TAGS_BEFORE_ROOT = 64
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]+")
_DECLARATION = re.compile(r"<\?xml\s[^<>]{0,200}\?>")
_DOCTYPE_CHARS = 20
_DECLARATION_CHARS = 2_048
# A text in UTF-16 that begins in ASCII has a NUL in every other byte.
_WIDE_BYTES = 32

_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 31  # zlib's number for the largest window with the header of gzip
# A file packed once, and once more by its server.
_MAX_LAYERS = 2
# Packed bytes unpacked at a time: so many at most are lost before damage.
_STEP = 32

# JSON without "feed" is left out: with that type pages name their record in a data interface.
_FEED_TYPES = frozenset(
    {
        "application/rss+xml", "application/atom+xml", "application/rdf+xml",
        "application/feed+json", "application/x-rss+xml", "application/xml", "text/xml",
        "text/rss+xml", "text/atom+xml", "text/rss",
    }
)  # fmt: skip
# Most of a robots.txt that is read: what robots have to read at least (RFC 9309).
ROBOTS_BYTES: Final = 500 * 1024
_ROBOTS_FIELDS = frozenset({"sitemap", "site-map"})
# The names that the usual publishing systems give by default, the most usual ones first.
_SITEMAPS = (
    "/sitemap.xml", "/sitemap_index.xml", "/sitemap-index.xml", "/wp-sitemap.xml",
    "/news-sitemap.xml", "/sitemap-news.xml", "/sitemap_news.xml", "/sitemap.xml.gz",
    "/sitemaps.xml", "/sitemap.txt",
)  # fmt: skip
_FEEDS = (
    "/feed/", "/rss", "/rss.xml", "/feed.xml", "/atom.xml", "/index.xml", "/feeds/posts/default",
    "/feed.json",
)  # fmt: skip
_FEEDS_BELOW = ("feed/", "rss.xml", "feed.xml", "atom.xml", "index.xml")


def find_feeds(parsed: ParsedPage) -> tuple[str, ...]:
    """Return the feeds that a page names in its ``link`` elements, absolute and canonical.

    In the order of the page, each once, but feeds of comments come last.
    """
    found: dict[str, bool] = {}
    for root in parsed.roots:
        for link in root.iter("link"):
            relations = (link.get("rel") or "").lower().split()
            kind = (link.get("type") or "").partition(";")[0].strip().lower()
            if "feed" not in relations and (
                "alternate" not in relations or kind not in _FEED_TYPES
            ):
                continue
            href = (link.get("href") or "").strip()
            address = absolute_address(parsed.base_url, href) if href else ""
            if address and "oembed" not in address:
                about = f"{address} {link.get('title') or ''}".lower()
                found.setdefault(address, "comment" in about)
    return tuple(sorted(found, key=found.__getitem__))


def robots_text(body: bytes) -> str:
    """Return the text of a robots.txt: whole lines of its first 500 KiB, in UTF-8 or UTF-16.

    Robots have to read so much at least (RFC 9309, 2.5). The encoding is UTF-8 by the same
    document, where no byte order mark says otherwise.
    """
    is_utf16 = body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    head = body[:ROBOTS_BYTES]
    if len(head) < len(body):
        # Half a rule may forbid more than the whole one.
        head = head[: head.rfind(b"\n") + 1]
    text = head.decode("utf-16" if is_utf16 else "utf-8", "replace")
    return text.removeprefix("\ufeff")


def sitemaps_of_robots(text: str, url: str) -> tuple[str, ...]:
    """Return the sitemaps that a robots.txt names, absolute and canonical, each once."""
    found: dict[str, None] = {}
    for line in text.splitlines():
        name, separator, value = line.partition(":")
        if not separator or name.strip().lower() not in _ROBOTS_FIELDS:
            continue
        # A comment follows white space; a mark inside an address begins its fragment.
        if words := value.split(maxsplit=1):
            address = absolute_address(url, words[0].strip("<>\"'"))
            if address:
                found[address] = None
    return tuple(found)


def usual_places(url: str) -> dict[str, list[str]]:
    """Return where the site of an address may have each ``sitemap`` and ``feed``.

    The most usual places come first. Feeds are looked for below the address's folder too: a blog
    may be a part of a site. No places where the address names no host.
    """
    start = absolute_address(url, "")
    if not start:
        return {"sitemap": [], "feed": []}
    path = urlsplit(start).path
    parent, _, name = path.rpartition("/")
    # One name alone, such as /blog, is a part of a site rather than a page of it.
    folder = f"{parent}/" if parent or "." in name or not name else f"{path}/"
    below = () if folder == "/" else tuple(folder + name for name in _FEEDS_BELOW)
    names = {"sitemap": _SITEMAPS, "feed": (*below, *_FEEDS)}
    return {kind: [absolute_address(start, name) for name in of] for kind, of in names.items()}


def read_listing(body: bytes, url: str, content_type: str = "") -> Listing:
    """Read a sitemap, an index of sitemaps, a feed, or a list of addresses.

    The content decides what it is; the ``Content-Type`` is read for the encoding only. Never
    raises: what is wrong is mended or left out and counted in ``problems``, and what is no listing
    comes back as kind ``none`` with the reason there. Time and memory are linear in the length of
    the body, of which ``MAX_LISTING_BYTES`` are read at most.

    Args:
        body: the listing as it came, packed with gzip or not.
        url: where it came from; relative addresses are relative to it.
        content_type: the ``Content-Type`` header, or empty.
    """
    collector = Collector(url)
    problems = collector.problems
    data, cut = _unpacked(body, url, content_type, problems)
    text = _decoded(data, content_type, problems)
    stripped = text.lstrip()
    if not stripped:
        problems.add("empty")
        return collector.listing("none")
    if stripped.startswith(("{", "[")):
        return read_json_feed(stripped, collector)
    kind, start = _root(text, problems)
    if kind != "none":
        reader = FeedReader if kind in ("rss", "atom") else SitemapReader
        reader(collector).scan(text, start)
    elif start < 0:
        return read_lines(text, collector, cut=cut)
    return collector.listing(kind)


def _unpacked(body: bytes, url: str, content_type: str, problems: Problems) -> tuple[bytes, bool]:
    """Return the bytes unpacked from gzip, and whether they end too early.

    No more than ``MAX_LISTING_BYTES`` are unpacked, even if the packed ones hold more.
    """
    cut = False
    with suppress(ValueError):
        url = urlsplit(url).path
    is_named = url.lower().endswith(".gz") or "gzip" in content_type.lower()
    problems.add("gzip-not", bool(body) and is_named and not body.startswith(_GZIP))
    for _ in range(_MAX_LAYERS):
        if body.startswith(_GZIP):
            body, layer_cut = _members(body, problems)
            cut |= layer_cut
    if len(body) > MAX_LISTING_BYTES:
        problems.add("too-large")
        return body[:MAX_LISTING_BYTES], True
    return body, cut


def _members(packed: bytes, problems: Problems) -> tuple[bytes, bool]:
    """Unpack one member after the other; one byte more than allowed shows that there are more."""
    unpacked = bytearray()
    room = MAX_LISTING_BYTES + 1
    position = 0
    member = None
    while position < len(packed) and room > 0:
        if member is None:
            if not packed.startswith(_GZIP, position):
                if packed[position:].strip(b"\0"):  # tapes and copies leave zeros
                    problems.add("gzip-tail")
                break
            member = zlib.decompressobj(_GZIP_WINDOW)
        step = packed[position : position + _STEP]
        try:
            piece = member.decompress(step, room)
        except zlib.error:
            problems.add("gzip-damaged")
            return bytes(unpacked), True
        unpacked += piece
        room -= len(piece)
        position += len(step) - len(member.unused_data)
        if member.eof:
            member = None
    if member is not None and room > 0:
        problems.add("gzip-cut")
    return bytes(unpacked), member is not None


def _decoded(data: bytes, content_type: str, problems: Problems) -> str:
    """Decode a listing, without byte order marks and control characters."""
    if encoding := _wide_encoding(data):
        text = data.decode(encoding, "replace")
    else:
        text, encoding = decode_bytes(data, content_type)
    text = text.lstrip("\ufeff")
    declaration = _DECLARATION.search(text, 0, _DECLARATION_CHARS)
    # ASCII reads the same in any encoding that may be declared.
    if not text.isascii() and not encoding.startswith(("utf-16", "utf-32")):
        named = (declaration[0] if declaration else "").encode("ascii", "ignore")
        problems.add("encoding-wrong", decode_bytes(named, content_type)[1] != encoding)
    clean = _CONTROL.sub("", text)
    problems.add("control-characters", len(text) - len(clean))
    return clean


def _wide_encoding(data: bytes) -> str:
    """Name the UTF-16 of a text that has no byte order mark; empty if it is not UTF-16."""
    first, second = data[:_WIDE_BYTES:2], data[1:_WIDE_BYTES:2]
    if len(data) < _WIDE_BYTES:
        return ""
    if not any(first) and all(second):
        return "utf-16-be"
    return "utf-16-le" if all(first) and not any(second) else ""


def _root(text: str, problems: Problems) -> tuple[Kind, int]:
    """Find the element that a listing begins with, behind anything before it.

    Returns:
        What the listing is, and the offset of that element. ``none`` and -1 if the text has no
        elements; ``none`` and 0, counted, if it has others.
    """
    last = tags = 0
    junk = False
    for token in TOKEN.finditer(text):
        junk |= bool(text[last : token.start()].strip())
        last = token.end()
        doctype = (token["doctype"] or "").lower() == "doctype"
        name = local_name(token["start"] or "")
        if name in _PAGE_ROOTS or (doctype and "html" in token[0][:_DOCTYPE_CHARS].lower()):
            problems.add("html")
            return "none", 0
        if name in _ROOTS:
            before = text[: token.start()]
            if junk:
                problems.add("before-root")
            elif "<?xml" in before and not before.startswith("<?xml"):
                problems.add("before-declaration")
            return _ROOTS[name], token.start()
        if name:
            junk = True
            tags += 1
            if tags > _TAGS_BEFORE_ROOT:
                break
    if not tags:
        return "none", -1
    problems.add("unknown")
    return "none", 0
