"""Articles cut into several pages: their parts wait for each other and become one item.

Which pages are parts of which article is known when all pages have been counted, before the first
item is made. So the order of the pages does not matter, and only parts of articles that are not
complete yet wait, packed as they came. Of an archive, which is read twice, :class:`Captures` says
which pages of the first reading are wanted in the second.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final, TypeVar

from crawler.core.page.addresses import canonical_address
from crawler.core.page.page import Page
from crawler.core.pagetype.judge import ARTICLE
from crawler.core.pagination.parts import same_headline
from crawler.journey.item_page import ItemPage
from crawler.store.files import time_of

_T = TypeVar("_T")

_SURE: Final = 0.75
"""How likely an article the first part has to be, since lists and threads have next pages as well.
Of 2,000 pages of the web 45 name one: lists among them are articles with .68 at most, articles with
.84 at least."""

_NEVER: Final = datetime.min.replace(tzinfo=UTC)


class WaitingParts:
    """The parts of articles that are not complete yet.

    Args:
        chains: the articles in several pages: site, and canonical addresses in order.
    """

    def __init__(self, chains: Iterable[tuple[str, tuple[str, ...]]]) -> None:
        self._places: dict[tuple[str, str], tuple[list[Page | None], int]] = {}
        for site, addresses in chains:
            chain: list[Page | None] = [None] * len(addresses)
            for number, address in enumerate(addresses):
                self._places[site, address] = chain, number

    def awaits(self, page: Page) -> bool:
        """Tell whether a page is a part of an article that has not come yet."""
        return (page.site_name, canonical_address(page.url)) in self._places

    def add(self, page: Page) -> list[Page | None]:
        """Take a page that is awaited.

        Returns:
            All parts of the article in order if this was the last that was missing, else nothing.
        """
        chain, number = self._places.pop((page.site_name, canonical_address(page.url)))
        chain[number] = replace(page, body=zlib.compress(page.body, 1))
        return _unpacked(chain) if all(chain) else []

    def rest(self) -> Iterator[list[Page | None]]:
        """Return the articles of which parts have not come, None in their places."""
        # A chain stands here once for each of its parts that is missing.
        chains = {id(chain): chain for chain, _ in self._places.values()}
        self._places.clear()
        for chain in chains.values():
            if any(chain):
                yield _unpacked(chain)


def _unpacked(chain: list[Page | None]) -> list[Page | None]:
    """Return the parts of a chain as they came, and forget them."""
    parts = [page and replace(page, body=zlib.decompress(page.body)) for page in chain]
    chain.clear()
    return parts


def joinable(parts: Sequence[ItemPage | None]) -> int:
    """Return how many of some parts, from the first on, are parts of one article.

    The first has to be an article without doubt. The others have to be there, may be articles, have
    the first part's language and headline, as far as they tell them, and repeat no other part.
    """
    first = parts[0] if parts else None
    if first is None or first.kind.kind != ARTICLE or first.kind.article < _SURE:
        return 0
    seen: set[str] = set()
    for number, part in enumerate(parts):
        if part is None:
            return number
        url = part.document.page.url
        # The address that stands for the page among its near-duplicates.
        stands_for = part.view.duplicate_of.get(url, url)
        if stands_for in seen or not _goes_on(first, part):
            return number
        seen.add(stands_for)
    return len(parts)


def _goes_on(first: ItemPage, part: ItemPage) -> bool:
    ours, theirs = ((each.language() or "").partition("-")[0].lower() for each in (first, part))
    headlines = ((each.title, each.document.title) for each in (first, part))
    return (
        part.kind.is_among({ARTICLE})
        and (not ours or not theirs or ours == theirs)
        and same_headline(*headlines)
    )


def latest(dates: Sequence[str | None]) -> int:
    """Return the place of the latest of some dates, the first of several; None is the earliest."""
    return max(range(len(dates)), key=lambda place: moment(dates[place]))


def moment(text: str | None) -> datetime:
    """Return the first moment of a date as items have it; of None the earliest time there is."""
    return time_of(text or "") or _NEVER


class Captures:
    """The pages of an archive in their order, without those that shall give no item.

    Args:
        latest_alone: of several captures of one address, only the latest is wanted: the one fetched
            last or, where that is the same or not known, read last. The same address on two sites
            is two addresses.
    """

    def __init__(self, *, latest_alone: bool) -> None:
        self._latest_alone = latest_alone
        self._latest: dict[tuple[str, str], tuple[datetime, int]] = {}
        self._read = 0
        self._unwanted: set[int] = set()

    def add(self, page: Page) -> bool:
        """Take a page of the first reading; False where it makes one of two captures unwanted."""
        capture = (moment(page.fetched_at), self._read)
        self._read += 1
        if not self._latest_alone:
            return True
        known = self._latest.setdefault((page.site_name, page.url), capture)
        if known is capture:
            return True
        self._latest[page.site_name, page.url] = max(known, capture)
        self._unwanted.add(min(known, capture)[1])
        return False

    def pass_over(self) -> None:
        """Take note of a page of the first reading that cannot be read."""
        self._unwanted.add(self._read)
        self._read += 1

    def wanted(self, pages: Iterable[_T]) -> Iterator[_T]:
        """Give, of the second reading, what is wanted: pages, or what stands for them."""
        for number, page in enumerate(pages):
            if number not in self._unwanted:
                yield page
