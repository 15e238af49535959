"""The counts of one crawl's sites, those that earlier crawls kept, and the views made of both."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from crawler.core.counting.observation_log import ObservationLog
from crawler.core.errors import StoreError
from crawler.core.flow import SiteCounts, SiteView
from crawler.store.counts import CountStore
from crawler.store.spill_arrays import DiskSpace

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawler.core.flow import Observation
    from crawler.settings import Options

__all__ = ["CrawlCounts"]

logger = logging.getLogger(__name__)


class CrawlCounts:
    """What one crawl counts, by site.

    Args:
        options: the crawl's settings.
        crawl: its name, under which its counts are kept.
        failed: called for each time that counts could not be kept or read.
        goes_on: whether the views of held pages are made of earlier crawls' counts too.
    """

    def __init__(
        self, options: Options, crawl: str, failed: Callable[[], None], *, goes_on: bool
    ) -> None:
        self._similarity = options.near_duplicate_similarity
        self._crawl = crawl
        self._failed = failed
        self._goes_on = goes_on
        # All sites share the memory that counts may take; beyond it they go to disk.
        self._space = DiskSpace(options.dir)
        self._store = CountStore(options.dir / "counts")
        self._counts: dict[str, SiteCounts] = {}
        self._complete: dict[str, SiteView] = {}
        self._earlier: dict[str, SiteView] = {}
        self._unsaved = False

    @property
    def sites(self) -> tuple[str, ...]:
        """The sites counted so far, in the order in which they were met."""
        return tuple(self._counts)

    def add(self, site: str, observation: Observation) -> None:
        """Count a page."""
        if site not in self._counts:
            self._counts[site] = SiteCounts(ObservationLog(self._space))
        self._counts[site].add(observation)
        self._unsaved = True

    def complete_view(self, site: str) -> SiteView:
        """Return the view that held pages are judged by, made when all of them were counted."""
        if site not in self._complete:
            counts = self._counts.get(site, SiteCounts())
            if self._goes_on:
                earlier = self._load(site)
                earlier.merge(counts)
                counts = earlier
            self._complete[site] = self._view(site, counts)
        return self._complete[site]

    def earlier_view(self, site: str) -> SiteView:
        """Return the view of what earlier crawls counted, as it was when first asked for."""
        if site not in self._earlier:
            self._earlier[site] = self._view(site, self._load(site))
        return self._earlier[site]

    def earlier_view_alone(self, site: str, observation: Observation, method: str) -> SiteView:
        """Return the same where there is no other to judge a page by, and warn where it lacks much.

        Args:
            site: the site.
            observation: the page.
            method: name of the text method.
        """
        if site in self._earlier:
            return self._earlier[site]
        view = self.earlier_view(site)
        if not view.is_known:
            logger.warning(
                "No counts of %s yet: its pages are judged by themselves alone. "
                "Crawl it once with CORPUS_MODE=two-pass for better text.",
                site,
            )
        elif missing := observation.sums.keys() - view.sums.keys():
            logger.warning(
                "The counts of %s come from crawls with other text methods: %s finds no %s in "
                "them, and judges as on a site never counted. Crawl it once with "
                "CORPUS_MODE=two-pass and this method.",
                site,
                method,
                ", ".join(sorted(missing)),
            )
        return view

    def save(self) -> None:
        """Keep what was counted for later crawls; an error is logged and counted."""
        if not self._unsaved:
            return
        self._unsaved = False
        for site, counts in self._counts.items():
            try:
                self._store.save(site, self._crawl, counts)
            except StoreError as error:
                # This crawl's own items do not need the file.
                self._failed()
                logger.error("%s", error)  # noqa: TRY400 - the message says it all in one line

    def _load(self, site: str) -> SiteCounts:
        return self._store.load(site, self._pass_over, self._space)

    def _pass_over(self, error: StoreError) -> None:
        self._failed()
        logger.warning("Counts passed over: %s", error)

    def _view(self, site: str, counts: SiteCounts) -> SiteView:
        try:
            return counts.view(self._similarity)
        except StoreError as error:
            self._failed()
            logger.error("%s. The pages of %s are judged by themselves alone", error, site)  # noqa: TRY400 - one line
            return SiteView.unknown()
