"""The list of public suffixes, by which cookies are judged, is not fetched."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, NoReturn

from scrapy import Request
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.http import Response

from crawler.middlewares.politeness import use_shipped_suffixes

if TYPE_CHECKING:
    import pytest


def test_a_cookie_opens_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def refuse(*arguments: object, **_: object) -> NoReturn:
        asked.append(arguments)
        raise OSError("no network")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)
    use_shipped_suffixes()
    cookies = CookiesMiddleware()
    request = Request("https://www.shop.example.co.uk/")
    for domain in ("example.co.uk", "co.uk"):
        headers = {"Set-Cookie": f"of={domain}; domain={domain}"}
        cookies.process_response(request, Response(request.url, headers=headers))
    assert asked == []
    # Nobody may set a cookie for a public suffix.
    assert [cookie.value for cookie in cookies.jars[None]] == ["example.co.uk"]
