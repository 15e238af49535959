"""Runs scripts in a separate process, one page a call, and replaces a process that was lost."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Lock, Timer
from time import monotonic
from typing import Final
from weakref import finalize

from crawler.core.wrapper.output import Node
from crawler.core.wrapper.tree import PageTree
from crawler.scripting.calls import (
    Argument,
    Limits,
    ScriptCall,
    ScriptError,
    ScriptResult,
    ScriptsNotInstalledError,
    page_text,
)

_ENGINE: Final = "_quickjs"
_INSTALL: Final = "pip install 'scrapy-corpus[scripts]'"
_HERE: Final = Path(__file__).parent
# The signals of a process that reached its own limit of time; Windows has none of them.
_TIME_SIGNALS: Final = frozenset(
    getattr(signal, name) for name in ("SIGPROF", "SIGXCPU") if hasattr(signal, name)
)
# After these the process may hold much memory.
_WORN: Final = frozenset(("time", "memory", "output", "answer"))


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
        self.process: subprocess.Popen[bytes] | None = None
        """The process that runs scripts, None where there is none at the moment."""
        self._lock = Lock()
        self._is_halted = False
        self._page: tuple[PageTree | None, bytes] = (None, b"")

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process. A later call starts another one."""
        with self._lock:
            self._end()

    def halt(self) -> None:
        """End the process at once, though a script runs, which fails; there is no later call.

        Other threads than the one that runs the script may call it.
        """
        self._is_halted = True
        if (process := self.process) is not None:
            process.kill()

    def run(
        self,
        script: str,
        tree: PageTree,
        *calls: Sequence[Argument],
        output: Node | None = None,
        args: Sequence[str] = (),
        name: str = "script",
    ) -> ScriptResult:
        """Run a script on a page.

        Args:
            script: JavaScript with a function ``main``.
            tree: the page, which the script sees as ``htree``.
            calls: the arguments of each call of ``main``; without any it is called once, without.
            output: the output so far, ``xtree``; by default a root named ``output``.
            args: what ``system.args`` gives, in order.
            name: what errors call the script.

        Raises:
            ScriptError: the script failed on this page; the next page can be run all the same.
            ScriptsNotInstalledError: there is no engine.
            ArgumentError: an argument names no node, or the output is too deep.
        """
        call = ScriptCall(name, script, tree, output or Node("output"), self.limits)
        request = call.request(calls or [()], args)
        with self._lock:
            if self._page[0] is not tree:
                # The same for all scripts of a page.
                self._page = tree, f"{page_text(tree)}\n".encode("ascii")
            request += self._page[1]
            try:
                if self.process is None or self.process.poll() is not None:
                    self._end()
                    self._start()
                # A character takes at most six bytes in JSON. Each part of the output counts for at
                # least 16 characters, and takes at most some sixty bytes beside its characters.
                most = 6 * (self.limits.output + len(request)) + 2**20
                return call.read(self._ask(request, 4 * self.limits.seconds + 2, most))
            except BaseException as error:
                # After Ctrl-C, for instance, the process may still answer this call.
                if not isinstance(error, ScriptError) or error.reason in _WORN:
                    self._end()
                if isinstance(error, _LostError):
                    raise call.error(error.reason, error.how) from error
                raise

    def _start(self) -> None:
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
            # Also called when the sandbox is garbage, or the program ends.
            self._finalizer = finalize(self, _end_process, self.process)
            failed = json.loads(self._ask(b"", seconds=60, most=64 * 1024))
        except (OSError, _LostError) as error:
            failed = str(error)
        if failed == "other-engine":
            raise ScriptsNotInstalledError(
                "the package 'quickjs' is installed in place of 'quickjs-ng', which scripts need; "
                f"run: pip uninstall quickjs quickjs-ng, then: {_INSTALL}"
            )
        if failed is not None:
            raise ScriptsNotInstalledError(
                f"the JavaScript engine cannot be started ({failed}); install it anew: "
                "pip install --force-reinstall quickjs-ng"
            )

    def _ask(self, request: bytes, seconds: float, most: int) -> bytes:
        """Send a request and wait for the line that answers it, of at most ``most`` bytes.

        Raises:
            _LostError: there is no answer. The process was killed after so many seconds by the
                clock, has ended, or answers too much; it is of no use any more.
        """
        if self._is_halted:
            raise _LostError("died", "halted")
        process = self.process
        assert process is not None and process.stdin is not None  # noqa: S101, PT018 - it runs and has pipes
        assert process.stdout is not None  # noqa: S101 - as above
        until = monotonic() + seconds
        timer = Timer(seconds, process.kill)
        timer.daemon = True
        timer.start()
        try:
            # An error in writing means that the process has ended.
            with contextlib.suppress(OSError):
                process.stdin.write(request)
                process.stdin.flush()
            answer = process.stdout.readline(most)
            if answer.endswith(b"\n"):
                return answer
            if len(answer) == most:
                raise _LostError("output")
            status = process.wait()
        finally:
            timer.cancel()
        if monotonic() >= until or -status in _TIME_SIGNALS:
            raise _LostError("time")
        raise _LostError("died", f"signal {-status}" if status < 0 else f"exit code {status}")

    def _end(self) -> None:
        if self.process is not None:
            self._finalizer()
            self.process = None


class _LostError(Exception):
    """There is no answer: ``time``, ``output`` or ``died``, and how the process ended."""

    def __init__(self, reason: str, how: str = "") -> None:
        super().__init__(how or reason)
        self.reason = reason
        self.how = how


def _end_process(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            # What could not be sent any more cannot be flushed.
            with contextlib.suppress(OSError):
                pipe.close()
