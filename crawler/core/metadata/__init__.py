"""The metadata of a page: title, authors, dates, language, site, address, summary, tags."""
