"""The last two steps of an archive: the items of a shard, by the evidence of its sites.

Pages whose item depends on the items of other pages (parts of one article, some near-duplicates)
are put aside in the judge step. In the join step one job judges those of a partition, in the order
of the archive.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Final, NoReturn

from crawler.core.errors import StoreError
from crawler.core.page.page import Page
from crawler.exporters.formats import FEED_EXPORTERS
from crawler.harvest.archive.counting import StoredEvidence
from crawler.harvest.archive.work import (
    LOST,
    WRITTEN,
    Archive,
    Figures,
    Shard,
    read_database,
    write_database,
)
from crawler.items import FIELD_ORDER, PageItem
from crawler.journey.item_page import Mode
from crawler.journey.session import Session
from crawler.journey.stages import default_stages
from crawler.store.archive import pages_in, record_bytes
from crawler.store.files import replacing

_SCHEMA: Final = """
CREATE TABLE pages (partition INTEGER, page INTEGER, record BLOB);
CREATE INDEX by_partition ON pages (partition, page);
"""
# ``WARC-Date`` of a page that has no time of its own.
_NO_DATE: Final = "1970-01-01T00:00:00Z"


def judge_shard(
    archive: Archive, number: int, shard: Shard, partitions: Sequence[int]
) -> dict[str, Any]:
    """Judge the pages of a shard and write their items: a job.

    Args:
        archive: what every job is given.
        number: the place of the shard in the order of the archive.
        shard: the file.
        partitions: those that it has sites of.

    Returns:
        The figures, and the partitions of which pages are to be ``joined``.

    Raises:
        StoreError: the file has changed since it was read, the evidence cannot be read, or the
            result cannot be written.
    """
    # The pages that are exported, and of each whether the join step judges it.
    to_judge: dict[int, bool] = {}
    for partition in partitions:
        with read_database(archive.merged_file(partition)) as database:
            query = "SELECT page, is_joined FROM pages WHERE shard = ?"
            to_judge.update(database.execute(query, [number]))
    put_aside: set[int] = set()
    files = [archive.aside_file(number)] if any(to_judge.values()) else []
    with write_database(files[0], _SCHEMA) if files else nullcontext() as aside:

        def pages() -> Iterator[Page]:
            # What gives no page was counted by the observe step.
            read = shard.pages(archive.options.max_page_bytes, lambda *_: None)
            for place, page in enumerate(read):
                if to_judge.get(place) and aside is not None:
                    partition = archive.partition_of(page.site_name)
                    put_aside.add(partition)
                    row = partition, place, gzip.compress(record_bytes(page, date=_NO_DATE), 1)
                    aside.execute("INSERT INTO pages VALUES (?, ?, ?)", row)
                elif place in to_judge:
                    yield page

        figures, items = _write_items(
            archive, f"part-{number:05}", StoredEvidence(archive), pages()
        )
    return figures.result(items + files, joined=sorted(put_aside))


def join_partition(archive: Archive, partition: int, numbers: Sequence[int]) -> dict[str, Any]:
    """Judge the pages of a partition that were put aside, and write their items: a job.

    Args:
        archive: what every job is given.
        partition: the partition.
        numbers: the shards that have put pages of it aside, ascending.

    Returns:
        The figures.

    Raises:
        StoreError: the pages or their evidence cannot be read, or the result cannot be written.
    """

    def damaged(reason: str, detail: str) -> NoReturn:
        raise StoreError(f"{detail} ({reason}): delete this file, and run the command again")

    def pages() -> Iterator[Page]:
        query = "SELECT record FROM pages WHERE partition = ? ORDER BY page"
        most = archive.options.max_page_bytes
        for path in map(archive.aside_file, numbers):
            with read_database(path) as database:
                for (record,) in database.execute(query, [partition]):
                    file = BytesIO(record)
                    yield from pages_in(file, str(path), on_skip=damaged, max_bytes=most)

    evidence = StoredEvidence(archive, joined=partition)
    figures, items = _write_items(archive, f"joined-{partition:04}", evidence, pages())
    return figures.result(items)


def _write_items(
    archive: Archive, name: str, evidence: StoredEvidence, pages: Iterable[Page]
) -> tuple[Figures, list[Path]]:
    """Judge pages and write their items, into no file where there are none."""
    options, figures = archive.options, Figures()
    path = archive.output / f"{name}.{options.output_format}"
    session = Session(
        options, figures, mode=Mode.ARCHIVE, evidence=evidence, reraise=(MemoryError,)
    )
    stages = default_stages(options, figures)
    items = (item for item in session.items(pages) if session.finish(item, stages) is not None)
    try:
        with replacing(path) as aside, aside.open("wb") as file:
            count = _export(items, options.output_format, file)
    finally:
        for stage in stages:
            stage.close()
    if not count:
        path.unlink()
    figures.inc_value(WRITTEN, count)
    figures.inc_value(LOST, session.lost)
    return figures, [path] if count else []


def _export(items: Iterable[PageItem], form: str, file: IO[bytes]) -> int:
    """Write items as feeds of Scrapy have them, JSON Lines without loading Scrapy."""
    exporter = None if form == "jsonl" else feed_exporter(form, file)
    if exporter is not None:
        exporter.start_exporting()
    count = 0
    for count, item in enumerate(items, 1):  # noqa: B007 - returned
        if exporter is not None:
            exporter.export_item(item)
        else:
            fields = {name: getattr(item, name) for name in FIELD_ORDER}
            # Lone surrogates become escapes, as in feeds, whose exporter would load Scrapy.
            text = json.dumps(fields, ensure_ascii=False)
            file.write(text.encode("utf-8", "backslashreplace") + b"\n")
    if exporter is not None:
        exporter.finish_exporting()
    return count


def feed_exporter(form: str, file: IO[bytes]) -> Any:  # noqa: ANN401 - one of Scrapy's
    """Return the exporter of a feed format; raise OptionError where a package is missing for it."""
    module, _, name = FEED_EXPORTERS[form].rpartition(".")
    return getattr(import_module(module), name)(file, encoding="utf-8")
