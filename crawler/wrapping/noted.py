"""Which page an item was made from, from the moment that a spider yields it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapy.http import Response

__all__ = ["NotedPages"]


class NotedPages:
    """Which response each item on its way through the pipelines was made from.

    An item is known by its identity, since items are of any type; it is held until it has passed,
    so that no other can have the same.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, Response]] = {}

    def note(self, item: Any, response: Response) -> None:  # noqa: ANN401 - any item type of Scrapy
        """Remember where an item comes from."""
        self._known[id(item)] = (item, response)

    def take(self, item: Any) -> Response | None:  # noqa: ANN401 - as above
        """Return where an item comes from, and forget it."""
        known = self._known.pop(id(item), None)
        return None if known is None else known[1]
