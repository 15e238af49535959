"""From which response an item was made, while the item travels to the wrapper pipeline."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapy.http import Response


class ItemOrigins:
    """The response of each item that a spider made itself.

    An item is known by its identity, since items are of any type; it is held meanwhile, so that no
    other can have the same. A response is held by Scrapy alone, as long as items of it travel:
    whatever becomes of an item, dropped or replaced by other parts, it is forgotten with the
    response.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, weakref.ref[Response]]] = {}

    def __len__(self) -> int:
        """Return how many items are known."""
        return len(self._known)

    def add(self, item: Any, response: Response) -> None:  # noqa: ANN401 - any item type of Scrapy
        """Remember from which response an item was made."""
        key = id(item)

        def forget(gone: weakref.ref[Response]) -> None:
            known = self._known.get(key)
            # The item may have been yielded once more, for another response.
            if known is not None and known[1] is gone:
                del self._known[key]

        self._known[key] = (item, weakref.ref(response, forget))

    def take(self, item: Any) -> Response | None:  # noqa: ANN401 - as above
        """Return the response of an item, and forget it; None where it is not known."""
        known = self._known.pop(id(item), None)
        return None if known is None else known[1]()
