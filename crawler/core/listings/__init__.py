"""Listings: sitemaps, feeds and lists of addresses, sound or broken."""

from __future__ import annotations

from crawler.core.listings.locations import Places, find_feeds, sitemaps_of_robots, usual_places
from crawler.core.listings.entries import Alternate, Entry, Listing
from crawler.core.listings.read import read_listing

__all__ = [
    "Alternate",
    "Entry",
    "Listing",
    "Places",
    "find_feeds",
    "read_listing",
    "sitemaps_of_robots",
    "usual_places",
]
