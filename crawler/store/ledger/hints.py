"""What is known of a page before it is fetched, and how a further listing adds to it.

Adding is idempotent, and dates do not depend on the order: the latest one given is kept, and the
title that came with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from crawler.core.errors import StoreError
from crawler.core.page.addresses import canonical_address
from crawler.store.ledger.rows import FOUND_BY, Added, listed_seconds, seconds_of

if TYPE_CHECKING:
    from crawler.store.ledger.rows import Found

__all__ = [
    "HINT_COLUMNS",
    "KIND_CHARS",
    "Hints",
    "Tally",
    "join",
    "plain",
    "read_hints",
    "turn_of",
]

_TITLE_CHARS = 500
KIND_CHARS = 40
_ARTICLE = "article"
_KINDS_OF_TURNS = 3


class Hints(NamedTuple):
    """What listings and links tell of a page, in the columns of the ledger."""

    priority: int | None
    depth: int
    kind: str | None
    listed: str | None
    title: str | None
    canonical: str | None


HINT_COLUMNS = ", ".join(Hints._fields)


@dataclass(slots=True)
class Tally:
    """Counts what becomes of entries."""

    new: int = 0
    known: int = 0
    changed: int = 0
    hinted: int = 0
    too_long: int = 0
    undated: int = 0

    def added(self) -> Added:
        """Return the counts."""
        return Added(self.new, self.known, self.changed, self.hinted, self.too_long, self.undated)


def turn_of(kind: str | None, tries: int) -> int:
    """Return when a page has its turn: articles first, then what may be one, then the others.

    A page that failed stands behind all that failed less often.
    """
    rank = 1 if not kind else 0 if kind == _ARTICLE else 2
    return rank + _KINDS_OF_TURNS * tries


def plain(text: str, longest: int) -> str | None:
    """Cut a text, and mend what cannot be written in UTF-8; ``None`` where it is empty."""
    text = text[:longest]
    return (text if text.isascii() else text.encode("utf-8", "replace").decode()) or None


def read_hints(found: Found, tally: Tally) -> tuple[Hints, int, int]:
    """Return an entry's hints, the place of ``found_by`` in its tuple, and when it was found.

    A date that is none is counted and left out.

    Raises:
        StoreError: it was found in no way there is, at no time, or at no depth.
    """
    if found.found_by not in FOUND_BY:
        raise StoreError(
            f"{found.found_by!r} is no way to find an address. Give one of: {', '.join(FOUND_BY)}."
        )
    if not 0 <= found.depth < 2**31:
        raise StoreError(f"{found.depth} is no number of links to {found.address[:200]}.")
    listed = listed_seconds(found.listed)
    priority = listed_seconds(found.priority)
    wrong = (listed is None and found.listed) or (priority is None and found.priority)
    tally.undated += bool(wrong)
    hints = Hints(
        priority=listed if priority is None else priority,
        depth=found.depth,
        kind=plain(found.kind, KIND_CHARS),
        listed=None if listed is None else found.listed,
        title=plain(found.title, _TITLE_CHARS),
        canonical=canonical_address(found.canonical) if found.canonical else None,
    )
    return hints, FOUND_BY.index(found.found_by), seconds_of(found.at)


def join(old: Hints, new: Hints, fetched_at: int | None) -> tuple[Hints, bool]:
    """Add what an entry tells to what is known.

    Args:
        old: what is known.
        new: what the entry tells.
        fetched_at: when the page was fetched last; ``None`` where it never was.

    Returns:
        What is known now, and whether a listing dates a page later that was fetched already.
    """
    before = now = None
    if new.listed and new.listed != old.listed:
        before, now = listed_seconds(old.listed or ""), listed_seconds(new.listed)
    later = now is not None and (before is None or now > before)
    if fetched_at is None:
        hinted = False
    else:
        # The first date given to a page tells of a change only where it is later than the fetch.
        hinted = later and now is not None and (before is not None or now > fetched_at)
    priorities = [date for date in (old.priority, new.priority) if date is not None]
    joined = Hints(
        priority=max(priorities, default=None),
        depth=min(old.depth, new.depth),
        kind=old.kind or new.kind,
        listed=new.listed if later else old.listed,
        title=(later and new.title) or old.title or new.title,
        canonical=old.canonical or new.canonical,
    )
    return joined, hinted
