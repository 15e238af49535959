"""How a stage says to Scrapy that a page gives no item."""

from __future__ import annotations

from scrapy.exceptions import DropItem


class RefusedItem(DropItem):
    """A stage found that a page gives no item; the session has counted and logged the reason."""
