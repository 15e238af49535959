"""The ledger of a site: which of its addresses were found, fetched and exported, over all crawls.

It is the frontier too, so that the state of a crawl is in one place, which a kill leaves whole.
Each method that writes is one transaction; :meth:`Ledger.transaction` makes one of several, as for
the links of a page and the note that it was fetched. No time is read here: the caller gives them.

A ledger may hold millions of addresses. An address is found by a 64-bit hash, which is the key of
its row; pages that are few have an index; and no more than a bounded cache is in memory.
"""

# ruff: noqa: S608 - statements are made of constants and names of columns alone

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, Final, Literal, get_args

from crawler.core.listings.entries import MAX_ADDRESS_CHARS
from crawler.core.page.addresses import address_key, canonical_address
from crawler.store.ledger.rows import (
    FOUND_BY,
    GONE_HASH,
    KIND_CHARS,
    NOT_MODIFIED,
    PART_HASH,
    ROW_COLUMNS,
    STATES,
    Change,
    Fetched,
    Found,
    Hints,
    Row,
    State,
    Version,
    answer_columns,
    figures_of,
    join_hints,
    plain,
    read_hints,
    row_of,
    seconds_of,
    turn_of,
)
from crawler.store.ledger.runs import LedgerRuns

Flag = Literal["hinted", "owed", "retracted"]

_FLAGS: Final = get_args(Flag)
_BATCH: Final = 20_000  # entries sorted and added in one transaction; some 10 MB in memory
_REASON_CHARS: Final = 200
_UNASKED: Final = "304 without asking"

_QUEUED, _FETCHING, _FETCHED, _GONE, _REFUSED, _FAILED = range(len(STATES))
# SQLite uses a partial index only where its own condition is in the query.
_UNSETTLED: Final = f"state NOT IN ({_QUEUED}, {_FETCHED})"
_FIGURES: Final = (
    f"SELECT state, count(*), sum(exported <> '{GONE_HASH}'), sum(owed) FROM pages GROUP BY state"
)
_HINT_COLUMNS: Final = ", ".join(Hints._fields)
_KNOWN: Final = f"SELECT {_HINT_COLUMNS}, tries, fetched_at, in_sitemap FROM pages WHERE key = ?"
_VERSION: Final = f"SELECT {', '.join(Version._fields)} FROM pages WHERE key = ?"
_NEW: Final = "key, address, state, turn, found_by, found_at, in_sitemap"
_INSERT: Final = f"INSERT INTO pages ({_NEW}, {_HINT_COLUMNS}) VALUES ({', '.join('?' * 11)})"
_QUEUE: Final = f"FROM pages INDEXED BY queue WHERE state = {_QUEUED}"
_OF_TURN: Final = f"SELECT {ROW_COLUMNS} {_QUEUE} AND turn = ?"
_REQUEUE: Final = (
    f"UPDATE pages SET state = {_QUEUED}, tries = 0, reason = NULL, turn = turn_of(kind, 0) WHERE"
)


class Ledger(LedgerRuns):
    """An open ledger.

    Times are ISO 8601. Addresses may be given in any form. All methods raise StoreError where a
    time is none, an address is not in the ledger, or SQLite cannot read or write the file; then
    nothing is changed.
    """

    # Finding

    def add_found(self, entries: Iterable[Found]) -> int:
        """Add addresses to the queue, or what an entry says to those that are known.

        How and when an address was found first stays, and the latest date of listings is kept. A
        page that was fetched is not put back into the queue: where a listing now dates it later it
        is *hinted*. Adding the same again writes nothing. Addresses longer than a listing may have
        are left out.

        Args:
            entries: any number; they are taken 20,000 at a time, each of which is a transaction.

        Returns:
            How many addresses were new.
        """
        new = 0
        entries = iter(entries)
        while batch := list(islice(entries, _BATCH)):
            named = [(canonical_address(found.address), found) for found in batch]
            # In the order of the keys, so that neighbours are written together. The sort is stable:
            # who found an address first stays first.
            named.sort(key=lambda pair: address_key(pair[0]))
            with self.transaction():
                new += sum(self._add(*pair) for pair in named if len(pair[0]) <= MAX_ADDRESS_CHARS)
        return new

    def _add(self, address: str, found: Found) -> bool:
        """Add one entry; return whether its address is new."""
        hints, found_at = read_hints(found), seconds_of(found.at)
        execute = self._connection.execute
        key, is_known = self._find(address)
        is_listed = found.found_by == "sitemap" or None
        if not is_known:
            how = FOUND_BY.index(found.found_by), found_at, is_listed
            execute(_INSERT, (key, address, _QUEUED, turn_of(hints.kind, 0), *how, *hints))
            return True
        *known, tries, fetched_at, was_listed = execute(_KNOWN, (key,)).fetchone()
        if is_listed and not was_listed:
            self._set_page(key, {"in_sitemap": True})
        old = Hints(*known)
        joined, is_hint = join_hints(old, hints, fetched_at)
        if joined != old:
            columns = {"turn": turn_of(joined.kind, tries), **joined._asdict()}
            self._set_page(key, columns | {"hinted": True} if is_hint and found.hints else columns)
        return False

    def dated_later(self, entries: Iterable[Found]) -> tuple[int, int]:
        """Count the entries whose pages were fetched, and those that they date later.

        Nothing is written; :meth:`add_found` would note a hint for each of the latter.
        """
        known = later = 0
        for entry in entries:
            key, is_known = self._find(canonical_address(entry.address))
            if not is_known:
                continue
            ((*columns, _, fetched_at, _),) = self._rows(_KNOWN, key)
            if fetched_at is not None:
                known += 1
                later += join_hints(Hints(*columns), read_hints(entry), fetched_at)[1]
        return known, later

    def no_longer_listed(self, named: Container[int]) -> Iterator[str]:
        """Give the exported pages that a sitemap has named and none names any more; once each.

        ``named`` are the keys (``address_key``) of all addresses that the sitemaps name now.
        """
        rows = self._batches(
            "SELECT key, address FROM pages"
            f" WHERE state = {_FETCHED} AND in_sitemap = 1 AND exported IS NOT NULL AND"
        )
        for key, address in rows:
            if address_key(address) not in named:
                self._set_page(key, {"in_sitemap": False})
                yield address

    # Queue

    def next_due(self, limit: int) -> list[Row]:
        """Return at most so many addresses to be fetched next; they stay in the queue until marked.

        Articles first, then pages of unknown kind, then the others; among these the newest first
        and those without a date last, then those nearest to the start, then by the hash of the
        address. Pages that failed come after all that failed less often. The order does not depend
        on that in which the addresses were found.
        """
        rows: list[Row] = []
        turn = -1
        while len(rows) < limit:
            turn = self._value(f"SELECT min(turn) {_QUEUE} AND turn > ?", turn)
            if turn is None:
                break
            for dated in ("NOT NULL ORDER BY priority DESC,", "NULL ORDER BY"):
                statement = f"{_OF_TURN} AND priority IS {dated} depth, key LIMIT ?"
                rows += self._pages(statement, turn, limit - len(rows))
        return rows

    def pending(self) -> int:
        """Return how many addresses are in the queue or being fetched."""
        queued = self._value(f"SELECT count(*) {_QUEUE}")
        fetching = f"SELECT count(*) FROM pages WHERE {_UNSETTLED} AND state = {_FETCHING}"
        return int(queued + self._value(fetching))

    def mark_fetching(self, *addresses: str) -> None:
        """Note that addresses are being fetched."""
        self._each(f"UPDATE pages SET state = {_FETCHING} WHERE key = ?", addresses)

    def reset_fetching(self) -> int:
        """Put back into the queue what was being fetched at a kill; return how many."""
        statement = f"UPDATE pages SET state = {_QUEUED} WHERE {_UNSETTLED} AND state = {_FETCHING}"
        return self._run(statement)

    def requeue(self, *addresses: str) -> None:
        """Put addresses back into the queue, whatever their state; their tries begin anew."""
        self._each(f"{_REQUEUE} key = ?", addresses)

    def requeue_refused(self, reason: str) -> int:
        """Put back into the queue what was refused for one reason; return how many."""
        statement = f"{_REQUEUE} {_UNSETTLED} AND state = {_REFUSED} AND reason = ?"
        return self._run(statement, reason)

    def retry_failed(self, most: int, *, now: str) -> int:
        """Put back into the queue what failed, behind all that failed less often; return how many.

        What failed more often than ``most`` times is put back only when the time since it was
        requested is half of that for which it was known then: ever less often.
        """
        statement = f"""
            UPDATE pages SET state = {_QUEUED}, turn = turn_of(kind, tries)
            WHERE {_UNSETTLED} AND state = {_FAILED}
                AND (tries <= ? OR 2 * (? - asked_at) >= asked_at - found_at)
        """
        return self._run(statement, most, seconds_of(now))

    def due_for_recheck(self, now: str, share: float, limit: int, *, before: str) -> list[str]:
        """Return exported pages to be requested again, though nothing says that they changed.

        A page is due when the time since its server last answered is at least ``share`` of the time
        for which it was known to be unchanged then. So a new page is requested soon, and ever less
        often as long as it stays the same: with a share of one half, a page that changed at 0 and
        is requested each time it is due at 1, 1.5, 2.25, 3.4 and so on.

        Args:
            now: the time (ISO 8601).
            share: 0 for all pages, at each call.
            limit: how many at most; those that changed last come first.
            before: leave out what was requested then or later.
        """
        statement = f"""
            SELECT address FROM pages
            WHERE state IN ({_FETCHED}, {_GONE}) AND hinted = 0
                AND exported IS NOT NULL AND exported <> '{PART_HASH}'
                AND asked_at < ? AND ? - asked_at >= ? * (asked_at - changed_at)
            ORDER BY changed_at DESC, key LIMIT ?
        """
        rows = self._rows(statement, seconds_of(before), seconds_of(now), share, limit)
        return [address for (address,) in rows]

    def conditional_headers(self, address: str) -> dict[str, str]:
        """Return the request headers with which a server may answer 304 for a known page.

        None for a page that is still to be exported: its text was lost with the crawl that fetched
        it.
        """
        statement = "SELECT etag, last_modified, owed FROM pages WHERE key = ?"
        ((etag, modified, owed),) = self._rows(statement, self._key(address))
        headers = {"If-None-Match": etag, "If-Modified-Since": modified}
        return {name: value for name, value in headers.items() if value and not owed}

    # Answers

    def mark_fetched(self, fetched: Fetched) -> Change:
        """Note a server's answer; return how its page differs from the version before.

        A 304 without a conditional request (no version is known, or the known one is still to be
        exported) gives no page: it is noted as failed, and the page is still to be exported.
        """
        key, at = self._key(fetched.address), seconds_of(fetched.at)
        known = Version(*self._rows(_VERSION, key)[0])
        if fetched.status == NOT_MODIFIED and (not known.content or known.owed):
            self.mark_failed(fetched.address, _UNASKED, at=fetched.at, status=fetched.status)
            return Change("same")
        update, change = answer_columns(known, fetched, at)
        self._set_page(key, update)
        return change

    def mark_failed(self, address: str, reason: str, *, at: str, status: int = 0) -> None:
        """Note that fetching failed.

        Args:
            address: what was requested.
            reason: why, for people.
            at: when.
            status: HTTP status, 0 where no server answered.
        """
        key = self._key(address)
        ((kind, tries),) = self._rows("SELECT kind, tries FROM pages WHERE key = ?", key)
        columns = {"state": _FAILED, "turn": turn_of(kind, tries + 1), "tries": tries + 1}
        self._set_page(key, columns | _no_page(reason, at, status))

    def mark_refused(self, address: str, reason: str, *, at: str, instead: str = "") -> None:
        """Note that an address is not to be fetched: by robots.txt, by a rule of the crawl.

        Args:
            address: what was requested, or would have been.
            reason: why.
            at: when.
            instead: the address under which the page is known, where there is one.
        """
        columns = {"state": _REFUSED, **_no_page(reason, at, 0)}
        if instead:
            columns["canonical"] = canonical_address(instead)
        self._set_page(self._key(address), columns)

    def describe(self, address: str, *, kind: str) -> None:
        """Note what kind of page a fetched page turned out to be."""
        if kind:
            self._set_page(self._key(address), {"kind": plain(kind, KIND_CHARS)})

    # Export

    def write_off(self, *addresses: str) -> None:
        """Note that pages as they were fetched last are not to be exported after all."""
        self._each("UPDATE pages SET owed = 0, retracted = 0 WHERE key = ?", addresses)

    def export_again(self, address: str) -> None:
        """Have a fetched page exported once more: it is requested without a condition."""
        self._each("UPDATE pages SET owed = 1 WHERE key = ?", [address])

    def retract(self, address: str) -> None:
        """Note that a page is no article any more, so that what was exported of it is withdrawn."""
        # Without its validators a page that is an article again comes whole.
        statement = """
            UPDATE pages SET owed = 0, retracted = exported IS NOT NULL,
                etag = CASE WHEN exported IS NULL THEN etag END,
                last_modified = CASE WHEN exported IS NULL THEN last_modified END
            WHERE key = ?
        """
        self._each(statement, [address])

    def keep(self, address: str) -> None:
        """Note that a page is not withdrawn after all; when it comes again, it comes whole."""
        statement = """
            UPDATE pages SET owed = 0, retracted = 0, content = NULL, etag = NULL,
                last_modified = NULL, canonical = NULL
            WHERE key = ?
        """
        self._each(statement, [address])

    def gone_to_export(self) -> Iterator[Row]:
        """Give the pages that are gone or retracted, and of which a version was exported last."""
        for row in chain(self.rows("gone"), self.rows("retracted")):
            if row.exported_hash not in {"", GONE_HASH, PART_HASH}:
                yield row

    # Reading

    def knows(self, address: str) -> bool:
        """Say whether an address, in any form of it, is known."""
        return self._find(canonical_address(address))[1]

    def seen(self, address: str) -> Row | None:
        """Return what is known of an address, in any form of it; ``None`` where it is not known."""
        key, is_known = self._find(canonical_address(address))
        statement = f"SELECT {ROW_COLUMNS} FROM pages WHERE key = ?"
        return self._pages(statement, key)[0] if is_known else None

    def rows(self, which: State | Flag | None = None) -> Iterator[Row]:
        """Give all that is known, or the pages of a state or flag, in the order of their hashes.

        Flags are ``hinted``, dated later by a listing since they were fetched; ``owed``, fetched
        and still to be exported; ``retracted``, no articles any more. The ledger may be written to
        meanwhile: an address is given as it is when it is reached.
        """
        choice = "WHERE"
        if which in _FLAGS:
            choice = f"INDEXED BY {which} WHERE {which} = 1 AND"
        elif which is not None:
            number = STATES.index(which)
            is_many = number in {_QUEUED, _FETCHED}
            index = "WHERE" if is_many else f"INDEXED BY unsettled WHERE {_UNSETTLED} AND"
            choice = f"{index} state = {number} AND"
        rows = self._batches(f"SELECT key, {ROW_COLUMNS} FROM pages {choice}")
        return self._made(lambda row: row_of(row[1:]), rows)

    def fetched_since(self, time: str) -> int:
        """Count the pages that were fetched whole at a time or later; reads the whole ledger."""
        statement = f"""
            SELECT count(*) FROM pages
            WHERE state = {_FETCHED} AND fetched_at >= ? AND status BETWEEN 200 AND 299
        """
        return int(self._value(statement, seconds_of(time)))

    def figures(self) -> Counter[str]:
        """Count the addresses by state, and the pages ``exported`` (and not gone) or ``owed``.

        An article on several pages counts with each of them. This reads the whole ledger.
        """
        figures: Counter[str] = Counter()
        for found in self._made(figures_of, self._rows(_FIGURES)):
            figures.update(found)
        return figures

    def _set_page(self, key: int, columns: Mapping[str, object]) -> None:
        self._set("pages", {"key": key}, columns)

    def _each(self, statement: str, addresses: Iterable[str]) -> None:
        with self.transaction():
            for address in addresses:
                self._run(statement, self._key(address))

    def _pages(self, statement: str, *values: int) -> list[Row]:
        return list(self._made(row_of, self._rows(statement, *values)))


def _no_page(reason: str, at: str, status: int) -> dict[str, Any]:
    return {"reason": plain(reason, _REASON_CHARS), "asked_at": seconds_of(at), "status": status}
