"""Failures of real downloads are counted under the slug that says most."""

from __future__ import annotations

import pytest
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.exceptions import IgnoreRequest, NotSupported
from scrapy.http import HtmlResponse, Request
from scrapy.spiders import Spider
from scrapy.utils.test import get_crawler

from crawler.middlewares.robots import RobotsUnreachableError
from crawler.spiders.base import failure_reason


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_a_body_that_is_not_compressed_as_its_header_says(encoding: str) -> None:
    middleware = HttpCompressionMiddleware.from_crawler(get_crawler(Spider))
    request = Request("http://a.example/")
    response = HtmlResponse(
        request.url, headers={"Content-Encoding": encoding}, body=b"<p>Never compressed."
    )
    # Each library has errors of its own.
    with pytest.raises(Exception) as caught:  # noqa: PT011 - as above
        middleware.process_response(request, response)
    assert failure_reason(caught.value) == "content-encoding"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (NotSupported("Unsupported URL scheme 'http': no handler"), "network-off"),
        (NotSupported("Unsupported URL scheme 'https': no handler"), "network-off"),
        (NotSupported("Unsupported URL scheme 'gopher': no handler"), "bad-address"),
        (IgnoreRequest("Forbidden by robots.txt"), "robots"),
        (RobotsUnreachableError("the robots.txt of a"), "robots-unreachable"),
        (IgnoreRequest("max redirections reached"), "redirects"),
        (IgnoreRequest("somebody's own reason"), "other"),
        (ValueError("what"), "other"),
        (None, "other"),
    ],
)
def test_what_words_tell_apart(error: Exception | None, reason: str) -> None:
    assert failure_reason(error) == reason
