"""Jobs in processes of their own: their answers, their limits, their ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from crawler.core.errors import ArgumentError
from crawler.harvest import executors, process
from crawler.harvest.child import ORDER
from crawler.harvest.crew import JobCrew
from crawler.harvest.executors import LocalExecutor, Places
from crawler.harvest.jobs import (
    DIED,
    DONE,
    FAILED,
    MEMORY,
    STOPPED,
    TIME,
    Job,
    Outcome,
)
from crawler.harvest.plan import SitePlan
from crawler.harvest.process import run_in_process
from support.crawling import ROOT
from support.jobs import no_threads

if TYPE_CHECKING:
    from collections.abc import Callable

MB = 1024 * 1024


@pytest.fixture(autouse=True)
def _support_on_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{ROOT / 'tests'}")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until, "it did not happen in half a minute"
        time.sleep(0.02)


def pids(told: Path) -> list[int]:
    wait_for(told.exists)
    return [int(pid) for pid in told.read_text("utf-8").split()]


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_job_answers_from_a_process_that_leads_a_group_of_its_own() -> None:
    outcome = run_in_process(Job("support.jobs:environment", name="one"))

    assert (outcome.name, outcome.reason, outcome.detail) == ("one", DONE, "")
    assert outcome.value["pid"] != os.getpid()
    assert outcome.value["parent"] == os.getpid()
    assert outcome.value["leads"]
    assert outcome.is_done
    assert outcome.seconds > 0


def test_what_a_job_prints_is_no_answer_and_is_kept_in_its_log(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "job.txt"

    for _ in range(2):
        assert run_in_process(Job("support.jobs:double", 21), log=log).value == 42

    assert log.read_text("utf-8") == "printed, and no answer\n" * 2


KILLED = "the process ended by SIGKILL, as where the system is short of memory"


@pytest.mark.parametrize(
    ("function", "argument", "reason", "detail"),
    [
        ("fail", "no such day", FAILED, "ValueError: no such day"),
        ("refuse", "the disk\nis full", FAILED, "the disk is full"),
        ("leave", "a wrong call", FAILED, "a wrong call"),
        ("unwritable", None, FAILED, "TypeError: Object of type object is not JSON serializable"),
        ("no", None, FAILED, "AttributeError: module 'support.jobs' has no attribute 'no'"),
        ("die", None, DIED, f"{KILLED}; its last words: the last words"),
    ],
)  # fmt: skip
def test_how_jobs_come_to_nothing(
    function: str, argument: object, reason: str, detail: str
) -> None:
    outcome = run_in_process(Job(f"support.jobs:{function}", argument))

    assert (outcome.reason, outcome.detail, outcome.value) == (reason, detail, None)


@pytest.mark.parametrize("function", ["nothing", "no.such.module:name", ""])
def test_a_name_that_is_no_function_is_told(function: str) -> None:
    outcome = run_in_process(Job(function))

    assert outcome.reason == FAILED
    assert "module" in outcome.detail


def test_an_argument_that_is_no_json_is_told() -> None:
    outcome = run_in_process(Job("support.jobs:double", object()))

    assert outcome.reason == FAILED
    assert "JSON" in outcome.detail


def test_modules_in_the_working_folder_are_found_and_take_no_others_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ownjobs.py").write_text("def name(_):\n    return __name__\n", "utf-8")
    (tmp_path / "json.py").write_text("raise ValueError('the wrong one')\n", "utf-8")
    (tmp_path / "crawler.py").write_text("raise ValueError('the wrong one')\n", "utf-8")
    monkeypatch.chdir(tmp_path)

    outcome = run_in_process(Job("ownjobs:name"))

    assert (outcome.value, outcome.detail) == ("ownjobs", "")


def test_an_argument_that_is_too_deep_is_told() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]

    outcome = next(LocalExecutor(1).run([Job("support.jobs:double", deep)]))

    assert outcome.reason == FAILED
    assert "cannot be run" in outcome.detail


def test_a_job_is_written_and_read_as_json() -> None:
    job = Job("a:b", {"c": [1, None]}, 1.5, 10, "name", 3)

    assert Job.from_json(json.loads(json.dumps(job.as_json()))) == job


def run_until_told(job: Job) -> tuple[Outcome, int]:
    """Run a job with a limit within which it tells of itself, on this machine and now."""
    for limit in (1, 4, 16, 64):
        outcome = run_in_process(replace(job, seconds=limit))
        if Path(job.argument["told"]).exists():
            break
    return outcome, limit


def test_a_job_ends_in_order_at_its_time_limit(tmp_path: Path) -> None:
    told = tmp_path / "told"
    argument = {"told": str(told), "orderly": True}

    outcome, limit = run_until_told(Job("support.jobs:sleep", argument))

    assert (outcome.reason, outcome.value) == (TIME, "ended in order")
    assert f"{limit} s" in outcome.detail


def test_a_stubborn_job_is_killed_with_all_it_started(tmp_path: Path) -> None:
    told = tmp_path / "told"
    argument = {"told": str(told), "stubborn": True}

    outcome, _ = run_until_told(Job("support.jobs:sleep", argument, grace=0.2))

    assert (outcome.reason, outcome.value) == (TIME, None)
    assert "killed" in outcome.detail
    wait_for(lambda: not any(map(is_alive, pids(told))))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems count memory otherwise")
def test_a_job_has_no_more_memory_than_its_limit() -> None:
    over = run_in_process(Job("support.jobs:allocate", 500 * MB, memory=300 * MB))
    within = run_in_process(Job("support.jobs:allocate", 100 * MB, memory=300 * MB))

    assert over.reason == MEMORY
    assert f"{300 * MB:,} bytes" in over.detail
    assert (within.reason, within.value) == (DONE, 100 * MB)


@pytest.mark.skipif(sys.platform == "win32", reason="a process ends there by no signal")
def test_an_abrupt_end_within_a_memory_limit_may_be_of_it() -> None:
    limited, free = (
        run_in_process(Job("signal:raise_signal", int(signal.SIGABRT), memory=memory))
        for memory in (300 * MB, None)
    )

    assert limited.reason == free.reason == DIED
    words = "the process ended by SIGABRT"
    assert free.detail == words
    more = f", as where it gets no more memory: its limit is {300 * MB:,} bytes"
    assert limited.detail == words + more


def test_a_job_is_told_to_stop(tmp_path: Path) -> None:
    told = tmp_path / "told"
    job = Job("support.jobs:sleep", {"told": str(told), "orderly": True})

    outcome = run_in_process(job, should_stop=told.exists)

    assert (outcome.reason, outcome.value) == (STOPPED, "ended in order")


def test_a_job_and_all_it_started_die_with_their_caller(tmp_path: Path) -> None:
    told = tmp_path / "told"
    job = Job("support.jobs:call", {"told": str(told), "stubborn": True})
    (tmp_path / ORDER).write_text(json.dumps(job.as_json()), "utf-8")
    caller = subprocess.Popen(
        [sys.executable, "-m", "crawler.harvest.child", str(tmp_path)], stdin=subprocess.PIPE
    )
    assert caller.stdin
    started = pids(told)
    assert all(map(is_alive, started))

    caller.kill()
    caller.wait()
    caller.stdin.close()

    wait_for(lambda: not is_alive(started[0]))


def test_folders_of_callers_that_were_killed_are_removed_by_the_next() -> None:
    left = Path(tempfile.gettempdir(), "scrapy-corpus-job-left")
    left.mkdir()
    (left / "in-use").touch()
    (left / "much").write_bytes(bytes(1000))

    assert run_in_process(Job("support.jobs:double", 1)).is_done

    assert list(Path(tempfile.gettempdir()).iterdir()) == []


def test_nothing_is_left_of_a_job_that_has_no_room_for_its_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process, "_LOCK", "no/such/folder")

    outcome = run_in_process(Job("support.jobs:double", 1))

    assert (outcome.reason, outcome.value) == (FAILED, None)
    assert "cannot be run" in outcome.detail
    assert list(Path(tempfile.gettempdir()).iterdir()) == []


def test_all_jobs_have_their_outcomes_whatever_becomes_of_others() -> None:
    jobs = [Job("support.jobs:double", number, name=str(number)) for number in range(3)]
    jobs.insert(1, Job("support.jobs:fail", "no", name="bad"))
    begun: list[Job] = []

    outcomes = {outcome.name: outcome for outcome in LocalExecutor(2).run(iter(jobs), begun.append)}

    assert {name: outcome.value for name, outcome in outcomes.items()} == {
        "0": 0, "1": 2, "2": 4, "bad": None,
    }  # fmt: skip
    assert outcomes["bad"].attempts == 1
    assert [outcome.job for outcome in outcomes.values() if outcome.name == "bad"] == [jobs[1]]
    assert begun == jobs


def test_a_job_that_died_is_tried_again(tmp_path: Path) -> None:
    jobs = [
        Job("support.jobs:die_once", str(tmp_path / "mark"), name="once"),
        Job("support.jobs:die", name="always"),
    ]

    once, always = sorted(
        LocalExecutor(1, retries=1).run(jobs), key=lambda outcome: outcome.name, reverse=True
    )

    assert (once.reason, once.value, once.attempts) == (DONE, "alive", 2)
    assert (always.reason, always.attempts) == (DIED, 2)


def test_the_same_job_may_be_given_twice() -> None:
    job = Job("support.jobs:double", 4)

    assert [outcome.value for outcome in LocalExecutor(2).run([job, job])] == [8, 8]


def test_jobs_are_taken_when_there_is_a_place() -> None:
    numbers = count()
    jobs = (Job("support.jobs:double", number) for number in numbers)
    executor = LocalExecutor(2)
    values = []

    for outcome in executor.run(jobs):
        values.append(outcome.value)
        if len(values) == 2:
            executor.stop()

    assert 2 <= next(numbers) <= 5
    # What still ran may have had no time to answer.
    assert set(values) <= {0, 2, 4, 6, None}
    assert {0, 2} & set(values)


def test_leaving_the_loop_ends_what_runs(tmp_path: Path) -> None:
    told = tmp_path / "told"
    jobs = [
        Job("support.jobs:double", 1),
        Job("support.jobs:sleep", {"told": str(told), "orderly": True}),
    ]
    outcomes = LocalExecutor(2).run(jobs)
    assert next(outcomes).value == 2
    started = pids(told)

    outcomes.close()  # type: ignore[attr-defined] # it is a generator

    assert not is_alive(started[0])


@pytest.mark.parametrize("arguments", [{"processes": 0}, {"retries": -1}])
def test_numbers_that_are_too_small_are_refused(arguments: dict[str, int]) -> None:
    with pytest.raises(ArgumentError, match="larger number"):
        LocalExecutor(**arguments)


def test_a_job_that_does_not_read_its_argument_ends_at_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As where a network file system hangs while Python starts.
    (tmp_path / "sitecustomize.py").write_text("import time\ntime.sleep(60)\n", "utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{ROOT}")

    outcome = run_in_process(Job("support.jobs:double", "x" * 200_000, seconds=0.2))

    assert (outcome.reason, outcome.value) == (TIME, None)


def test_a_job_that_has_answered_is_not_waited_for_without_end() -> None:
    outcome = run_in_process(Job("support.jobs:answer_and_stay", 21, grace=0.1))

    assert (outcome.reason, outcome.value) == (DONE, 42)
    assert outcome.seconds < 20


def test_a_job_that_no_thread_can_be_had_for_is_told() -> None:
    jobs = [Job("support.jobs:double", number, name=str(number)) for number in range(2)]
    with no_threads():
        outcomes = list(LocalExecutor(2).run(jobs))

    assert [(one.name, one.reason) for one in outcomes] == [("0", FAILED), ("1", FAILED)]
    assert "the job cannot be begun: can't start new thread" in outcomes[0].detail


def test_a_job_whose_thread_breaks_off_has_an_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    def break_off(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(executors, "run_in_process", break_off)

    (outcome,) = LocalExecutor(1).run([Job("support.jobs:double", 1, name="one")])

    assert (outcome.name, outcome.reason) == ("one", FAILED)
    assert outcome.detail == "nobody could see to its process: MemoryError"


class Scripted(Places):
    """Places whose jobs end when a test says so."""

    def __init__(self, places: int) -> None:
        super().__init__()
        self.number = places
        self.told: dict[str, Callable[[Outcome], None]] = {}
        # What a test is about has come.
        self.met = threading.Event()
        self.is_again = False

    def places(self) -> int:
        if self.is_again:
            # Somebody stops all while a job waits to be tried again.
            self.is_again = False
            self.stop()
            self.told["lasting"](Outcome("lasting", reason=STOPPED))
        return self.number

    def is_final(self, outcome: Outcome) -> bool:
        self.is_again = outcome.name == "dying"
        return super().is_final(outcome)

    def begin(self, job: Job, tell: Callable[[Outcome], None]) -> None:
        self.told[job.name] = tell
        if job.name == "dying":
            self.number = 1
            tell(Outcome(job.name, reason=DIED))
        elif job.name == "interrupted":
            self.met.set()
            raise KeyboardInterrupt


def test_a_job_that_waits_to_be_tried_again_has_an_outcome_when_all_are_stopped() -> None:
    outcomes = list(Scripted(2).run([Job("", name="lasting"), Job("", name="dying")]))

    assert [(one.name, one.reason, one.attempts) for one in outcomes] == [
        ("lasting", STOPPED, 1),
        ("dying", DIED, 1),
    ]


def test_a_ctrl_c_while_a_job_is_begun_ends_the_loop() -> None:
    executor = Scripted(2)
    jobs = [Job("", name="lasting"), Job("", name="interrupted")]

    def end() -> None:
        executor.met.wait(60)
        executor.told["lasting"](Outcome("lasting", reason=STOPPED))

    stopper = threading.Thread(target=end)
    stopper.start()

    with pytest.raises(KeyboardInterrupt):
        list(executor.run(jobs))
    stopper.join()


def test_a_site_that_no_thread_can_be_had_for_has_an_end() -> None:
    with LocalExecutor(1) as executor:
        crew = JobCrew(executor, lambda site, _: Job("none:at-all", name=site.id), executor.places)
        with no_threads():
            crew.start(SitePlan("blog", ("http://blog.example/",)), "run")
        (outcome,) = crew.wait(0)

    assert (outcome.name, outcome.reason) == ("blog", FAILED)
    assert crew.free() == 1
