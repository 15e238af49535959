"""Which pages of a crawl give no item though they can be read: one ordered list of filters.

A filter looks at a page and refuses it with a reason, or passes it on. ``ARRIVAL`` filters see a
page when it comes, ``PAGE`` filters when it is judged, before any work is done on it, ``RESULT``
filters when its text and metadata are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from crawler.core.page.robots_meta import DIRECTIVES, excluding
from crawler.core.pagetype import ARTICLE

if TYPE_CHECKING:
    from crawler.core.flow import Document
    from crawler.items import PageItem
    from crawler.journey.crawl_ledgers import CrawlLedgers
    from crawler.journey.evidence import Evidence
    from crawler.journey.item_page import ItemPage
    from crawler.journey.stage_base import Tally
    from crawler.settings import Options

_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a page gives no item.

    ``reason``
        A slug, counted as ``corpus/skipped/REASON``.
    ``detail``
        One line for the log, behind the page's address.
    ``kind``
        What kind of page it is, where that is the reason.
    ``is_settled``
        Whether the filter has told the ledger already.
    """

    reason: str
    detail: str
    kind: str = ""
    is_settled: bool = False


class PageFilter(Protocol):
    """Judges a page before any stage works on it."""

    def refusal(self, item: PageItem, page: ItemPage) -> Refusal | None:
        """Return why a page gives no item; None where this filter passes it on."""


ResultFilter = PageFilter
"""Judges a page whose text, title and dates stand on its item."""


class RobotsFilter:
    """Refuses pages that ask to be left out, where that is respected.

    Spiders of this project ask before; pages of archives and of other spiders come unasked.
    """

    def __init__(self, options: Options) -> None:
        self._respected = options.respected_directives

    def refusal(self, document: Document) -> Refusal | None:
        """Return why a page that came gives no item; None where it does not ask for that."""
        reason = excluding(document.robots, self._respected) if self._respected else None
        return None if reason is None else Refusal(reason, DIRECTIVES[reason])


class PageKindFilter:
    """Refuses pages of kinds that are not wanted."""

    def __init__(self, options: Options) -> None:
        self._kinds = options.wanted_types
        self._reason = "not-article" if self._kinds == {ARTICLE} else "page-type"
        self.refused: set[tuple[str, str]] = set()
        """Site and address of each page refused."""

    def refusal(self, item: PageItem, page: ItemPage) -> Refusal | None:
        """See :meth:`PageFilter.refusal`."""
        if page.kind.is_among(self._kinds):
            return None
        self.refused.add((item.site, item.url))
        return Refusal(self._reason, page.kind.kind, kind=page.kind.kind)


class AliasFilter:
    """Refuses pages that are another page of their site by another address."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence

    def refusal(self, item: PageItem, page: ItemPage) -> Refusal | None:
        """See :meth:`PageFilter.refusal`."""
        original = self._evidence.original(item.site, item.url, page.view)
        if original is None:
            return None
        return Refusal("duplicate-address", f"its page says that it is {original}")


class NearDuplicateFilter:
    """Counts near-duplicates of another page, and refuses them where the settings say so.

    Where the other page was refused by its kind (a front page may repeat a whole article), the
    first near-duplicate of it takes its place.

    Args:
        refused_by_kind: site and address of each page that was refused by its kind.
        tally: where figures are added up.
        refuses: whether near-duplicates are refused.
    """

    def __init__(
        self, refused_by_kind: set[tuple[str, str]], tally: Tally, *, refuses: bool
    ) -> None:
        self._tally = tally
        self._refuses = refuses
        self._refused_by_kind = refused_by_kind
        self._in_its_place: dict[tuple[str, str], str] = {}

    def refusal(self, item: PageItem, page: ItemPage) -> Refusal | None:
        """See :meth:`PageFilter.refusal`."""
        original = page.view.duplicate_of.get(item.url)
        if original is None:
            return None
        self._tally.inc_value("corpus/pages/near_duplicates")
        if not self._refuses:
            return None
        key = item.site, original
        if key in self._refused_by_kind:
            original = self._in_its_place.setdefault(key, item.url)
        return None if original == item.url else Refusal("near-duplicate", f"of {original}")


class NoTextFilter:
    """Refuses articles that are a headline and no more, where nothing but articles is wanted."""

    def __init__(self, options: Options) -> None:
        self._is_wanted = options.wanted_types != {ARTICLE}

    def refusal(self, item: PageItem, page: ItemPage) -> Refusal | None:  # noqa: ARG002 - as all
        """See :meth:`PageFilter.refusal`."""
        kept = [block.tag for block, label in page.pairs() if label.kept]
        if self._is_wanted or not kept or not _HEADINGS.issuperset(kept):
            return None
        return Refusal("no-text", "there is a headline and no text")


class UnchangedFilter:
    """Refuses pages that say what they said when an earlier crawl exported them."""

    def __init__(self, ledgers: CrawlLedgers) -> None:
        self._ledgers = ledgers

    def refusal(self, item: PageItem, page: ItemPage) -> Refusal | None:  # noqa: ARG002 - as all
        """See :meth:`PageFilter.refusal`. Sets ``change`` and hashes of an item passed on."""
        if self._ledgers.is_new_version(item):
            return None
        return Refusal("unchanged", "it says what it said when it was exported", is_settled=True)


def page_filters(options: Options, evidence: Evidence, tally: Tally) -> tuple[PageFilter, ...]:
    """Return the filters that judge a page before stages work on it, in order."""
    kinds = PageKindFilter(options)
    near = NearDuplicateFilter(kinds.refused, tally, refuses=options.drop_near_duplicates)
    return kinds, AliasFilter(evidence), near


def result_filters(options: Options, ledgers: CrawlLedgers | None) -> tuple[ResultFilter, ...]:
    """Return the filters that judge a page by its text and metadata, in order."""
    filters: list[ResultFilter] = [NoTextFilter(options)]
    if ledgers is not None:
        filters.append(UnchangedFilter(ledgers))
    return tuple(filters)
