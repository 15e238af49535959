"""Which pages of a crawl give no item though they can be read: ordered lists of filters.

A filter looks at a page and returns why it gives no item, or None to pass it on. ``page_filters``
judge it before any work is done on it, ``result_filters`` when its text and metadata are known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from crawler.core.flow import Document
from crawler.core.page.elements import HEADINGS
from crawler.core.page.robots_meta import DIRECTIVES, excluding
from crawler.core.pagetype.judge import ARTICLE
from crawler.core.tables.classify import TableMethod
from crawler.core.tables.content import judge_tables
from crawler.items import PageItem
from crawler.journey.item_page import ItemPage, Refusal, Tally
from crawler.settings import Options

# Pages by themselves have neither, and go without what they load.
if TYPE_CHECKING:
    from crawler.journey.crawl_ledgers import CrawlLedgers
    from crawler.journey.evidence import Evidence

Filter: TypeAlias = Callable[[PageItem, ItemPage], Refusal | None]


def robots_refusal(document: Document, options: Options) -> Refusal | None:
    """Return why a page that came gives no item: it asks to be left out, and that is respected.

    Spiders of this project ask before; pages of archives and of other spiders come unasked.
    """
    respected = options.respected_directives
    reason = excluding(document.robots, respected) if respected else None
    return None if reason is None else Refusal(reason, DIRECTIVES[reason])


def page_filters(
    options: Options, evidence: Evidence, tally: Tally, ledgers: CrawlLedgers | None = None
) -> tuple[Filter, ...]:
    """Return the filters that judge a page before stages work on it, in order.

    Args:
        options: the crawl's settings.
        evidence: says which pages are others by another address.
        tally: where near-duplicates are counted.
        ledgers: those of an incremental crawl, which say whether a site is in trouble.
    """
    kinds = options.wanted_types
    kind_reason = "not-article" if kinds == {ARTICLE} else "page-type"
    # Site and address of the pages refused by their kind, and what takes their places.
    refused: set[tuple[str, str]] = set()
    in_its_place: dict[tuple[str, str], str] = {}

    def by_kind(item: PageItem, page: ItemPage) -> Refusal | None:
        if page.kind.is_among(kinds):
            return None
        refused.add((item.site, item.url))
        return Refusal(kind_reason, page.kind.kind, kind=page.kind.kind)

    def by_alias(item: PageItem, page: ItemPage) -> Refusal | None:
        original = evidence.original(item.site, item.url, page.view)
        if original is None:
            return None
        return Refusal("duplicate-address", f"its page says that it is {original}")

    def by_near_duplicate(item: PageItem, page: ItemPage) -> Refusal | None:
        original = page.view.duplicate_of.get(item.url)
        if original is None:
            return None
        tally.inc_value("corpus/pages/near_duplicates")
        if not options.drop_near_duplicates:
            return None
        # A front page may repeat a whole article: then the first near-duplicate replaces it.
        if (item.site, original) in refused:
            original = in_its_place.setdefault((item.site, original), item.url)
        return None if original == item.url else Refusal("near-duplicate", f"of {original}")

    of_all = by_kind, by_alias, by_near_duplicate
    return of_all if ledgers is None else (_trouble_filter(ledgers), *of_all)


def _trouble_filter(ledgers: CrawlLedgers) -> Filter:
    def by_trouble(item: PageItem, page: ItemPage) -> Refusal | None:
        found = ledgers.find(item.url)
        trouble = found[0].trouble if found else None
        text = trouble.common_text(page.document) if trouble else None
        if trouble is None or text is None:
            return None
        trouble.keep_exported(text, item.parts or [item.url])
        return Refusal("site-trouble", "different articles give this text now", is_settled=True)

    return by_trouble


def result_filters(
    options: Options, ledgers: CrawlLedgers | None, tables: TableMethod | None
) -> tuple[Filter, ...]:
    """Return the filters that judge a page by its text and metadata, in order.

    Args:
        options: the crawl's settings.
        ledgers: those of an incremental crawl.
        tables: tells genuine tables, which make an item of a page without text; None for no tables.
    """
    adds_more = options.wrapper is not None or options.structure_model is not None

    def by_text(item: PageItem, page: ItemPage) -> Refusal | None:
        if not item.text.strip():
            has_tables = tables is not None and any(
                verdict.is_genuine
                for each in page.documents
                for _, verdict in judge_tables(each.parsed, tables)
            )
            is_empty = not (adds_more or has_tables)
            return Refusal("no-text", "there is no text") if is_empty else None
        kept = [block.tag for block, label in page.pairs() if label.kept]
        if options.wanted_types != {ARTICLE} or not kept or not HEADINGS.issuperset(kept):
            return None
        return Refusal("no-text", "there is a headline and no text")

    if ledgers is None:
        return (by_text,)

    def by_version(item: PageItem, _: ItemPage) -> Refusal | None:
        # Sets the item's change and hashes where it is new.
        if ledgers.is_new_version(item):
            return None
        return Refusal("unchanged", "it says what it said when it was exported", is_settled=True)

    return by_text, by_version
