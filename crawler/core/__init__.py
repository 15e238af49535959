"""The algorithms, pure: no Scrapy, no network, no clock, no randomness, no global state."""
