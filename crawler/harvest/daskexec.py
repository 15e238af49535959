"""Jobs on a Dask cluster: an existing scheduler, whose workers have this project installed.

A worker's thread starts the job's process and waits for it, as a thread of
:class:`crawler.harvest.executors.LocalExecutor` does. So one job runs at a time for each thread of
a worker, and a worker that dies takes its jobs' processes with it; the scheduler gives these jobs
to other workers.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass, replace
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
_MORE_SECONDS: Final = 0.5
_STOP_SECONDS: Final = 1.0
# A scheduler that did not answer is left alone for so long: many jobs may wait to be sent to it.
_AGAIN_SECONDS: Final = 60.0
# What a client says of its connection.
_CONNECTED: Final = "running"
_GIVES_UP: Final = frozenset({"closing", "closed"})
_GIVEN_UP: Final = "too many workers died while they had this job; their logs may say why"

# On a worker: the executors that were told to stop, and those of the jobs that run, by their keys.
_stopped: set[str] = set()
_running: dict[str, str] = {}


@dataclass(slots=True, eq=False)
class _Open:
    """A job that has not ended: whom to tell, and the client that sent it."""

    name: str
    tell: Callable[[Outcome], None]
    client: Any
    future: Any = None

    @property
    def is_pending(self) -> bool:
        return self.future is not None and self.future.status == "pending"


async def _greet(address: str, seconds: float) -> None:
    """Connect to a scheduler and leave.

    Raises:
        ValueError: that is no address.
        OSError: nobody answers, or not as Dask does.
    """
    from distributed.comm.core import connect  # noqa: PLC0415 - an extra, and slow to import
    from distributed.security import Security  # noqa: PLC0415 - as above

    # As most of Dask, they have no types.
    call: Any = connect
    security: Any = Security
    secured = security().get_connection_args("client")
    # It keeps to its time where nobody answers, and not where somebody does who says nothing.
    greeting = call(address, timeout=seconds, **secured)
    comm = await asyncio.wait_for(greeting, seconds + _MORE_SECONDS)
    comm.abort()


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
            import distributed  # noqa: F401, PLC0415 - an extra, and slow to import
        except ImportError as error:
            raise ArgumentError(
                "The executor dask needs the package distributed: "
                'pip install "scrapy-corpus[dask]", here and on the workers.'
            ) from error
        self._id = uuid.uuid4().hex
        self._address = address
        self._timeout = timeout
        self._places = 0
        # Of jobs that have not ended, by the keys of their tasks.
        self._open: dict[str, _Open] = {}
        self._told_to_wait = False
        self._is_closed = threading.Event()
        self._connecting = threading.Lock()
        self._connect_again_at = 0.0
        # Since when the client was seen without a connection, while jobs ran.
        self._away_since: float | None = None
        # Most of its methods have no types.
        self._client: Any = self._connected()
        # Whoever stops need not wait for the cluster, and may be a signal handler.
        threading.Thread(target=self._keep_stopping, name="dask stop", daemon=True).start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the cluster as it was. The jobs that run end with their tasks."""
        self._is_closed.set()
        self.stop()
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
        try:
            client = self._client_now()
            if not self._open:
                self._away_since = None
            self._open[key] = opened = _Open(job.name, tell, client)
            opened.future = client.submit(
                _run_on_worker, job.as_json(), self._id, key=key, pure=False
            )
            # Dask has one thread for what is called here, and whoever asks for a result may wait:
            # for a worker that hangs, or until another one has done the job once more.
            opened.future.add_done_callback(lambda ended: self._ask(key, job, ended))
        except Exception as error:  # noqa: BLE001 - of any kind, where the connection is gone
            self._open.pop(key, None)
            tell(_failed(job, error))

    def look(self) -> None:
        """Tell of the jobs of a client that has given its scheduler up.

        It cancels the tasks that it has by then; one that is sent just after that never ends. And
        it gives nothing up while somebody else takes its calls at the address and says nothing.
        """
        client, now = self._client, time.monotonic()
        if client.status == _CONNECTED:
            self._away_since = None
        elif self._away_since is None:
            self._away_since = now
        elif now - self._away_since >= self._timeout + _ANSWER_SECONDS:
            # It says at once that it is closing, and may take its time for that.
            self._away_since = now
            threading.Thread(target=_close, args=(client,), daemon=True).start()
        for key, opened in list(self._open.items()):
            if opened.client.status in _GIVES_UP:
                self._tell(key, Outcome(opened.name, reason=LOST, detail="the scheduler is gone"))

    def _connected(self) -> Any:  # noqa: ANN401 - as above
        from distributed import Client  # noqa: PLC0415 - as above

        make: Any = Client
        try:
            # A client waits for ever at a server of another kind, such as that of a dashboard.
            asyncio.run(_greet(self._address, self._timeout))
            return make(self._address, timeout=self._timeout, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            why = str(error) or f"no greeting within {self._timeout:g} s"
            raise CorpusError(
                f"No Dask scheduler answers at {self._address} ({why}). Start one with "
                "'dask scheduler', or give the address that it prints, such as tcp://head:8786."
            ) from error

    def _client_now(self) -> Any:  # noqa: ANN401 - as above
        """Return a client; a new one where the last has given up, as a scheduler may be back."""
        with self._connecting:
            is_gone = self._client.status in _GIVES_UP and not self._is_closed.is_set()
            if is_gone and time.monotonic() >= self._connect_again_at:
                try:
                    self._client = self._connected()
                finally:
                    self._connect_again_at = time.monotonic() + _AGAIN_SECONDS
            return self._client

    def _ask(self, key: str, job: Job, ended: Future[Outcome]) -> None:
        def ask() -> None:
            self._tell(key, _outcome(job, ended))

        try:
            threading.Thread(target=ask, name=f"result {job.name}", daemon=True).start()
        except RuntimeError:
            # No more threads can be had: then others wait.
            ask()

    def _tell(self, key: str, outcome: Outcome) -> None:
        # Two may come to tell of a job; the one that takes it out does.
        opened = self._open.pop(key, None)
        if opened is not None:
            opened.tell(outcome)

    def _keep_stopping(self) -> None:
        """Tell all workers, also those that come later, and take back what none of them has begun.

        Jobs of a scheduler that is gone end with their tasks.
        """
        self._stopping.wait()
        idle: set[str] = set()
        while not self._is_closed.is_set():
            # Twice, since what has ended may be told here a moment later.
            before, idle = idle, self._idle_jobs()
            for key in before & idle:
                self._take_back(key)
            self._is_closed.wait(_STOP_SECONDS)

    def _idle_jobs(self) -> set[str]:
        """Tell all workers to stop; return the keys of jobs that none of them has begun."""
        try:
            opened = {key for key, one in tuple(self._open.items()) if one.is_pending}
            told = self._client.run(_stop_on_worker, self._id, on_error="return")
        except Exception:  # noqa: BLE001 - of any kind, where the connection is gone
            return set()
        begun = list(told.values())
        # A worker that gives no answer may have begun any of them.
        return opened.difference(*begun) if all(isinstance(one, list) for one in begun) else set()

    def _take_back(self, key: str) -> None:
        opened = self._open.get(key)
        if opened is None or opened.future is None:
            return
        words = "it was told to stop while no worker had it"
        self._tell(key, Outcome(opened.name, reason=STOPPED, detail=words))
        with suppress(Exception):
            opened.future.cancel()

    def is_final(self, outcome: Outcome) -> bool:
        """Tell whether the scheduler has given a job up."""
        return outcome.detail == _GIVEN_UP


def _close(client: Any) -> None:  # noqa: ANN401 - Dask's clients have no types
    with suppress(Exception):
        client.close()


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


def _stop_on_worker(executor: str) -> list[str]:
    """Have the jobs of an executor stop; return the keys of those that run here."""
    _stopped.add(executor)
    return [key for key, of in tuple(_running.items()) if of == executor]


def _run_on_worker(values: dict[str, Any], executor: str) -> Outcome:
    """Run a job in a process that ends when the task is wanted no more."""
    from distributed import get_worker  # noqa: PLC0415 - as above
    from distributed.core import Status  # noqa: PLC0415

    worker = get_worker()
    key = str(worker.get_current_task())

    def should_stop() -> bool:
        if executor in _stopped or worker.status in {Status.closing, Status.closing_gracefully}:
            return True
        # A program that is gone wants nothing any more: its tasks are cancelled or forgotten.
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    _running[key] = executor
    try:
        outcome = run_in_process(Job.from_json(values), should_stop=should_stop)
    finally:
        _running.pop(key, None)
    if outcome.reason == STOPPED and executor not in _stopped:
        return replace(outcome, reason=LOST, detail="its worker was closed")
    return outcome
