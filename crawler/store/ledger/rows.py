"""What goes into a site's ledger and what comes out of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from crawler.core.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

FoundBy = Literal["start", "sitemap", "feed", "link"]
State = Literal["queued", "fetching", "fetched", "gone", "refused", "failed"]

FOUND_BY: Final[tuple[FoundBy, ...]] = ("start", "sitemap", "feed", "link")
"""How an address is found. A ledger keeps the index in this tuple: add names only at its end."""

STATES: Final[tuple[State, ...]] = ("queued", "fetching", "fetched", "gone", "refused", "failed")
"""States of an address. A ledger keeps the index in this tuple: add names only at its end."""

GONE_HASH: Final = "gone"
"""The exported version of a page of which it was exported that it is gone."""

PART_HASH: Final = "part"
"""The exported version of a page whose text is in the item of another: page 1 of its article."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_PART_OF_DATE: Final = re.compile(r"[0-9]{4}(?:-[0-9]{2})?")


@dataclass(frozen=True, slots=True)
class Found:
    """An address that was found, and what is known of its page before it is fetched.

    Attributes:
        address: Absolute. A ledger knows it by its canonical form
            (:func:`crawler.core.page.addresses.canonical_address`).
        found_by: How it was found.
        at: When (ISO 8601).
        listed: The date a listing gave: ISO 8601, as exact as it was written, from a year to a
            time.
        priority: The date by which the page is ordered in the queue; empty where that is
            ``listed``.
        kind: What kind of page it seems to be, by its address or listing; empty where unknown.
        depth: Links from the start to it.
        hints: Whether a later date hints at a change; not where a listing dates all pages anew.
    """

    address: str
    found_by: FoundBy
    at: str
    listed: str = ""
    priority: str = ""
    kind: str = ""
    depth: int = 0
    hints: bool = True


@dataclass(frozen=True, slots=True)
class Fetched:
    """A server's answer for an address.

    Attributes:
        address: In any form of the address that was requested.
        status: 2xx: the page. 304: it has not changed. 404 and 410: it is gone. Any other is for
            :meth:`crawler.store.ledger.ledger.Ledger.mark_failed`.
        at: When (ISO 8601).
        content_hash: Identifies the version of the page, as a hash of its body. Needed with 2xx.
        kind: What kind of page it is; empty leaves what was known.
        etag, last_modified: Headers of the answer, as they came.
        for_export: Whether the page is to be exported.
    """

    address: str
    status: int
    at: str
    content_hash: str = ""
    kind: str = ""
    etag: str = ""
    last_modified: str = ""
    for_export: bool = True


class Change(NamedTuple):
    """How a page differs from what was known of it.

    Attributes:
        kind: Compared with the version fetched before; ``new`` where there is none.
        to_export: The page is to be exported, and this version was not yet.
    """

    kind: Literal["new", "changed", "same", "gone"]
    to_export: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """What a ledger knows of an address. Unknown text is empty; times are in UTC.

    Attributes:
        address, depth: As in :class:`Found`, the address in its canonical form.
        found_by, found_at: How and when it was found first.
        state: What became of it.
        canonical: The address under which it is known instead, where it was refused for that.
        listed: The latest date that a listing gave.
        priority: The date by which it is ordered in the queue.
        kind: What kind of page it is, as far as that is known.
        reason: Why it was refused or failed.
        tries: How often fetching failed since it last worked.
        asked_at: When its server last answered or failed.
        fetched_at: When its server last gave the page, or said that it is unchanged or gone.
        changed_at: When an answer last showed a new version, or that the page is gone.
        status: HTTP status of the last answer, 0 where there was none.
        content_hash: Of the version that was fetched last.
        owed: The fetched version is to be exported and is in no finished part.
        exported_hash: The name of the version exported last; ``GONE_HASH`` where it was exported
            that the page is gone.
    """

    address: str
    found_by: FoundBy
    found_at: str
    state: State = "queued"
    canonical: str = ""
    listed: str = ""
    priority: str = ""
    kind: str = ""
    depth: int = 0
    reason: str = ""
    tries: int = 0
    asked_at: str = ""
    fetched_at: str = ""
    changed_at: str = ""
    status: int = 0
    content_hash: str = ""
    owed: bool = False
    exported_hash: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """A crawl that used the ledger. One that has not ended is running, or was killed.

    ``figures`` are the caller's: whatever JSON holds, by name.
    """

    id: str
    started: str
    ended: str = ""
    reason: str = ""
    figures: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part:
    """A numbered part of a run's output, and how many pages are in it.

    Where ``finished`` is empty it is not whole, and its pages do not count as exported.
    """

    run: str
    number: int
    name: str
    begun: str
    finished: str = ""
    pages: int = 0


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

    A year or a month without a day begins with its first day.
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


def _known(value: Any) -> Any:  # noqa: ANN401 - text or a number, as SQLite gives it
    return "" if value is None else value


# Where a field of Row is not the column of that name.
_COLUMNS: Final = {
    "status": "coalesce(status, 0)",
    "content_hash": "content",
    "exported_hash": "exported",
}
_CONVERSIONS: Final[dict[str, Callable[[Any], Any]]] = {
    "found_by": FOUND_BY.__getitem__,
    "state": STATES.__getitem__,
    "owed": bool,
    **dict.fromkeys(("found_at", "priority", "asked_at", "fetched_at", "changed_at"), iso_of),
}
_FIELDS: Final = tuple(one.name for one in fields(Row))
_CONVERT: Final = tuple(_CONVERSIONS.get(name, _known) for name in _FIELDS)

ROW_COLUMNS: Final = ", ".join(_COLUMNS.get(name, name) for name in _FIELDS)
"""Columns of the table of pages, of which :func:`row_of` makes a row."""


def row_of(columns: Sequence[Any]) -> Row:
    """Make a row of the ``ROW_COLUMNS`` of a page."""
    return Row(*[convert(value) for convert, value in zip(_CONVERT, columns, strict=True)])
