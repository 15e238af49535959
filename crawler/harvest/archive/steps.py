"""Jobs whose results are kept: what was done before is not done again.

A process takes longer to start than a small file takes to read. So steps that read little are done
one after the other in one job, each with a result of its own.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from crawler.core.errors import CorpusError, StoreError, one_line
from crawler.harvest.archive.work import read_json
from crawler.harvest.jobs import FAILED, STOPPED, Job

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from crawler.harvest.executors import Executor
    from crawler.harvest.jobs import Outcome

__all__ = ["TOGETHER_BYTES", "Result", "Step", "Steps", "run_together"]

TOGETHER_BYTES: Final = 2 << 20
"""How many bytes of packed files steps read that are done by one job: some seconds of work."""

_MOST_TOGETHER: Final = 200
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
    ``size``
        How many bytes it reads, where it may be done by one job with others; None where not.
    """

    name: str
    function: str
    argument: Mapping[str, Any]
    result: Path
    files: Sequence[Path] = ()
    holds: Callable[[Mapping[str, Any]], bool] = lambda _: True
    size: int | None = None

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
        together: bytes that steps of one job may read.
    """

    def __init__(
        self,
        executor: Executor,
        tell: Callable[[str], None],
        memory: int | None,
        together: int = TOGETHER_BYTES,
    ) -> None:
        self.begun = 0
        """How many steps were done, or tried."""
        self._executor = executor
        self._tell = tell
        self._memory = memory
        self._together = together

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
        for result in self._results(tuple(waiting.values())):
            self.begun += 1
            del waiting[result.step.name]
            yield result
            done += 1
            if time.monotonic() - told_at >= _TELL_SECONDS:
                told_at = time.monotonic()
                self._tell(f"{stage}: {done:,} of {total:,}")
        for step in waiting.values():
            yield Result(step, None, f"{step.name}: stopped: it was not begun")

    def _results(self, steps: Sequence[Step]) -> Iterator[Result]:
        bundles = {bundle[0].name: bundle for bundle in _bundles(steps, self._together)}
        alone: list[Step] = []
        for outcome in self._executor.run(self._job(bundle) for bundle in bundles.values()):
            bundle = bundles[outcome.name]
            if len(bundle) == 1:
                yield _result(bundle[0], outcome)
            elif outcome.is_done:
                for step, (value, failure) in zip(bundle, outcome.value, strict=True):
                    told = f"{step.name}: {FAILED}: {failure}" if value is None else ""
                    yield Result(step, value, told)
            elif outcome.reason == STOPPED:
                yield from (_result(step, outcome) for step in bundle)
            else:
                # What ended the process for one of them must not cost the others.
                alone += bundle
        by_name = {step.name: step for step in alone}
        for outcome in self._executor.run(self._job([step]) for step in alone):
            yield _result(by_name[outcome.name], outcome)

    def _job(self, bundle: Sequence[Step]) -> Job:
        first = bundle[0]
        if len(bundle) == 1:
            return Job(first.function, dict(first.argument), memory=self._memory, name=first.name)
        calls = [[step.function, dict(step.argument)] for step in bundle]
        return Job(f"{__name__}:run_together", calls, memory=self._memory, name=first.name)


def run_together(calls: Sequence[tuple[str, Mapping[str, Any]]]) -> list[tuple[Any, str]]:
    """Do steps one after the other: a job.

    Args:
        calls: the function of each, as a job has it, and its argument.

    Returns:
        Of each its value, or None and the project's error that there is none for. Any other error
        is raised.
    """
    told: list[tuple[Any, str]] = []
    for function, argument in calls:
        module, _, name = function.partition(":")
        try:
            told.append((getattr(import_module(module), name)(argument), ""))
        except CorpusError as error:
            told.append((None, one_line(error)))
    return told


def _bundles(steps: Sequence[Step], most_bytes: int) -> Iterator[list[Step]]:
    """Put steps together that read little, in their order."""
    bundle: list[Step] = []
    held = 0
    for step in steps:
        if step.size is None:
            yield [step]
            continue
        if bundle and (held + step.size > most_bytes or len(bundle) >= _MOST_TOGETHER):
            yield bundle
            bundle, held = [], 0
        bundle.append(step)
        held += step.size
    if bundle:
        yield bundle


def _result(step: Step, outcome: Outcome) -> Result:
    if outcome.is_done:
        return Result(step, outcome.value)
    return Result(step, None, f"{step.name}: {outcome.reason}: {outcome.detail}")
