"""Crawls that remember: the ledgers of their sites, and what is fetched and exported by them."""
