"""Sitemaps and feeds of any size: what is left out beyond the limits, and the memory they take."""

from __future__ import annotations

import gzip
import tracemalloc
from functools import partial
from typing import TYPE_CHECKING

import pytest

from crawler.core.listings.read import read_listing

if TYPE_CHECKING:
    from crawler.core.listings.entries import Listing


ONE, TWO = "https://a.example/one", "https://a.example/two"
SOUND = f"<urlset><url><loc>{ONE}</loc></url><url><loc>{TWO}</loc></url></urlset>"

# Without the time, which would stand in the names of tests.
gzipped = partial(gzip.compress, mtime=0)
URL = "https://a.example/maps/sitemap.xml"


def urls(listing: Listing) -> list[str]:
    return [entry.url for entry in listing.entries]


@pytest.mark.slow
def test_more_than_fifty_thousand_entries_are_read() -> None:
    number = 50_500
    body = "".join(f"<url><loc>{ONE}/{count}</loc></url>" for count in range(number))
    listing = read_listing(f"<urlset>{body}</urlset>".encode(), URL)
    assert len(listing.entries) == number
    assert listing.problems == {}


def test_entries_and_bytes_beyond_the_limits_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawler.core.listings.entries.MAX_ENTRIES", 1)
    assert read_listing(SOUND.encode(), URL).problems == {"entries-many": 1}
    monkeypatch.setattr("crawler.core.listings.entries.MAX_ENTRIES", 100)
    body = SOUND.encode() + b" " * 100
    monkeypatch.setattr("crawler.core.listings.read.MAX_LISTING_BYTES", len(body) - 50)
    for served in (body, gzipped(body)):
        listing = read_listing(served, URL)
        assert urls(listing) == [ONE, TWO]
        assert listing.problems == {"too-large": 1}


MANY = 60_000
# What takes many times its own memory where every piece of it is kept; each is a listing or none.
HOSTILE: dict[str, bytes] = {
    "elements in one another": b"<urlset>" + b"<a>" * MANY,
    "prefixes declared in one another": b"<urlset>" + b'<a xmlns:b="c">' * MANY,
    "elements of a field in one another": b"<rss><item><link>/a</link><guid>" + b"<b>" * MANY,
    "other names": b"<urlset>" + b"".join(b"<a%x/>" % number for number in range(MANY)),
    "attributes": b"<urlset " + b" ".join(b"a%x=1" % number for number in range(MANY)),
    "links of an entry": b"<feed><entry>"
    + b"".join(b'<link href="/%x"/>' % number for number in range(MANY)),
    "lines of nothing": b"a\n" * MANY,
    "lines of one address": b"/a\n" * (MANY // 10),
    "records of JSON": b'{"items":[' + b"{}," * 6_000_000 + b"{}]}",
    "a list of JSON": b"[" + b"[]," * 300_000 + b"[]]",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_listings_take_little_more_memory_than_their_text(name: str) -> None:
    body = HOSTILE[name]
    tracemalloc.start()
    try:
        listing = read_listing(body, URL)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(listing.entries) <= 1
    # The text, stripped and cleaned, is there a few times.
    assert most < 6 * len(body) + 1_000_000


def test_entries_are_counted_with_those_that_are_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawler.core.listings.entries.MAX_ENTRIES", 3)
    listing = read_listing(f"{ONE}\n{ONE}\n{ONE}\n{TWO}\n".encode(), URL)
    assert urls(listing) == [ONE]
    assert listing.problems == {"repeated": 2, "entries-many": 1}
