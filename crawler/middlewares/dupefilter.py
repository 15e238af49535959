"""Which requests repeat another: not those that a server sends back to where they came from."""

from __future__ import annotations

from collections import Counter

from scrapy import Request
from scrapy.dupefilters import RFPDupeFilter

from crawler.core.page.addresses import address_key


class ReturningDupeFilter(RFPDupeFilter):
    """Scrapy's filter of duplicates, which lets a redirect lead back to an address once.

    A server may set a cookie and send the browser back, or write the parameters in another order.
    An address that is reached a third time in one chain of redirects is a loop.
    """

    def request_seen(self, request: Request) -> bool:
        """Say whether a request is a duplicate, and note it."""
        if not super().request_seen(request):
            return False
        passed = Counter(map(address_key, request.meta.get("redirect_urls", ())))
        return passed[address_key(request.url)] != 1
