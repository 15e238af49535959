"""Names of sites, as files and folders are named after them, and as users mistype them."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from crawler.store.names import CUT

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["known_sites", "site_named"]

_SHOWN = 8


def site_named(name: str) -> str:
    """Return the site whose name :func:`crawler.store.names.file_name` made a file's name of.

    A name that was cut, or that somebody else gave, is returned as it is.
    """
    if CUT in name:
        return name
    try:
        return unquote_to_bytes(name).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return name


def known_sites(site: str, names: Sequence[str]) -> str:
    """Say which sites there are, for somebody who asked for one that is not among them.

    Args:
        site: what was asked for.
        names: those there are, one at least.
    """
    if near := get_close_matches(site, names, n=1):
        return f"the nearest name is {near[0]}"
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"there are: {', '.join(names[:_SHOWN])}{more}"
