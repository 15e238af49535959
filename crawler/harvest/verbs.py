"""What the verbs of ``scrapy harvest`` do: run, watch, status and check."""

from __future__ import annotations

import json
import os
import shlex
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from crawler.core.errors import ArgumentError, CorpusError, StoreError, one_line
from crawler.core.wording import counted, show_seconds
from crawler.harvest.display import Display, summary_lines
from crawler.harvest.engine import ThreadEngine, open_engine, stop_by_signals
from crawler.harvest.history import History, show_time
from crawler.harvest.plan import read_plan
from crawler.harvest.runner import Harvest
from crawler.harvest.schedule import next_times
from crawler.harvest.site_job import SETTINGS_MODULE, crawl_command, discover
from crawler.harvest.status import as_json, as_page, gather, lines
from crawler.harvest.storage import Storage, site_folder
from crawler.store.files import known_sites, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crawler.harvest.engine import Workers
    from crawler.harvest.plan import Plan, SitePlan

__all__ = ["check", "run", "status", "watch"]

_HARVEST_LOCK = "harvest"


def run(path: Path, ids: Sequence[str], workers: Workers, *, only_due: bool) -> bool:
    """Run sites of a plan: all, those named, or those of them that are due.

    Returns:
        Whether all went well.

    Raises:
        CorpusError: the plan, the call, the storage or the cluster is of no use.
    """
    plan = read_plan(path)
    sites = _chosen(plan, ids)
    with _harvest(plan, workers, 0 if only_due else len(sites)) as harvest:
        harvest.run(sites, only_due=only_due)
    return harvest.tally.went_well


def watch(path: Path, workers: Workers) -> bool:
    """Run the sites of a plan when they are due, until Ctrl-C or SIGTERM; always True.

    Raises:
        CorpusError: as for :func:`run`.
    """
    plan = read_plan(path)
    with _harvest(plan, workers, 0) as harvest:
        harvest.watch()
    return True


@contextmanager
def _harvest(plan: Plan, workers: Workers, sites: int) -> Iterator[Harvest]:
    """Give a harvest, and print its summary at the end.

    Args:
        plan: the plan.
        workers: who runs the crawls.
        sites: how many sites are wanted; 0 where nobody knows.
    """
    began = time.monotonic()
    storage = Storage(plan.output)
    # The history of a store is a copy while a harvest runs: two of them would lose each other's.
    release = storage.lock(_HARVEST_LOCK) if not storage.is_folder else lambda: None
    if release is None:
        raise CorpusError(f"another harvest runs at {plan.output}: wait for its end")
    try:
        with (
            Display(sites) as display,
            storage.history() as (file, changed),
            open_engine(workers, ThreadEngine) as engine,
            stop_by_signals(engine, display.said),
        ):
            harvest = Harvest(
                plan,
                engine=engine,
                history=History(file, changed),
                lock=storage.lock,
                listener=display,
            )
            yield harvest
    finally:
        release()
    for line in summary_lines(harvest.tally, time.monotonic() - began):
        print(line)  # noqa: T201 - the command's answer


def status(path: Path, ids: Sequence[str], *, last: int, html: str | None, json_: bool) -> bool:
    """Print the history of sites, or write it to an HTML file; always True.

    Args:
        path: the plan.
        ids: the sites wanted; all where there are none.
        last: so many of the last entries of each; 0 for all.
        html: the HTML file to write.
        json_: print JSON in place of a table.

    Raises:
        CorpusError: the history cannot be read, or the file not be written.
    """
    plan = read_plan(path)
    sites, now, storage = _chosen(plan, ids), datetime.now(UTC), Storage(plan.output)

    def is_running(site: str) -> bool:
        if storage.path is None:
            # Nobody knows: the next harvest does.
            return True
        release = storage.lock(site)
        if release is not None:
            release()
        return release is None

    with storage.history() as (file, _):
        statuses = gather(sites, History(file), is_running, now, last)
    if html is not None:
        write_whole(Path(html), [as_page(statuses, path.name, now).encode()])
        answer = [f"{html} shows {counted(len(statuses), 'site')}"]
    elif json_:
        answer = [json.dumps(as_json(statuses), ensure_ascii=False, indent=1)]
    else:
        answer = list(lines(statuses))
    for line in answer:
        print(line)  # noqa: T201 - the command's answer
    return True


def check(path: Path, ids: Sequence[str], *, times: int, fetch: int | None) -> bool:
    """Print when sites would run, by which command, and with ``fetch`` which pages they would get.

    Returns:
        Whether all sites have something to fetch, as far as they were asked.

    Raises:
        CorpusError: the plan is wrong, or nothing can be stored at its output.
    """
    plan = read_plan(path)
    sites, storage = _chosen(plan, ids), Storage(plan.output)
    for line in _check_lines(plan, sites, storage, times):
        print(line, flush=True)  # noqa: T201 - the command's answer
    all_well = True
    for site in () if fetch is None else sites:
        print(f"{site.id}: a first crawl would fetch", flush=True)  # noqa: T201 - as above
        all_well = discover(site, fetch or 0) and all_well
    return all_well


def _check_lines(
    plan: Plan, sites: Sequence[SitePlan], storage: Storage, times: int
) -> Iterator[str]:
    now = datetime.now(UTC)
    where = f"output: {plan.output}"
    if storage.path is not None:
        where += _flaw_of(storage.path)
    yield f"{plan.path}: {counted(len(plan.sites), 'site')}"
    yield where
    for site in sites:
        put_off = f", put off by up to {show_seconds(site.jitter)}" if site.jitter else ""
        when = f"{site.cron} {site.time_zone}{put_off}" if site.cron else "only by hand (no 'cron')"
        yield f"{site.id}: {when}"
        for planned in next_times(site, now, times):
            yield f"  {show_time(planned)} UTC"
        folder = f"{plan.output.rstrip('/')}/{site_folder(site.id)}"
        command = shlex.join(["scrapy", *crawl_command(site, folder)])
        yield f"  SCRAPY_SETTINGS_MODULE={SETTINGS_MODULE} {command}"


def _flaw_of(path: Path) -> str:
    """Say whether the caller may not write to a folder that is there or is to be made.

    Raises:
        StoreError: no harvest can lie there.
    """
    # Those of os answer for paths that cannot be looked at, too.
    there = next(one for one in (path, *path.parents) if os.path.lexists(one) or one == one.parent)
    if not os.path.isdir(there):  # noqa: PTH112 - as said
        raise StoreError(f"output: {there} is no folder; name another one in the plan")
    # A plan may be checked by somebody else than who runs it.
    return "" if os.access(there, os.W_OK | os.X_OK) else f" (you may not write to {there})"


def _chosen(plan: Plan, ids: Sequence[str]) -> tuple[SitePlan, ...]:
    """Return the sites that are asked for; all where none is.

    Raises:
        ArgumentError: the plan has no site of that id.
    """
    known = [site.id for site in plan.sites]
    for wanted in ids:
        if wanted not in known:
            there = known_sites(wanted, known)
            raise ArgumentError(f"{plan.path} has no site '{one_line(wanted)}'; {there}")
    return tuple(site for site in plan.sites if not ids or site.id in ids)
