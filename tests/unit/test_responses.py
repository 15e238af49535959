"""Answers as browsers take them."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse, XmlResponse

from crawler.core.page.page import MAX_PAGE_BYTES
from crawler.discovery.links import page_links
from crawler.discovery.scope import Scope
from crawler.middlewares.responses import HtmlResponses
from crawler.middlewares.to_page import parse_response

URL = "https://a.example/news/"
PAGE = b'<?xml version="1.0"?>\n<!DOCTYPE html>\n<html xmlns="x"><body><p>A page.</p></body></html>'


def taken(
    kind: str, cls: type[Response], body: bytes = PAGE, encoding: str | None = None
) -> Response:
    response = cls(URL, body=body, headers={"Content-Type": kind})
    if encoding:
        response.headers["Content-Encoding"] = encoding
    return HtmlResponses().process_response(Request(URL), response)


@pytest.mark.parametrize(
    "kind",
    [
        *("text/html, text/html", "text/htm", "TEXT/HTML ;charset=utf-8", "html", '"text/html"'),
        *("text/html,text/html; charset=utf-8", "application/html", "text/xhtml", "text/xml"),
        *("application/xml; charset=utf-8", "Application/XHTML+XML"),
    ],
)
@pytest.mark.parametrize("cls", [Response, TextResponse, XmlResponse])
def test_misspelt_types_are_html(kind: str, cls: type[Response]) -> None:
    response = taken(kind, cls)
    assert isinstance(response, HtmlResponse)
    assert response.body == PAGE
    assert response.url == URL


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/xml", b"<?xml version='1.0'?><urlset><html/></urlset>"),
        ("text/xml", b"<rss></rss>"),
        ("text/plain", PAGE),
        ("application/pdf", PAGE),
        ("", PAGE),
        ("text/htmlx", PAGE),
    ],
)
def test_other_types_stay(kind: str, body: bytes) -> None:
    assert not isinstance(taken(kind, TextResponse, body), HtmlResponse)


def test_a_body_that_is_packed_is_no_page() -> None:
    packed = taken("text/html", Response, encoding="other")
    assert not isinstance(packed, HtmlResponse)


@pytest.mark.parametrize(
    ("header", "address"),
    [
        ('</news/2>; rel="next"', "https://a.example/news/2"),
        ("<2>; rel=next", "https://a.example/news/2"),
        ('<1>; rel=prev, <2>; title="b"; rel="last next"', "https://a.example/news/2"),
        ("<2>; rel=nextfoo", None),
        ("<2>; rel=canonical", None),
        ("<http://[>; rel=next", None),
        ("<\x01>; rel=next", None),
    ],
)
def test_the_next_page_of_a_header(header: str, address: str | None) -> None:
    response = HtmlResponse(URL, body=b"<p>A list of news.</p>", headers={"Link": header})
    links = page_links(parse_response(response, MAX_PAGE_BYTES), Scope())
    assert [link.address for link in links] == [address] * bool(address)
