"""Between the two passes: what all shards tell of the sites of a partition, put together.

Shards are gone through in the order of the archive, whichever of them was read first.
"""

from __future__ import annotations

from dataclasses import fields
from typing import IO, TYPE_CHECKING, Any

from crawler.core.counting.observation_log import ObservationLog
from crawler.core.flow import SiteCounts, SiteView
from crawler.core.page.addresses import canonical_address
from crawler.core.page.page import Page
from crawler.core.pagination import PartLinks
from crawler.harvest.archive.figures import Figures
from crawler.harvest.archive.merged import (
    JudgedBy,
    KnownView,
    Part,
    views_path,
    write_parts,
    write_view,
)
from crawler.harvest.archive.observed import read_observed
from crawler.harvest.archive.work import begin_job, read_json, replacing, write_json
from crawler.journey.aliases import Aliases
from crawler.journey.capture_dedup import Captures
from crawler.store.spill_arrays import DiskSpace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from crawler.core.counting.spill_arrays import Space
    from crawler.harvest.archive.observed import Fact
    from crawler.settings import Options

__all__ = ["merge_partition"]


class _Declared(Aliases):
    """What pages say of their addresses, as it was noted in the first pass."""

    def note(self, fact: Fact) -> None:
        if fact.original is not None:
            self._originals[fact.url] = fact.original

    def found(self, view: SiteView) -> dict[str, str]:
        """Return the pages that are another one, each with that."""
        originals = ((url, self.original(url, view)) for url in self._originals)
        return {url: original for url, original in originals if original is not None}


class _Site:
    """One site, from what the shards tell of it."""

    def __init__(self, space: Space) -> None:
        self.counts = SiteCounts(ObservationLog(space))
        self.facts: list[tuple[int, Fact]] = []
        """The pages in the order of the archive, each with the number of its shard."""

    def add(self, shard: int, facts: Iterable[Fact], log: ObservationLog) -> None:
        self.facts += [(shard, fact) for fact in facts]
        self.counts.merge(SiteCounts(log))

    def judged_by(self, options: Options) -> JudgedBy:
        """Return what its pages are judged by."""
        view = self.counts.view(options.near_duplicate_similarity)
        declared, links = _Declared(), PartLinks(latest_alone=True)
        for _, fact in self.facts:
            declared.note(fact)
            if options.join_parts:
                links.add(fact.url, fact.following)
        known = {each.name: getattr(view, each.name) for each in fields(SiteView)}
        return JudgedBy(KnownView(**known, aliases=declared.found(view)), links.chains())

    def wanted(self) -> list[bool]:
        """Tell of each page whether it is the capture of its address that is exported."""
        captures = Captures(latest_alone=True)
        stubs = [Page(fact.url, b"", fetched_at=fact.fetched_at) for _, fact in self.facts]
        for stub in stubs:
            captures.add(stub)
        chosen = set(map(id, captures.wanted(stubs)))
        return [id(stub) in chosen for stub in stubs]

    def together(self, wanted: list[bool], judged_by: JudgedBy, options: Options) -> list[bool]:
        """Tell of each page whether what becomes of it hangs on what becomes of others.

        That is so for the parts of one article. And where near-duplicates are left out, for a
        group of them whose first page may be left out for its kind, since another then stands in
        for it: whose first page is of an unwanted kind, or that a part of an article is in.
        """
        parts = frozenset(address for chain in judged_by.chains for address in chain)
        same = judged_by.view.duplicate_of
        groups: set[str] = set()
        is_part = [bool(parts) and canonical_address(fact.url) in parts for _, fact in self.facts]
        if options.drop_near_duplicates and same:
            first = frozenset(same.values())
            for (_, fact), is_exported, belongs in zip(self.facts, wanted, is_part, strict=True):
                if not is_exported:
                    continue
                if belongs:
                    groups.add(same.get(fact.url, fact.url))
                elif not fact.is_wanted and fact.url in first:
                    groups.add(fact.url)
        return [
            is_exported and (belongs or same.get(fact.url, fact.url) in groups)
            for (_, fact), is_exported, belongs in zip(self.facts, wanted, is_part, strict=True)
        ]


def merge_partition(argument: Mapping[str, Any]) -> dict[str, Any]:
    """Put together what all shards tell of the sites of a partition: a job.

    Args:
        argument: ``work`` (folder), ``key`` (the name of the result, under which the order of the
            shards lies), ``partition``, ``settings``.

    Returns:
        ``figures``.

    Raises:
        StoreError: what a shard tells cannot be read, or the result cannot be written.
    """
    work, options = begin_job(argument)
    partition = int(argument["partition"])
    space = DiskSpace(work.folder)
    sites: dict[str, _Site] = {}
    for number, key in enumerate(read_json(work.order(argument["key"]))):
        for site, facts, log in read_observed(work.observed(key), partition, space):
            if site not in sites:
                sites[site] = _Site(space)
            sites[site].add(number, facts, log)
    path = work.merged(argument["key"], partition)
    with replacing(views_path(path)) as aside, aside.open("wb") as file:
        merged = _Merged(file, options)
        for site in sorted(sites):
            # Each site is let go when it is done.
            merged.add(site, sites.pop(site))
    with replacing(path) as aside:
        write_parts(aside, merged.parts)
    told = {"figures": merged.figures.as_json()}
    write_json(path.with_suffix(".json"), told)
    return told


class _Merged:
    """What is known of the sites of a partition, and what each shard has of them."""

    def __init__(self, views: IO[bytes], options: Options) -> None:
        self.parts: dict[int, Part] = {}
        self.figures = Figures()
        self._views = views
        self._options = options

    def add(self, name: str, site: _Site) -> None:
        judged_by = site.judged_by(self._options)
        wanted = site.wanted()
        together = site.together(wanted, judged_by, self._options)
        place = write_view(self._views, judged_by)
        self.figures.inc_value("corpus/sites")
        for (shard, fact), is_exported, with_others in zip(
            site.facts, wanted, together, strict=True
        ):
            part = self.parts.setdefault(shard, Part())
            part.sites[name] = place
            if not is_exported:
                part.unwanted.append(fact.number)
                self.figures.inc_value("corpus/pages/skipped")
                self.figures.inc_value("corpus/skipped/duplicate-address")
            elif with_others:
                part.together.append(fact.number)
