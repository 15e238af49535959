"""What goes into a site's ledger and what comes out of it, and how answers change what is known.

Adding the same twice changes nothing, and dates do not depend on the order in which listings come:
the latest date is kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, NamedTuple, TypeVar, get_args

from crawler.core.errors import StoreError
from crawler.store.files import time_of

_T = TypeVar("_T")

FoundBy = Literal["start", "sitemap", "feed", "link"]
"""How an address is found. A ledger keeps the place in this list: add names only at its end."""
State = Literal["queued", "fetching", "fetched", "gone", "refused", "failed"]
"""What became of an address. A ledger keeps the place in this list: add names only at its end."""

FOUND_BY: Final[tuple[FoundBy, ...]] = get_args(FoundBy)
STATES: Final[tuple[State, ...]] = get_args(State)

GONE_HASH: Final = "gone"
"""The exported version of a page of which it was exported that it is gone."""

PART_HASH: Final = "part"
"""The exported version of a page whose text is in the item of another: page 1 of its article."""

KIND_CHARS: Final = 40
NOT_MODIFIED: Final = 304
_NO_PAGE: Final = frozenset({404, 410})
# Servers send no longer validators by intention, and many refuse a request with one.
_HEADER_CHARS: Final = 1_000
_KINDS_OF_TURNS: Final = 3
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Found:
    """An address that was found, and what is known of its page before it is fetched.

    Attributes:
        address: Absolute. A ledger knows it by its canonical form
            (:func:`crawler.core.page.addresses.canonical_address`).
        found_by, at: How it was found, and when (ISO 8601).
        listed: The date a listing gave: ISO 8601, from a year to a time.
        priority: The date by which the page is ordered in the queue; empty where that is
            ``listed``.
        kind: What kind of page it seems to be; empty where unknown.
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
    """How a page differs from the version fetched before, and whether it is to be exported."""

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


class Hints(NamedTuple):
    """What listings and links say of a page, in columns of the ledger."""

    priority: int | None
    depth: int
    kind: str | None
    listed: str | None


class Version(NamedTuple):
    """What is known of a page and its versions before an answer, in columns of the ledger."""

    state: int
    kind: str | None
    etag: str | None
    last_modified: str | None
    content: str | None
    owed: bool
    exported: str | None


def seconds_of(time: str) -> int:
    """Return a time in whole seconds since 1970, UTC where it names no zone.

    Raises:
        StoreError: it is no time in ISO 8601.
    """
    seconds = listed_seconds(time)
    if seconds is None:
        raise StoreError(f"{time!r} is no time. Give it in ISO 8601, as 2024-05-01T10:00:00Z.")
    return seconds


def listed_seconds(date: str) -> int | None:
    """Return when a date begins, in whole seconds since 1970; ``None`` where it is no date."""
    time = time_of(date)
    return None if time is None else (time - _EPOCH) // timedelta(seconds=1)


def iso_of(seconds: int | None) -> str:
    """Write seconds since 1970 as a time in UTC, ``2024-05-01T10:00:00Z``; ``None`` is empty."""
    if seconds is None:
        return ""
    time = _EPOCH + timedelta(seconds=seconds)
    return f"{time.replace(tzinfo=None).isoformat()}Z"


# Where a field of Row is not the column of that name.
_COLUMNS: Final = {
    "status": "coalesce(status, 0)",
    "content_hash": "content",
    "exported_hash": "exported",
}
_TIMES: Final = ("found_at", "priority", "asked_at", "fetched_at", "changed_at")
_CONVERSIONS: Final[dict[str, Callable[[Any], Any]]] = {
    "found_by": FOUND_BY.__getitem__,
    "state": STATES.__getitem__,
    "owed": bool,
    "figures": lambda text: json.loads(text or "{}"),
    **dict.fromkeys((*_TIMES, "started", "ended", "begun", "finished"), iso_of),
}

ROW_COLUMNS: Final = ", ".join(_COLUMNS.get(one.name, one.name) for one in fields(Row))
"""Columns of the table of pages, of which :data:`row_of` makes a row."""


def _known(value: Any) -> Any:  # noqa: ANN401 - text or a number, as SQLite gives it
    return "" if value is None else value


def _maker(kind: Callable[..., _T]) -> Callable[[Sequence[Any]], _T]:
    """Return what makes objects of a dataclass from columns of SQLite, in its fields' order."""
    names = (one.name for one in fields(kind))  # type: ignore[arg-type] # it is a class
    convert = [_CONVERSIONS.get(name, _known) for name in names]
    return lambda columns: kind(*[to(value) for to, value in zip(convert, columns, strict=True)])


row_of, run_of, part_of = _maker(Row), _maker(Run), _maker(Part)


def turn_of(kind: str | None, tries: int) -> int:
    """Return the rank of a page in the queue: articles first, then unknown kinds, then the others.

    A page that failed comes after all pages that failed less often.
    """
    rank = 1 if not kind else 0 if kind == "article" else 2
    return rank + _KINDS_OF_TURNS * tries


def plain(text: str, longest: int) -> str | None:
    """Cut a text, and replace what UTF-8 cannot hold; ``None`` where it is empty."""
    text = text[:longest]
    return (text if text.isascii() else text.encode("utf-8", "replace").decode()) or None


def read_hints(found: Found) -> Hints:
    """Return the hints of an entry. A date that is none is left out."""
    listed, priority = listed_seconds(found.listed), listed_seconds(found.priority)
    return Hints(
        priority=listed if priority is None else priority,
        depth=found.depth,
        kind=plain(found.kind, KIND_CHARS),
        listed=None if listed is None else found.listed,
    )


def join_hints(old: Hints, new: Hints, fetched_at: int | None) -> tuple[Hints, bool]:
    """Add what an entry says to what is known.

    Args:
        old: what is known.
        new: what the entry says.
        fetched_at: when the page was fetched last; ``None`` where it never was.

    Returns:
        What is known now, and whether a listing gives a fetched page a later date.
    """
    listed, is_hint = old.listed, False
    before, now = listed_seconds(old.listed or ""), listed_seconds(new.listed or "")
    if now is not None and (before is None or now > before):
        listed = new.listed
        # The first date of a page hints at a change only where it is later than the fetch.
        is_hint = fetched_at is not None and (before is not None or now > fetched_at)
    dates = [date for date in (old.priority, new.priority) if date is not None]
    depth = min(old.depth, new.depth)
    return Hints(max(dates, default=None), depth, old.kind or new.kind, listed), is_hint


def answer_columns(known: Version, fetched: Fetched, at: int) -> tuple[dict[str, Any], Change]:
    """Return the columns of a page that an answer sets, and how the page has changed.

    Args:
        known: the page before; without content where it was never fetched.
        fetched: the answer, which is no 304 where no version is known.
        at: its time in seconds since 1970.
    """
    content, owed = known.content, False
    etag, modified = _header(fetched.etag), _header(fetched.last_modified)
    if fetched.status in _NO_PAGE:
        # Without its validators a page that comes back comes whole. A version that was not exported
        # is forgotten, since it would not be exported when the page comes back unchanged.
        etag = modified = None
        content = None if known.owed else content
        change = Change("gone")
    elif fetched.status == NOT_MODIFIED:
        etag, modified = etag or known.etag, modified or known.last_modified
        change = Change("same")
    else:
        content = fetched.content_hash
        # What was settled without an export, or exported under another name, stays so until it
        # changes.
        is_same = content == known.content
        is_news = not is_same or known.owed or known.exported == GONE_HASH
        owed = bool(fetched.for_export and content != known.exported and is_news)
        change = Change("new" if not known.content else "same" if is_same else "changed", owed)
    kind = plain(fetched.kind, KIND_CHARS) or known.kind
    state = STATES.index("gone" if change.kind == "gone" else "fetched")
    columns: dict[str, Any] = {"state": state, "turn": turn_of(kind, 0), "tries": 0, "reason": None}
    columns |= {"hinted": False, "asked_at": at, "fetched_at": at, "status": fetched.status}
    columns |= {"kind": kind, "etag": etag, "last_modified": modified}
    columns |= {"content": content, "owed": owed}
    was_gone = known.state == STATES.index("gone")
    if change.kind in {"new", "changed"} or (change.kind == "gone") != was_gone:
        columns["changed_at"] = at
    return columns, change


def _header(value: str) -> str | None:
    """Return a validator that can be sent back; ``None`` where it cannot."""
    value = value.strip()
    sound = value and len(value) <= _HEADER_CHARS and value.isascii() and value.isprintable()
    return value if sound else None


def figures_of(columns: tuple[int, int, int | None, int]) -> dict[str, int]:
    """Make figures of a state, and how many addresses have it, were exported and are owed."""
    state, count, exported, owed = columns
    return {STATES[state]: count, "exported": exported or 0, "owed": int(owed)}
