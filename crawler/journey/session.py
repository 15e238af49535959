"""One crawl's pages from arrival to finished item: count, hold, judge.

Knows nothing of Scrapy. Live crawls, archives and replays are all served by :class:`Journey`; what
differs is only who calls it and when:

=========  =====================================================================
two-pass   ``hold`` each page as it comes; when no more come, ``items`` of the spool
streaming  ``stream`` each page and export what it returns at once
archive    ``count`` each page of the archive; then ``items`` of the archive again
replay     as archive, of the spool that a killed crawl left behind
=========  =====================================================================

A crawl that remembers does either: it streams the pages of templates that earlier crawls have
counted, and holds the others (:meth:`Journey.stream_or_hold`).
"""

from __future__ import annotations

import logging
from collections import defaultdict
from typing import TYPE_CHECKING, Protocol, TypeVar

from crawler.core.counting.template_match import is_like_the_site
from crawler.core.errors import UnreadablePageError
from crawler.core.flow import (
    Document,
    Observation,
    SiteView,
    annotate,
    get_method,
    observe,
    read,
)
from crawler.core.pagetype import page_type
from crawler.core.pagination import PartLinks, may_be_part, next_part
from crawler.journey.aliases import Aliases, declared_original
from crawler.journey.boilerplate_stats import DroppedBlocks
from crawler.journey.evidence import CrawlCounts
from crawler.journey.filters import LeftOut
from crawler.journey.page_joiner import Part, WaitingParts, join, joinable
from crawler.journey.stages import ItemMaker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from crawler.core.flow import Annotation
    from crawler.core.page.page import Page
    from crawler.core.page.parse import ParsedPage
    from crawler.core.pagetype import PageType
    from crawler.items import PageItem
    from crawler.journey.incremental import Memory
    from crawler.settings import Options
    from crawler.store.spool import Spool
    from crawler.wrapper.crawl_wrapper import CrawlWrapper

__all__ = ["Journey", "Tally"]

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

# While these crawls export, they fetch.
_GOING_ON = frozenset({"streaming", "incremental"})
# What was to be whole and is not; the other reasons are part of any crawl or archive.
_LOSSES = frozenset({"corrupt", "truncated", "unreadable", "no-page"})


class Tally(Protocol):
    """Where figures go: Scrapy's stats collector, or anything that adds up by name."""

    def inc_value(self, key: str, count: int = 1) -> None:
        """Add ``count`` to the figure ``key``."""


class Journey:
    """The pages of one crawl, over any number of sites.

    Args:
        options: the crawl's settings.
        crawl: the crawl's name, under which its counts are kept.
        tally: where figures are added up.
        mode: which counts its items are judged by, as the items say it.
        memory: of a crawl that remembers: what it exported before.
    """

    def __init__(
        self,
        options: Options,
        crawl: str,
        tally: Tally,
        *,
        mode: str,
        memory: Memory | None = None,
    ) -> None:
        self.options = options
        self.crawl = crawl
        self.mode = mode
        self.method = get_method(options.text_method)
        self.dropped = DroppedBlocks()
        self._maker = ItemMaker(options, self.method, mode=mode, count=tally.inc_value)
        self.lost = 0
        """Pages that were counted and held, and could not be made an item of."""
        self._left_out = LeftOut(options, self.skip, self._settle)
        self._tally = tally
        self._memory = memory
        # By site: sites that a spider gives names to may share an address.
        self._aliases: defaultdict[str, Aliases] = defaultdict(Aliases)
        # By site, which pages go on in which: parts of one article.
        self._links: dict[str, PartLinks] = {}
        self._counts = CrawlCounts(
            options,
            crawl,
            lambda: tally.inc_value("corpus/counts/failed"),
            goes_on=memory is not None,
        )

    @property
    def rules(self) -> CrawlWrapper | None:
        """The wrapper project that items have fields of, None where there is none."""
        return self._maker.rules

    def awaiting(self, item: PageItem) -> ParsedPage | None:
        """Return the page of an item whose rules are still to be run, and forget it."""
        return self._maker.awaiting.take(item)

    def close(self) -> None:
        """End what was started to make items."""
        if self.rules is not None:
            self.rules.close()

    @property
    def cutoffs(self) -> dict[str, dict[str, int | None]]:
        """By site: the threshold that its items were judged by, k, and the pages behind them."""
        return self._maker.cutoffs

    @property
    def sites(self) -> tuple[str, ...]:
        """The sites counted so far, in the order in which they were met."""
        return self._counts.sites

    def count(self, page: Page) -> bool:
        """Read a page and count its blocks; False where it cannot be read."""
        seen = self._observe(page)
        if seen is not None:
            self._add(*seen)
            self._add_link(seen[0])
        return seen is not None

    def hold(self, page: Page, spool: Spool) -> bool:
        """Put a page on disk until :meth:`items`, and count it; False where it cannot be read.

        Raises:
            StoreError: the spool cannot take it; then it is not counted either.
        """
        seen = self._observe(page)
        if seen is None:
            self._settle(page.url)
            return False
        self._hold(*seen, spool)
        return True

    def _hold(self, document: Document, observation: Observation, spool: Spool) -> None:
        spool.append(document.page)
        self._add(document, observation)
        self._add_link(document)
        self._tally.inc_value("corpus/pages/held")

    def stream_or_hold(self, page: Page, open_spool: Callable[[], Spool]) -> PageItem | None:
        """Judge a page by the counts of earlier crawls where they know its like, else hold it.

        They do not know pages of a site that was never counted, nor those of a new design: how
        often the blocks of such a page stand on the site is known when this crawl has seen more of
        them. Parts of one article are held to be joined.

        Args:
            page: the page.
            open_spool: gives the spool, which is made where it is wanted.

        Raises:
            StoreError: the spool cannot take it; then it is not counted either.
        """
        seen = self._observe(page)
        if seen is None:
            self._settle(page.url)
            return None
        document, observation = seen
        view = self._counts.earlier_view(page.site_name)
        if not is_like_the_site(observation, view) or self._needs_others(document):
            self._hold(document, observation, open_spool())
            return None
        self._add(document, observation)
        self._tally.inc_value("corpus/pages/streamed")
        return self._item(document, view)

    def _needs_others(self, document: Document) -> bool:
        """Say whether a page may be an alias of another, or a part of an article."""
        if declared_original(document) is not None:
            return True
        url = document.page.url
        return self.options.join_parts and (
            may_be_part(url) or next_part(document.parsed, url) is not None
        )

    def stream(self, page: Page) -> PageItem | None:
        """Judge a page by the counts of earlier crawls, and count it for later ones."""
        seen = self._observe(page)
        if seen is None:
            return None
        document, observation = seen
        self._add(document, observation)
        view = self._counts.earlier_view_alone(page.site_name, observation, self.method.name)
        return self._item(document, view)

    def items(self, pages: Iterable[Page]) -> Iterator[PageItem]:
        """Judge pages that were counted, by the counts of this crawl, which are complete now.

        The parts of an article leave as one item when the last of them has been judged.
        """
        waiting = WaitingParts(self._links)
        for page in pages:
            document = self._read(page)
            if document is None:
                self.lost += 1
            if waiting.awaits(page):
                part = None if document is None else self._part(document)
                yield from self._joined(waiting.add(page, part))
            elif document is not None:
                item = self._item(document, self._counts.complete_view(page.site_name))
                if item is not None:
                    yield item
        for parts in waiting.rest():
            yield from self._joined(parts)

    def skip(self, reason: str, detail: str) -> None:
        """Count and log what gives no item: ``reason`` is a slug, ``detail`` names it first."""
        self._tally.inc_value("corpus/pages/skipped")
        self._tally.inc_value(f"corpus/skipped/{reason}")
        level = logging.WARNING if reason in _LOSSES else logging.INFO
        logger.log(level, "Skipped (%s) %s", reason, detail)

    def save_counts(self) -> None:
        """Keep what this crawl observed for later crawls; an error is logged and counted."""
        self._counts.save()

    def _observe(self, page: Page) -> tuple[Document, Observation] | None:
        """Read and observe a page; None where it cannot or may not be, which is counted."""
        document = self._read(page)
        if document is None or self._left_out.is_reserved(document):
            return None
        observation = self._attempt(page, lambda: observe(document, self.method))
        return None if observation is None else (document, observation)

    def _read(self, page: Page) -> Document | None:
        return self._attempt(page, lambda: read(page, self.options.max_page_bytes))

    def _attempt(self, page: Page, work: Callable[[], _T]) -> _T | None:
        """Do one page's work; count and log whatever fails, for it must not cost the others."""
        try:
            return work()
        except UnreadablePageError as error:
            self.skip(error.reason, f"{page.url}: {error.detail}")
        except Exception:
            # The method may be anybody's.
            logger.exception("Unexpected error on %s; please report it", page.url)
            self.skip("error", f"{page.url}: see the error above")
        return None

    def _add(self, document: Document, observation: Observation) -> None:
        self._counts.add(document.page.site_name, observation)

    def _add_link(self, document: Document) -> None:
        """Note whether a page is another, or a part of an article, and where that goes on."""
        self._aliases[document.page.site_name].add(document)
        if not self.options.join_parts:
            return
        page = document.page
        site = page.site_name
        if site not in self._links:
            # An archive exports one capture of an address; a crawl what its spider yields.
            self._links[site] = PartLinks(latest_alone=self.mode == "archive")
        self._links[site].add(page.url, next_part(document.parsed, page.url))

    def _item(self, document: Document, view: SiteView) -> PageItem | None:
        found = self._type(document)
        site, url = document.page.site_name, document.page.url
        if found is None or self._left_out.is_unwanted(site, url, found):
            return None
        if (original := self._aliases[site].original(url, view)) is not None:
            self._settle(url)
            self.skip("duplicate-address", f"{url}: its page says that it is {original}")
            return None
        annotation = self._annotate(document, view)
        if annotation is None or self._left_out.is_repeated(site, url, annotation.duplicate_of):
            return None
        if self._left_out.has_no_text(annotation):
            return None
        item = self._make(annotation, view, found, scripts_later=self.mode in _GOING_ON)
        return None if item is None else next(self._if_news(item), None)

    def _if_news(self, item: PageItem) -> Iterator[PageItem]:
        """Give a finished item, unless an earlier crawl has exported what it says."""
        if self._memory is None or self._memory.is_news(item):
            if item.change is not None:
                self._tally.inc_value(f"corpus/incremental/{item.change}")
            yield self._counted(item)
        else:
            self.skip("unchanged", f"{item.url}: it says what it said when it was exported")

    def _settle(self, url: str, kind: str = "") -> None:
        """Note that a page gives no item, so that no later crawl waits for it."""
        if self._memory is not None:
            self._memory.settle([url], kind)

    def _part(self, document: Document) -> Part | None:
        """Judge a part of an article, whether or not it would be exported by itself."""
        view = self._counts.complete_view(document.page.site_name)
        found = self._type(document)
        annotation = None if found is None else self._annotate(document, view)
        if found is None or annotation is None:
            return None
        item = self._make(annotation, view, found)
        return None if item is None else Part.of(item, found, annotation)

    def _joined(self, parts: Sequence[Part | None]) -> Iterator[PageItem]:
        """Export the parts of an article as one item, and by itself what is none after all."""
        there = [part for part in parts if part is not None]
        number = joinable(parts) if there else 0
        if number > 1 and self._is_exported(there[0]):
            item = join(there[:number])
            self._tally.inc_value("corpus/pages/joined", number - 1)
            logger.info("Joined %d pages into one article: %s", number, item.url)
            yield from self._if_news(item)
            there = there[number:]
        for part in there:
            item, out = part.item, self._left_out
            is_unwanted = out.is_unwanted(item.site, item.url, part.type)
            if not is_unwanted and not out.is_repeated(item.site, item.url, item.near_duplicate_of):
                yield from self._if_news(item)

    def _is_exported(self, part: Part) -> bool:
        item = part.item
        repeats = self._left_out.repeats(item.site, item.url, item.near_duplicate_of)
        return part.type.is_among(self._left_out.kinds) and repeats is None

    def _type(self, document: Document) -> PageType | None:
        """Tell the kind of a page; None where that fails."""
        found = self._attempt(document.page, lambda: page_type(document))
        if found is None:
            self.lost += 1
        else:
            self._tally.inc_value(f"corpus/page_types/{found.kind}")
        return found

    def _annotate(self, document: Document, view: SiteView) -> Annotation | None:
        annotation = self._attempt(document.page, lambda: annotate(document, view, self.method))
        if annotation is None:
            self.lost += 1
        elif annotation.duplicate_of is not None:
            self._tally.inc_value("corpus/pages/near_duplicates")
        return annotation

    def _make(
        self,
        annotation: Annotation,
        view: SiteView,
        found: PageType,
        *,
        scripts_later: bool = False,
    ) -> PageItem | None:
        page = annotation.document.page
        item = self._attempt(
            page,
            lambda: self._maker.make(annotation, view, found.kind, scripts_later=scripts_later),
        )
        if item is None:
            self.lost += 1
            return None
        self.dropped.add(annotation)
        same = item.near_duplicate_of
        if same is not None and self._aliases[page.site_name].original(same, view) == item.url:
            # It is the other that repeats this one, and is left out.
            item.near_duplicate_of = None
        return item

    def _counted(self, item: PageItem) -> PageItem:
        self._tally.inc_value("corpus/blocks/kept", item.blocks_kept)
        self._tally.inc_value("corpus/blocks/dropped", item.blocks_dropped)
        return item
