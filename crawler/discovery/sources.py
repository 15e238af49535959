"""Sources: which sitemaps and feeds of a site are read, in turn, and what they name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from crawler.core.listings.entries import Entry, Listing
from crawler.core.listings.read import read_listing, usual_places
from crawler.core.page.addresses import address_key
from crawler.discovery.frontier import Source, Visit
from crawler.discovery.guesses import (
    ARTICLE,
    address_date,
    guess_kind,
    plain_address,
    without_parameters,
)
from crawler.discovery.links import judge_address, unless_chosen
from crawler.discovery.scope import Scope

SOURCES: Final = ("sitemap", "feed", "links")
"""Where the pages of a site are found."""

_DEEPEST: Final = 3
_FEEDS: Final = frozenset({"rss", "atom", "json-feed"})


@dataclass(slots=True)
class Reading:
    """A listing that was read.

    Attributes:
        listing: As it was read.
        pages: The wanted pages it names, of any site.
        cut: Addresses that are not wanted, each behind its reason.
        sitemaps: Further sitemaps with their dates.
        outdated: Number of further sitemaps that are older than any wanted page, and not read.
    """

    listing: Listing
    pages: list[Visit] = field(default_factory=list)
    cut: list[tuple[str, str]] = field(default_factory=list)
    sitemaps: list[tuple[str, str]] = field(default_factory=list)
    outdated: int = 0

    @property
    def is_feed(self) -> bool:
        """Whether it is a feed, and no sitemap."""
        return self.listing.kind in _FEEDS


def read_source(body: bytes, url: str, content_type: str, scope: Scope) -> Reading:
    """Read a listing and judge what it names; for a thread of its own, since it may be long.

    Args:
        body: the listing as it came.
        url: where it came from.
        content_type: its ``Content-Type``, or empty.
        scope: what is wanted.
    """
    reading = Reading(read_listing(body, url, content_type))
    given = [entry.url for entry in reading.listing.entries]
    plain = unless_chosen(given, [without_parameters(each, scope.ignored) for each in given])
    own = dict(zip(given, plain, strict=True))
    for entry in reading.listing.entries:
        if entry.kind == "sitemap":
            if scope.is_too_old(entry.lastmod):
                reading.outdated += 1
            else:
                reading.sitemaps.append((entry.url, entry.lastmod))
            continue
        address, cut = entry.url, judge_address(entry.url, scope) or scope.entry_cut(entry)
        is_wanted = not cut
        if is_wanted:
            address = own[address]
        if is_wanted and not scope.twins:
            address, cut = plain_address(address)
        if cut:
            reading.cut.append((cut, entry.url))
        addresses = [address] if is_wanted else []
        if cut == "lang" or scope.translations:
            addresses += _alternates(entry, scope)
        reading.pages += [_page(entry, one, is_of_feed=reading.is_feed) for one in addresses]
    return reading


def _page(entry: Entry, address: str, *, is_of_feed: bool) -> Visit:
    # Feeds and news sitemaps name articles alone.
    is_news = is_of_feed or bool(entry.published)
    return Visit(
        address,
        site="",
        depth=1,
        kind=ARTICLE if is_news else guess_kind(address),
        date=entry.published or entry.lastmod or address_date(address),
        found_by="feed" if is_of_feed else "sitemap",
        listed=entry.lastmod,
    )


def _alternates(entry: Entry, scope: Scope) -> Iterator[str]:
    """Give the addresses of the same page in the languages wanted."""
    for other in entry.alternates:
        code = other.language.lower().partition("-")[0]
        if (code in scope.lang or not scope.lang) and not scope.pattern_cut(other.url):
            yield other.url


@dataclass(slots=True)
class Sources:
    """The sources of one site: those that are named, else the usual places one after the other.

    Methods return what to read next.

    Attributes:
        site: The crawled site.
        wanted: Which of ``sitemap`` and ``feed`` are read.
        most: Most listings read; 0 is no limit.
        left_unread: How many there were beyond that limit, or nested too deeply.
    """

    site: str
    wanted: tuple[str, ...] = SOURCES
    most: int = 0
    left_unread: int = 0
    _given: int = 0
    _read: set[int] = field(default_factory=set)
    _usual: dict[str, list[str]] = field(default_factory=dict)
    _found: set[Source] = field(default_factory=set)

    @property
    def has_begun(self) -> bool:
        """Whether it was asked what to read first."""
        return bool(self._usual)

    def begin(self, start: str, feeds: Iterable[str]) -> list[Visit]:
        """Return what to read first, or what a further start page adds: the feeds it names."""
        is_first = not self.has_begun
        visits: list[Visit] = []
        if is_first:
            self._usual = usual_places(start)
            if "sitemap" in self.wanted:
                robots = "/".join([*start.split("/", 3)[:3], "robots.txt"])
                visits.append(Visit(robots, self.site, 0, source="robots"))
        if "feed" in self.wanted:
            named = self._some([Visit(url, self.site, 0, source="feed") for url in feeds])
            visits += named or (self._next_usual("feed") if is_first else [])
        return visits

    def after_robots(self, sitemaps: Iterable[str]) -> list[Visit]:
        """Return the sitemaps to read, by what a robots.txt names."""
        named = [Visit(url, self.site, 0, source="sitemap") for url in sitemaps]
        return self._some(named) or self._next_usual("sitemap")

    def is_new(self, url: str) -> bool:
        """Say whether no listing was read yet that came from this address."""
        key = address_key(url)
        is_new = key not in self._read
        self._read.add(key)
        return is_new

    def after(self, visit: Visit, reading: Reading) -> list[Visit]:
        """Return what to read after a listing."""
        self._found.add(visit.source)
        following = [
            Visit(url, self.site, visit.depth + 1, date=date, source="sitemap")
            for url, date in reading.sitemaps
        ]
        if reading.listing.next and reading.pages:
            following.append(replace(visit, address=reading.listing.next, usual=0))
        near = [further for further in following if further.depth <= _DEEPEST]
        self.left_unread += len(following) - len(near)
        return self._some(near)

    def after_nothing(self, visit: Visit) -> list[Visit]:
        """Return what to read after an address that gave no listing."""
        if visit.source == "robots":
            return self.after_robots(())
        return self._next_usual(visit.source, visit.usual + 1) if visit.usual else []

    def _next_usual(self, source: Source, number: int = 1) -> list[Visit]:
        """Return the next of the usual places, as long as none of them held a listing."""
        places = self._usual.get(source)
        if not places or source in self._found:
            return []
        return [Visit(places.pop(0), self.site, 0, source=source, usual=number)]

    def _some(self, visits: list[Visit]) -> list[Visit]:
        """Return as many visits as may still be given out, the newest ones."""
        room = len(visits) if self.most == 0 else max(0, self.most - self._given)
        if room < len(visits):
            self.left_unread += len(visits) - room
            visits = sorted(visits, key=lambda visit: visit.date, reverse=True)[:room]
        self._given += len(visits)
        return visits
