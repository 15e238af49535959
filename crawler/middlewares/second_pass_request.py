"""The one request that begins the second pass of a crawl, and what answers it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.http import Response

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable


def second_pass(callback: Callable[[Response], AsyncIterator[Any]]) -> Request:
    """Make the request whose callback yields the finished items."""
    return Request(
        "spool://pages",
        callback=callback,
        dont_filter=True,
        # Nothing is fetched, so what guards or slows fetching must let it pass.
        meta={
            "dont_obey_robotstxt": True,
            "dont_cache": True,
            "dont_redirect": True,
            "dont_retry": True,
            "autothrottle_dont_adjust_delay": True,
            "download_slot": "spool",
        },
    )


class SpoolDownloadHandler:
    """Answers ``spool://`` requests with an empty response: the pages come from disk."""

    lazy = True

    async def download_request(self, request: Request) -> Response:
        """Return the response that begins the second pass."""
        return Response(request.url)

    async def close(self) -> None:
        """Nothing is held here."""
