"""The frontier: which addresses of which site are fetched next, and when a site is full."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from crawler.discovery.addresses import address_key, address_site

__all__ = ["Frontier", "Visit"]


@dataclass(frozen=True, slots=True)
class Visit:
    """An address to fetch, the site it counts for, and its distance in links from the start."""

    address: str
    site: str
    depth: int


@dataclass(slots=True)
class _SiteState:
    waiting: deque[tuple[str, int]] = field(default_factory=deque)
    under_way: int = 0
    taken: int = 0


@dataclass(slots=True)
class Frontier:
    """Addresses seen, waiting and under way, in the order they were found.

    With a page limit, a site never has more visits under way than pages it may still give: so no
    page is fetched that would be thrown away, and nothing scheduled has to be called back when
    the limit is reached. Pages are remembered by 64-bit hash. Picklable, so a paused crawl can
    keep it.

    ``max_pages``
        Most pages a site gives; 0 is no limit.
    """

    max_pages: int = 0
    _roots: dict[str, str] = field(default_factory=dict)
    _sites: dict[str, _SiteState] = field(default_factory=dict)
    _seen: set[int] = field(default_factory=set)
    _taken: set[int] = field(default_factory=set)

    def site(self, url: str) -> str | None:
        """Name the crawled site an address belongs to; ``None`` when it belongs to none."""
        return self._roots.get(address_site(url))

    def add_root(self, url: str, site: str = "") -> str:
        """Count the host of ``url`` as part of ``site`` (by default: of a site of its own)."""
        name = address_site(url)
        site = self._roots.setdefault(name, site or name)
        self._sites.setdefault(site, _SiteState())
        return site

    def offer(self, address: str, depth: int) -> bool:
        """Let an address of a known site wait for its visit; ``False`` when it was seen before."""
        site = self.site(address)
        key = address_key(address)
        if site is None or key in self._seen:
            return False
        self._seen.add(key)
        self._sites[site].waiting.append((address, depth))
        return True

    def next_visits(self, site: str) -> list[Visit]:
        """Take the visits that may be made now out of the waiting ones, first found first."""
        state = self._sites[site]
        room = self.max_pages - state.taken - state.under_way if self.max_pages else None
        number = len(state.waiting) if room is None else max(0, min(room, len(state.waiting)))
        state.under_way += number
        first = [state.waiting.popleft() for _ in range(number)]
        return [Visit(address, site, depth) for address, depth in first]

    def finish(self, site: str) -> None:
        """Note that a visit has ended, whatever came of it."""
        state = self._sites[site]
        state.under_way = max(0, state.under_way - 1)

    def take(self, url: str, site: str) -> bool:
        """Take a fetched page; ``False`` when its address has given one already."""
        key = address_key(url)
        self._seen.add(key)
        if key in self._taken:
            return False
        self._taken.add(key)
        self._sites[site].taken += 1
        return True

    def is_full(self, site: str) -> bool:
        """Say whether a site has given as many pages as it may."""
        return 0 < self.max_pages <= self._sites[site].taken

    def left_out(self, site: str) -> int:
        """Count the addresses a full site leaves unvisited; 0 when it is not full."""
        return len(self._sites[site].waiting) if self.is_full(site) else 0

    def sites(self) -> tuple[str, ...]:
        """Name the sites crawled, in the order they were given."""
        return tuple(self._sites)
