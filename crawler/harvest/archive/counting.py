"""The first two steps of an archive: what its pages say, and what follows of it for each site.

**Observe.** What the pages of a shard say depends on the shard and on settings alone. The result is
a database with a row for each page.

**Merge.** The pages of the sites of a partition are added in the order of the archive, so that the
evidence is the one of a single process. The judge step reads it (:class:`StoredEvidence`).
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from crawler.core.counting.observation import Observation
from crawler.core.flow import Document, SiteCounts, SiteView
from crawler.core.page.addresses import canonical_address
from crawler.core.page.page import Page
from crawler.core.pagetype.judge import page_type
from crawler.core.pagination.parts import PartLinks, next_part
from crawler.harvest.archive.work import (
    Archive,
    Figures,
    Shard,
    pack,
    read_database,
    unpack,
    write_database,
)
from crawler.journey.evidence import Evidence, alias_of, declared_original
from crawler.journey.item_page import Mode
from crawler.journey.page_joiner import Captures
from crawler.journey.page_time import PageTime
from crawler.journey.session import Session
from crawler.settings import Options
from crawler.store.spill_arrays import DiskSpace

_OBSERVED: Final = """
CREATE TABLE observations (partition INTEGER, page INTEGER, observed BLOB);
CREATE INDEX by_partition ON observations (partition, page);
"""
_MERGED: Final = """
CREATE TABLE sites (site TEXT PRIMARY KEY, evidence BLOB);
CREATE TABLE chains (site TEXT, addresses TEXT);
CREATE TABLE pages (shard INTEGER, page INTEGER, is_joined INTEGER);
CREATE INDEX by_shard ON pages (shard);
"""
_MEMORY: Final = 256 << 20


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What is known of a page beside its blocks, and decides about other pages too.

    ``number`` is its place in its shard, ``original`` the address of its site that it declares as
    its own, ``next_part`` the address where its article goes on, None for none of them.
    ``is_wanted`` says whether it is of a kind that is exported.
    """

    number: int
    site: str
    url: str
    fetched_at: str
    original: str | None
    next_part: str | None
    is_wanted: bool


def observe_shard(archive: Archive, key: str, shard: Shard) -> dict[str, Any]:
    """Read a shard and keep what its pages say: a job.

    Args:
        archive: what every job is given.
        key: the name of the result.
        shard: the file.

    Returns:
        The figures, and ``partitions`` that the shard has sites of.

    Raises:
        StoreError: the file has changed since it was found, or the result cannot be written.
    """
    options, figures, path = archive.options, Figures(), archive.observed_file(key)
    session = Session(
        options, figures, mode=Mode.ARCHIVE, evidence=Evidence(), reraise=(MemoryError,)
    )
    partitions: set[int] = set()
    with write_database(path, _OBSERVED) as database:
        for number, page in enumerate(shard.pages(options.max_page_bytes, figures.skipped)):
            figures.inc_value("corpus/pages/fetched")
            observed = session.observe(page)
            if observed is None:
                continue
            document, observation = observed
            facts = session.attempt(
                page.url,
                partial(_facts, number, document, options),
                time=PageTime(options.page_seconds),
                is_judged=False,
            )
            if facts is None:
                continue
            partition = archive.partition_of(page.site_name)
            partitions.add(partition)
            row = partition, number, pack((facts, observation))
            database.execute("INSERT INTO observations VALUES (?, ?, ?)", row)
    if not figures.counts:
        figures.skipped("no-page", f"{shard.path}: nothing in it is a page")
    return figures.result([path], partitions=sorted(partitions))


def _facts(number: int, document: Document, options: Options) -> PageFacts:
    page = document.page
    return PageFacts(
        number=number,
        site=page.site_name,
        url=page.url,
        fetched_at=page.fetched_at,
        original=declared_original(document),
        next_part=next_part(document.parsed, page.url) if options.join_parts else None,
        is_wanted=_is_wanted(document, options),
    )


def _is_wanted(document: Document, options: Options) -> bool:
    # It matters only where a page of an unwanted kind may be what other pages repeat.
    if not options.drop_near_duplicates:
        return True
    try:
        return page_type(document).is_among(options.wanted_types)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - the judge step meets it again, and counts it
        return True


def read_observed(path: Path, partition: int) -> Iterator[tuple[PageFacts, Observation]]:
    """Read what the pages of a shard say whose sites are in a partition, in the shard's order."""
    query = "SELECT observed FROM observations WHERE partition = ? ORDER BY page"
    with read_database(path) as database:
        for (observed,) in database.execute(query, [partition]):
            yield unpack(observed)


def merge_partition(archive: Archive, partition: int, keys: Sequence[str]) -> dict[str, Any]:
    """Make the evidence of the sites of a partition: a job, which returns the figures.

    Args:
        archive: what every job is given.
        partition: the partition.
        keys: the keys of the observed shards, in the order of the archive.

    Raises:
        StoreError: an observed shard cannot be read, or the result cannot be written.
    """
    options, figures = archive.options, Figures()
    path, space = archive.merged_file(partition), DiskSpace(archive.work)
    # Of each site its counts, and its pages in the order of the archive, each with its shard.
    sites: dict[str, tuple[SiteCounts, list[tuple[int, PageFacts]]]] = {}
    for shard, key in enumerate(keys):
        for facts, observation in read_observed(archive.observed_file(key), partition):
            if facts.site not in sites:
                sites[facts.site] = SiteCounts(space), []
            counts, pages = sites[facts.site]
            counts.add(observation)
            pages.append((shard, facts))
    with write_database(path, _MERGED) as database:
        for name in sorted(sites):
            # The memory of each site is freed when the site is done.
            counts, pages = sites.pop(name)
            view = counts.view(options.near_duplicate_similarity)
            links, captures = PartLinks(latest_alone=True), Captures(latest_alone=True)
            for _, facts in pages:
                links.add(facts.url, facts.next_part)
                captures.add(Page(facts.url, b"", fetched_at=facts.fetched_at))
            declared = {facts.url: facts.original for _, facts in pages if facts.original}
            originals = {url: alias_of(url, declared, view) for url in declared}
            chains = links.chains()
            # Names of sites are kept in ASCII: SQLite takes no text with half a surrogate pair.
            key = json.dumps(name)
            evidence = pack((view, {url: other for url, other in originals.items() if other}))
            database.execute("INSERT INTO sites VALUES (?, ?)", [key, evidence])
            rows = [(key, json.dumps(chain)) for chain in chains]
            database.executemany("INSERT INTO chains VALUES (?, ?)", rows)
            exported = list(captures.wanted(pages))
            duplicate_of = view.duplicate_of if options.drop_near_duplicates else {}
            joined = _joined([facts for _, facts in exported], duplicate_of, chains)
            places = [
                (shard, facts.number, is_joined)
                for (shard, facts), is_joined in zip(exported, joined, strict=True)
            ]
            database.executemany("INSERT INTO pages VALUES (?, ?, ?)", places)
            figures.inc_value("corpus/sites")
            for figure in ("corpus/pages/skipped", "corpus/skipped/duplicate-address"):
                figures.inc_value(figure, len(pages) - len(exported))
    return figures.result([path])


def _joined(
    pages: Sequence[PageFacts], duplicate_of: Mapping[str, str], chains: Iterable[tuple[str, ...]]
) -> list[bool]:
    """Say of each exported page of a site whether its item depends on the items of other pages.

    That is so for the parts of one article. Where near-duplicates are left out, it is so for a
    group of them whose first page may be left out for its kind, since another page then takes its
    place: where the first page is of an unwanted kind, or a part of an article is in the group.
    ``duplicate_of`` has of each near-duplicate that is left out the first page of its group.
    """
    parts = frozenset(address for chain in chains for address in chain)
    firsts = frozenset(duplicate_of.values())
    groups = [duplicate_of.get(page.url, page.url) for page in pages]
    joined = {
        group
        for page, group in zip(pages, groups, strict=True)
        if (parts and canonical_address(page.url) in parts)
        or (not page.is_wanted and page.url in firsts)
    }
    return [group in joined for group in groups]


class StoredEvidence(Evidence):
    """The evidence of sites, read when it is asked for.

    The sites used last are kept in memory up to a limit, and one site at least.

    Args:
        archive: what every job is given.
        joined: the partition whose articles in several pages are put together; None for none.
        memory: the limit in bytes.
    """

    def __init__(self, archive: Archive, joined: int | None = None, memory: int = _MEMORY) -> None:
        self._archive = archive
        self._joined = joined
        self._memory = memory
        # Each with about how many bytes it takes.
        self._kept: OrderedDict[str, tuple[SiteView, dict[str, str], int]] = OrderedDict()

    def view(self, site: str) -> SiteView:
        """Return the counts of a site; raise StoreError where they cannot be read."""
        return self._of(site)[0]

    def original(self, site: str, url: str, view: SiteView) -> str | None:  # noqa: ARG002 - merged by it
        """Return the page that a page is by another address; None for one of its own."""
        return self._of(site)[1].get(url)

    def chains(self) -> Iterable[tuple[str, tuple[str, ...]]]:
        """Return the articles in several pages that are put together: site, and addresses."""
        if self._joined is None:
            return
        with read_database(self._archive.merged_file(self._joined)) as database:
            for site, chain in database.execute("SELECT * FROM chains ORDER BY rowid"):
                yield json.loads(site), tuple(json.loads(chain))

    def _of(self, site: str) -> tuple[SiteView, dict[str, str], int]:
        if site in self._kept:
            self._kept.move_to_end(site)
            return self._kept[site]
        path = self._archive.merged_file(self._archive.partition_of(site))
        with read_database(path) as database:
            query = "SELECT evidence FROM sites WHERE site = ?"
            (evidence,) = database.execute(query, [json.dumps(site)]).fetchone()
            # Addresses take about three times their length in memory.
            self._kept[site] = *unpack(evidence), 3 * len(evidence)
        while len(self._kept) > 1 and sum(one[-1] for one in self._kept.values()) > self._memory:
            self._kept.popitem(last=False)
        return self._kept[site]
