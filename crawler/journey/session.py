"""The pages of one crawl, counted and judged: from a page to its item, every loss counted.

Knows nothing of Scrapy. A :class:`Session` is given its evidence and its ledgers; a :class:`Crawl`
collects its evidence from the pages as they come, and holds them on disk or judges them at once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from crawler.core.errors import PageTimeError, StoreError, UnreadablePageError
from crawler.core.flow import Document, Observation, SiteView, observe, read
from crawler.core.methods.registry import get_method
from crawler.core.page.page import Page
from crawler.core.page.parse import ParsedPage
from crawler.core.pagetype.judge import page_type
from crawler.core.pagination.address import may_be_part
from crawler.core.pagination.parts import next_part
from crawler.items import PageItem
from crawler.journey.crawl_ledgers import CrawlLedgers
from crawler.journey.evidence import CrawlEvidence, Evidence, declared_original
from crawler.journey.filters import page_filters, robots_refusal
from crawler.journey.item_page import ItemPage, Mode, Refusal, Stage, Tally, new_item
from crawler.journey.page_joiner import WaitingParts, joinable
from crawler.journey.page_time import PageTime
from crawler.settings import Options
from crawler.store.spool import Spool

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

# What was to be whole and is not; the other reasons are part of any crawl or archive.
_LOSSES = frozenset({"corrupt", "truncated", "unreadable", "no-page", "time-limit", "not-held"})


class Session:
    """Reads, observes and judges the pages of one crawl, over any number of sites.

    Args:
        options: the crawl's settings.
        tally: where figures are added up.
        mode: by which counts pages are judged, as their items say it.
        evidence: these counts, and which pages are aliases and parts of others.
        ledgers: those of an incremental crawl, which say what was exported before.
        reraise: errors that end the work. Others cost the page on which they happen.
    """

    def __init__(  # noqa: PLR0913 - what a session is given, by name
        self,
        options: Options,
        tally: Tally,
        *,
        mode: Mode,
        evidence: Evidence,
        ledgers: CrawlLedgers | None = None,
        reraise: tuple[type[Exception], ...] = (),
    ) -> None:
        self.mode = mode
        self.tally = tally
        self.method = get_method(options.text_method)
        self.lost = 0
        """Pages that were to be judged, and of which no item could be made for an error."""
        self._evidence = evidence
        self._ledgers = ledgers
        self._reraise = reraise
        self._options = options
        self._filters = page_filters(options, evidence, tally, ledgers)

    # First reading

    def observe(
        self, page: Page, parsed: ParsedPage | None = None
    ) -> tuple[Document, Observation] | None:
        """Read a page, or its tree that was parsed already, and tell what it says of its site.

        None for a page that cannot be read or asks to be left out, which is counted and logged.
        """
        time = self._page_time()
        size, observation = self._options.max_page_bytes, None
        document = self.attempt(
            page.url, lambda: read(page, size, parsed), time=time, is_judged=False
        )
        if document is not None:
            if (refusal := robots_refusal(document, self._options)) is not None:
                self.refuse(page.url, refusal)
                return None
            observation = self.attempt(
                page.url, lambda: observe(document, self.method), time=time, is_judged=False
            )
        if document is not None and observation is not None:
            return document, observation
        if self._ledgers is not None:
            self._ledgers.mark_unread(page.url)
        return None

    # Judging

    def items(self, pages: Iterable[Page]) -> Iterator[PageItem]:
        """Make the items of pages that were observed, for the stages to fill.

        The parts of an article leave as one item when the last of them has come.
        """
        waiting = WaitingParts(self._evidence.chains())
        for page in pages:
            if waiting.awaits(page):
                yield from self._joined(waiting.add(page))
            elif (found := self._part(page)) and (item := self._passed(found)):
                yield item
        for parts in waiting.rest():
            yield from self._joined(parts)

    def item(self, document: Document, view: SiteView) -> PageItem | None:
        """Make the item of a page, for the stages to fill; None where a filter refuses it."""
        time = self._page_time()
        page = self.attempt(
            document.page.url, lambda: self._item_page(document, view, time), time=time
        )
        return None if page is None else self._passed(page)

    def finish(self, item: PageItem, stages: Sequence[Stage]) -> PageItem | None:
        """Run all stages on an item, and take its page from it; None where it does not leave."""
        try:
            return item if all(self.run(stage, item) for stage in stages) else None
        finally:
            item.page = None

    def run(self, stage: Stage, item: PageItem) -> bool:
        """Run a stage on an item; False where the page gives no item, which is counted."""
        page = item.page
        if page is None:
            return True

        def work() -> bool:
            stage.process(item, page)
            return True

        return self.attempt(item.url, work, time=page.time, parts=item.parts) or False

    # What gives no item

    def skip(self, reason: str, detail: str, level: int | None = None) -> None:
        """Count and log what gives no item.

        Args:
            reason: a slug.
            detail: one line for the log, which names it first.
            level: of that line, where it is another than for all of this reason.
        """
        self.tally.inc_value("corpus/pages/skipped")
        self.tally.inc_value(f"corpus/skipped/{reason}")
        level = level or (logging.WARNING if reason in _LOSSES else logging.INFO)
        logger.log(level, "Skipped (%s) %s", reason, detail)

    def refuse(self, url: str, refusal: Refusal, parts: Sequence[str] | None = None) -> None:
        """Count and log a page that a filter refused, and tell the ledger.

        Args:
            url: its address.
            refusal: why.
            parts: the addresses of all its pages, where it is an article of several.
        """
        if not refusal.is_settled:
            for each in parts or (url,):
                self.mark_without_item(each, refusal)
        self.skip(refusal.reason, f"{url}: {refusal.detail}")

    def mark_without_item(self, url: str, refusal: Refusal) -> None:
        """Record in the ledger that a page gives no item, so that no later crawl waits for it."""
        if self._ledgers is not None:
            self._ledgers.mark_without_item([url], refusal.kind, refusal.reason)

    def _page_time(self) -> PageTime:
        return PageTime(self._options.page_seconds)

    def _item_page(self, document: Document, view: SiteView, time: PageTime) -> ItemPage:
        found = page_type(document)
        self.tally.inc_value(f"corpus/page_types/{found.kind}")
        return ItemPage((document,), view, found, time)

    def _passed(self, page: ItemPage) -> PageItem | None:
        """Make an item of a page, or of all parts of an article, that all filters pass."""
        return self.attempt(page.document.page.url, lambda: self._filtered(page))

    def _filtered(self, page: ItemPage) -> PageItem:
        """Make the item of a page; raise the Refusal of a filter."""
        item = new_item(page, self.mode)
        same = item.near_duplicate_of
        if same and self._evidence.original(item.site, same, page.view) == item.url:
            # It is the other that repeats this one, and is left out.
            item.near_duplicate_of = None
        if len(page.documents) > 1:
            item.parts = [document.page.url for document in page.documents]
        for each in self._filters:
            if (refusal := each(item, page)) is not None:
                raise refusal
        return item

    def _joined(self, pages: Sequence[Page | None]) -> Iterator[PageItem]:
        """Make one item of the parts of an article, and items of what is no part after all."""
        parts = [None if page is None else self._part(page, is_of_several=True) for page in pages]
        number = joinable(parts)
        there = [part for part in parts if part is not None]
        if number > 1:
            documents = tuple(part.document for part in there[:number])
            time = PageTime(number * self._options.page_seconds)
            whole = ItemPage(documents, there[0].view, there[0].kind, time)
            item = self._passed(whole)
            # Where the first part is refused, the others leave by themselves.
            there = there[1 if item is None else number :]
            if item is not None:
                self.tally.inc_value("corpus/pages/joined", number - 1)
                logger.info("Joined %d pages into one article: %s", number, item.url)
                yield item
        yield from filter(None, map(self._passed, there))

    def _part(self, page: Page, *, is_of_several: bool = False) -> ItemPage | None:
        """Read a page that is judged; with its metadata, where parts are told by them."""
        time = self._page_time()
        view = self.attempt(page.url, lambda: self._evidence.view(page.site_name))

        def work() -> ItemPage:
            document = read(page, self._options.max_page_bytes)
            part = self._item_page(document, view or SiteView(), time)
            if is_of_several:
                part.metadata  # noqa: B018 - it is read within the page's time
            return part

        return None if view is None else self.attempt(page.url, work, time=time)

    def attempt(
        self,
        url: str,
        work: Callable[[], _T],
        *,
        time: PageTime | None = None,
        is_judged: bool = True,
        parts: Sequence[str] | None = None,
    ) -> _T | None:
        """Do one page's work; count and log whatever fails, for it must not cost the others.

        ``None`` for work that fails, and for a page that it refuses.

        Args:
            url: the page.
            work: what is done.
            time: the time that is left for it; None for work that must not be interrupted.
            is_judged: whether the page is lost where it fails: an item was to be made of it.
            parts: the addresses of all its pages, where it is an article of several.
        """
        try:
            return work() if time is None else time.spend(work)
        except Refusal as refusal:
            self.refuse(url, refusal, parts)
            return None
        except Exception as error:
            if (cause := self._ending(error)) is not None:
                raise cause from cause.__cause__
            if not isinstance(error, UnreadablePageError | PageTimeError):
                logger.exception("Unexpected error on %s; please report it", url)
            self.count_error(url, error)
        self.lost += is_judged
        return None

    def count_error(self, url: str, error: BaseException) -> None:
        """Count a page on which an error came up, which is logged beside this if it is a fault."""
        if isinstance(error, UnreadablePageError):
            self.skip(error.reason, f"{url}: {error.detail}")
        elif isinstance(error, PageTimeError):
            self.skip("time-limit", f"{url}: {error}")
        else:
            self.skip("error", f"{url}: see the error in this log")

    def _ending(self, error: BaseException | None) -> BaseException | None:
        """Return the error that ends the work: this one, or one that it was raised for."""
        while error is not None and not isinstance(error, self._reraise):
            error = error.__cause__
        return error


class Crawl(Session):
    """The session of one crawl, which collects its own evidence.

    Args:
        options: the crawl's settings.
        name: the crawl's name, under which its counts are kept.
        tally: where figures are added up.
        mode: by which counts its pages are judged.
        ledgers: those of an incremental crawl.
    """

    def __init__(
        self,
        options: Options,
        name: str,
        tally: Tally,
        *,
        mode: Mode,
        ledgers: CrawlLedgers | None = None,
    ) -> None:
        self.evidence = CrawlEvidence(options, name, tally, mode)
        super().__init__(
            options,
            tally,
            mode=mode,
            evidence=self.evidence,
            ledgers=ledgers,
            reraise=(StoreError,),
        )

    def count(self, page: Page) -> bool:
        """Read a page and count its blocks; False where it cannot be read."""
        seen = self.observe(page)
        if seen is None:
            return False
        document, observation = seen

        def work() -> bool:
            self.evidence.count(document, observation)
            self.evidence.link(document)
            return True

        return self.attempt(page.url, work, is_judged=False) or False

    def take(
        self, page: Page, open_spool: Callable[[], Spool], parsed: ParsedPage | None = None
    ) -> PageItem | None:
        """Count a page; return its item where it is judged at once, else put it on disk.

        In streaming mode all pages are judged by the counts of earlier crawls. In incremental mode
        those are whose template earlier crawls know: how often the blocks of a new one stand on
        the site is known when this crawl has counted more of its pages. Pages that may be aliases
        or parts of an article are held then as well, and those of which a version is exported: a
        site in trouble may give the same page for all of them.

        Args:
            page: the page.
            open_spool: gives the spool, which is made when it is first needed.
            parsed: the page's tree, where it was parsed already.

        Raises:
            StoreError: the spool cannot take it; then it is not counted either.
        """
        seen = self.observe(page, parsed)
        if seen is None:
            return None
        return self.attempt(page.url, lambda: self._place(*seen, open_spool), is_judged=False)

    def _place(
        self, document: Document, observation: Observation, open_spool: Callable[[], Spool]
    ) -> PageItem | None:
        """Count a page that was observed; return its item, or hold it."""
        page = document.page
        view: SiteView | None = None
        known = self._ledgers.known_version(page.url) if self._ledgers is not None else None
        if self.mode is Mode.STREAMING:
            view = self.evidence.streaming_view(page.site_name, observation, self.method.name)
        elif known is not None:
            run, row = known
            run.trouble.note_text(row, document)
        elif self.mode is Mode.INCREMENTAL:
            earlier = self.evidence.earlier_view(page.site_name)
            if earlier.has_template_of(observation) and not self._needs_others(document):
                view = earlier
                self.tally.inc_value("corpus/pages/streamed")
        if view is None:
            # What may fail comes first: a page that is held leaves as an item, and counts as one.
            self.evidence.link(document)
            open_spool().append(page)
            self.tally.inc_value("corpus/pages/held")
        self.evidence.count(document, observation)
        return None if view is None else self.item(document, view)

    def _needs_others(self, document: Document) -> bool:
        """Say whether a page may be an alias of another, or a part of an article."""
        if declared_original(document) is not None:
            return True
        url = document.page.url
        return self._options.join_parts and (
            may_be_part(url) or next_part(document.parsed, url) is not None
        )
