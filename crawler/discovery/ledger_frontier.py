"""The frontier of an incremental crawl: its pages wait in the ledgers of their sites.

A kill at any moment leaves them there. What is read first (start pages, robots.txt, sitemaps,
feeds) waits in memory, since each crawl reads it anew.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import xxhash

from crawler.core.page.addresses import address_key, address_site, canonical_address
from crawler.discovery.frontier import Frontier, Visit
from crawler.discovery.guesses import ARTICLE, LISTING
from crawler.journey.crawl_ledgers import now
from crawler.store.ledger.rows import Fetched, Found

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence
    from contextlib import AbstractContextManager

    from crawler.journey.crawl_ledgers import CrawlLedgers
    from crawler.store.ledger.ledger import Ledger
    from crawler.store.ledger.rows import Row

# Visits taken at once where nothing else limits them.
_AT_ONCE: Final = 64
_MANY: Final = 20
_SHARE_OF_KNOWN: Final = 0.5
# Kinds of pages whose links are read as those of lists are.
_KINDS: Final = {"front": LISTING}


class LedgerFrontier(Frontier):
    """A :class:`~crawler.discovery.frontier.Frontier` whose pages wait in ledgers.

    It also notes there what came of each visit, so that later crawls request only what may be new.

    Args:
        ledgers: the ledgers of the crawl, in which :meth:`add_root` opens those of further sites.
    """

    def __init__(self, ledgers: CrawlLedgers) -> None:
        super().__init__()
        self.ledgers = ledgers
        self._requeued: set[int] = set()

    def add_root(self, url: str, site: str = "") -> str:
        """Count the host of ``url`` as part of ``site`` (by default: of a site of its own).

        Raises:
            StoreError: the ledger of the site cannot be used.
        """
        name = super().add_root(url, site)
        self.ledgers.open(name)
        self.ledgers.add_host(address_site(url), name)
        # What was fetched before a kill counts as well.
        state = self._sites[name]
        state.taken = max(state.taken, self.ledgers.runs[name].new_pages)
        return name

    def add_redirected_host(self, url: str) -> None:
        """Count the host to which a start address led in an earlier crawl as part of its site.

        Otherwise pages of that host would belong to no site until the start page comes, which may
        fail.
        """
        row = self._row(url)
        if row is not None and row.canonical and self.site(row.canonical) is None:
            self.add_root(row.canonical, self._roots[address_site(url)])

    def add(self, visit: Visit) -> bool:
        """Let a visit wait; ``False`` when its address was seen before, in any crawl."""
        if visit.source:
            return super().add(visit)
        ledger = self._ledger(visit)
        is_new = bool(ledger.add_found([_found(visit, now())]))
        if visit.found_by != "start":
            return is_new
        # It waits in memory, and is not given out by the ledger as well.
        ledger.mark_fetching(visit.address)
        return super().add(visit)

    def add_all(self, visits: Iterable[Visit]) -> list[Visit]:
        """Let visits wait; return those whose addresses were not seen before."""
        visits = list(visits)
        with self.ledgers.transaction(sorted({visit.site for visit in visits})):
            return [visit for visit in visits if self.add(visit)]

    def are_redated(self, visits: Sequence[Visit]) -> bool:
        """Say whether a listing dates so many known pages later that this tells of no changes.

        Many sitemaps date all their pages to the moment at which they were made.
        """
        known = later = 0
        by_site: defaultdict[str, list[Found]] = defaultdict(list)
        for visit in visits:
            by_site[visit.site].append(_found(visit, now()))
        for site, entries in by_site.items():
            of_site = self.ledgers.ledger(site).dated_later(entries)
            known, later = known + of_site[0], later + of_site[1]
        return later >= _MANY and later > known * _SHARE_OF_KNOWN

    def knows(self, address: str) -> bool:
        """Say whether an address was offered or fetched before, in this crawl or another."""
        site = self.site(address)
        return site is not None and (
            super().knows(address) or self.ledgers.ledger(site).knows(address)
        )

    def meet(self, address: str) -> bool:
        """Note that a list names a page; say whether it is the first, of a page that is news."""
        if not super().meet(address):
            return False
        row = self._row(address)
        return row is None or not row.fetched_at or row.fetched_at >= self._since(address)

    def next_visits(self, site: str) -> list[Visit]:
        """Take the visits that may be made now out of the waiting ones, in the site's order."""
        visits = super().next_visits(site)
        state = self._sites[site]
        if visits or state.first_under_way or self._next_turn(state) is not None:
            return visits
        room = self.ahead - state.pages_under_way if self.ahead else _AT_ONCE
        if self.max_pages:
            room = min(room, self.max_pages - state.taken - state.pages_under_way)
        if room <= 0:
            return []
        visits = self._due(site, room)
        state.pages_under_way += len(visits)
        return visits

    def _due(self, site: str, room: int) -> list[Visit]:
        ledger = self.ledgers.ledger(site)
        rows = ledger.next_due(room)
        visits = [_visit(row, site) for row in rows]
        if len(rows) < room:
            # What is new goes first.
            again = self.ledgers.runs[site].policy
            for address, reason in again.next(room - len(rows), self.ledgers.runs[site].new_pages):
                row = ledger.seen(address)
                if row is not None:
                    visits.append(replace(_visit(row, site), again=reason))
        ledger.mark_fetching(*(visit.address for visit in visits))
        return visits

    def forget_under_way(self) -> int:
        """Count nothing as under way; return how many visits were."""
        for site in self.ledgers.runs:
            self.ledgers.ledger(site).reset_fetching()
        return super().forget_under_way()

    def left_out(self, site: str) -> int:
        """Count the pages a full site leaves unvisited; 0 when it is not full."""
        return self.ledgers.ledger(site).pending() if self.is_full(site) else 0

    def transaction(self, site: str) -> AbstractContextManager[Any]:
        """Note all that is noted of a site inside, or nothing where a kill comes meanwhile."""
        return self.ledgers.transaction([site])

    def note_listed(self, site: str, named: Container[int] | None) -> None:
        """Note the keys of all that a site's sitemaps name now; None where one was not read."""
        self.ledgers.runs[site].policy.named = named

    def request_list_again(self, address: str, kind: str) -> bool:
        """Queue a list again that an earlier crawl has fetched, once in a crawl; say whether."""
        row = self._known(address)
        is_list = row is not None and (kind == LISTING or row.kind not in {"", ARTICLE})
        return row is not None and is_list and self._requeue(row)

    def request_whole(self, address: str) -> bool:
        """Queue a page that an earlier crawl has fetched, unconditionally; say whether."""
        row = self._known(address)
        if row is None:
            return False
        self._ledger_of(address).export_again(row.address)
        return self._requeue(row)

    def _known(self, address: str) -> Row | None:
        """Return what is known of a page that an earlier crawl has fetched, and not this one."""
        row = self._row(address)
        if row is None or row.state != "fetched" or row.asked_at > self._since(address):
            return None
        # Within the second in which the crawl began the times do not tell.
        return None if address_key(row.address) in self._taken else row

    def _requeue(self, row: Row) -> bool:
        key = address_key(row.address)
        if key in self._requeued:
            return False
        self._requeued.add(key)
        self._ledger_of(row.address).requeue(row.address)
        return True

    def headers(self, visit: Visit) -> dict[str, str]:
        """Return the request headers by which a server may answer 304 instead of a known page."""
        if visit.source or visit.found_by == "start":
            return {}
        return self._ledger(visit).conditional_headers(visit.address)

    def fetched(
        self, visit: Visit, url: str, body: bytes, validators: tuple[str, str], *, wanted: bool
    ) -> bool:
        """Note a page that came; say whether it is new or has changed, and is wanted.

        Args:
            visit: what was requested.
            url: where it came from, after redirects.
            body: the page.
            validators: its ``ETag`` and ``Last-Modified``.
            wanted: whether it is to be exported.
        """
        ledger, at = self._ledger(visit), now()
        if canonical_address(url) != visit.address:
            self._moved(ledger, visit, url, at)
        before = ledger.seen(url)
        etag, modified = validators
        body_hash = xxhash.xxh3_128_hexdigest(body)
        change = ledger.mark_fetched(
            Fetched(
                url,
                200,
                at,
                body_hash,
                kind=visit.kind,
                etag=etag,
                last_modified=modified,
                for_export=wanted,
            )
        )
        again = self.ledgers.runs[visit.site].policy
        again.answered(visit.address, whole=True)
        if before is None or not before.fetched_at:
            self.ledgers.runs[visit.site].new_pages += 1
        key = address_key(url)
        if change.to_export and key not in self.ledgers.held:
            self.ledgers.held.add(key)
            return True
        if change.kind == "same":
            again.judged(visit.address, changed=False)
        return False

    def _moved(self, ledger: Ledger, visit: Visit, url: str, at: str) -> None:
        """Know a page by the address that its own now leads to."""
        ledger.add_found([replace(_found(visit, at), address=url)])
        # It is exported under its new address, and withdrawn from this one.
        ledger.retract(visit.address)
        ledger.mark_refused(visit.address, "redirected", at=at, instead=url)

    def unchanged(self, visit: Visit, validators: tuple[str, str]) -> None:
        """Note that a page has not changed (304)."""
        etag, modified = validators
        self._ledger(visit).mark_fetched(
            Fetched(visit.address, 304, now(), etag=etag, last_modified=modified)
        )
        self.ledgers.runs[visit.site].policy.answered(visit.address, whole=False)

    def gone(self, visit: Visit, status: int) -> None:
        """Note that a page does not exist (404 or 410).

        One of which nothing was exported has failed: it may be linked before it exists.
        """
        ledger = self._ledger(visit)
        row = ledger.seen(visit.address)
        if row is not None and row.exported_hash:
            ledger.mark_fetched(Fetched(visit.address, status, now()))
        else:
            ledger.mark_failed(visit.address, f"http-{status}", at=now(), status=status)
        self.ledgers.runs[visit.site].policy.answered(visit.address, whole=False)

    def failed(self, visit: Visit, reason: str, status: int, *, later: bool) -> None:
        """Note that a page could not be had.

        With ``later`` it stays under way, and is the next crawl's.
        """
        if not later:
            self._ledger(visit).mark_failed(visit.address, reason, at=now(), status=status)
        self.ledgers.runs[visit.site].policy.answered(visit.address, whole=False)

    def refused(
        self, visit: Visit, reason: str, instead: str = "", *, withdrawn: bool = False
    ) -> None:
        """Note that a page is not fetched, or was fetched and is none.

        Args:
            visit: what was requested.
            reason: why.
            instead: the address under which the page is known, where there is one.
            withdrawn: whether what was exported of it is withdrawn.
        """
        ledger = self._ledger(visit)
        row = ledger.seen(visit.address)
        if row is not None and row.state == "fetching":
            if withdrawn:
                ledger.retract(row.address)
            ledger.mark_refused(row.address, reason, at=now(), instead=instead)
        self.ledgers.runs[visit.site].policy.answered(visit.address, whole=False)

    def no_page(self, visit: Visit, reason: str) -> None:
        """Note that what came is no page; what was exported is withdrawn and tried again."""
        ledger = self._ledger(visit)
        row = ledger.seen(visit.address)
        if row is None or not row.exported_hash:
            self.refused(visit, reason)
            return
        ledger.retract(row.address)
        self.failed(visit, reason, 0, later=False)

    def _ledger(self, visit: Visit) -> Ledger:
        return self.ledgers.ledger(visit.site)

    def _ledger_of(self, address: str) -> Ledger:
        return self.ledgers.ledger(self._roots[address_site(address)])

    def _row(self, address: str) -> Row | None:
        site = self.site(address)
        return None if site is None else self.ledgers.ledger(site).seen(address)

    def _since(self, address: str) -> str:
        return self.ledgers.runs[self._roots[address_site(address)]].since


def _found(visit: Visit, at: str) -> Found:
    return Found(
        visit.address,
        visit.found_by,
        at,
        listed=visit.listed,
        priority=visit.date,
        kind=visit.kind,
        depth=visit.depth,
        hints=visit.hints,
    )


def _visit(row: Row, site: str) -> Visit:
    # A start page of an earlier crawl is a page among others.
    found_by = "link" if row.found_by == "start" else row.found_by
    kind = row.kind if row.kind in {ARTICLE, LISTING} else _KINDS.get(row.kind, "")
    return Visit(row.address, site, row.depth, kind, row.priority, found_by)
