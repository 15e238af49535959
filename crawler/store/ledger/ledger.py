"""The ledger of a site: which of its addresses were found, fetched and exported, over all crawls.

It is the frontier too, so that the state of a crawl lies in one place, which a kill leaves whole.
Each method that writes is one transaction; :meth:`Ledger.transaction` makes one of several, as for
the links of a page and the note that it was fetched. No time is read here: the caller gives them.

Millions of addresses are kept: an address is found by a 64-bit hash, at whose place its row lies;
pages that are few (waiting, under way, gone, owed) have an index of their own; and no more than a
bounded cache is in memory, whatever is read.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from crawler.core.listings.model import MAX_ADDRESS_CHARS
from crawler.core.page.addresses import address_key, canonical_address
from crawler.store.ledger import schema as sql
from crawler.store.ledger.file import FIRST_KEY, LAST_KEY
from crawler.store.ledger.hints import (
    KIND_CHARS,
    Hints,
    Tally,
    join,
    plain,
    read_hints,
    turn_of,
)
from crawler.store.ledger.rows import (
    STATES,
    Figures,
    row_of,
    seconds_of,
)
from crawler.store.ledger.runs import LedgerRuns
from crawler.store.ledger.versions import GONE_HASH, PART_HASH, Version, answered, signed_hash

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from crawler.store.ledger.rows import Added, Change, Fetched, Found, Row, State

__all__ = ["Ledger"]

# Entries sorted and added in one transaction; some 10 MB in memory.
_BATCH: Final = 20_000
_ROWS_AT_ONCE: Final = 500
_REASON_CHARS: Final = 200
_UNASKED: Final = "304 without asking"


class Ledger(LedgerRuns):
    """An open ledger.

    .. code-block:: python

        with Ledger(ledger_path(folder, "news.example")) as ledger:
            ledger.reset_fetching()
            ledger.add_found([Found("https://news.example/", "start", at="2024-05-01T10:00:00Z")])
            for row in ledger.next_due(10):
                ...
    """

    def add_found(self, entries: Iterable[Found]) -> Added:
        """Add addresses to the queue, or what an entry tells to those that are known.

        How and when an address was found first stays. Of the dates that listings give the latest is
        kept, with its title; a kind, a canonical address or a title that is not known is added. A
        page that was fetched is not put back into the queue: where a listing now dates it later it
        is *hinted* (:meth:`requeue_hinted`). Adding the same again changes and writes nothing.

        Args:
            entries: any number; they are taken 20,000 at a time, each of which is a transaction.

        Raises:
            StoreError: an entry has a ``found_by``, ``at`` or ``depth`` that is none.
        """
        tally = Tally()
        entries = iter(entries)
        while batch := list(islice(entries, _BATCH)):
            placed = []
            for found in batch:
                address = canonical_address(found.address)
                if len(address) > MAX_ADDRESS_CHARS:
                    tally.too_long += 1
                else:
                    placed.append((address_key(address), address, found))
            # Rows lie in the order of their keys, so that neighbours are written together. Python
            # sorts equals in their order: who found an address first stays first.
            placed.sort(key=_first_of)
            with self.transaction():
                for _, address, found in placed:
                    self._add(address, found, tally)
        return tally.added()

    def _add(self, address: str, found: Found, tally: Tally) -> None:
        hints, found_by, found_at = read_hints(found, tally)
        execute = self._connection.execute
        key, there = self._place(address)
        is_listed = found.found_by == "sitemap" or None
        if not there:
            tally.new += 1
            turn = turn_of(hints.kind, 0)
            execute(sql.ADD, (key, address, turn, found_by, found_at, is_listed, *hints))
            return
        tally.known += 1
        *known, tries, fetched_at, was_listed = execute(sql.KNOWN, (key,)).fetchone()
        if is_listed and not was_listed:
            execute(sql.LIST, (True, key))
        old = Hints(*known)
        joined, hinted = join(old, hints, fetched_at)
        hinted = hinted and found.hints
        if joined != old:
            tally.changed += 1
            tally.hinted += hinted
            execute(sql.HINT, (turn_of(joined.kind, tries), hinted, *joined, key))

    def next_due(self, limit: int, *, since: str = "", before: str = "") -> list[Row]:
        """Return the addresses to be fetched next; they stay in the queue until marked.

        Articles first, then pages of which nothing tells the kind, then the others; among these the
        newest first and those without a date last, then those nearest to the start, then by the
        hash of the address. Pages that failed come after all that failed less often. The order does
        not depend on that in which the addresses were found.

        Args:
            limit: how many at most.
            since: leave in the queue what is dated earlier (ISO 8601); what has no date is given.
            before: leave in the queue what is dated then or later.

        Raises:
            StoreError: a time is none.
        """
        earliest = seconds_of(since) if since else FIRST_KEY
        latest = seconds_of(before) if before else LAST_KEY
        rows: list[Row] = []
        turn = -1
        while len(rows) < limit:
            (turn,) = self._run(sql.NEXT_TURN, (turn,)).fetchone()
            if turn is None:
                break
            left = limit - len(rows)
            rows += self._rows(sql.DATED, (turn, earliest, latest, left))
            if left := limit - len(rows):
                rows += self._rows(sql.UNDATED, (turn, left))
        return rows

    def mark_fetching(self, *addresses: str) -> None:
        """Note that addresses are under way.

        Raises:
            StoreError: one is not in the ledger; then none is marked.
        """
        with self.transaction():
            for address in addresses:
                self._run(sql.BEGIN_FETCHING, (self._key(address),))

    def reset_fetching(self) -> int:
        """Put back into the queue what was under way when a crawl was killed; return how many."""
        return self._run(sql.RESET).rowcount

    def mark_fetched(self, fetched: Fetched) -> Change:
        """Note a server's answer, and tell how its page differs from the version before.

        A 304 that nobody asked for, since no version is known or the known one is still to be
        exported, gives no page: it is noted as failed, and what is owed stays owed.

        Raises:
            StoreError: the address is not in the ledger, the status is none of those that
                :class:`crawler.store.ledger.rows.Fetched` names, a page comes without a content
                hash, or a near-duplicate hash has more than 64 bits.
        """
        key, at = self._key(fetched.address), seconds_of(fetched.at)
        *known, was, exported = self._run(sql.VERSION, (key,)).fetchone()
        state, version, change = answered(Version(*known), exported or "", fetched)
        if state == "failed":
            self.mark_failed(fetched.address, _UNASKED, at=fetched.at, status=fetched.status)
        else:
            turn, number = turn_of(version.kind, 0), STATES.index(state)
            is_news = change.kind in {"new", "changed"} or (state == "gone") != (was == sql.GONE)
            values = (number, turn, at, at, is_news, at, fetched.status, *version, key)
            self._run(sql.SETTLE, values)
        return change

    def mark_failed(
        self, address: str, reason: str, *, at: str, status: int = 0, again: bool = False
    ) -> int:
        """Note that fetching failed; return how often it did since it last worked.

        Args:
            address: what was asked for.
            reason: why, for people.
            at: when (ISO 8601).
            status: HTTP status, 0 where no server answered.
            again: put it back into the queue, behind all that failed less often.

        Raises:
            StoreError: the address is not in the ledger, or the time is none.
        """
        return self._unanswered(sql.QUEUED if again else sql.FAILED, address, reason, at, status)

    def mark_refused(
        self, address: str, reason: str, *, at: str, status: int = 0, instead: str = ""
    ) -> None:
        """Note that an address is not to be fetched: by robots.txt, by a rule of the crawl.

        Args:
            address: what was asked for, or would have been.
            reason: why.
            at: when (ISO 8601).
            status: HTTP status, 0 where no server answered.
            instead: the address under which the page is known, where there is one.

        Raises:
            StoreError: the address is not in the ledger, or the time is none.
        """
        self._unanswered(sql.REFUSED, address, reason, at, status, instead)

    def _unanswered(  # noqa: PLR0913, PLR0917 - the columns it writes
        self, state: int, address: str, reason: str, at: str, status: int, instead: str = ""
    ) -> int:
        key, time = self._key(address), seconds_of(at)
        kind, tries = self._run(sql.TRIES, (key,)).fetchone()
        tries += state != sql.REFUSED
        values = (state, turn_of(kind, tries), tries, plain(reason, _REASON_CHARS), time, status)
        canonical = canonical_address(instead) if instead else None
        self._run(sql.UNANSWERED, (*values, canonical, key))
        return int(tries)

    def requeue(self, *addresses: str) -> None:
        """Put addresses back into the queue, whatever became of them; their tries begin anew.

        Raises:
            StoreError: one is not in the ledger; then none is put back.
        """
        with self.transaction():
            for address in addresses:
                self._run(sql.REQUEUE_ONE, (self._key(address),))

    def retry_failed(self, most: int, *, now: str) -> int:
        """Put back into the queue what failed, behind all that failed less often.

        Args:
            most: what failed more often than this is put back only when the time since it was asked
                for is half of that for which it was known then: ever less often.
            now: the time (ISO 8601).

        Returns:
            How many.

        Raises:
            StoreError: the time is none.
        """
        return self._run(sql.RETRY_FAILED, (most, seconds_of(now))).rowcount

    def requeue_refused(self, reason: str) -> int:
        """Put back into the queue what was refused for one reason; return how many."""
        return self._run(sql.REQUEUE_REFUSED, (reason,)).rowcount

    def describe(self, address: str, *, kind: str = "", near_hash: int | None = None) -> None:
        """Note what a fetched page turned out to be.

        Raises:
            StoreError: the address is not in the ledger, or the hash has more than 64 bits.
        """
        values = (plain(kind, KIND_CHARS), signed_hash(near_hash), self._key(address))
        self._run(sql.DESCRIBE, values)

    def write_off(self, *addresses: str) -> None:
        """Note that pages as they were fetched last are not to be exported after all.

        Raises:
            StoreError: one is not in the ledger; then nothing is noted.
        """
        with self.transaction():
            for address in addresses:
                self._run(sql.WRITE_OFF, (self._key(address),))

    def owe(self, address: str) -> None:
        """Have a fetched page exported once more: it is asked for without a condition.

        Raises:
            StoreError: the address is not in the ledger.
        """
        self._run(sql.OWE, (self._key(address),))

    def retract(self, address: str) -> None:
        """Note that a page is no article any more, so that what was exported of it is withdrawn.

        Raises:
            StoreError: the address is not in the ledger.
        """
        self._run(sql.RETRACT, (self._key(address),))

    def dated_later(self, entries: Iterable[Found]) -> tuple[int, int]:
        """Count the entries whose pages were fetched, and those that are dated later by them.

        Nothing is noted; :meth:`add_found` would note a hint for each of the latter.
        """
        known = later = 0
        for entry in entries:
            key, there = self._place(canonical_address(entry.address))
            if not there:
                continue
            *columns, _, fetched_at, _ = self._run(sql.KNOWN, (key,)).fetchone()
            if fetched_at is not None:
                known += 1
                hints, _, _ = read_hints(entry, Tally())
                later += join(Hints(*columns), hints, fetched_at)[1]
        return known, later

    def requeue_hinted(self) -> int:
        """Put back into the queue the pages that a listing dates later; return how many."""
        return self._run(sql.REQUEUE_HINTED).rowcount

    def conditional_headers(self, address: str) -> dict[str, str]:
        """Return the request headers by which a server may answer 304 instead of a known page.

        None for a page that is owed: its text was lost with the crawl that fetched it.

        Raises:
            StoreError: the address is not in the ledger.
        """
        etag, modified, owed = self._run(sql.VALIDATORS, (self._key(address),)).fetchone()
        headers = {"If-None-Match": etag, "If-Modified-Since": modified}
        return {name: value for name, value in headers.items() if value and not owed}

    def knows(self, address: str) -> bool:
        """Say whether an address, in any form of it, is known."""
        with self._told():
            return self._place(canonical_address(address))[1]

    def seen(self, address: str) -> Row | None:
        """Return what is known of an address, in any form of it; ``None`` where it is not known."""
        with self._told():
            key, there = self._place(canonical_address(address))
        return self._rows(sql.ROW_AT, (key,))[0] if there else None

    def pending(self) -> int:
        """Return how many addresses are in the queue or under way."""
        return int(self._run(sql.PENDING).fetchone()[0])

    def gone(self) -> Iterator[Row]:
        """Give the pages that are gone."""
        return self.rows("gone")

    def gone_untold(self) -> Iterator[Row]:
        """Give the pages that are gone or retracted, and of which a version was exported last."""
        for rows in (self.gone(), self._iterate("INDEXED BY retracted WHERE retracted = 1 AND")):
            for row in rows:
                if row.exported_hash not in {"", GONE_HASH, PART_HASH}:
                    yield row

    def due_again(self, now: str, share: float, limit: int, *, before: str) -> list[str]:
        """Return exported pages to be asked for again, though nothing tells that they changed.

        A page is due when the time since its server was last asked is at least ``share`` of the
        time for which it was, then, known to be as it is. So a page that is new is asked for soon
        and ever less often as long as it stays the same: with a share of one half, a page that
        changed at 0 and is asked for each time it is due at 1, 1.5, 2.25, 3.4 and so on.

        Args:
            now: the time (ISO 8601).
            share: 0 for all pages, at each call.
            limit: how many at most; those that changed last come first.
            before: leave out what was asked for then or later.

        Raises:
            StoreError: a time is none.
        """
        values = (seconds_of(before), seconds_of(now), share, limit)
        return [address for (address,) in self._run(sql.DUE, values).fetchall()]

    def no_longer_listed(self, named: Container[int]) -> Iterator[str]:
        """Give the exported pages that a sitemap has named and none names any more; once each.

        Args:
            named: the keys (:func:`crawler.core.page.addresses.address_key`) of all addresses that
                the sitemaps of the site name now.
        """
        key = FIRST_KEY
        while rows := self._run(sql.IN_SITEMAP, (key, _ROWS_AT_ONCE)).fetchall():
            for found, address in rows:
                if address_key(address) not in named:
                    self._run(sql.LIST, (False, found))
                    yield address
            if (key := rows[-1][0] + 1) > LAST_KEY:
                break

    def fetched_since(self, time: str) -> int:
        """Count the pages that were fetched whole at a time or later; reads the whole ledger.

        Raises:
            StoreError: the time is none.
        """
        return int(self._run(sql.FETCHED_SINCE, (seconds_of(time),)).fetchone()[0])

    def owed(self) -> Iterator[Row]:
        """Give the pages that were fetched and are to be exported, and are in no finished part."""
        return self._iterate("INDEXED BY owed WHERE owed = 1 AND")

    def hinted(self) -> Iterator[Row]:
        """Give the pages that a listing has dated later since they were fetched."""
        return self._iterate("INDEXED BY hinted WHERE hinted = 1 AND")

    def rows(self, state: State | None = None) -> Iterator[Row]:
        """Give all that is known, or what is in one state, in the order of the addresses' hashes.

        The ledger may be written to meanwhile: an address is given as it is when it is reached.
        """
        if state is None:
            return self._iterate("WHERE")
        number = STATES.index(state)
        if number in {sql.QUEUED, sql.FETCHED}:
            return self._iterate(f"WHERE state = {number} AND")
        return self._iterate(f"INDEXED BY unsettled WHERE {sql.UNSETTLED} AND state = {number} AND")

    def figures(self) -> Figures:
        """Count the addresses by their state; this reads the whole ledger."""
        rows = self._run(sql.COUNT).fetchall()
        return Figures(
            **{STATES[state]: count for state, count, _, _ in rows},
            exported=sum(row[2] for row in rows),
            owed=sum(row[3] for row in rows),
        )

    def _iterate(self, choice: str) -> Iterator[Row]:
        # No cursor is open while a row is out, so that the ledger can be written and closed.
        statement = sql.pages_in_order(choice)
        key = FIRST_KEY
        while rows := self._run(statement, (key, _ROWS_AT_ONCE)).fetchall():
            for _, *columns in rows:
                yield row_of(columns)
            if (last := rows[-1][0]) == LAST_KEY:
                break
            key = last + 1

    def _rows(self, statement: str, values: tuple[int, ...]) -> list[Row]:
        return [row_of(columns) for columns in self._run(statement, values).fetchall()]


def _first_of(placed: tuple[int, str, Found]) -> int:
    return placed[0]
