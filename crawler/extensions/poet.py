"""For projects with scrapy-poet: the item of a response as an argument of callbacks.

The module has the form that scrapy-poet asks of a provider, and does not load it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from scrapy.crawler import Crawler
from scrapy.http import Response

from crawler.core.page.page import Page
from crawler.items import PageItem
from crawler.journey.extract import judge
from crawler.settings import Options

logger = logging.getLogger(__name__)


class PageItemProvider:
    """Gives the :class:`~crawler.items.PageItem` of a response, judged by what crawls have counted.

    These are the counts in ``CORPUS_DIR``, as for ``scrapy extract``; without any the page is
    judged by itself. It has the form of a provider of scrapy-poet::

        SCRAPY_POET_PROVIDERS = {"crawler.extensions.poet.PageItemProvider": 500}

    Raises:
        UnreadablePageError, MethodError, PageTimeError: when called, as ``extract`` does.
    """

    provided_classes: ClassVar[set[type]] = {PageItem}
    name: ClassVar[str] = ""

    def __init__(self, injector: Any) -> None:  # noqa: ANN401 - of scrapy-poet
        self._options = Options.from_settings(injector.crawler.settings)

    def is_provided(self, type_: Callable[..., Any]) -> bool:
        """Say whether something asks for a page item."""
        return type_ in self.provided_classes

    def __call__(
        self,
        to_provide: set[Callable[..., Any]],  # noqa: ARG002 - a page item is all that there is
        response: Response,
        crawler: Crawler,  # noqa: ARG002 - as providers are called
    ) -> Sequence[PageItem]:
        """Make the item of a response."""
        content_type = (response.headers.get(b"Content-Type") or b"").decode("latin-1")
        page = Page(response.url, response.body, content_type)
        item = judge(page, self._options, (), lambda error: logger.warning("%s", error))
        # It is finished: no stage of a crawl shall fill it once more.
        item.page = None
        return [item]
