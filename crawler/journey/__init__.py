"""The pages of one crawl from their arrival to the finished items, without Scrapy."""
