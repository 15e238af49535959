"""The ledgers of one crawl's sites, open for as long as it runs.

The next crawl of a site goes on with a run that was killed: it finishes or discards the parts of
the output that the run left, reads the pages that its spool still holds, and puts addresses that
were being fetched back into the queue.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import Final

import xxhash

from crawler.core.errors import StoreError
from crawler.core.page.addresses import address_key, address_site
from crawler.core.page.page import Page
from crawler.items import PageItem
from crawler.journey.parts import mend_parts, now
from crawler.journey.recrawl_policy import RecrawlPolicy
from crawler.journey.site_trouble import SiteTrouble, keep
from crawler.store.ledger.database import ledger_path
from crawler.store.ledger.ledger import Ledger
from crawler.store.ledger.rows import GONE_HASH, PART_HASH, Part, Row
from crawler.store.spool import Spool, spool_path

logger = logging.getLogger(__name__)

_KILLED: Final = "killed"
_RECENT_RUNS: Final = 3
_MOST_TRIES: Final = 5
# Pages that are others under another address are no articles lost.
_DOUBLES: Final = frozenset({"duplicate-address", "near-duplicate"})


def version_hash(item: PageItem) -> str:
    """Return the hash of an item's title and text, which names the version of its page."""
    text = f"{item.title or ''}\n{item.text}"
    return xxhash.xxh3_128_hexdigest(text.encode("utf-8", "surrogatepass"))


@dataclass(slots=True)
class SiteRun:
    """A crawl of one site, with its ledger.

    Attributes:
        ledger: Of the site.
        since: When it began: this crawl, or the killed one that it goes on with (ISO 8601).
        killed: The names of the killed runs that it goes on with.
        policy: By which known pages are requested again.
        trouble: What it answers for exported pages.
        new_pages: How many new pages it has fetched whole.
        output: What the names of its parts begin with; they sort in the order of the runs.
    """

    ledger: Ledger
    since: str
    killed: tuple[str, ...]
    policy: RecrawlPolicy
    trouble: SiteTrouble
    new_pages: int
    output: str


class CrawlLedgers:
    """The ledgers of one crawl.

    Args:
        folder: the folder of ledgers and spools (``CORPUS_DIR``).
        run: the crawl's name.
        count: adds a number to a statistic of the crawl.
    """

    def __init__(self, folder: Path, run: str, *, count: Callable[[str, int], None]) -> None:
        self.run = run
        self.runs: dict[str, SiteRun] = {}
        """The sites whose ledgers are open."""
        self.held: set[int] = set()
        """Keys of the addresses whose pages are in the spool."""
        self.recheck = 0.5
        """See :meth:`crawler.store.ledger.ledger.Ledger.due_for_recheck`."""
        self.max_rechecks = 500
        """The most pages of a site that are asked for again without a hint that they changed."""
        self._folder = folder
        self.count = count
        self._hosts: dict[str, str] = {}
        self._shared: set[Path] = set()

    # Opening

    def open(self, site: str) -> None:
        """Open the ledger of a site, and begin a run in it.

        Raises:
            StoreError: another crawl of the site is running, or the ledger cannot be used.
        """
        if site in self.runs:
            return
        ledger, began = Ledger(self._path(site)), now()
        if ledger.mend_times(began):
            logger.warning(
                "Earlier crawls of %s are dated later than now, so a clock is or was wrong: "
                "they count as a moment ago",
                site,
            )
        runs = ledger.runs()
        killed = [run for run in runs if not run.ended]
        since = killed[0].started if killed else began
        recent = runs[-_RECENT_RUNS].started if len(runs) >= _RECENT_RUNS else ""
        ledger.begin_run(self.run, began)
        self._hosts.setdefault(site, site)
        self.runs[site] = SiteRun(
            ledger,
            since,
            tuple(run.id for run in killed),
            RecrawlPolicy(ledger, self.recheck, self.max_rechecks, began, since, recent),
            SiteTrouble(site, ledger, since, self.count),
            new_pages=ledger.fetched_since(since) if killed else 0,
            output=self.run,
        )
        if killed:
            logger.info("Going on with the crawl of %s that was begun at %s", site, since)
        else:
            # What failed may work now, and a robots.txt may have changed.
            ledger.retry_failed(_MOST_TRIES, now=began)
            ledger.requeue_refused("robots")
        ledger.reset_fetching()

    def add_host(self, host: str, site: str) -> None:
        """Count a host as part of a site whose ledger is open."""
        self._hosts.setdefault(host, site)

    def repair(self, site: str, folder: Path) -> None:
        """Mend the parts of a site in a folder: see :func:`crawler.journey.parts.mend_parts`."""
        self.runs[site].output = mend_parts(self.ledger(site), folder, self.run)

    def unexported_pages(self) -> Iterator[Page]:
        """Yield each page that earlier crawls held and did not export, once.

        When these pages are held anew, :meth:`finish_earlier` is to be called.
        """
        for spool in self._left_spools():
            for page in spool.pages():
                found = self.find(page.url)
                if found is None:
                    if self._is_owed_elsewhere(page):
                        self._shared.add(spool.path)
                elif found[1].owed and (key := address_key(found[1].address)) not in self.held:
                    self.held.add(key)
                    yield page

    def finish_earlier(self, *, keep: bool) -> None:
        """End the killed runs: remove their spools, and queue owed pages that no spool holds.

        Args:
            keep: keep the spools as archives instead.
        """
        for run in self.runs.values():
            owed = [row.address for row in run.ledger.rows("owed")]
            run.ledger.requeue(*(url for url in owed if address_key(url) not in self.held))
        for spool in self._left_spools():
            if spool.path in self._shared:
                logger.info("%s holds pages of other sites too, and stays", spool.path)
            else:
                spool.finish(keep=keep)
        for run in self.runs.values():
            for killed in run.killed:
                run.ledger.end_run(killed, now(), _KILLED)

    def _left_spools(self) -> Iterator[Spool]:
        # The latest first, in the order of the ledgers: a clock may have been wrong.
        order = TopologicalSorter[str]()
        for site in self.runs.values():
            names = [run.id for run in site.ledger.runs()]
            for earlier, later in pairwise(["", *names]):
                order.add(later, earlier)
        for name in reversed([*order.static_order()]):
            if name in {"", self.run}:
                continue
            path = spool_path(self._folder / "spool", name)
            if not path.is_file():
                continue
            try:
                spool = Spool.open(path)
            except StoreError as error:
                logger.warning("Passed over, and its pages are fetched again: %s", error)
                continue
            try:
                yield spool
            finally:
                spool.close()

    def _is_owed_elsewhere(self, page: Page) -> bool:
        """Tell whether a page of another site is still to be exported by a crawl of that site."""
        try:
            with Ledger(self._path(page.site_name), read_only=True) as ledger:
                row = ledger.seen(page.url)
        except StoreError:
            return True
        return row is None or row.owed

    def _path(self, site: str) -> Path:
        return ledger_path(self._folder / "ledger", site)

    # While it runs

    def ledger(self, site: str) -> Ledger:
        """Return the ledger of a site."""
        return self.runs[site].ledger

    def site_of(self, url: str) -> str | None:
        """Return the site of an address; None where its ledger is not open."""
        return self._hosts.get(address_site(url))

    def knows(self, url: str) -> bool:
        """Tell whether an address is in the ledger of its site."""
        return self.find(url) is not None

    def find(self, url: str) -> tuple[SiteRun, Row] | None:
        """Return the run of the site of an address, and what its ledger knows of the address."""
        site = self.site_of(url)
        row = None if site is None else self.ledger(site).seen(url)
        return None if site is None or row is None else (self.runs[site], row)

    @contextmanager
    def transaction(self, sites: Iterable[str]) -> Iterator[None]:
        """Write what is recorded inside in one transaction, in the ledgers of some sites."""
        with ExitStack() as stack:
            for site in sites:
                stack.enter_context(self.ledger(site).transaction())
            yield

    # Items

    def is_new_version(self, item: PageItem) -> bool:
        """Tell whether an item is to be exported, as a new page or a changed one.

        Then its fields ``change``, ``content_hash`` and ``previous_hash`` are set. A page that says
        what was exported before is recorded as not owed.
        """
        found = self.find(item.url)
        if found is None:
            return True
        run, row = found
        item.content_hash = version_hash(item)
        run.ledger.describe(row.address, kind=item.page_type)
        known = "" if row.exported_hash in {GONE_HASH, PART_HASH} else row.exported_hash
        is_same = known == item.content_hash
        run.policy.judged(row.address, changed=not is_same)
        run.trouble.confirmed += bool(known)
        if is_same:
            self.mark_without_item(item.parts or [item.url], is_same=True)
            return False
        if item.near_duplicate_of is not None and not self.is_exported(item.near_duplicate_of):
            item.near_duplicate_of = None
        item.change = "changed" if known else "new"
        item.previous_hash = known or None
        return True

    def is_exported(self, url: str) -> bool:
        """Tell whether a page is exported, or is to be."""
        found = self.find(url)
        if found is None or found[1].state not in {"fetched", "queued", "fetching", "failed"}:
            return False
        return found[1].owed or found[1].exported_hash not in {"", GONE_HASH}

    def known_version(self, url: str) -> tuple[SiteRun, Row] | None:
        """Find a page of which a version is exported."""
        found = self.find(url)
        return None if found is None or found[1].exported_hash in {"", GONE_HASH} else found

    def mark_without_item(
        self, urls: Iterable[str], kind: str = "", reason: str = "", *, is_same: bool = False
    ) -> None:
        """Record that pages, as they were fetched last, give no item.

        Args:
            urls: their addresses.
            kind: what kind of page they are, where that is the reason.
            reason: why they were refused; empty where it was not by what they are.
            is_same: whether the reason is that they say what was exported before. Otherwise the
                exported version is withdrawn, as of a page that is gone.
        """
        for run, row in filter(None, map(self.find, urls)):
            (run.ledger.write_off if is_same else run.ledger.retract)(row.address)
            run.ledger.describe(row.address, kind=kind)
            run.policy.judged(row.address, changed=False)
            if reason and reason not in _DOUBLES:
                run.trouble.note_lost(row)
            self.held.discard(address_key(row.address))

    def mark_unread(self, url: str) -> None:
        """Record that a page cannot be read: what was exported of it stays."""
        if (found := self.known_version(url)) is None:
            self.mark_without_item([url])
        else:
            keep(found[0].ledger, found[1].address, "unreadable")

    def mark_exported(self, urls: Iterable[str], name: str, part: Part) -> None:
        """Record that a part holds the item of a page, or of all parts of an article in order."""
        for found in map(self.find, urls):
            if found is not None:
                found[0].ledger.mark_exported(part.run, found[1].address, name, part.number)
            name = PART_HASH

    @property
    def have_parts(self) -> bool:
        """Whether anything was ever exported of these sites."""
        return any(run.ledger.parts() for run in self.runs.values())

    def report_postponed(self) -> None:
        """Count and log which requests were postponed to the next crawl."""
        for site, run in self.runs.items():
            for reason, number in run.policy.put_off.items():
                self.count(f"corpus/incremental/put_off/{reason}", number)
                logger.info(
                    "%d pages of %s are postponed to the next crawl: too many that were requested "
                    "for the same reason (%s) had not changed",
                    number,
                    site,
                    reason,
                )

    def close(self, reason: str, figures: Mapping[str, object]) -> None:
        """End the run in all ledgers, and close them."""
        for site, run in self.runs.items():
            try:
                run.ledger.end_run(self.run, now(), reason, figures)
            except StoreError as error:
                self.count("corpus/ledger/failed", 1)
                logger.error("The end of the crawl of %s is not recorded: %s", site, error)  # noqa: TRY400 - one line says it
            run.ledger.close()
