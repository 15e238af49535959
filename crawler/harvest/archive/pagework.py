"""A session over the pages of an archive (until sessions take evidence as a parameter)."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeVar

from crawler.core.pagination import PartLinks
from crawler.journey.aliases import Aliases
from crawler.journey.evidence import CrawlCounts
from crawler.journey.session import Journey

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawler.core.flow import Document, Observation, SiteView
    from crawler.core.page.page import Page
    from crawler.harvest.archive.merge import StoredEvidence
    from crawler.harvest.archive.work import Figures
    from crawler.settings import Options

__all__ = ["ArchiveSession", "DeclaredAliases"]

_T = TypeVar("_T")


class DeclaredAliases(Aliases):
    """Aliases by what was noted of pages in the observe step."""

    def declare(self, url: str, original: str | None) -> None:
        """Note what a page declares."""
        if original is not None:
            self._originals[url] = original


class _Counts(CrawlCounts):
    evidence: StoredEvidence

    def complete_view(self, site: str) -> SiteView:
        return self.evidence.view(site)


class _Aliases(Aliases):
    evidence: StoredEvidence
    site: str

    def original(self, url: str, view: SiteView) -> str | None:
        return self.evidence.original(self.site, url, view)


class _AllAliases(defaultdict[str, Aliases]):
    evidence: StoredEvidence

    def __missing__(self, site: str) -> Aliases:
        made = _Aliases()
        made.evidence, made.site = self.evidence, site
        self[site] = made
        return made


class _Chains(PartLinks):
    def __init__(self) -> None:
        super().__init__(latest_alone=True)
        self.found: list[tuple[str, ...]] = []

    def chains(self) -> list[tuple[str, ...]]:
        return self.found


class ArchiveSession(Journey):
    """A session whose evidence is given."""

    def __init__(
        self, options: Options, figures: Figures, evidence: StoredEvidence | None = None
    ) -> None:
        super().__init__(options, "", figures, mode="archive")
        if evidence is None:
            return
        self._counts = _Counts(options, "", lambda: None, goes_on=False)
        self._counts.evidence = evidence
        self._aliases = _AllAliases()
        self._aliases.evidence = evidence
        links: dict[str, PartLinks] = {}
        for site, chain in evidence.chains():
            held = links.setdefault(site, _Chains())
            assert isinstance(held, _Chains)  # noqa: S101 - made above
            held.found.append(chain)
        self._links = links

    def observe(self, page: Page) -> tuple[Document, Observation] | None:
        """Read and observe a page."""
        return self._observe(page)

    def _attempt(self, page: Page, work: Callable[[], _T]) -> _T | None:
        wanting: list[MemoryError] = []

        def watched() -> _T:
            try:
                return work()
            except Exception as error:
                wanting.extend(_wants_of(error))
                raise

        done = super()._attempt(page, watched)
        if wanting:
            raise wanting[0]
        return done


def _wants_of(error: BaseException | None) -> list[MemoryError]:
    while error is not None:
        if isinstance(error, MemoryError):
            return [error]
        error = error.__cause__
    return []
