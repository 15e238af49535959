"""Which pages to fetch: addresses, lists of them, links, and the frontier of a crawl."""
