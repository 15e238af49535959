"""The kind of a page: an article, or a front page, a list, a product, a login."""
