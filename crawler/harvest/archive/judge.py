"""Second pass: a shard's pages judged by the complete counts of their sites, and made items of.

What becomes of most pages hangs on their site's counts alone. The others (parts of one article,
some near-duplicates: :mod:`crawler.harvest.archive.merge`) are put aside here, and judged when all
shards are done, those of a partition by one process, in the order of the archive.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler.core.errors import StoreError, UnreadableInputError
from crawler.core.pagination import PartLinks
from crawler.harvest.archive.figures import Figures
from crawler.harvest.archive.merged import KnownView, ViewFile, read_parts
from crawler.harvest.archive.output import write_items
from crawler.harvest.archive.pagework import ShardJourney
from crawler.harvest.archive.work import (
    Shard,
    begin_job,
    partition_of,
    read_json,
    replacing,
    write_json,
)
from crawler.journey.aliases import Aliases
from crawler.journey.evidence import CrawlCounts
from crawler.store.archive import WarcWriter
from crawler.store.cuts import Stretch, read_stretch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from crawler.core.flow import SiteView
    from crawler.core.page.page import Page
    from crawler.settings import Options

__all__ = ["join_partition", "judge_shard"]

# Every page carries its own time; this one is of the file that they are put aside in.
_NO_DATE = "1970-01-01T00:00:00Z"


class _KnownCounts(CrawlCounts):
    """The counts of sites that were counted by others."""

    def __init__(self, options: Options, views: ViewFile) -> None:
        super().__init__(options, "", lambda: None, goes_on=False)
        self._views = views

    def complete_view(self, site: str) -> SiteView:
        return self._views.of(site).view


class _KnownAliases(Aliases):
    """Which pages are another one, as it was found for all pages of their site."""

    def original(self, url: str, view: SiteView) -> str | None:
        return view.aliases.get(url) if isinstance(view, KnownView) else None


class _Chains(PartLinks):
    """Parts of articles, as they were found for all pages of their site."""

    def __init__(self, chains: list[tuple[str, ...]]) -> None:
        super().__init__(latest_alone=True)
        self._chains = chains

    def chains(self) -> list[tuple[str, ...]]:
        return self._chains


class _Judging(ShardJourney):
    """Judges pages that others have counted.

    Args:
        options: the settings.
        figures: where figures are added up.
        views: what the pages of each site are judged by.
        joined: the sites that have parts of articles among the pages.
    """

    def __init__(
        self, options: Options, figures: Figures, views: ViewFile, joined: Iterable[str] = ()
    ) -> None:
        super().__init__(options, "", figures, mode="archive")
        self.figures = figures
        self._counts = _KnownCounts(options, views)
        self._aliases = defaultdict(_KnownAliases)
        self._links = {site: _Chains(list(views.of(site).chains)) for site in sorted(joined)}


def judge_shard(argument: Mapping[str, Any]) -> dict[str, Any]:
    """Judge the pages of a shard and write their items: a job.

    Args:
        argument: what every job has (:func:`crawler.harvest.archive.work.begin_job`), ``output``
            (folder), ``format``, ``shard``, its ``number`` in the order of the archive,
            ``observed`` (the name of what it tells), ``merged`` (that of what all shards tell),
            ``judged`` (that of the result), and ``partitions``, how many there are.

    Returns:
        How many ``items`` were written, the name of their ``file``, and its ``bytes``; the
        partitions of which pages were put aside to be judged ``together``; how many pages were
        ``lost`` to errors; ``figures``.

    Raises:
        StoreError: the file has changed since it was read, what it is judged by cannot be read, or
            the result cannot be written.
    """
    work, options = begin_job(argument)
    shard, number = Shard.from_json(argument["shard"]), int(argument["number"])
    told = read_json(work.observed(argument["observed"]).with_suffix(".json"))
    views, unwanted, together = ViewFile(), set(told["unreadable"]), set[int]()
    for partition in told["partitions"]:
        path = work.merged(argument["merged"], partition)
        part = read_parts(path, number)
        views.add(path, part)
        unwanted.update(part.unwanted)
        together.update(part.together)
    journey = _Judging(options, Figures(), views)

    def pages(put_aside: _PutAside) -> Iterator[Page]:
        read = read_stretch(shard.stretch, on_skip=_told_before, max_bytes=options.max_page_bytes)
        try:
            for place, page in enumerate(read):
                if place in together:
                    put_aside.add(page)
                elif place not in unwanted:
                    yield page
        except UnreadableInputError as error:
            # As in the first reading, where it was told: what came before it is an archive's.
            _told_before("unreadable", str(error))

    shard.check()
    aside_path = work.together(argument["judged"], number)
    with ExitStack() as stack:
        put_aside = _PutAside(aside_path, argument["partitions"], stack)
        value = _write(argument, f"part-{number:05}", journey, pages(put_aside))
        shard.check()
    value["together"] = put_aside.places
    write_json(work.judged(argument["judged"], number), value)
    return {**value, "together": sorted(put_aside.places)}


def join_partition(argument: Mapping[str, Any]) -> dict[str, Any]:
    """Judge the pages of a partition that were put aside, and write their items: a job.

    Args:
        argument: as :func:`judge_shard` has it, with ``partition``, and ``numbers`` of the shards
            that have put pages aside, in place of the shard.

    Returns:
        What :func:`judge_shard` does.

    Raises:
        StoreError: what pages are judged by cannot be read, or the result cannot be written.
    """
    work, options = begin_job(argument)
    partition, key = int(argument["partition"]), argument["judged"]
    numbers: list[int] = sorted(argument["numbers"])
    views = ViewFile()
    stretches: list[Stretch] = []
    concerned: set[str] = set()
    for number in numbers:
        views.add(path := work.merged(argument["merged"], partition), read_parts(path, number))
        put_aside = work.together(key, number)
        sites, places = read_json(work.judged(key, number))["together"][str(partition)]
        stretches += [Stretch(put_aside, *place) for place in places]
        concerned.update(sites)
    journey = _Judging(options, Figures(), views, concerned)
    pages = (
        page
        for stretch in stretches
        for page in read_stretch(stretch, on_skip=_damaged, max_bytes=options.max_page_bytes)
    )
    value = {**_write(argument, f"joined-{partition:04}", journey, pages), "numbers": numbers}
    write_json(work.joined(key, partition), value)
    return value


class _PutAside:
    """Pages of a shard that are judged together with others, in a file that is made when wanted.

    Args:
        path: the file.
        partitions: how many partitions there are.
        stack: when it is left, the file is whole, or gone where that is for an error.
    """

    def __init__(self, path: Path, partitions: int, stack: ExitStack) -> None:
        self.places: dict[str, tuple[dict[str, None], list[tuple[int, int]]]] = {}
        """By partition, the sites of its pages, and where these stand in the file."""
        self._path = path
        self._partitions = partitions
        self._stack = stack
        self._writer: WarcWriter | None = None

    def add(self, page: Page) -> None:
        if self._writer is None:
            aside = self._stack.enter_context(replacing(self._path))
            self._writer = self._stack.enter_context(WarcWriter(aside, date=_NO_DATE))
        start = self._writer.write(page)
        site = page.site_name
        partition = str(partition_of(site, self._partitions))
        sites, places = self.places.setdefault(partition, ({}, []))
        sites.setdefault(site)
        if places and places[-1][1] == start:
            # One stretch, to be opened once.
            start, _ = places.pop()
        places.append((start, self._writer.size))


def _write(
    argument: Mapping[str, Any], name: str, journey: _Judging, pages: Iterator[Page]
) -> dict[str, Any]:
    """Judge pages and write their items; return what became of them."""
    form = argument["format"]
    path = Path(argument["output"]) / f"{name}.{form}"
    try:
        count = write_items(path, form, journey.items(pages))
    finally:
        journey.close()
    return {
        "items": count,
        "file": path.name,
        "bytes": path.stat().st_size if count else 0,
        "lost": journey.lost,
        "figures": journey.figures.as_json(),
    }


def _told_before(reason: str, detail: str) -> None:
    """Tell nothing: what gives no page was told in the first pass."""


def _damaged(reason: str, detail: str) -> None:
    raise StoreError(f"{detail} ({reason}): delete this file, and run the command again")
