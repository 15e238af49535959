"""Addresses: one written form for each page, and which of them belong to a site."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import SplitResult, urlsplit, urlunsplit

import xxhash
from w3lib.url import safe_url_string

from crawler.core.page.page import DEFAULT_PORTS, site_of

__all__ = [
    "SESSION_PARAMETERS",
    "TRACKING_PARAMETERS",
    "TRACKING_PREFIXES",
    "address_key",
    "address_site",
    "canonical_address",
]

TRACKING_PREFIXES = ("utm_", "mtm_", "pk_", "hsa_", "n_ad")
"""Beginnings of query parameters that tell a site where a reader came from."""

TRACKING_PARAMETERS = (
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "dclid",
    "fbclid",
    "gad_source",
    "gbraid",
    "gclid",
    "gclsrc",
    "igshid",
    "mc_cid",
    "mc_eid",
    "mibextid",
    "mkt_tok",
    "msclkid",
    "n_keyword",
    "n_media",
    "n_query",
    "n_rank",
    "napm",
    "oly_anon_id",
    "oly_enc_id",
    "ref_src",
    "ref_url",
    "srsltid",
    "twclid",
    "vero_id",
    "wbraid",
    "yclid",
    "ysclid",
    # Not traces of the reader, but the same page again: with the comment form moved, and scrolled.
    "replytocom",
    "showcomment",
)
"""Query parameters that change nothing about the page, in lower case."""

SESSION_PARAMETERS = (
    "cfid",
    "cftoken",
    "jsessionid",
    "phpsessid",
    "sessionid",
    "session_id",
    "aspsessionid",
    "zenid",
)
"""Query and path parameters that name a visit, in lower case: each visit would be a new address.

``sid`` is left out on purpose: many news sites name a section or a story with it.
"""

_DROPPED_PARAMETERS = frozenset(TRACKING_PARAMETERS + SESSION_PARAMETERS)
_SESSION_IN_PATH = re.compile(rf";(?:{'|'.join(SESSION_PARAMETERS)})=[^/;]*", re.IGNORECASE)
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# What most addresses look like: nothing in them could be written otherwise.
_CANONICAL = re.compile(r"https?://[a-z0-9.\-]+/(?!\.)(?:[A-Za-z0-9_~\-.]|/(?!\.))*+")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


# The same navigation links stand on every page of a site.
@lru_cache(maxsize=16384)
def canonical_address(url: str) -> str:
    """Write an address in the one form under which its page is known.

    Scheme and host in lower case, the scheme's own port and the fragment gone, ``.`` and ``..``
    resolved, percent-encoding in its shortest form, tracking and session parameters removed, the
    query sorted by name (values of one name keep their order), an empty path written ``/``.
    Default documents (``index.html``) stay: only the server knows whether they are the folder.

    Idempotent. Never raises: what is no ``http`` or ``https`` address comes back stripped of
    surrounding white space and otherwise as it was.
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
    user = parts.netloc.rpartition("@")[0]
    return f"{user}@{host}" if user else host


def _shortest_escapes(text: str) -> str:
    if "%" not in text:
        return text
    # A stray "%" is escaped first: left alone, it could form a new escape with what is unescaped
    # behind it, and the result would depend on how often this ran.
    return _ESCAPE.sub(_shortest_escape, _STRAY_PERCENT.sub("%25", text))


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
    if not query:
        return ""
    kept = [pair for pair in query.split("&") if pair and not _is_dropped(pair)]
    kept.sort(key=_parameter_name)
    return "&".join(kept)


def _parameter_name(pair: str) -> str:
    return pair.partition("=")[0]


def _is_dropped(pair: str) -> bool:
    name = _parameter_name(pair).lower()
    return name in _DROPPED_PARAMETERS or name.startswith(TRACKING_PREFIXES)


def address_key(url: str) -> int:
    """Name a page by a 64-bit hash of its canonical address: small enough to keep millions."""
    return xxhash.xxh3_64_intdigest(canonical_address(url).encode())


@lru_cache(maxsize=16384)
def address_site(url: str) -> str:
    """Name the site an address lies on, as :func:`crawler.core.page.page.site_of` does."""
    return site_of(canonical_address(url))
