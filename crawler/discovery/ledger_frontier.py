"""The frontier of an incremental crawl: its pages wait in the ledgers of their sites.

A kill at any moment leaves them there. What is read first (start pages, robots.txt, sitemaps,
feeds) waits in memory, since each crawl reads it anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Final

import xxhash

from crawler.core.page.addresses import address_key, address_site, canonical_address, place_key
from crawler.discovery.frontier import Frontier, Visit
from crawler.discovery.guesses import ARTICLE, LISTING
from crawler.journey.crawl_ledgers import CrawlLedgers, SiteRun
from crawler.journey.parts import now
from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import Fetched, Found, Row

# Visits taken at once where nothing else limits them.
_AT_ONCE: Final = 64
_MANY: Final = 20
_SHARE_OF_KNOWN: Final = 0.5
# Statuses of redirects that hold for good.
_LASTING: Final = frozenset({301, 308})
_GONE: Final = frozenset({404, 410})
# Kinds of pages whose links are read as those of lists are.
_KINDS: Final = {"front": LISTING}


class LedgerFrontier(Frontier):
    """A :class:`~crawler.discovery.frontier.Frontier` whose pages wait in ledgers.

    It also notes there what came of each visit, so that later crawls request only what may be new.
    """

    def __init__(self, ledgers: CrawlLedgers) -> None:
        super().__init__()
        self.ledgers = ledgers
        self._requeued: set[int] = set()
        # By site, how its addresses begin.
        self._origins: defaultdict[str, list[str]] = defaultdict(list)

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
        found = self.ledgers.find(url)
        led_to = "" if found is None else found[1].canonical
        if led_to and self.site(led_to) is None:
            self.add_root(led_to, self._roots[address_site(url)])

    def add(self, visit: Visit) -> bool:
        """Let a visit wait; ``False`` when its address was seen before, in any crawl."""
        if visit.source:
            return super().add(visit)
        visit = replace(visit, address=self.known_form(visit.address))
        ledger = self._ledger(visit)
        is_new = bool(ledger.add_found([_found(visit, now())]))
        if visit.found_by != "start":
            return is_new
        # It waits in memory, and is not given out by the ledger as well.
        ledger.mark_fetching(visit.address)
        return super().add(visit)

    def are_redated(self, visits: Sequence[Visit]) -> bool:
        """Say whether a listing dates so many known pages later that this tells of no changes.

        Many sitemaps date all their pages to the moment at which they were made.
        """
        known = later = 0
        for site in {visit.site for visit in visits}:
            entries = [_found(visit, now()) for visit in visits if visit.site == site]
            of_site = self.ledgers.ledger(site).dated_later(entries)
            known, later = known + of_site[0], later + of_site[1]
        return later >= _MANY and later > known * _SHARE_OF_KNOWN

    def knows(self, address: str) -> bool:
        """Say whether an address was offered or fetched before, in this crawl or another."""
        return super().knows(address) or self.ledgers.knows(address)

    def known_form(self, address: str) -> str:
        """Return an address as it is known already, by another scheme or with ``www.``."""
        origin = "/".join(address.split("/", 3)[:3])
        path = address[len(origin) :]
        origins = self._origins[address_site(address)]
        if origin not in origins:
            origins.append(origin)
        if len(origins) == 1 or path == "/" or self.ledgers.knows(address):
            return address
        others = (other + path for other in origins if other != origin)
        return next((other for other in others if self.ledgers.knows(other)), address)

    def meet(self, address: str) -> bool:
        """Note that a list names a page; say whether it is the first, of a page that is news."""
        if not super().meet(address):
            return False
        found = self.ledgers.find(address)
        return found is None or not found[1].fetched_at or found[1].fetched_at >= found[0].since

    def next_visits(self, site: str) -> list[Visit]:
        """Take the visits that may be made now out of the waiting ones, in the site's order."""
        visits = super().next_visits(site)
        if self.is_over(site):
            return visits
        state = self._sites[site]
        if state.under_way["first"] or self._next_turn(state) is not None:
            return visits
        room = self.ahead - state.under_way.total() if self.ahead else _AT_ONCE
        if self.max_pages:
            room = min(room, self.max_pages - state.taken - state.under_way["page"])
        if room > 0:
            pages = self._due(site, room)
            state.under_way["page"] += len(pages)
            visits += pages
        return visits

    def _due(self, site: str, room: int) -> list[Visit]:
        ledger = self.ledgers.ledger(site)
        rows = ledger.next_due(room)
        visits = [_visit(row, site) for row in rows]
        if len(rows) < room:
            # What is new goes first.
            again = self.ledgers.runs[site].policy
            for address, _ in again.next(room - len(rows), self.ledgers.runs[site].new_pages):
                row = ledger.seen(address)
                # A list that another page leads to again was given out already.
                if row is not None and address_key(row.address) not in self._requeued:
                    visits.append(_visit(row, site))
        ledger.mark_fetching(*(visit.address for visit in visits))
        return visits

    def forget_under_way(self) -> int:
        """Count nothing as under way; return how many visits were."""
        for site in self.ledgers.runs:
            self.ledgers.ledger(site).reset_fetching()
        return super().forget_under_way()

    def to_come(self) -> int:
        """Return 0: the progress line asks often, and the ledger would read itself each time."""
        return 0

    def left_out(self, site: str) -> int:
        """Count the pages that a limit leaves unvisited; 0 where none is reached."""
        return self.ledgers.ledger(site).pending() if self.is_over(site) else 0

    def transaction(self, sites: Iterable[str]) -> AbstractContextManager[Any]:
        """Note all that is noted of sites inside, or nothing where a kill comes meanwhile."""
        return self.ledgers.transaction(sites)

    def note_listed(self, site: str, named: Container[int] | None) -> None:
        """Note the keys of all that a site's sitemaps name now; None where one was not read."""
        self.ledgers.runs[site].policy.named = named

    def request_list_again(self, address: str, kind: str) -> bool:
        """Queue a list again that an earlier crawl has fetched, once in a crawl; say whether."""
        if (known := self._known(address)) is None:
            return False
        run, row = known
        return (kind == LISTING or row.kind not in {"", ARTICLE}) and self._requeue(run, row)

    def request_whole(self, address: str) -> bool:
        """Queue a page that an earlier crawl has fetched, unconditionally; say whether."""
        if (known := self._known(address)) is None:
            return False
        run, row = known
        run.ledger.export_again(row.address)
        return self._requeue(run, row)

    def _known(self, address: str) -> tuple[SiteRun, Row] | None:
        """Find what is known of a page that an earlier crawl has fetched, and not this one."""
        found = self.ledgers.find(address)
        if found is None or found[1].state != "fetched" or found[1].asked_at > found[0].since:
            return None
        # Within the second in which the crawl began the times do not tell.
        return None if place_key(found[1].address) in self._taken else found

    def _requeue(self, run: SiteRun, row: Row) -> bool:
        key = address_key(row.address)
        if key in self._requeued:
            return False
        self._requeued.add(key)
        run.ledger.requeue(row.address)
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
            self.ledgers.runs[visit.site].trouble.note_same(before)
        return False

    def is_temporary_redirect(self, visit: Visit, url: str, meta: Mapping[str, Any]) -> bool:
        """Say whether a redirect that will not last leads away from a page that was exported."""
        return (
            visit.found_by != "start"
            and not _LASTING.issuperset(meta.get("redirect_reasons", ()))
            and canonical_address(url) != visit.address
            and self.ledgers.is_exported(visit.address)
        )

    def leads_elsewhere(self, visit: Visit, url: str, meta: Mapping[str, Any], reason: str) -> None:
        """Note that an address gave no page of its own, as where it redirects, for good or for now.

        A site under maintenance redirects all its addresses to one page, with a status that says
        that this will not last. Then the page is requested again, as after a failure.

        Args:
            visit: what was requested.
            url: where it led.
            meta: the ``meta`` of the request, with its redirects.
            reason: why there is no page.
        """
        statuses = meta.get("redirect_reasons", ())
        leads_back = url in meta.get("redirect_urls", ())
        if self.is_temporary_redirect(visit, url, meta):
            self.ledgers.count("corpus/incremental/redirected", 1)
        if not statuses and canonical_address(url) == visit.address:
            # There was no redirect. What another page redirected here for is noted when it comes.
            if reason == "duplicate-address":
                self.failed(visit, reason, may_come_later=True)
            else:
                self.refused(visit, reason)
        elif not leads_back and _LASTING.issuperset(statuses):
            self.refused(visit, reason, url, withdrawn=True)
        else:
            self.failed(visit, "redirect-loop" if leads_back else reason)

    def _moved(self, ledger: Ledger, visit: Visit, url: str, at: str) -> None:
        """Know a page by the address that its own now leads to."""
        ledger.add_found([replace(_found(visit, at), address=url)])
        # It is exported under its new address, and withdrawn from this one.
        ledger.retract(visit.address)
        ledger.mark_refused(visit.address, "redirected", at=at, instead=url)

    def unchanged(self, visit: Visit, validators: tuple[str, str]) -> None:
        """Note that a page has not changed (304)."""
        etag, modified = validators
        ledger = self._ledger(visit)
        ledger.mark_fetched(Fetched(visit.address, 304, now(), etag=etag, last_modified=modified))
        self.ledgers.runs[visit.site].trouble.note_same(ledger.seen(visit.address))
        self._answered(visit)

    def failed(
        self, visit: Visit, reason: str, status: int = 0, *, may_come_later: bool = False
    ) -> None:
        """Note that a page could not be had.

        One that does not exist (404, 410) is gone where it was exported. Otherwise it has failed:
        it may be linked before it exists.

        Args:
            visit: what was requested.
            reason: why it failed; ``robots`` is a refusal.
            status: what the server answered; 0 for no answer.
            may_come_later: whether it stays under way, and is the next crawl's.
        """
        ledger = self._ledger(visit)
        row = ledger.seen(visit.address)
        if reason == "robots":
            self.refused(visit, reason)
            return
        if status in _GONE and row is not None and row.exported_hash:
            ledger.mark_fetched(Fetched(visit.address, status, now()))
        elif not may_come_later:
            ledger.mark_failed(visit.address, reason, at=now(), status=status)
        self._answered(visit)

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
        self._answered(visit)

    def no_page(self, visit: Visit, reason: str) -> None:
        """Note that what came is no page; what was exported is withdrawn and tried again."""
        ledger = self._ledger(visit)
        row = ledger.seen(visit.address)
        if row is None or not row.exported_hash:
            self.refused(visit, reason)
            return
        ledger.retract(row.address)
        self.ledgers.runs[visit.site].trouble.note_lost(row)
        self.failed(visit, reason)

    def _answered(self, visit: Visit) -> None:
        self.ledgers.runs[visit.site].policy.answered(visit.address, whole=False)

    def _ledger(self, visit: Visit) -> Ledger:
        return self.ledgers.ledger(visit.site)


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
