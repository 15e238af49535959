"""Which page an item was made from, while it is on its way to the pipeline of rules."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapy.http import Response

    from crawler.core.page.parse import ParsedPage
    from crawler.items import PageItem

__all__ = ["AwaitingItems", "NotedPages"]


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


class AwaitingItems:
    """Page items whose scripts are to run when they come to the pipeline, each with its page.

    A page is held as long as its item, whatever becomes of that.
    """

    def __init__(self) -> None:
        self._pages: dict[int, ParsedPage] = {}

    def __len__(self) -> int:
        """Return how many items are awaited."""
        return len(self._pages)

    def put(self, item: PageItem, page: ParsedPage) -> None:
        """Remember the page of an item."""
        self._pages[id(item)] = page
        weakref.finalize(item, self._pages.pop, id(item), None)

    def take(self, item: PageItem) -> ParsedPage | None:
        """Return the page of an item, and forget it."""
        return self._pages.pop(id(item), None)
