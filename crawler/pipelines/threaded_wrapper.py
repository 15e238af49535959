"""A wrapper project run in a thread, so that a crawl goes on while scripts run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import DeferredLock
from twisted.internet.threads import deferToThread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawler.core.page.parse import ParsedPage
    from crawler.wrapper.crawl_wrapper import CrawlWrapper
    from crawler.wrapper.running import Wrapped


class ThreadedWrapper:
    """Runs a wrapper project in a thread where it has scripts, so that the crawl goes on."""

    def __init__(self, wrapper: CrawlWrapper) -> None:
        self.wrapper = wrapper
        self._lock = DeferredLock()

    async def run(self, page: ParsedPage, more: Sequence[str] = ()) -> Wrapped:
        """Run the project on a page; arguments as :meth:`CrawlWrapper.run`."""
        if not self.wrapper.has_scripts:
            return self.wrapper.run(page, more)
        # One page at a time: pages that wait for their scripts would take all threads of the
        # reactor, and the crawl needs some to resolve host names.
        in_thread = self._lock.run(deferToThread, self.wrapper.run, page, more)
        ran: Wrapped = await maybe_deferred_to_future(in_thread)
        return ran
