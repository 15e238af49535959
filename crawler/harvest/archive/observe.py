"""First pass over a shard: what its pages tell. Depends on the shard alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crawler.core.counting.observation_log import ObservationLog
from crawler.core.errors import UnreadableInputError
from crawler.core.flow import SiteCounts
from crawler.core.pagetype import page_type
from crawler.core.pagination import next_part
from crawler.harvest.archive.figures import Figures
from crawler.harvest.archive.observed import Fact, SeenSite, write_observed
from crawler.harvest.archive.pagework import ShardJourney
from crawler.harvest.archive.work import Shard, begin_job, replacing, write_json
from crawler.journey.aliases import declared_original
from crawler.store.cuts import read_stretch
from crawler.store.spill_arrays import DiskSpace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawler.core.flow import Document, Observation
    from crawler.core.page.page import Page

__all__ = ["observe_shard"]


class _Observing(ShardJourney):
    """Looks at pages, and counts nothing itself."""

    def look(self, page: Page) -> tuple[Document, Observation] | None:
        """Read and observe a page; None where that cannot be."""
        return self._observe(page)

    def fact(self, number: int, document: Document) -> Fact:
        """Return what decides about a page together with others."""
        page = document.page
        return Fact(
            number=number,
            url=page.url,
            fetched_at=page.fetched_at,
            original=declared_original(document),
            following=next_part(document.parsed, page.url) if self.options.join_parts else None,
            is_wanted=self._is_wanted(document),
        )

    def _is_wanted(self, document: Document) -> bool:
        # It matters to other pages where one of an unwanted kind may be what they repeat.
        if not self.options.drop_near_duplicates:
            return True
        found = self._attempt(document.page, lambda: page_type(document))
        return found is None or found.is_among(self._left_out.kinds)


def observe_shard(argument: Mapping[str, Any]) -> dict[str, Any]:
    """Read a shard and keep what its pages tell: a job.

    Args:
        argument: what every job has (:func:`crawler.harvest.archive.work.begin_job`), ``key`` (the
            name of the result), ``shard``, and ``partitions``, how many there are.

    Returns:
        ``pages`` that the shard has; those of them that are ``unreadable``, by number; the
        ``partitions`` that it has sites of; whether it is ``cut_off``: it does not end between two
        records, and its file goes on; ``figures``.

    Raises:
        StoreError: the file has changed since it was found, or the result cannot be written.
    """
    work, options = begin_job(argument)
    shard, figures = Shard.from_json(argument["shard"]), Figures()
    journey = _Observing(options, "", figures, mode="archive")
    space = DiskSpace(work.folder)
    sites: dict[str, SeenSite] = {}
    unreadable: list[int] = []
    is_open: list[bool] = []
    read = read_stretch(
        shard.stretch,
        on_skip=figures.skipped,
        max_bytes=options.max_page_bytes,
        on_open=lambda: is_open.append(True),
    )
    shard.check()
    pages = 0
    try:
        for page in read:
            figures.inc_value("corpus/pages/fetched")
            number, pages = pages, pages + 1
            seen = journey.look(page)
            if seen is None:
                unreadable.append(number)
                continue
            document, observation = seen
            name = page.site_name
            if name not in sites:
                sites[name] = SeenSite(SiteCounts(ObservationLog(space)))
            sites[name].counts.add(observation)
            sites[name].facts.append(journey.fact(number, document))
    except UnreadableInputError as error:
        figures.skipped("unreadable", str(error))
    finally:
        journey.close()
    shard.check()
    path = work.observed(argument["key"])
    with replacing(path) as aside:
        found = write_observed(aside, sites, argument["partitions"])
    told = {
        "pages": pages,
        "unreadable": unreadable,
        "partitions": found,
        "cut_off": bool(is_open) and not shard.is_last,
        "figures": figures.as_json(),
    }
    write_json(path.with_suffix(".json"), told)
    return told
