"""Runs scripts in a separate process, one page a call, and replaces a process that was lost."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import struct
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Lock, Timer
from typing import TYPE_CHECKING, Final
from weakref import finalize

from crawler.core.wrapper.output import Node
from crawler.scripting.calls import ScriptCall
from crawler.scripting.forms import Limits, ScriptError, ScriptsNotInstalledError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crawler.scripting.calls import ScriptPage
    from crawler.scripting.forms import Argument, ScriptResult

_ENGINE: Final = "_quickjs"
_INSTALL: Final = "pip install 'scrapy-corpus[scripts]'"
_HERE: Final = Path(__file__).parent
_LENGTH: Final = struct.Struct(">Q")
_START_SECONDS: Final = 60.0
_MOST_GREETING: Final = 64 * 1024
# The signals of a process that reached its own limit of time; Windows has none of them.
_TIME_SIGNALS: Final = frozenset(
    getattr(signal, name) for name in ("SIGPROF", "SIGXCPU") if hasattr(signal, name)
)
# After these the process may hold much memory, or be gone.
_WORN: Final = frozenset(("time", "memory", "output", "answer", "died"))


class Sandbox(contextlib.AbstractContextManager["Sandbox"]):
    """Runs scripts on pages, each in a JavaScript context of its own that is gone afterwards.

    The process is started when it is first needed, which takes about 50 ms, and serves page after
    page. It is ended by :meth:`close`, at the end of a ``with``, or with the program. Calls from
    several threads wait for each other. A call blocks: under a reactor, make it in a thread.

    Args:
        limits: what a script may use on one page.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._worker: _Worker | None = None
        self._lock = Lock()

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def process(self) -> int | None:
        """The id of the process that runs scripts, None where there is none at the moment."""
        worker = self._worker
        return None if worker is None else worker.process.pid

    def close(self) -> None:
        """End the process. A later call starts another one."""
        with self._lock:
            self._end()

    def run(  # noqa: PLR0913 - what a script sees is five things
        self,
        script: str,
        page: ScriptPage,
        arguments: Sequence[Argument] = (),
        *,
        output: Node | None = None,
        args: Sequence[str] = (),
        name: str = "script",
    ) -> ScriptResult:
        """Run a script on a page.

        Args:
            script: JavaScript with a function ``main``.
            page: what the script sees as ``htree``.
            arguments: nodes that ``main`` is called with.
            output: the output so far, ``xtree``; by default a root named ``output``.
            args: what ``system.args`` gives, in order.
            name: what errors call the script.

        Raises:
            ScriptError: the script failed on this page; the next page can be run all the same.
            ScriptsNotInstalledError: there is no engine.
            ArgumentError: an argument names no node, or the output is too deep.
        """
        call = ScriptCall(name, script, page, output or Node("output"), self.limits)
        request = call.request(arguments, args)
        with self._lock:
            try:
                return call.read(self._ask(request, call.most_bytes(request)))
            except _LostError as error:
                self._end()
                raise call.lost(error.reason, error.detail) from error
            except ScriptError as error:
                if error.reason in _WORN:
                    self._end()
                raise
            except BaseException:
                # After Ctrl-C, for instance, the process may still answer this call.
                self._end()
                raise

    def _ask(self, request: Sequence[bytes], most: int) -> bytes:
        if self._worker is not None and self._worker.process.poll() is not None:
            self._end()
        if self._worker is None:
            self._worker = _Worker()
        return self._worker.ask(request, 4 * self.limits.seconds + 2, most)

    def _end(self) -> None:
        if self._worker is not None:
            self._worker.end()
            self._worker = None


class _LostError(Exception):
    """There is no answer: ``time``, ``output`` or ``died``, and how the process ended."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


class _Worker:
    """The process that runs scripts.

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
            self.process = subprocess.Popen(  # noqa: S603 - the program and its files are our own
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
        self.end = finalize(self, _end, self.process)
        """Ends the process and waits for its end. It runs as well when the worker is garbage."""
        self._check_engine()

    def _check_engine(self) -> None:
        try:
            greeting = json.loads(self.ask((), _START_SECONDS, _MOST_GREETING))
        except _LostError as error:
            greeting = {"failed": error.detail or error.reason}
        if greeting.get("ready") is True:
            return
        self.end()
        detail = greeting.get("failed")
        if detail == "other-engine":
            raise ScriptsNotInstalledError(
                "the package 'quickjs' is installed in place of 'quickjs-ng', which scripts need; "
                f"run: pip uninstall quickjs quickjs-ng, then: {_INSTALL}"
            )
        raise ScriptsNotInstalledError(
            f"the JavaScript engine cannot be started ({detail}); install it anew: "
            "pip install --force-reinstall quickjs-ng"
        )

    def ask(self, frames: Sequence[bytes], seconds: float, most: int) -> bytes:
        """Send frames and wait for one.

        Args:
            frames: what to send.
            seconds: how long to wait before the process is killed.
            most: bytes that the answer may have. A process that answers more is killed.

        Raises:
            _LostError: there is no answer, and the process has ended.
        """
        process, late = self.process, Event()

        def kill_late() -> None:
            late.set()
            process.kill()

        timer = Timer(seconds, kill_late)
        timer.daemon = True
        timer.start()
        try:
            return self._exchange(frames, most)
        except (OSError, EOFError):
            status = process.wait()
            if late.is_set() or -status in _TIME_SIGNALS:
                raise _LostError("time") from None
            how = f"signal {-status}" if status < 0 else f"exit code {status}"
            raise _LostError("died", how) from None
        finally:
            timer.cancel()

    def _exchange(self, frames: Sequence[bytes], most: int) -> bytes:
        sending, receiving = self.process.stdin, self.process.stdout
        assert sending is not None and receiving is not None  # noqa: S101, PT018 - it has pipes
        for frame in frames:
            sending.write(_LENGTH.pack(len(frame)))
            sending.write(frame)
        sending.flush()
        head = receiving.read(_LENGTH.size)
        if len(head) < _LENGTH.size:
            raise EOFError
        (size,) = _LENGTH.unpack(head)
        if size > most:
            self.process.kill()
            self.process.wait()
            raise _LostError("output")
        body = receiving.read(size)
        if len(body) < size:
            raise EOFError
        return body


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            # What could not be sent any more cannot be flushed.
            with contextlib.suppress(OSError):
                pipe.close()
