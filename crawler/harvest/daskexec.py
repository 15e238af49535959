"""Jobs on a Dask cluster: an existing scheduler, whose workers have this project installed.

A worker's thread starts the job's process and waits for it, as a thread of
:class:`crawler.harvest.executors.LocalExecutor` does. So one job runs at a time for each thread of
a worker, and a worker that dies takes its jobs' processes with it; the scheduler gives these jobs
to other workers.
"""

from __future__ import annotations

import logging
import threading
import uuid
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from crawler.core.errors import ArgumentError, CorpusError
from crawler.harvest.executors import RETRIES, Places
from crawler.harvest.jobs import FAILED, LOST, STOPPED, Job, Outcome
from crawler.harvest.process import run_in_process

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from distributed import Future

__all__ = ["DaskExecutor"]

logger = logging.getLogger(__name__)

_CONNECT_SECONDS: Final = 30
_ANSWER_SECONDS: Final = 10
# What a client says of its connection.
_CONNECTED: Final = "running"
_GIVES_UP: Final = frozenset({"closing", "closed"})
_GIVEN_UP: Final = "too many workers died while they had this job; their logs may say why"

# On a worker: the executors that were told to stop.
_stopped: set[str] = set()


class DaskExecutor(Places):
    """Runs jobs on the workers of a Dask scheduler.

    Args:
        address: the scheduler's, such as ``tcp://head:8786``.
        retries: how often a job is begun once more whose process died. How many workers a job may
            outlive is the scheduler's to say (``distributed.scheduler.allowed-failures``).
        timeout: seconds to wait for the scheduler to answer.

    Raises:
        CorpusError: the extra ``dask`` is missing, or no scheduler answers.
    """

    def __init__(
        self, address: str, retries: int = RETRIES, timeout: float = _CONNECT_SECONDS
    ) -> None:
        super().__init__(retries)
        try:
            import distributed  # noqa: PLC0415 - an extra, and slow to import
        except ImportError as error:
            raise ArgumentError(
                "The executor dask needs the package distributed: "
                'pip install "scrapy-corpus[dask]", here and on the workers.'
            ) from error
        self._id = uuid.uuid4().hex
        self._address = address
        self._places = 0
        # Of jobs that have not ended, by the keys of their tasks: their names, and whom to tell.
        self._open: dict[str, tuple[str, Callable[[Outcome], None]]] = {}
        self._told_to_wait = False
        try:
            # Most of its methods have no types.
            client: Any = distributed.Client
            self._client = client(address, timeout=timeout, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise CorpusError(
                f"No Dask scheduler answers at {address} ({error}). Start one with "
                "'dask scheduler', or give the address that it prints."
            ) from error

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the cluster as it was. The jobs that run end with their tasks."""
        super().stop()
        self._client.close()

    def places(self) -> int:
        """Return the number of threads of all workers."""
        # Where the scheduler is gone, the jobs that it had say so.
        if self._client.status == _CONNECTED:
            with suppress(Exception):
                threads: Mapping[str, int]
                threads = self._client.nthreads(callback_timeout=_ANSWER_SECONDS)
                self._places = sum(threads.values())
        number = self._places
        if not number and not self._told_to_wait:
            self._told_to_wait = True
            logger.warning(
                "The Dask scheduler at %s has no workers yet: jobs wait for them.",
                self._address,
            )
        return number

    def begin(self, job: Job, tell: Callable[[Outcome], None]) -> None:
        """Send a job to the scheduler."""
        key = f"job-{job.name or job.function}-{uuid.uuid4().hex}"
        self._open[key] = job.name, tell
        try:
            future = self._client.submit(
                _run_on_worker, job.as_json(), self._id, key=key, pure=False
            )
        except Exception as error:  # noqa: BLE001 - of any kind, where the connection is gone
            self._tell(key, _failed(job, error))
            return
        future.add_done_callback(lambda ended: self._tell(key, _outcome(job, ended)))

    def look(self) -> None:
        """Tell of the jobs of a client that has given its scheduler up.

        It cancels the tasks that it has by then; one that is sent just after that never ends.
        """
        if self._client.status in _GIVES_UP:
            for key, (name, _) in list(self._open.items()):
                self._tell(key, Outcome(name, reason=LOST, detail="the scheduler is gone"))

    def _tell(self, key: str, outcome: Outcome) -> None:
        # Two may come to tell of a job; the one that takes it out does.
        _, tell = self._open.pop(key, ("", None))
        if tell is not None:
            tell(outcome)

    def stop(self) -> None:
        """Ask the jobs that run to end, and begin no more."""
        if self._stopping.is_set():
            return
        super().stop()

        # Whoever calls need not wait for the cluster, and may be a signal handler.
        threading.Thread(target=self._send_stop, daemon=True).start()

    def _send_stop(self) -> None:
        # Jobs of a scheduler that is gone end with their tasks.
        with suppress(Exception):
            self._client.run(_stop_on_worker, self._id, on_error="ignore")

    def is_final(self, outcome: Outcome) -> bool:
        """Tell whether the scheduler has given a job up."""
        return outcome.detail == _GIVEN_UP


def _outcome(job: Job, future: Future[Outcome]) -> Outcome:
    try:
        outcome: Outcome = future.result()
    except BaseException as error:  # noqa: BLE001 - a future that was cancelled raises no Exception
        return _failed(job, error)
    return outcome


def _failed(job: Job, error: BaseException) -> Outcome:
    """Tell what an error of the cluster itself means for a job."""
    kind = type(error).__name__
    text = " ".join(str(error).split())
    if kind == "KilledWorker":
        return Outcome(job.name, reason=LOST, detail=_GIVEN_UP)
    if isinstance(error, ImportError) or "deserializ" in text:
        detail = f"a worker cannot run it; install the same scrapy-corpus there ({kind}: {text})"
        return Outcome(job.name, reason=FAILED, detail=detail)
    return Outcome(job.name, reason=LOST, detail=f"the cluster lost it ({kind}: {text})")


def _stop_on_worker(executor: str) -> None:
    _stopped.add(executor)


def _run_on_worker(values: dict[str, Any], executor: str) -> Outcome:
    """Run a job in a process that ends when the task is wanted no more."""
    from distributed import get_worker  # noqa: PLC0415 - as above
    from distributed.core import Status  # noqa: PLC0415

    worker = get_worker()
    key = worker.get_current_task()

    def should_stop() -> bool:
        if executor in _stopped or worker.status in {Status.closing, Status.closing_gracefully}:
            return True
        # A program that is gone wants nothing any more: its tasks are cancelled or forgotten.
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    outcome = run_in_process(Job.from_json(values), should_stop=should_stop)
    if outcome.reason == STOPPED and executor not in _stopped:
        return replace(outcome, reason=LOST, detail="its worker was closed")
    return outcome
