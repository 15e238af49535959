"""Second step: the evidence of the sites of a partition, from what all shards observed.

The pages are added in the order of the archive, so that the result is the one of a single process.
The judge step reads the evidence from the result (:class:`StoredEvidence`).
"""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final
from zipfile import BadZipFile

import numpy as np

from crawler.core.counting.observation import KeyCounts
from crawler.core.flow import SiteCounts, SiteView
from crawler.core.page.addresses import canonical_address
from crawler.core.page.page import Page
from crawler.core.pagination import PartLinks
from crawler.harvest.archive.observe import read_observed
from crawler.harvest.archive.work import Figures, read_database, write_database
from crawler.journey.evidence import Evidence, alias_of
from crawler.journey.page_joiner import Captures
from crawler.store.spill_arrays import DiskSpace

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from crawler.harvest.archive.observe import PageFacts
    from crawler.harvest.archive.work import Archive

_SCHEMA: Final = """
CREATE TABLE sites (site TEXT PRIMARY KEY, head TEXT, arrays BLOB, chains TEXT);
CREATE TABLE pages (shard INTEGER, page INTEGER, is_joined INTEGER);
CREATE INDEX by_shard ON pages (shard);
"""
_MEMORY: Final = 256 << 20
_ARRAYS: Final = ("keys", "frequencies", "text_frequencies")
_PLAIN: Final = (
    "pages_seen", "pages", "snapshot", "single_blocks", "single_texts", "duplicate_of",
)  # fmt: skip


@dataclass(slots=True)
class _Site:
    """A site, with its pages in the order of the archive, each with the number of its shard."""

    counts: SiteCounts
    pages: list[tuple[int, PageFacts]] = field(default_factory=list)

    def aliases(self, view: SiteView) -> dict[str, str]:
        """Return the pages that are another page by another address, each with that page."""
        declared = {facts.url: facts.original for _, facts in self.pages if facts.original}
        found = {url: alias_of(url, declared, view) for url in declared}
        return {url: original for url, original in found.items() if original is not None}

    def chains(self) -> list[tuple[str, ...]]:
        """Return the articles in several pages: canonical addresses, in order."""
        links = PartLinks(latest_alone=True)
        for _, facts in self.pages:
            links.add(facts.url, facts.next_part)
        return links.chains()

    def exported(self) -> list[tuple[int, PageFacts]]:
        """Return the captures that are exported: of each address one."""
        captures = Captures(latest_alone=True)
        for _, facts in self.pages:
            captures.add(Page(facts.url, b"", fetched_at=facts.fetched_at))
        return list(captures.wanted(self.pages))


def _joined(
    pages: Sequence[PageFacts], duplicate_of: Mapping[str, str], chains: Iterable[tuple[str, ...]]
) -> list[bool]:
    """Say of each exported page of a site whether its item depends on the items of other pages.

    That is so for the parts of one article. Where near-duplicates are left out, it is so for a
    group of them whose first page may be left out for its kind, since another page then takes its
    place: where the first page is of an unwanted kind, or a part of an article is in the group.

    Args:
        pages: the exported pages.
        duplicate_of: of each near-duplicate that is left out the first page of its group.
        chains: the articles in several pages.
    """
    parts = frozenset(address for chain in chains for address in chain)
    firsts = frozenset(duplicate_of.values())
    groups = [duplicate_of.get(page.url, page.url) for page in pages]
    is_part = [bool(parts) and canonical_address(page.url) in parts for page in pages]
    joined = {
        group
        for page, group, belongs in zip(pages, groups, is_part, strict=True)
        if belongs or (not page.is_wanted and page.url in firsts)
    }
    return [group in joined for group in groups]


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
    sites: dict[str, _Site] = {}
    for shard, key in enumerate(keys):
        for facts, observation in read_observed(archive.observed_file(key), partition):
            if facts.site not in sites:
                sites[facts.site] = _Site(SiteCounts(space))
            sites[facts.site].pages.append((shard, facts))
            sites[facts.site].counts.add(observation)
    with write_database(path, _SCHEMA) as database:
        for name in sorted(sites):
            # The memory of each site is freed when the site is done.
            site = sites.pop(name)
            view, chains = site.counts.view(options.near_duplicate_similarity), site.chains()
            _write_evidence(database, name, view, site.aliases(view), chains)
            pages = site.exported()
            duplicate_of = view.duplicate_of if options.drop_near_duplicates else {}
            joined = _joined([facts for _, facts in pages], duplicate_of, chains)
            rows = [
                (shard, facts.number, is_joined)
                for (shard, facts), is_joined in zip(pages, joined, strict=True)
            ]
            database.executemany("INSERT INTO pages VALUES (?, ?, ?)", rows)
            left_out = len(site.pages) - len(pages)
            figures.inc_value("corpus/sites")
            figures.inc_value("corpus/pages/skipped", left_out)
            figures.inc_value("corpus/skipped/duplicate-address", left_out)
    return {**figures.as_json(), "files": [path]}


def pages_to_judge(archive: Archive, shard: int, partitions: Iterable[int]) -> dict[int, bool]:
    """Return the pages of a shard that are exported, and of each whether the join step judges it.

    Args:
        archive: what every job is given.
        shard: the place of the shard in the order of the archive.
        partitions: those that it has sites of.
    """
    found: dict[int, bool] = {}
    for partition in partitions:
        with read_database(archive.merged_file(partition)) as database:
            query = "SELECT page, is_joined FROM pages WHERE shard = ?"
            found.update(database.execute(query, [shard]))
    return found


def _write_evidence(
    database: sqlite3.Connection,
    site: str,
    view: SiteView,
    aliases: Mapping[str, str],
    chains: Sequence[tuple[str, ...]],
) -> None:
    arrays = {name: getattr(view, name) for name in _ARRAYS}
    for number, sums in enumerate(view.sums.values()):
        arrays |= {f"sum{number}": sums.keys, f"sum{number}_counts": sums.counts}
    np.savez(packed := BytesIO(), **arrays)
    head = {name: getattr(view, name) for name in _PLAIN}
    head |= {"sums": list(view.sums), "aliases": aliases}
    # Names of sites are kept in ASCII: SQLite takes no text with half a surrogate pair.
    row = json.dumps(site), json.dumps(head), packed.getvalue(), json.dumps(chains)
    database.execute("INSERT INTO sites VALUES (?, ?, ?, ?)", row)


def _read_evidence(head_json: str, packed: bytes) -> tuple[SiteView, dict[str, str]]:
    """Return the counts of a site, and the pages that are another page by another address."""
    head = json.loads(head_json)
    try:
        with np.load(BytesIO(packed), allow_pickle=False) as file:
            arrays = dict(file)
    except BadZipFile as error:
        raise ValueError(str(error)) from error
    view = SiteView(
        **{name: head[name] for name in _PLAIN},
        **{name: arrays[name] for name in _ARRAYS},
        sums={
            name: KeyCounts(arrays[f"sum{number}"], arrays[f"sum{number}_counts"])
            for number, name in enumerate(head["sums"])
        },
    )
    return view, head["aliases"]


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
        self._kept: OrderedDict[str, tuple[SiteView, dict[str, str], int]] = OrderedDict()
        self._used = 0

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
        query = "SELECT site, chains FROM sites WHERE chains != '[]' ORDER BY site"
        with read_database(self._archive.merged_file(self._joined)) as database:
            for site, chains in database.execute(query):
                for chain in json.loads(chains):
                    yield json.loads(site), tuple(chain)

    def _of(self, site: str) -> tuple[SiteView, dict[str, str], int]:
        """Return the evidence of a site, and about how many bytes it takes."""
        if site in self._kept:
            self._kept.move_to_end(site)
            return self._kept[site]
        path = self._archive.merged_file(self._archive.partition_of(site))
        with read_database(path) as database:
            query = "SELECT head, arrays FROM sites WHERE site = ?"
            head, arrays = database.execute(query, [json.dumps(site)]).fetchone()
            # Addresses take about three times their length in memory.
            self._kept[site] = *_read_evidence(head, arrays), len(arrays) + 3 * len(head)
        self._used += self._kept[site][-1]
        while self._used > self._memory and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._used -= oldest[-1]
        return self._kept[site]
