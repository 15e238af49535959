"""Steps that read little share a job, and what becomes of one of them is its own affair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from crawler.core.errors import StoreError
from crawler.harvest.archive.inline import InlineExecutor
from crawler.harvest.archive.steps import Step, Steps
from crawler.harvest.archive.work import write_json
from crawler.harvest.jobs import DIED, STOPPED, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from crawler.harvest.jobs import Job


def double(argument: Mapping[str, Any]) -> dict[str, int]:
    """Do a step, or fail as it is told."""
    number = int(argument["number"])
    if argument.get("fails") == "ours":
        raise StoreError(f"no room for {number}")
    return {"twice": 2 * number}


class Counting(InlineExecutor):
    """Notes the jobs; a process dies that has a number to do."""

    def __init__(self, *, dies_of: int = -1, reason: str = DIED) -> None:
        super().__init__()
        self.jobs: list[str] = []
        self._dies_of = dies_of
        self._reason = reason

    def run(
        self, jobs: Iterable[Job], on_start: Callable[[Job], None] | None = None
    ) -> Iterator[Outcome]:
        for job in jobs:
            self.jobs.append(job.name)
            if f"'number': {self._dies_of}}}" in repr(job.argument):
                yield Outcome(job.name, reason=self._reason, detail="gone", job=job)
            else:
                yield from super().run([job], on_start)


def steps_of(folder: Path, sizes: Iterable[int | None], **argument: str) -> list[Step]:
    return [
        Step(
            f"step {number}",
            f"{__name__}:double",
            {**argument, "number": number},
            folder / str(number),
            size=size,
        )
        for number, size in enumerate(sizes)
    ]


@pytest.mark.parametrize(
    ("sizes", "jobs"),
    [
        ([10, 20, 70, 1, 200, 5, 5], [0, 3, 4, 5]),
        ([None, 1, None, 1], [0, 2, 1]),
        ([0] * 401, [0, 200, 400]),
    ],
    ids=["size", "alone", "number"],
)
def test_small_steps_share_a_job(tmp_path: Path, sizes: list[int | None], jobs: list[int]) -> None:
    executor = Counting()
    steps = Steps(executor, print, None, together=100)
    found = {r.step.name: r.value for r in steps.run("try", steps_of(tmp_path, sizes))}
    assert found == {f"step {number}": {"twice": 2 * number} for number in range(len(sizes))}
    assert executor.jobs == [f"step {number}" for number in jobs]
    assert steps.begun == len(sizes)


def test_an_error_of_one_step_is_its_own(tmp_path: Path) -> None:
    executor = Counting()
    steps = steps_of(tmp_path, [1, 1]) + steps_of(tmp_path, [1, 1, 1], fails="ours")[2:]
    good, also, bad = Steps(executor, print, None).run("try", steps)
    assert (good.value, also.value, bad.value) == ({"twice": 0}, {"twice": 2}, None)
    assert bad.failure == "step 2: failed: no room for 2"
    assert executor.jobs == ["step 0"]


def test_the_death_of_a_job_is_that_of_one_step(tmp_path: Path) -> None:
    executor = Counting(dies_of=1)
    results = list(Steps(executor, print, None).run("try", steps_of(tmp_path, [1, 1, 1])))
    assert [result.value for result in results] == [{"twice": 0}, None, {"twice": 4}]
    assert results[1].failure == "step 1: died: gone"
    assert executor.jobs == ["step 0", "step 0", "step 1", "step 2"]


def test_what_is_stopped_is_not_tried_alone(tmp_path: Path) -> None:
    executor = Counting(dies_of=1, reason=STOPPED)
    results = list(Steps(executor, print, None).run("try", steps_of(tmp_path, [1, 1])))
    assert [result.failure for result in results] == [
        "step 0: stopped: gone",
        "step 1: stopped: gone",
    ]
    assert executor.jobs == ["step 0"]


def test_what_is_there_is_not_done(tmp_path: Path) -> None:
    steps = steps_of(tmp_path, [1, 1, 1])
    write_json(steps[1].result, {"twice": 7})
    executor = Counting()
    said: list[str] = []
    found = {r.step.name: r.value for r in Steps(executor, said.append, None).run("try", steps)}
    assert found == {f"step {n}": {"twice": twice} for n, twice in enumerate((0, 7, 4))}
    assert said == ["try: 3 to do, 1 of them done before"]
