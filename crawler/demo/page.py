"""What the demo server serves: one page as sent, with what it is known to say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DemoPage", "PageKind", "html_page"]

PageKind = Literal[
    "article",
    "index",
    "table",
    "duplicate",
    "near-duplicate",
    "redirect",
    "broken",
    "binary",
    "private",
    "robots",
]


@dataclass(frozen=True, slots=True)
class DemoPage:
    """One address of the demo site.

    Attributes:
        path: Path and query, as a browser asks for it.
        kind: ``article``, and ``table`` for a page about a genuine table; ``index`` lists other
            pages; ``duplicate`` is an article at another address, ``near-duplicate`` one with a
            note added; ``redirect`` leads elsewhere; ``broken`` says HTML and holds none;
            ``binary`` is a picture or a document; ``private`` may not be crawled; ``robots`` says
            so.
        body: The bytes sent.
        status: The HTTP status.
        headers: The headers sent, ``Content-Length`` apart.
        gold_text: Lines of the article, in order and without any boilerplate; empty for pages that
            are no article.
        duplicate_of: Path of the article that a duplicate or near-duplicate repeats.

    """

    path: str
    kind: PageKind
    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    gold_text: str = ""
    duplicate_of: str = ""


def html_page(
    path: str, kind: PageKind, html: str, *, gold_text: str = "", duplicate_of: str = ""
) -> DemoPage:
    """Make a page of HTML in UTF-8, declared as such."""
    return DemoPage(
        path=path,
        kind=kind,
        body=html.encode(),
        headers={"Content-Type": "text/html; charset=utf-8"},
        gold_text=gold_text,
        duplicate_of=duplicate_of,
    )
