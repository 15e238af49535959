"""What each page contributes to the counts of its site, and the log that keeps it."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from crawler.core.counting.arrays import ArraySpace
from crawler.core.page.blocks import Block

BLOCKS = ""
"""Name of the section of a log that holds blocks and their weights; the others hold sums."""

_MAX_WEIGHT = 65_535


# No slots: the levels of a large site are computed once.
@dataclass(frozen=True)
class KeyCounts:
    """A figure for each of some 64-bit keys.

    Attributes:
        keys: Distinct, ascending, uint64.
        counts: The figure of each; uint32, of blocks uint16.
    """

    keys: NDArray[np.uint64]
    counts: NDArray[Any]

    @classmethod
    def of(cls, counts: Mapping[int, int], kind: DTypeLike = np.uint32) -> Self:
        """Make key counts of a mapping.

        Raises:
            OverflowError: a key is no unsigned 64-bit number, or a figure is not of that type.
        """
        keys = np.fromiter(counts.keys(), dtype=np.uint64, count=len(counts))
        figures = np.fromiter(counts.values(), dtype=kind, count=len(counts))
        order = np.argsort(keys)
        return cls(keys[order], figures[order])

    def equals(self, other: KeyCounts) -> bool:
        """Tell whether both have the same keys and figures."""
        return np.array_equal(self.keys, other.keys) and np.array_equal(self.counts, other.counts)

    @cached_property
    def levels(self) -> NDArray[Any]:
        """The distinct figures, ascending."""
        return np.unique(self.counts)

    def look_up(self, keys: Sequence[int]) -> list[int]:
        """Return the figure of each of some keys; 0 for a key that has none."""
        return look_up(self.keys, self.counts, keys, 0)


def look_up(
    keys: NDArray[np.uint64], figures: NDArray[np.uint32], wanted: Sequence[int], otherwise: int
) -> list[int]:
    """Look up the figures of some keys.

    Args:
        keys: distinct, ascending.
        figures: the figure of each.
        wanted: the keys to look up.
        otherwise: the figure of a key that has none.
    """
    if not len(wanted) or not len(keys):
        return [otherwise] * len(wanted)
    asked = np.array(wanted, dtype=np.uint64)
    places = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    found: list[int] = np.where(keys[places] == asked, figures[places], otherwise).tolist()
    return found


@dataclass(frozen=True, slots=True)
class Observation:
    """What one page contributes to the counts: its blocks, and how much text each has.

    Attributes:
        url: The page's address.
        keys: Distinct block keys of the page, ascending, uint64.
        weights: For each key the characters of its block that are not hyperlink text, uint16
            (capped). Near-duplicate pages are recognised by them.
        sums: What a method adds up over the site, by the method's own names.
    """

    url: str
    keys: NDArray[np.uint64]
    weights: NDArray[np.uint16]
    sums: Mapping[str, KeyCounts] = field(default_factory=dict)

    @property
    def sections(self) -> dict[str, KeyCounts]:
        """All its figures by the names of the sections of a log."""
        return {BLOCKS: KeyCounts(self.keys, self.weights), **self.sums}

    def union(self, other: Observation) -> Observation:
        """Join two observations of one address: all blocks, each with its larger weight.

        What the page adds to a sum is the larger of both. Returns ``self`` where the observations
        are equal.
        """
        ours, theirs = self.sections, other.sections
        if ours.keys() == theirs.keys() and all(ours[name].equals(theirs[name]) for name in ours):
            return self
        joined = {
            name: _larger(ours.get(name, _NO_COUNTS), theirs.get(name, _NO_COUNTS))
            for name in ours.keys() | theirs.keys()
        }
        blocks = joined.pop(BLOCKS)
        return Observation(self.url, blocks.keys, blocks.counts.astype(np.uint16), joined)


def observe_blocks(
    url: str, blocks: Iterable[Block], sums: Mapping[str, Mapping[int, int]] | None = None
) -> Observation:
    """Observe one page: each distinct block counts once.

    Args:
        url: the page's address.
        blocks: its visible blocks.
        sums: what else is added up over the site, by name: 64-bit key to what it adds.

    Raises:
        ValueError: a name is empty, which is the name of the blocks.
        OverflowError: a key or a figure is out of its range.
    """
    if sums and "" in sums:
        raise ValueError("what a method counts needs a name that is not empty")
    weights: dict[int, int] = {}
    for block in blocks:
        weight = min(block.chars - block.link_chars, _MAX_WEIGHT)
        weights[block.key] = max(weight, weights.get(block.key, 0))
    own = KeyCounts.of(weights, np.uint16)
    key_counts = {name: KeyCounts.of(counts) for name, counts in (sums or {}).items()}
    return Observation(url, own.keys, own.counts, key_counts)


def _larger(one: KeyCounts, other: KeyCounts) -> KeyCounts:
    """Join keys, each with the larger of its figures."""
    joined = np.union1d(one.keys, other.keys)
    largest = np.zeros(len(joined), dtype=np.uint32)
    largest[np.searchsorted(joined, one.keys)] = one.counts
    places = np.searchsorted(joined, other.keys)
    largest[places] = np.maximum(largest[places], other.counts)
    return KeyCounts(joined, largest)


_NO_COUNTS = KeyCounts.of({})


@dataclass(frozen=True, slots=True)
class Rows:
    """The entries of some pages in one section, joined.

    Attributes:
        sizes: How many entries each page has, int64.
        keys, figures: The entries, page after page.
    """

    sizes: NDArray[np.int64]
    keys: NDArray[np.uint64]
    figures: NDArray[Any]

    def __len__(self) -> int:
        """Return the number of pages."""
        return len(self.sizes)


def batches(ends: NDArray[np.int64], batch: int) -> Iterator[tuple[int, int]]:
    """Divide a sequence of pages into batches.

    Args:
        ends: where the entries of each page end, from before the first page on.
        batch: most entries of a batch, unless one page has more.

    Yields:
        The first page of a batch, and the page after its last.
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

    def __init__(self, space: ArraySpace, kind: DTypeLike) -> None:
        self.keys = space.array(np.uint64)
        self.figures = space.array(kind)
        # Where the entries of each record end, from before the first on. Records without entries
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
        """Give at least so many records an end."""
        missing = records + 1 - len(self.ends)
        if missing > 0:
            self.ends.extend([self.ends[-1]] * missing)

    def read(self, first: int, last: int) -> Rows:
        """Return the entries of the records from ``first`` up to ``last``."""
        self.pad(last)
        ends = np.frombuffer(self.ends[first : last + 1], dtype=np.int64)
        start, stop = int(ends[0]), int(ends[-1])
        return Rows(np.diff(ends), self.keys.read(start, stop), self.figures.read(start, stop))

    def all_ends(self, records: int) -> NDArray[np.int64]:
        self.pad(records)
        return np.array(self.ends, dtype=np.int64)


class ObservationLog:
    """A site's observations, one a page: appended at the end, read in the order of writing.

    An address that is observed again gets a new record at the end, the union of both; its old
    record is not read any more.

    Args:
        space: where the records are kept; without, in memory.
    """

    def __init__(self, space: ArraySpace | None = None) -> None:
        self.space: ArraySpace = space or ArraySpace()
        self._records: dict[str, int] = {}  # the valid record of each address
        self._urls: list[str] = []
        self._valid = bytearray()
        self._sections = {BLOCKS: _Section(self.space, np.uint16)}

    def __len__(self) -> int:
        """Return the number of pages."""
        return len(self._records)

    @property
    def sections(self) -> list[str]:
        """The names of the sections: :data:`BLOCKS`, then those of the sums, sorted."""
        return sorted(self._sections)

    def urls(self) -> list[str]:
        """Return the addresses, in the order in which pages are read."""
        return [url for url, valid in zip(self._urls, self._valid, strict=True) if valid]

    def entries(self, section: str) -> int:
        """Return how many entries a section has, with those of old records."""
        return len(self._sections[section].keys)

    def sizes(self, section: str) -> NDArray[np.int64]:
        """Return how many entries of a section each page has, in the order of reading."""
        sizes = np.diff(self._sections[section].all_ends(len(self._urls)))
        return sizes[self._is_valid(0, len(self._urls))]

    def add(self, observation: Observation) -> None:
        """Put a page into the log, or what is new of a page that it holds."""
        url = observation.url
        known = self._records.get(url)
        if known is not None:
            before = self.page(url)
            observation = before.union(observation)
            if observation is before:
                return
            self._valid[known] = 0
        record = self._records[url] = len(self._urls)
        self._urls.append(url)
        self._valid.append(1)
        for name, part in observation.sections.items():
            if len(part.keys):
                self._section(name).append(record, part.keys, part.counts)

    def extend(self, urls: Sequence[str], sections: Mapping[str, Iterable[Rows]]) -> None:
        """Put many pages into the log at once.

        Args:
            urls: their addresses, distinct, none of them in the log.
            sections: for each section the rows of all pages, in pieces of any size.
        """
        first = len(self._urls)
        for name, pieces in sections.items():
            section = self._section(name)
            section.pad(first)
            for rows in pieces:
                section.extend(rows)
        self._urls.extend(urls)
        self._records.update(zip(urls, range(first, len(self._urls)), strict=True))
        self._valid.extend(b"\1" * len(urls))

    def merge(self, other: ObservationLog) -> None:
        """Put all pages of another log into this one."""
        if self._records.keys().isdisjoint(other._records):
            self.extend(other.urls(), {name: other.rows(name) for name in other.sections})
        else:
            for observation in other.pages():
                self.add(observation)

    def page(self, url: str) -> Observation:
        """Return the observation of an address; KeyError where there is none."""
        record = self._records[url]
        return next(self._observations(record, record + 1))

    def blocks(self, url: str) -> tuple[NDArray[np.uint64], NDArray[np.uint16]]:
        """Return the block keys of a page and their weights; KeyError where there is none."""
        record = self._records[url]
        rows = self._sections[BLOCKS].read(record, record + 1)
        return rows.keys, rows.figures

    def pages(self) -> Iterator[Observation]:
        """Read the log page by page."""
        for first, last in self._batches(self._sections):
            yield from self._observations(first, last)

    def rows(self, section: str) -> Iterator[Rows]:
        """Read one section of the log, as many pages at a time as the space's batch holds."""
        for first, last in self._batches([section]):
            rows = self._sections[section].read(first, last)
            valid = self._is_valid(first, last)
            if not valid.all():
                kept = np.repeat(valid, rows.sizes)
                rows = Rows(rows.sizes[valid], rows.keys[kept], rows.figures[kept])
            yield rows

    def _section(self, name: str) -> _Section:
        return self._sections.setdefault(name, _Section(self.space, np.uint32))

    def _is_valid(self, first: int, last: int) -> NDArray[np.bool_]:
        return np.frombuffer(bytes(self._valid[first:last]), dtype=np.bool_)

    def _batches(self, sections: Iterable[str]) -> Iterator[tuple[int, int]]:
        """Divide the records into batches of about as many entries as are read at a time."""
        records = len(self._urls)
        ends = sum(
            (self._sections[name].all_ends(records) for name in sections),
            start=np.zeros(records + 1, dtype=np.int64),
        )
        return batches(ends, self.space.batch)

    def _observations(self, first: int, last: int) -> Iterator[Observation]:
        parts: dict[str, list[KeyCounts]] = {}
        for name in self.sections:
            rows = self._sections[name].read(first, last)
            ends = np.cumsum(rows.sizes)[:-1]
            pairs = map(KeyCounts, np.split(rows.keys, ends), np.split(rows.figures, ends))
            parts[name] = list(pairs)
        blocks = parts.pop(BLOCKS)
        for number, record in enumerate(range(first, last)):
            if self._valid[record]:
                own = blocks[number]
                found = {name: part[number] for name, part in parts.items()}
                sums = {name: counts for name, counts in found.items() if len(counts.keys)}
                yield Observation(self._urls[record], own.keys, own.counts, sums)
