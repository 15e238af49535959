"""Which page an item was made from, from the moment that a spider yields it."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapy.http import Response

__all__ = ["NotedPages"]


class NotedPages:
    """Which response each item on its way through the pipelines was made from.

    An item is known by its identity, since items are of any type; it is held meanwhile, so that no
    other can have the same. A response is held by Scrapy alone, as long as items of it are under
    way: whatever becomes of an item, dropped or replaced by other parts, it is forgotten with it.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, weakref.ref[Response]]] = {}

    def __len__(self) -> int:
        """Return how many items are known."""
        return len(self._known)

    def note(self, item: Any, response: Response) -> None:  # noqa: ANN401 - any item type of Scrapy
        """Remember where an item comes from."""
        key = id(item)

        def forget(gone: weakref.ref[Response]) -> None:
            known = self._known.get(key)
            # The item may have been yielded once more, for another response.
            if known is not None and known[1] is gone:
                del self._known[key]

        self._known[key] = (item, weakref.ref(response, forget))

    def take(self, item: Any) -> Response | None:  # noqa: ANN401 - as above
        """Return where an item comes from, and forget it."""
        known = self._known.pop(id(item), None)
        return None if known is None else known[1]()
