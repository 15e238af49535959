"""Which addresses are private, and which of them a crawl may reach."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from crawler.core.page.addresses import canonical_address
from crawler.middlewares.private_addresses import (
    Reachable,
    is_private_host,
    is_public,
    literal_address,
    origin_of,
)
from crawler.settings import Options

PRIVATE = (
    *("127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1"),
    *("172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "100.127.255.255"),
    *("192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1"),
    *("239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fc00::1"),
    *("fd00:ec2::254", "fec0::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254"),
    *("::127.0.0.1", "64:ff9b::10.0.0.1", "2002:7f00:1::", "2001:db8::1", "100::1", "::2"),
)
PUBLIC = (
    *("8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:8.8.8.8"),
    *("64:ff9b::8.8.8.8", "2002:808:808::1"),
)


@pytest.mark.parametrize("address", PRIVATE)
def test_private(address: str) -> None:
    assert not is_public(ip_address(address))
    assert is_private_host(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_public(address: str) -> None:
    assert is_public(ip_address(address))
    assert not is_private_host(address)


@pytest.mark.parametrize(
    "host",
    [
        *("2130706433", "0x7f000001", "017700000001", "0177.0.0.1", "0x7f.1", "127.1", "127.0.1"),
        *("127.0.0.1.", "0x7F.0.0.1"),
    ],
)
def test_numbers_of_other_bases_are_addresses(host: str) -> None:
    assert literal_address(host) == ip_address("127.0.0.1")
    assert is_private_host(host)


@pytest.mark.parametrize(
    ("host", "is_private"),
    [
        *(("localhost", True), ("LOCALHOST.", True), ("a.localhost", True), ("wiki", True)),
        *(("printer.local", True), ("db.internal", True), ("nas.lan", True), ("", True)),
        ("printer.home.arpa", True),
        *(("example.com", False), ("local.example.com", False), ("xn--bcher-kva.example", False)),
    ],
)
def test_names(host: str, *, is_private: bool) -> None:
    assert is_private_host(host) is is_private
    assert literal_address(host) is None


def test_a_named_origin_is_reachable_alone() -> None:
    reachable = Reachable((), {origin_of("http", "127.0.0.1", 8000), origin_of("http", "nas", 80)})
    assert reachable.allows_host("127.0.0.1", 8000)
    assert not reachable.allows_host("127.0.0.1", 8001)
    assert not reachable.allows_host("127.0.0.1", 0)
    assert not reachable.allows_host("127.0.0.2", 8000)
    # A server redirects to its https.
    assert reachable.allows_host(*origin_of("https", "nas", None))
    assert not reachable.allows_address(ip_address("127.0.0.1"))
    assert not reachable.allows_scheme("file")


def test_escapes_in_a_host_hide_nothing() -> None:
    host, _ = origin_of("http", "%31%32%37.0.0.1", None)
    assert literal_address(host) == ip_address("127.0.0.1")
    assert is_private_host(origin_of("http", "a.%6cocalhost", None)[0])


def test_the_setting_allows_hosts_networks_and_schemes() -> None:
    text = "Wiki.corp.example, 10.0.0.0/8,fd00::/8, ftp:"
    allowed = Options.from_settings({"CORPUS_ALLOW_PRIVATE": text}).allow_private
    assert allowed == ("wiki.corp.example", "10.0.0.0/8", "fd00::/8", "ftp:")
    reachable = Reachable(allowed)
    assert reachable.allows_host("wiki.corp.example", 81)
    assert not reachable.allows_host("corp.example", 81)
    assert reachable.allows_address(ip_address("10.1.2.3"))
    assert reachable.allows_address(ip_address("fd00:ec2::254"))
    assert not reachable.allows_address(ip_address("192.168.0.1"))
    assert reachable.allows_scheme("ftp")
    assert not reachable.allows_scheme("file")


def test_all_allows_any() -> None:
    reachable = Reachable(("all",))
    assert reachable.allows_host("127.0.0.1", 1)
    assert reachable.allows_scheme("file")


def test_credentials_are_no_part_of_a_canonical_address() -> None:
    assert canonical_address("http://user:p%40w@Blog.example:80/a") == "http://blog.example/a"
