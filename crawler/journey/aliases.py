"""Pages that say, by ``rel=canonical``, that they are another page of their site."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crawler.core.page.addresses import canonical_address
from crawler.core.page.page import site_of

if TYPE_CHECKING:
    from crawler.core.flow import Document, SiteView

__all__ = ["Aliases", "declared_original"]


def declared_original(document: Document) -> str | None:
    """Return the address under which a page says it should be known, if that is another one.

    One on another host is none: it cannot be counted together with this page. Nor is one that
    differs in its scheme alone.
    """
    url, original = document.page.url, document.canonical_url
    if original is None or site_of(original) != site_of(url):
        return None
    return None if _place(original) == _place(url) else original


def _place(url: str) -> tuple[str, str]:
    parts = urlsplit(canonical_address(url))
    return parts.path, parts.query


class Aliases:
    """Which pages of a site are others by another address.

    What pages say is often wrong: some sites name their front page on every page. So a page is an
    alias where it says so and where its text is nearly that of the other as well.
    """

    def __init__(self) -> None:
        self._originals: dict[str, str] = {}

    def add(self, document: Document) -> None:
        """Note what a page says, before pages are judged."""
        if (original := declared_original(document)) is not None:
            self._originals[document.page.url] = original

    def original(self, url: str, view: SiteView) -> str | None:
        """Return the page that a page is, by another address; ``None`` for one of its own.

        Args:
            url: the page.
            view: the counts of its site with both pages in them.
        """
        original = self._originals.get(url)
        if original is None or original in self._originals:
            return None
        same = view.duplicate_of
        if url not in same and original not in same:
            return None
        return original if same.get(url, url) == same.get(original, original) else None
