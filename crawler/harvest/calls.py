"""What ``scrapy harvest`` does, behind its options."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
import uuid
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from crawler.core.errors import ArgumentError, CorpusError, one_line
from crawler.core.wording import counted
from crawler.harvest import status as of
from crawler.harvest.alerts import Alerter
from crawler.harvest.check import fetch_job, found_lines, schedule_lines
from crawler.harvest.crew import JobCrew
from crawler.harvest.executors import LocalExecutor
from crawler.harvest.harvesting import Harvest, run_all
from crawler.harvest.history import History
from crawler.harvest.locks import BusyError, Claim
from crawler.harvest.plantables import nearest
from crawler.harvest.readers import read_all
from crawler.harvest.shown import Display, summary_lines
from crawler.harvest.sitetask import site_job
from crawler.harvest.statuspage import page
from crawler.harvest.stopping import stop_wishes
from crawler.harvest.storage import Storage
from crawler.harvest.watch import PlanWatch, Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from crawler.harvest.executors import Places
    from crawler.harvest.plan import Plan, SitePlan

__all__ = ["ExecutorCall", "check", "chosen", "run", "status", "watch"]


@dataclass(frozen=True, slots=True)
class ExecutorCall:
    """Which executor is wanted.

    ``name``
        ``local`` or ``dask``.
    ``processes``
        How many jobs at once, for ``local``.
    ``scheduler``
        Address of a Dask scheduler, for ``dask``.
    """

    name: str = "local"
    processes: int | None = None
    scheduler: str | None = None

    def make(self) -> Places:
        """Return the executor.

        Raises:
            ArgumentError: what is given does not fit together.
            CorpusError: the scheduler does not answer.
        """
        if self.name == "dask":
            if not self.scheduler:
                raise ArgumentError("--executor dask needs --scheduler ADDRESS of a Dask scheduler")
            if self.processes is not None:
                raise ArgumentError(
                    "--processes is for --executor local; a cluster has its workers"
                )
            from crawler.harvest.daskexec import DaskExecutor  # noqa: PLC0415 - needs an extra

            return DaskExecutor(self.scheduler)
        if self.scheduler:
            raise ArgumentError("--scheduler is for --executor dask")
        processes = 2 if self.processes is None else self.processes
        if processes < 1:
            raise ArgumentError(f"--processes is {processes}; give 1 or more")
        return LocalExecutor(processes)


class _StorageLocks:
    """Locks of harvests, beside those of the crawls themselves.

    A crawl's own lock ends with its process; this one is held until the history has the run.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        owner = f"harvest-{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._claim = Claim(owner, patience=0)

    def take(self, site: str) -> Callable[[], None] | None:
        held = ExitStack()
        try:
            held.enter_context(self._storage.lock(_lock_name(site), self._claim))
        except BusyError:
            return None
        return held.close


def _lock_name(site: str) -> str:
    """Return the name of a harvest's lock of a site: no id of a site has a space."""
    return f"harvest {site}"


def chosen(plan: Plan, ids: Sequence[str]) -> tuple[SitePlan, ...]:
    """Return the sites that are asked for; all where none is.

    Raises:
        ArgumentError: the plan has no site of that id.
    """
    known = {site.id: site for site in plan.sites}
    for wanted in ids:
        if wanted not in known:
            near = nearest(wanted, known)
            advice = f"did you mean '{near}'?" if near else f"it has {', '.join(list(known)[:20])}"
            raise ArgumentError(f"{plan.path} has no site '{one_line(wanted)}'; {advice}")
    return tuple(site for site in plan.sites if not ids or site.id in ids)


def run(plan: Plan, sites: Sequence[SitePlan], call: ExecutorCall, *, only_due: bool) -> bool:
    """Run sites, all or those that are due; tell whether all went well."""
    began = time.monotonic()
    with (
        Display(0 if only_due else len(sites)) as display,
        _harvest(plan, call, display) as (harvest, _),
        stop_wishes(display.said) as should_stop,
    ):
        if only_due:
            looks = read_all(harvest.may_be_due, sites)
            sites = [site for site, look in zip(sites, looks, strict=True) if look]
        for site in sites:
            harvest.want(site, plan.alerts, only_due=only_due)
        run_all(harvest, should_stop)
    for line in summary_lines(harvest.tally, time.monotonic() - began):
        print(line)  # noqa: T201 - the command's answer
    return harvest.tally.went_well


def watch(plan: Plan, call: ExecutorCall) -> None:
    """Run what is due when it is due, until Ctrl-C or SIGTERM."""
    began = time.monotonic()
    with Display() as display, _harvest(plan, call, display) as (harvest, history):
        watcher = Watch(
            harvest=harvest,
            history=history,
            plans=PlanWatch(plan, display.said),
            listener=display,
        )
        with stop_wishes(display.said) as should_stop:
            display.said(
                f"watching {plan.path}: {counted(len(plan.sites), 'site')}; Ctrl-C ends it"
            )
            watcher.run(should_stop)
    for line in summary_lines(harvest.tally, time.monotonic() - began):
        print(line)  # noqa: T201 - the command's answer


def status(plan: Plan, ids: Sequence[str], *, last: int, html: Path | None, as_json: bool) -> None:
    """Print the history of sites, or write it to an HTML file.

    Raises:
        CorpusError: it cannot be read, or not be written.
    """
    chosen(plan, ids)
    now = datetime.now(UTC)
    storage = Storage.of(plan.output)
    statuses = of.gather(
        plan,
        History(storage, _tell),
        lambda site: bool(storage.holder(_lock_name(site))),
        now,
        sites=ids,
        last=last,
    )
    if html is not None:
        try:
            html.write_text(page(statuses, plan.path.name, now), "utf-8")
        except OSError as error:
            raise CorpusError(f"{html} cannot be written: {error.strerror or error}") from error
        print(f"{html} shows {counted(len(statuses), 'site')}")  # noqa: T201 - the answer
    elif as_json:
        print(json.dumps(of.as_json(statuses), ensure_ascii=False, indent=1))  # noqa: T201 - the answer
    else:
        for line in of.lines(statuses):
            print(line)  # noqa: T201 - the answer


def check(
    plan: Plan, sites: Sequence[SitePlan], call: ExecutorCall, *, times: int, fetch: int | None
) -> bool:
    """Print when sites would run and, with ``fetch``, so many of the pages they would fetch.

    Returns:
        Whether all sites have something to fetch, as far as they were asked.

    Raises:
        CorpusError: nothing can be stored at the plan's output.
    """
    # Nothing is asked of it, but there has to be such a storage.
    Storage.of(plan.output)
    for line in schedule_lines(plan, sites, datetime.now(UTC), times):
        print(line, flush=True)  # noqa: T201 - the answer
    if fetch is None:
        return True
    all_well = True
    with call.make() as executor:
        for outcome in executor.run(fetch_job(site, fetch) for site in sites):
            try:
                for line in found_lines(outcome):
                    print(line, flush=True)  # noqa: T201 - the answer
            except CorpusError as error:
                _tell(one_line(error))
                all_well = False
    return all_well


@contextmanager
def _harvest(plan: Plan, call: ExecutorCall, display: Display) -> Iterator[tuple[Harvest, History]]:
    storage = Storage.of(plan.output)
    history = History(storage, display.said)
    with call.make() as executor:
        crew = JobCrew(
            executor,
            lambda site, name: site_job(site, plan.output, name),
            executor.places,
        )
        harvest = Harvest(
            crew=crew,
            history=history,
            locks=_StorageLocks(storage),
            alerter=Alerter(storage, display.said),
            listener=display,
        )
        yield harvest, history


def _tell(words: str) -> None:
    print(f"scrapy harvest: {words}", file=sys.stderr)  # noqa: T201 - how a person is told
