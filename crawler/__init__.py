"""scrapy-corpus: clean text and tables from whole news and blog sites."""
