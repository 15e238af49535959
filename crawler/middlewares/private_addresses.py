"""Which addresses of the network are private, and which of them a crawl may reach."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Final, TypeAlias
from urllib.parse import unquote

from crawler.core.page.page import DEFAULT_PORTS

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

ALL: Final = "all"
# Last labels of names that no public name server answers for: RFC 6761, sections 6.2 and 6.3; RFC
# 6762, appendix G; RFC 8375; and the name that many systems give the loopback address.
_PRIVATE_NAMES: Final = frozenset(
    {"arpa", "corp", "home", "internal", "intranet", "lan", "local", "localdomain", "localhost"}
    | {"private", "test"}
)
# RFC 4291, section 2.4; what lies outside is reserved, or of one link or site.
_IPV6_UNICAST: Final = IPv6Network("2000::/3")
# An IPv4 address in the last 32 bits: RFC 6052, section 2.1; RFC 4291, section 2.5.5.
_EMBEDDED: Final = tuple(map(IPv6Network, ("64:ff9b::/96", "::/96", "::ffff:0:0/96")))
_LAST_32_BITS: Final = 2**32 - 1


def is_public(address: Address) -> bool:
    """Say whether an address belongs to the public internet.

    Loopback, private, link-local, shared (RFC 6598), reserved, multicast and unspecified addresses
    do not, nor do IPv6 addresses that stand for such an IPv4 address.
    """
    if isinstance(address, IPv6Address):
        inner = _ipv4_within(address)
        if inner is not None:
            return is_public(inner)
        return address in _IPV6_UNICAST and address.is_global
    return address.is_global and not address.is_multicast and not address.is_reserved


def _ipv4_within(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address to which packets for an IPv6 address go, None where there is none."""
    if any(address in network for network in _EMBEDDED):
        return IPv4Address(int(address) & _LAST_32_BITS)
    # 6to4 (RFC 3056); and Teredo (RFC 4380), whose second address is the client's.
    return address.sixtofour or (address.teredo[1] if address.teredo else None)


def literal_address(host: str) -> Address | None:
    """Return the address that a host of a URL is in numbers; None where it is a name.

    Resolvers take decimal, octal and hexadecimal numbers too, and fewer than four: ``2130706433``,
    ``0177.0.0.1``, ``0x7f.1``. So do browsers (WHATWG, URL, "IPv4 parser").
    """
    try:
        return ip_address(host.partition("%")[0])
    except ValueError:
        pass
    try:
        return IPv4Address(socket.inet_aton(host.removesuffix(".")))
    except (OSError, ValueError):
        return None


def is_private_host(host: str) -> bool:
    """Say whether a host is private by what it is called: in numbers, or by a name that is."""
    address = literal_address(host)
    if address is not None:
        return not is_public(address)
    name = host.lower().rstrip(".")
    return "." not in name or name.rpartition(".")[2] in _PRIVATE_NAMES


def origin_of(scheme: str, host: str | None, port: int | None) -> tuple[str, int]:
    """Return host and port of an address; port 0 where both usual ones of the web are meant."""
    usual = port is None or port == DEFAULT_PORTS.get(scheme)
    # A proxy may take escapes for what they stand for.
    return unquote(host or "").lower().rstrip("."), 0 if usual else port or 0


@dataclass
class Reachable:
    """The private addresses that a crawl may reach.

    Attributes:
        allowed: What the setting ``CORPUS_ALLOW_PRIVATE`` names.
        named: The private hosts and ports, and schemes besides those of the web, of the addresses
            that the user gave to start from.
    """

    allowed: tuple[str, ...]
    named: set[tuple[str, int]] = field(default_factory=set)

    @cached_property
    def networks(self) -> tuple[Network, ...]:
        """The networks that are allowed; single addresses are some too."""
        return tuple(_networks(self.allowed))

    def allows_host(self, host: str, port: int) -> bool:
        """Say whether a host may be reached whatever its address is."""
        return ALL in self.allowed or (host, port) in self.named or host in self.allowed

    def allows_address(self, address: Address) -> bool:
        """Say whether a host that is not allowed by name may be reached at an address."""
        return is_public(address) or any(address in network for network in self.networks)

    def allows_scheme(self, scheme: str) -> bool:
        """Say whether addresses of a scheme that is not of the web may be read."""
        return (
            ALL in self.allowed or (f"{scheme}:", 0) in self.named or f"{scheme}:" in self.allowed
        )


def _networks(names: Iterable[str]) -> Iterable[Network]:
    """Give those of some names that are networks, or addresses in numbers."""
    for name in names:
        try:
            yield ip_network(name, strict=False)
        except ValueError:
            continue
