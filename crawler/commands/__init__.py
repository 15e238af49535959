"""The commands that the project adds to ``scrapy``; modules here import nothing heavy."""
