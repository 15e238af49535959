"""The frontier: which addresses of which site are fetched next, and when a site is full."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

from crawler.core.page.addresses import address_site, place_key
from crawler.discovery.guesses import ARTICLE
from crawler.store.files import time_of
from crawler.store.ledger.rows import FoundBy

Source: TypeAlias = Literal["", "robots", "sitemap", "feed"]
"""What is expected at an address that is read and not handed over; empty for pages."""

Group: TypeAlias = Literal["first", "guess", "page"]
"""No page is fetched before the first: the start, what the site names, and a first guess."""

_START: Final = 0
_SOURCE: Final = 1
_ARTICLE: Final = 2
_UNKNOWN: Final = 3
_OTHER: Final = 4
# So many addresses of a site may give no page, whatever the page limit is.
_LEAST_FAILED: Final = 100


@dataclass(frozen=True, slots=True)
class Visit:
    """An address to fetch, and what is known of it before it is fetched.

    Attributes:
        address: Canonical.
        site: The crawled site that it counts for.
        depth: Distance in links from the start; of sources, how deep they are nested.
        kind: What its page may be: ``article``, ``listing``, or empty where nothing tells.
        date: When its page was published or changed, by a listing or its address; ISO 8601, from
            a year to a time.
        found_by: How it was found.
        source: What is expected at an address that is read and not exported; empty for pages.
        usual: Which of the places where many sites have such a source, from 1; 0 is one that the
            site names itself.
        listed: The date a listing gave, which may tell of a change; empty where none did.
        hints: Whether a later date than before tells of a change.
    """

    address: str
    site: str
    depth: int
    kind: str = ""
    date: str = ""
    found_by: FoundBy = "link"
    source: Source = ""
    usual: int = 0
    listed: str = ""
    hints: bool = True

    @property
    def group(self) -> Group:
        """The kind of visit that it counts as, where visits under way are limited."""
        return "page" if self.turn > _SOURCE else "first" if self.usual <= 1 else "guess"

    def on(self, site: str) -> Visit:
        """Return the visit as one of a site."""
        return replace(self, site=site)

    @property
    def turn(self) -> int:
        """Rank of its kind: the start, sources, articles, what may be one, other pages."""
        if self.found_by == "start":
            return _START
        if self.source:
            return _SOURCE
        return _ARTICLE if self.kind == ARTICLE else _OTHER if self.kind else _UNKNOWN


@dataclass(slots=True)
class _SiteState:
    # Turn, newest first, nearest first, first found first; then which of the waiting it is.
    order: list[tuple[int, float, int, int, int]] = field(default_factory=list)
    waiting: dict[int, tuple[int, Visit]] = field(default_factory=dict)
    guesses: list[Visit] = field(default_factory=list)
    pages_waiting: int = 0
    under_way: Counter[Group] = field(default_factory=Counter)
    taken: int = 0
    failed: int = 0


@dataclass(slots=True)
class Frontier:
    """Addresses seen, waiting and under way. What is fetched next is decided here alone.

    The order of a site: its start, its sources (robots.txt, sitemaps, feeds), then pages:
    articles, what may be one, others; among these the newest first and those without a date last,
    then those nearest to the start, then those found first. No page is given out while the start
    or a source is waiting or under way, so that the newest are known before the first is fetched.
    Pages do not wait for sources that are looked for in the second and further usual places: sites
    without any have nothing there. One such place of a site is asked for at a time, beside pages.

    With a page limit, a site never has more visits under way than pages it may still give: no page
    is fetched in vain, and nothing has to be taken back from the scheduler. As many addresses, and
    at least 100, may give no page. Pages are remembered by 64-bit hash, whatever their scheme and
    with or without ``www.``. Picklable, so that a paused crawl can keep it.

    Attributes:
        max_pages: Most pages a site gives; 0 is no limit.
        ahead: Most visits of a site given out at once, so that better ones that are found meanwhile
            can go first; 0 is no limit.
        gives_pages: Whether pages are given out, and not only what is read before them.
    """

    max_pages: int = 0
    ahead: int = 0
    gives_pages: bool = True
    _roots: dict[str, str] = field(default_factory=dict)
    _sites: dict[str, _SiteState] = field(default_factory=dict)
    _seen: set[int] = field(default_factory=set)
    _met: set[int] = field(default_factory=set)
    _taken: set[int] = field(default_factory=set)
    _linked: dict[int, str] = field(default_factory=dict)
    _number: int = 0

    def site(self, url: str) -> str | None:
        """Name the crawled site an address belongs to; ``None`` when it belongs to none."""
        return self._roots.get(address_site(url))

    def add_root(self, url: str, site: str = "") -> str:
        """Count the host of ``url`` as part of ``site`` (by default: of a site of its own)."""
        name = address_site(url)
        site = self._roots.setdefault(name, site or name)
        self._sites.setdefault(site, _SiteState())
        return site

    def add(self, visit: Visit) -> bool:
        """Let a visit wait; ``False`` when its address was seen before.

        What still waits then learns the date and the kind that were not known of it.
        """
        key, state = place_key(visit.address), self._sites[visit.site]
        if key not in self._seen:
            self._seen.add(key)
            if visit.usual > 1:
                state.guesses.append(visit)
                return True
            state.pages_waiting += visit.turn > _SOURCE
            self._wait(state, key, visit)
            return True
        if key in state.waiting:
            known = state.waiting[key][1]
            # The most exact date, so that the order in which sources are read does not matter.
            date = max(known.date, visit.date, key=len)
            better = replace(known, kind=known.kind or visit.kind, date=date)
            if better != known and not known.source and not visit.source:
                self._wait(state, key, better)
        return False

    def _wait(self, state: _SiteState, key: int, visit: Visit) -> None:
        self._number += 1
        state.waiting[key] = (self._number, visit)
        time = time_of(visit.date)
        age = 0.0 if time is None else -time.timestamp()
        place = (visit.turn, age, visit.depth, self._number, key)
        heapq.heappush(state.order, place)

    def add_all(self, visits: Iterable[Visit]) -> list[Visit]:
        """Let visits wait; return those whose addresses were not seen before."""
        visits = list(visits)
        with self.transaction(sorted({visit.site for visit in visits})):
            return [visit for visit in visits if self.add(visit)]

    def transaction(self, sites: Iterable[str]) -> AbstractContextManager[Any]:  # noqa: ARG002 - for frontiers on disk
        """Note all that is noted of sites inside, or nothing where a kill comes meanwhile."""
        return nullcontext()

    def knows(self, address: str) -> bool:
        """Say whether an address was offered or fetched before."""
        return place_key(address) in self._seen

    def known_form(self, address: str) -> str:
        """Return an address as it is known already, by another scheme or with ``www.``."""
        return address

    def meet(self, address: str) -> bool:
        """Note that a list names a page; say whether it is the first list to do so."""
        key = place_key(address)
        if key in self._met:
            return False
        self._met.add(key)
        return True

    def note_linked(self, address: str, linked: str) -> None:
        """Note how a plain address was linked, which is asked for where the plain one is missing.

        Most sites answer both with one page.
        """
        if linked:
            self._linked[place_key(address)] = linked

    def take_linked(self, address: str) -> str:
        """Return, once, how an address was linked; empty where that is no other address."""
        return self._linked.pop(place_key(address), "")

    def next_visits(self, site: str) -> list[Visit]:
        """Take the visits that may be made now out of the waiting ones, in the site's order."""
        state = self._sites[site]
        visits: list[Visit] = []
        if state.guesses and not state.under_way["guess"] and self._has_room(state, _SOURCE):
            visits.append(state.guesses.pop(0))
            state.under_way["guess"] += 1
        while (turn := self._next_turn(state)) is not None and self._has_room(state, turn):
            _, visit = state.waiting.pop(heapq.heappop(state.order)[-1])
            state.pages_waiting -= turn > _SOURCE
            state.under_way[visit.group] += 1
            visits.append(visit)
        return visits

    def _next_turn(self, state: _SiteState) -> int | None:
        """Tell whose turn it is, past places that a visit no longer has; None: nobody's."""
        while state.order:
            turn, _, _, number, key = state.order[0]
            if key in state.waiting and state.waiting[key][0] == number:
                return turn
            heapq.heappop(state.order)
        return None

    def _has_room(self, state: _SiteState, turn: int) -> bool:
        if 0 < self.ahead <= state.under_way.total():
            return False
        if turn <= _SOURCE:
            return turn == _START or not 0 < self.max_pages <= state.taken
        if not self.gives_pages or state.under_way["first"] or self._failed_too_often(state):
            return False
        return self.max_pages == 0 or state.taken + state.under_way["page"] < self.max_pages

    def finish(self, visit: Visit) -> None:
        """Note that a visit has ended, whatever came of it."""
        under_way = self._sites[visit.site].under_way
        under_way[visit.group] = max(0, under_way[visit.group] - 1)

    def forget_under_way(self) -> int:
        """Count nothing as under way; return how many visits were.

        For a crawl that has nothing under way any more, as requests that somebody else's component
        dropped without a word.
        """
        found = sum(state.under_way.total() for state in self._sites.values())
        for state in self._sites.values():
            state.under_way.clear()
        return found

    def take(self, url: str, site: str) -> bool:
        """Take a fetched page; ``False`` when its address has given one already."""
        key = place_key(url)
        self._seen.add(key)
        if key in self._taken:
            return False
        self._taken.add(key)
        self._sites[site].taken += 1
        return True

    def give_back(self, site: str) -> None:
        """Note that a page that was taken is not handed over: it leaves room under the limit."""
        self._sites[site].taken -= 1

    def is_full(self, site: str) -> bool:
        """Say whether a site has given as many pages as it may."""
        return 0 < self.max_pages <= self._sites[site].taken

    def count_failed(self, site: str) -> None:
        """Note that an address of a site gave no page."""
        self._sites[site].failed += 1

    def _failed_too_often(self, state: _SiteState) -> bool:
        return self.max_pages > 0 and max(self.max_pages, _LEAST_FAILED) <= state.failed

    def is_over(self, site: str) -> bool:
        """Say whether nothing more is fetched of a site: it is full, or too much gave no page."""
        return self.is_full(site) or self._failed_too_often(self._sites[site])

    def left_out(self, site: str) -> int:
        """Count the pages that a limit leaves unvisited; 0 where none is reached."""
        return self._sites[site].pages_waiting if self.is_over(site) else 0

    def to_come(self) -> int:
        """Count the known pages that will be requested, within the page limit of each site."""
        number = 0
        for site, state in self._sites.items():
            known = state.pages_waiting + state.under_way["page"]
            room = max(0, self.max_pages - state.taken) if self.max_pages else known
            number += 0 if self.is_over(site) else min(known, room)
        return number

    def sites(self) -> tuple[str, ...]:
        """Name the sites crawled, in the order they were given."""
        return tuple(self._sites)
