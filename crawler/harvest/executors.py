"""Who runs jobs: several processes at once, here or on a cluster.

All executors keep to one loop (:class:`Places`): jobs are begun as places become free, in the order
given, and told of as they end. What becomes of a job does not depend on who runs it.
"""

from __future__ import annotations

import queue
import threading
from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol, Self

from crawler.core.errors import ArgumentError, one_line
from crawler.harvest.jobs import DIED, FAILED, LOST, Outcome
from crawler.harvest.process import run_in_process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType

    from crawler.harvest.jobs import Job

__all__ = ["RETRIES", "Executor", "LocalExecutor", "Places"]

RETRIES: Final = 2
"""How often a job whose process died is begun once more, unless told otherwise."""

_LOOK_SECONDS: Final = 1.0


class Executor(Protocol):
    """Runs jobs, each in a process of its own."""

    def run(
        self, jobs: Iterable[Job], on_start: Callable[[Job], None] | None = None
    ) -> Iterator[Outcome]:
        """Run all jobs, and give what came of each as it ends, in no particular order.

        Jobs are taken from ``jobs`` when there is a place for them. A job whose process died is
        tried again; one that failed or reached a limit is not. Leaving the loop, also by Ctrl-C,
        stops the jobs that run and waits for their end.

        Args:
            jobs: what to run; there may be any number.
            on_start: called with each job when it is begun, and once more when it is tried again.
        """

    def stop(self) -> None:
        """Ask the jobs that run to end, and begin no more; may be called by any thread.

        ``run`` goes on to give the outcomes of those that ran.
        """

    def __enter__(self) -> Self:
        """Use the executor until the end of a ``with`` statement."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let go of whatever the executor holds."""


class Places(ABC):
    """The loop of all executors: a number of places, in each of which one job runs at a time.

    Args:
        retries: how often a job is begun once more whose process died.
    """

    def __init__(self, retries: int = RETRIES) -> None:
        if retries < 0:
            raise ArgumentError(f"retries={retries}: give 0 or a larger number.")
        self._retries = retries
        self._stopping = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @abstractmethod
    def places(self) -> int:
        """Return how many jobs may run at once now."""

    @abstractmethod
    def begin(self, job: Job, tell: Callable[[Outcome], None]) -> None:
        """Begin a job; ``tell`` is called once with its outcome, by any thread."""

    def stop(self) -> None:
        """See :meth:`Executor.stop`."""
        self._stopping.set()

    def run(
        self, jobs: Iterable[Job], on_start: Callable[[Job], None] | None = None
    ) -> Iterator[Outcome]:
        """See :meth:`Executor.run`."""
        waiting = iter(jobs)
        again: deque[Outcome] = deque()
        running: set[_Place] = set()
        ended: queue.SimpleQueue[_Place] = queue.SimpleQueue()
        try:
            while True:
                while not self._stopping.is_set() and len(running) < max(1, self.places()):
                    next_place = _next_place(again, waiting)
                    if next_place is None:
                        break
                    if on_start is not None:
                        on_start(next_place.job)
                    self._begin(next_place, running, ended)
                if not running:
                    break
                place = self._next_end(ended)
                if place is None:
                    continue
                running.remove(place)
                outcome = place.told()
                if self._is_tried_again(outcome):
                    again.append(outcome)
                else:
                    yield outcome
            # Jobs that were to be tried again when the executor was stopped.
            yield from again
        finally:
            if running:
                self.stop()
            # By what the places were told: a Ctrl-C may come between an end and its being counted.
            while any(place.outcome is None for place in running):
                self._next_end(ended)

    def _begin(self, place: _Place, running: set[_Place], ended: queue.SimpleQueue[_Place]) -> None:
        tell = partial(_tell, ended, place)
        try:
            running.add(place)
            self.begin(place.job, tell)
        except Exception as error:  # noqa: BLE001 - of any kind, as where no thread can be had
            words = f"the job cannot be begun: {one_line(error)}"
            tell(Outcome(place.job.name, reason=FAILED, detail=words))
        except BaseException:
            # A Ctrl-C: it may run or not. Nobody waits for it, and it ends as all jobs do.
            running.discard(place)
            self.stop()
            raise

    def _next_end(self, ended: queue.SimpleQueue[_Place]) -> _Place | None:
        try:
            return ended.get(timeout=_LOOK_SECONDS)
        except queue.Empty:
            # Now and then: there may be more places, and jobs that are lost.
            self.look()
            return None

    def look(self) -> None:  # noqa: B027 - most executors lose none
        """Tell of jobs that nothing else would tell of; called each second in which none ends."""

    def is_final(self, outcome: Outcome) -> bool:  # noqa: ARG002 - for those who know better
        """Tell whether a job whose process is gone would come to the same end once more."""
        return False

    def _is_tried_again(self, outcome: Outcome) -> bool:
        is_gone = outcome.reason in {DIED, LOST} and not self.is_final(outcome)
        return is_gone and outcome.attempts <= self._retries and not self._stopping.is_set()


@dataclass(slots=True, eq=False)
class _Place:
    """A job that runs, how often it has been begun, and what came of it when it has ended."""

    job: Job
    attempts: int = 1
    outcome: Outcome | None = None

    def told(self) -> Outcome:
        assert self.outcome is not None  # noqa: S101 - asked when it has ended
        return replace(self.outcome, job=self.job, attempts=self.attempts)


def _next_place(again: deque[Outcome], waiting: Iterator[Job]) -> _Place | None:
    if again:
        outcome = again.popleft()
        assert outcome.job is not None  # noqa: S101 - each has it when it was told
        return _Place(outcome.job, outcome.attempts + 1)
    job = next(waiting, None)
    return None if job is None else _Place(job)


def _tell(ended: queue.SimpleQueue[_Place], place: _Place, outcome: Outcome) -> None:
    # What is told after that tells nothing new.
    if place.outcome is None:
        place.outcome = outcome
        ended.put(place)


class LocalExecutor(Places):
    """Runs jobs on this machine.

    Args:
        processes: how many at once.
        retries: how often a job is begun once more whose process died.

    Raises:
        ArgumentError: a number is too small.
    """

    def __init__(self, processes: int = 1, retries: int = RETRIES) -> None:
        super().__init__(retries)
        if processes < 1:
            raise ArgumentError(f"processes={processes}: give 1 or a larger number.")
        self._processes = processes

    def places(self) -> int:
        """Return how many processes may run at once."""
        return self._processes

    def begin(self, job: Job, tell: Callable[[Outcome], None]) -> None:
        """Begin a job in a process that a thread of its own watches."""

        def watch() -> None:
            try:
                outcome = run_in_process(job, should_stop=self._stopping.is_set)
            except BaseException as error:  # noqa: BLE001 - where memory ends, telling fails as well
                words = (
                    f"nobody could see to its process: {one_line(error) or type(error).__name__}"
                )
                outcome = Outcome(job.name, reason=FAILED, detail=words)
            tell(outcome)

        # Not waited for where this program is ended at once; the process ends with it.
        threading.Thread(target=watch, name=f"job {job.name}", daemon=True).start()
