"""What a stage is: one step of the work on a page, and how it refuses a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawler.items import PageItem
    from crawler.journey.filters import Refusal
    from crawler.journey.item_page import ItemPage


class Tally(Protocol):
    """Where figures go: Scrapy's stats collector, or anything that adds up by name."""

    def inc_value(self, key: str, count: int = 1) -> None:
        """Add ``count`` to the figure ``key``."""


class NoTally:
    """A tally that forgets."""

    def inc_value(self, key: str, count: int = 1) -> None:
        """Forget a figure."""


class RefusedError(Exception):
    """A stage found that the page gives no item."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


class Stage:
    """One step of the work on a page.

    A stage of a project's own derives from this class, or is any item pipeline.
    """

    def process(self, item: PageItem, page: ItemPage) -> None:
        """Fill this stage's part of an item.

        Args:
            item: the item, filled by the stages before.
            page: its page.

        Raises:
            RefusedError: the page gives no item.
        """
        raise NotImplementedError

    def figures(self) -> Mapping[str, object]:
        """Return the statistics that are known when all pages are done, by their names."""
        return {}

    def close(self) -> None:
        """End what was started for the work."""
