"""What goes into a site's ledger and what comes out of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from crawler.core.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "FOUND_BY",
    "ROW_COLUMNS",
    "STATES",
    "Added",
    "Change",
    "Fetched",
    "Figures",
    "Found",
    "FoundBy",
    "Part",
    "Row",
    "Run",
    "State",
    "iso_of",
    "listed_seconds",
    "row_of",
    "seconds_of",
]

FoundBy = Literal["start", "sitemap", "feed", "link"]
State = Literal["queued", "fetching", "fetched", "gone", "refused", "failed"]

FOUND_BY: tuple[FoundBy, ...] = ("start", "sitemap", "feed", "link")
"""How an address is found. A ledger keeps the place in this tuple: add names at its end alone."""

STATES: tuple[State, ...] = ("queued", "fetching", "fetched", "gone", "refused", "failed")
"""What became of an address. A ledger keeps the place in this tuple: add names at its end alone."""

ROW_COLUMNS = """
address, found_by, found_at, in_sitemap, state, canonical, listed, title, priority, kind, depth,
reason, tries, asked_at, fetched_at, changed_at, status, etag, last_modified, content, previous,
near, hinted, owed, exported, (SELECT id FROM runs WHERE number = exported_run)
"""
"""Columns of a ledger's table of pages, of which :func:`row_of` makes a row."""

_HASHES = 2**64
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PART_OF_DATE = re.compile(r"[0-9]{4}(?:-[0-9]{2})?")


@dataclass(frozen=True, slots=True)
class Found:
    """An address that was found, and what is known of its page before it is fetched.

    ``address``
        Absolute. A ledger knows it by its canonical form
        (:func:`crawler.core.page.addresses.canonical_address`).
    ``found_by``, ``at``
        How it was found, and when (ISO 8601).
    ``canonical``
        The address under which its page says it should be known; empty where it is not known.
    ``listed``
        The date a listing gave: ISO 8601, as exact as it was written, from a year to a time.
    ``title``
        The title a listing gave.
    ``priority``
        The date by which the page stands in the queue; empty where that is ``listed``.
    ``kind``
        What kind of page it seems to be, by its address or listing; empty where nothing tells.
    ``depth``
        Links from the start to it.
    ``hints``
        Whether a later date hints at a change; not where a listing dates all its pages anew.
    """

    address: str
    found_by: FoundBy
    at: str
    canonical: str = ""
    listed: str = ""
    title: str = ""
    priority: str = ""
    kind: str = ""
    depth: int = 0
    hints: bool = True


@dataclass(frozen=True, slots=True)
class Added:
    """What became of the entries handed to a ledger.

    ``new``
        Addresses it did not know.
    ``known``
        Addresses it knew, changed ones too.
    ``changed``
        Known addresses of which it now knows more.
    ``hinted``
        Fetched pages that a listing now dates later than before: they may have changed.
    ``too_long``
        Entries left out, because their address is longer than a listing may have.
    ``undated``
        Entries with a date that is none; they were added without it.
    """

    new: int = 0
    known: int = 0
    changed: int = 0
    hinted: int = 0
    too_long: int = 0
    undated: int = 0


@dataclass(frozen=True, slots=True)
class Fetched:
    """A server's answer for an address.

    ``address``
        In any form of the address that was asked for.
    ``status``
        2xx: the page. 304: it is as it was. 404 and 410: it is gone. Any other is for
        :meth:`crawler.store.ledger.ledger.Ledger.mark_failed`.
    ``at``
        When (ISO 8601).
    ``content_hash``
        Tells one version of the page from another, as a hash of its body does: any text, the same
        for the same page. Needed with 2xx.
    ``near_hash``
        64-bit hash, 0 or more, that near-duplicates nearly share.
    ``kind``
        What kind of page it is; empty leaves what was known.
    ``etag``, ``last_modified``
        Headers of the answer, as they came.
    ``canonical``
        As in :class:`Found`; empty leaves what was known.
    ``for_export``
        Whether the page is to be exported.
    """

    address: str
    status: int
    at: str
    content_hash: str = ""
    near_hash: int | None = None
    kind: str = ""
    etag: str = ""
    last_modified: str = ""
    canonical: str = ""
    for_export: bool = True


@dataclass(frozen=True, slots=True)
class Change:
    """What fetching a page again showed.

    ``kind``
        Beside the version fetched before: ``new`` where there is none, ``changed``, ``same``, or
        ``gone``.
    ``previous_hash``
        Content hash of the version fetched before; empty where there is none.
    ``exported_hash``
        What the version exported last was named; empty where none was. This is the earlier version
        of which a user knows, and it is another one than ``previous_hash`` where a crawl was killed
        between fetching and exporting.
    ``to_export``
        The page is to be exported, and this version was not yet.
    """

    kind: Literal["new", "changed", "same", "gone"]
    previous_hash: str = ""
    exported_hash: str = ""
    to_export: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """All that a ledger knows of an address. Text that is not known is empty; times are in UTC.

    ``address``, ``canonical``, ``listed``, ``title``, ``kind``, ``depth``
        As in :class:`Found`, with ``address`` in its canonical form. ``listed`` is the latest date
        that a listing gave, and ``kind`` what the page turned out to be once it was fetched.
    ``found_by``, ``found_at``
        How and when it was found first.
    ``priority``
        The date by which it stands in the queue.
    ``state``, ``reason``, ``tries``
        What became of it; why it was refused or failed; how often fetching failed since it last
        worked.
    ``asked_at``, ``fetched_at``
        When its server last answered or failed, and when it last gave the page (or said that the
        page is as it was, or gone).
    ``changed_at``
        When an answer last showed a version that was not known, or that the page is gone.
    ``status``
        HTTP status of the last answer, 0 where there was none.
    ``etag``, ``last_modified``
        What the server said of the version that was fetched.
    ``content_hash``, ``previous_hash``
        Of the version fetched last, and of the other version before it.
    ``near_hash``
        64-bit hash that near-duplicates nearly share; ``None`` where none was given.
    ``hinted``
        A listing has dated the page later since it was fetched.
    ``owed``
        The fetched version is to be exported and is in no finished part.
    ``exported_hash``, ``exported_run``
        The version exported last, as whoever exported it named it (``GONE_HASH`` where what was
        exported last is that it is gone), and the id of the run that did.
    ``in_sitemap``
        A sitemap names it, as far as was seen.
    """

    address: str
    found_by: FoundBy
    found_at: str
    state: State = "queued"
    canonical: str = ""
    listed: str = ""
    title: str = ""
    priority: str = ""
    kind: str = ""
    depth: int = 0
    reason: str = ""
    tries: int = 0
    asked_at: str = ""
    fetched_at: str = ""
    changed_at: str = ""
    status: int = 0
    etag: str = ""
    last_modified: str = ""
    content_hash: str = ""
    previous_hash: str = ""
    near_hash: int | None = None
    hinted: bool = False
    owed: bool = False
    exported_hash: str = ""
    exported_run: str = ""
    in_sitemap: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """A crawl that used the ledger. One that has not ended is under way, or was killed.

    ``figures`` are the caller's: whatever JSON holds, by name.
    """

    id: str
    started: str
    ended: str = ""
    reason: str = ""
    figures: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Part:
    """A numbered part of a run's output.

    ``pages``
        How many pages are noted as exported in it.
    ``finished``
        When it was whole; empty where it is not, and then its pages do not count as exported.
    """

    run: str
    number: int
    name: str
    begun: str
    finished: str = ""
    pages: int = 0


@dataclass(frozen=True, slots=True)
class Figures:
    """How many addresses are in each state, and how many pages are exported or owed."""

    queued: int = 0
    fetching: int = 0
    fetched: int = 0
    gone: int = 0
    refused: int = 0
    failed: int = 0
    exported: int = 0
    owed: int = 0

    @property
    def addresses(self) -> int:
        """All addresses of the ledger."""
        states = (self.queued, self.fetching, self.fetched, self.gone, self.refused, self.failed)
        return sum(states)


def seconds_of(time: str) -> int:
    """Return a time in whole seconds since 1970, UTC where it names no zone.

    Raises:
        StoreError: it is no time in ISO 8601.
    """
    seconds = listed_seconds(time)
    if seconds is None:
        raise StoreError(f"{time!r} is no time. Give it in ISO 8601, as 2024-05-01T10:00:00Z.")
    return seconds


# A crawl gives many pages the same time, and a listing the same day.
@lru_cache(maxsize=4096)
def listed_seconds(date: str) -> int | None:
    """Return when a date begins, in whole seconds since 1970; ``None`` where it is no date.

    A year or a month alone begins with its first day.
    """
    if _PART_OF_DATE.fullmatch(date):
        date = f"{date}-01-01"[:10]
    try:
        time = datetime.fromisoformat(date)
        time = time.replace(tzinfo=UTC) if time.tzinfo is None else time
        return (time - _EPOCH) // timedelta(seconds=1)
    except (ValueError, OverflowError):
        return None


def iso_of(seconds: int | None) -> str:
    """Write seconds since 1970 as a time in UTC, ``2024-05-01T10:00:00Z``; ``None`` is empty."""
    if seconds is None:
        return ""
    time = _EPOCH + timedelta(seconds=seconds)
    return f"{time.replace(tzinfo=None).isoformat()}Z"


def row_of(columns: Sequence[Any]) -> Row:
    """Make a row of the ``ROW_COLUMNS`` of a page."""
    (
        address, found_by, found_at, in_sitemap, state, canonical, listed, title, priority, kind,
        depth, reason, tries, asked_at, fetched_at, changed_at, status, etag, last_modified,
        content, previous, near, hinted, owed, exported, run,
    ) = columns  # fmt: skip
    return Row(
        address=address,
        found_by=FOUND_BY[found_by],
        found_at=iso_of(found_at),
        in_sitemap=bool(in_sitemap),
        state=STATES[state],
        canonical=canonical or "",
        listed=listed or "",
        title=title or "",
        priority=iso_of(priority),
        kind=kind or "",
        depth=depth,
        reason=reason or "",
        tries=tries,
        asked_at=iso_of(asked_at),
        fetched_at=iso_of(fetched_at),
        changed_at=iso_of(changed_at),
        status=status or 0,
        etag=etag or "",
        last_modified=last_modified or "",
        content_hash=content or "",
        previous_hash=previous or "",
        near_hash=None if near is None else near % _HASHES,
        hinted=bool(hinted),
        owed=bool(owed),
        exported_hash=exported or "",
        exported_run=run or "",
    )
