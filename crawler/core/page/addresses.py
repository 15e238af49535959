"""Addresses: the canonical form of each, and the site that it belongs to."""

from __future__ import annotations

import re
from functools import lru_cache
from operator import itemgetter
from typing import Final
from urllib.parse import SplitResult, urlsplit, urlunsplit

import xxhash
from w3lib.url import safe_url_string

from crawler.core.page.page import DEFAULT_PORTS, site_of
from crawler.core.words import any_of, read_data

# ``tracking``: query parameters that tell a site where a reader came from, and two that show the
# same page again, scrolled or with its comment form moved. ``session``: query and path parameters
# that name a visit. ``sid`` is not among them: many news sites name a section or a story with it.
_LISTS: Final = read_data("crawler.core.page", "addresses")
_DROPPED_PREFIXES: Final = tuple(_LISTS["tracking_prefixes"])
_DROPPED_PARAMETERS: Final = frozenset(_LISTS["tracking"] + _LISTS["session"])
_SESSION_IN_PATH: Final = re.compile(rf";(?:{any_of(_LISTS['session'])})=[^/;]*", re.IGNORECASE)
_STRAY_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_ESCAPE: Final = re.compile(r"%[0-9A-Fa-f]{2}")
_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# Most addresses are canonical already, which one match tells.
_CANONICAL: Final = re.compile(r"https?://[a-z0-9.\-]+/(?!\.)(?:[A-Za-z0-9_~\-.]|/(?!\.))*+")
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


# The same navigation links stand on every page of a site.
@lru_cache(maxsize=16384)
def canonical_address(url: str) -> str:
    """Return the canonical form of an address: one form for all that lead to the same page.

    Scheme and host in lower case, the scheme's own port, credentials and the fragment gone, ``.``
    and ``..`` resolved, percent-encoding in its shortest form, tracking and session parameters
    removed, the query sorted by name (values of one name keep their order), an empty path written
    ``/``.
    Default documents (``index.html``) stay: only the server knows whether they are the folder.

    Idempotent. Never raises: other text than an ``http`` or ``https`` address is returned without
    the white space around it.
    """
    if _CANONICAL.fullmatch(url):
        return url
    # Half of a character pair cannot be written in UTF-8; browsers send this mark instead.
    text = _LONE_SURROGATE.sub("\ufffd", url).strip()
    try:
        parts = urlsplit(safe_url_string(text))
        if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
            return text
        netloc = _netloc(parts)
    except ValueError:
        return text
    path = _SESSION_IN_PATH.sub("", _shortest_escapes(parts.path))
    query = _clean_query(_shortest_escapes(parts.query))
    return urlunsplit((parts.scheme, netloc, _resolve_dots(path), query, ""))


def _netloc(parts: SplitResult) -> str:
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    if parts.port is not None and parts.port != DEFAULT_PORTS[parts.scheme]:
        host = f"{host}:{parts.port}"
    return host


def _shortest_escapes(text: str) -> str:
    # A stray "%" is escaped first: left alone, it could form a new escape with what is unescaped
    # behind it, and the result would depend on how often this ran.
    return _ESCAPE.sub(_shortest_escape, _STRAY_PERCENT.sub("%25", text)) if "%" in text else text


def _shortest_escape(match: re.Match[str]) -> str:
    character = chr(int(match[0][1:], 16))
    return character if character in _UNRESERVED else match[0].upper()


def _resolve_dots(path: str) -> str:
    if "/." in path:
        kept: list[str] = []
        segments = path.split("/")[1:]
        for segment in segments:
            if segment == "..":
                del kept[-1:]
            elif segment != ".":
                kept.append(segment)
        if segments[-1] in {".", ".."}:
            kept.append("")
        path = "/" + "/".join(kept)
    return path or "/"


def _clean_query(query: str) -> str:
    kept: list[tuple[str, str]] = []
    for pair in filter(None, query.split("&")):
        name = pair.partition("=")[0]
        folded = name.lower()
        if folded not in _DROPPED_PARAMETERS and not folded.startswith(_DROPPED_PREFIXES):
            kept.append((name, pair))
    kept.sort(key=itemgetter(0))
    return "&".join(pair for _, pair in kept)


def address_key(url: str) -> int:
    """Return a 64-bit hash of a canonical address, small enough to keep millions."""
    return xxhash.xxh3_64_intdigest(canonical_address(url).encode())


_ORIGIN: Final = re.compile(r"https?://(?:www\.)?(?=[^/]+/.)")


def place_key(url: str) -> int:
    """Return a 64-bit hash of what http and https, ``www.`` and bare host have in common.

    Front pages are told apart: some sites have a page at the bare host that leads to the other.
    """
    place = _ORIGIN.sub("//", canonical_address(url), count=1)
    return xxhash.xxh3_64_intdigest(place.encode())


@lru_cache(maxsize=16384)
def address_site(url: str) -> str:
    """Return the site of an address, as :func:`crawler.core.page.page.site_of` does."""
    return site_of(canonical_address(url))
