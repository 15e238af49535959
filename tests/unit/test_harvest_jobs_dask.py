"""Jobs on a Dask cluster: the same outcomes, and workers that come and go."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

import psutil
import pytest

from crawler.core.errors import CorpusError
from crawler.demo.server import serve
from crawler.harvest import daskexec, executors
from crawler.harvest.daskexec import DaskExecutor
from crawler.harvest.executors import LocalExecutor
from crawler.harvest.jobs import DONE, LOST, STOPPED, Job
from support.crawling import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from distributed import LocalCluster

    from crawler.harvest.executors import Executor

distributed = pytest.importorskip("distributed")


PATH = f"{ROOT}{os.pathsep}{ROOT / 'tests'}"


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """A scheduler and two workers, processes of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", PATH)
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster:
            yield cluster


def wait_for(path: Path) -> str:
    until = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < until, "it did not happen in a minute"
        time.sleep(0.02)
    return path.read_text("utf-8")


def wait_for_end(pid: int) -> None:
    with suppress(psutil.NoSuchProcess):
        psutil.Process(pid).wait(60)


def test_outcomes_are_those_of_the_local_executor(cluster: LocalCluster, tmp_path: Path) -> None:
    def jobs(name: str) -> list[Job]:
        return [
            *(Job("support.jobs:double", number, name=str(number)) for number in range(4)),
            Job("support.jobs:fail", "no", name="failing"),
            Job("support.jobs:die_once", str(tmp_path / name), name="dying"),
            Job("support.jobs:die", name="dead"),
            Job("support.jobs:allocate", 10**9, memory=3 * 10**8, name="greedy"),
        ]

    def told(executor: Executor, name: str) -> list[tuple[object, ...]]:
        begun: list[Job] = []
        with executor:
            outcomes = list(executor.run(jobs(name), begun.append))
        assert len(begun) == 8 + 1 + 2
        return sorted(
            (one.name, one.value, one.reason, one.detail, one.attempts) for one in outcomes
        )

    on_dask = told(DaskExecutor(cluster.scheduler_address), "dask")
    here = told(LocalExecutor(2), "local")

    assert on_dask == here
    assert ("dying", "alive", DONE, "", 2) in here


def test_a_job_whose_worker_is_killed_is_done_elsewhere(
    cluster: LocalCluster, tmp_path: Path
) -> None:
    told, mark = tmp_path / "told", tmp_path / "mark"
    job = Job("support.jobs:wait_for_mark", {"told": str(told), "mark": str(mark)})
    first: list[int] = []

    def kill_worker() -> None:
        try:
            process, worker = map(int, wait_for(told).split())
            told.unlink()
            psutil.Process(worker).kill()
            wait_for_end(process)
            first.extend((process, worker))
            wait_for(told)
        finally:
            mark.touch()

    killer = threading.Thread(target=kill_worker)
    killer.start()
    with DaskExecutor(cluster.scheduler_address) as executor:
        (outcome,) = executor.run([job])
    killer.join()

    assert (outcome.reason, outcome.value) == (DONE, "marked")
    assert first[0] != int(told.read_text("utf-8").split()[0])


def test_a_job_on_a_worker_that_is_closed_is_done_elsewhere(
    cluster: LocalCluster, tmp_path: Path
) -> None:
    told, mark = tmp_path / "told", tmp_path / "mark"
    job = Job("support.jobs:wait_for_mark", {"told": str(told), "mark": str(mark)})

    def close_worker() -> None:
        try:
            _, worker = map(int, wait_for(told).split())
            told.unlink()
            # As batch systems end them.
            psutil.Process(worker).terminate()
            wait_for(told)
        finally:
            mark.touch()

    closer = threading.Thread(target=close_worker)
    closer.start()
    with DaskExecutor(cluster.scheduler_address) as executor:
        (outcome,) = executor.run([job])
    closer.join()

    assert (outcome.reason, outcome.value) == (DONE, "marked")


def test_jobs_on_a_cluster_are_told_to_stop(cluster: LocalCluster, tmp_path: Path) -> None:
    told = tmp_path / "told"
    jobs = [Job("support.jobs:sleep", {"told": str(told), "orderly": True}, name="sleeping")]
    with DaskExecutor(cluster.scheduler_address) as executor:

        def stop() -> None:
            wait_for(told)
            executor.stop()

        stopper = threading.Thread(target=stop)
        stopper.start()
        (outcome,) = executor.run(jobs)
        stopper.join()

    assert (outcome.reason, outcome.value) == (STOPPED, "ended in order")


def test_jobs_end_with_the_program_that_gave_them(cluster: LocalCluster, tmp_path: Path) -> None:
    told = tmp_path / "told"
    executor = DaskExecutor(cluster.scheduler_address)
    executor.begin(Job("support.jobs:sleep", {"told": str(told)}), lambda _: None)
    process = int(wait_for(told).split()[0])

    # Without a word to the jobs, as where the program is killed.
    executor._client.close()

    wait_for_end(process)
    assert not psutil.pid_exists(process)


def test_a_scheduler_that_does_not_answer_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(CorpusError, match=f"No Dask scheduler answers at .*{port}"):
            DaskExecutor(f"tcp://127.0.0.1:{port}", timeout=0.5)


def test_a_server_that_is_no_scheduler_is_told() -> None:
    # A client of Dask alone would wait for ever.
    with (
        serve({}) as address,
        pytest.raises(CorpusError, match=r"answers at .* \(no greeting within 0\.5 s\)"),
    ):
        DaskExecutor(address.removeprefix("http://"), timeout=0.5)


@pytest.mark.parametrize("address", ["nonsense", "nonsense://a", "127.0.0.1:not-a-port"])
def test_an_address_that_is_none_is_told(address: str) -> None:
    with pytest.raises(CorpusError, match="No Dask scheduler answers"):
        DaskExecutor(address, timeout=0.5)


def test_jobs_of_a_scheduler_that_is_gone_are_told_lost(tmp_path: Path) -> None:
    told, address = tmp_path / "told", tmp_path / "scheduler.json"
    jobs = [
        Job("support.jobs:sleep", {"told": str(told)}, name="first"),
        Job("support.jobs:double", 1, name="second"),
    ]
    arguments = ["--scheduler-file", str(address), "--dashboard-address", "127.0.0.1:0"]
    processes = [
        started("scheduler", "--host", "127.0.0.1", "--port", "0", *arguments),
        started("worker", "--nthreads", "1", "--no-nanny", *arguments),
    ]
    try:
        uri = address_in(address)
        with DaskExecutor(uri, retries=0, timeout=6) as executor:
            outcomes = executor.run(jobs)
            killer = threading.Thread(target=kill_when, args=(told, processes[0]))
            killer.start()
            lost = list(outcomes)
            killer.join()
    finally:
        for process in processes:
            process.kill()
            process.wait()

    assert [(one.name, one.reason) for one in lost] == [("first", LOST), ("second", LOST)]


def test_a_job_that_the_client_forgot_when_it_gave_up_is_told_lost(
    cluster: LocalCluster, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    job = Job("support.jobs:sleep", {"told": str(told)}, name="forgotten")
    with DaskExecutor(cluster.scheduler_address, retries=0) as executor:
        outcomes = executor.run([job], lambda _: forget.start())

        def give_up() -> None:
            wait_for(told)
            # As with a task that is sent while the client closes: it is in no list any more.
            executor._client.futures.clear()
            executor._client.close()

        forget = threading.Thread(target=give_up)
        (outcome,) = outcomes
        forget.join()

    assert (outcome.name, outcome.reason) == ("forgotten", LOST)
    assert outcome.detail == "the scheduler is gone"


def address_in(path: Path) -> str:
    """Read the address that a scheduler writes into a file, once it is there whole."""
    until = time.monotonic() + 30
    while not wait_for(path).endswith("}"):
        assert time.monotonic() < until, "it was not written in half a minute"
        time.sleep(0.02)
    address: str = json.loads(path.read_text("utf-8"))["address"]
    return address


def test_a_client_that_gave_up_is_made_anew_for_the_next_job(cluster: LocalCluster) -> None:
    with DaskExecutor(cluster.scheduler_address, retries=0) as executor:
        # As when its scheduler was away for longer than the client waits.
        executor._client.close()
        (outcome,) = executor.run([Job("support.jobs:double", 2)])

    assert (outcome.reason, outcome.value) == (DONE, 4)


def test_a_scheduler_that_stays_away_is_not_waited_for_by_each_job(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = [Job("support.jobs:double", number, name=str(number)) for number in range(20)]
    with DaskExecutor(cluster.scheduler_address, retries=0) as executor, socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        executor._client.close()
        monkeypatch.setattr(executor, "_address", f"tcp://127.0.0.1:{taken.getsockname()[1]}")
        monkeypatch.setattr(executor, "_timeout", 0.2)
        connected, tried = executor._connected, count()
        monkeypatch.setattr(executor, "_connected", lambda: (next(tried), connected())[1])
        outcomes = list(executor.run(jobs))

    assert {one.reason for one in outcomes} == {LOST}
    assert len(outcomes) == 20
    assert next(tried) == 1


def test_a_client_that_a_silent_server_has_taken_the_call_of_gives_up(
    cluster: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "_LOOK_SECONDS", 0.1)
    monkeypatch.setattr(daskexec, "_ANSWER_SECONDS", 0.1)
    told = tmp_path / "told"
    jobs = [
        Job("support.jobs:sleep", {"told": str(told)}, name="first"),
        Job("support.jobs:double", 1, name="second"),
    ]
    with (
        DaskExecutor(cluster.scheduler_address, retries=0) as executor,
        socket.create_server(("127.0.0.1", 0)) as silent,
    ):
        monkeypatch.setattr(executor, "_timeout", 0.3)
        monkeypatch.setattr(executor, "places", lambda: 1)

        def lose_connection() -> None:
            wait_for(told)
            address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
            monkeypatch.setattr(executor, "_address", address)
            executor._client.scheduler.addr = address
            executor._client.loop.add_callback(executor._client.scheduler_comm.comm.abort)

        loser = threading.Thread(target=lose_connection)
        loser.start()
        outcomes = list(executor.run(jobs))
        loser.join()

    assert [(one.name, one.reason) for one in outcomes] == [("first", LOST), ("second", LOST)]
    assert outcomes[1].detail == "the scheduler is gone"


def test_a_result_that_is_waited_for_holds_up_no_other(cluster: LocalCluster) -> None:
    others = threading.Event()
    held: list[bool] = []
    jobs = [Job("support.jobs:double", number, name=str(number)) for number in range(3)]
    with DaskExecutor(cluster.scheduler_address) as executor:
        gather = executor._client.scheduler.gather

        async def gather_late(**arguments: object) -> object:
            if not held:
                # As where the worker hangs that has the result.
                held.append(False)
                held[0] = await asyncio.to_thread(others.wait, 100)
            return await gather(**arguments)

        executor._client.scheduler.gather = gather_late
        outcomes = []
        for outcome in executor.run(jobs):
            outcomes.append(outcome)
            others.set()

    assert sorted(one.value for one in outcomes) == [0, 2, 4]
    assert held == [True]


def test_a_job_that_no_worker_has_begun_ends_when_all_are_stopped() -> None:
    with (
        distributed.LocalCluster(
            n_workers=0, processes=False, dashboard_address="127.0.0.1:0"
        ) as empty,
        DaskExecutor(empty.scheduler_address) as executor,
    ):
        stopper = threading.Timer(0.1, executor.stop)
        stopper.start()
        (outcome,) = executor.run([Job("support.jobs:double", 1, name="waiting")])
        stopper.join()
        with distributed.Client(empty.scheduler_address, set_as_default=False) as client:
            tasks = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.tasks))

    assert (outcome.name, outcome.reason) == ("waiting", STOPPED)
    assert outcome.detail == "it was told to stop while no worker had it"
    assert tasks == []


def started(what: str, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "dask", what, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": PATH},
    )


def kill_when(told: Path, process: subprocess.Popen[bytes]) -> None:
    wait_for(told)
    process.kill()
