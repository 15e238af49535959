"""The downloader: one slot for a site with and without ``www.``, so that its pace is kept."""

from __future__ import annotations

from urllib.parse import urlsplit

from scrapy import Request
from scrapy.core.downloader import Downloader


def slot_of(url: str) -> str:
    """Return the slot of an address by its host alone."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


class SiteDownloader(Downloader):
    """Scrapy's downloader, with one slot for the hosts of a site.

    A host that has settings of its own in ``DOWNLOAD_SLOTS`` keeps its own slot.
    """

    def get_slot_key(self, request: Request) -> str:
        """Return the name of the slot that a request waits in."""
        key = super().get_slot_key(request)
        return key if key in self.per_slot_settings else key.removeprefix("www.")
