"""Twins: further addresses of a page, for printing, for AMP, or for one session."""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

from crawler.core.page.addresses import canonical_address
from crawler.core.words import read_data

# Parameters that ask for the same page in another form, with the values that do so.
_FORM_PARAMETERS = {
    "print": None, "printable": None, "printer": None, "print_view": None, "amp": None,
    "commentpage": None, "m": ("1", "0"),
    "output": ("amp", "print", "1"), "outputtype": ("amp", "print"), "format": ("amp", "print"),
    "view": ("amp", "print"), "tmpl": ("component", "print"),
}  # fmt: skip
_WORDS = read_data("crawler.discovery", "addresses")
_SESSION_NAMES = frozenset(_WORDS["session_parameters"])
# Parameters of a sign-in form that hold the page to return to.
_RETURN_NAMES = frozenset(_WORDS["return_parameters"])
_WAY_BACK = re.compile(r"/|%2f|\.(?:html?|php|aspx?|jsp)", re.IGNORECASE)
# A random text: long, of letters and digits without a word in it.
_RANDOM = re.compile(r"(?=[^0-9]*[0-9])(?:[0-9a-f]{16,}|(?=[^A-Za-z]*[A-Za-z])[0-9A-Za-z]{24,})")
_SESSION_PART = re.compile(r"/\([A-Z]\([0-9a-z]{20,32}\)\)", re.IGNORECASE)
_FORM_NAME = re.compile(r"\.(?:amp|print)(?=\.html?$)", re.IGNORECASE)
_FORM_END = re.compile(r"\.amp$|/(?:amp|print|comment-page-\d{1,6})/?$", re.IGNORECASE)


def plain_address(address: str) -> tuple[str, str]:
    """Return the address of the page itself, and what the given address is.

    Args:
        address: canonical.

    Returns:
        The canonical address to fetch instead, and the reason: ``twin`` for another form of the
        page (print, AMP, mobile, further comments), ``session`` for an address of one session or of
        a sign-in form that leads back; empty where the address is plain.
    """
    parts = urlsplit(address)
    path = _SESSION_PART.sub("", parts.path)
    reason = "session" if path != parts.path else ""
    kept = []
    for pair in parts.query.split("&") if parts.query else ():
        name, _, value = pair.partition("=")
        if _asks_for_form(name.lower(), value.lower()):
            reason = reason or "twin"
        elif _is_of_session(name.lower(), value):
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


def _asks_for_form(name: str, value: str) -> bool:
    values = _FORM_PARAMETERS.get(name, ())
    return values is None or value in values


def _is_of_session(name: str, value: str) -> bool:
    if name in _RETURN_NAMES:
        return bool(_WAY_BACK.search(value))
    return name in _SESSION_NAMES and is_random(value)


def is_random(text: str) -> bool:
    """Say whether a text is random, such as the id of a session, and no words or numbers."""
    return _RANDOM.fullmatch(text) is not None


def _plain_path(path: str) -> str:
    plain = _FORM_NAME.sub("", path)
    if found := _FORM_END.search(plain):
        rest = plain[: found.start()]
        # /amp alone is a page of that name; what stood before keeps its closing slash.
        if rest.strip("/"):
            return rest + "/" if found[0].endswith("/") else rest
    return plain
