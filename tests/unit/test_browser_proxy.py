"""What the proxy of the browser takes for a request."""

from __future__ import annotations

import pytest

from crawler.browser.proxy import _request_line


@pytest.mark.parametrize(
    ("line", "method", "host", "is_tunnel"),
    [
        ("GET http://blog.example/a?b HTTP/1.1", "GET", "blog.example", False),
        ("POST http://[::1]:8080/ HTTP/1.1", "POST", "::1", False),
        ("CONNECT blog.example:443 HTTP/1.1", "CONNECT", "blog.example", True),
    ],
)
def test_a_request_to_a_proxy(line: str, method: str, host: str, *, is_tunnel: bool) -> None:
    its_method, target, its_tunnel = _request_line(f"{line}\r\nHost: x\r\n\r\n".encode())
    assert (its_method, target.hostname, its_tunnel) == (method, host, is_tunnel)


@pytest.mark.parametrize(
    "line",
    [
        "GET /a HTTP/1.1",
        "GET http://blog.example/",
        "GET http://blog.example:99999/ HTTP/1.1",
        "GET http://[::1/ HTTP/1.1",
        "GET ftp://blog.example/ HTTP/1.1",
        "GET http://blog.example/\xe9 HTTP/1.1",
        "CONNECT blog.example HTTP/1.1",
        "CONNECT blog.example:x HTTP/1.1",
    ],
)
def test_what_is_no_request_to_a_proxy(line: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - most are Python's own
        _request_line(f"{line}\r\n\r\n".encode())
