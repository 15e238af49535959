"""The log in which a site's observations are kept, and read in pieces of any size."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from crawler.core.counting.observation import KeyCounts, Observation
from crawler.core.counting.spill_arrays import MemorySpace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import DTypeLike, NDArray

    from crawler.core.counting.spill_arrays import Space

__all__ = ["BLOCKS", "ObservationLog", "Rows", "stretches"]

BLOCKS = ""
"""Name of the section of a log that holds blocks and their weights; the others hold sums."""


@dataclass(frozen=True, slots=True)
class Rows:
    """What one section tells of some pages, joined.

    ``sizes``
        How many entries each page has, int64.
    ``keys``, ``figures``
        The entries, page after page.
    """

    sizes: NDArray[np.int64]
    keys: NDArray[np.uint64]
    figures: NDArray[Any]

    def __len__(self) -> int:
        """Return the number of pages."""
        return len(self.sizes)


def stretches(ends: NDArray[np.int64], batch: int) -> Iterator[tuple[int, int]]:
    """Cut a sequence of pages into stretches that have about so many entries each.

    Args:
        ends: where the entries of each page end, from before the first page on.
        batch: the entries of a stretch, at most, unless one page has more.

    Yields:
        The first page of a stretch, and the page behind its last.
    """
    first, pages = 0, len(ends) - 1
    while first < pages:
        last = int(np.searchsorted(ends, ends[first] + batch, side="right")) - 1
        # No more pages than entries at a time, since they may have none; and one at least.
        last = max(min(last, first + batch), first + 1)
        yield first, last
        first = last


class _Section:
    """Keys with a figure each, those of one record after those of another."""

    def __init__(self, space: Space, kind: DTypeLike) -> None:
        self.keys = space.tape(np.uint64)
        self.figures = space.tape(kind)
        # Where the entries of each record end, from before the first on. Records that have none
        # may be missing at the end.
        self.ends = array("q", [0])

    def append(self, record: int, keys: NDArray[np.uint64], figures: NDArray[Any]) -> None:
        self.pad(record)
        self.keys.append(keys)
        self.figures.append(figures)
        self.ends.append(len(self.keys))

    def extend(self, rows: Rows) -> None:
        ends = len(self.keys) + np.cumsum(rows.sizes, dtype=np.int64)
        self.keys.append(rows.keys)
        self.figures.append(rows.figures)
        self.ends.frombytes(ends.tobytes())

    def pad(self, records: int) -> None:
        """Give so many records an end at least."""
        missing = records + 1 - len(self.ends)
        if missing > 0:
            self.ends.extend([self.ends[-1]] * missing)

    def read(self, first: int, last: int) -> Rows:
        """Return what is known of the records from ``first`` up to ``last``."""
        self.pad(last)
        ends = np.frombuffer(self.ends[first : last + 1], dtype=np.int64)
        start, stop = int(ends[0]), int(ends[-1])
        return Rows(np.diff(ends), self.keys.read(start, stop), self.figures.read(start, stop))

    def all_ends(self, records: int) -> NDArray[np.int64]:
        self.pad(records)
        return np.array(self.ends, dtype=np.int64)


class ObservationLog:
    """A site's observations, one a page: written at the end, read in the order of writing.

    An address that is observed again gets a new record at the end, the union of both; its old one
    is passed over from then on.

    Args:
        space: where the records are kept; in memory without.
    """

    def __init__(self, space: Space | None = None) -> None:
        self.space: Space = space or MemorySpace()
        # The record that holds for each address.
        self._records: dict[str, int] = {}
        self._urls: list[str] = []
        self._holds = bytearray()
        self._sections = {BLOCKS: _Section(self.space, np.uint16)}

    def __len__(self) -> int:
        """Return the number of pages."""
        return len(self._records)

    @property
    def sections(self) -> list[str]:
        """The names of the sections: :data:`BLOCKS`, then those of the sums, sorted."""
        return sorted(self._sections)

    @property
    def has_old_records(self) -> bool:
        """Whether any page was observed again with something new."""
        return len(self._records) < len(self._urls)

    def urls(self) -> list[str]:
        """Return the addresses, in the order in which pages are read."""
        if not self.has_old_records:
            return self._urls.copy()
        return [url for url, holds in zip(self._urls, self._holds, strict=True) if holds]

    def entries(self, section: str) -> int:
        """Return how many entries a section has, those of old records among them."""
        return len(self._sections[section].keys)

    def sizes(self, section: str) -> NDArray[np.int64]:
        """Return how many entries of a section each page has, in the order of reading."""
        sizes = np.diff(self._sections[section].all_ends(len(self._urls)))
        return sizes[np.frombuffer(bytes(self._holds), dtype=np.uint8) > 0]

    def add(self, observation: Observation) -> None:
        """Put a page into the log, or what is new of a page that it holds."""
        url = observation.url
        known = self._records.get(url)
        if known is not None:
            before = self.page(url)
            observation = before.union(observation)
            if observation is before:
                return
            self._holds[known] = 0
        record = self._records[url] = len(self._urls)
        self._urls.append(url)
        self._holds.append(1)
        self._sections[BLOCKS].append(record, observation.keys, observation.weights)
        for name, sums in observation.sums.items():
            if len(sums.keys):
                self._section(name).append(record, sums.keys, sums.counts)

    def extend(self, urls: Sequence[str], sections: Mapping[str, Iterable[Rows]]) -> None:
        """Put many pages into the log at once.

        Args:
            urls: their addresses, none of them twice or in the log.
            sections: for each section all pages' rows, in pieces of any size.
        """
        first = len(self._urls)
        for name, pieces in sections.items():
            section = self._section(name)
            section.pad(first)
            for rows in pieces:
                section.extend(rows)
        self._urls.extend(urls)
        self._records.update(zip(urls, range(first, len(self._urls)), strict=True))
        self._holds.extend(b"\1" * len(urls))

    def merge(self, other: ObservationLog) -> None:
        """Put all pages of another log into this one."""
        if self._records.keys().isdisjoint(other._records):
            self.extend(other.urls(), {name: other.rows(name) for name in other.sections})
        else:
            for observation in other.pages():
                self.add(observation)

    def page(self, url: str) -> Observation:
        """Return the record of an address; KeyError where there is none."""
        record = self._records[url]
        sections = {name: part.read(record, record + 1) for name, part in self._sections.items()}
        blocks = sections.pop(BLOCKS)
        return Observation(
            url=url,
            keys=blocks.keys,
            weights=blocks.figures,
            sums={
                n: KeyCounts(part.keys, part.figures)
                for n, part in sections.items()
                if part.sizes[0]
            },
        )

    def blocks(self, url: str) -> tuple[NDArray[np.uint64], NDArray[np.uint16]]:
        """Return the block keys of a page and their weights; KeyError where there is none."""
        record = self._records[url]
        rows = self._sections[BLOCKS].read(record, record + 1)
        return rows.keys, rows.figures

    def pages(self) -> Iterator[Observation]:
        """Read the log page by page."""
        names = self.sections
        for first, last in self._stretches(names):
            parts = {name: self._pages_of(name, first, last) for name in names}
            blocks = parts.pop(BLOCKS)
            for number, record in enumerate(range(first, last)):
                if self._holds[record]:
                    keys, weights = blocks[number]
                    sums = {name: KeyCounts(*part[number]) for name, part in parts.items()}
                    sums = {name: counts for name, counts in sums.items() if len(counts.keys)}
                    yield Observation(self._urls[record], keys, weights, sums)

    def rows(self, section: str) -> Iterator[Rows]:
        """Read one section of the log, so many pages at a time as the space's batch holds."""
        for first, last in self._stretches([section]):
            rows = self._sections[section].read(first, last)
            holds = np.frombuffer(bytes(self._holds[first:last]), dtype=np.uint8) > 0
            if not holds.all():
                kept = np.repeat(holds, rows.sizes)
                rows = Rows(rows.sizes[holds], rows.keys[kept], rows.figures[kept])
            yield rows

    def _section(self, name: str) -> _Section:
        return self._sections.setdefault(name, _Section(self.space, np.uint32))

    def _stretches(self, sections: Iterable[str]) -> Iterator[tuple[int, int]]:
        """Cut the records into stretches of about as many entries as are read at a time."""
        records = len(self._urls)
        ends = sum(
            (self._sections[name].all_ends(records) for name in sections),
            start=np.zeros(records + 1, dtype=np.int64),
        )
        return stretches(ends, self.space.batch)

    def _pages_of(
        self, section: str, first: int, last: int
    ) -> list[tuple[NDArray[np.uint64], NDArray[Any]]]:
        rows = self._sections[section].read(first, last)
        ends = [0, *np.cumsum(rows.sizes).tolist()]
        return [(rows.keys[start:stop], rows.figures[start:stop]) for start, stop in pairwise(ends)]
