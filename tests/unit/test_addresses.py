"""Addresses are written one way, and typed ones are completed or refused."""

from __future__ import annotations

import pytest

from crawler.core.page.addresses import address_key, address_site, canonical_address
from crawler.discovery.addresses import complete_address, split_addresses


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("HTTP://Blog.Example", "http://blog.example/"),
        ("http://blog.example:80/a", "http://blog.example/a"),
        ("https://blog.example:443/a", "https://blog.example/a"),
        ("https://blog.example:80/a", "https://blog.example:80/a"),
        ("http://blog.example/a#part", "http://blog.example/a"),
        ("  http://blog.example/a\n", "http://blog.example/a"),
        ("http://blog.example/a/../b/./c", "http://blog.example/b/c"),
        ("http://blog.example/a/..", "http://blog.example/"),
        ("http://blog.example/../../a", "http://blog.example/a"),
        ("http://blog.example/a//b/", "http://blog.example/a//b/"),
        ("http://blog.example/%7euser/%e3%81%82", "http://blog.example/~user/%E3%81%82"),
        ("http://blog.example/100%/%2f", "http://blog.example/100%25/%2F"),
        ("http://blog.example/한국", "http://blog.example/%ED%95%9C%EA%B5%AD"),
        ("http://한국.example/", "http://xn--3e0b707e.example/"),
        ("http://blog.example/?b=2&a=1", "http://blog.example/?a=1&b=2"),
        ("http://blog.example/?tag=b&tag=a", "http://blog.example/?tag=b&tag=a"),
        ("http://blog.example/?20240131", "http://blog.example/?20240131"),
        ("http://blog.example/?", "http://blog.example/"),
        ("http://blog.example/?q=%c7%d1", "http://blog.example/?q=%C7%D1"),
        ("http://blog.example/a?UTM_Source=x&id=1&fbclid=2", "http://blog.example/a?id=1"),
        ("http://blog.example/a;jsessionid=12?PHPSESSID=3", "http://blog.example/a"),
        ("http://blog.example/list?sid=101", "http://blog.example/list?sid=101"),
        ("http://blog.example/index.html", "http://blog.example/index.html"),
        ("http://[::1]:8000/a", "http://[::1]:8000/a"),
        ("http://me@blog.example/", "http://blog.example/"),
    ],
)
def test_canonical_form(written: str, canonical: str) -> None:
    assert canonical_address(written) == canonical


@pytest.mark.parametrize(
    "odd",
    [
        "",
        "#top",
        "mailto:a@b.example",
        "javascript:void(0)",
        "http://",
        "http://a:99999/",
        "http://[",
    ],
)
def test_what_is_no_web_address_stays_as_it_is(odd: str) -> None:
    assert canonical_address(odd) == odd
    assert isinstance(address_key(odd), int)


def test_keys_agree_where_addresses_mean_the_same_page() -> None:
    assert address_key("http://A.example/x?utm_id=1") == address_key("http://a.example/x#y")
    assert address_key("http://a.example/x") != address_key("https://a.example/x")
    assert 0 <= address_key("http://a.example/") < 2**64


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("http://blog.example/a", "blog.example"),
        ("https://www.Blog.example/a", "blog.example"),
        ("https://blog.example:443/", "blog.example"),
        ("http://blog.example:8080/", "blog.example:8080"),
        ("http://news.blog.example/", "news.blog.example"),
        ("http://blog.example.other.example/", "blog.example.other.example"),
        ("mailto:me@blog.example", "local"),
    ],
)
def test_the_site_an_address_lies_on(url: str, site: str) -> None:
    assert address_site(url) == site


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("blog.example", "http://blog.example"),
        ("blog.example/a?b", "http://blog.example/a?b"),
        (" https://blog.example/ ", "https://blog.example/"),
        ("localhost:8000/x", "http://localhost:8000/x"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("word", None),
        ("two words", None),
        ("", None),
        ("me@blog.example", None),
        ("mailto:me@blog.example", None),
        ("ftp://files.example/", None),
        ("http://", None),
        ("http://blog.example:port/", None),
        ("http://bl<g.example/", None),
    ],
)
def test_typed_addresses_are_completed_or_refused(typed: str, address: str | None) -> None:
    assert complete_address(typed) == address


def test_lists_are_split_where_an_address_begins() -> None:
    text = " http://a.example/1,2,https://b.example/ ,http://c.example/\nd.example "
    assert split_addresses(text) == [
        "http://a.example/1,2",
        "https://b.example/",
        "http://c.example/",
        "d.example",
    ]
    assert split_addresses(" , ") == []
