"""The processor time that the work on one page may take.

In the main thread a timer of the system interrupts the work, within a regular expression too. In
other threads, and on systems without such timers, the time is looked at when a step has ended.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from math import inf
from threading import current_thread, main_thread
from time import thread_time
from types import FrameType
from typing import Final, TypeVar

from crawler.core.errors import PageTimeError

_T = TypeVar("_T")

# Libraries print what is raised in a callback, and go on: it is raised again then.
_AGAIN_SECONDS: Final = 0.1
_SHORTEST: Final = 1e-6


class PageTime:
    """The processor time that is left for a page, over all steps of the work on it.

    Args:
        seconds: the time for all steps; without a limit by default.
    """

    def __init__(self, seconds: float = inf) -> None:
        self._seconds = self._left = seconds

    def spend(self, work: Callable[[], _T]) -> _T:
        """Do a step of the work on the page.

        The step may be interrupted anywhere: it changes nothing that other pages depend on.

        Raises:
            PageTimeError: the time is used up.
        """
        started = thread_time()
        try:
            result = _deadline.keep(started + self._left, work)
        except _TimeUp as error:
            raise PageTimeError(self._seconds) from error
        finally:
            self._left -= thread_time() - started
        if self._left < 0:
            raise PageTimeError(self._seconds)
        return result


class _TimeUp(BaseException):
    """Raised in the midst of work whose time is used up, past those parts that catch any error."""


class _Deadline:
    """The one deadline of the main thread: a step within a step ends by that of the outer one."""

    def __init__(self) -> None:
        self._at: float | None = None
        self._is_set = False

    def keep(self, at: float, work: Callable[[], _T]) -> _T:
        """Do some work; raise _TimeUp in its midst when the thread has had so much time."""
        can_interrupt = hasattr(signal, "setitimer") and current_thread() is main_thread()
        if at == inf or self._at is not None or not can_interrupt:
            return work()
        if not self._is_set:
            # It stays: to set it takes longer than all else here.
            signal.signal(signal.SIGVTALRM, self._look)
            self._is_set = True
        try:
            self._at = at
            self._wait(at - thread_time())
            return work()
        finally:
            # First of all: what comes from here on interrupts nothing.
            self._at = None
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    def _look(self, _number: int, _frame: FrameType | None) -> None:
        if self._at is None:
            return
        # The timer runs by the time of all threads.
        left = self._at - thread_time()
        self._wait(left if left > 0 else _AGAIN_SECONDS)
        if left <= 0:
            raise _TimeUp

    def _wait(self, seconds: float) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, max(seconds, _SHORTEST))


_deadline = _Deadline()
