"""The versions of a page: what an answer of its server makes of the one that is known."""

from __future__ import annotations

from typing import NamedTuple

from crawler.core.errors import StoreError
from crawler.core.page.addresses import canonical_address
from crawler.store.ledger.hints import KIND_CHARS, plain
from crawler.store.ledger.rows import Change, Fetched, State

__all__ = [
    "GONE_HASH",
    "PART_HASH",
    "VERSION_COLUMNS",
    "Version",
    "answered",
    "signed_hash",
    "sound_hash",
]

_HASH_CHARS = 200
# Longer validators come from no server that means well, and many refuse a request with one.
_HEADER_CHARS = 1_000
_OK, _MANY, _NOT_MODIFIED = 200, 300, 304
_NOT_THERE = frozenset({404, 410})
_HASHES = 2**64

GONE_HASH = "gone"
"""What is exported of a page that is gone."""

PART_HASH = "part"
"""What is exported of a page that went into the item of another: the first of its article."""


class Version(NamedTuple):
    """What is known of the page as it was fetched last, in the columns of the ledger."""

    kind: str | None
    canonical: str | None
    etag: str | None
    last_modified: str | None
    content: str | None
    previous: str | None
    near: int | None
    owed: bool


VERSION_COLUMNS = ", ".join(Version._fields)


def answered(known: Version, exported: str, fetched: Fetched) -> tuple[State, Version, Change]:
    """Return what becomes of a page by an answer, the version that is known now, and the change.

    Args:
        known: the version before; one without content where there is none.
        exported: content hash of the version exported last; empty where none was.
        fetched: the answer.

    Raises:
        StoreError: the answer gives no page, or not what it takes to tell its version.
    """
    before = known.content or ""
    if fetched.status in _NOT_THERE:
        # Without its validators a page that comes back comes whole. A version that was not exported
        # is forgotten, since it would be owed no more when it comes back as it was.
        content = None if known.owed else known.content
        gone = known._replace(etag=None, last_modified=None, content=content, owed=False)
        return "gone", gone, Change("gone", before, exported)
    etag, modified = _header(fetched.etag), _header(fetched.last_modified)
    known = known._replace(
        kind=plain(fetched.kind, KIND_CHARS) or known.kind,
        canonical=(fetched.canonical and canonical_address(fetched.canonical)) or known.canonical,
    )
    if fetched.status == _NOT_MODIFIED:
        change = Change("same", before, exported)
        if not before or known.owed:
            return "failed", known, change
        return (
            "fetched",
            known._replace(etag=etag or known.etag, last_modified=modified or known.last_modified),
            change,
        )
    if not _OK <= fetched.status < _MANY:
        raise StoreError(
            f"{fetched.address[:200]}: status {fetched.status} gives no page. Use mark_failed."
        )
    content = sound_hash(fetched.content_hash)
    # What was settled without an export, or exported under another name, stays so until it changes.
    is_news = content != before or known.owed or exported == GONE_HASH
    owed = fetched.for_export and content != exported and is_news
    version = known._replace(
        etag=etag,
        last_modified=modified,
        content=content,
        previous=known.previous if before in {"", content} else before,
        near=signed_hash(fetched.near_hash),
        owed=owed,
    )
    if not before:
        return "fetched", version, Change("new", "", exported, owed)
    kind = Change("same" if before == content else "changed", before, exported, owed)
    return "fetched", version, kind


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


def signed_hash(number: int | None) -> int | None:
    """Return a 64-bit hash as a database keeps it, with a sign.

    Raises:
        StoreError: it has more bits.
    """
    if number is None:
        return None
    if not 0 <= number < _HASHES:
        raise StoreError(f"{number} is no near-duplicate hash of 64 bits, 0 or more.")
    return number - _HASHES if number >= _HASHES // 2 else number


def _header(value: str) -> str | None:
    """Return a validator that can be sent back; ``None`` where it cannot."""
    value = value.strip()
    sound = value and len(value) <= _HEADER_CHARS and value.isascii() and value.isprintable()
    return value if sound else None
