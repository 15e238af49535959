"""The recrawl policy: which known pages an incremental crawl requests again.

A server that supports conditional requests answers 304 where a page has not changed, which costs
little; but many servers always send the whole page, and after a redesign all pages differ while
their articles are the same. So a page is requested again for a reason, and for each reason the
pages that came unchanged are counted as waste, which limits further requests: the old pages of a
redesigned site do not use up the requests of its new ones.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from crawler.core.page.addresses import address_key
from crawler.store.ledger.ledger import Ledger

Reason = Literal["hinted", "unlisted", "recent", "due"]
"""Why a page is requested again: a listing dates it later; no sitemap names it any more; it is due,
and is new or has changed in the last crawls; it is due, and older."""

# How many pages of a reason may come unchanged in one crawl: at least so many, and a share of the
# new pages, one of so many. Hints are believed until so many were wrong, and most of them.
_ALLOWED: Final[dict[Reason, tuple[int, int]]] = {
    "unlisted": (10, 10),
    "recent": (10, 10),
    "due": (5, 20),
}
_BELIEVED: Final = 20


@dataclass(slots=True)
class Waste:
    """What requests for one reason have given.

    Attributes:
        asked: Requests under way.
        came: Answers that were a whole page.
        useful: Of these, articles that had changed.
        useless: Of these, articles that had not. The others are not judged yet.
    """

    asked: int = 0
    came: int = 0
    useful: int = 0
    useless: int = 0

    def left(self, reason: Reason, new_pages: int) -> int:
        """Return how many more pages may come unchanged: below 1 the others are postponed."""
        if reason == "hinted":
            is_spent = self.useless >= _BELIEVED and self.useless > self.useful
            return 0 if is_spent else self.asked + 1
        least, share = _ALLOWED[reason]
        return max(least, new_pages // share) - self.came + self.useful


@dataclass(slots=True)
class RecrawlPolicy:
    """The known pages of one site that one crawl requests again: each once, hinted ones first.

    Attributes:
        ledger: Of the site.
        share: See :meth:`crawler.store.ledger.ledger.Ledger.due_for_recheck`.
        most: Most pages requested that no listing hints at.
        now: The time (ISO 8601).
        since: When the crawl began (ISO 8601).
        recent: What was found or changed since then is recent (ISO 8601).
        named: Keys of all addresses that sitemaps name; None where that is not known.
        put_off: How many pages were postponed, by reason.
    """

    ledger: Ledger
    share: float
    most: int
    now: str
    since: str
    recent: str = ""
    named: Container[int] | None = None
    put_off: dict[Reason, int] = field(default_factory=dict)
    _waste: dict[Reason, Waste] = field(default_factory=dict)
    _given: dict[int, Reason] = field(default_factory=dict)
    _source: Iterator[tuple[str, Reason]] | None = None
    _waiting: tuple[str, Reason] | None = None

    def next(self, limit: int, new_pages: int) -> list[tuple[str, Reason]]:
        """Return the next pages to request, with the reason, at most so many.

        Waste is measured by the number of new pages that the crawl has fetched.
        """
        if self._source is None:
            self._source = self._all()
        found: list[tuple[str, Reason]] = []
        while len(found) < limit:
            following, self._waiting = self._waiting or next(self._source, None), None
            if following is None:
                break
            address, reason = following
            waste = self._waste.setdefault(reason, Waste())
            left = waste.left(reason, new_pages)
            if left < 1:
                self.put_off[reason] = self.put_off.get(reason, 0) + 1
                continue
            if left <= waste.asked:
                # The requests under way may use up what is allowed.
                self._waiting = following
                break
            waste.asked += 1
            self._given[address_key(address)] = reason
            found.append(following)
        return found

    def answered(self, address: str, *, whole: bool) -> None:
        """Note that a server has answered, and whether with the whole page."""
        reason = self._given.get(address_key(address))
        if reason is not None:
            waste = self._waste[reason]
            waste.asked -= 1
            waste.came += whole

    def judged(self, address: str, *, changed: bool) -> None:
        """Note whether the article of a page that came whole has changed."""
        reason = self._given.pop(address_key(address), None)
        if reason is not None:
            waste = self._waste[reason]
            waste.useful += changed
            waste.useless += not changed

    def _all(self) -> Iterator[tuple[str, Reason]]:
        for row in self.ledger.rows("hinted"):
            if row.state == "fetched":
                yield row.address, "hinted"
        left = self.most
        if self.named is not None:
            for address in self.ledger.no_longer_listed(self.named):
                if left <= 0:
                    break
                left -= 1
                yield address, "unlisted"
        if self.share >= 0:
            due = self.ledger.due_for_recheck(self.now, self.share, max(left, 0), before=self.since)
            for address in due:
                known = self.ledger.seen(address)
                if known is not None and address_key(address) not in self._given:
                    yield address, "recent" if known.changed_at >= self.recent else "due"
