"""Runs scripts in a process apart, one page a call, and starts a new process where one was lost."""

from __future__ import annotations

import json
from threading import Lock
from typing import TYPE_CHECKING, Final, Self

from crawler.core.errors import ArgumentError
from crawler.scripting.answers import Asked, read_answer
from crawler.scripting.forms import Limits, OutputNode, ScriptError, ScriptResult
from crawler.scripting.pages import ScriptPage, output_rows, reference
from crawler.scripting.process import Lost, Worker

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from crawler.scripting.forms import Argument

__all__ = ["Sandbox"]

# A character takes at most six bytes in JSON; each part of the output counts for 16 at least, and
# its row takes no more than some sixty bytes beside its characters.
_BYTES_A_CHARACTER: Final = 6
_BYTES_BESIDE: Final = 1024 * 1024
# After these the worker may hold much memory, or be no more.
_WORN: Final = frozenset(("time", "memory", "output", "answer", "died"))


class Sandbox:
    """Runs scripts on pages, each in a world of its own that is gone afterwards.

    The process is started when it is first needed, which takes about 50 ms, and serves page after
    page. It is ended by :meth:`close`, at the end of a ``with``, or with the program. Calls from
    several threads wait for each other. A call blocks: under a reactor, make it in a thread.

    Args:
        limits: what a script may use on one page.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._worker: Worker | None = None
        self._lock = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def process(self) -> int | None:
        """The number of the process that runs scripts, None where there is none at the moment."""
        worker = self._worker
        return None if worker is None else worker.number

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
        output: OutputNode | None = None,
        args: Sequence[str] = (),
        name: str = "script",
    ) -> ScriptResult:
        """Run a script on a page.

        Args:
            script: JavaScript with a function ``main``.
            page: what the script sees as ``htree``.
            arguments: nodes that ``main`` is called with.
            output: the output tree so far, ``xtree``; by default a root named ``output``.
            args: what ``system.args`` gives, in order.
            name: what errors call the script.

        Raises:
            ScriptError: the script failed on this page; the next page can be run all the same.
            ScriptsNotInstalledError: there is no engine.
            ArgumentError: an argument names no node, or the output tree is too deep.
        """
        # Each of these ends a line in JavaScript; the engine counts the last kind alone.
        script = script.replace("\r\n", "\n").replace("\r", "\n")
        rows = output_rows(output or OutputNode("output"))
        world = {
            "output": rows,
            "words": list(args),
            "budget": self.limits.output,
            "arguments": [reference(argument, page.nodes, len(rows)) for argument in arguments],
        }
        call = {"world": world, "seconds": self.limits.seconds, "memory": self.limits.memory}
        try:
            text = script.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ArgumentError(f"{name} is no text: {error}; save it as UTF-8") from error
        with self._lock:
            body = self._ask((json.dumps(call).encode("ascii"), page.text.encode("ascii"), text))
            try:
                return read_answer(body, Asked(name, script, self.limits, len(rows), page.nodes))
            except ScriptError as error:
                if error.reason in _WORN:
                    self._end()
                raise

    def _ask(self, frames: tuple[bytes, ...]) -> bytes | Lost:
        if self._worker is not None and not self._worker.lives():
            self._end()
        if self._worker is None:
            self._worker = Worker()
        given = sum(len(frame) for frame in frames)
        most = _BYTES_A_CHARACTER * (self.limits.output + given) + _BYTES_BESIDE
        try:
            return self._worker.ask(frames, 4 * self.limits.seconds + 2, most)
        except BaseException:
            # Ctrl-C, say: what it would still answer is no answer to the next page.
            self._end()
            raise

    def _end(self) -> None:
        if self._worker is not None:
            self._worker.end()
            self._worker = None
