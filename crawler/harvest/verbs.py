"""What the verbs of ``scrapy harvest`` do: run, watch, status and check.

Each is given the options of :mod:`crawler.commands.harvest`, and returns whether all went well.
CorpusError is raised where the plan, the call, the storage or the cluster is of no use.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from scrapy.settings import BaseSettings

from crawler.core.errors import ArgumentError, CorpusError, StoreError, one_line
from crawler.core.wording import counted, show_seconds
from crawler.harvest.cluster import open_engine
from crawler.harvest.engine import ThreadEngine, stop_by_signals
from crawler.harvest.history import History, show_time
from crawler.harvest.plan import Plan, SitePlan, read_plan
from crawler.harvest.runner import Harvest
from crawler.harvest.schedule import next_times
from crawler.harvest.site_job import SETTINGS_MODULE, crawl_command
from crawler.harvest.status import Display, as_json, as_page, gather, lines, summary_lines
from crawler.harvest.storage import Storage, site_folder
from crawler.reports.stdout import print_line
from crawler.store.files import known_sites, write_whole


def run(opts: argparse.Namespace, _settings: BaseSettings) -> bool:
    """Run sites of a plan: all, those named, or those of them that are due."""
    plan, sites = _plan(opts)
    with _harvest(plan, opts, 0 if opts.due else len(sites)) as harvest:
        harvest.run(sites, only_due=opts.due)
    return harvest.went_well


def watch(opts: argparse.Namespace, _settings: BaseSettings) -> bool:
    """Run the sites of a plan when they are due, until Ctrl-C or SIGTERM; always True."""
    with _harvest(read_plan(Path(opts.plan)), opts, 0) as harvest:
        harvest.watch()
    return True


@contextmanager
def _harvest(plan: Plan, opts: argparse.Namespace, sites: int) -> Iterator[Harvest]:
    """Give a harvest of so many sites, 0 where nobody knows; print its summary at the end."""
    began, storage, display = time.monotonic(), Storage(plan.output), Display(sites)
    # The history of a store is a copy while a harvest runs: two of them would lose each other's.
    release = (lambda: None) if storage.is_folder else storage.lock("harvest")
    if release is None:
        raise CorpusError(f"another harvest runs at {plan.output}: wait for its end")
    try:
        with (
            storage.history() as (file, changed),
            open_engine(opts, ThreadEngine) as engine,
            stop_by_signals(engine, display.said),
        ):
            history = History(file, changed)
            harvest = Harvest(
                plan, engine=engine, history=history, lock=storage.lock, display=display
            )
            yield harvest
    finally:
        release()
    seconds = time.monotonic() - began
    for line in summary_lines(harvest.ended, seconds, harvest.missed, harvest.left):
        print_line(line)


def status(opts: argparse.Namespace, _settings: BaseSettings) -> bool:
    """Print the history of sites, or write it to an HTML file; always True."""
    plan, sites = _plan(opts)
    now, storage = datetime.now(UTC), Storage(plan.output)
    with storage.history() as (file, _):
        statuses = gather(sites, History(file), storage.is_locked, now, opts.last)
    if opts.html:
        write_whole(Path(opts.html), [as_page(statuses, plan.path.name, now).encode()])
        print_line(f"{opts.html} shows {counted(len(statuses), 'site')}")
    elif opts.json:
        print_line(json.dumps(as_json(statuses), ensure_ascii=False, indent=1))
    else:
        for line in lines(statuses):
            print_line(line)
    return True


def check(opts: argparse.Namespace, _settings: BaseSettings) -> bool:
    """Print when sites would run, and by which command; always True."""
    plan, sites = _plan(opts)
    storage, now = Storage(plan.output), datetime.now(UTC)
    flaw = "" if storage.path is None else _flaw_of(storage.path)
    print_line(f"{plan.path}: {counted(len(plan.sites), 'site')}")
    print_line(f"output: {plan.output}{flaw}")
    for site in sites:
        put_off = f", put off by up to {show_seconds(site.jitter)}" if site.jitter else ""
        when = f"{site.cron} {site.time_zone}{put_off}" if site.cron else "only by hand (no 'cron')"
        print_line(f"{site.id}: {when}")
        for planned in next_times(site, now, opts.times):
            print_line(f"  {show_time(planned)} UTC")
        folder = f"{plan.output.rstrip('/')}/{site_folder(site.id)}"
        command = shlex.join(["scrapy", *crawl_command(site, folder)])
        print_line(f"  SCRAPY_SETTINGS_MODULE={SETTINGS_MODULE} {command}")
    return True


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


def _plan(opts: argparse.Namespace) -> tuple[Plan, Sequence[SitePlan]]:
    """Read the plan; return it with the sites that are asked for, all where none is."""
    plan = read_plan(Path(opts.plan))
    known = [site.id for site in plan.sites]
    for wanted in opts.sites:
        if wanted not in known:
            there = known_sites(wanted, known)
            raise ArgumentError(f"{plan.path} has no site '{one_line(wanted)}'; {there}")
    return plan, [site for site in plan.sites if not opts.sites or site.id in opts.sites]
