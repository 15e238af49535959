"""Jobs: the same results wherever they run, and an end in order."""

from __future__ import annotations

import os
import signal
import threading
import time
from argparse import Namespace
from collections import deque
from typing import TYPE_CHECKING, Any

import pytest

from crawler.core.errors import ArgumentError, CorpusError, StoreError
from crawler.harvest.cluster import DaskEngine, open_engine
from crawler.harvest.engine import (
    Call,
    Engine,
    LostError,
    ProcessEngine,
    StoppedError,
    ThreadEngine,
    stop_by_signals,
)
from support import jobs
from support.crawling import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from distributed import LocalCluster

PATH = f"{ROOT}{os.pathsep}{ROOT / 'tests'}"
LOCAL: list[Callable[[], Engine]] = [
    lambda: ThreadEngine(2),
    lambda: ProcessEngine(2),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """A scheduler and two workers, processes of their own."""
    distributed = pytest.importorskip("distributed")
    import dask  # noqa: PLC0415 - comes with distributed

    with (
        pytest.MonkeyPatch.context() as patch,
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
    ):
        patch.setenv("PYTHONPATH", PATH)
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster:
            yield cluster


def calls(numbers: range) -> Iterator[Call]:
    return (Call(str(number), jobs.double, number) for number in numbers)


def results(engine: Engine) -> dict[str, Any]:
    with engine:
        return {
            done.name: done.value if done.error is None else (type(done.error), done.failure)
            for done in engine.run(
                [
                    *calls(range(3)),
                    Call("refused", jobs.refuse, "no room"),
                    Call("failed", jobs.fail, "two\nlines"),
                ]
            )
        }


EXPECTED = {
    **{str(number): 2 * number for number in range(3)},
    "refused": (StoreError, "no room"),
    "failed": (ValueError, "ValueError: two lines"),
}


@pytest.mark.parametrize("make", LOCAL, ids=["threads", "processes"])
def test_jobs_give_values_and_errors(make: Callable[[], Engine]) -> None:
    assert results(make()) == EXPECTED


@pytest.mark.cluster
def test_results_on_a_cluster_are_the_same(cluster: LocalCluster) -> None:
    assert results(DaskEngine(cluster.scheduler_address)) == EXPECTED


def test_a_job_whose_process_dies_is_begun_again(tmp_path: Path) -> None:
    with ProcessEngine(2) as engine:
        done = {
            one.name: one
            for one in engine.run(
                [
                    Call("once", jobs.die_once, str(tmp_path / "mark")),
                    Call("always", jobs.die),
                    *calls(range(4)),
                ]
            )
        }

    assert done["once"].value == "alive"
    assert isinstance(done["always"].error, LostError)
    assert [done[str(number)].value for number in range(4)] == [0, 2, 4, 6]


def test_a_process_gets_no_more_memory_than_its_limit() -> None:
    with ProcessEngine(1, memory=500_000_000) as engine:
        small, large = engine.run(
            [Call("small", jobs.allocate, 10**6), Call("large", jobs.allocate, 10**9)]
        )

    assert small.value == 10**6
    assert isinstance(large.error, MemoryError)


def test_a_stopped_engine_begins_nothing_more() -> None:
    begun: list[int] = []

    def numbers() -> Iterator[Call]:
        for call in calls(range(100)):
            begun.append(call.argument)
            yield call

    with ThreadEngine(1) as engine:
        for done in engine.run(numbers()):
            if done.value == 4:
                engine.stop()

    assert begun == [0, 1, 2]


@pytest.mark.parametrize("on", ["threads", pytest.param("cluster", marks=pytest.mark.cluster)])
def test_jobs_that_run_are_told_to_stop(
    on: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    def engine() -> Engine:
        if on == "threads":
            return ThreadEngine(2)
        return DaskEngine(request.getfixturevalue("cluster").scheduler_address)

    marks = [tmp_path / name for name in ("a", "b")]
    with engine() as running:
        for mark in marks:
            running.submit(Call(mark.name, jobs.wait_for_stop, str(mark)))
        while not all(mark.exists() for mark in marks):
            running.wait(0.1)
        running.stop()
        done = [*running.run([])]

    assert {one.name: one.value for one in done} == {"a": 1, "b": 1}


@pytest.mark.cluster
def test_a_job_that_no_worker_has_is_given_up_when_stopped() -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=0, dashboard_address="127.0.0.1:0"
    ) as empty, DaskEngine(empty.scheduler_address) as engine:  # fmt: skip
        engine.submit(Call("waits", jobs.double, 1))
        assert engine.wait(0.5) == []
        engine.stop()
        (done,) = engine.run([])

    assert isinstance(done.error, StoppedError)


@pytest.mark.cluster
def test_a_job_whose_worker_is_killed_is_done_elsewhere(
    cluster: LocalCluster, tmp_path: Path
) -> None:
    with DaskEngine(cluster.scheduler_address) as engine:
        (done,) = engine.run([Call("dies", jobs.die_once, str(tmp_path / "mark"))])

    assert done.value == "alive"


@pytest.mark.cluster
def test_a_job_that_kills_its_workers_fails(cluster: LocalCluster) -> None:
    with DaskEngine(cluster.scheduler_address) as engine:
        (done,) = engine.run([Call("deadly", jobs.die)])

    assert isinstance(done.error, LostError)


@pytest.mark.cluster
def test_a_scheduler_that_goes_away_ends_it_with_an_error(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", PATH)
        gone = distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        )
        with DaskEngine(gone.scheduler_address) as engine:
            engine.submit(Call("lost", jobs.wait_for_stop, str(tmp_path / "mark")))
            while not (tmp_path / "mark").exists():
                engine.wait(0.1)
            threading.Thread(target=gone.close).start()
            began = time.monotonic()
            with pytest.raises(CorpusError, match="is gone"):
                deque(engine.run(calls(range(10**9))), 0)
            assert time.monotonic() - began < 60


def test_where_nobody_answers_is_said() -> None:
    with pytest.raises(CorpusError, match="8786"):
        DaskEngine("tcp://127.0.0.1:9", seconds=1)


@pytest.mark.parametrize(
    "options",
    [
        {"scheduler": "tcp://head:8786"},
        {"executor": "dask"},
        {"executor": "dask", "processes": 2, "scheduler": "tcp://head:8786"},
    ],
)
def test_options_that_do_not_fit_together_are_refused(options: dict[str, Any]) -> None:
    given = {"executor": "local", "processes": None, "scheduler": None, **options}
    with pytest.raises(ArgumentError):
        open_engine(Namespace(**given), ThreadEngine)


def test_ctrl_c_stops_in_order_and_a_second_one_interrupts(tmp_path: Path) -> None:
    told: list[str] = []
    mark = tmp_path / "mark"
    with ThreadEngine(1) as engine, stop_by_signals(engine, told.append):
        engine.submit(Call("runs", jobs.wait_for_stop, str(mark)))
        while not mark.exists():
            engine.wait(0.05)
        os.kill(os.getpid(), signal.SIGINT)
        (done,) = engine.run([])
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)

    assert done.value == 1
    assert len(told) == 1
