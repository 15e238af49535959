"""First step: what the pages of a shard say. It depends on the shard and on settings alone.

The result is a database with a row for each page and each section of its observation: its blocks
under the name "", and what a text method adds up over the pages of a site under the method's name.
"""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from crawler.core.counting.observation import BLOCKS, KeyCounts, Observation
from crawler.core.pagetype import page_type
from crawler.core.pagination import next_part
from crawler.harvest.archive.work import Figures, read_database, shard_pages, write_database
from crawler.journey.evidence import Evidence, declared_original
from crawler.journey.item_page import Mode
from crawler.journey.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from crawler.core.flow import Document
    from crawler.harvest.archive.work import Archive, Shard
    from crawler.settings import Options

_SCHEMA: Final = """
CREATE TABLE observations
    (partition INTEGER, page INTEGER, section TEXT, facts TEXT, keys BLOB, figures BLOB);
CREATE INDEX by_partition ON observations (partition, page, section);
"""


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
    with write_database(path, _SCHEMA) as database:
        pages = shard_pages(shard, options.max_page_bytes, figures.skipped)
        for number, page in enumerate(pages):
            figures.inc_value("corpus/pages/fetched")
            observed = session.observe(page)
            if observed is not None:
                document, observation = observed
                partition = archive.partition_of(page.site_name)
                partitions.add(partition)
                rows = _rows(partition, _facts(number, document, options), observation)
                database.executemany("INSERT INTO observations VALUES (?, ?, ?, ?, ?, ?)", rows)
    if not figures.counts:
        figures.skipped("no-page", f"{shard.path}: nothing in it is a page")
    return {**figures.as_json(), "partitions": sorted(partitions), "files": [path]}


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


def _rows(partition: int, facts: PageFacts, observation: Observation) -> Iterator[tuple[Any, ...]]:
    sections: dict[str, tuple[NDArray[Any], NDArray[Any]]]
    sections = {BLOCKS: (observation.keys, observation.weights)}
    sections |= {name: (sums.keys, sums.counts) for name, sums in observation.sums.items()}
    for name, (keys, figures) in sections.items():
        facts_json = json.dumps(astuple(facts)) if name == BLOCKS else None
        packed = keys.astype("<u8").tobytes(), figures.astype("<u4").tobytes()
        yield partition, facts.number, name, facts_json, *packed


def read_observed(path: Path, partition: int) -> Iterator[tuple[PageFacts, Observation]]:
    """Read what the pages of a shard say whose sites are in a partition, in the shard's order."""
    query = (
        "SELECT page, section, facts, keys, figures FROM observations WHERE partition = ? "
        "ORDER BY page, section"
    )
    with read_database(path) as database:
        rows = database.execute(query, [partition])
        for _, of_page in groupby(rows, key=lambda row: row[0]):
            # The section of blocks comes first, since its name is empty.
            (_, _, facts_json, keys, weights), *sums = of_page
            facts = PageFacts(*json.loads(facts_json))
            yield (
                facts,
                Observation(
                    url=facts.url,
                    keys=np.frombuffer(keys, "<u8"),
                    weights=np.frombuffer(weights, "<u4").astype(np.uint16),
                    sums={
                        name: KeyCounts(np.frombuffer(keys, "<u8"), np.frombuffer(counts, "<u4"))
                        for _, name, _, keys, counts in sums
                    },
                ),
            )
