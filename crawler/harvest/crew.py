"""Sites that are being crawled at one moment, each by a job of its own."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, Protocol

from crawler.core.errors import one_line
from crawler.harvest.jobs import FAILED, STOPPED, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawler.harvest.executors import Executor
    from crawler.harvest.jobs import Job
    from crawler.harvest.plan import SitePlan

__all__ = ["Crew", "JobCrew"]


class Crew(Protocol):
    """Crawls sites, several at once."""

    def free(self) -> int:
        """Return how many more may be begun now."""

    def start(self, site: SitePlan, run: str) -> None:
        """Begin to crawl a site; ``run`` names the run."""

    def wait(self, seconds: float) -> list[Outcome]:
        """Return what has come of sites, named by their ids; waits so long for the first."""

    def stop(self) -> None:
        """Ask all to end; what came of them is given as ever."""


class JobCrew:
    """Crawls sites by an executor, each from a thread that waits for its job.

    Args:
        executor: runs the jobs.
        make_job: makes the job of a site, named by its id.
        places: how many at once.
    """

    def __init__(
        self,
        executor: Executor,
        make_job: Callable[[SitePlan, str], Job],
        places: Callable[[], int],
    ) -> None:
        self._executor = executor
        self._make_job = make_job
        self._places = places
        self._ended: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        self._running = 0

    def free(self) -> int:
        """See :class:`Crew`."""
        return max(0, self._places() - self._running)

    def start(self, site: SitePlan, run: str) -> None:
        """See :class:`Crew`."""
        job = self._make_job(site, run)
        thread = threading.Thread(
            target=self._run, args=(job,), name=f"site {site.id}", daemon=True
        )
        self._running += 1
        try:
            thread.start()
        except RuntimeError as error:
            # The system gives no more threads: what was noted as begun has to end.
            self._ended.put(Outcome(job.name, reason=FAILED, detail=one_line(error)))

    def wait(self, seconds: float) -> list[Outcome]:
        """See :class:`Crew`."""
        outcomes = []
        try:
            outcomes.append(self._ended.get(timeout=max(0.0, seconds)))
            while True:
                outcomes.append(self._ended.get_nowait())
        except queue.Empty:
            self._running -= len(outcomes)
            return outcomes

    def stop(self) -> None:
        """See :class:`Crew`."""
        self._executor.stop()

    def _run(self, job: Job) -> None:
        outcome = Outcome(job.name, reason=STOPPED, detail="it was told to stop before it began")
        try:
            for one in self._executor.run([job]):
                outcome = one
        except BaseException as error:  # noqa: BLE001 - it is this site's end alone, and told of
            outcome = Outcome(job.name, reason=FAILED, detail=one_line(error))
        self._ended.put(outcome)
