"""Site evidence: what the pages of a crawl are judged by besides themselves.

Evidence is the counts of a site, which of its pages are others by another address, and which make
one article. :class:`Evidence` is what a session asks of it. A crawl collects its own
(:class:`CrawlEvidence`); an archive whose files are worked on apart reads a merged one.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from crawler.core.errors import StoreError
from crawler.core.flow import Document, Observation, SiteCounts, SiteView
from crawler.core.page.addresses import canonical_address
from crawler.core.page.page import LOCAL_SITE, site_of
from crawler.core.pagination.parts import PartLinks, next_part
from crawler.journey.item_page import Mode, Tally
from crawler.settings import Options
from crawler.store.counts import CountStore
from crawler.store.spill_arrays import DiskSpace

logger = logging.getLogger(__name__)


class Evidence:
    """What is known of the sites of a crawl when their pages are judged: here, nothing."""

    def view(self, site: str) -> SiteView:  # noqa: ARG002 - for classes that know sites
        """Return the frozen counts of a site."""
        return SiteView()

    def original(self, site: str, url: str, view: SiteView) -> str | None:
        """Return the page that a page is by another address; None for one of its own.

        Args:
            site: the site.
            url: the page.
            view: the counts that it is judged by.
        """

    def chains(self) -> Iterable[tuple[str, tuple[str, ...]]]:
        """Return the articles in several pages: site, and canonical addresses in order."""
        return ()


def declared_original(document: Document) -> str | None:
    """Return the address under which a page says it should be known, if that is another one.

    An address on another host does not count, since that page cannot be counted together with
    this one. Nor does an address that differs in its scheme alone.
    """
    url, original = document.page.url, document.canonical_url
    if original is None or site_of(original) != site_of(url):
        return None
    ours, theirs = (urlsplit(canonical_address(each)) for each in (url, original))
    is_same = (ours.path, ours.query) == (theirs.path, theirs.query)
    return None if is_same else original


def alias_of(url: str, originals: Mapping[str, str], view: SiteView) -> str | None:
    """Return the page that a page is by another address; None for one of its own.

    What pages declare by ``rel=canonical`` is often wrong: some sites name their front page on
    every page. So a page is an alias where it says so and its text is nearly that of the other.

    Args:
        url: the page.
        originals: what the pages of its site declare (:func:`declared_original`).
        view: the counts of the site, with both pages in them.
    """
    original = originals.get(url)
    if original is None or original in originals:
        return None
    same = view.duplicate_of
    first = same.get(url, url)
    if original in same or first == original:
        return original if first == same.get(original, original) else None
    # Nobody may have linked the original: then the first of those that declare it stands for it.
    # But many sites declare their front page everywhere.
    is_front = urlsplit(original).path in {"", "/"}
    return first if originals.get(first) == original and first != url and not is_front else None


class CrawlEvidence(Evidence):
    """The evidence that one crawl collects, and the counts that earlier crawls kept.

    Args:
        options: the crawl's settings.
        crawl: the crawl's name, under which its counts are kept.
        tally: where it is counted that counts could not be kept or read.
        mode: an incremental crawl judges held pages by earlier crawls' counts too; of an address
            that came twice an archive exports the latest page alone.
    """

    def __init__(self, options: Options, crawl: str, tally: Tally, mode: Mode) -> None:
        self._options = options
        self._crawl = crawl
        self._tally = tally
        self._mode = mode
        # All sites share the memory that counts may take; beyond it they go to disk.
        self._space = DiskSpace(options.dir)
        self._store = CountStore(options.dir / "counts")
        # By site: sites that a spider gives names to may share an address.
        self._counts: dict[str, SiteCounts] = {}
        self._originals: defaultdict[str, dict[str, str]] = defaultdict(dict)
        is_archive = mode is Mode.ARCHIVE
        self._links = defaultdict[str, PartLinks](lambda: PartLinks(latest_alone=is_archive))
        self._complete: dict[str, SiteView] = {}
        self._earlier: dict[str, SiteView] = {}
        self._unsaved = False

    @property
    def sites(self) -> tuple[str, ...]:
        """The sites counted so far, in the order in which they were met."""
        return tuple(self._counts)

    def count(self, document: Document, observation: Observation) -> None:
        """Count the blocks of a page."""
        site = document.page.site_name
        if site not in self._counts:
            self._counts[site] = SiteCounts(self._space)
        self._counts[site].add(observation)
        self._unsaved = True

    def link(self, document: Document) -> None:
        """Record of a page that is judged later whether it is an alias or a part of an article."""
        page = document.page
        if (original := declared_original(document)) is not None:
            self._originals[page.site_name][page.url] = original
        if self._options.join_parts:
            self._links[page.site_name].add(page.url, next_part(document.parsed, page.url))

    def view(self, site: str) -> SiteView:
        """Return the counts that held pages are judged by, made when all pages were counted."""
        if site not in self._complete:
            counts = self._counts.get(site, SiteCounts())
            if self._mode is Mode.INCREMENTAL:
                earlier = self._load(site)
                earlier.merge(counts)
                counts = earlier
            self._complete[site] = self._view(site, counts)
        return self._complete[site]

    def original(self, site: str, url: str, view: SiteView) -> str | None:
        """See :meth:`Evidence.original`."""
        return alias_of(url, self._originals[site], view)

    def chains(self) -> Iterable[tuple[str, tuple[str, ...]]]:
        """See :meth:`Evidence.chains`."""
        return ((site, tuple(c)) for site, links in self._links.items() for c in links.chains())

    def earlier_view(self, site: str) -> SiteView:
        """Return what earlier crawls counted, as it was when first asked for."""
        if site not in self._earlier:
            self._earlier[site] = self._view(site, self._load(site))
        return self._earlier[site]

    def streaming_view(self, site: str, observation: Observation, method: str) -> SiteView:
        """Return what earlier crawls counted; warn once a site where that says too little.

        Args:
            site: the site.
            observation: a page of it.
            method: name of the text method.
        """
        is_first = site not in self._earlier
        view = self.earlier_view(site)
        if is_first and not view.is_known:
            logger.warning(
                "No counts of %s yet: its pages are judged by themselves alone. "
                "Crawl it once with CORPUS_MODE=two-pass for better text.",
                site,
            )
        elif is_first and (missing := observation.sums.keys() - view.sums.keys()):
            logger.warning(
                "The counts of %s come from crawls with other text methods: %s finds no %s in "
                "them, and judges as on a site never counted. Crawl it once with "
                "CORPUS_MODE=two-pass and this method.",
                site,
                method,
                ", ".join(sorted(missing)),
            )
        return view

    def save(self, level: int = logging.ERROR) -> None:
        """Keep what was counted for later crawls; an error is counted, and logged at a level."""
        if not self._unsaved:
            return
        self._unsaved = False
        for site, counts in self._counts.items():
            if site == LOCAL_SITE:
                # Files without an address: those of another call need not be of the same site.
                continue
            try:
                self._store.save(site, self._crawl, counts)
            except StoreError as error:
                # This crawl's own items do not need the file.
                self._tally.inc_value("corpus/counts/failed")
                logger.log(level, "%s", error)

    def _load(self, site: str) -> SiteCounts:
        return self._store.load(site, self._pass_over, self._space)

    def _pass_over(self, error: StoreError) -> None:
        self._tally.inc_value("corpus/counts/failed")
        logger.warning("Counts passed over: %s", error)

    def _view(self, site: str, counts: SiteCounts) -> SiteView:
        try:
            return counts.view(self._options.near_duplicate_similarity)
        except StoreError as error:
            self._tally.inc_value("corpus/counts/failed")
            logger.error("%s. The pages of %s are judged by themselves alone", error, site)  # noqa: TRY400 - one line
            return SiteView()
