"""What a plan would do: when its sites would run next, and what they would fetch."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from crawler.core.errors import CorpusError, StoreError
from crawler.core.wording import counted, show_seconds
from crawler.harvest.history import show_time
from crawler.harvest.jobs import Job
from crawler.harvest.schedule import next_times

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from crawler.harvest.jobs import Outcome
    from crawler.harvest.plan import Plan, SitePlan

__all__ = ["discover_site", "fetch_job", "found_lines", "output_line", "schedule_lines"]

DISCOVER_SITE: Final = "crawler.harvest.check:discover_site"
_SECONDS: Final = 600.0
_GRACE_SECONDS: Final = 1.0


def output_line(output: str) -> str:
    """Say where a harvest lies, and whether whoever asks may write there. Writes nothing.

    Args:
        output: as a plan has it; a store that is none of this machine is not asked.

    Raises:
        StoreError: no harvest can lie there.
    """
    scheme, is_url, _ = output.partition("://")
    if is_url and scheme != "file":
        return f"output: {output}"
    path = Path(unquote(urlsplit(output).path) if is_url else output).absolute()
    # Those of os answer for paths that cannot be looked at, too.
    there = next(one for one in (path, *path.parents) if os.path.lexists(one) or one == one.parent)
    if not os.path.isdir(there):  # noqa: PTH112 - as said
        raise StoreError(f"output: {there} is no folder; name another one in the plan")
    # A plan may be checked by somebody else than who runs it.
    is_open = os.access(there, os.W_OK | os.X_OK)
    return f"output: {output}" + ("" if is_open else f" (you may not write to {there})")


def schedule_lines(
    plan: Plan, sites: Sequence[SitePlan], now: datetime, times: int
) -> Iterator[str]:
    """Give when each site would run: its id, its schedule, and so many planned times, in UTC.

    Raises:
        StoreError: no harvest can lie at the plan's output.
    """
    where = output_line(plan.output)
    yield f"{plan.path}: {counted(len(plan.sites), 'site')}"
    yield where
    for site in sites:
        if not site.cron:
            yield f"{site.id}: never by itself (no 'cron')"
            continue
        put_off = f", put off by up to {show_seconds(site.jitter)}" if site.jitter else ""
        yield f"{site.id}: {site.cron} {site.time_zone}{put_off}"
        for planned in next_times(site, now, times):
            yield f"  {show_time(planned)} UTC"


def fetch_job(site: SitePlan, limit: int) -> Job:
    """Make the job that finds out what a crawl of a site would fetch, at most ``limit`` of it."""
    return Job(
        function=DISCOVER_SITE,
        argument={
            "arguments": site.spider_arguments(),
            "settings": dict(site.settings),
            "limit": limit,
        },
        seconds=min(site.time_limit or _SECONDS, _SECONDS),
        name=site.id,
        # It leaves nothing that would have to be kept.
        grace=_GRACE_SECONDS,
    )


def discover_site(argument: Mapping[str, Any]) -> dict[str, Any]:
    """Find what a crawl would fetch, as ``scrapy discover`` does; called once in a process.

    Args:
        argument: ``arguments`` of the spider, ``settings`` and the most pages told, ``limit``.

    Returns:
        ``pages`` (the number found), ``shown`` (lines of a table) and ``notes``.
    """
    from scrapy.crawler import AsyncCrawlerProcess  # noqa: PLC0415 - needed in a job alone
    from scrapy.settings import Settings  # noqa: PLC0415 - as above

    from crawler.spiders.preview import find_pages, table  # noqa: PLC0415 - as above

    # As in the crawl, no project that lies around has a say.
    settings = Settings({"LOG_ENABLED": False})
    settings.setdict(argument["settings"], "cmdline")
    found = find_pages(argument["arguments"], AsyncCrawlerProcess(settings))
    return {
        "pages": len(found.visits),
        "shown": list(table(found.visits[: argument["limit"]])),
        "notes": found.notes,
    }


def found_lines(outcome: Outcome) -> Iterator[str]:
    """Say what a site's job has found.

    Raises:
        CorpusError: it found nothing; the message says why.
    """
    value = outcome.value
    if not outcome.is_done or not isinstance(value, dict):
        raise CorpusError(f"{outcome.name}: {outcome.detail or outcome.reason}")
    yield f"{outcome.name}: {counted(value['pages'], 'page')} would be fetched first"
    for line in value["shown"]:
        yield f"  {line}"
    if (more := value["pages"] - max(0, len(value["shown"]) - 1)) > 0:
        yield f"  and {more:,} more"
    for note in value["notes"]:
        yield f"  ({note})"
