"""What is known of a page besides its text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Metadata"]


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a page says of itself. A field that it says nothing of is None, or empty.

    ``title``
        The title of what the page is about, without the site's name.
    ``authors``
        Names of people, or of agencies and desks that sign as authors, in the page's order.
    ``published``, ``modified``
        ISO 8601 as exact as the page gives it: ``2026-11-27``, ``2026-11-27T14:03`` or
        ``2026-11-27T14:03:00+09:00``; never converted to another zone.
    ``language``
        A BCP 47 tag such as ``ko`` or ``en-GB``.
    ``site_name``
        What the site calls itself.
    ``canonical_url``, ``image``
        Absolute addresses.
    ``description``
        The page's own summary.
    ``tags``
        Its keywords, in its order.
    ``sources``
        For each field that is given, where it came from: ``json-ld``, ``opengraph``, ``meta``,
        ``microdata``, ``time``, ``text``, ``byline``, ``h1``, ``title``, ``url``, ``link``,
        ``html``, ``script``; ``modified`` where a page tells of no publication and ``published``
        is when it was last changed.
    """

    title: str | None = None
    authors: tuple[str, ...] = ()
    published: str | None = None
    modified: str | None = None
    language: str | None = None
    site_name: str | None = None
    canonical_url: str | None = None
    description: str | None = None
    tags: tuple[str, ...] = ()
    image: str | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
