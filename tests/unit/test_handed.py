"""What spiders hand over: which outputs are pages, and what of them comes along."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
import scrapy
from scrapy.http import HtmlResponse, Response, TextResponse

from crawler.middlewares.to_page import FlawedPageError, page_from

NOW = "2024-05-01T10:00:00+00:00"


class Declared(scrapy.Item):
    url = scrapy.Field()
    html = scrapy.Field()
    topics = scrapy.Field()


@dataclass
class Data:
    url: str
    html: str
    topics: list[str] = field(default_factory=list)


def test_a_response_is_a_page_with_its_bytes_and_declared_type() -> None:
    response = HtmlResponse(
        "https://s.example/a",
        body="한글".encode("euc-kr"),
        headers={"Content-Type": "text/html; charset=euc-kr"},
    )
    page = page_from(response, NOW)
    assert page is not None
    assert page.url == "https://s.example/a"
    assert page.body == "한글".encode("euc-kr")
    assert page.content_type == "text/html; charset=euc-kr"
    assert page.encoding is None
    assert page.fetched_at == NOW


def test_a_response_brings_along_what_its_headers_ask_of_robots() -> None:
    headers = {
        "x-robots-tag": ["otherbot: noindex", " nofollow "],
        "TDM-Reservation": ["1", "0"],
        "Set-Cookie": ["a=1"],
    }
    page = page_from(HtmlResponse("https://s.example/a", headers=headers), NOW)
    assert page is not None
    assert page.robots_tags == ("otherbot: noindex", "nofollow")
    assert page.tdm_reservation == "1"
    silent = page_from(HtmlResponse("https://s.example/a"), NOW)
    assert silent is not None
    assert (silent.robots_tags, silent.tdm_reservation) == ((), "")


@pytest.mark.parametrize("kind", [Response, TextResponse, HtmlResponse])
def test_a_response_without_a_type_is_a_page_too(kind: type[Response]) -> None:
    page = page_from(kind("https://s.example/a", body=b"\x89PNG"), NOW)
    assert page is not None
    assert page.content_type == ""
    assert page.body == b"\x89PNG"


@pytest.mark.parametrize(
    "item",
    [
        {"url": "https://s.example/a", "html": "<p>글</p>", "topics": ["x"]},
        Declared(url="https://s.example/a", html="<p>글</p>", topics=["x"]),
        Data("https://s.example/a", "<p>글</p>", ["x"]),
    ],
)
def test_an_item_of_any_type_with_url_and_html_is_a_page(item: object) -> None:
    page = page_from(item, NOW)
    assert page is not None
    assert page.url == "https://s.example/a"
    assert page.body == "<p>글</p>".encode()
    assert page.encoding == "utf-8"
    assert page.fields == {"topics": ["x"]}
    assert (page.site, page.fetched_at) == ("", NOW)


def test_bytes_are_of_uncertain_encoding() -> None:
    page = page_from({"url": "https://s.example/a", "html": "글".encode("euc-kr")}, NOW)
    assert page is not None
    assert page.encoding is None
    assert page.body == "글".encode("euc-kr")


def test_site_and_time_are_the_items_own() -> None:
    item = {"url": "u", "html": "", "site": "my blog", "fetched_at": "2020-01-01T00:00:00Z"}
    page = page_from(item, NOW)
    assert page is not None
    assert page.site_name == "my blog"
    assert page.fetched_at == "2020-01-01T00:00:00Z"
    assert page.fields == {}
    assert item["site"] == "my blog", "the spider's item stays as it was"


def test_further_fields_become_json_values() -> None:
    item: dict[Any, Any] = {
        "url": "u",
        "html": "",
        "when": datetime(2024, 5, 1, tzinfo=UTC),
        "price": Decimal("1.50"),
        "tags": {"b", "a"},
        "pair": (1, 2),
        "inner": {"url": "kept", 3: None},
        "not a number": float("nan"),
        "raw": b"\xff",
    }
    page = page_from(item, NOW)
    assert page is not None
    assert page.fields == {
        "when": "2024-05-01 00:00:00+00:00",
        "price": "1.50",
        "tags": ["a", "b"],
        "pair": [1, 2],
        "inner": {"url": "kept", "3": None},
        "not a number": "nan",
        "raw": "\ufffd",
    }


def test_half_a_surrogate_pair_is_no_reason_to_fail() -> None:
    page = page_from({"url": "https://s.example/\ud83d", "html": "a\ud83db"}, NOW)
    assert page is not None
    assert page.body == b"a?b"


@pytest.mark.parametrize(
    "output",
    [
        {"url": "https://s.example/a"},
        {"html": "<p>"},
        Declared(url="u"),
        {},
        scrapy.Request("https://s.example/a"),
        None,
        "text",
        7,
    ],
)
def test_all_else_is_no_page(output: object) -> None:
    assert page_from(output, NOW) is None


@pytest.mark.parametrize(
    ("output", "flaw"),
    [
        ({"url": "u", "html": None}, "its html is None, not text or bytes"),
        ({"url": "u", "html": ["<p>"]}, "its html is of type list, not text or bytes"),
        ({"url": None, "html": "<p>"}, "its url is None, not an address as text"),
        ({"url": "", "html": "<p>"}, "its url is empty, not an address as text"),
        ({"url": ["u"], "html": None}, "its url is of type list, not an address as text"),
        (Declared(url="u", html=None), "its html is None, not text or bytes"),
        (Data(url="u", html=None), "its html is None, not text or bytes"),  # type: ignore[arg-type] # the flaw
    ],
)
def test_an_item_that_was_meant_as_a_page_is_told_from_others(output: object, flaw: str) -> None:
    with pytest.raises(FlawedPageError, match=flaw):
        page_from(output, NOW)
