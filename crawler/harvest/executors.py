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
from typing import TYPE_CHECKING, Final, Protocol, Self, TypeAlias

from crawler.core.errors import ArgumentError
from crawler.harvest.jobs import DIED, LOST
from crawler.harvest.process import run_in_process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType

    from crawler.harvest.jobs import Job, Outcome

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
        again: deque[_Place] = deque()
        ended: queue.SimpleQueue[_End] = queue.SimpleQueue()
        running = 0
        try:
            while True:
                while not self._stopping.is_set() and running < max(1, self.places()):
                    place = again.popleft() if again else _next_place(waiting)
                    if place is None:
                        break
                    if on_start is not None:
                        on_start(place.job)
                    running += 1
                    self.begin(place.job, partial(_tell, ended, place))
                if not running:
                    return
                end = self._next_end(ended)
                if end is None:
                    continue
                place, outcome = end
                running -= 1
                if place.attempts <= self._retries and self._is_tried_again(outcome):
                    again.append(replace(place, attempts=place.attempts + 1))
                    continue
                yield replace(outcome, job=place.job, attempts=place.attempts)
        finally:
            if running:
                self.stop()
            while running:
                running -= self._next_end(ended) is not None

    def _next_end(self, ended: queue.SimpleQueue[_End]) -> _End | None:
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
        return is_gone and not self._stopping.is_set()


@dataclass(frozen=True, slots=True)
class _Place:
    """A job that runs, and how often it has been begun."""

    job: Job
    attempts: int = 1


_End: TypeAlias = "tuple[_Place, Outcome]"


def _next_place(waiting: Iterator[Job]) -> _Place | None:
    job = next(waiting, None)
    return None if job is None else _Place(job)


def _tell(ended: queue.SimpleQueue[_End], place: _Place, outcome: Outcome) -> None:
    ended.put((place, outcome))


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
            tell(run_in_process(job, should_stop=self._stopping.is_set))

        # Not waited for where this program is ended at once; the process ends with it.
        threading.Thread(target=watch, name=f"job {job.name}", daemon=True).start()
