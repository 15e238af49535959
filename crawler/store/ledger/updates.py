"""What a listing, or an answer of the server, changes in what is known of a page.

Adding the same twice changes nothing, and dates do not depend on the order in which listings come:
the latest date is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from crawler.core.errors import StoreError
from crawler.store.ledger.rows import FOUND_BY, GONE_HASH, STATES, Change, listed_seconds

if TYPE_CHECKING:
    from crawler.store.ledger.rows import Fetched, Found

KIND_CHARS = 40
_HASH_CHARS = 200
# Servers send no longer validators by intention, and many refuse a request with one.
_HEADER_CHARS = 1_000
_ARTICLE = "article"
_KINDS_OF_TURNS = 3
_OK, _MANY = 200, 300
NOT_MODIFIED = 304
_NO_PAGE = frozenset({404, 410})


class Hints(NamedTuple):
    """What listings and links say of a page, in columns of the ledger."""

    priority: int | None
    depth: int
    kind: str | None
    listed: str | None


class Version(NamedTuple):
    """What is known of a page and its versions, in columns of the ledger.

    ``content`` is the hash of the version fetched last, ``exported`` the name of the version
    exported last.
    """

    state: int
    kind: str | None
    etag: str | None
    last_modified: str | None
    content: str | None
    owed: bool
    exported: str | None


def turn_of(kind: str | None, tries: int) -> int:
    """Return the rank of a page in the queue: articles first, then unknown kinds, then the others.

    A page that failed comes after all pages that failed less often.
    """
    rank = 1 if not kind else 0 if kind == _ARTICLE else 2
    return rank + _KINDS_OF_TURNS * tries


def plain(text: str, longest: int) -> str | None:
    """Cut a text, and replace what UTF-8 cannot hold; ``None`` where it is empty."""
    text = text[:longest]
    return (text if text.isascii() else text.encode("utf-8", "replace").decode()) or None


def read_hints(found: Found) -> Hints:
    """Return the hints of an entry. A date that is none is left out.

    Raises:
        StoreError: its ``found_by`` or depth cannot be used.
    """
    if found.found_by not in FOUND_BY:
        raise StoreError(
            f"{found.found_by!r} is no way to find an address. Give one of: {', '.join(FOUND_BY)}."
        )
    if not 0 <= found.depth < 2**31:
        raise StoreError(f"{found.depth} is no number of links to {found.address[:200]}.")
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
    before = now = None
    if new.listed and new.listed != old.listed:
        before, now = listed_seconds(old.listed or ""), listed_seconds(new.listed)
    is_later = now is not None and (before is None or now > before)
    is_hint = False
    if fetched_at is not None and now is not None and is_later:
        # The first date of a page hints at a change only where it is later than the fetch.
        is_hint = before is not None or now > fetched_at
    dates = [date for date in (old.priority, new.priority) if date is not None]
    joined = Hints(
        priority=max(dates, default=None),
        depth=min(old.depth, new.depth),
        kind=old.kind or new.kind,
        listed=new.listed if is_later else old.listed,
    )
    return joined, is_hint


def answer_columns(known: Version, fetched: Fetched, at: int) -> tuple[dict[str, Any], Change]:
    """Return the columns of a page that an answer sets, and how the page has changed.

    Args:
        known: the page before; without content where it was never fetched.
        fetched: the answer, which is no 304 where no version is known.
        at: its time in seconds since 1970.

    Raises:
        StoreError: the answer gives no page, or lacks the hash that identifies its version.
    """
    before, content, owed = known.content or "", known.content, False
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
    elif _OK <= fetched.status < _MANY:
        content = sound_hash(fetched.content_hash)
        # What was settled without an export, or exported under another name, stays so until it
        # changes.
        is_news = content != before or known.owed or known.exported == GONE_HASH
        owed = bool(fetched.for_export and content != known.exported and is_news)
        change = Change("new" if not before else "same" if content == before else "changed", owed)
    else:
        raise StoreError(
            f"{fetched.address[:200]}: status {fetched.status} gives no page. Use mark_failed."
        )
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


def sound_hash(content_hash: str) -> str:
    """Return a content hash.

    Raises:
        StoreError: it is empty, longer than 200 characters, or not ASCII.
    """
    if not (0 < len(content_hash) <= _HASH_CHARS and content_hash.isascii()):
        raise StoreError(
            f"{content_hash[:200]!r} is no content hash. Give up to {_HASH_CHARS} ASCII characters."
        )
    return content_hash


def _header(value: str) -> str | None:
    """Return a validator that can be sent back; ``None`` where it cannot."""
    value = value.strip()
    sound = value and len(value) <= _HEADER_CHARS and value.isascii() and value.isprintable()
    return value if sound else None
