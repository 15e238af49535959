"""Page to tree: the only place that parses, and each page is parsed once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from lxml import etree

from crawler.core.decode import decode
from crawler.core.errors import UnreadablePageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.core.page import Page

__all__ = ["ParsedPage", "parse"]

# First bytes of files that are no text at all, however they are labelled.
_BINARY_STARTS = (
    b"%PDF", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04", b"\x1f\x8b", b"Rar!",
    b"7z\xbc\xaf", b"RIFF", b"OggS", b"ID3", b"\x00\x00\x00", b"\x7fELF", b"wOFF", b"wOF2",
    b"\xd0\xcf\x11\xe0",
)  # fmt: skip
_SNIFFED = 2048
# Share of control characters in the sniffed text above which it is not text.
_BINARY_SHARE = 0.1
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
# XML vocabularies that list pages rather than being one.
_FEED = re.compile(
    r"(?:<\?xml[^>]*>|<!--.*?-->|\s)*<(?:rss|feed|rdf:rdf|urlset|sitemapindex)\b",
    re.IGNORECASE | re.DOTALL,
)
_NOT_PAGES = ("image/", "audio/", "video/", "font/", "application/pdf", "application/zip",
              "application/octet-stream", "application/json", "text/css", "text/javascript",
              "application/javascript")  # fmt: skip
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A page as a tree. The tree belongs to this page alone and never leaves the process.

    ``roots`` holds the document element and any stray siblings: markup after ``</html>`` becomes
    a second root in libxml2, and its text is text of the page all the same.
    """

    page: Page
    roots: tuple[etree._Element, ...]
    encoding: str
    title: str | None
    language: str | None
    canonical_url: str | None


def parse(page: Page, max_bytes: int | None = None) -> ParsedPage:
    """Decode and parse a page.

    Args:
        page: the page as it came.
        max_bytes: a larger body is refused; None for no limit.

    Raises:
        UnreadablePageError: the page is ``empty``, ``binary``, ``not-html`` or ``too-large``.
    """
    if max_bytes is not None and len(page.body) > max_bytes:
        raise UnreadablePageError(
            page.url, "too-large", f"the page has {len(page.body):,} bytes, {max_bytes:,} at most"
        )
    _refuse_other_kinds(page)
    text, encoding = decode(page)
    if not text.strip("\ufeff \t\r\n\x00"):
        raise UnreadablePageError(page.url, "empty", "the page has no content")
    head = text[:_SNIFFED]
    if len(_CONTROL.findall(head)) > len(head) * _BINARY_SHARE:
        raise UnreadablePageError(page.url, "binary", "the page is not text")
    if _FEED.match(head):
        raise UnreadablePageError(page.url, "not-html", "the page is a feed or a sitemap")
    roots = _roots(text)
    if not roots:
        raise UnreadablePageError(page.url, "empty", "the page has no elements")
    return ParsedPage(
        page=page,
        roots=roots,
        encoding=encoding,
        title=_title(roots),
        language=_language(roots),
        canonical_url=_canonical(roots, page.url),
    )


def _refuse_other_kinds(page: Page) -> None:
    if not page.body:
        raise UnreadablePageError(page.url, "empty", "the page has no content")
    kind = page.content_type.strip().lower()
    if kind.startswith(_NOT_PAGES):
        raise UnreadablePageError(page.url, "not-html", f"the page is of type {kind}")
    if page.body.startswith(_BINARY_STARTS):
        raise UnreadablePageError(page.url, "binary", "the page is a binary file")


def _roots(text: str) -> tuple[etree._Element, ...]:
    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True
    )
    markup = _CONTROL.sub("", text) if _CONTROL.search(text) else text
    root = etree.fromstring(markup.encode("utf-8", "replace"), parser)
    if root is None:
        return ()
    return (root, *(sibling for sibling in root.itersiblings() if isinstance(sibling.tag, str)))


def _each(roots: tuple[etree._Element, ...], tag: str) -> Iterator[etree._Element]:
    for root in roots:
        yield from root.iter(tag)


def _title(roots: tuple[etree._Element, ...]) -> str | None:
    # An svg carries titles of its own, so the head's comes first and only it counts.
    for element in _each(roots, "title"):
        text = _SPACE.sub(" ", "".join(str(piece) for piece in element.itertext())).strip()
        if text:
            return text
    return None


def _language(roots: tuple[etree._Element, ...]) -> str | None:
    for name in ("lang", "xml:lang", "{http://www.w3.org/XML/1998/namespace}lang"):
        if value := (roots[0].get(name) or "").strip():
            return value
    for meta in _each(roots, "meta"):
        if (meta.get("http-equiv") or "").lower() == "content-language":
            return (meta.get("content") or "").strip() or None
    return None


def _canonical(roots: tuple[etree._Element, ...], url: str) -> str | None:
    for link in _each(roots, "link"):
        if "canonical" in (link.get("rel") or "").lower().split():
            href = (link.get("href") or "").strip()
            try:
                return urljoin(url, href) if href else None
            except ValueError:
                return None
    return None
