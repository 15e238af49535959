"""Where a site's listings are: named by its pages, by its robots.txt, or in the usual places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crawler.core.listings.entries import absolute_address

if TYPE_CHECKING:
    from crawler.core.page.parse import ParsedPage

# JSON without "feed" is left out: with that type pages name their record in a data interface.
_FEED_TYPES = frozenset(
    {
        "application/rss+xml", "application/atom+xml", "application/rdf+xml",
        "application/feed+json", "application/x-rss+xml", "application/xml", "text/xml",
        "text/rss+xml", "text/atom+xml", "text/rss",
    }
)  # fmt: skip
# Most of a robots.txt that is read, in characters: what robots have to read at least (RFC 9309).
_ROBOTS_CHARS = 500 * 1024
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


@dataclass(frozen=True, slots=True)
class Places:
    """Addresses where a site may have listings without naming them, the most usual ones first."""

    sitemaps: tuple[str, ...]
    feeds: tuple[str, ...]


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


def sitemaps_of_robots(text: str, url: str) -> tuple[str, ...]:
    """Return the sitemaps that a robots.txt names, absolute and canonical, each once.

    Of a long one, what robots have to read at least is read: the first 500 KiB (RFC 9309, 2.5).

    Args:
        text: the robots.txt.
        url: its address.
    """
    found: dict[str, None] = {}
    for line in text[:_ROBOTS_CHARS].removeprefix("\ufeff").splitlines():
        name, separator, value = line.partition(":")
        if not separator or name.strip().lower() not in _ROBOTS_FIELDS:
            continue
        # A comment follows white space; a mark inside an address begins its fragment.
        if words := value.split(maxsplit=1):
            address = absolute_address(url, words[0].strip("<>\"'"))
            if address:
                found[address] = None
    return tuple(found)


def usual_places(url: str) -> Places:
    """Return where the site of an address may have sitemaps and feeds.

    Feeds are looked for below the address's folder too: a blog may be a part of a site. No places
    where the address names no host.
    """
    start = absolute_address(url, "")
    if not start:
        return Places((), ())
    path = urlsplit(start).path
    parent, _, name = path.rpartition("/")
    # One name alone, such as /blog, is a part of a site rather than a page of it.
    folder = f"{parent}/" if parent or "." in name or not name else f"{path}/"
    below = () if folder == "/" else tuple(folder + name for name in _FEEDS_BELOW)
    return Places(
        tuple(absolute_address(start, name) for name in _SITEMAPS),
        tuple(absolute_address(start, name) for name in (*below, *_FEEDS)),
    )
