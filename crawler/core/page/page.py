"""One page: as it was fetched, and as it was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from crawler.core.page.blocks import Block

if TYPE_CHECKING:
    from crawler.core.page.parse import ParsedPage

LOCAL_SITE = "local"
"""The site of pages whose address names no host."""

DEFAULT_PORTS = {"http": 80, "https": 443}
"""The ports that addresses of a scheme need not name."""

MAX_PAGE_BYTES = 10 * 1024 * 1024
"""Largest body that is worked on where nothing else is said, content encodings undone."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page as fetched, read from an archive, or handed over by a spider.

    Attributes:
        url: the address the body came from, after redirects.
        body: the bytes of the page, content encodings (gzip, br) already undone.
        content_type: the ``Content-Type`` header as sent, with its charset; empty where unknown.
        encoding: the encoding where it is certain because the page was handed over as text; else
            ``None`` and :func:`crawler.core.page.decode.decode` finds it out.
        fetched_at: when it was fetched, ISO 8601 in UTC; empty where unknown.
        site: name of the site whose pages are counted together; empty means :func:`site_of` the
            url.
        robots_tags: the values of its ``X-Robots-Tag`` headers, one an entry, as sent.
        tdm_reservation: the value of its ``tdm-reservation`` header, the first of several; empty
            for none.
        fields: further fields of the item a spider handed over, as JSON values. They come back on
            the exported item.
    """

    url: str
    body: bytes
    content_type: str = ""
    encoding: str | None = None
    fetched_at: str = ""
    site: str = ""
    robots_tags: tuple[str, ...] = ()
    tdm_reservation: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_text(
        cls,
        url: str,
        html: str,
        *,
        fetched_at: str = "",
        site: str = "",
        fields: Mapping[str, Any] | None = None,
    ) -> Page:
        """Make a page from markup that is decoded already."""
        # Lone surrogates can stand in a str but not in UTF-8; they carry no text worth an error.
        body = html.encode("utf-8", "replace")
        return cls(
            url, body, encoding="utf-8", fetched_at=fetched_at, site=site, fields=fields or {}
        )

    @property
    def site_name(self) -> str:
        """The site this page is counted under."""
        return self.site or site_of(self.url)


@dataclass(frozen=True, slots=True)
class Document:
    """One page, read: its blocks and what it says of itself.

    Attributes:
        title, language, canonical_url: as the page declares them, the address absolute; None where
            it does not.
        encoding: the encoding that the page was decoded with.
        robots: what the page asks of robots, in its headers and in itself: names of
            :data:`crawler.core.page.robots_meta.DIRECTIVES`.
        parsed: the page as a tree, for methods that need more than blocks. A document with its tree
            goes neither into a container nor to another process.
        text_source: where text was found that the page does not show, as
            :func:`crawler.core.page.supplement.supplement` names it; None for nowhere.
        added: the indexes of the blocks that are from there.
    """

    page: Page
    title: str | None
    language: str | None
    canonical_url: str | None
    encoding: str
    blocks: tuple[Block, ...]
    robots: frozenset[str]
    parsed: ParsedPage = field(repr=False, compare=False)
    text_source: str | None = None
    added: frozenset[int] = frozenset()


def site_of(url: str) -> str:
    """Return the site of a url: its host, lower-cased, without ``www.``.

    A port is kept when it is not the scheme's own, so two servers on one host are two sites. An
    address without a host (a file, an opaque identifier) belongs to the site ``local``.
    """
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").removeprefix("www.")
        port = parts.port
    except ValueError:
        return LOCAL_SITE
    if not host:
        return LOCAL_SITE
    if port is None or port == DEFAULT_PORTS.get(parts.scheme):
        return host
    return f"{host}:{port}"
