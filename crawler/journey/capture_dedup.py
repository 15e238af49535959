"""Pages read twice: which of the first reading are wanted in the second."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from crawler.journey.page_joiner import moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from crawler.core.page.page import Page

_T = TypeVar("_T")


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
