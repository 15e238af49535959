"""Answers as browsers take them: pages by what they are, refreshes, bodies that were cut short."""

from __future__ import annotations

import re
from html import escape
from typing import Any, Final

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.exceptions import ResponseDataLossError
from scrapy.http import HtmlResponse, Response

from crawler.extensions.component import Component

_HTML: Final = re.compile(r"(?:(?:text|application)/)?(?:x-)?x?html?5?(?:\+xml)?")
_XML: Final = re.compile(r"(?:text|application)/xml")
_IS_HTML: Final = re.compile(rb"(?:\s|<[?!][^>]*>)*<(?:\w+:)?html[\s>]", re.IGNORECASE)
_SNIFFED: Final = 2_048
_IS_WHOLE: Final = re.compile(
    rb"</(?:html|body|urlset|sitemapindex|rss|feed|rdf:rdf)\s*>", re.IGNORECASE
)
# Systems that keep pages write a comment behind them.
_END: Final = 500


class HtmlResponses:
    """Downloader middleware that reads pages as HTML whose header names another type by mistake.

    These are misspelt types (``text/html, text/html``; ``text/htm``), and XHTML sent as XML.
    """

    def process_response(self, request: Request, response: Response) -> Response:  # noqa: ARG002 - as Scrapy calls it
        """Return a page as an HTML page, anything else as it is."""
        if isinstance(response, HtmlResponse) or "Content-Encoding" in response.headers:
            return response
        header = (response.headers.get("Content-Type") or b"").decode("latin-1")
        kind = re.split("[;,]", header, maxsplit=1)[0].strip(" \t\"'").lower()
        if _HTML.fullmatch(kind) or (
            _XML.fullmatch(kind) and _IS_HTML.match(response.body[:_SNIFFED])
        ):
            return response.replace(cls=HtmlResponse)
        return response


class LenientMetaRefresh(MetaRefreshMiddleware):
    """Follows a refresh, of a page or its header; a page with an invalid one goes on as it is."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override] # Scrapy's third argument is deprecated
        """Return the request that a refresh asks for, else the page."""
        header = (response.headers.get("Refresh") or b"").decode("latin-1")
        try:
            if header and isinstance(response, HtmlResponse):
                # What browsers do at this header is what they do at this element.
                tag = f'<meta http-equiv="refresh" content="{escape(header)}">'
                alone = response.replace(body=tag.encode("ascii", "xmlcharrefreplace"))
                if (found := super().process_response(request, alone)) is not alone:
                    return found
            return super().process_response(request, response)
        except ValueError:
            # Of the page's "base", or of the refresh itself.
            return response


class TruncatedBodies(Component):
    """Downloader middleware for bodies that ended before their ``Content-Length``.

    Some servers name a length that is too long, as that of a body before it was compressed, and
    browsers show such pages. A page, sitemap or feed that ends as such do is whole. Any other body
    was torn off, and its text would be half an article: it is asked for again, then fails.
    """

    def process_response(self, request: Request, response: Response) -> Any:  # noqa: ANN401 - a request or a response
        """Return a body that is whole, or the request to be sent again.

        Raises:
            ResponseDataLossError: the body was torn off, at each of the usual retries.
        """
        if "dataloss" not in response.flags:
            return response
        if _IS_WHOLE.search(response.body[-_END:]):
            self.stats.inc_value("corpus/responses/wrong_length")
            return response
        spider: Any = self.crawler.spider
        if self.crawler.settings.getbool("RETRY_ENABLED") and (
            again := get_retry_request(request, spider=spider, reason="cut-short")
        ):
            return again
        raise ResponseDataLossError("the connection was lost within the body")
