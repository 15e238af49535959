"""Addresses as people write them, made whole; their one written form is the core's."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from w3lib.url import safe_url_string

from crawler.core.page.addresses import address_key, address_site, canonical_address
from crawler.core.page.page import DEFAULT_PORTS

__all__ = [
    "address_key",
    "address_site",
    "canonical_address",
    "complete_address",
    "split_addresses",
]

_HAS_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://")
_LOOKS_LIKE_HOST = re.compile(
    r"(?:localhost|[^/?#@:]+\.[^/?#@:]+|\[[0-9A-Fa-f:.]+\])(?::\d+)?(?:[/?#]|$)"
)
_LIST_SEPARATOR = re.compile(r"\s*,\s*(?=https?://)|\s+", re.IGNORECASE)
_BAD_HOST = re.compile(r"[\s<>\"\\^`{|},%\ufffd]")


def complete_address(text: str) -> str | None:
    """Make a fetchable address of what a person typed; ``None`` when it is not one.

    ``http://`` is added where the scheme is missing: servers that want ``https`` redirect.
    """
    text = text.strip()
    if not text or any(character.isspace() for character in text):
        return None
    if not _HAS_SCHEME.match(text):
        # Without a scheme a bare word or a mail address could pass for a host.
        if not _LOOKS_LIKE_HOST.match(text):
            return None
        text = f"http://{text}"
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
        _ = parts.port  # a port out of range raises when it is looked at
        safe_url_string(text)
    except ValueError:
        return None
    if parts.scheme not in DEFAULT_PORTS or not host or _BAD_HOST.search(host):
        return None
    return text


def split_addresses(text: str) -> list[str]:
    """Take a list of addresses apart at white space, and at commas in front of ``http``.

    Other commas are left alone, because an address may contain them.
    """
    return [part for part in _LIST_SEPARATOR.split(text.strip().strip(",")) if part]
