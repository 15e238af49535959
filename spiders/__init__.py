"""The spiders of this project, as ``scrapy crawl`` finds them."""
