"""Twins: addresses of a page made for printers and telephones, or for one visit alone."""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

from crawler.core.page.addresses import canonical_address

__all__ = ["is_drawn", "plain_address"]

# Parameters that ask for the same page in another dress, with the values that do so.
_DRESSES = {
    "print": None, "printable": None, "printer": None, "print_view": None, "amp": None,
    "commentpage": None, "m": ("1", "0"),
    "output": ("amp", "print", "1"), "outputtype": ("amp", "print"), "format": ("amp", "print"),
    "view": ("amp", "print"), "tmpl": ("component", "print"),
}  # fmt: skip
_SESSION_NAMES = frozenset(
    {"s", "sid", "sess", "session", "oscsid", "osessionid", "token", "visit"}
)
# Names under which a form to sign in is told where its reader came from.
_RETURN_NAMES = frozenset(
    {
        "back_url", "backurl", "continue", "destination", "from_url", "redirect", "redirect_to",
        "redirect_uri", "redirect_url", "redirecturl", "referer", "referrer", "return_path",
        "return_to", "return_url", "returnto", "returnurl",
    }
)  # fmt: skip
_WAY_BACK = re.compile(r"/|%2f|\.(?:html?|php|aspx?|jsp)", re.IGNORECASE)
# What a program draws by lot: long, of letters and digits without a word in it.
_DRAWN = re.compile(r"(?=[^0-9]*[0-9])(?:[0-9a-f]{16,}|(?=[^A-Za-z]*[A-Za-z])[0-9A-Za-z]{24,})")
_SESSION_PART = re.compile(r"/\([A-Z]\([0-9a-z]{20,32}\)\)", re.IGNORECASE)
_DRESSED_NAME = re.compile(r"\.(?:amp|print)(?=\.html?$)", re.IGNORECASE)
_DRESSED_END = re.compile(r"\.amp$|/(?:amp|print|comment-page-\d{1,6})/?$", re.IGNORECASE)


def plain_address(address: str) -> tuple[str, str]:
    """Return the address of the page itself, and what the given one is: a twin or a session.

    Args:
        address: canonical.

    Returns:
        The canonical address to fetch instead, and the reason: ``twin`` for pages in another dress
        (print, AMP, mobile, further comments), ``session`` for those of one visit or way (a form to
        sign in that leads back), empty where the address is plain.
    """
    parts = urlsplit(address)
    path = _SESSION_PART.sub("", parts.path)
    reason = "session" if path != parts.path else ""
    pairs = parts.query.split("&") if parts.query else []
    kept = []
    for pair in pairs:
        name, _, value = pair.partition("=")
        if _is_dress(name.lower(), value.lower()):
            reason = reason or "twin"
        elif _is_of_visit(name.lower(), value):
            reason = reason or "session"
        else:
            kept.append(pair)
    plain_path = _plain_path(path)
    if plain_path != path:
        reason = reason or "twin"
    if not reason:
        return address, ""
    plain = urlunsplit((parts.scheme, parts.netloc, plain_path, "&".join(kept), ""))
    return canonical_address(plain), reason


def _is_dress(name: str, value: str) -> bool:
    if name not in _DRESSES:
        return False
    values = _DRESSES[name]
    return values is None or value in values


def _is_of_visit(name: str, value: str) -> bool:
    if name in _RETURN_NAMES:
        return bool(_WAY_BACK.search(value))
    return name in _SESSION_NAMES and is_drawn(value)


def is_drawn(text: str) -> bool:
    """Tell what a program drew by lot, as the name of a visit, from words and numbers."""
    return _DRAWN.fullmatch(text) is not None


def _plain_path(path: str) -> str:
    plain = _DRESSED_NAME.sub("", path)
    if found := _DRESSED_END.search(plain):
        rest = plain[: found.start()]
        # /amp alone is a page of that name; what stood before keeps its closing slash.
        if rest.strip("/"):
            return rest + "/" if found[0].endswith("/") else rest
    return plain
