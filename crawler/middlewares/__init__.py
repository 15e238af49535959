"""Scrapy middlewares, and what stands beside them."""
