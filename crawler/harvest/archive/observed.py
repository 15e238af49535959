"""What a shard tells: of each site the facts of its pages and their observations, on disk.

A file (:mod:`crawler.harvest.archive.members`) has one member for each partition that the shard has
sites of. A member holds site after site, sorted by name: a line of JSON, then for each section the
arrays of the site's counts (:class:`crawler.core.counting.observation_log.ObservationLog`), joined:
``sizes`` (uint32), ``keys`` (uint64), ``figures`` (uint16, those of sums uint32), all with the
least byte first.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, Self

import numpy as np

from crawler.core.counting.observation_log import BLOCKS, ObservationLog, Rows
from crawler.core.errors import StoreError
from crawler.harvest.archive.members import open_member, write_members
from crawler.harvest.archive.work import partition_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from crawler.core.counting.site_counts import SiteCounts
    from crawler.core.counting.spill_arrays import Space
    from crawler.harvest.archive.members import MemberWriter

__all__ = ["Fact", "SeenSite", "read_observed", "write_observed"]


@dataclass(frozen=True, slots=True)
class Fact:
    """What decides about a page together with others, beside its blocks.

    ``number``
        Its place among the pages of its shard.
    ``url``, ``fetched_at``
        As the page has them.
    ``original``
        The address of its site under which it says it should be known; None for its own.
    ``following``
        The next part of its article; None where there is none.
    ``is_wanted``
        Whether it is of a kind that is exported.
    """

    number: int
    url: str
    fetched_at: str
    original: str | None
    following: str | None
    is_wanted: bool

    def as_json(self) -> list[Any]:
        """Return the fact as JSON values."""
        return [
            self.number,
            self.url,
            self.fetched_at,
            self.original,
            self.following,
            self.is_wanted,
        ]

    @classmethod
    def from_json(cls, values: list[Any]) -> Self:
        """Return the fact that :meth:`as_json` gave."""
        return cls(*values)


@dataclass(slots=True)
class SeenSite:
    """What a shard tells of a site."""

    counts: SiteCounts
    facts: list[Fact] = field(default_factory=list)


def write_observed(path: Path, sites: Mapping[str, SeenSite], partitions: int) -> list[int]:
    """Write what a shard tells; return the partitions that it has sites of.

    Raises:
        OSError: the file cannot be written.
        StoreError: the observations cannot be read from where they are kept.
    """
    members: dict[int, list[str]] = {}
    for site in sorted(sites):
        members.setdefault(partition_of(site, partitions), []).append(site)
    with write_members(path) as writer:
        for partition, names in sorted(members.items()):
            writer.begin(partition)
            for site in names:
                _write_site(writer, site, sites[site])
    return sorted(members)


def read_observed(
    path: Path, partition: int, space: Space
) -> Iterator[tuple[str, list[Fact], ObservationLog]]:
    """Read what a shard tells of a partition, site by site.

    Args:
        path: the file.
        partition: of which partition; nothing is given where the shard has no site of it.
        space: where observations are kept.

    Raises:
        StoreError: the file is missing, damaged, or cannot be read.
    """
    try:
        with open_member(path, partition) as found:
            if found is None:
                return
            file, end = found
            while file.tell() < end:
                yield _read_site(file, json.loads(file.readline()), space)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f"{path} is missing or damaged ({error}): delete it, and run the command again to "
            "have it made anew"
        ) from error


def _write_site(file: MemberWriter, site: str, seen: SeenSite) -> None:
    log = seen.counts.log
    head = {
        "site": site,
        "urls": log.urls(),
        "facts": [fact.as_json() for fact in seen.facts],
        "sections": {section: int(log.sizes(section).sum()) for section in log.sections},
    }
    file.write(json.dumps(head).encode() + b"\n")
    for section in log.sections:
        file.write(log.sizes(section).astype("<u4").tobytes())
        for rows in log.rows(section):
            file.write(rows.keys.astype("<u8").tobytes())
        for rows in log.rows(section):
            file.write(rows.figures.astype(_kind(section)).tobytes())


def _read_site(
    file: IO[bytes], head: Mapping[str, Any], space: Space
) -> tuple[str, list[Fact], ObservationLog]:
    urls: list[str] = head["urls"]
    log = ObservationLog(space)
    sections = {}
    for section, total in head["sections"].items():
        sizes = _take(file, "<u4", len(urls)).astype(np.int64)
        keys = _take(file, "<u8", total).astype(np.uint64)
        figures = _take(file, _kind(section), total)
        native = figures.astype(np.uint16 if section == BLOCKS else np.uint32)
        sections[section] = (Rows(sizes, keys, native),)
    log.extend(urls, sections)
    return head["site"], [Fact.from_json(values) for values in head["facts"]], log


def _kind(section: str) -> str:
    return "<u2" if section == BLOCKS else "<u4"


def _take(file: IO[bytes], kind: str, count: int) -> NDArray[Any]:
    size = np.dtype(kind).itemsize * count
    return np.frombuffer(file.read(size), dtype=kind, count=count)
