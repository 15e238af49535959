"""What a crawl keeps on disk. Knows the core, and nothing of Scrapy."""
