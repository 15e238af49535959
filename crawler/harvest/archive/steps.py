"""Jobs whose results are kept: what was done before is not done again."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from crawler.core.errors import StoreError
from crawler.harvest.archive.work import read_json
from crawler.harvest.jobs import Job

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from crawler.harvest.executors import Executor

__all__ = ["Result", "Step", "Steps"]

_TELL_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Step:
    """A job, and where its result lies.

    ``name``
        What people call it, distinct among those that run together.
    ``function``, ``argument``
        As :class:`crawler.harvest.jobs.Job` has them.
    ``result``
        The file that is there when the job is done.
    ``files``
        What has to be there as well.
    ``holds``
        Tells whether a result that is there still holds.
    """

    name: str
    function: str
    argument: Mapping[str, Any]
    result: Path
    files: Sequence[Path] = ()
    holds: Callable[[Mapping[str, Any]], bool] = lambda _: True

    def found(self) -> dict[str, Any] | None:
        """Return the result that is there, None where there is none that holds."""
        if not self.result.exists() or not all(path.exists() for path in self.files):
            return None
        try:
            value: dict[str, Any] = read_json(self.result)
        except StoreError:
            return None
        return value if self.holds(value) else None


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a step: its value, or why there is none."""

    step: Step
    value: Mapping[str, Any] | None
    failure: str = ""


class Steps:
    """Does what is not done yet.

    Args:
        executor: who runs the jobs.
        tell: takes a line for a person.
        memory: bytes of memory that a job may allocate; None for no limit.
    """

    def __init__(self, executor: Executor, tell: Callable[[str], None], memory: int | None) -> None:
        self.begun = 0
        """How many jobs were run."""
        self._executor = executor
        self._tell = tell
        self._memory = memory

    def run(self, stage: str, steps: Iterable[Step]) -> Iterator[Result]:
        """Give the result of each step, in no particular order.

        Args:
            stage: what people call these steps together.
            steps: what has to be done.
        """
        waiting: dict[str, Step] = {}
        there = 0
        for step in steps:
            value = step.found()
            if value is None:
                waiting[step.name] = step
            else:
                there += 1
                yield Result(step, value)
        if not waiting:
            return
        total, done, told_at = there + len(waiting), there, time.monotonic()
        self._tell(f"{stage}: {total:,} to do" + (f", {there:,} of them done before" * (there > 0)))
        for outcome in self._executor.run(self._job(step) for step in tuple(waiting.values())):
            self.begun += 1
            step = waiting.pop(outcome.name)
            if outcome.is_done:
                yield Result(step, outcome.value)
            else:
                yield Result(step, None, f"{step.name}: {outcome.reason}: {outcome.detail}")
            done += 1
            if time.monotonic() - told_at >= _TELL_SECONDS:
                told_at = time.monotonic()
                self._tell(f"{stage}: {done:,} of {total:,}")
        for step in waiting.values():
            yield Result(step, None, f"{step.name}: stopped: it was not begun")

    def _job(self, step: Step) -> Job:
        return Job(step.function, dict(step.argument), memory=self._memory, name=step.name)
