"""Listings: sitemaps, feeds and lists of addresses, sound or broken."""
