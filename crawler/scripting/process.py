"""The process that runs scripts, seen from outside: started, asked, and ended when it is late."""

from __future__ import annotations

import contextlib
import json
import os
import struct
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Timer
from typing import IO, TYPE_CHECKING, Final
from weakref import finalize

from crawler.scripting.forms import ScriptsNotInstalledError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Lost", "Worker", "has_engine"]

_ENGINE: Final = "_quickjs"
_INSTALL: Final = "pip install 'scrapy-corpus[scripts]'"
_HERE: Final = Path(__file__).parent
_LENGTH: Final = struct.Struct(">Q")
_START_SECONDS: Final = 60.0
_MOST_GREETING: Final = 64 * 1024
# How the system tells that a process reached the limits it had set itself (signal.h of Linux and
# macOS; Windows has neither of them).
_TIME_SIGNALS: Final = ("SIGPROF", "SIGXCPU")


@dataclass(frozen=True, slots=True)
class Lost:
    """There is no answer.

    ``reason``
        ``time``, ``output`` or ``died``, as in :class:`crawler.scripting.forms.ScriptError`.
    ``detail``
        What is known of the end of the process; empty for the first two.
    """

    reason: str
    detail: str = ""


def has_engine() -> bool:
    """Tell whether an engine for scripts is installed. Does not start it."""
    return find_spec(_ENGINE) is not None


class Worker:
    """A process that runs scripts.

    Raises:
        ScriptsNotInstalledError: there is no engine, another one, or it cannot be started.
    """

    def __init__(self) -> None:
        spec = find_spec(_ENGINE)
        if spec is None or spec.origin is None:
            raise ScriptsNotInstalledError(
                f"scripts need a JavaScript engine, which is not installed; run: {_INSTALL}"
            )
        # Without the site's packages and the user's environment, it starts in half the time and
        # finds nothing but what it is given.
        command = (
            sys.executable, "-I", "-S", "-B", str(_HERE / "worker.py"),
            str(Path(spec.origin).parent), str(_HERE / "objects.js"),
        )  # fmt: skip
        environment = {key: os.environ[key] for key in ("SYSTEMROOT",) if key in os.environ}
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the program and its files are our own
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                # Ctrl-C is for the crawl, which may still need scripts when it ends in order.
                start_new_session=True,
            )
        except OSError as error:
            raise ScriptsNotInstalledError(
                f"the process for scripts cannot be started ({error}); check that {sys.executable} "
                "can be run"
            ) from error
        self._finish = finalize(self, _end, self._process)
        self._greet()

    @property
    def number(self) -> int:
        """The number of the process."""
        return self._process.pid

    def lives(self) -> bool:
        """Tell whether it still runs."""
        return self._process.poll() is None

    def ask(self, frames: Sequence[bytes], seconds: float, most: int) -> bytes | Lost:
        """Send frames and wait for one.

        Args:
            frames: what to send.
            seconds: how long to wait before the process is killed.
            most: bytes that the answer may have. A process that answers more is killed.
        """
        late = Event()
        timer = Timer(seconds, _end_late, (self._process, late))
        timer.daemon = True
        timer.start()
        try:
            answer = self._exchange(frames, most)
        finally:
            timer.cancel()
        if isinstance(answer, bytes):
            return answer
        if answer is None:
            self._process.kill()
            self._process.wait()
            return Lost("output")
        status = self._process.wait()
        if late.is_set() or status in _time_statuses():
            return Lost("time")
        return Lost("died", _ending(status))

    def end(self) -> None:
        """End the process and wait for its end. Done as well when nobody holds it any more."""
        self._finish()

    def _greet(self) -> None:
        answer = self.ask((), _START_SECONDS, _MOST_GREETING)
        if isinstance(answer, bytes):
            told = json.loads(answer)
            if told.get("ready") is True:
                return
            detail = str(told.get("failed"))
        else:
            detail = answer.detail or answer.reason
        self.end()
        if detail == "other-engine":
            raise ScriptsNotInstalledError(
                "the package 'quickjs' stands in the place of 'quickjs-ng', which scripts need; "
                f"run: pip uninstall quickjs quickjs-ng, then: {_INSTALL}"
            )
        raise ScriptsNotInstalledError(
            f"the JavaScript engine cannot be started ({detail}); install it anew: "
            "pip install --force-reinstall quickjs-ng"
        )

    def _exchange(self, frames: Sequence[bytes], most: int) -> bytes | BrokenPipeError | None:
        """Return the answer, None for one that is too long, an error where the pipe broke."""
        sending, receiving = self._process.stdin, self._process.stdout
        if sending is None or receiving is None:
            return BrokenPipeError()
        try:
            for frame in frames:
                sending.write(_LENGTH.pack(len(frame)))
                sending.write(frame)
            sending.flush()
        except OSError:
            return BrokenPipeError()
        return _receive(receiving, most)


def _end_late(process: subprocess.Popen[bytes], late: Event) -> None:
    late.set()
    process.kill()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            # What it was not sent any more cannot be flushed.
            with contextlib.suppress(OSError):
                pipe.close()


def _receive(receiving: IO[bytes], most: int) -> bytes | BrokenPipeError | None:
    head = receiving.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return BrokenPipeError()
    (size,) = _LENGTH.unpack(head)
    if size > most:
        return None
    body = receiving.read(size)
    return body if len(body) == size else BrokenPipeError()


def _time_statuses() -> set[int]:
    import signal  # noqa: PLC0415 - names of signals are looked up where one has come

    return {-getattr(signal, name) for name in _TIME_SIGNALS if hasattr(signal, name)}


def _ending(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"exit code {status}"
