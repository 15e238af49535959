"""Where jobs run: in threads or processes of this machine; on a cluster, in :mod:`.cluster`.

A job is a :class:`Call`: a function that can be imported, and one argument that can be pickled.
Every engine is a ``concurrent.futures`` executor with the same interface around it, so the result
of a job does not depend on where it ran::

    with ProcessEngine(4) as engine, stop_by_signals(engine, print):
        for done in engine.run(Call(str(path), count_words, str(path)) for path in paths):
            print(done.name, done.value, done.failure)

A job that runs for long asks :func:`stop_level` now and then, and ends in order when told to.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any, Final, Self

from crawler.core.errors import CorpusError, one_line

IN_ORDER: Final = 1
"""The stop level of a job that is to end, and to keep what it has."""
AT_ONCE: Final = 2
"""The stop level of a job that is to be killed."""

_ATTEMPTS: Final = 3
_LOOK_SECONDS: Final = 0.2

# In the process where a job runs: how far each engine, by its id, has been told to stop.
_stop_levels: dict[str, int] = {}
# Of the thread of a job: the engine's id, and what tells whether the job is still wanted.
_job = threading.local()


class StoppedError(CorpusError):
    """A job was not begun, or has no result, since its engine was stopped before."""


class LostError(CorpusError):
    """A job has no result, since the process or the cluster that ran it is gone."""


@dataclass(frozen=True, slots=True)
class Call:
    """A job: its name for people, a function that can be imported, and its only argument."""

    name: str
    function: Callable[..., Any]
    argument: Any = None


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a job: the value that its function returned, or an error.

    The error is what the function raised, a :class:`StoppedError` or a :class:`LostError`.
    """

    call: Call
    value: Any = None
    error: BaseException | None = None

    @property
    def name(self) -> str:
        """The name of the job."""
        return self.call.name

    @property
    def failure(self) -> str:
        """Why there is no result, in one line; empty where there is one."""
        if self.error is None:
            return ""
        kind = "" if isinstance(self.error, CorpusError) else f"{type(self.error).__name__}: "
        return f"{kind}{one_line(self.error)}".removesuffix(": ")


class Engine:
    """Runs jobs on an executor, as many at once as it has places. Used by one thread."""

    def __init__(self, executor: Executor, places: int) -> None:
        self.on_signal: Callable[[], None] = lambda: None
        """Called by :meth:`wait` at each look, since a signal handler may not do much itself."""
        self._id = uuid.uuid4().hex
        self._executor = executor
        self._places = places
        self._level = 0
        self._running: dict[Future[Any], Call] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._running:
            self.stop(AT_ONCE)
        self._close()
        _stop_levels.pop(self._id, None)

    @property
    def places(self) -> int:
        """How many jobs can run at once now."""
        return self._places

    @property
    def free(self) -> int:
        """How many more jobs can be begun now: none once the engine is stopped."""
        return 0 if self._level else max(0, self.places - len(self._running))

    @property
    def is_stopping(self) -> bool:
        """Whether no further job is begun."""
        return self._level > 0

    def submit(self, call: Call) -> None:
        """Begin a job; what comes of it is given by :meth:`wait`."""
        try:
            future = self._submit(call)
        except Exception as error:  # noqa: BLE001 - as where the system gives no more threads
            future = Future()
            future.set_exception(error)
        self._running[future] = call

    def wait(self, seconds: float) -> list[Done]:
        """Return the jobs that have ended; wait at most so many seconds for the first.

        Raises:
            CorpusError: the scheduler of a cluster is gone.
        """
        until = time.monotonic() + seconds
        while True:
            level = self._level
            self.on_signal()
            self._look()
            rest = max(0.0, min(_LOOK_SECONDS, until - time.monotonic()))
            if not self._running:
                time.sleep(rest)
            elif ended := wait(self._running, rest, FIRST_COMPLETED).done:
                return [self._done(future, self._running.pop(future)) for future in ended]
            if time.monotonic() >= until or self._level > level:
                return []

    def run(self, calls: Iterable[Call]) -> Iterator[Done]:
        """Run all jobs, and give what comes of each as it ends, in no particular order.

        Jobs are taken from ``calls`` when there is a place for them. Once the engine is stopped,
        no further job is begun; those that run are waited for.

        Raises:
            CorpusError: the scheduler of a cluster is gone.
        """
        waiting, is_more = iter(calls), True
        while is_more or self._running:
            while is_more and self.free > 0:
                call = next(waiting, None)
                is_more = call is not None
                if call is not None:
                    self.submit(call)
            # Where nothing runs, a cluster may have no workers yet.
            if is_more or self._running:
                yield from self.wait(1.0)
            is_more = is_more and not self.is_stopping

    def stop(self, level: int = IN_ORDER) -> None:
        """Begin no further job, and have those that run end: in order, or at once."""
        self._level = max(self._level, level)
        stop_jobs(self._id, self._level)

    def _submit(self, call: Call) -> Future[Any]:
        return self._executor.submit(run_job, self._id, call.function, call.argument)

    def _look(self) -> None:
        """Check what futures do not report; called several times a second by :meth:`wait`."""

    def _done(self, future: Future[Any], call: Call) -> Done:
        try:
            return Done(call, future.result())
        except CancelledError:
            kind = StoppedError if self._level else LostError
            return Done(call, error=kind("it was cancelled, or its cluster is gone"))
        except BaseException as error:  # noqa: BLE001 - whatever a job raises is its result
            return Done(call, error=error)

    def _close(self) -> None:
        self._executor.shutdown(wait=True, cancel_futures=True)


class ThreadEngine(Engine):
    """Runs so many jobs at once in threads; for jobs that start a process and wait for it."""

    def __init__(self, places: int) -> None:
        super().__init__(ThreadPoolExecutor(places, "job"), places)


class ProcessEngine(ThreadEngine):
    """Runs jobs in processes of this machine, each of which does one job after another.

    A job whose process dies, as where memory is short, is begun again twice. Each process may
    allocate so many bytes of ``memory`` (on Linux), without limit for None.
    """

    def __init__(self, places: int, memory: int | None = None) -> None:
        super().__init__(places)
        # The processes end when the writing end is closed, also by the death of this process.
        self._reader, self._writer = multiprocessing.Pipe(duplex=False)
        self._new_pool = partial(
            ProcessPoolExecutor,
            1,
            multiprocessing.get_context("spawn"),
            initializer=_begin_process,
            initargs=(self._reader, memory),
        )
        # A pool of one process for each thread: when a process dies, no other job dies with it.
        self._pools: dict[int, ProcessPoolExecutor] = {}

    def _submit(self, call: Call) -> Future[Any]:
        return self._executor.submit(self._run_in_process, call)

    def _run_in_process(self, call: Call) -> object:
        thread = threading.get_ident()
        for _ in range(_ATTEMPTS):
            if thread not in self._pools:
                self._pools[thread] = self._new_pool()
            try:
                return self._pools[thread].submit(call.function, call.argument).result()
            except BrokenProcessPool:
                self._pools.pop(thread).shutdown()
                if self._level == AT_ONCE:
                    break
        raise LostError("its process died, as where memory is short")

    def stop(self, level: int = IN_ORDER) -> None:
        """See :class:`Engine`; jobs that compute end with their process, or when they are done."""
        super().stop(level)
        if level == AT_ONCE:
            self._writer.close()

    def _close(self) -> None:
        super()._close()
        for pool in self._pools.values():
            pool.shutdown()
        self._writer.close()
        self._reader.close()


@contextmanager
def stop_by_signals(engine: Engine, tell: Callable[[str], None]) -> Iterator[None]:
    """Stop an engine in order at the first Ctrl-C or SIGTERM; the second one interrupts.

    For the main thread: anywhere else signals cannot be caught, and nothing is done. The engine is
    stopped at its next look; ``tell`` is then called with words for a person.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    received: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        received.append(number)
        if len(received) > 1:
            signal.default_int_handler(number, frame)

    def stop() -> None:
        if received and not engine.is_stopping:
            tell("stopping: the jobs that run end first; a second Ctrl-C ends them at once")
            engine.stop()

    engine.on_signal = stop
    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def stop_level() -> int:
    """Return how the job that calls this is to end: 0 not at all, ``IN_ORDER`` or ``AT_ONCE``."""
    level = _stop_levels.get(getattr(_job, "engine", ""), 0)
    is_wanted: Callable[[], bool] = getattr(_job, "is_wanted", lambda: True)
    return level or (0 if is_wanted() else IN_ORDER)


def run_job(
    engine: str,
    function: Callable[[Any], Any],
    argument: object,
    is_wanted: Callable[[], bool] = lambda: True,
) -> object:
    """Run a job in this process, so that it may ask :func:`stop_level`.

    Args:
        engine: the id of the engine that begins it.
        function: what the job does.
        argument: what it does it with.
        is_wanted: tells whether its result is still wanted.

    Raises:
        StoppedError: the engine was stopped before.
    """
    if _stop_levels.get(engine):
        raise StoppedError("the job was not begun")
    _job.engine, _job.is_wanted = engine, is_wanted
    return function(argument)


def stop_jobs(engine: str, level: int) -> None:
    """Tell the jobs of an engine in this process how they are to end."""
    _stop_levels[engine] = level


def limit_memory(memory: int | None, process: int = 0) -> None:
    """Have the system refuse a process memory beyond a number of bytes; on Linux only.

    What counts is what the process allocates (``RLIMIT_DATA``), not libraries nor mapped files.
    None bytes change nothing; the id 0 is that of this process.
    """
    if memory is None or sys.platform != "linux":
        return
    import resource  # noqa: PLC0415 - not every system has it

    with suppress(ProcessLookupError):
        _, hard = resource.prlimit(process, resource.RLIMIT_DATA)
        most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        resource.prlimit(process, resource.RLIMIT_DATA, (most, hard))


def _begin_process(reader: Connection, memory: int | None) -> None:
    """Prepare a process of :class:`ProcessEngine`."""
    # Ctrl-C in a terminal reaches all its processes; the one that began the jobs sees to it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit_memory(memory)

    def end_with_parent() -> None:
        reader.poll(None)
        os._exit(1)

    threading.Thread(target=end_with_parent, name="parent", daemon=True).start()
