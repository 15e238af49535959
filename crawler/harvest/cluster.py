"""Jobs on a Dask cluster, and the choice between it and this machine."""

from __future__ import annotations

import argparse
import asyncio
import logging
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, Final

from crawler.core.errors import ArgumentError, CorpusError, one_line
from crawler.harvest.engine import (
    Call,
    Done,
    Engine,
    LostError,
    ProcessEngine,
    ThreadEngine,
    run_job,
    stop_jobs,
)

logger = logging.getLogger(__name__)

_LOCAL_PROCESSES: Final = 2
_CONNECT_SECONDS: Final = 30.0
_ANSWER_SECONDS: Final = 10.0
_ASK_SECONDS: Final = 5.0


def open_engine(
    options: argparse.Namespace, local: type[ThreadEngine], memory: int | None = None
) -> Engine:
    """Return the engine that a command asks for; to be used by a ``with`` statement.

    Args:
        options: ``executor`` (``local`` or ``dask``), ``processes`` (how many jobs run at once, for
            ``local``) and ``scheduler`` (its address, for ``dask``).
        local: the class where jobs run on this machine.
        memory: most bytes that a process of :class:`ProcessEngine` may allocate; None for no limit.

    Raises:
        ArgumentError: the options do not fit together, or a package is missing.
        CorpusError: the scheduler does not answer.
    """
    if options.executor == "dask":
        if not options.scheduler:
            raise ArgumentError("--executor dask needs --scheduler ADDRESS of a Dask scheduler")
        if options.processes is not None or memory is not None:
            raise ArgumentError("--processes and --memory are for --executor local")
        return DaskEngine(options.scheduler)
    if options.scheduler:
        raise ArgumentError("--scheduler is for --executor dask")
    places = options.processes or _LOCAL_PROCESSES
    return ProcessEngine(places, memory) if local is ProcessEngine else local(places)


class DaskEngine(Engine):
    """Runs jobs on the workers of a Dask scheduler, one for each of their threads.

    The scheduler gives the jobs of a worker that died to other workers, a few times each
    (``distributed.scheduler.allowed-failures``). The address is the scheduler's, such as
    ``tcp://head:8786``; its first answer is waited for so many seconds.

    Raises:
        ArgumentError: the extra ``dask`` is missing.
        CorpusError: no scheduler answers.
    """

    def __init__(self, address: str, seconds: float = _CONNECT_SECONDS) -> None:
        try:
            from distributed import Client  # noqa: PLC0415 - an extra, and slow to import
        except ImportError as error:
            raise ArgumentError(
                "The executor dask needs the package distributed: "
                'pip install "scrapy-corpus[dask]", here and on the workers.'
            ) from error
        # What is wrong with the cluster, the errors of this class say.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        # Most of distributed has no types.
        make: Any = Client
        self._address = address
        try:
            asyncio.run(_greet(address, seconds))
            self._client: Any = make(address, timeout=seconds, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            why = one_line(error) or f"no answer within {seconds:g} s"
            raise CorpusError(
                f"No Dask scheduler answers at {address} ({why}). Start one with 'dask scheduler', "
                "or give the address that it prints, such as tcp://head:8786."
            ) from error
        self._asked_at = float("-inf")
        self._told = 0
        super().__init__(self._client.get_executor(pure=False), 0)

    @property
    def places(self) -> int:
        """The number of threads of all workers, as it was some seconds ago at most.

        Raises:
            CorpusError: the scheduler is gone. A client that has lost it cancels the jobs that it
                has by then, and one that is submitted later would never end.
        """
        try:
            is_running = self._client.status == "running"
            if is_running and time.monotonic() - self._asked_at >= _ASK_SECONDS:
                threads = self._client.nthreads(callback_timeout=_ANSWER_SECONDS)
                self._asked_at = time.monotonic()
                self._places = sum(threads.values())
                if not self._places:
                    logger.warning("The Dask scheduler at %s has no workers.", self._address)
        except Exception:  # noqa: BLE001 - of any kind, where the connection is gone
            is_running = False
        if is_running:
            return self._places
        raise CorpusError(
            f"The Dask scheduler at {self._address} is gone, and the results of the jobs that ran "
            "are lost. Start it again, and run the command again."
        )

    def _submit(self, call: Call) -> Future[Any]:
        # The executor of Dask takes the task's name, which its dashboard shows, as a keyword.
        submit: Any = partial(self._executor.submit, key=f"{call.name}-{uuid.uuid4().hex}")
        future: Future[Any] = submit(_run_on_worker, self._id, call.function, call.argument)
        return future

    def _look(self) -> None:
        is_old = time.monotonic() - self._asked_at >= _ASK_SECONDS
        places = self.places
        if self._level > self._told or (self._level and is_old):
            self._told = self._level
            self._tell_workers()
            for future in () if places else tuple(self._running):
                future.cancel()

    def _done(self, future: Future[Any], call: Call) -> Done:
        done = super()._done(future, call)
        if type(done.error).__name__ == "KilledWorker":
            return Done(call, error=LostError("too many workers died while they had it"))
        return done

    def _tell_workers(self) -> None:
        # A worker may come or go meanwhile: one that has missed it is told at the next look.
        options = {"on_error": "ignore", "callback_timeout": _ANSWER_SECONDS}
        with suppress(Exception):
            self._client.run(stop_jobs, self._id, self._level, **options)

    def _close(self) -> None:
        if self._running and self._client.status == "running":
            self._tell_workers()
            with suppress(Exception):
                self._executor.shutdown(wait=False)
        with suppress(Exception):
            self._client.close(timeout=_ANSWER_SECONDS)


def _run_on_worker(engine: str, function: Callable[[Any], Any], argument: object) -> object:
    """Run a job on a worker of Dask, which is closed or loses its scheduler now and then."""
    from distributed import get_worker  # noqa: PLC0415 - an extra, and slow to import
    from distributed.core import Status  # noqa: PLC0415 - as above

    worker = get_worker()
    key = worker.get_current_task()

    def is_wanted() -> bool:
        task = worker.state.tasks.get(key)
        is_closing = worker.status in {Status.closing, Status.closing_gracefully}
        return not is_closing and task is not None and task.state != "cancelled"

    return run_job(engine, function, argument, is_wanted)


async def _greet(address: str, seconds: float) -> None:
    """Connect to a scheduler and leave: a client waits for ever at a server of another kind.

    Raises:
        ValueError: that is no address.
        OSError: nobody answers, or not as Dask does.
    """
    from distributed.comm.core import connect  # noqa: PLC0415 - an extra, and slow to import
    from distributed.security import Security  # noqa: PLC0415 - as above

    call: Any = connect
    security: Any = Security
    greeting = call(address, timeout=seconds, **security().get_connection_args("client"))
    (await asyncio.wait_for(greeting, seconds + 1)).abort()
